# Made by stubs.py of the library's catalog.
from collections.abc import Callable
from typing import Any, Generic, Literal, Protocol, TypedDict, overload
from typing_extensions import TypeVar, Unpack

_Image = TypeVar("_Image")

class _One: ...
class _Several: ...

_Results = TypeVar("_Results", default=_One)

class _Values(Protocol):
    def tolist(self) -> Any: ...

__version__: str

class Error(ValueError):
    code: str | None

class Found(tuple[float, float, float, float, float]):
    x: float
    y: float
    width: float
    height: float
    score: float

class Plan:
    certified_error: float
    kernel_error: float
    model_error: float
    arithmetic_error: float
    memory: int
    multiply_adds: float
    text: str

class _Common(TypedDict, total=False):
    regions: Any
    mask: Any
    feather: float | str
    grow: float | str
    invert: bool
    mask_use: Literal['show', 'confine', 'scale']
    quality: Literal['exact', 'fast', 'exact16']
    linear: bool
    scale: float
    alpha_mode: Literal['straight', 'premultiplied', 'opaque', 'none']
    transfer: Literal['encoded', 'linear']
    layout: str | None
    order: Literal['rgb', 'bgr']
    threads: int
    backend: Literal['auto', 'fast', 'gl', 'reference']
    device: str | None

class _RunOptions(_Common, total=False):
    out: Any
    progress: Callable[[float], object] | None

class _FilterOptions(_Common, total=False):
    edge: Literal['clamp', 'mirror', 'reflect-101', 'wrap', 'transparent', 'nearest', 'grid-mirror', 'grid-wrap',
        'replicate', 'symmetric', 'circular']

class _Options(_RunOptions, total=False):
    edge: Literal['clamp', 'mirror', 'reflect-101', 'wrap', 'transparent', 'nearest', 'grid-mirror', 'grid-wrap',
        'replicate', 'symmetric', 'circular']

class Filter(Generic[_Results]):
    filters: tuple[str, ...]
    @overload
    def __init__(self: Filter[_One], filter: str, /, **options: Unpack[_FilterOptions]) -> None: ...
    @overload
    def __init__(self: Filter[_Several], first: str, second: str, /, *more: str,
        **options: Unpack[_FilterOptions]) -> None: ...
    @overload
    def __call__(self: Filter[_One], image: _Image, *, out: Any = None, progress: Callable[[float],
        object] | None = None) -> _Image: ...
    @overload
    def __call__(self: Filter[_Several], image: _Image, *, out: Any = None, progress: Callable[[float],
        object] | None = None) -> tuple[_Image, ...]: ...
    @overload
    def plan(self: Filter[_One], image: Any) -> Plan: ...
    @overload
    def plan(self: Filter[_Several], image: Any) -> tuple[Plan, ...]: ...

def filters() -> list[dict[str, Any]]: ...
def blur(image: _Image, sigma: float | str | tuple[float, ...] | list[Any] | _Values = 20, *, compat: Literal['pillow',
    'pillow-box', 'opencv', 'albumentations', 'torchvision', 'kornia', 'scipy', 'skimage'] | None = None,
    edge: str | int | None = None, **options: Unpack[_RunOptions]) -> _Image: ...
def redact(image: _Image, regions: Any = None, *, mask: Any = None, find: Literal['faces'] | None = None,
    allow_none: bool = False, fill: Literal['frosted', 'solid'] = 'frosted', color: str | tuple[float, float,
    float] | None = None, filter: str | None = None, grow: float | str = 4, invert: bool = False, out: Any = None,
    progress: Callable[[float], object] | None = None, scale: float = 1, alpha_mode: Literal['straight',
    'premultiplied', 'opaque', 'none'] = 'straight', transfer: Literal['encoded', 'linear'] = 'encoded',
    layout: str | None = None, order: Literal['rgb', 'bgr'] = 'rgb', threads: int = 0, backend: Literal['auto', 'fast',
    'gl', 'reference'] = 'fast', device: str | None = None) -> _Image: ...
