#!/usr/bin/env python3
"""Compares Frostglass with other decoders on image files that nobody here made.

    Benchmarks/conformance/conformance.py SOURCES [--command FILE] [--page FILE] [--only GLOB] [--show]

Run by `make conformance`, which fetches the files. Each goes through `frostglass blur IN OUT --filter none`, with a
time limit and its peak memory taken, and is compared frame by frame. Fails for crashes, for what takes too long,
for differences without a reason in reasons.txt, and for reasons that no file needs.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import conformance_decoders as decoders

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENDINGS = set("""jpg jpeg jfif jpe png apng webp avif avifs heic heif hif jxl gif tif tiff bmp dib ppm pgm pbm pnm
    pfm pam jp2 j2k ico cur tga xbm xpm psd svg exr hdr pcx mpo dng cr2 nef orf arw raf rw2 pef dds eps""".split())
LOSSY = {"JPEG", "MPO", "WEBP", "AVIF", "HEIF", "JXL"}
SECONDS = 60
Result = collections.namedtuple(
    "Result", "path package kind sentence distance note seconds memory", defaults=("", None, "", 0, 0))


def run(command, file, output, scratch):
    """Runs the command; returns exit status, what it said, seconds and peak memory in bytes.

    GNU time takes the peak: a child of this process starts with this process's own.
    """
    start = time.monotonic()
    peak = os.path.join(scratch, "peak")
    process = subprocess.Popen(
        ["/usr/bin/time", "--quiet", "--format=%M", f"--output={peak}", command, "blur", file, output, "--filter",
         "none"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        words, _ = process.communicate(timeout=SECONDS)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        words, code = process.communicate()[0], None
    seconds = time.monotonic() - start
    memory = int(open(peak).read().split()[-1]) * 1024 if code is not None else 0
    # GNU time ends as its child does, with 128 and the signal.
    return code, words.decode(errors="replace"), seconds, memory


def sentence(words, file):
    """The last thing said, without names and numbers, so that files refused for one reason are together."""
    lines = [line for line in words.splitlines() if line.strip()]
    if not lines:
        return ""
    text = re.sub(r"^frostglass blur: ", "", lines[-1]).replace(f"{file}: ", "").replace(str(file), "FILE")
    text = re.sub(r"“[^”]*”|\"[^\"]*\"|'[^']*'", "“…”", text)
    return re.sub(r"\d[\d,. ×x]*\d|\d", "N", text)


def compare(expected, output, lossy):
    """Why output is not what was expected, as words and levels; words are empty where it is."""
    got, _ = decoders.frames(output)
    if len(got) != len(expected):
        return f"{len(got)} frames instead of {len(expected)}", None
    largest, share = 0.0, 0.0
    for one, other in zip(expected, got):
        difference = decoders.distance(one, other)
        if difference is None:
            return f"{other.shape[1]}×{other.shape[0]} instead of {one.shape[1]}×{one.shape[0]}", None
        largest, share = max(largest, difference[0]), max(share, difference[1])
    if largest <= 2 or lossy and share <= 0.001:
        return "", largest
    return f"{100 * share:.3g} % of the samples are more than 8 levels apart", largest


def examine(file, arguments, folder):
    """One file, from decoding to its place on the page."""
    relative = file.relative_to(arguments.sources)
    package = re.sub(r"-[0-9].*", "", relative.parts[0])
    base = {"path": str(relative), "package": package}
    own, other = decoders.own_frames(file), ""
    try:
        expected, form = decoders.frames(file)
    except decoders.Unreadable as error:
        expected, form, other = [], "", str(error).replace(str(file), "FILE")
    # Whether it moves is Pillow's word; what it shows, the suite's, if it has one.
    name = "out.apng" if len(expected) > 1 else "out.png"
    if own and len(own) == 1 and len(expected) > 1:
        expected = expected[:-1] + own
    else:
        expected = own or expected
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        output = os.path.join(scratch, name)
        code, words, seconds, memory = run(arguments.command, str(file), output, scratch)
        base.update(seconds=seconds, memory=memory, sentence=sentence(words, file))
        if code is None:
            return Result(kind="timeout", note=f"ended after {SECONDS} s", **base)
        if code < 0 or code > 127 or code in (70, 71):
            return Result(kind="crash", note=f"exit {code}", **base)
        if code != 0:
            return Result(kind="refused here" if expected else "refused by both", note=other, **base)
        if not expected:
            return Result(kind="alone", note=other, **base)
        try:
            note, levels = compare(expected, output, form in LOSSY)
        except decoders.Unreadable as error:
            note, levels = f"the output cannot be read: {error}", None
    return Result(kind="different" if note else "same", note=note, distance=levels, **base)


def silence():
    """Keeps what C libraries of other decoders say of broken files off the terminal."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def reasons():
    """Pairs of a pattern of paths and why files that match differ or are read by others alone."""
    lines = (HERE / "reasons.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip() and not line.startswith("#")]


def versionless(path):
    """The path below a package's name, without its version, as patterns are written."""
    first, _, rest = path.partition("/")
    return f"{re.sub(r'-[0-9].*', '', first)}/{rest}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("--command", default=str(ROOT / ".build/release/frostglass"))
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "Benchmarks/results/conformance.md")
    parser.add_argument("--only", default="*", help="paths that match alone; writes no page")
    parser.add_argument("--show", action="store_true", help="print a line for each file")
    arguments = parser.parse_args()
    arguments.sources = arguments.sources.resolve()
    files = sorted(
        path for path in arguments.sources.rglob("*")
        if path.is_file() and path.suffix[1:].lower() in ENDINGS
        and path.relative_to(arguments.sources).parts[0].count("-") >= 1
        and fnmatch.fnmatch(versionless(str(path.relative_to(arguments.sources))), arguments.only))
    if not files:
        sys.exit(f"conformance: no images below {arguments.sources}")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ProcessPoolExecutor(os.cpu_count(), initializer=silence) as pool:
        results = list(pool.map(
            functools.partial(examine, arguments=arguments, folder=folder), files, chunksize=4))
    unused = []
    explained = {}
    for pattern, reason in reasons():
        found = [r for r in results if r.kind == "different" and fnmatch.fnmatch(versionless(r.path), pattern)]
        explained.update({r.path: (pattern, reason) for r in found})
        if not found and arguments.only == "*":
            unused.append(pattern)
    if arguments.show:
        for r in results:
            print(f"{r.kind:15} {r.seconds:6.2f} s {r.memory / 1e6:5.0f} MB {r.path}: "
                  f"{r.note or r.sentence} {'' if r.distance is None else f'{r.distance:.0f}'}")
    if arguments.only == "*":
        import conformance_page
        version = subprocess.run([arguments.command, "--version"], capture_output=True, text=True).stdout.strip()
        arguments.page.write_text(conformance_page.page(results, explained, version), encoding="utf-8")
    wrong = [r for r in results if r.kind in ("crash", "timeout")
             or r.kind == "different" and r.path not in explained]
    for r in wrong:
        print(f"conformance: {r.path}: {r.kind}: {r.note or r.sentence}", file=sys.stderr)
    for pattern in unused:
        print(f"conformance: no file differs that matches {pattern}; remove its reason", file=sys.stderr)
    counts = collections.Counter(r.kind for r in results)
    print(f"conformance: {len(results)} files in {time.monotonic() - start:.0f} s: "
          + ", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    sys.exit(1 if wrong or unused else 0)


if __name__ == "__main__":
    main()
