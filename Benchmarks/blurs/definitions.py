"""What filters of the family are by definition, in 64-bit floats: slow, and written apart from the library.

Pictures are height × width × 3, 0 to 255; beyond the edge they go on as its last pixels.
"""
import math

import numpy as np


def median(picture: np.ndarray, radius: int) -> np.ndarray:
    """The middle one of each window's samples."""
    side = 2 * radius + 1
    padded = np.pad(picture, ((radius, radius), (radius, radius), (0, 0)), "edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side), (0, 1))
    return np.median(windows, axis=(-2, -1))


def bilateral(picture: np.ndarray, sigma: float, deviation: float = 0.1) -> np.ndarray:
    """The whole square of 3σ; colors differ by the root mean square of red, green and blue."""
    radius = math.ceil(3 * sigma)
    padded = np.pad(picture, ((radius, radius), (radius, radius), (0, 0)), "edge")
    sums, weights = np.zeros(picture.shape), np.zeros(picture.shape[:2])
    height, width = weights.shape
    for y in range(-radius, radius + 1):
        for x in range(-radius, radius + 1):
            other = padded[radius + y:radius + y + height, radius + x:radius + x + width]
            square = np.mean(((other - picture) / 255) ** 2, axis=2)
            weight = np.exp(-(x * x + y * y) / (2 * sigma**2) - square / (2 * deviation**2))
            sums += weight[..., None] * other
            weights += weight
    return sums / weights[..., None]


def disc(radius: float, fineness: int = 16) -> np.ndarray:
    """How much of each pixel a disc covers, as weights that sum to 1."""
    reach = math.ceil(radius - 0.5)
    places = (np.arange((2 * reach + 1) * fineness) + 0.5) / fineness - reach - 0.5
    inside = (places[:, None] ** 2 + places**2 <= radius**2).astype(np.float64)
    covered = inside.reshape(2 * reach + 1, fineness, 2 * reach + 1, fineness).mean((1, 3))
    return covered / covered.sum()


def lens(picture: np.ndarray, radius: float, highlights: float = 3) -> np.ndarray:
    """The mean over a disc in which a pixel of brightness Y counts 1 + highlights × Y⁴."""
    luma = (picture / 255) @ [0.2126, 0.7152, 0.0722]
    weights = 1 + highlights * luma[..., None] ** 4
    taps = disc(radius)
    return filtered(picture * weights, taps) / filtered(weights, taps)


def filtered(picture: np.ndarray, taps: np.ndarray) -> np.ndarray:
    """Taps around the middle one."""
    reach = taps.shape[0] // 2
    padded = np.pad(picture, ((reach, reach), (reach, reach), (0, 0)), "edge")
    result = np.zeros(picture.shape)
    height, width = picture.shape[:2]
    for (y, x), tap in np.ndenumerate(taps):
        if tap > 0:
            result += tap * padded[y:y + height, x:x + width]
    return result


def motion(picture: np.ndarray, length: float, degrees: float) -> np.ndarray:
    """The mean along a line, read between pixels linearly, eight times a pixel."""
    count = round(8 * length)
    steps = ((np.arange(count) + 0.5) / count - 0.5) * length
    x, y = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return mean_along(picture, ((x * step, y * step, 1, 0) for step in steps))


def spin(picture: np.ndarray, degrees: float) -> np.ndarray:
    """The mean over a turn around the middle, read four times a pixel at the corners."""
    arc = math.radians(degrees)
    count = math.ceil(4 * arc * math.hypot(*picture.shape[:2]) / 2)
    turns = ((np.arange(count) + 0.5) / count - 0.5) * arc
    return mean_along(picture, ((0, 0, math.cos(turn), math.sin(turn)) for turn in turns))


def zoom(picture: np.ndarray, amount: float) -> np.ndarray:
    """The mean along the way to the middle, read four times a pixel at the corners."""
    count = math.ceil(4 * amount * math.hypot(*picture.shape[:2]) / 2)
    scales = 1 - (np.arange(count) + 0.5) / count * amount
    return mean_along(picture, ((0, 0, scale, 0) for scale in scales))


def mean_along(picture: np.ndarray, views) -> np.ndarray:
    """The mean of a picture that is moved, scaled and turned around its middle."""
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.arange(width) - (width - 1) / 2, np.arange(height) - (height - 1) / 2)
    sums, count = np.zeros(picture.shape), 0
    for right, down, cosine, sine in views:
        column = cosine * x - sine * y + right + (width - 1) / 2
        row = sine * x + cosine * y + down + (height - 1) / 2
        sums += between(picture, column, row)
        count += 1
    return sums / count


def between(picture: np.ndarray, column: np.ndarray, row: np.ndarray) -> np.ndarray:
    """A picture at places between its pixels."""
    height, width = picture.shape[:2]
    left, top = np.floor(column).astype(int), np.floor(row).astype(int)
    across, down = (column - left)[..., None], (row - top)[..., None]
    columns = [np.clip(left + k, 0, width - 1) for k in (0, 1)]
    rows = [np.clip(top + k, 0, height - 1) for k in (0, 1)]
    upper, lower = (
        (1 - across) * picture[y, columns[0]] + across * picture[y, columns[1]] for y in rows)
    return (1 - down) * upper + down * lower
