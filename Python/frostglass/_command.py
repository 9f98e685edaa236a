"""A blur of a file from the shell, through Pillow: for where the command is not installed."""
import argparse
import os
import shutil
import sys

from . import Error, Filter, __version__
from ._files import File, written_format

EPILOG = """With the frostglass command installed, its own words work here, too: python -m frostglass redact --help.
Those read more formats, videos and directories."""
USAGE, DATA, NO_INPUT, UNAVAILABLE, CANNOT_WRITE = 64, 65, 66, 69, 73  # As sysexits.h has them.


def parser():
    """The parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m frostglass", description="Blur an image file with Pillow's codecs.", epilog=EPILOG,
        allow_abbrev=False)
    made.add_argument("input", help="image file to read")
    made.add_argument("output", help="image file to write; its extension chooses the format")
    which = made.add_mutually_exclusive_group()
    which.add_argument("-s", "--sigma", default="20", help="standard deviation: N, N%%, Npt or TOOL:N (20)")
    which.add_argument("-f", "--filter", metavar="TEXT", help="filters in text form instead of a blur")
    made.add_argument(
        "-r", "--region", action="append", metavar="SHAPE", help="where to filter; may be given several times")
    made.add_argument("--feather", default="0", metavar="N", help="width of the soft edge outside regions (0)")
    made.add_argument("--invert", action="store_true", help="filter everywhere but in the regions")
    made.add_argument("--edge", default="clamp", help="clamp, mirror, reflect-101, wrap or transparent (clamp)")
    made.add_argument("--linear", action="store_true", help="work in linear light")
    made.add_argument("--quality", type=int, default=90, metavar="1-100", help="quality of lossy formats (90)")
    made.add_argument("--overwrite", action="store_true", help="replace an existing output file")
    made.add_argument("--version", action="version", version=f"frostglass {__version__}")
    return made


def main(arguments):
    """Runs it; returns the exit status."""
    # Words of the command's own, such as `redact`.
    if arguments and arguments[0].isalpha() and not os.path.exists(arguments[0]):
        command = shutil.which("frostglass")
        if command is None:
            return failed(UNAVAILABLE, f"{arguments[0]} is of the frostglass command, which is not installed")
        os.execv(command, ["frostglass", *arguments])
    try:
        given = parser().parse_args(arguments)
    except SystemExit as end:  # After --help and --version it has ended well.
        return USAGE if end.code else 0
    try:
        if not 1 <= given.quality <= 100:
            return failed(USAGE, f"--quality is {given.quality}; it must be from 1 to 100")
        extension = os.path.splitext(given.output)[1]
        format = written_format(extension[1:] or "a file without an extension")
        text = given.filter or f"gaussian({given.sigma})"
        glass = Filter(text, regions=given.region, feather=given.feather, invert=given.invert, edge=given.edge,
                       linear=given.linear)
    except Error as error:
        return failed(USAGE, error)
    except ImportError as error:
        return failed(UNAVAILABLE, error)
    if os.path.exists(given.output) and not given.overwrite:
        return failed(CANNOT_WRITE, f"{given.output} exists; --overwrite replaces it")
    try:
        with open(given.input, "rb") as file:
            data = file.read()
    except OSError as error:
        return failed(NO_INPUT, f"cannot read {given.input}: {error.strerror}")
    try:
        opened = File(data)
        result = opened.written(glass(opened.image), format, given.quality)
    except (Error, OSError, SyntaxError, ValueError) as error:  # Damaged files are whatever their codec raises.
        return failed(DATA, f"{given.input}: {error}")
    except KeyboardInterrupt:
        return 130
    return write(given.output, result)


def write(output, data):
    """Writes a file whole, or none."""
    partial = f"{output}.{os.getpid()}.part"
    try:
        with open(partial, "xb") as file:
            file.write(data)
        os.replace(partial, output)
    except OSError as error:
        if os.path.exists(partial):
            os.unlink(partial)
        return failed(CANNOT_WRITE, f"cannot write {output}: {error.strerror}")
    return 0


def failed(status, words):
    print(f"frostglass: {words}", file=sys.stderr)
    return status
