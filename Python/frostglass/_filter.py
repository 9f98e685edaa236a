"""Filters that are planned once for images of a size, and run on any number of them."""
import ctypes

from . import _library as lib
from ._areas import encoded, length, masks_of, number, regions_of
from ._batch import apply
from ._edges import named
from ._forms import form_of, letters_of
from ._library import Error
from ._pixels import is_pillow, readable

KEPT_PLANS = 8


class Plan:
    """A prepared plan for images of one size; print it to read it.

    certified_error
        How far a sample can be from the true one before it is rounded, for any image: in levels of 255.
    kernel_error, model_error, arithmetic_error
        What it is made of: approximated kernels, filters that approximate by definition, arithmetic.
    memory
        Bytes that a run takes beside the images.
    multiply_adds
        Per pixel and channel.
    text
        Its steps, as `frostglass plan` shows them.
    """

    __module__ = "frostglass"

    def __init__(self, handle, result):
        info = lib.sized(lib.PlanInfo)
        lib.call("fg_plan_describe", handle, result, info)
        self.certified_error = info.certified_error
        self.kernel_error = info.kernel_error
        self.model_error = info.model_error
        self.arithmetic_error = info.arithmetic_error
        self.memory = info.memory
        self.multiply_adds = info.multiply_adds
        self.text = lib.text("fg_plan_text", handle)

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<frostglass.Plan, certified under {self.certified_error + 0.0005:.3f} levels of 255>"