def find(image: Any, *, effort: Literal['quick', 'normal', 'thorough'] = 'normal', score: float = 0.5,
    order: Literal['rgb', 'bgr'] = 'rgb', command: str | None = None) -> list[Found]: ...
def gaussian(image: _Image, x: float | str | list[Any] | _Values = 10,
    y: float | str | None | list[Any] | _Values = None, edge: Literal['clamp', 'mirror', 'reflect-101', 'wrap',
    'transparent'] | None | list[Any] | _Values = None, **options: Unpack[_RunOptions]) -> _Image:
    "Blurs with a true Gaussian."
def box(image: _Image, radius: int | list[Any] | _Values = 4, iterations: int | list[Any] | _Values = 1,
    **options: Unpack[_Options]) -> _Image:
    "Blurs with the mean of a square."
def triple_box(image: _Image, sigma: float | str | list[Any] | _Values = 10, size: Literal['svg',
    'odd'] | list[Any] | _Values = 'svg', **options: Unpack[_Options]) -> _Image:
    "Blurs with three boxes, as SVG's feGaussianBlur does."
def kawase(image: _Image, sigma: float | str | list[Any] | _Values = 10, **options: Unpack[_Options]) -> _Image:
    "Blurs with dual Kawase passes: fast on GPUs, nearly a Gaussian."
def motion(image: _Image, length: float | str | list[Any] | _Values = 40, angle: float | str | list[Any] | _Values = 0,
    profile: Literal['box', 'gaussian'] | list[Any] | _Values = 'box', **options: Unpack[_Options]) -> _Image:
    "Blurs along a straight line."
def zoom(image: _Image, x: float | str | list[Any] | _Values = 0.5, y: float | str | list[Any] | _Values = 0.5,
    amount: float | str | list[Any] | _Values = 0.15, **options: Unpack[_Options]) -> _Image:
    "Blurs toward a center, as a lens zoomed while exposing."
def spin(image: _Image, x: float | str | list[Any] | _Values = 0.5, y: float | str | list[Any] | _Values = 0.5,
    angle: float | str | list[Any] | _Values = 10, **options: Unpack[_Options]) -> _Image:
    "Blurs around a center, as a turning camera does."
def lens(image: _Image, radius: float | str | list[Any] | _Values = 12, shape: Literal['disc',
    'polygon'] | list[Any] | _Values = 'disc', blades: int | list[Any] | _Values = 6,
    rotation: float | str | list[Any] | _Values = 0, highlights: float | str | list[Any] | _Values = 3,
    **options: Unpack[_Options]) -> _Image:
    "Blurs as a lens out of focus does: every light becomes a disc."
def progressive_blur(image: _Image, sigma: float | str | list[Any] | _Values = 20,
    direction: float | str | list[Any] | _Values = 0, from_: float | str | list[Any] | _Values = 0,
    to: float | str | list[Any] | _Values = 1, easing: Literal['linear', 'smooth', 'ease-in',
    'ease-out'] | list[Any] | _Values = 'linear', **options: Unpack[_Options]) -> _Image:
    "Blurs more and more toward one side."
def tilt_shift(image: _Image, sigma: float | str | list[Any] | _Values = '1.5%',
    x: float | str | list[Any] | _Values = 0.5, y: float | str | list[Any] | _Values = 0.5,
    band: float | str | list[Any] | _Values = 0.2, falloff: float | str | list[Any] | _Values = 0.25,
    angle: float | str | list[Any] | _Values = 0, **options: Unpack[_Options]) -> _Image:
    "Keeps a band sharp and blurs the rest, as if it were a miniature."
