"""Axes in other orders, other numbers of channels, half floats, blue first, volumes, and all modes of Pillow."""
import io
import struct

import numpy as np
import pytest
from PIL import Image

import frostglass

RANDOM = np.random.default_rng(12)


def noise(*shape, kind="uint8"):
    values = RANDOM.random(shape)
    return values.astype(kind) if kind.startswith("float") else (values * np.iinfo(kind).max).astype(kind)


@pytest.mark.parametrize("kind", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_channels_first_are_channels_last_moved(kind, channels):
    batch = noise(3, 20, 30, channels, kind=kind)
    expected = frostglass.blur(batch, 4)
    first = np.ascontiguousarray(batch.transpose(0, 3, 1, 2))
    made = frostglass.blur(first, 4, layout="NCHW")
    assert made.dtype == first.dtype and made.flags.c_contiguous
    assert (made.transpose(0, 2, 3, 1) == expected).all()
    assert (frostglass.blur(first[1], 4, layout="CHW").transpose(1, 2, 0) == expected[1]).all()
    faded = frostglass.blur(first, 4, layout="NCHW", edge="transparent")
    assert (faded.transpose(0, 2, 3, 1) == frostglass.blur(batch, 4, edge="transparent")).all()
    # More axes are those of a batch.
    assert (frostglass.blur(first, 4, layout="chw") == made).all()
    assert (frostglass.blur(first[None], 4, layout="CHW") == made[None]).all()
    assert (frostglass.blur(batch.reshape(1, 3, 20, 30, channels), 4, layout="HWC")[0] == expected).all()
    last = np.ascontiguousarray(batch.transpose(1, 2, 3, 0))
    assert (frostglass.blur(last, 4, layout="HWCN").transpose(3, 0, 1, 2) == expected).all()
    # As NumPy has it, memory that is channels last stays so.
    view = batch.transpose(0, 3, 1, 2)
    again = frostglass.blur(view, 4, layout="NCHW")
    assert (again == made).all() and again.transpose(0, 2, 3, 1).flags.c_contiguous
    out = np.empty_like(first)
    assert frostglass.blur(first, 4, layout="NCHW", out=out) is out and (out == made).all()
    own = first.copy()
    assert (frostglass.blur(own, 4, layout="NCHW", out=own) == made).all()


def test_colors_are_filtered_together_wherever_they_are():
    image = noise(20, 30, 3)
    glass = frostglass.Filter("blur(3px) saturate(200%)", "opacity(50%)", layout="CHW")
    colored, transparent = glass(image.transpose(2, 0, 1))
    assert (colored.transpose(1, 2, 0) == frostglass.Filter("blur(3px) saturate(200%)")(image)).all()
    assert (transparent.transpose(1, 2, 0) == frostglass.opacity(image, 0.5)).all()
    first, second = glass.plan(image.transpose(2, 0, 1))
    assert (str(first), str(second)) == tuple(map(str, frostglass.Filter(*glass.filters).plan(image)))


def test_gray_batches():
    grays = noise(5, 20, 30)
    made = frostglass.blur(grays, 3, layout="NHW")
    assert made.shape == grays.shape
    assert all((frostglass.blur(gray, 3) == each).all() for gray, each in zip(grays, made))
    assert (frostglass.blur(grays, 3, layout="HW") == made).all()
    assert frostglass.tint(grays, color="#f00", alpha=0.5, layout="NHW").shape == (5, 20, 30, 3)
    each = frostglass.blur(grays, [0, 1, 2, 3, 4], layout="NHW", regions=[[]] * 4 + [["1,1,9,9"]])
    assert (each[:4] == grays[:4]).all() and (each[4] != grays[4]).any()


@pytest.mark.parametrize("channels", [2, 5, 31])
@pytest.mark.parametrize("kind", ["uint8", "float32"])
def test_other_numbers_of_channels_are_planes(channels, kind):
    image = noise(20, 30, channels, kind=kind)
    made = frostglass.blur(image, 3, layout="HWC")
    assert made.shape == image.shape and made.flags.c_contiguous
    for channel in range(channels):
        assert (made[..., channel] == frostglass.blur(np.ascontiguousarray(image[..., channel]), 3)).all()
    first = np.ascontiguousarray(image.transpose(2, 0, 1))
    assert (frostglass.blur(first, 3, layout="CHW") == made.transpose(2, 0, 1)).all()
    batch = np.stack([image, image[::-1]])
    assert (frostglass.blur(batch, [3, 0], layout="NHWC") == np.stack([made, image[::-1]])).all()
    mask = noise(20, 30) > 99
    masked = frostglass.blur(image, 3, layout="HWC", mask=mask)
    assert (masked[~mask] == image[~mask]).all() and (masked[mask] == made[mask]).all()
    with pytest.raises(frostglass.Error, match="filters that make colors or transparency"):
        frostglass.tint(image, color="#f00", alpha=0.5, layout="HWC")


def test_a_fourth_channel_may_be_no_alpha():
    image = noise(20, 30, 4)
    made = frostglass.blur(image, 3, alpha_mode="none")
    for channel in range(4):
        assert (made[..., channel] == frostglass.blur(np.ascontiguousarray(image[..., channel]), 3)).all()
    assert (frostglass.blur(image[..., :3].copy(), 3, alpha_mode="none") == made[..., :3]).all()


@pytest.mark.parametrize("layout", ["HW", "HWCX", "CC", "", 5, "HWCC", "NCHWHW", None])
def test_layouts_that_are_none(layout):
    with pytest.raises(frostglass.Error, match="layout|shape"):
        frostglass.blur(noise(5, 5, 2) if layout != "HW" else noise(5), 3, layout=layout)
    if layout not in ("HW", None):
        with pytest.raises(frostglass.Error, match="layout is .*; it must have a letter for each axis"):
            frostglass.Filter("none", layout=layout)


def test_half_floats_come_back_as_such():
    image = noise(3, 20, 30, kind="float16")
    made = frostglass.blur(image, 2, layout="CHW")
    assert made.dtype == "float16" and made.shape == image.shape
    expected = frostglass.blur(np.ascontiguousarray(image.transpose(1, 2, 0)).astype("float32"), 2)
    assert (made == expected.transpose(2, 0, 1).astype("float16")).all()
    flat = noise(20, 30, kind="float16")
    assert (frostglass.blur(flat, 2) == frostglass.blur(flat.astype("float32"), 2).astype("float16")).all()
    out = np.empty_like(flat)
    assert frostglass.blur(flat, 2, out=out) is out and (out == frostglass.blur(flat, 2)).all()
    with pytest.raises(frostglass.Error, match="out has the shape"):
        frostglass.blur(flat, 2, out=np.empty((20, 30), "float32"))
    out.flags.writeable = False
    with pytest.raises(frostglass.Error, match="out is read-only"):
        frostglass.blur(flat, 2, out=out)


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("kind", ["uint8", "uint16", "float32"])
def test_blue_first_is_red_first_exchanged(kind, channels):
    image = noise(20, 30, channels, kind=kind)
    order = [2, 1, 0, 3][:channels]
    other = np.ascontiguousarray(image[..., order])
    for text in ("blur(3px)", "blur(3px) saturate(200%) tint(#f80, 20%)", "grayscale(1)"):
        wanted = frostglass.Filter(text)(image)
        assert (frostglass.Filter(text, order="bgr")(other)[..., order] == wanted).all()
        own = other.copy()
        assert frostglass.Filter(text, order="bgr")(own, out=own) is own and (own[..., order] == wanted).all()
    full = frostglass.blur(image, 3, alpha_mode="opaque")
    assert (frostglass.blur(other, 3, alpha_mode="opaque", order="bgr")[..., order] == full).all()
    gray = np.ascontiguousarray(image[..., 0])
    red = frostglass.tint(gray, color="#f00", alpha=0.5, order="bgr")
    assert (red[..., ::-1] == frostglass.tint(gray, color="#f00", alpha=0.5)).all()


def test_volumes_are_blurred_along_three_axes():
    volume = noise(12, 20, 30, kind="float32")
    made = frostglass.blur(volume, (1.5, 2, 0.8), layout="ZYX")
    by_hand = np.stack([frostglass.gaussian(each, 0.8, 2) for each in volume])
    across = np.stack(
        [frostglass.gaussian(np.ascontiguousarray(by_hand[:, row]), 0, 1.5) for row in range(20)], axis=1)
    assert made.shape == volume.shape and abs(made - across).max() < 1e-6
    assert abs(frostglass.blur(volume, 2, layout="ZYX") - frostglass.blur(volume, (2, 2, 2), layout="ZYX")).max() == 0
    assert (frostglass.blur(volume, (0, 0, 0), layout="ZYX") == volume).all()
    for kind in ("uint8", "uint16", "float16"):
        other = volume.astype(kind) if kind == "float16" else (volume * np.iinfo(kind).max).astype(kind)
        full = 1 if kind == "float16" else np.iinfo(kind).max
        result = frostglass.blur(other, (1.5, 2, 0.8), layout="ZYX")
        assert result.dtype == kind
        exact = frostglass.blur((other / full).astype("float32"), (1.5, 2, 0.8), layout="ZYX")
        assert abs(result / full - exact).max() <= (2e-3 if kind == "float16" else 0.51 / full)
    moved = np.ascontiguousarray(volume.transpose(2, 0, 1))
    assert abs(frostglass.blur(moved, (1.5, 2, 0.8), layout="XZY").transpose(1, 2, 0) - made).max() < 1e-6
    several = frostglass.blur(np.stack([volume, volume]), (1.5, 2, 0.8), layout="ZYX")
    assert (several == made).all()
    for wrong in ({"sigma": (1, 2)}, {"sigma": -1}, {"sigma": 2, "regions": "1,1,5,5"}, {"sigma": 2, "linear": True},
                  {"sigma": 2, "edge": "transparent"}, {"sigma": 2, "compat": "pillow"}):
        with pytest.raises(frostglass.Error):
            frostglass.blur(volume, layout="ZYX", **wrong)
    with pytest.raises(frostglass.Error, match="samples of int32"):
        frostglass.blur(volume.astype("int32"), 2, layout="ZYX")


def test_axes_of_scipys_sigma():
    image = noise(20, 30, 3)
    for sigma in ((4, 2), [4, 2], (4, 2, 0)):
        made = frostglass.blur(image, sigma, compat="scipy")
        assert (made == frostglass.gaussian(image, 2, 4, edge="mirror")).all()
    with pytest.raises(frostglass.Error, match="colors are not mixed"):
        frostglass.blur(image, (4, 2, 1), compat="scipy")


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "F", "I;16"])
def test_modes_that_stay(mode):
    image = Image.fromarray(noise(20, 30, 4)).convert("L" if mode in ("F", "I;16") else mode).convert(mode)
    assert frostglass.blur(image, 3).mode == mode


