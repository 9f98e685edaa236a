"""Pixels of image files from decoders that are not Frostglass, and from test suites themselves.

Everything here returns frames as NumPy arrays of shape (height, width, 4): red, green, blue and alpha in 8-bit
levels, upright and in sRGB, which is what `frostglass blur --filter none` writes.
"""
import configparser
import importlib.metadata
import io
import warnings

import numpy
import pillow_heif
import pillow_jxl  # registers itself with Pillow
from PIL import Image, ImageCms, ImageFile, ImageOps, PngImagePlugin

pillow_heif.register_heif_opener()
# Twice as many are an error.
Image.MAX_IMAGE_PIXELS = 20_000_000
PngImagePlugin.MAX_TEXT_CHUNK = 64 << 20
# A file cut short is read as far as it goes, as Frostglass does.
ImageFile.LOAD_TRUNCATED_IMAGES = True
warnings.simplefilter("ignore")

# White, red, green and blue of sRGB, in the order of cHRM.
PLACES = (0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06)
SRGB = ImageCms.createProfile("sRGB")
# Formats whose further images are pages or other views, of which Frostglass takes the first.
PAGED = {"TIFF", "MPO", "ICO", "HEIF", "PSD", "ICNS", "GBR"}
VERSIONS = f"littleCMS {ImageCms.core.littlecms_version}, " + ", ".join(
    f"{name} {importlib.metadata.version(name)}" for name in ("Pillow", "pillow-heif", "pillow-jxl-plugin"))


class Unreadable(Exception):
    """The decoder refuses the file."""


def converted(image):
    """The image in sRGB, through its own profile if littleCMS can use it."""
    data = image.info.get("icc_profile")
    mode = {"P": "RGB", "1": "L"}.get(image.mode, image.mode)
    if not data and image.mode != "LAB":
        return image
    try:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(data)) if data and image.mode != "LAB" \
            else ImageCms.createProfile("LAB")
        alpha = None
        if image.mode == "P":
            image = image.convert("RGBA" if "transparency" in image.info else "RGB")
        if image.mode in ("RGBA", "LA"):
            alpha = image.getchannel("A")
            image = image.convert(image.mode[:-1])
        if image.mode not in ("RGB", "L", "CMYK", "LAB"):
            return image
        result = ImageCms.profileToProfile(
            image, profile, SRGB, outputMode="RGB",
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC, flags=ImageCms.Flags.BLACKPOINTCOMPENSATION)
        if alpha is not None:
            result.putalpha(alpha)
        return result
    except (ImageCms.PyCMSError, OSError, ValueError):
        return image


def encoded(pixels, image):
    """Levels of a PNG in sRGB where gAMA and cHRM describe other colors, which Pillow reads and does not apply."""
    gamma, places = image.info.get("gamma"), image.info.get("chromaticity")
    better = {"srgb", "icc_profile"} & set(image.info)
    if better or gamma is None and places is None:
        return pixels
    # 1/2.2 with the primaries of sRGB means the curve of sRGB, as the specification of PNG has it.
    plain = places is None or numpy.allclose(places, PLACES, atol=1e-4)
    if plain and (gamma is None or 0.4545 <= gamma <= 0.4546):
        return pixels
    light = pixels[..., :3] / 255
    if gamma is None:
        light = numpy.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
    else:
        light = light ** (1 / gamma)
    if not plain:
        light = light @ (numpy.linalg.inv(to_d50(PLACES)) @ to_d50(places)).T
    light = numpy.clip(light, 0, 1)
    colors = numpy.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return numpy.dstack([255 * colors + 0.5, pixels[..., 3:]]).astype(numpy.uint8)


def to_d50(places):
    """The matrix from linear samples to XYZ, adapted to D50 by Bradford's cones."""
    def light(x, y):
        return numpy.array([x / y, 1, (1 - x - y) / y])
    white = light(*places[:2])
    colors = numpy.array([light(*places[i:i + 2]) for i in (2, 4, 6)]).T
    cones = numpy.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    scale = numpy.diag(cones @ [0.9642, 1, 0.8249] / (cones @ white))
    return numpy.linalg.inv(cones) @ scale @ cones @ colors @ numpy.diag(numpy.linalg.solve(colors, white))


