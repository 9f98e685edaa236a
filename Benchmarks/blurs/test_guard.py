"""Tests of what the guard calls slower, without anything measured: python3 -m unittest test_guard."""
import io
import json
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import catalog
import guard
import reach
import results


def row(copy: float, arithmetic: float, spread: float = 0.01, name: str = "zoom()") -> dict:
    beside = {
        "copy": {"ratio": copy, "spread": spread},
        "arithmetic": {"ratio": arithmetic, "spread": spread}}
    return {"filter": name, "size": "640x360", "ms": 1.0, "copy_ms": 0.1, "beside": beside, "peers": {}}


def run(*rows: dict, cpu: str = "one") -> dict:
    return {"machine": {"CPU": cpu, "threads": "2", "OpenCV": "5"}, "rows": list(rows)}


class Beside(unittest.TestCase):
    def test_three_rounds_spread_from_the_lowest_to_the_highest(self):
        self.assertEqual(guard.beside([2.0, 1.9, 2.2])["ratio"], 2.0)
        self.assertAlmostEqual(guard.beside([2.0, 1.9, 2.2])["spread"], 0.15)

    def test_one_round_of_many_that_was_disturbed_is_no_spread(self):
        self.assertLess(guard.beside([2.0] * 9 + [20.0])["spread"], 0.01)

    def test_one_round_has_no_spread(self):
        self.assertEqual(guard.beside([2.0]), {"ratio": 2.0, "spread": 0.0})

    def test_spread_is_never_beyond_what_was_seen(self):
        self.assertAlmostEqual(guard.beside([1.0, 2.0])["spread"], 1 / 1.5)


class Slower(unittest.TestCase):
    def test_the_same_run_is_not_slower(self):
        self.assertEqual(guard.slower([row(20, 2)], [row(20, 2)]), [])

    def test_slower_beside_both_is_named_by_the_lesser(self):
        found = guard.slower([row(20, 2)], [row(24, 2.2)])
        self.assertEqual([(one.yardstick, round(one.by, 3)) for one in found], [("arithmetic", 0.1)])
        self.assertIn("zoom(), 640x360: 10 % slower", str(found[0]))

    def test_a_host_whose_copies_got_faster_is_no_slower_filter(self):
        self.assertEqual(guard.slower([row(20, 2)], [row(35, 2)]), [])

    def test_a_host_whose_memory_got_slower_is_no_slower_filter(self):
        self.assertEqual(guard.slower([row(2, 0.1)], [row(2, 0.17)]), [])

    def test_faster_is_not_slower(self):
        self.assertEqual(guard.slower([row(20, 2)], [row(10, 1)]), [])

    def test_what_is_within_three_percent_is_noise(self):
        self.assertEqual(guard.slower([row(20, 2, 0)], [row(20.5, 2.05, 0)]), [])
        self.assertEqual(len(guard.slower([row(20, 2, 0)], [row(20.7, 2.07, 0)])), 1)

    def test_rounds_of_both_runs_are_noise(self):
        self.assertEqual(guard.slower([row(20, 2, 0.06)], [row(22, 2.2, 0.05)]), [])
        self.assertEqual(len(guard.slower([row(20, 2, 0.04)], [row(22, 2.2, 0.05)])), 1)

    def test_the_worst_comes_first_and_new_rows_are_not_compared(self):
        before = [row(20, 2), row(20, 2, name="spin()")]
        after = [row(22, 2.2), row(40, 4, name="spin()"), row(99, 99, name="lens()")]
        self.assertEqual([one.filter for one in guard.slower(before, after)], ["spin()", "zoom()"])


class Together(unittest.TestCase):
    def test_a_second_measurement_counts_and_the_first_is_noise(self):
        first, again = row(24, 2.4), row(20, 2)
        (one,) = guard.together([first], [again])
        self.assertEqual(one["beside"]["copy"]["ratio"], 20)
        self.assertAlmostEqual(one["beside"]["copy"]["spread"], 0.2)
        self.assertEqual(guard.slower([row(20, 2)], [one]), [])

    def test_what_is_slower_twice_stays_slower(self):
        (one,) = guard.together([row(24, 2.4)], [row(24, 2.4)])
        self.assertEqual(len(guard.slower([row(20, 2)], [one])), 1)

    def test_other_rows_stay_and_peers_are_kept(self):
        first = [{**row(1, 1), "peers": {"somebody": 3.0}}, row(1, 1, name="spin()")]
        rows = guard.together(first, [row(2, 2)])
        self.assertEqual(rows[1], first[1])
        self.assertEqual(rows[0]["peers"], {"somebody": 3.0})


