"""Chromium without a window: pages in, pictures out. Needs Debian's package chromium."""
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

COMMON = (
    "--headless", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=1",
    "--force-color-profile=srgb", "--default-background-color=00000000",
)
# How Chromium may compute: Skia on the CPU, or Skia's GPU code, here on SwiftShader.
SOFTWARE = ("--disable-gpu",)
GPU = (
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--enable-gpu-rasterization", "--ignore-gpu-blocklist",
)


def version() -> str:
    """As `chromium --version` tells it."""
    run = subprocess.run(["chromium", "--version"], capture_output=True, text=True, check=True)
    return run.stdout.strip().removesuffix("built on Debian GNU/Linux 12 (bookworm)").strip()


def picture(body: str, width: int, height: int, how: tuple[str, ...] = SOFTWARE) -> np.ndarray:
    """A page's upper left corner as straight RGBA; `body` is what stands in its body."""
    folder = Path(tempfile.mkdtemp(prefix="chromium-"))
    try:
        page, shot = folder / "page.html", folder / "shot.png"
        page.write_text(
            '<!doctype html><html style="background:transparent">'
            f'<body style="margin:0;background:transparent">{body}</body></html>')
        # A window has a least size; what is wanted is cut out of a larger one.
        subprocess.run(
            ["chromium", *COMMON, *how, f"--user-data-dir={folder / 'profile'}",
             f"--window-size={max(width, 800)},{max(height, 600)}", f"--screenshot={shot}",
             f"file://{page}"],
            capture_output=True, check=True, timeout=300)
        with Image.open(shot) as image:
            return np.asarray(image.convert("RGBA"))[:height, :width]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
