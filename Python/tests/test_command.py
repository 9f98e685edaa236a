"""`python -m frostglass` blurs a file through Pillow."""
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import frostglass

RANDOM = np.random.default_rng(14)


def run(*arguments, path="/usr/bin:/bin"):
    return subprocess.run(
        [sys.executable, "-m", "frostglass", *map(str, arguments)], capture_output=True, text=True,
        env={**os.environ, "PATH": path})


@pytest.fixture
def photo(tmp_path):
    Image.fromarray(RANDOM.integers(0, 256, (30, 40, 3), "uint8")).save(tmp_path / "in.png")
    return tmp_path / "in.png"


def test_a_file_is_blurred(photo, tmp_path):
    out = tmp_path / "out.png"
    made = run(photo, out, "--sigma", 5)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    image = np.asarray(Image.open(photo))
    assert (np.asarray(Image.open(out)) == frostglass.blur(image, 5)).all()
    assert run(photo, out, "--sigma", 5).returncode == 73
    options = ("--filter", "pixelate(4)", "--region", "1,1,9,9", "--region", "20,5,9,9", "--overwrite")
    assert run(photo, out, *options).returncode == 0
    wanted = frostglass.pixelate(image, 4, regions=["1,1,9,9", "20,5,9,9"])
    assert (np.asarray(Image.open(out)) == wanted).all()
    assert run(photo, tmp_path / "out.jpg", "-s", "2%", "--invert", "--region", "1,1,9,9").returncode == 0
    assert Image.open(tmp_path / "out.jpg").format == "JPEG"
    assert sorted(os.listdir(tmp_path)) == ["in.png", "out.jpg", "out.png"]


def test_help_and_version():
    assert run("--help").stdout.startswith("usage: python -m frostglass [-h]")
    assert run("--version").stdout == f"frostglass {frostglass.__version__}\n"


def test_what_is_wrong_is_said(photo, tmp_path):
    broken = tmp_path / "broken.png"
    broken.write_bytes(photo.read_bytes()[:300])
    for arguments, status, words in (
            ((), 64, "the following arguments are required: input, output"),
            ((photo, tmp_path / "a.xyz"), 64, "format is 'xyz'; it must be one of"),
            ((photo, tmp_path / "a"), 64, "format is"),
            ((photo, tmp_path / "a.png", "--sigma", "x"), 64, "gaussian: x is x"),
            ((photo, tmp_path / "a.png", "--quality", 0), 64, "--quality is 0"),
            ((tmp_path / "no.png", tmp_path / "a.png"), 66, "No such file"),
            ((broken, tmp_path / "a.png"), 65, "broken.png: "),
            ((photo, tmp_path / "no" / "a.png"), 73, "cannot write"),
            ((photo, tmp_path / "a.png", "--region", "900,900,5,5"), 65, "covers a part"),
            (("redact", photo), 69, "redact is of the frostglass command, which is not installed")):
        made = run(*arguments)
        assert (made.returncode, made.stdout) == (status, ""), made
        assert words in made.stderr and "Traceback" not in made.stderr
    assert not (tmp_path / "a.png").exists()


def test_words_of_the_command_run_the_command(tmp_path):
    command = tmp_path / "frostglass"
    command.write_text("#!/bin/sh\necho \"$0: $*\"\nexit 3\n")
    command.chmod(0o755)
    made = run("blur", "a b", path=f"{tmp_path}:/usr/bin:/bin")
    assert made.returncode == 3 and made.stdout.endswith("frostglass: blur a b\n")
