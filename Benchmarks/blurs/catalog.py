"""The rows of the page of filters: every filter there is, in groups that are measured in turn."""
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

#: Size classes, the smallest first.
SIZES = ((640, 360), (1920, 1080), (3840, 2160))


def named(size: tuple[int, int]) -> str:
    """A size as `frostglass bench` takes it."""
    return f"{size[0]}x{size[1]}"


@dataclass(frozen=True)
class Group:
    """Chains that take turns, on one kind of frame, with one set of options."""

    title: str
    chains: tuple[str, ...]
    options: tuple[str, ...] = ()
    #: Samples of the frame: those of `FRAMES` in family.py.
    frame: str = "rgba8"
    #: What the options are called on the page.
    words: str = ""

    def label(self, chain: str) -> str:
        """What a row is called, in the page and from run to run."""
        return f"{chain}, {self.words}" if self.words else chain

    def only(self, labels: Iterable[str]) -> "Group":
        """The same with those rows alone."""
        return replace(
            self, chains=tuple(chain for chain in self.chains if self.label(chain) in labels))


def part(words: str, *region: str) -> Group:
    return Group("", ("gaussian(20px)",), ("--region", *region), words=words)


def kind(words: str, frame: str, *options: str) -> Group:
    return Group("", ("gaussian(20px)",), options, frame, words=words)


ELLIPSE = "ellipse(37.5%,37.5%,25%,25%)"

GROUPS = (
    Group("Gaussians", (
        "gaussian(2px)", "gaussian(5px)", "gaussian(10px)", "gaussian(20px)", "gaussian(50px)",
        "gaussian(100px)", "blur(4px)")),
    Group("Boxes and dual Kawase", (
        "box()", "box(radius=4, iterations=3)", "triple-box(10px)", "kawase(10px)")),
    Group("Strength that varies, σ up to 20 px", (
        "progressive-blur(20px)", "tilt-shift(20px)", "selective-blur(20px)")),
    Group("Lines and lenses", (
        "motion(60px, 30deg)", "lens(12px)", "lens(60px)", "lens(12px, polygon)")),
    Group("Zooms and spins", ("zoom()", "spin()")),
    Group("Mosaics and noise", (
        "pixelate(16px)", "pixelate(16px, hexagon)", "grain()", "dither()",
        "gaussian(10px) dither()")),
    Group("Medians of 3×3, 5×5, 7×7 and 31×31", (
        "median(1)", "median(2)", "median(3)", "median(15)")),
    Group("Bilateral, 31×31, of three channels", ("bilateral(5px)", "bilateral-separable(5px)"),
          frame="rgb8"),
    Group("Colors", (
        "saturation(1.8)", "lift(0.2)", "luminance-range()", "tint()", "vibrancy()",
        "brightness(140%)", "contrast(160%)", "grayscale()", "hue-rotate(90deg)", "invert()",
        "saturate(180%)", "sepia()")),
    Group("With what was there before", (
        "blur(8px) mix(50%)", "blur(8px) opacity(60%) over()", "opacity(50%)",
        "drop-shadow(6px 8px 6px navy)"), frame="holes"),
    Group("iOS materials, and Gaussians of the same σ", (
        "gaussian(22.5px)", "ultra-thin-light()", "ultra-thin-dark()", "chrome-light()",
        "chrome-dark()", "gaussian(29.5px)", "thin-light()", "thin-dark()", "material-light()",
        "material-dark()", "dock-light()", "dock-dark()", "platter-light()", "platter-dark()",
        "gaussian(45px)", "thick-light()", "thick-dark()", "toolbar-button()")),
    Group("iOS styles, glass", (
        "light()", "extra-light()", "dark()", "custom-style()", "glass()", "image-effects-light()",
        "image-effects-extra-light()", "image-effects-dark()", "image-effects-tint()",
        "7blur-light()", "7blur-dark()", "7blur-coral()", "7blur-neon()", "7blur-sky()")),
    Group("GPUImage's, by its own parameters", (
        "ios-blur()", "gpuimage-gaussian()", "gpuimage-box()", "gpuimage-bilateral()",
        "gpuimage-zoom()", "gpuimage-motion()", "gpuimage-tilt-shift()", "gpuimage-selective()",
        "gpuimage-gaussian-position()")),
    replace(part("in a quarter", "25%,25%,50%,50%"), title="In a part of the frame"),
    part("in a sixteenth", "37.5%,37.5%,25%,25%"),
    part("in 1/64", "43.75%,43.75%,12.5%,12.5%"),
    part("in a feathered ellipse", ELLIPSE, "--feather", "40"),
    part("confined by an ellipse", ELLIPSE, "--invert", "--mask-use", "confine"),
    replace(kind("gray", "gray8"), title="Other samples"),
    kind("RGB", "rgb8"), kind("16 bits", "rgba16"),
    kind("straight alpha", "holes", "--alpha", "straight"),
    kind("linear light", "rgba8", "--linear"),
)


def every(listed: Iterable[dict[str, str]]) -> tuple[Group, ...]:
    """The groups, and one of the filters that have no row, by their examples.

    `listed` is what `frostglass filters --json` says.
    """
    known = {
        name for group in GROUPS for chain in group.chains
        for name in re.findall(r"([a-z0-9-]+)\(", chain)
    }
    return with_rest(one["example"] for one in listed if one["name"] not in known)


def with_rest(labels: Iterable[str]) -> tuple[Group, ...]:
    """The groups, and one of the labels that are in none of them."""
    known = {group.label(chain) for group in GROUPS for chain in group.chains}
    rest = tuple(label for label in dict.fromkeys(labels) if label not in known)
    return (*GROUPS, Group("Others", rest)) if rest else GROUPS
