"""What filters of colors are by definition: matrices of rows of red, green, blue and what is added.

Colors are 0 to 1. The CSS functions are those of Filter Effects Module Level 1.
"""
import math

import numpy as np

REC709 = np.array([0.2126, 0.7152, 0.0722])
CSS = np.array([0.213, 0.715, 0.072])
GPUIMAGE = np.array([0.2125, 0.7154, 0.0721])
SAME = np.eye(3)


def affine(matrix: np.ndarray, added: float | np.ndarray = 0.0) -> np.ndarray:
    return np.column_stack([matrix, np.broadcast_to(added, 3)])


def saturation(amount: float, luma: np.ndarray) -> np.ndarray:
    """Away from a color's gray: Y + amount (c − Y)."""
    return affine(amount * SAME + (1 - amount) * luma)


def hue_rotate(degrees: float) -> np.ndarray:
    """A turn around the gray axis, by the specification's numbers."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    on_cosine = SAME - CSS
    on_sine = np.array([
        [-0.213, -0.715, 0.928], [0.143, 0.140, -0.283], [-0.787, 0.715, 0.072]])
    return affine(np.tile(CSS, (3, 1)) + cosine * on_cosine + sine * on_sine)


SEPIA = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])

#: What mixes channels.
MATRICES = {
    "saturation(1.8)": saturation(1.8, REC709),
    "luminance-range()": affine(SAME - 0.6 * GPUIMAGE, 0.3),
    "grayscale()": saturation(0, REC709),
    "hue-rotate(90deg)": hue_rotate(90),
    "saturate(180%)": saturation(1.8, CSS),
    "sepia()": affine(SEPIA),
}
#: What treats all alike: a factor, and what is added.
CURVES = {
    "lift(0.2)": (1.0, 0.2),
    "tint()": (0.7, 0.3),
    "brightness(140%)": (1.4, 0.0),
    "contrast(160%)": (1.6, -0.3),
    "invert()": (-1.0, 1.0),
}


def matrix(chain: str) -> np.ndarray:
    """Of any of them."""
    if chain in MATRICES:
        return MATRICES[chain]
    factor, added = CURVES[chain]
    return affine(factor * SAME, added)


def colored(picture: np.ndarray, chain: str) -> np.ndarray:
    """A picture of 0 to 255 with its colors changed, limited to that."""
    change = matrix(chain)
    return np.clip(picture @ change[:, :3].T + 255 * change[:, 3], 0, 255)
