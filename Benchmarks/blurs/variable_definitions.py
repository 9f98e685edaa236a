"""What filters are by definition that change from place to place, in 64-bit floats.

Pictures are height × width × 3, 0 to 255; beyond the edge they go on as its last pixels.
"""
import math

import numpy as np

import truth
from definitions import between, mean_along

#: GPUImage's nine samples, from −4 to 4.
NINE = dict(zip(range(-4, 5), (0.05, 0.09, 0.12, 0.15, 0.18, 0.15, 0.12, 0.09, 0.05)))


def smooth(t: np.ndarray) -> np.ndarray:
    """Smoothstep from 0 to 1."""
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


def centers(picture: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the middles of pixels are, x and y."""
    height, width = picture.shape[:2]
    return np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)


def gaussian(picture: np.ndarray, sigma: float) -> np.ndarray:
    return truth.blurred(picture, sigma) if sigma > 0 else picture


def growing(picture: np.ndarray, sigmas: np.ndarray, step: float = 0.1) -> np.ndarray:
    """Each pixel as the Gaussian of its own σ; between steps of 0.1 pixel it is mixed."""
    result = np.zeros(picture.shape)
    places = sigmas / step
    for index in range(math.ceil(places.max()) + 1):
        share = np.clip(1 - np.abs(places - index), 0, 1)
        if share.any():
            result += share[..., None] * gaussian(picture, index * step)
    return result


def progressive(picture: np.ndarray, sigma: float) -> np.ndarray:
    """From none at the bottom to σ at the top, evenly."""
    _, y = centers(picture)
    return growing(picture, sigma * (1 - y / picture.shape[0]))


def tilt_shift(picture: np.ndarray, sigma: float) -> np.ndarray:
    """A level band of a fifth of the height is sharp; a quarter of it further σ is reached."""
    height = picture.shape[0]
    _, y = centers(picture)
    far = np.abs(y - height / 2) - 0.1 * height
    return growing(picture, sigma * smooth(far / (0.25 * height)))


def selective(picture: np.ndarray, sigma: float) -> np.ndarray:
    """A circle of 30 % of the shorter side is sharp; 20 % further σ is reached."""
    height, width = picture.shape[:2]
    x, y = centers(picture)
    far = np.hypot(x - width / 2, y - height / 2) - 0.3 * min(height, width)
    return growing(picture, sigma * smooth(far / (0.2 * min(height, width))))


def mosaic(picture: np.ndarray, side: int) -> np.ndarray:
    """The mean of each cell; one is centered on the picture, and borders cut cells."""
    height, width = picture.shape[:2]
    x, y = centers(picture)
    column = np.floor((x - width / 2) / side + 0.5).astype(int)
    row = np.floor((y - height / 2) / side + 0.5).astype(int)
    cells = (row - row.min()) * (column.max() - column.min() + 1) + column - column.min()
    counts = np.bincount(cells.ravel())
    means = [np.bincount(cells.ravel(), picture[..., k].ravel()) / counts for k in range(3)]
    return np.stack([mean[cells] for mean in means], axis=-1)


def gpuimage_tilt_shift(picture: np.ndarray) -> np.ndarray:
    """A copy of σ 7 is mixed in from 0.4 of the height to 0.2, and from 0.6 to 0.8."""
    y = centers(picture)[1] / picture.shape[0]
    share = smooth((0.4 - y) / 0.2) + smooth((y - 0.6) / 0.2)
    return mixed(picture, gaussian(picture, 7), share)


def gpuimage_selective(picture: np.ndarray) -> np.ndarray:
    """A copy of σ 5 is mixed in around a circle; distances are in widths of the picture."""
    height, width = picture.shape[:2]
    x, y = centers(picture)
    far = np.hypot(x - width / 2, y - height / 2) / width
    return mixed(picture, gaussian(picture, 5), smooth((far - 30 / 320) / (30 / 320)))


def mixed(picture: np.ndarray, other: np.ndarray, share: np.ndarray | float) -> np.ndarray:
    share = np.broadcast_to(share, picture.shape[:2])[..., None]
    return (1 - share) * picture + share * other


def gpuimage_zoom(picture: np.ndarray) -> np.ndarray:
    """Nine samples on the line to the middle, each a hundredth of the way from the next."""
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.arange(width) - (width - 1) / 2, np.arange(height) - (height - 1) / 2)
    result = np.zeros(picture.shape)
    for place, weight in NINE.items():
        scale = 1 - 0.01 * place
        result += weight * between(
            picture, scale * x + (width - 1) / 2, scale * y + (height - 1) / 2)
    return result


def gpuimage_motion(picture: np.ndarray) -> np.ndarray:
    """Nine samples along x, 2.5 pixels times height over width apart."""
    step = 2.5 * picture.shape[0] / picture.shape[1]
    return sum(
        weight * mean_along(picture, [(place * step, 0, 1, 0)]) for place, weight in NINE.items())


def gpuimage_position(picture: np.ndarray) -> np.ndarray:
    """Nine neighboring samples along each axis, in a circle that holds the whole picture."""
    columns = sum(
        weight * mean_along(picture, [(0, place, 1, 0)]) for place, weight in NINE.items())
    return sum(
        weight * mean_along(columns, [(place, 0, 1, 0)]) for place, weight in NINE.items())


def gpuimage_bilateral(picture: np.ndarray) -> np.ndarray:
    """Nine samples four pixels apart along y, then x; those 1/8 of full scale away do not count."""
    for axis in (0, 1):
        padded = np.pad(picture, [(16, 16) if axis == k else (0, 0) for k in range(3)], "edge")
        sums, weights = np.zeros(picture.shape), np.zeros(picture.shape[:2])
        for place, share in NINE.items():
            start = 16 + 4 * place
            other = np.take(padded, range(start, start + picture.shape[axis]), axis)
            far = np.sqrt(np.sum(((other - picture) / 255) ** 2, axis=2))
            weight = share * (1 - np.minimum(1, 8 * far))
            sums += weight[..., None] * other
            weights += weight
        picture = sums / weights[..., None]
    return picture
