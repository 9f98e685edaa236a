#!/usr/bin/env python3
"""Runs the command lines of the documentation, each as it is written, and fails if one does not end well.

    scripts/documented_commands.py FOLDER [PAGE…] [--list]

FOLDER has frostglass and frostglass-video. Lines of code blocks and `frostglass …` in sentences count, unless they
have placeholders (FILE, …). Each gets a folder of its own with the files that the pages talk of.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
Line = collections.namedtuple("Line", "page number text")
# What starts a command line in an indented block, where other text may stand, too.
STARTS = re.compile(r"(\$ )?(frostglass (?=[a-z]+ )|make |scripts/|docker|ffmpeg|curl|kubectl|systemctl|pip|grep|export|cc|swift"
                    r"|LD_LIBRARY_PATH|[A-Z_]+=\S+ )")
# What stands for something of the reader's.
PLACEHOLDER = re.compile(r"…|\b[A-Z]{2,}\b(?![:\]])")

# What a line needs that is not at hand, and what is put in its place.
SUBSTITUTES = [
    ("curl -s https://example.org/a.png", "cat scan.png"),
    ("ffmpeg -f v4l2 -i /dev/video0", "ffmpeg -i in.mp4"),
    ("| ffplay -", "> /dev/null"),
    ("< camera.fifo", "< camera.y4m"),
    ("$SLURM_ARRAY_TASK_ID", "3"),
    ("$AWS_BATCH_JOB_ARRAY_INDEX", "3"),
    ("AWS_BATCH_JOB_ARRAY_INDEX", "3"),
    ("--soak 10000", "--soak 3"),
    ("Examples/scenes", f"{ROOT}/Examples/scenes"),
    # One name for a file of boxes and one of tracks, for what is made and what is there, and other sizes.
    ("--tracks faces.json", "--tracks tracks.json"),
    ("tracks faces.json others.json --without 7,12", "tracks tracks.json others.json --without 0"),
    ("tracks faces.json others.json --without 7", "tracks tracks.json others.json --without 0"),
    ("redact film.mp4", "redact in.mp4"),
    ("tracks gt.txt faces.json", "tracks gt.txt made.json"),
    ("tracks cues.vtt gt.txt", "tracks cues.vtt made.txt"),
    ("--size 1920x1080 >", "--size 640x360 >"),
]
# Lines that are not run here: a pattern, and what runs them or why nothing does.
ELSEWHERE = [
    ("make *", "scripts/inventory.txt has a line for each target"),
    ("pip install *", "scripts/python-wheel.sh installs the wheel, python-fleet.sh what the others name"),
    ("scripts/*", "scripts/inventory.txt has a line for each script"),
    ("docker *", "scripts/integration.sh runs the image without Docker"),
    ("export PKG_CONFIG_PATH=*", "Tests/FrostglassCLITests/CLibraryTests.swift compiles and runs the example"),
    ("cc blur.c *", "Tests/FrostglassCLITests/CLibraryTests.swift compiles and runs the example"),
    ("LD_LIBRARY_PATH=*", "Tests/FrostglassCLITests/CLibraryTests.swift compiles and runs the example"),
    ("FROSTGLASS_LIBRARY=*", "Python/tests use the larger library"),
    ("cc *", "Tests/FrostglassCLITests/CLibraryTests.swift compiles and runs the example"),
    ("swift format *", "make lint runs the same with lint in place of --in-place"),
    ("frostglass find *", "Tests/FrostglassCLITests/FindCommandTests.swift finds faces where the models are"),
    ("frostglass * --find *", "Tests/FrostglassCLITests/FindRedactTests.swift covers faces where the models are"),
    ("frostglass * --regions-from *", "Tests/FrostglassCLITests/MetadataRegionsTests.swift has images with regions"),
    ("frostglass serve*", "Tests/FrostglassCLITests/ServeCommandTests.swift serves on ports of its own"),
    ("curl --data-binary*", "scripts/try-service.sh asks the service on a port of its own"),
    ("curl 'localhost:8080/v1/images*", "Tests/FrostglassServerTests/SourcesTests.swift asks for images of origins"),
    ("frostglass video /dev/video0 *", "a camera is needed; LiveCommandTests plays one"),
    ("frostglass redact /dev/video0 *", "a camera is needed; LiveCommandTests plays one"),
    ("frostglass scene -", "short for the whole line on the page"),
    ("frostglass video - -", "short for the whole line on the page"),
    ("frostglass redact - -*", "short for the whole line on the page"),
    ("frostglass redact in.mp4 safe.mp4", "short for the whole line on the page"),
    ("frostglass bench --backend gl --size 3840x2160*", "for a GPU; BenchTests runs it with a small size"),
    ("frostglass bench --size 3840x2160*", "takes a minute; BenchTests runs it with a small size"),
]


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text):
    """The lines of code blocks with their numbers, fenced as shell or indented; continued lines are joined."""
    lines, fence, index = text.split("\n"), None, 0
    while index < len(lines):
        line, number = lines[index], index + 1
        opening = re.match(r"\s*```(\w*)", line)
        if opening:
            fence = opening[1] if fence is None else None
        elif fence in ("bash", "sh", "console") or fence is None and line.startswith("    "):
            words = line.strip()
            while words.endswith("\\"):
                index += 1
                words = words[:-1] + lines[index].strip()
            if STARTS.match(words):
                yield number, words.removeprefix("$ ")
        index += 1


def commands():
    """Every command line that the pages have, in their order; the same line of a page counts once."""
    found = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        name = str(page.relative_to(ROOT))
        found += [Line(name, number, words) for number, words in blocks(text)]
        for number, line in enumerate(text.split("\n"), 1):
            if not line.startswith("    "):
                found += [Line(name, number, words) for words in re.findall(r"`(frostglass [a-z][^`]*)`", line)
                          if len(words.split()) > 2 or words.split()[1] in ("filters", "doctor")]
    return list({(line.page, line.text): line for line in reversed(found)}.values())[::-1]


def elsewhere(line):
    """Why the line is not run here; None if it is."""
    if PLACEHOLDER.search(re.sub(r"\"[^\"]*\"|'[^']*'|\$\w+|\$\(\([^)]*\)\)", "", line.text)) \
            and not re.match(r"[A-Z_]+=", line.text):
        return "has placeholders"
    return next((reason for pattern, reason in ELSEWHERE if fnmatch.fnmatch(line.text, pattern)), None)


def prepare(folder, programs):
    """Makes the files that the pages talk of."""
    photo = ROOT / "Tests/Fixtures/Photographs/rocket.jpg"

    def run(*words):
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def film(name, *options):
        run("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=640x360:rate=10:duration=1", *options, name)

    for name in ("photo.jpg", "in.jpg", "street.jpg", "a.jpg", "photos/one.jpg", "photos/more/two.jpg"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(photo, folder / name)
    frostglass = os.path.join(programs, "frostglass")
    run(frostglass, "blur", "photo.jpg", "scan.png", "--sigma", "1")
    for name in ("b.avif", "photo.avif"):
        run(frostglass, "blur", "photo.jpg", name, "--sigma", "1")
    run(frostglass, "blur", "photo.jpg", "person.png", "--filter", "grayscale(1)")
    film("in.mp4", "-c:v", "mpeg4")
    # As long as the pages' times are.
    run("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=640x360:rate=1:duration=125", "-c:v", "mpeg4",
        "in.mov")
    for name in ("a.mp4", "b.mov", "films/one.mp4"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(folder / "in.mp4", folder / name)
    film("camera.y4m", "-pix_fmt", "yuv420p")
    # One box that moves, as trackers, annotators and subtitles write it.
    motion = "".join(f"{frame},1,{90 + frame * 4},60,80,80,1,1,1\n" for frame in range(1, 11))
    boxes = "".join(f'<box frame="{frame}" outside="0" occluded="0" keyframe="1" xtl="{100 + frame * 4}" ytl="60" '
                    f'xbr="{180 + frame * 4}" ybr="140"/>' for frame in range(10))
    files = {
        "faces.json": '[{"x": 100, "y": 60, "width": 80, "height": 80, "label": "face"}]',
        "coco.json": '{"images": [{"id": 1, "file_name": "one.jpg"}, {"id": 2, "file_name": "more/two.jpg"}], '
                     '"categories": [{"id": 1, "name": "face"}], "annotations": ['
                     '{"id": 1, "image_id": 1, "category_id": 1, "bbox": [100, 60, 80, 80]}, '
                     '{"id": 2, "image_id": 2, "category_id": 1, "bbox": [100, 60, 80, 80]}]}',
        "yolo.json": '[{"name": "person", "class": 0, "confidence": 0.9, '
                     '"box": {"x1": 100.0, "y1": 60.0, "x2": 180.0, "y2": 140.0}}]',
        "list.jsonl": '{"input": "photos/one.jpg"}\n"photos/more/two.jpg"\n',
        "again.jsonl": '{"input": "photos/one.jpg"}\n',
        "part-3.jsonl": '{"input": "photos/one.jpg", "output": "one.jpg", "status":"failed"}\n',
        "gt.txt": motion,
        "tracks/one.txt": motion,
        "annotations.xml": '<annotations><version>1.1</version><meta><task><size>10</size><original_size><width>640'
                           '</width><height>360</height></original_size></task></meta>'
                           f'<track id="0" label="face">{boxes}</track></annotations>',
        "words.srt": "1\n00:00:00,000 --> 00:00:00,500\nHello\n",
        "cues.vtt": "WEBVTT\n\n00:00.000 --> 00:00.500\n#xywh=100,60,80,80\n",
        "keys": "k1:0123456789abcdef0123\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "reports").mkdir()
    run(frostglass, "tracks", "annotations.xml", "tracks.json")
    scene = (ROOT / "Examples/scenes/status-bar.json").read_text()
    (folder / "bar.json").write_text(scene.replace("../../Tests", f"{ROOT}/Tests"))


def run(line, files, programs, scratch):
    """Runs one line in a folder of its own; returns what went wrong, or nothing."""
    text = line.text
    for words, other in SUBSTITUTES:
        text = text.replace(words, other)
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        shutil.copytree(files, folder, dirs_exist_ok=True)
        environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        with open(os.path.join(folder, "camera.y4m"), "rb") as camera:
            process = subprocess.Popen(
                ["bash", "-c", f"set -o pipefail\n{text}\nstatus=$?; wait; exit $status"], cwd=folder, env=environment,
                stdin=camera, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        try:
            said = process.communicate(timeout=120)[1]
        except subprocess.TimeoutExpired:
            # With the shell's own children, which would go on without it.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "takes longer than two minutes"
        # Two images that differ are what compare is for.
        if process.returncode == 0 or process.returncode == 1 and text.startswith("frostglass compare"):
            return ""
        return f"exit {process.returncode}: {said.decode(errors='replace').strip()[-300:]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--list", action="store_true", help="say what is run, and why something is not")
    arguments = parser.parse_args()
    programs = os.path.abspath(arguments.programs)
    lines = [line for line in commands() if not arguments.pages or line.page in arguments.pages]
    mine = [line for line in lines if elsewhere(line) is None]
    if arguments.list:
        for line in lines:
            print(f"{line.page}:{line.number}: {line.text}\n    {elsewhere(line) or 'is run'}")
    with tempfile.TemporaryDirectory() as scratch:
        files = pathlib.Path(scratch) / "files"
        files.mkdir()
        prepare(files, programs)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda line: run(line, files, programs, scratch), mine))
    wrong = [(line, result) for line, result in zip(mine, results) if result]
    for line, result in wrong:
        print(f"{line.page}:{line.number}: {line.text}\n    {result}", file=sys.stderr)
    print(f"documented commands: {len(mine)} run, {len(lines) - len(mine)} not, {len(wrong)} failed")
    sys.exit(1 if wrong or not mine else 0)


if __name__ == "__main__":
    main()
