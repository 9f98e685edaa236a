"""Ctrl-C ends a run wherever it is, and other results than the image's own kind."""
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import frostglass

# Takes minutes, and tells nobody when it begins: what ends it is a signal after the first half second.
PROGRAM = """
import os, signal, sys, threading
import numpy as np
import frostglass

image = np.random.default_rng(1).integers(0, 256, (6000, 6000, 4), "uint8")
out = np.zeros_like(image)
frostglass.Filter("none")(image[:8, :8].copy())
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {call}
except KeyboardInterrupt:
    print("ended by Ctrl-C")
    sys.exit(3)
print("ran to its end")
"""


@pytest.mark.parametrize("call", [
    "frostglass.median(image, 15)",
    "frostglass.median(image, 15, out=out)",
    "frostglass.median(image, 15, progress=lambda done: None)",
    "frostglass.median(image, 15, threads=1, progress=lambda done: sum(range(10_000)) < 0)",
    "[frostglass.Filter('median(15)')(np.stack([image[:999]] * 4)) for _ in range(9)]",
])
def test_ctrl_c_ends_a_run(call):
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (3, "ended by Ctrl-C\n", "")


def test_what_was_ended_can_be_run_again():
    image = np.random.default_rng(1).integers(0, 256, (600, 800, 3), "uint8")
    median = frostglass.Filter("median(4)")
    expected = median(image)

    def interrupts(done):
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        median(image, progress=interrupts)
    assert (median(image) == expected).all()


def test_progress_is_told_by_the_thread_that_called():
    image = np.random.default_rng(1).integers(0, 256, (600, 800, 3), "uint8")
    told = []
    frostglass.median(image, 4, progress=lambda done: told.append((threading.get_ident(), done)))
    assert {thread for thread, _ in told} == {threading.get_ident()}
    shares = [share for _, share in told]
    assert shares[0] == 0 and shares[-1] == 1 and shares == sorted(shares)
    made = []
    other = threading.Thread(
        target=lambda: frostglass.median(image, 4, progress=lambda _: made.append(threading.get_ident())))
    other.start()
    other.join()
    assert set(made) == {other.ident}


def test_a_progress_function_runs_no_filters():
    image = np.zeros((40, 40, 3), "uint8")
    with pytest.raises(frostglass.Error, match="cannot run filters") as refused:
        frostglass.blur(image, 3, progress=lambda done: frostglass.blur(image, 4))
    assert refused.value.code == "FG_BAD_ARGUMENT"
    # And afterwards it can.
    assert (frostglass.blur(image, 4) == 0).all()
