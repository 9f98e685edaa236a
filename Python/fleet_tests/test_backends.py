"""The library with files and GPUs in place of the wheel's, in processes of their own: a GPU, which may be
played by the CPU, gives the same pictures."""
import os
import subprocess
import sys

import numpy as np
import pytest

import frostglass
from conftest import picture

LARGER = {**os.environ, "FROSTGLASS_LIBRARY": os.environ["FROSTGLASS_FILES_LIBRARY"]}
FILTER = "blur(6px) saturate(150%)"
ARRAYS = f"""
import os, sys
import numpy as np
import frostglass
from conftest import picture

image = picture(3)
def pixels(**options):
    return frostglass.Filter({FILTER!r}, **options)(image)
"""


def said(script):
    """Returns the output of a script with the larger library."""
    run = subprocess.run(
        [sys.executable, "-c", ARRAYS + script], env=LARGER, stdout=subprocess.PIPE, check=True, timeout=300)
    return run.stdout


def test_backends_give_the_same():
    fast = frostglass.Filter(FILTER)(picture(3))
    parts = said("""
for backend in ("fast", "gl", "reference", "auto"):
    sys.stdout.buffer.write(pixels(backend=backend).tobytes())
sys.stdout.buffer.write(frostglass.blur(image, 5, backend="gl", device="0").tobytes())
""")
    results = np.frombuffer(parts, "uint8").reshape((5,) + fast.shape).astype(int)
    assert (results[0] == fast).all()
    # Before it is rounded a sample may be 0.5 levels from the truth on each.
    assert np.abs(results[1:4] - fast).max() <= 1
    assert np.abs(results[4] - frostglass.blur(picture(3), 5)).max() <= 1


def test_what_is_not_there_is_refused_in_words():
    for options, words in (
            ({"backend": "gl"}, "FROSTGLASS_LIBRARY"), ({"backend": "cuda"}, "must be one of auto, fast, gl"),
            ({"device": "0"}, "goes with backend"), ({"backend": "gl", "device": 0}, "must be a text")):
        with pytest.raises(frostglass.Error, match=words):
            frostglass.blur(picture(1), 3, **options)
    assert said("""
try:
    pixels(backend="gl", device="no such thing")
except frostglass.Error as error:
    print(error.code, "no such thing" in str(error))
""") == b"FG_UNAVAILABLE True\n"


def test_forked_processes_have_the_cpu_and_words_for_the_rest():
    assert said("""
expected = pixels()
used = frostglass.Filter("blur(6px)", backend="gl")
used(image)
child = os.fork()
if child == 0:
    try:
        used(image)
    except frostglass.Error as error:
        os._exit(0 if error.code == "FG_UNAVAILABLE" and (pixels() == expected).all() else 1)
    os._exit(2)
print(os.waitpid(child, 0)[1])
""") == b"0\n"


def test_actors_of_rays_with_a_gpu():
    """As docs/integrate/python-fleet.md has it, with a node that says it has a GPU."""
    found = said("""
import ray
import frostglass.ray

ray.init(num_cpus=2, num_gpus=1, include_dashboard=False, object_store_memory=100 << 20)
ray.data.DataContext.get_current().enable_progress_bars = False
images = ray.data.from_items([{"image": picture(3)} for _ in range(4)])
blurred = images.map_batches(
    frostglass.ray.Blur, num_gpus=1, batch_size=2,
    fn_constructor_kwargs={"filter": frostglass.Filter("blur(6px)", backend="gl"), "column": "image"},
    compute=ray.data.ActorPoolStrategy(size=1))
rows = blurred.take_all()
near = frostglass.blur(image, 6)
print(len(rows), [row["error"] for row in rows],
      max(np.abs(row["image"].astype(int) - near).max() for row in rows) <= 1)
""")
    assert found.splitlines()[-1] == b"4 [None, None, None, None] True"
