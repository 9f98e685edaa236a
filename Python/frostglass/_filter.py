"""Filters that are planned once for pictures of a size, and run on any number of them."""
import ctypes

from . import _library as lib
from ._library import Error
from ._pixels import is_pillow, is_torch, pixels, readable, result_for, writable
from ._run import is_long, run

KEPT_PLANS = 8


class Plan:
    """What will be done to pictures of one size, decided; print it to read it.

    certified_error
        How far a sample can be from the true one before it is rounded, for any picture: in levels of 255.
    kernel_error, model_error, arithmetic_error
        What it is made of: approximated kernels, filters that approximate by definition, arithmetic.
    memory
        Bytes that a run takes beside the pictures.
    multiply_adds
        Per pixel and channel.
    text
        Its steps, as `frostglass plan` shows them.
    """

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
    """Filters in text form, such as Filter("blur(20px) saturate(180%)"), to be called with pictures.

    Several texts make as many results, for which shared work is done once: a tuple.

    regions, mask
        Where the filters act: shapes as in docs/regions.md (a text, a rectangle (x, y, width, height), or
        a list of these), and a picture of coverage with the picture's height and width. An empty list, and
        a picture that covers nothing, leave the picture as it is.
    feather, grow
        How far the coverage fades outside, and how far its borders are moved outward: pixels, or a text
        such as "2%".
    invert, mask_use
        Whether the outside is meant; "show", "confine" or "scale".
    edge
        Beyond the border: "clamp", "mirror", "wrap" or "transparent".
    quality
        "exact" is within 1 level of 255, "fast" within 2.
    linear
        Whether to work in linear light.
    scale
        Pixels per point, for units of "pt".
    alpha_mode
        What a fourth channel is: "straight", "premultiplied" or "opaque", which says that it is full.
    transfer
        What samples are: "encoded" with the sRGB curve, or "linear".
    threads
        How many; 0 is one on each core.
    backend, device
        "fast" is the CPU. "gl" is a GPU and `device` which, by its number in `frostglass doctor` or a part
        of its name; "auto" whichever is faster, "reference" what defines the right result. All but "fast"
        are of libfrostglass-files.so.
    """

    def __init__(
        self, *filters, regions=None, mask=None, feather=0, grow=0, invert=False, mask_use="show",
        edge="clamp", quality="exact", linear=False, scale=1, alpha_mode="straight",
        transfer="encoded", threads=0, backend="fast", device=None,
    ):
        if not filters:
            raise Error("the filter text is missing; write for example Filter(\"blur(20px)\")")
        for text in filters:
            encoded(text, "filters")
        self.filters = filters
        # Copied, and regions as a text: what is given may change before it is used, and be read only once.
        self._mask = mask if mask is None or isinstance(mask, Mask) else Mask.of(mask)
        self.options = {
            "regions": None if regions is None else shapes(regions), "mask": self._mask,
            "feather": feather, "grow": grow, "invert": invert, "mask_use": mask_use, "edge": edge,
            "quality": quality, "linear": linear, "scale": scale, "alpha_mode": alpha_mode,
            "transfer": transfer, "threads": threads, "backend": backend, "device": device,
        }
        self._alpha = lib.choice(alpha_mode, lib.ALPHAS, "alpha_mode")
        self._transfer = lib.choice(transfer, lib.TRANSFERS, "transfer")
        self._plans = {}
        # What is wrong with the words shows for any picture.
        try:
            self._plan((1, 1, 3), "u1", masked=False)
        except Error as error:
            if error.code not in ("FG_BAD_VALUE", "FG_TOO_LARGE"):
                raise

    def __repr__(self):
        usual = Filter.__init__.__kwdefaults__
        words = [repr(text) for text in self.filters] + [
            f"{name}={value!r}" for name, value in self.options.items()
            if value is not usual[name] and value != usual[name]]
        return f"frostglass.Filter({', '.join(words)})"

    def __reduce__(self):
        return _again, (self.filters, self.options)

    def plan(self, image):
        """The plan for pictures like this one; for several texts a tuple.

        image: a picture or a batch; or a shape of 8-bit samples: (height, width, channels).
        """
        if isinstance(image, tuple):
            shape, sample, alpha = image, "u1", self._alpha
            if len(shape) not in (2, 3):
                raise Error(f"the shape is {shape!r}; it must be (height, width, channels)")
            shape = tuple(lib.whole(side, "a side of the shape") for side in shape)
            shape = shape if len(shape) == 3 else shape + (1,)
        else:
            found = pixels(image)
            shape, sample, alpha = found.shape, found.sample, self._alpha_of(found)
        kept = self._plan(shape, sample, alpha)
        plans = tuple(Plan(kept.handle, result) for result in range(len(self.filters)))
        return plans if len(plans) > 1 else plans[0]

    def __call__(self, image, *, out=None, progress=None):
        """Filters a picture or a batch of pictures.

        image
            An array of (height, width), (height, width, channels) or (pictures, height, width, channels)
            with 1, 3 or 4 channels of uint8, uint16 or float32: of NumPy, or anything with
            `__array_interface__`, DLPack on the CPU such as torch's tensors, or a buffer with a shape; or
            a Pillow image.
        out
            Where the result goes: as the image, writable, not overlapping it, or the image itself; for
            several texts a tuple.
        progress
            Called in this thread with how much is done, 0 to 1; where it returns True the run ends with
            an error.

        Returns what is like the image: an array, an image of Pillow, a tensor, otherwise a memoryview; or
        `out`. It has 4 channels, with straight alpha, where filters or a transparent edge make a picture
        without alpha transparent, and 3 where they make colors of gray.

        Ctrl-C ends a run, also while the library computes.
        """
        source = readable(image)
        # Held to the end: other threads may have so many sizes that it is kept no longer.
        kept = self._plan(source.shape, source.sample, self._alpha_of(source))
        count = len(self.filters)
        if out is None:
            rooms, finish = zip(*(result_for(source, channels) for channels in kept.channels))
        else:
            given = out if count > 1 else (out,)
            if not isinstance(given, (tuple, list)) or len(given) != count:
                raise Error(f"out must be {count} places, as there are {count} results")
            rooms = [
                writable(place, source, channels) for place, channels in zip(given, kept.channels)]
            finish = [lambda place=place: place for place in given]
            for number, room in enumerate(rooms):
                for other in rooms[:number]:
                    if (source.frames or 1) > 1 and room.extent[0] < other.extent[1] \
                            and other.extent[0] < room.extent[1]:
                        raise Error("places of out overlap each other")
        frames = source.frames or 1
        if progress is not None and not callable(progress):
            raise Error(f"progress is {lib.shown(progress)}; it must be a function, which takes a number")
        alpha = self._alpha_of(source)
        height, width, channels = source.shape
        long = is_long(height * width * channels, kept.multiply_adds, self.options["backend"])
        for frame in range(frames):
            picture = self._image(source, frame, self._alpha_for(channels, alpha))
            places = (lib.Image * count)(
                *(self._image(room, frame, alpha) for room, alpha in zip(rooms, kept.alphas)))

            def told(done, frame=frame):
                return progress((frame + done) / frames)

            run((kept.handle, picture, places, count), (kept, source, rooms),
                None if progress is None else told, long)
        results = tuple(make() for make in finish)
        return results if count > 1 else results[0]

    def shapes_for(self, found):
        """The shape of each result for pixels like these."""
        kept = self._plan(found.shape, found.sample, self._alpha_of(found))
        return [found.shape_with(channels) for channels in kept.channels]

    def _alpha_of(self, found):
        if is_pillow(found.source) and found.source.mode == "RGBa":
            return lib.ALPHAS.index("premultiplied")
        return self._alpha

    def _image(self, place, frame, alpha):
        height, width, channels = place.shape
        return lib.sized(
            lib.Image, data=place.address + frame * place.frame_stride, width=width, height=height,
            stride=place.stride, format=lib.FORMATS[channels, place.sample],
            alpha=alpha, transfer=self._transfer)

    @staticmethod
    def _alpha_for(channels, alpha):
        return alpha if channels == 4 else 0

    def _plan(self, shape, sample, alpha=None, masked=True):
        alpha = self._alpha_for(shape[2], self._alpha if alpha is None else alpha)
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
            format=lib.FORMATS[channels, sample], transfer=self._transfer)
        options = lib.sized(
            lib.PlanOptions, input=ctypes.pointer(like),
            edge=lib.choice(given["edge"], lib.EDGES, "edge"),
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
        if given["regions"] is None and self._mask is None:
            return None
        mask = lib.sized(
            lib.Mask, feather=length(given["feather"], "feather"), grow=length(given["grow"], "grow"),
            inverted=truth(given["invert"], "invert"),
            use=lib.choice(given["mask_use"], lib.USES, "mask_use"))
        if given["regions"] is not None and given["regions"] != []:
            mask.regions = encoded(given["regions"], "regions")
        if self._mask is not None:
            mask.picture = ctypes.pointer(self._mask.image)
        return mask


class Mask:
    """A picture of coverage, copied."""

    def __init__(self, width, height, kind, data):
        self.parts = width, height, kind, data
        self.image = lib.sized(
            lib.Image, data=ctypes.cast(data, ctypes.c_void_p), width=width, height=height,
            format=kind)

    @classmethod
    def of(cls, source):
        """The coverage in any object that has pixels; booleans are all or nothing."""
        about = getattr(source, "__array_interface__", None)
        if isinstance(about, dict) and about.get("typestr") == "|b1":
            import numpy

            source = numpy.where(source, numpy.uint8(255), numpy.uint8(0))
        elif is_torch(source) and str(source.dtype) == "torch.bool":
            source = source.byte() * 255
        found = readable(source, "the mask")
        if found.frames is not None:
            raise Error(f"the mask has the shape {found.given}; one is for all pictures of a batch")
        height, width, channels = found.shape
        rows = (ctypes.string_at(found.address + y * found.stride, found.row) for y in range(height))
        return cls(width, height, lib.FORMATS[channels, found.sample], b"".join(rows))

    def __repr__(self):
        return f"<a mask of {self.parts[0]}×{self.parts[1]}>"

    def __reduce__(self):
        return Mask, self.parts


def _again(filters, options):
    return Filter(*filters, **options)


def encoded(text, name):
    if not isinstance(text, str):
        raise Error(f"{name}: a text is needed, not {type(text).__name__}")
    if "\0" in text:
        raise Error(f"{name}: a zero was not expected in the text")
    return text.encode("utf-8", "surrogatepass")


def clamped(side):
    """A side that C can be told of, out of range where it was."""
    return max(min(side, 2**63 - 1), -2**63)


def truth(value, name):
    """Whether something is meant; None is not. A text or an array would be, whatever it says."""
    if not hasattr(value, "__bool__") or hasattr(value, "__len__"):
        raise Error(f"{name} is {value!r}; it must be True or False")
    return bool(value)


def number(value, name):
    try:
        if not isinstance(value, (bool, bytes, bytearray)):
            return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # The last is torch's.
        pass
    raise Error(f"{name} is {lib.shown(value)}; it must be a number")


def decimal(value, name):
    """A number as text."""
    text = repr(number(value, name))
    return text[:-2] if text.endswith(".0") else text


def length(value, name):
    if isinstance(value, str):
        return encoded(value, name)
    return repr(number(value, name)).encode()


def shapes(regions):
    """Regions as one text; a list where there are none."""
    if isinstance(regions, str):
        return regions
    try:
        # Sets and dicts have no order that is meant, and bytes would be numbers in a row.
        if isinstance(regions, (set, frozenset, dict, bytes, bytearray)):
            raise TypeError
        regions = [listed(region) for region in regions]
    except TypeError:
        raise Error(f"regions is {lib.shown(regions)}; it must be a text, (x, y, width, height), or a "
                    "list of these") from None
    if not regions:
        return []
    if len(regions) == 4 and not any(isinstance(part, (str, tuple, list)) for part in regions):
        regions = [regions]
    texts = []
    for region in regions:
        if isinstance(region, str):
            texts.append(region)
        elif not isinstance(region, (tuple, list)):
            raise Error(f"a region is {lib.shown(region)}; it must be a text, or (x, y, width, height)")
        else:
            texts.append(",".join(decimal(side, "a region's side") for side in region))
    return "; ".join(texts)


def listed(region):
    """A region that is an array's row as a list."""
    return region.tolist() if hasattr(region, "tolist") else region