def test_modes_with_bands_of_their_own():
    image = Image.fromarray(noise(20, 30, 4)).convert("RGB")
    for mode in ("CMYK", "YCbCr"):
        inks = image.convert(mode)
        made = frostglass.blur(inks, 3)
        assert made.mode == mode
        assert all(frostglass.blur(band, 3).tobytes() == each.tobytes() for band, each in zip(inks.split(), made.split()))
        with pytest.raises(frostglass.Error, match="filters that make colors"):
            frostglass.tint(inks, color="#f00", alpha=0.5)
    padded = image.convert("RGBX")
    assert frostglass.blur(padded, 3).mode == "RGBX"
    assert frostglass.blur(padded, 3).convert("RGB").tobytes() == frostglass.blur(image, 3).tobytes()


def test_modes_that_become_another():
    image = Image.fromarray(noise(20, 30, 4)).convert("RGB")
    palette = image.quantize(16)
    assert frostglass.blur(palette, 3).tobytes() == frostglass.blur(palette.convert("RGB"), 3).tobytes()
    palette.info["transparency"] = 3
    made = frostglass.blur(palette, 3)
    assert made.mode == "RGBA" and "transparency" not in made.info
    faded = Image.merge("LA", image.split()[:2])
    made = frostglass.blur(faded, 3)
    assert made.mode == "LA"
    assert made.convert("RGBA").tobytes() == frostglass.blur(faded.convert("RGBA"), 3).tobytes()
    assert frostglass.tint(faded, color="#f00", alpha=0.5).mode == "RGBA"
    drawn = image.convert("1")
    assert frostglass.blur(drawn, 3).tobytes() == frostglass.blur(drawn.convert("L"), 3).tobytes()
    with pytest.raises(frostglass.Error, match="have red first"):
        frostglass.blur(image, 3, order="bgr")
    with pytest.raises(frostglass.Error, match="it is for arrays"):
        frostglass.blur(image, 3, layout="CHW")


