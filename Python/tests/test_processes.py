"""Threads, forks and many calls."""
import concurrent.futures
import multiprocessing
import os
import resource
import signal
import threading

import numpy as np
import pytest

import frostglass

IMAGE = np.random.default_rng(2).integers(0, 256, (120, 160, 4), "uint8")
GLASS = frostglass.Filter("blur(9px) saturate(150%)")


def worked(_):
    """In another process: whether two ways give what the parent got."""
    return frostglass.blur(IMAGE, 7).tobytes(), GLASS(IMAGE).tobytes()


def expected():
    return frostglass.blur(IMAGE, 7).tobytes(), GLASS(IMAGE).tobytes()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes(method):
    wanted = expected()
    with multiprocessing.get_context(method).Pool(3) as pool:
        assert pool.map_async(worked, range(6)).get(120) == [wanted] * 6
    assert expected() == wanted


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_hundred_forks_while_other_threads_blur():
    wanted = expected()
    stop = threading.Event()
    failures = []

    def blurs():
        while not stop.is_set():
            if expected() != wanted:
                failures.append("a thread got something else")

    threads = [threading.Thread(target=blurs) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(100):
            child = os.fork()
            if child == 0:
                # One that waits for what it does not have is ended, and so noticed.
                signal.alarm(60)
                os._exit(0 if expected() == wanted else 1)
            assert os.waitpid(child, 0)[1] == 0, f"fork {number}"
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failures


def test_executors():
    wanted = expected()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(worked, range(24))) == [wanted] * 24
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(worked, range(4), timeout=120)) == [wanted] * 4


def test_other_threads_go_on_meanwhile():
    image = np.zeros((1500, 1500, 4), "uint8")
    frostglass.median(image, 3)
    counted, running = [0], threading.Event()

    def counts():
        while not running.is_set():
            counted[0] += 1

    thread = threading.Thread(target=counts)
    seen = []

    def told(done):
        seen.append(counted[0])

    thread.start()
    try:
        frostglass.median(image, 3, progress=told)
    finally:
        running.set()
        thread.join()
    assert seen[-1] > seen[0]


def test_threads_with_more_sizes_than_plans_are_kept():
    glass = frostglass.Filter("blur(2px)", threads=1)

    def blurred(number):
        for turn in range(60):
            side = 4 + (turn * 7 + number * 13) % 40
            batch = np.zeros((4, side, side, 3), "uint8")
            assert glass(batch).shape == batch.shape
        return True

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        assert all(pool.map(blurred, range(12)))


def test_engines_with_other_threads_give_the_same():
    wanted = frostglass.blur(IMAGE, 7)
    for threads in (1, 2, 5):
        assert (frostglass.blur(IMAGE, 7, threads=threads) == wanted).all()


def test_memory_stays_flat():
    small = IMAGE[:24, :24].copy()

    def calls(count):
        for number in range(count):
            frostglass.blur(small, 3)
            frostglass.Filter("median(1)")(small)
            try:
                frostglass.blur(small, -1)
            except frostglass.Error:
                pass

    def held():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    calls(500)
    before = held()
    calls(1500)
    assert held() - before < 4 << 20
