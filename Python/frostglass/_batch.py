"""Runs of filters on an image, on all images of a batch alike, or on each with filters of its own."""
from . import _device, _library as lib
from ._forms import form_of
from ._library import Error
from ._pixels import readable, result_for, writable
from ._run import is_long, run


def apply(filters, image, out, progress, is_each=False):
    """Filters an image or a batch.

    filters
        One for all images; or, where `is_each`, one for each image of a batch. They have as many results, and
        the options of the first but for where they act.
    """
    if _device.holds(image):
        return _device.apply(filters, image, out, progress, is_each)
    first = filters[0]
    form = form_of(
        image, first.options["layout"], first.is_planar, first.options["redaction"] is None, is_gaussian(first))
    source = readable(form.image)
    height, width, channels = source.shape
    if first.options["order"] == "bgr" and hasattr(form, "info"):
        raise Error("order is 'bgr'; images of Pillow have red first")
    frames = 1 if source.frames is None else source.frames
    if is_each:
        if not (source.frames is not None if form.is_batch is None else form.is_batch):
            raise Error(f"there are values for each of {len(filters)} images, but {source.name} is one alone")
        if len(filters) != frames // form.planes:
            raise Error(f"there are values for {len(filters)} images, but {frames // form.planes} in the batch")
    alpha = first.alpha_of(source)
    # Held to the end: other threads may have so many sizes that they are kept no longer.
    kepts = [filter.planned(source.shape, source.sample, alpha) for filter in filters]
    kept = kepts[0]
    if form.isolates and kept.channels != [1] * len(kept.channels):
        raise Error("filters that make colors or transparency need 1, 3 or 4 channels that belong together; "
                    "here each is filtered by itself")
    if any(other.channels != kept.channels or other.alphas != kept.alphas for other in kepts):
        raise Error("the images of the batch would have different channels: filter them one by one")
    count = len(first.filters)
    own_places = out is None or hasattr(form, "put")
    if own_places:
        rooms, finish = zip(*(result_for(source, number) for number in kept.channels))
    if out is not None:
        given = out if count > 1 else (out,)
        if not isinstance(given, (tuple, list)) or len(given) != count:
            raise Error(f"out must be {count} places, as there are {count} results")
    if not own_places:
        rooms = places_in(given, source, kept, frames)
        finish = [lambda place=place: place for place in given]
    if progress is not None and not callable(progress):
        raise Error(f"progress is {lib.shown(progress)}; it must be a function, which takes a number")
    for frame in range(frames):
        kept = kepts[frame // form.planes] if is_each else kept
        long = is_long(height * width * channels, kept.multiply_adds, first.options["backend"])
        picture = first.image_of(source, frame, alpha if channels == 4 else 0)
        places = (lib.Image * count)(
            *(first.image_of(room, frame, each) for room, each in zip(rooms, kept.alphas)))
        told = None if progress is None else share_of(progress, frame, frames)
        run((kept.handle, picture, places, count), (kept, source, rooms), told, long)
    results = [form.result(make()) for make in finish] if own_places else [make() for make in finish]
    if own_places and out is not None:
        results = [form.put(result, place) for result, place in zip(results, given)]
    return tuple(results) if count > 1 else results[0]


def is_gaussian(filter):
    """True if it filters each channel separately and alike, apart from alpha."""
    return filter.options["edge"] != "transparent" and all(
        text.startswith("gaussian(") and text.count("(") == 1 and "transparent" not in text
        for text in filter.filters)


def places_in(given, source, kept, frames):
    """The caller's memory for results, which do not overlap each other."""
    rooms = [writable(place, source, channels) for place, channels in zip(given, kept.channels)]
    for number, room in enumerate(rooms):
        for other in rooms[:number]:
            if frames > 1 and room.extent[0] < other.extent[1] and other.extent[0] < room.extent[1]:
                raise Error("places of out overlap each other")
    return rooms


def share_of(progress, frame, frames):
    """Tells how much of a batch is done."""
    return lambda done: progress((frame + done) / frames)


def values_of_each(value, is_one):
    """The values for each image of a batch, of a list or an array of them; None for one value.

    is_one: whether a list is one value itself.
    """
    if hasattr(value, "tolist") and getattr(value, "shape", ()) != ():
        value = value.tolist()
    if not isinstance(value, list) or not value or is_one(value):
        return None
    return value
