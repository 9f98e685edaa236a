"""Faces in an image, which programs of the command's package find: no detector runs in this process."""
import ctypes
import os
import struct
import zlib
from typing import NamedTuple

from ._library import Error, shown
from ._pixels import readable

EFFORTS = ("quick", "normal", "thorough")


class Found(NamedTuple):
    """A face: its box with a margin for hair and ears, in pixels, and how certain it is, from 0 to 1."""
    x: float
    y: float
    width: float
    height: float
    score: float


def find(image, *, effort="normal", score=0.5, order="rgb", command=None):
    """Finds faces in an image; an empty list where there is none.

    image
        Anything that has pixels of 8 bits, as of frostglass.Filter; one image.
    effort
        "quick", "normal" or "thorough".
    score
        The least certainty of a face, from 0.2 to 1.
    order
        "rgb", or "bgr" of an array, as OpenCV has it.
    command
        The path of the frostglass command; PATH says where it is unless given.

    No detector finds all faces: docs/use/find.md says what is missed. It takes the frostglass command and its packages
    frostglass-find and frostglass-models; where one of them is missing it is an error.
    """
    # They take longer to import than the rest of the package.
    import json
    import shutil
    import subprocess

    if effort not in EFFORTS:
        raise Error(f"effort is {shown(effort)}; it must be one of {', '.join(EFFORTS)}")
    if not isinstance(score, (int, float)) or not 0.2 <= score <= 1:
        raise Error(f"score is {shown(score)}; it must be from 0.2 to 1")
    program = command or shutil.which("frostglass")
    if program is None:
        raise Error("faces are found by the frostglass command, which is not on PATH; install it, or give command=")
    # Nothing of the image is written where others could read it.
    descriptor = os.memfd_create("image")
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(png(*pixels(image, order)))
        run = subprocess.run(
            [os.fspath(program), "find", f"/proc/self/fd/{descriptor}", "-", "--to", "json", "--allow-none", "--find-effort",
             effort, f"--find-score={score}"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, pass_fds=[descriptor], check=False)
    except OSError as error:
        raise Error(f"{program}: cannot be run ({error.strerror})") from error
    finally:
        os.close(descriptor)
    if run.returncode != 0:
        words = run.stderr.strip() or f"{program} ended with {run.returncode}"
        raise Error(words.removeprefix("frostglass find: ").removeprefix("frostglass: "))
    found = json.loads(run.stdout)["annotations"]
    return [Found(*face["bbox"], face["score"]) for face in found]


def pixels(image, order):
    """Width, height, channels and bytes of an image, its reds first."""
    if order not in ("rgb", "bgr"):
        raise Error(f"order is {shown(order)}; it must be rgb or bgr")
    found = readable(image, "the image")
    if found.frames is not None or found.sample != "u1":
        raise Error(f"the image has the shape {found.given} of {found.sample}; faces are found in one image of 8 bits")
    height, width, channels = found.shape
    data = bytearray().join(
        ctypes.string_at(found.address + y * found.stride, found.row) for y in range(height))
    if order == "bgr" and channels > 1:
        data[0::channels], data[2::channels] = data[2::channels], data[0::channels]
    return width, height, channels, bytes(data)


def png(width, height, channels, data):
    """A PNG file, hardly compressed."""
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    stride = width * channels
    rows = b"".join(b"\0" + data[start:start + stride] for start in range(0, len(data), stride))
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