def levels(image):
    """The image's samples as red, green, blue and alpha in levels of 255."""
    if image.mode.startswith("I;16") or image.mode == "I":
        gray = numpy.asarray(image).astype(float)
        gray = gray / 257 if gray.max(initial=0) > 255 or image.mode != "I" else gray
        gray = numpy.clip(gray, 0, 255)
        pixels = numpy.dstack([gray, gray, gray, numpy.full_like(gray, 255)])
        return encoded(pixels, image).astype(numpy.uint8)
    if image.mode == "F":
        raise Unreadable("samples are floats, of which this decoder does not know the range")
    return encoded(numpy.asarray(converted(image).convert("RGBA")), image)


def frames(path, limit=400):
    """The frames that Pillow sees, and the name of the format."""
    try:
        image = Image.open(path)
        count = 1 if image.format in PAGED else min(limit, getattr(image, "n_frames", 1))
        # Pillow counts what an animated PNG shows to those that know no animations.
        first = 1 if count > 1 and getattr(image, "default_image", False) else 0
        found = []
        for index in range(first, count):
            image.seek(index)
            image.load()
            found.append(levels(ImageOps.exif_transpose(image)))
        return found, image.format
    except Unreadable:
        raise
    except Exception as error:  # Decoders of hostile files raise whatever they like.
        raise Unreadable(f"{type(error).__name__}: {error}") from error


def own_frames(path):
    """The frames that a file's own suite says it has; None for files without such a word."""
    for suite in (pixbuf_frames, giflib_frames):
        found = suite(path)
        if found is not None:
            return found
    return None


def pixbuf_frames(path):
    """gdk-pixbuf's suite of GIFs: a text beside each names the pixels of every frame."""
    text = path.with_suffix(".conf")
    if path.parent.name != "gif-test-suite" or not text.exists():
        return None
    parser = configparser.ConfigParser()
    parser.read_string("\n".join(text.read_text().splitlines()))
    config = parser["config"]
    if not config.get("frames"):
        return None
    shape = (int(config["height"]), int(config["width"]), 4)
    result = []
    for name in config["frames"].split(","):
        bytes_ = (path.parent / parser[name.strip()]["pixels"]).read_bytes()
        if len(bytes_) != shape[0] * shape[1] * 4:
            return None
        result.append(numpy.frombuffer(bytes_, numpy.uint8).reshape(shape))
    return result


def giflib_frames(path):
    """giflib's own pictures: the screen as its gif2rgb leaves it, which knows no transparency."""
    pixels = path.parent.parent / "tests" / f"{path.stem}.rgb"
    if path.parent.name != "pic" or path.suffix != ".gif" or not pixels.exists():
        return None
    with Image.open(path) as image:
        if getattr(image, "n_frames", 1) > 1 or "transparency" in image.info:
            return None
        width, height = image.size
    data = pixels.read_bytes()
    if len(data) != width * height * 3:
        return None
    colors = numpy.frombuffer(data, numpy.uint8).reshape(height, width, 3)
    return [numpy.dstack([colors, numpy.full((height, width), 255, numpy.uint8)])]


def distance(one, other):
    """The largest difference of two frames in levels, and the share of samples that differ by more than 8.

    Colors count as much as their alpha lets them be seen.
    """
    if one.shape != other.shape:
        return None
    largest, far = 0.0, 0
    for top in range(0, one.shape[0], 256):
        seen = []
        for each in (one, other):
            part = each[top:top + 256].astype(numpy.float32)
            seen.append(numpy.dstack([part[..., :3] * part[..., 3:] / 255, part[..., 3:]]))
        difference = numpy.abs(seen[0] - seen[1])
        largest = max(largest, float(difference.max(initial=0)))
        far += int((difference > 8).sum())
    return largest, far / one.size