class Filter:
    """Filters in text form, such as Filter("blur(20px) saturate(180%)"), to be called with images.

    Several texts make as many results, for which shared work is done once: a tuple.

    regions, mask
        Where the filters act: shapes as in docs/use/regions.md (a text, a rectangle (x, y, width, height), or
        a list of these), and a coverage image of the same height and width. An empty list, and coverage of
        nothing, leave the image as it is. For a batch also a list of such lists, and coverage images, one for
        each image.
    feather, grow
        How far the coverage fades outside, and how far its borders are moved outward: pixels, or a text
        such as "2%".
    invert, mask_use
        Whether the outside is meant; "show", "confine" or "scale".
    edge
        Beyond the border: "clamp", "mirror", "reflect-101", "wrap" or "transparent"; or "nearest",
        "grid-mirror", "grid-wrap", "replicate", "symmetric", "circular", as others call them. "mirror" repeats
        the border's pixels and "reflect-101" does not, which SciPy calls "reflect" and "mirror".
    quality
        "exact" is within 1 level of 255, "fast" within 2, "exact16" within 2 codes of 65535.
    linear
        Whether to work in linear light.
    scale
        Pixels per point, for units of "pt".
    alpha_mode
        What a fourth channel is: "straight", "premultiplied", "opaque", which says that it is full, or
        "none", for which each channel is filtered by itself.
    transfer
        What samples are: "encoded" with the sRGB curve, or "linear".
    layout
        A letter for each axis of an array: H, W, C for channels and N for images of a batch, such as
        "CHW", "NCHW" or "NHW". More axes before them are those of a batch. Other numbers of channels than
        1, 3 and 4 are filtered each by itself. Without it channels come last.
    order
        "rgb", or "bgr" for images that have blue first, such as OpenCV's.
    threads
        How many; 0 is one on each core.
    backend, device
        "fast" is the CPU. "gl" is a GPU and `device` which, by its number in `frostglass doctor` or a part
        of its name; "auto" whichever is faster, "reference" what defines the right result. All but "fast"
        are of libfrostglass-files.so.
    """

    __module__ = "frostglass"

    def __init__(
        self, *filters, regions=None, mask=None, feather=0, grow=0, invert=False, mask_use="show",
        edge="clamp", quality="exact", linear=False, scale=1, alpha_mode="straight",
        transfer="encoded", layout=None, order="rgb", threads=0, backend="fast", device=None,
    ):
        self._settle(filters, {
            "regions": regions, "mask": mask, "feather": feather, "grow": grow, "invert": invert,
            "mask_use": mask_use, "edge": edge, "quality": quality, "linear": linear, "scale": scale,
            "alpha_mode": alpha_mode, "transfer": transfer, "layout": layout, "order": order,
            "threads": threads, "backend": backend, "device": device,
        })
        # What is wrong with the words shows for any image.
        try:
            self.planned((1, 1, 3), "u1", masked=False)
        except Error as error:
            if error.code not in ("FG_BAD_VALUE", "FG_TOO_LARGE"):
                raise

    @classmethod
    def unchecked(cls, filters, options):
        """A filter whose words are read with its first image, which is soon.

        options: as of the initializer, and `redaction`: None, "surroundings" or a color 0xRRGGBB.
        """
        made = cls.__new__(cls)
        made._settle(filters, options)
        return made

    def _settle(self, filters, options):
        if not filters:
            raise Error("the filter text is missing; write for example Filter(\"blur(20px)\")")
        for text in filters:
            encoded(text, "filters")
        self.filters = tuple(filters)
        # Copied, and regions as a text: what is given may change before it is used, and be read only once.
        regions, mask = options["regions"], options["mask"]
        each, regions = regions_of(regions)
        masks, mask = masks_of(mask)
        self.options = {**options, "regions": regions, "mask": mask, "edge": named(options["edge"])}
        self.options.setdefault("redaction", None)
        self._alpha = lib.choice(options["alpha_mode"], lib.ALPHAS, "alpha_mode") % lib.ALPHAS.index("none")
        self.is_planar = options["alpha_mode"] == "none"
        self._transfer = lib.choice(options["transfer"], lib.TRANSFERS, "transfer")
        lib.choice(options["order"], lib.ORDERS, "order")
        if options["layout"] is not None:
            letters_of(options["layout"])
        self._plans = {}
        self._each = None
        counts = {len(values) for values in (each, masks) if values is not None}
        if len(counts) > 1:
            raise Error(f"there are regions for {len(each)} images and masks for {len(masks)}")
        if counts:
            self._each = [
                Filter.unchecked(self.filters, {
                    **self.options, "regions": regions if each is None else each[number],
                    "mask": mask if masks is None else masks[number]})
                for number in range(counts.pop())]

    def of_each(self, count):
        """The filter for each of so many images; itself where it acts alike on all."""
        if self._each is None:
            return [self] * count
        if len(self._each) != count:
            raise Error(f"there are values for {count} images, regions or masks for {len(self._each)}")
        return self._each

    def __repr__(self):
        usual = Filter.__init__.__kwdefaults__
        words = [repr(text) for text in self.filters] + [
            f"{name}={value!r}" for name, value in self._given().items()
            if value is not usual.get(name) and value != usual.get(name)]
        return f"frostglass.Filter({', '.join(words)})"

    def _given(self):
        """The options, with regions and masks of each image where they have their own."""
        given = dict(self.options)
        if self._each is not None:
            for name in ("regions", "mask"):
                values = [filter.options[name] for filter in self._each]
                if any(value is not given[name] for value in values):
                    # As they would be given.
                    given[name] = [[value] if isinstance(value, str) else value for value in values]
        return given

    def __reduce__(self):
        return _again, (self.filters, self._given())

    def changed(self, **options):
        """The same filter with other options."""
        return Filter.unchecked(self.filters, {**self._given(), **options})

    def _key(self):
        return self.filters, tuple(
            (name, repr(value) if isinstance(value, list) else value)
            for name, value in sorted(self._given().items()))

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, Filter) else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def plan(self, image):
        """The plan for images like this one; for several texts a tuple.

        image: an image or a batch; or a shape of 8-bit samples: (height, width, channels).
        """
        if isinstance(image, tuple):
            shape, sample, alpha = image, "u1", self._alpha
            if len(shape) not in (2, 3):
                raise Error(f"the shape is {shape!r}; it must be (height, width, channels)")
            shape = tuple(lib.whole(side, "a side of the shape") for side in shape)
            shape = shape if len(shape) == 3 else shape + (1,)
        else:
            found = readable(form_of(image, self.options["layout"], self.is_planar).image)
            shape, sample, alpha = found.shape, found.sample, self.alpha_of(found)
        if self._each is not None:
            raise Error("this filter acts differently on each image of a batch; plan one without its regions "
                        "and masks")
        kept = self.planned(shape, sample, alpha)
        plans = tuple(Plan(kept.handle, result) for result in range(len(self.filters)))
        return plans if len(plans) > 1 else plans[0]

    def __call__(self, image, *, out=None, progress=None):
        """Filters an image or a batch of images.

        image
            An array of (height, width), (height, width, channels) or (images, height, width, channels)
            with 1, 3 or 4 channels, or as the filter's layout says, of uint8, uint16, float32, float16 or
            bfloat16: of NumPy, or anything with `__array_interface__`, DLPack on the CPU such as torch's
            tensors, or a buffer with a shape; or a Pillow image. Of uint8 also an array on a CUDA device,
            which is blurred there, into another place.
        out
            Where the result goes: as the image, writable, not overlapping it, or the image itself; for
            several texts a tuple.
        progress
            Called in this thread with how much is done, 0 to 1; where it returns True the run ends with
            an error.

        Returns what is like the image: an array, an image of Pillow, a tensor, otherwise a memoryview; or
        `out`. It has 4 channels, with straight alpha, where filters or a transparent edge make an image
        without alpha transparent, and 3 where they make colors of gray.

        Ctrl-C ends a run, also while the library computes.
        """
        if self._each is None:
            return apply([self], image, out, progress)
        return apply(self._each, image, out, progress, is_each=True)

    def shapes_for(self, found):
        """The shape of each result for pixels like these."""
        kept = self.planned(found.shape, found.sample, self.alpha_of(found))
        return [found.shape_with(channels) for channels in kept.channels]

    def alpha_of(self, found):
        """The meaning of an image's fourth channel."""
        if is_pillow(found.source) and found.source.mode == "RGBa":
            return lib.ALPHAS.index("premultiplied")
        return self._alpha

    def image_of(self, place, frame, alpha):
        """An image of a batch, as C is told of it."""
        height, width, channels = place.shape
        return lib.sized(
            lib.Image, data=place.address + frame * place.frame_stride, width=width, height=height,
            stride=place.stride,
            format=lib.format_of(channels, place.sample, self.options["order"]),
            alpha=alpha, transfer=self._transfer)

    def planned(self, shape, sample, alpha=None, masked=True):
        """The plan for images of a shape, kept for the next ones."""
        alpha = (self._alpha if alpha is None else alpha) if shape[2] == 4 else 0
        key = shape, sample, alpha, masked
        known = self._plans.get(key)
        if known is None:
            known = self._made(shape, sample, alpha, masked)
            while len(self._plans) >= KEPT_PLANS:
                # Another thread may have been faster.
                self._plans.pop(next(iter(self._plans), None), None)
            self._plans[key] = known
        return known

    def _made(self, shape, sample, alpha, masked):
        given = self.options
        height, width, channels = shape
        if channels not in lib.CHANNELS.values():
            raise Error(f"there are {channels} channels; it must be 1, 3 or 4")
        like = lib.sized(
            lib.Image, width=clamped(width), height=clamped(height), alpha=alpha,
            format=lib.format_of(channels, sample, given["order"]), transfer=self._transfer)
        options = lib.sized(
            lib.PlanOptions, input=ctypes.pointer(like),
            edge=lib.EDGES.index(given["edge"]),
            quality=lib.choice(given["quality"], lib.QUALITIES, "quality"),
            linear_light=truth(given["linear"], "linear"), scale=number(given["scale"], "scale"))
        if options.scale == 0:  # In C that is as usual.
            raise Error("options: scale is 0; it must be from 0.001 to 1000 pixels per point")
        mask = self._mask_for(shape) if masked else None
        if mask is not None:
            options.mask = ctypes.pointer(mask)
        texts = (ctypes.c_char_p * len(self.filters))(
            *(encoded(text, "filters") for text in self.filters))
        handle = ctypes.c_void_p()
        engine = lib.engine(given["threads"], given["backend"], given["device"])
        lib.call("fg_plan_create", engine, texts, len(self.filters), options, handle)
        return lib.PlanHandle(handle, len(self.filters))

    def _mask_for(self, shape):
        given = self.options
        redaction = given["redaction"]
        if given["regions"] is None and given["mask"] is None and redaction is None:
            return None
        mask = lib.sized(
            lib.Mask, feather=length(given["feather"], "feather"), grow=length(given["grow"], "grow"),
            inverted=truth(given["invert"], "invert"),
            use=lib.choice(given["mask_use"], lib.USES, "mask_use"))
        if given["regions"] is not None and given["regions"] != []:
            mask.regions = encoded(given["regions"], "regions")
        if given["mask"] is not None:
            mask.picture = ctypes.pointer(given["mask"].image)
        if redaction is not None:
            is_color = redaction != "surroundings"
            mask.use = lib.REDACT_COLOR if is_color else lib.REDACT
            mask.color = redaction if is_color else 0
        return mask


def _again(filters, options):
    return Filter.unchecked(filters, options)


def clamped(side):
    """A side that C can be told of, out of range where it was."""
    return max(min(side, 2**63 - 1), -2**63)


def truth(value, name):
    """The truth of a Boolean or None. Refuses texts and arrays, whatever they hold."""
    if not hasattr(value, "__bool__") or hasattr(value, "__len__"):
        raise Error(f"{name} is {value!r}; it must be True or False")
    return bool(value)