def selective_blur(image: _Image, sigma: float | str | list[Any] | _Values = '1.5%',
    x: float | str | list[Any] | _Values = 0.5, y: float | str | list[Any] | _Values = 0.5,
    radius: float | str | list[Any] | _Values = '30%', falloff: float | str | list[Any] | _Values = '20%',
    aspect: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "Keeps a circle sharp and blurs the rest."
def bilateral(image: _Image, sigma: float | str | list[Any] | _Values = 3,
    range: float | str | list[Any] | _Values = 0.1, **options: Unpack[_Options]) -> _Image:
    "Smooths surfaces and keeps edges; exact in two dimensions."
def bilateral_separable(image: _Image, sigma: float | str | list[Any] | _Values = 6,
    range: float | str | list[Any] | _Values = 0.1, **options: Unpack[_Options]) -> _Image:
    "Smooths surfaces and keeps edges, along x and then y: an approximation, for larger sigma."
def median(image: _Image, radius: int | list[Any] | _Values = 2, rank: float | str | list[Any] | _Values = 0.5,
    **options: Unpack[_Options]) -> _Image:
    "Takes the median of a square; removes specks, keeps edges."
def pixelate(image: _Image, size: float | str | list[Any] | _Values = 16, shape: Literal['square',
    'hexagon'] | list[Any] | _Values = 'square', **options: Unpack[_Options]) -> _Image:
    "Makes a mosaic of mean colors, centered on the image."
def grain(image: _Image, amount: float | str | list[Any] | _Values = 0.05, size: float | str | list[Any] | _Values = 1,
    tone: Literal['monochrome', 'colored'] | list[Any] | _Values = 'monochrome', seed: int | list[Any] | _Values = 0,
    **options: Unpack[_Options]) -> _Image:
    "Adds film grain."
def dither(image: _Image, seed: int | list[Any] | _Values = 0, **options: Unpack[_Options]) -> _Image:
    "Keeps smooth gradients from showing bands in 8 bit; goes last."
def saturation(image: _Image, amount: float | str | list[Any] | _Values = 1, luma: Literal['rec709', 'gpuimage',
    'css'] | list[Any] | _Values = 'rec709', **options: Unpack[_Options]) -> _Image:
    "Moves colors away from gray, or toward it."
def lift(image: _Image, amount: float | str | list[Any] | _Values = 0, **options: Unpack[_Options]) -> _Image:
    "Adds to every color, as GPUImage's brightness does."
def luminance_range(image: _Image, reduction: float | str | list[Any] | _Values = 0.6,
    **options: Unpack[_Options]) -> _Image:
    "Pulls brightness toward the middle."
def tint(image: _Image, color: str | tuple[float, ...] | list[Any] | _Values = 'rgb(255, 255, 255)',
    alpha: float | str | list[Any] | _Values = 0.3, **options: Unpack[_Options]) -> _Image:
    "Lays a color over the image."
def mix(image: _Image, strength: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "Sets the strength of the whole effect before it."
def over(image: _Image, **options: Unpack[_Options]) -> _Image:
    "Lays the result of the filters before it over the image they began with."
def brightness(image: _Image, amount: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "CSS brightness(): multiplies every color."
def contrast(image: _Image, amount: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "CSS contrast(): moves colors away from middle gray, or toward it."
def drop_shadow(image: _Image, x: float | str | list[Any] | _Values = 0, y: float | str | list[Any] | _Values = 4,
    blur: float | str | list[Any] | _Values = 6, color: str | tuple[float,
    ...] | list[Any] | _Values = 'rgba(0, 0, 0, 0.5)', **options: Unpack[_Options]) -> _Image:
    "CSS drop-shadow(): a shadow of what is not transparent."
def grayscale(image: _Image, amount: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "CSS grayscale(): takes color away."
def hue_rotate(image: _Image, angle: float | str | list[Any] | _Values = 0, **options: Unpack[_Options]) -> _Image:
    "CSS hue-rotate(): turns every hue."
def invert(image: _Image, amount: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "CSS invert(): turns colors into their complements."
def opacity(image: _Image, amount: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "CSS opacity(): makes the image transparent."
def saturate(image: _Image, amount: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "CSS saturate(): moves colors away from gray, or toward it."
def sepia(image: _Image, amount: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "CSS sepia(): tones like an old photograph."
def gpuimage_gaussian(image: _Image, blur_radius_in_pixels: float | str | list[Any] | _Values = 2,
    blur_passes: int | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "GPUImage's Gaussian blur: its radius, rounded, is the deviation."
def gpuimage_box(image: _Image, blur_radius_in_pixels: float | str | list[Any] | _Values = 4,
    **options: Unpack[_Options]) -> _Image:
    "GPUImage's box blur: its radius is snapped to an even number."
def gpuimage_bilateral(image: _Image, distance_normalization_factor: float | str | list[Any] | _Values = 8,
    texel_spacing: int | list[Any] | _Values = 4, **options: Unpack[_Options]) -> _Image:
    "GPUImage's bilateral filter: nine samples along each axis."
def gpuimage_zoom(image: _Image, blur_size: float | str | list[Any] | _Values = 1,
    blur_center_x: float | str | list[Any] | _Values = 0.5, blur_center_y: float | str | list[Any] | _Values = 0.5,
    **options: Unpack[_Options]) -> _Image:
    "GPUImage's zoom blur: nine samples on the line to a center."
def gpuimage_motion(image: _Image, blur_size: float | str | list[Any] | _Values = 2.5,
    blur_angle: float | str | list[Any] | _Values = 0, **options: Unpack[_Options]) -> _Image:
    "GPUImage's motion blur: nine samples along a line."
def gpuimage_tilt_shift(image: _Image, blur_radius_in_pixels: float | str | list[Any] | _Values = 7,
    top_focus_level: float | str | list[Any] | _Values = 0.4,
    bottom_focus_level: float | str | list[Any] | _Values = 0.6,
    focus_fall_off_rate: float | str | list[Any] | _Values = 0.2, **options: Unpack[_Options]) -> _Image:
    "GPUImage's tilt shift: mixes in a blurred copy above and below a band."
def gpuimage_selective(image: _Image, blur_radius_in_pixels: float | str | list[Any] | _Values = 5,
    exclude_circle_radius: float | str | list[Any] | _Values = 0.1875,
    exclude_circle_point_x: float | str | list[Any] | _Values = 0.5,
    exclude_circle_point_y: float | str | list[Any] | _Values = 0.5,
    exclude_blur_size: float | str | list[Any] | _Values = 0.09375, **options: Unpack[_Options]) -> _Image:
    "GPUImage's selective blur: mixes in a blurred copy around a circle."
def gpuimage_gaussian_position(image: _Image, blur_size: float | str | list[Any] | _Values = 1,
    blur_center_x: float | str | list[Any] | _Values = 0.5, blur_center_y: float | str | list[Any] | _Values = 0.5,
    blur_radius: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "GPUImage's blur inside a circle: nine samples along each axis."
def ios_blur(image: _Image, radius: float | str | list[Any] | _Values = 12,
    saturation: float | str | list[Any] | _Values = 0.8, downsampling: float | str | list[Any] | _Values = 4,
    reduction: float | str | list[Any] | _Values = 0.6, intensity: float | str | list[Any] | _Values = 1,
    **options: Unpack[_Options]) -> _Image:
    "GPUImage's iOS 7 look; its radius times downsampling is the standard deviation."
def light(image: _Image, sigma: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS light: bright glass that lets colors through."
def extra_light(image: _Image, sigma: float | str | list[Any] | _Values = '20pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS extra light: nearly white glass."
def dark(image: _Image, sigma: float | str | list[Any] | _Values = '20pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS dark: dark glass."
def ultra_thin_light(image: _Image, sigma: float | str | list[Any] | _Values = '22.5pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: a breath of light glass."
def thin_light(image: _Image, sigma: float | str | list[Any] | _Values = '29.5pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: thin light glass."
def material_light(image: _Image, sigma: float | str | list[Any] | _Values = '29.5pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: light glass."
def thick_light(image: _Image, sigma: float | str | list[Any] | _Values = '45pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: light glass that lets little through."
def chrome_light(image: _Image, sigma: float | str | list[Any] | _Values = '22.5pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: the light glass of bars."
def ultra_thin_dark(image: _Image, sigma: float | str | list[Any] | _Values = '22.5pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: a breath of dark glass."
def thin_dark(image: _Image, sigma: float | str | list[Any] | _Values = '29.5pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: thin dark glass."
def material_dark(image: _Image, sigma: float | str | list[Any] | _Values = '29.5pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: dark glass."
def thick_dark(image: _Image, sigma: float | str | list[Any] | _Values = '45pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: dark glass that lets little through."
def chrome_dark(image: _Image, sigma: float | str | list[Any] | _Values = '22.5pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: the dark glass of bars."
def dock_light(image: _Image, sigma: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: the light glass under a dock."
def dock_dark(image: _Image, sigma: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: the dark glass under a dock."
def platter_light(image: _Image, sigma: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: the light glass of notices."
def platter_dark(image: _Image, sigma: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: the dark glass of notices."
def toolbar_button(image: _Image, sigma: float | str | list[Any] | _Values = '15pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "iOS material: the glass of buttons in toolbars."
def custom_style(image: _Image, sigma: float | str | list[Any] | _Values = '20pt',
    saturation: float | str | list[Any] | _Values = 1.8, grayscale_tint_level: float | str | list[Any] | _Values = 1,
    grayscale_tint_alpha: float | str | list[Any] | _Values = 0.2, color_tint: str | tuple[float,
    ...] | list[Any] | _Values = 'rgb(255, 255, 255)', color_tint_alpha: float | str | list[Any] | _Values = 0,
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "A look of one's own in the words of iOS blur effects."
def image_effects_light(image: _Image, radius: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "Light, as in Apple's ImageEffects sample."
def image_effects_extra_light(image: _Image, radius: float | str | list[Any] | _Values = '20pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "Extra light, as in Apple's ImageEffects sample."
def image_effects_dark(image: _Image, radius: float | str | list[Any] | _Values = '20pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "Dark, as in Apple's ImageEffects sample."
def image_effects_tint(image: _Image, color: str | tuple[float,
    ...] | list[Any] | _Values = 'rgb(0, 122.39999999999999, 255)', radius: float | str | list[Any] | _Values = '10pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "A colored veil, as in Apple's ImageEffects sample."
def filter_7blur_light(image: _Image, sigma: float | str | list[Any] | _Values = '22pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "7blur's light effect."
def filter_7blur_dark(image: _Image, sigma: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "7blur's dark effect."
def filter_7blur_coral(image: _Image, sigma: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "7blur's coral effect: a touch of red."
def filter_7blur_neon(image: _Image, sigma: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "7blur's neon effect: a touch of green."
def filter_7blur_sky(image: _Image, sigma: float | str | list[Any] | _Values = '30pt',
    intensity: float | str | list[Any] | _Values = 1, **options: Unpack[_Options]) -> _Image:
    "7blur's sky effect: a touch of blue."
def vibrancy(image: _Image, level: Literal['label', 'secondary-label', 'tertiary-label', 'quaternary-label', 'fill',
    'secondary-fill', 'tertiary-fill', 'separator'] | list[Any] | _Values = 'label', appearance: Literal['light',
    'dark'] | list[Any] | _Values = 'light', **options: Unpack[_Options]) -> _Image:
    "The color of vibrant content over a material, to be applied through a mask."
def glass(image: _Image, variant: Literal['regular', 'clear'] | list[Any] | _Values = 'regular',
    appearance: Literal['light', 'dark'] | list[Any] | _Values = 'light', x: float | str | list[Any] | _Values = 0.5,
    y: float | str | list[Any] | _Values = 0.5, width: float | str | list[Any] | _Values = '90%',
    height: float | str | list[Any] | _Values = '36%', radius: float | str | list[Any] | _Values = '100%',
    blur: float | str | None | list[Any] | _Values = None, refraction: float | str | list[Any] | _Values = '60pt',
    depth: float | str | list[Any] | _Values = '20pt', dispersion: float | str | list[Any] | _Values = 0,
    highlight: float | str | list[Any] | _Values = 0.5, light: float | str | list[Any] | _Values = 45,
    shadow: float | str | list[Any] | _Values = 0.15, **options: Unpack[_Options]) -> _Image:
    "Lays a pane of glass with a bent rim over the image."
