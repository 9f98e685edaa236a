"""Images in files' bytes, read and written with Pillow."""
import io

from ._library import Error

# What Pillow would start another program for, such as EPS, is not among them.
READ = ("JPEG", "PNG", "WEBP", "AVIF", "GIF", "TIFF", "BMP", "PPM", "JPEG2000")
SAME = {"JPG": "JPEG", "TIF": "TIFF", "MPO": "JPEG", "JP2": "JPEG2000"}
LOSSY = ("JPEG", "WEBP", "AVIF")
OPAQUE = ("JPEG", "PPM")
GRAY = ("1", "L", "LA", "I;16")
CONVERTED = {"1": "L", "P": "RGB", "RGBX": "RGB", "YCbCr": "RGB"}


def pillow():
    """Pillow's module of images."""
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("frostglass: files' bytes are read and written with Pillow, which is not "
                          "installed: pip install pillow") from None
    return Image


def written_format(format):
    """The name that Pillow has for a format; None stays, which is that of the image that comes in."""
    if format is None:
        return None
    name = format.upper() if isinstance(format, str) else None
    name = SAME.get(name, name)
    image = pillow()
    image.init()
    if name not in READ or name not in image.SAVE:
        known = ", ".join(known.lower() for known in READ if known in image.SAVE)
        raise Error(f"format is {format!r}; it must be one of {known}, or None for that of each image")
    return name


class File:
    """An image that was read: upright, in a mode that filters take, with what is kept of its file."""

    def __init__(self, data):
        image = pillow()
        try:
            opened = image.open(io.BytesIO(data), formats=READ)
        except image.UnidentifiedImageError:
            raise Error("this is no image in a format that is read: "
                        + ", ".join(name.lower() for name in READ)) from None
        with opened:
            frames = getattr(opened, "n_frames", 1)
            if frames > 1 and opened.format != "MPO":
                raise Error(f"the image has {frames} frames or pages; only single images are supported")
            self.format = SAME.get(opened.format, opened.format)
            self.profile = opened.info.get("icc_profile")
            opened.load()
            self.image = self._taken(opened)
            self.image.info = {}  # Formats would write what is in it.

    def _taken(self, opened):
        from PIL import ImageOps

        upright = ImageOps.exif_transpose(opened)
        if upright.has_transparency_data:
            if upright.mode in GRAY:
                self.profile = None  # It is one of grays.
            return upright.convert("RGBA")
        if upright.mode == "CMYK":
            return self._of_inks(upright)
        return upright.convert(CONVERTED[upright.mode]) if upright.mode in CONVERTED else upright

    def _of_inks(self, image):
        """In sRGB, which needs no profile."""
        profile, self.profile = self.profile, None
        if profile is None:
            return image.convert("RGB")
        from PIL import ImageCms

        return ImageCms.profileToProfile(
            image, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB"),
            outputMode="RGB")

    def written(self, image, format, quality):
        """The bytes of a file with a result: of the file's own format where `format` is None."""
        format = format or self.format
        options = {"quality": quality} if format in LOSSY else {}
        if self.profile is not None:
            options["icc_profile"] = self.profile
        if image.mode == "RGBA" and format in OPAQUE:
            white = pillow().new("RGBA", image.size, "white")
            image = pillow().alpha_composite(white, image).convert("RGB")
        buffer = io.BytesIO()
        image.save(buffer, format, **options)
        return buffer.getvalue()
