"""The true Gaussian in double precision, and how far a result is from it."""
from dataclasses import dataclass

import numpy as np


def operator(length: int, sigma: float) -> np.ndarray:
    """The blur of a line of samples as a matrix; samples beyond its ends are those at the ends.

    The kernel is exp(-x²/2σ²), normalized, cut beyond 6σ.
    """
    reach = int(np.ceil(6 * sigma))
    offsets = np.arange(-reach, reach + 1)
    kernel = np.exp(-0.5 * (offsets / sigma) ** 2)
    kernel /= kernel.sum()
    matrix = np.zeros((length, length))
    rows = np.arange(length)
    for offset, weight in zip(offsets, kernel):
        matrix[rows, np.clip(rows + offset, 0, length - 1)] += weight
    return matrix


def blurred(frame: np.ndarray, sigma: float) -> np.ndarray:
    """The blurred frame before rounding: height × width × channels, float64."""
    height, width, channels = frame.shape
    vertical, horizontal = operator(height, sigma), operator(width, sigma)
    result = np.empty(frame.shape)
    for channel in range(channels):
        samples = frame[..., channel].astype(np.float64)
        result[..., channel] = vertical @ samples @ horizontal.T
    return result


@dataclass
class Error:
    """Distances from the truth in levels of 255; rounding alone costs up to 0.5."""

    whole_max: float
    whole_mean: float
    interior_max: float
    interior_mean: float


def error(result: np.ndarray, truth: np.ndarray, sigma: float) -> Error:
    """Compares a result with the truth of `blurred`, also without a border of 4σ.

    The interior is the whole where nothing would be left of it.
    """
    full = 255 if result.dtype == np.uint8 else 65535
    difference = np.abs(result * (255 / full) - truth * (255 / full))
    border = int(np.ceil(4 * sigma))
    inner = difference[border:-border, border:-border]
    if inner.size == 0:
        inner = difference
    return Error(
        float(difference.max()), float(difference.mean()), float(inner.max()), float(inner.mean()))
