"""Frames and files to blur: photographs with alpha, the same at every run."""
from pathlib import Path

import numpy as np
import pyvips
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PHOTOGRAPHS = ROOT / "Tests" / "Fixtures" / "Photographs"
NAMES = ("coffee.jpg", "astronaut.jpg", "rocket.jpg", "chelsea.png", "hubble.jpg", "retina.jpg")


def mosaic(width: int, height: int) -> np.ndarray:
    """Photographs side by side, 512 pixels high each: height × width × 3, uint8."""
    tiles = []
    for name in NAMES:
        photograph = Image.open(PHOTOGRAPHS / name).convert("RGB")
        size = (round(512 * photograph.width / photograph.height), 512)
        tiles.append(np.asarray(photograph.resize(size, Image.Resampling.LANCZOS)))
    band = np.concatenate(tiles, axis=1)
    rows = []
    for index in range(-(-height // 512)):
        # Each band begins elsewhere, so that no photograph stands above itself.
        moved = np.roll(band, -977 * index, axis=1)
        rows.append(np.tile(moved, (1, -(-width // band.shape[1]), 1))[:, :width])
    return np.concatenate(rows)[:height]


def rgba(width: int, height: int) -> np.ndarray:
    """A premultiplied frame with noise, hard edges and soft holes: height × width × 4, uint8."""
    random = np.random.default_rng(1)
    frame = np.empty((height, width, 4), np.uint8)
    color = mosaic(width, height).astype(np.int16)
    color += random.integers(-12, 13, color.shape, np.int16)
    y, x = np.mgrid[:height, :width]
    # A checkerboard in one corner: what is hardest for an approximate kernel.
    corner = (y < height // 4) & (x < width // 8)
    color[corner] = (((x // 16 + y // 16) % 2) * 255)[corner, None]
    distance = np.hypot((x % 960) - 480, (y % 720) - 360)
    alpha = np.clip((distance - 60) * 4, 0, 255).astype(np.uint16)
    frame[..., :3] = (np.clip(color, 0, 255).astype(np.uint16) * alpha[..., None] + 127) // 255
    frame[..., 3] = alpha
    return frame


def opaque(width: int, height: int) -> np.ndarray:
    """Photographs without holes: height × width × 4, uint8."""
    frame = np.full((height, width, 4), 255, np.uint8)
    frame[..., :3] = mosaic(width, height)
    return frame


def deep(frame: np.ndarray) -> np.ndarray:
    """The same frame with 16 bits per sample."""
    return frame.astype(np.uint16) * 257


def write_photograph(path: Path, width: int = 4032, height: int = 3024) -> None:
    """A 12-megapixel JPEG of quality 92, from photographs in half of their resolution."""
    half = Image.fromarray(mosaic(width // 2, height // 2))
    large = half.resize((width, height), Image.Resampling.BICUBIC)
    grain = np.random.default_rng(2).normal(0, 3, (height, width, 1))
    grainy = np.clip(np.asarray(large) + grain, 0, 255).astype(np.uint8)
    Image.fromarray(grainy).save(path, quality=92)


def write_huge(path: Path, side: int = 20_000) -> None:
    """A picture of side × side pixels, RGB, as PNG or as uncompressed TIFF in strips."""
    tile = mosaic(4000, 4000)
    picture = pyvips.Image.new_from_memory(tile.tobytes(), 4000, 4000, 3, "uchar")
    picture = picture.copy(interpretation="srgb").replicate(-(-side // 4000), -(-side // 4000))
    picture = picture.crop(0, 0, side, side)
    if path.suffix == ".png":
        picture.pngsave(str(path), compression=1)
    else:
        picture.tiffsave(str(path))
