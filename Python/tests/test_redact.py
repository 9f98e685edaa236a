"""Redaction leaves nothing of what is covered."""
import numpy as np
import pytest
from PIL import Image

import frostglass

RANDOM = np.random.default_rng(13)
IMAGE = RANDOM.integers(0, 256, (60, 80, 3), "uint8")
INSIDE = slice(20, 40), slice(30, 50)


@pytest.mark.parametrize("options", [
    {}, {"fill": "solid"}, {"fill": "solid", "color": (10, 20, 30)}, {"filter": "none"}, {"order": "bgr"},
])
def test_the_result_does_not_depend_on_what_is_hidden(options):
    other = IMAGE.copy()
    other[INSIDE] = 0
    first, second = (frostglass.redact(each, (30, 20, 20, 20), **options) for each in (IMAGE, other))
    assert (first == second).all()
    assert (first[INSIDE] != IMAGE[INSIDE]).any()
    # Around it, outside the margin, not a byte changes.
    far = np.ones((60, 80), bool)
    far[16 - 1:44 + 1, 26 - 1:54 + 1] = False
    assert (first[far] == IMAGE[far]).all()


def test_a_solid_fill_has_its_color():
    for color in ("#102030", (16, 32, 48)):
        made = frostglass.redact(IMAGE, "30,20,20,20", fill="solid", color=color, grow=0)
        assert (made[INSIDE] == (16, 32, 48)).all()
    assert (frostglass.redact(IMAGE, (30, 20, 20, 20), fill="solid")[INSIDE] == 0).all()
    blue_first = frostglass.redact(IMAGE, (30, 20, 20, 20), fill="solid", color="#f00", order="bgr")
    assert (blue_first[INSIDE] == (0, 0, 255)).all()


def test_masks_and_batches():
    mask = np.zeros((60, 80), bool)
    mask[INSIDE] = True
    # Up to two pixels beside those of a picture may have a share in them.
    wide, narrow = np.zeros_like(mask), np.zeros_like(mask)
    wide[18:42, 28:52] = narrow[22:38, 32:48] = True
    made = frostglass.redact(IMAGE, mask=mask, fill="solid", grow=0)
    assert (made[mask] == 0).all() and (made[~wide] == IMAGE[~wide]).all()
    outside = frostglass.redact(IMAGE, mask=mask, invert=True, fill="solid", grow=0)
    assert (outside[~mask] == 0).all() and (outside[narrow] == IMAGE[narrow]).all()
    batch = np.stack([IMAGE, IMAGE])
    each = frostglass.redact(batch, [[(0, 0, 9, 9)], [(30, 20, 20, 20)]], fill="solid", grow=0)
    assert (each[1][mask] == 0).all() and (each[1][~mask] == IMAGE[~mask]).all() and (each[0][:9, :9] == 0).all()
    own = IMAGE.copy()
    assert frostglass.redact(own, mask=mask, fill="solid", grow=0, out=own) is own and (own == made).all()


@pytest.mark.parametrize("call", [
    lambda: frostglass.redact(IMAGE),
    lambda: frostglass.redact(IMAGE, []),
    lambda: frostglass.redact(IMAGE, mask=np.zeros((60, 80), bool)),
    lambda: frostglass.redact(np.stack([IMAGE, IMAGE]), [["1,1,5,5"], []]),
    lambda: frostglass.redact(IMAGE, (500, 500, 5, 5)),
    lambda: frostglass.redact(IMAGE, [(1, 1, 5, 5), (500, 500, 5, 5)]),
    lambda: frostglass.redact(IMAGE, (1, 1, 5, 5), fill="blur"),
    lambda: frostglass.redact(IMAGE, (1, 1, 5, 5), color="red"),
    lambda: frostglass.redact(IMAGE, (1, 1, 5, 5), fill="solid", color="reddish"),
    lambda: frostglass.redact(IMAGE, (1, 1, 5, 5), fill="solid", color=(1, 2, 300)),
    lambda: frostglass.redact(IMAGE, (1, 1, 5, 5), grow=-1),
])
def test_what_hides_nothing_is_refused(call):
    with pytest.raises(frostglass.Error):
        call()


def test_a_pillow_image_keeps_its_profile_alone():
    image = Image.fromarray(IMAGE)
    image.info = {"icc_profile": b"profile", "exif": b"thumbnail", "dpi": (72, 72), "comment": b"a name"}
    made = frostglass.redact(image, (30, 20, 20, 20))
    assert made.info == {"icc_profile": b"profile"}
    assert (np.asarray(made) == frostglass.redact(IMAGE, (30, 20, 20, 20))).all()
