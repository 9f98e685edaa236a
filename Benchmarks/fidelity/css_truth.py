"""What a CSS declaration should give, in double precision, straight from the formulas.

Source: Filter Effects Module Level 1, and Level 2 for backdrop-filter. Pictures are premultiplied
RGBA, 0 to 1.
"""
import re

import numpy as np

LUMA = np.array([0.213, 0.715, 0.072])
GRAY = np.array([0.2126, 0.7152, 0.0722])
SEPIA = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])
COLORS = {"black": (0, 0, 0, 1), "red": (1, 0, 0, 1), "rgb(0 40 200 / 60%)": (0, 40 / 255, 200 / 255, 0.6)}


def declared(text: str, picture: np.ndarray) -> np.ndarray:
    """The picture under `filter: …` or `backdrop-filter: …`."""
    name, value = text.split(":", 1)
    edge = "mirror" if "backdrop" in name else "transparent"
    result = picture
    for function, argument in calls(value):
        result = applied(function, argument, result, edge)
    return over(result, picture) if edge == "mirror" else result


def calls(value: str) -> list[tuple[str, str]]:
    """Names and arguments; parentheses in arguments go one deep."""
    return re.findall(r"([a-z-]+)\(((?:[^()]|\([^()]*\))*)\)", value)


def applied(function: str, argument: str, picture: np.ndarray, edge: str) -> np.ndarray:
    if function == "blur":
        return blurred(picture, number(argument), edge)
    if function == "drop-shadow":
        return shadowed(picture, argument)
    if function == "opacity":
        return picture * min(number(argument), 1)
    # An empty argument is 1, but for a turn.
    return colored(function, number(argument or "1"), picture)


def number(text: str) -> float:
    match = re.fullmatch(r"([-+.0-9e]+)(%|px|deg|turn|)", text.strip())
    scale = {"%": 0.01, "turn": 360}.get(match[2], 1)
    return float(match[1]) * scale


def colored(function: str, amount: float, picture: np.ndarray) -> np.ndarray:
    """The color functions as a matrix and a constant on straight colors."""
    one, constant = np.eye(3), 0.0
    if function in ("grayscale", "sepia", "invert"):
        amount = min(amount, 1)
    if function == "brightness":
        matrix = amount * one
    elif function == "contrast":
        matrix, constant = amount * one, 0.5 - 0.5 * amount
    elif function == "invert":
        matrix, constant = (1 - 2 * amount) * one, amount
    elif function == "grayscale":
        matrix = amount * np.tile(GRAY, (3, 1)) + (1 - amount) * one
    elif function == "sepia":
        matrix = amount * SEPIA + (1 - amount) * one
    elif function == "saturate":
        matrix = (1 - amount) * np.tile(LUMA, (3, 1)) + amount * one
    elif function == "hue-rotate":
        turn = np.radians(amount)
        across = np.array([[-0.213, -0.715, 0.928], [0.143, 0.14, -0.283], [-0.787, 0.715, 0.072]])
        luma = np.tile(LUMA, (3, 1))
        matrix = luma + np.cos(turn) * (one - luma) + np.sin(turn) * across
    else:
        raise ValueError(function)
    alpha = picture[..., 3:]
    color = picture[..., :3] @ matrix.T + constant * alpha
    return np.concatenate([np.clip(color, 0, alpha), alpha], axis=2)


def blurred(picture: np.ndarray, sigma: float, edge: str) -> np.ndarray:
    """A sampled Gaussian along both axes; beyond the border nothing, or the picture mirrored."""
    if sigma == 0:
        return picture
    reach = int(np.ceil(6.5 * sigma))
    weights = np.exp(-np.arange(-reach, reach + 1) ** 2 / (2 * sigma**2))
    weights /= weights.sum()
    mode = {"mirror": "symmetric", "transparent": "constant"}[edge]
    for axis in (0, 1):
        pad = [(0, 0)] * 3
        pad[axis] = (reach, reach)
        wide = np.pad(picture, pad, mode=mode)
        picture = np.apply_along_axis(np.convolve, axis, wide, weights, "valid")
    return picture


def shadowed(picture: np.ndarray, argument: str) -> np.ndarray:
    """The picture over its blurred, moved and colored alpha; offsets in whole pixels, rounded down."""
    color = next((c for c in COLORS if c in argument), "black")
    lengths = [number(word) for word in argument.replace(color, "").split()]
    dx, dy = (int(np.floor(value)) for value in lengths[:2])
    sigma = lengths[2] if len(lengths) > 2 else 0
    pad = max(abs(dx), abs(dy)) + int(np.ceil(6.5 * sigma)) + 1
    alpha = np.pad(picture[..., 3:], ((pad, pad), (pad, pad), (0, 0)))
    alpha = blurred(alpha, sigma, "transparent")
    height, width = picture.shape[:2]
    moved = alpha[pad - dy:pad - dy + height, pad - dx:pad - dx + width]
    *rgb, opacity = COLORS[color]
    return over(picture, moved * opacity * np.array([*rgb, 1]))


def over(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    return upper + (1 - upper[..., 3:]) * lower
