"""Files per second of a batch: frostglass beside pools of pyvips and OpenCV, mogrify, and libvips as sharp uses it.

    python batch_files.py FROSTGLASS [--count 2000] [--sigma 10] [--rounds 10]

JPEG files of one megapixel become JPEG files of quality 90, blurred. They are done in as many rounds as there
are parts of them; in each round all take turns at the same part, with as many processes or threads as there
are cores. What is measured is the time from the start of a program to its end, starting it included, as
batches are.
"""
import argparse
import multiprocessing
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

QUALITY = 90
WIDTH, HEIGHT = 1152, 868
CORES = len(os.sched_getaffinity(0))
PHOTOGRAPHS = pathlib.Path(__file__).parents[2] / "Tests" / "Fixtures" / "Photographs"


def make_pictures(folder, count):
    """Parts of photographs, each its own: enlarged a little, turned over or not."""
    from PIL import Image

    chance = random.Random(1)
    sources = []
    for name in ("astronaut.jpg", "coffee.jpg", "hubble.jpg", "retina.jpg", "rocket.jpg", "chelsea.png"):
        photo = Image.open(PHOTOGRAPHS / name).convert("RGB")
        factor = 1.3 * max(WIDTH / photo.width, HEIGHT / photo.height)
        sources.append(photo.resize((int(photo.width * factor), int(photo.height * factor)), Image.LANCZOS))
    paths = []
    for number in range(count):
        photo = sources[number % len(sources)]
        left = chance.randrange(photo.width - WIDTH + 1)
        top = chance.randrange(photo.height - HEIGHT + 1)
        part = photo.crop((left, top, left + WIDTH, top + HEIGHT))
        if chance.random() < 0.5:
            part = part.transpose(Image.FLIP_LEFT_RIGHT)
        paths.append(folder / f"{number:05}.jpg")
        part.save(paths[-1], quality=QUALITY)
    return paths


def by_vips(job):
    source, target, sigma = job
    import pyvips

    picture = pyvips.Image.new_from_file(source, access="sequential")
    picture.gaussblur(sigma).write_to_file(target, Q=QUALITY)


def by_opencv(job):
    source, target, sigma = job
    import cv2

    cv2.setNumThreads(1)
    picture = cv2.GaussianBlur(cv2.imread(source), (0, 0), sigma)
    cv2.imwrite(target, picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


def pool(work, jobs):
    with multiprocessing.Pool(CORES) as processes:
        processes.map(work, jobs, chunksize=8)


def threads(work, jobs):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max(CORES, 4)) as executor:
        list(executor.map(work, jobs))


def listed(inputs, target):
    """The path of a file with a line for each."""
    path = target / ".list"
    path.write_text("\n".join(map(str, inputs)))
    return str(path)


# What this script does when it is started as a contestant.
ROLES = {"pyvips": (pool, by_vips), "opencv": (pool, by_opencv), "sharp-like": (threads, by_vips)}


def contestants(frostglass, sigma):
    """Commands by name: of inputs and a folder for outputs."""
    def role(name, **environment):
        def command(inputs, target):
            return [sys.executable, __file__, "--as", name, listed(inputs, target), str(target),
                    str(sigma)], environment
        return command

    def ours(inputs, target):
        return [frostglass, "blur", "--from", listed(inputs, target), "--out-dir", str(target), "--quiet",
                "--sigma", str(sigma), "--output-quality", str(QUALITY), "--backend", "fast"], {}

    def mogrify(inputs, target):
        each = f"mogrify -path {target} -blur 0x{sigma} -quality {QUALITY}"
        return ["xargs", "-a", listed(inputs, target), "-P", str(CORES), "-n", "25", *each.split()], \
            {"OMP_NUM_THREADS": "1", "MAGICK_THREAD_LIMIT": "1"}

    return {
        "frostglass blur --from": ours,
        "pool of pyvips": role("pyvips", VIPS_CONCURRENCY="1"),
        "libvips as sharp uses it": role("sharp-like"),
        "pool of OpenCV": role("opencv"),
        "ImageMagick mogrify": mogrify,
    }


def run(command, inputs):
    """Seconds for a part, CPU seconds, and a result's mean, to see that something was done."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        target = pathlib.Path(folder)
        words, environment = command(inputs, target)
        before = os.times()
        begun = time.perf_counter()
        subprocess.run(words, check=True, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
        taken = time.perf_counter() - begun
        after = os.times()
        made = sorted(target.rglob("*.jpg"))
        assert len(made) == len(inputs), f"{words[0]}: {len(made)} of {len(inputs)}"
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return taken, cpu, made_like(made[0])


def made_like(path):
    import numpy
    from PIL import Image

    return numpy.asarray(Image.open(path).convert("RGB")).astype("float64")


def main():
    if sys.argv[1:2] == ["--as"]:
        name, listing, target, sigma = sys.argv[2:6]
        spread, work = ROLES[name]
        paths = pathlib.Path(listing).read_text().split("\n")
        spread(work, [(path, os.path.join(target, os.path.basename(path)), float(sigma)) for path in paths])
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("frostglass")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--sigma", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        paths = make_pictures(work, arguments.count)
        size = sum(path.stat().st_size for path in paths) / len(paths)
        runs = contestants(os.path.abspath(arguments.frostglass), arguments.sigma)
        times, cpus, ratios = ({name: [] for name in runs} for _ in range(3))
        looks, ours = {}, next(iter(runs))
        for number in range(arguments.rounds):
            part = paths[number::arguments.rounds]
            for name, command in runs.items():
                # One that takes many times as long has fewer turns.
                if times[name] and times[name][0] > 5 * times[ours][0] and number % 5:
                    continue
                taken, cpu, look = run(command, part)
                times[name].append(taken / len(part))
                ratios[name].append(times[ours][-1] / times[name][-1])
                cpus[name].append(cpu / len(part))
                looks.setdefault(name, look)
            print(f"round {number + 1}: " + ", ".join(
                f"{name} {1 / each[-1]:.1f}" for name, each in times.items()), file=sys.stderr, flush=True)
        print(f"{arguments.count} JPEG files of {WIDTH}×{HEIGHT}, {size / 1024:.0f} KiB each; σ "
              f"{arguments.sigma:g}; {CORES} cores; {arguments.rounds} rounds\n")
        print("| | files per second | of ours | CPU ms per file | from ours, levels |\n|---|---:|---:|---:|---:|")
        for name, taken in times.items():
            apart = abs(looks[name] - looks[ours]).mean()
            print(f"| {name} | {1 / statistics.median(taken):.1f} | {statistics.median(ratios[name]):.2f} | "
                  f"{statistics.median(cpus[name]) * 1000:.1f} | {apart:.2f} |")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