def with_thumbnail(thumbnail):
    """EXIF with an orientation, and a small picture."""
    first = struct.pack("<HHHII", 1, 0x0112, 3, 1, 6)
    second = 8 + len(first) + 4
    place = second + 2 + 2 * 12 + 4
    other = struct.pack("<HHHIIHHIII", 2, 0x0201, 4, 1, place, 0x0202, 4, 1, len(thumbnail), 0)
    return b"Exif\0\0II*\0" + struct.pack("<I", 8) + first + struct.pack("<I", second) + other + thumbnail


def test_pillow_images_keep_what_their_own_filter_keeps():
    image = Image.fromarray(noise(20, 30, 3))
    exif = image.getexif()
    exif[0x0112], exif[0x010F] = 6, "a camera"
    file = io.BytesIO()
    image.save(file, "JPEG", exif=exif, dpi=(300, 300), icc_profile=b"profile", comment=b"words")
    opened = Image.open(file)
    made = frostglass.blur(opened, 3)
    assert made.info == opened.info and made.info["dpi"] == (300, 300)
    assert dict(made.getexif()) == {0x0112: 6, 0x010F: "a camera"}


def test_a_thumbnail_does_not_show_what_is_blurred():
    image = Image.fromarray(noise(20, 30, 3))
    small = io.BytesIO()
    image.resize((15, 10)).save(small, "JPEG")
    image.info["exif"] = with_thumbnail(small.getvalue())
    made = frostglass.blur(image, 3)
    assert small.getvalue() not in made.info["exif"] and made.getexif()[0x0112] == 6
    # What cannot be read so far is not kept as it is.
    image.info["exif"] = image.info["exif"][:9]
    assert "exif" not in frostglass.blur(image, 3).info
