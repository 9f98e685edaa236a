"""Faces are found by the command; where it finds none, or cannot look, nothing passes for hidden."""
import json

import numpy as np
import pytest
from PIL import Image

import frostglass

RANDOM = np.random.default_rng(15)
IMAGE = RANDOM.integers(0, 256, (60, 80, 3), "uint8")
FACE = {"bbox": [30.5, 20.0, 20.0, 19.5], "score": 0.9}


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Puts a command on PATH that keeps the image it is given, says faces, and ends with a status."""
    def put(faces, status=0, words=""):
        (tmp_path / "said").write_text(json.dumps({"annotations": faces}))
        program = tmp_path / "frostglass"
        program.write_text(
            f"#!/bin/sh\ncd '{tmp_path}'\ncat \"$2\" >seen.png\necho \"$@\" >words\necho '{words}' >&2\ncat said\nexit {status}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        return tmp_path
    return put


@pytest.mark.parametrize("image", [
    IMAGE, RANDOM.integers(0, 256, (60, 80, 4), "uint8"), IMAGE[:, ::-1], IMAGE[..., 0].copy(),
])
def test_the_command_gets_the_pixels(command, image):
    folder = command([FACE])
    assert frostglass.find(image, effort="quick", score=0.7) == [(30.5, 20, 20, 19.5, 0.9)]
    assert (np.asarray(Image.open(folder / "seen.png")) == image).all()
    words = (folder / "words").read_text()
    assert "--find-effort quick" in words and "--find-score=0.7" in words
    if image.ndim == 3:
        frostglass.find(image, order="bgr")
        seen = np.asarray(Image.open(folder / "seen.png"))
        assert (seen[..., :3] == image[..., 2::-1]).all()


def test_what_is_found_is_hidden(command):
    command([FACE])
    made = frostglass.redact(IMAGE, find="faces", fill="solid", grow=0)
    assert (made[20:39, 31:50] == 0).all() and (made[:18] == IMAGE[:18]).all()
    both = frostglass.redact(IMAGE, (0, 0, 9, 9), find="faces", fill="solid", grow=0)
    assert (both[:9, :9] == 0).all() and (both[20:39, 31:50] == 0).all()


def test_nothing_found_is_an_error_unless_allowed(command):
    command([])
    assert frostglass.find(IMAGE) == []
    with pytest.raises(frostglass.Error, match="no face was found"):
        frostglass.redact(IMAGE, find="faces")
    with pytest.raises(frostglass.Error, match="no face was found"):
        frostglass.redact(IMAGE, (0, 0, 9, 9), find="faces")
    assert (frostglass.redact(IMAGE, find="faces", allow_none=True) == IMAGE).all()
    made = frostglass.redact(IMAGE, (0, 0, 9, 9), find="faces", allow_none=True, fill="solid", grow=0)
    assert (made[:9, :9] == 0).all()


def test_a_command_that_cannot_look_is_an_error(command, monkeypatch):
    command([FACE], 69, "frostglass find: the models that find faces are not installed")
    for call in (frostglass.find, lambda image: frostglass.redact(image, find="faces", allow_none=True)):
        with pytest.raises(frostglass.Error, match="^the models that find faces are not installed$"):
            call(IMAGE)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(frostglass.Error, match="not on PATH"):
        frostglass.redact(IMAGE, find="faces")


@pytest.mark.parametrize("call, words", [
    (lambda: frostglass.find(IMAGE.astype("float32")), "8 bits"),
    (lambda: frostglass.find(np.stack([IMAGE, IMAGE])), "one image"),
    (lambda: frostglass.find(IMAGE, effort="much"), "quick, normal, thorough"),
    (lambda: frostglass.find(IMAGE, score=2), "from 0.2 to 1"),
    (lambda: frostglass.find(IMAGE, order="rbg"), "rgb or bgr"),
    (lambda: frostglass.redact(IMAGE, find="plates"), "faces"),
    (lambda: frostglass.redact(IMAGE, find="faces", invert=True), "visible"),
])
def test_what_cannot_be_meant_is_an_error(command, call, words):
    command([FACE])
    with pytest.raises(frostglass.Error, match=words):
        call()
