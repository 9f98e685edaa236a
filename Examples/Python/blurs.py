"""Five looks of one photograph, side by side: what docs/pictures/python.jpg shows.

    python blurs.py coffee.jpg looks.jpg
"""
import sys

import frostglass
from PIL import Image


def looks(photo: Image.Image) -> list[Image.Image]:
    """Each is one call."""
    shorter = min(photo.size)
    mask = Image.radial_gradient("L").resize(photo.size)
    return [
        photo,
        frostglass.blur(photo, "3%"),
        frostglass.Filter("blur(2%) saturate(180%) tint(white, 0.3)",
                          regions="rounded(12%,14%,76%,72%,10%)")(photo),
        frostglass.tilt_shift(photo, sigma="2%"),
        frostglass.pixelate(photo, size="5%", regions="ellipse(30%,15%,40%,70%)", feather="1%"),
        frostglass.blur(photo, shorter * 0.04, mask=mask, mask_use="scale"),
    ]


def sheet(pictures: list[Image.Image], columns: int = 3, gap: int = 8) -> Image.Image:
    """Pictures of one size on white."""
    width, height = pictures[0].size
    rows = -(-len(pictures) // columns)
    whole = Image.new("RGB", (
        columns * (width + gap) - gap, rows * (height + gap) - gap), "white")
    for place, picture in enumerate(pictures):
        row, column = divmod(place, columns)
        whole.paste(picture, (column * (width + gap), row * (height + gap)))
    return whole


if __name__ == "__main__":
    photo = Image.open(sys.argv[1]).convert("RGB").resize((395, 264), Image.Resampling.LANCZOS)
    sheet(looks(photo)).save(sys.argv[2], quality=88)
