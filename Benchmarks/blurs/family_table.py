"""Who has which filter of the page: peers by the labels of rows."""
import cv2
import numpy as np
from PIL import Image, ImageFilter

import color_definitions
import definitions
from command_peers import magick, varblur
from contestants import EDGE, OpenCVBoxes, OpenCVPyramid
from family_peers import (
    BILATERAL, Peer, around, blended, box, contestant, curve, gaussian, gaussians, line, look,
    median, mixed, mosaic, noise, opencv, pillow, taps)

#: The σ of looks, which are blurs with colors.
LOOKS = {
    10: ("image-effects-tint()",),
    15: ("toolbar-button()",),
    20: ("extra-light()", "dark()", "custom-style()", "image-effects-extra-light()",
         "image-effects-dark()"),
    22: ("7blur-light()",),
    22.5: ("ultra-thin-light()", "ultra-thin-dark()", "chrome-light()", "chrome-dark()"),
    29.5: ("thin-light()", "thin-dark()", "material-light()", "material-dark()"),
    30: ("light()", "dock-light()", "dock-dark()", "platter-light()", "platter-dark()",
         "7blur-dark()", "7blur-coral()", "7blur-neon()", "7blur-sky()", "image-effects-light()"),
    45: ("thick-light()", "thick-dark()"),
    48: ("ios-blur()",),
}


def looks() -> dict[str, list[Peer]]:
    """Blurs with colors, by hand; the peers of a σ are the same ones for all its looks, and run once."""
    found = {}
    for sigma, labels in LOOKS.items():
        peers = [look(contestant(OpenCVBoxes, sigma)), look(gaussian(sigma))]
        found |= {label: peers for label in labels}
    return found


def box_thrice(frame: np.ndarray, output: np.ndarray) -> None:
    for source in (frame, output, output):
        cv2.blur(source, (9, 9), dst=output, borderType=EDGE)


def half_mixed(frame: np.ndarray, output: np.ndarray) -> None:
    copy = cv2.GaussianBlur(frame, (0, 0), 8, borderType=EDGE)
    cv2.addWeighted(frame, 0.5, copy, 0.5, 0, dst=output)


def laid_over(picture: Image.Image) -> Image.Image:
    copy = picture.filter(ImageFilter.GaussianBlur(8))
    copy.putalpha(copy.getchannel("A").point([round(0.6 * level) for level in range(256)]))
    return Image.alpha_composite(picture, copy)


def smooth(low: float, high: float, value: np.ndarray) -> np.ndarray:
    """GLSL's smoothstep."""
    t = np.clip((value - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def tilted(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 1 - smooth(0.2, 0.4, y) + smooth(0.6, 0.8, y)


def circled(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    aspect = y.shape[0] / y.shape[1]
    return smooth(30 / 320, 60 / 320, np.hypot(x - 0.5, (y - 0.5) * aspect))


#: How strong blurs are from place to place.
STRENGTHS = {
    "progressive-blur(20px)": lambda x, y: 1 - y,
    "tilt-shift(20px)": lambda x, y: smooth(0.1, 0.35, np.abs(y - 0.5)),
    "selective-blur(20px)": lambda x, y: smooth(
        0.3, 0.5, np.hypot((x - 0.5) * y.shape[1] / y.shape[0], y - 0.5)),
}

PEERS: dict[str, list[Peer]] = {
    **{f"gaussian({sigma:g}px)": gaussians(sigma)
       for sigma in (2, 5, 10, 20, 22.5, 29.5, 45, 50, 100)},
    **{f"gaussian(20px), {words}": [gaussian(20)] for words in ("gray", "RGB", "16 bits")},
    "blur(4px)": gaussians(4),
    "box()": box(4),
    "box(radius=4, iterations=3)": [opencv("blur ×3", box_thrice)],
    "triple-box(10px)": [
        contestant(OpenCVBoxes, 10),
        pillow("GaussianBlur", lambda picture: picture.filter(ImageFilter.GaussianBlur(10)))],
    "kawase(10px)": [contestant(OpenCVPyramid, 10)],
    # Squares of radius σ √3 have a Gaussian's deviation; OpenCV's is a cross-fade of two pictures.
    **{chain: [varblur(35, strength), blended(20, strength)]
       for chain, strength in STRENGTHS.items()},
    "motion(60px, 30deg)": taps(line(60, 30)),
    "lens(12px)": taps(definitions.disc(12)),
    "lens(60px)": taps(definitions.disc(60)),
    "zoom()": [around(zoom=0.15)],
    "spin()": [around(degrees=10), magick("-rotational-blur", "-rotational-blur", "10")],
    "pixelate(16px)": mosaic(16),
    "grain()": noise(0.05),
    **{f"median({radius})": median(radius) for radius in (1, 2, 3, 15)},
    "bilateral(5px)": [BILATERAL],
    # Not the same filter, but what is there where that takes too long.
    "bilateral-separable(5px)": [BILATERAL],
    **{chain: mixed(chain) for chain in color_definitions.MATRICES},
    **{chain: curve(chain) for chain in color_definitions.CURVES},
    "blur(8px) mix(50%)": [opencv("GaussianBlur, addWeighted", half_mixed)],
    "blur(8px) opacity(60%) over()": [pillow("GaussianBlur, alpha_composite", laid_over)],
    "opacity(50%)": [opencv("convertScaleAbs", lambda frame, output: cv2.convertScaleAbs(
        frame, dst=output, alpha=0.5))],
    "drop-shadow(6px 8px 6px navy)": [magick(
        "-shadow", "(", "+clone", "-background", "navy", "-shadow", "100x6+6+8", ")", "+swap",
        "-background", "none", "-layers", "merge")],
    **looks(),
    "gpuimage-gaussian()": [gaussian(2)],
    "gpuimage-box()": box(4),
    "gpuimage-tilt-shift()": [blended(7, tilted)],
    "gpuimage-selective()": [blended(5, circled)],
}
