"""What was measured, and on what."""
import datetime
import os
import platform
import re
import subprocess
from importlib import metadata

import numpy as np
import pyvips

from commands import imagemagick
from ours import COMMAND


def describe(threads: int) -> dict[str, str]:
    """Facts by name, for the page's head."""
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "CPU": f"{cpu()}, {os.cpu_count()} cores, {simd()}",
        "threads": str(threads),
        "system": f"{distribution()}, Linux {platform.release()}, {platform.machine()}",
        "load average at the start": load,
        "Frostglass": f"{first_line(str(COMMAND), '--version').split()[-1]} ({commit()})",
        "OpenCV": metadata.version("opencv-python-headless"),
        "libvips, in process": ".".join(str(pyvips.version(part)) for part in range(3)),
        "vips, the command": first_line("vips", "--version").removeprefix("vips-"),
        "Pillow": metadata.version("pillow"),
        "scikit-image": metadata.version("scikit-image"),
        "ffmpeg": first_line("ffmpeg", "-version").split()[2],
        "ImageMagick": first_line(imagemagick(), "-version").split()[2],
        "Python, NumPy": f"{platform.python_version()}, {np.__version__}",
    }


def slug() -> str:
    """The CPU's name, and how wide its vectors are, as a file name."""
    name = cpu().lower().replace("(r)", "").replace("(tm)", "")
    return re.sub(r"[^a-z0-9]+", "-", f"{name} {simd().lower().replace('-', '')}").strip("-")


def cpu() -> str:
    """The model's name, where the kernel tells it."""
    return cpu_field("model name") or platform.machine()


def simd() -> str:
    """The widest vectors there are."""
    flags = set(cpu_field("flags").split()) or set(cpu_field("Features").split())
    for flag, name in (
        ("avx512bw", "AVX-512"), ("avx2", "AVX2"), ("sse4_1", "SSE4.1"), ("asimd", "NEON"),
    ):
        if flag in flags:
            return name
    return "SIMD unknown"


def cpu_field(name: str) -> str:
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
        for line in lines:
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return ""


def distribution() -> str:
    return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")


def commit() -> str:
    """The revision that was built, with a + where files differ from it."""
    try:
        return first_line("git", "describe", "--always", "--dirty=+", "--abbrev=7")
    except (OSError, subprocess.CalledProcessError):
        return "no repository"


def first_line(*words: str) -> str:
    finished = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True,
        cwd=COMMAND.parent)
    return finished.stdout.splitlines()[0].strip()
