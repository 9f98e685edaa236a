"""Batches with values, regions and masks of each image."""
import numpy as np
import pytest

import frostglass

RANDOM = np.random.default_rng(11)
BATCH = RANDOM.integers(0, 256, (4, 30, 40, 3), "uint8")
SIGMAS = [0, 1.5, 4, 9]


def test_a_list_has_a_value_for_each_image():
    expected = [frostglass.blur(image, sigma) for image, sigma in zip(BATCH, SIGMAS)]
    assert (expected[0] == BATCH[0]).all()
    for sigmas in (SIGMAS, np.array(SIGMAS), np.array(SIGMAS, "float32"), [f"{sigma}px" for sigma in SIGMAS]):
        assert (frostglass.blur(BATCH, sigma=sigmas) == expected).all()
    out = np.empty_like(BATCH)
    assert frostglass.blur(BATCH, SIGMAS, out=out) is out and (out == expected).all()
    own = BATCH.copy()
    assert (frostglass.blur(own, SIGMAS, out=own) == expected).all()
    medians = frostglass.median(BATCH, radius=[1, 2, 3, 4], rank=0.5)
    assert all((frostglass.median(image, radius) == each).all()
               for image, radius, each in zip(BATCH, (1, 2, 3, 4), medians))
    colors = ["#f00", (0, 255, 0), "blue", "#fff"]
    tinted = frostglass.tint(BATCH, color=colors, alpha=[0.1, 0.2, 0.3, 0.4])
    assert all((frostglass.tint(image, color=color, alpha=alpha) == each).all()
               for image, color, alpha, each in zip(BATCH, colors, (0.1, 0.2, 0.3, 0.4), tinted))
    # One color is no list of values.
    assert (frostglass.tint(BATCH, color=[255, 0, 0], alpha=0.5)
            == frostglass.tint(BATCH, color="#f00", alpha=0.5)).all()


@pytest.mark.parametrize("compat", ["pillow", "pillow-box", "opencv"])
def test_values_of_each_image_are_those_of_other_tools(compat):
    made = frostglass.blur(BATCH, [1, 2, 3, 4], compat=compat)
    assert all((frostglass.blur(image, sigma, compat=compat) == each).all()
               for image, sigma, each in zip(BATCH, (1, 2, 3, 4), made))


def test_regions_and_masks_of_each_image():
    regions = [[(2, 3, 10, 8)], [], ["ellipse(5,5,20,20)", (1, 1, 4, 4)], np.array([[0, 0, 7, 9], [20, 10, 5, 5]])]
    expected = [frostglass.blur(image, 5, regions=each, feather=2) for image, each in zip(BATCH, regions)]
    assert (expected[1] == BATCH[1]).all() and (expected[0] != BATCH[0]).any()
    assert (frostglass.blur(BATCH, 5, regions=regions, feather=2) == expected).all()
    masks = RANDOM.random((4, 30, 40)) > 0.7
    masks[2] = False
    masked = [frostglass.blur(image, 5, mask=mask) for image, mask in zip(BATCH, masks)]
    for given in (masks, list(masks), masks[..., None], masks[:, None], (masks * 255).astype("uint8")):
        assert (frostglass.blur(BATCH, 5, mask=given) == masked).all()
    both = frostglass.blur(BATCH, SIGMAS, mask=masks, regions=regions)
    assert all((frostglass.blur(*each, mask=mask, regions=region) == made).all()
               for *each, mask, region, made in zip(BATCH, SIGMAS, masks, regions, both))
    # One for all stays one for all.
    assert (frostglass.blur(BATCH, 5, mask=masks[0])[1] == frostglass.blur(BATCH[1], 5, mask=masks[0])).all()
    assert (frostglass.blur(BATCH[0], 5, mask=masks[:1]) == masked[0]).all()
    assert (frostglass.blur(BATCH, 5, regions=[]) == BATCH).all()


def test_filters_keep_what_is_of_each_image():
    import pickle

    glass = frostglass.Filter("blur(5px)", "none", regions=[["1,1,9,9"], []], mask=[np.zeros((30, 40), bool)] * 2)
    again = pickle.loads(pickle.dumps(glass))
    assert again == glass and hash(again) == hash(glass)
    for first, second in zip(glass(BATCH[:2]), again(BATCH[:2])):
        assert (first == second).all()
    assert (glass(BATCH[:2])[0][0] == frostglass.blur(BATCH[0], 5, regions="1,1,9,9")).all()
    with pytest.raises(frostglass.Error, match="acts differently on each image"):
        glass.plan(BATCH[:2])


@pytest.mark.parametrize("call, words", [
    (lambda: frostglass.blur(BATCH, [1, 2]), "there are values for 2 images, but 4 in the batch"),
    (lambda: frostglass.blur(BATCH[0], [1]), "but the image is one alone"),
    (lambda: frostglass.blur(BATCH, SIGMAS, regions=[["1,1,5,5"]] * 2), "values for 4 images, regions or masks for 2"),
    (lambda: frostglass.blur(BATCH, 3, regions=[["1,1,5,5"]] * 2), "there are values for 2 images, but 4"),
    (lambda: frostglass.blur(BATCH, 3, mask=np.zeros((3, 30, 40), bool)), "values for 3 images, but 4"),
    (lambda: frostglass.blur(BATCH, 3, regions=[[]] * 4, mask=np.zeros((3, 30, 40), bool)),
     "regions for 4 images and masks for 3"),
    (lambda: frostglass.tint(BATCH, color=["red"] * 4, alpha=[1, 1]), "4 values of color, 2 values of alpha"),
    (lambda: frostglass.blur(BATCH, [1, 2, -3, 4]), "blur: sigma is -3px"),
    (lambda: frostglass.blur(BATCH, 5, regions=[[], [(900, 900, 5, 5)], [], []]), "covers a part of the image"),
    (lambda: frostglass.opacity(BATCH, [1, 0.5, 1, 1], regions=[[], [], [], []], edge="transparent"), None),
])
def test_what_does_not_fit_is_refused(call, words):
    if words is None:
        assert call().shape == (4, 30, 40, 4)
        return
    with pytest.raises(frostglass.Error) as refused:
        call()
    assert words in str(refused.value)


def test_a_batch_of_none_gives_none():
    nothing = BATCH[:0]
    assert frostglass.blur(nothing, 5).shape == (0, 30, 40, 3)
    assert frostglass.opacity(nothing, 0.5).shape == (0, 30, 40, 4)
    assert frostglass.blur(nothing.transpose(0, 3, 1, 2), 5, layout="NCHW").shape == (0, 3, 30, 40)


def test_progress_is_that_of_the_batch():
    told = []
    frostglass.blur(BATCH, SIGMAS, progress=told.append)
    assert told[0] == 0 and told[-1] == 1 and told == sorted(told)
