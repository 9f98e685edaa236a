"""docs/integrate/python.md: every snippet runs, and what it offers instead of Pillow is like it; the
reference is that of the catalog, and the notebook and the example run."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

import numpy as np
from PIL import Image, ImageFilter

import frostglass

SOURCES = pathlib.Path(os.environ.get("FROSTGLASS_SOURCES", pathlib.Path(__file__).parent.parent))
PAGE = (SOURCES.parent / "docs" / "integrate" / "python.md").read_text()
RANDOM = np.random.default_rng(3)


def smooth(height, width, channels):
    """Noise of some pixels' size: what photographs are more like."""
    small = RANDOM.integers(0, 256, (height // 10, width // 10, channels), "uint8")
    return np.repeat(np.repeat(small, 10, axis=0), 10, axis=1)


def test_the_snippets_run():
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert len(snippets) == 8
    space = {
        "array": smooth(60, 80, 3), "photo": smooth(300, 400, 3), "stop": threading.Event(),
        "person": np.eye(300, 400, dtype="uint8") * 255,
    }
    for snippet in snippets:
        exec(snippet, space)
    assert (space["result"] != space["array"]).any()


def test_what_is_offered_instead_runs():
    rows = re.findall(r"^\| `(.+?)` \| (.+) \|$", PAGE, re.M)
    offers = [offer for _, cell in rows for offer in re.findall(r"`(frostglass\..+?)`", cell)]
    assert len(offers) >= 11
    space = {"frostglass": frostglass, "a": smooth(60, 80, 3)}
    space["image"] = Image.fromarray(space["a"])
    for offer in offers:
        result = np.asarray(eval(offer, space))
        assert result.shape == (60, 80, 3) and (result != space["a"]).any(), offer


def test_pillows_blurs_are_alike():
    image = Image.fromarray(smooth(200, 300, 3))
    for theirs, ours in (
            (ImageFilter.GaussianBlur(10), frostglass.blur(image, 10, compat="pillow")),
            (ImageFilter.BoxBlur(10), frostglass.box(image, 10)),
            (ImageFilter.MedianFilter(7), frostglass.median(image, 3))):
        # Each of three boxes has borders of its own: there they are further apart. Inside, of σ 10, the sum
        # of their kernel's differences from the Gaussian is 0.0535 on each axis: 13.7 levels for the worst
        # picture, and ours may be 1 off, and both are rounded.
        inside = slice(30, -30), slice(30, -30)
        apart = np.abs(np.asarray(image.filter(theirs)).astype(int) - np.asarray(ours))[inside]
        assert apart.mean() < 2 and apart.max() <= 15, (theirs, apart.mean(), apart.max())


def test_the_reference_is_up_to_date(tmp_path):
    # Elsewhere, as a script finds first what lies beside it.
    program = shutil.copy(SOURCES / "reference.py", tmp_path)
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    page = (SOURCES.parent / "docs" / "integrate" / "python-api.md").read_text()
    assert run.stdout == page, "run python reference.py --write"
    headings = {line.lstrip("# ").lower() for line in page.splitlines() if line.startswith("#")}
    for link in re.findall(r"\]\(#([^)]+)\)", page):
        assert link.replace("-", " ") in headings or link in headings, link
    for file in re.findall(r"\]\(([\w./-]+\.md)", page):
        assert (SOURCES.parent / "docs" / "integrate" / file).exists(), file


def test_the_notebook_runs(monkeypatch):
    folder = SOURCES.parent / "Examples" / "Python"
    notebook = json.loads((folder / "frostglass.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 6 and not any(cell["outputs"] for cell in cells)
    try:
        import nbclient
        import nbformat
    except ImportError:
        # As a notebook does it, but for what it shows.
        monkeypatch.chdir(folder)
        space = {}
        for cell in cells:
            exec("".join(cell["source"]), space)
        return
    made = nbformat.reads(json.dumps(notebook), as_version=4)
    nbformat.validate(made)
    nbclient.NotebookClient(made, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    shown = [output for cell in made.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in shown) == 5


def test_the_example_makes_its_picture(tmp_path):
    program = SOURCES.parent / "Examples" / "Python" / "blurs.py"
    photo = SOURCES.parent / "Tests" / "Fixtures" / "Photographs" / "coffee.jpg"
    # Elsewhere, as where it lies is not where the package is.
    subprocess.run([sys.executable, str(program), str(photo), str(tmp_path / "looks.png")], check=True)
    made = np.asarray(Image.open(tmp_path / "looks.png")).astype(int)
    shown = Image.open(SOURCES.parent / "docs" / "pictures" / "python.jpg")
    assert made.shape[:2] == shown.size[::-1]
    # The page's is a JPEG.
    assert np.abs(made - np.asarray(shown)).mean() < 3