class Report(unittest.TestCase):
    def test_it_counts_and_names(self):
        words, slow = guard.report(
            run(row(20, 2), row(1, 1, name="gone()")), run(row(30, 3), row(1, 1, name="new()")))
        self.assertTrue(slow)
        self.assertIn("zoom(), 640x360: 50 % slower", words)
        self.assertIn("gone(), 640x360: no longer measured", words)
        self.assertIn("1 of 1 rows got slower by more than noise; 1 are new", words)

    def test_it_says_how_many_rows_are_too_noisy_to_tell(self):
        words, slow = guard.report(run(row(20, 2, 0.15)), run(row(24, 2.4, 0.15)))
        self.assertFalse(slow)
        self.assertIn("of 1 the noise is over 20 %", words)
        self.assertNotIn("noise is over", guard.report(run(row(20, 2)), run(row(20, 2)))[0])

    def test_other_machines_are_not_compared(self):
        words, slow = guard.report(run(row(20, 2)), run(row(30, 3), cpu="another"))
        self.assertFalse(slow)
        self.assertIn("CPU was one and is another", words)


class Command(unittest.TestCase):
    def ends(self, before: dict, after: dict) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in ("before.json", "after.json")]
            for path, data in zip(paths, (before, after)):
                results.write(data, path)
            words = ["guard.py", "--before", str(paths[0]), "--after", str(paths[1])]
            said = io.StringIO()
            with mock.patch("sys.argv", words), redirect_stdout(said), redirect_stderr(said):
                return guard.main(), said.getvalue()

    def test_it_ends_with_one_where_rows_are_slower(self):
        self.assertEqual(self.ends(run(row(20, 2)), run(row(20, 2)))[0], 0)
        code, said = self.ends(run(row(20, 2)), run(row(30, 3)))
        self.assertEqual(code, 1)
        self.assertIn("50 % slower", said)


class Results(unittest.TestCase):
    def test_rows_have_a_line_each_and_numbers_four_digits(self):
        data = {**run(row(20.123456, 2), row(1, 1, name="spin()")), "huge": [], "σ": 0.00012345}
        text = results.text(data)
        again = json.loads(text)
        self.assertEqual(again["rows"][0]["beside"]["copy"]["ratio"], 20.12)
        self.assertEqual(again["rows"][1], data["rows"][1])
        self.assertEqual(again["huge"], [])
        self.assertEqual(sum("640x360" in line for line in text.splitlines()), 2)
        self.assertEqual(results.text(again), text)


class Catalog(unittest.TestCase):
    def test_a_new_filter_is_measured_by_its_example(self):
        known = {"name": "zoom", "example": "zoom()"}
        self.assertEqual(catalog.every([known]), catalog.GROUPS)
        rest = catalog.every([known, {"name": "haze", "example": "haze(0.2)"}])[-1]
        self.assertEqual(rest.chains, ("haze(0.2)",))

    def test_labels_are_rows_of_their_own(self):
        labels = [group.label(chain) for group in catalog.GROUPS for chain in group.chains]
        self.assertEqual(len(labels), len(set(labels)))
        for name in (*reach.PRICES, *reach.PEERS):
            self.assertIn(name, labels)


class Goals(unittest.TestCase):
    def test_a_filter_is_held_against_its_price_and_its_peer(self):
        lens = {**row(41, 1, name="lens(12px)"), "size": reach.LARGE, "ms": 10.0,
                "peers": {"OpenCV filter2D": 50.0}}
        price, faster = reach.of_filters([lens, row(1, 1, name="lens(12px)")])
        self.assertEqual((price.asked, price.reached), ("≤ 40 copies", False))
        self.assertEqual((faster.asked, faster.measured, faster.reached), ("≥ 5 ×", "5 ×", True))

    def test_a_price_says_what_a_copy_took(self):
        goal = reach.copies("all", 2.0, 2, {"copy_ms": 1.314})
        self.assertEqual((goal.measured, goal.reached), ("2.00 copies of 1.31 ms", True))

    def test_a_price_says_what_there_was_of_the_processors(self):
        row = {"copy_ms": 1.314, "clock_ghz": 3.06, "additions_per_cycle": 2.04}
        goal = reach.copies("all", 2.1, 2, row)
        self.assertEqual(
            (goal.measured, goal.reached),
            ("2.10 copies of 1.31 ms; 3.1 GHz, 2.0 additions a cycle", False))


if __name__ == "__main__":
    unittest.main()
