"""Ray Data: an actor that filters images, for Dataset.map_batches.

    dataset.map_batches(frostglass.ray.Blur, fn_constructor_kwargs={"filter": "blur(20px)"}, …)

The page docs/integrate/python-fleet.md goes through it.
"""
try:
    import numpy
    import pyarrow as pa
    import ray
    from ray.data.block import BlockAccessor
except ImportError as missing:
    raise ImportError(f"frostglass.ray needs Ray Data ({missing}): pip install 'frostglass[ray]'") from None

from . import arrow
from ._library import Error
from ._rows import Rows

__all__ = ["Blur"]


class Blur:
    """State of an actor of map_batches: filters, planned once, and an engine.

    filter
        A text such as "blur(20px) saturate(180%)", or a frostglass.Filter.
    column
        Where images are: files' bytes, as read_binary_files has them, or arrays.
    result
        The column of results, or as many names as the Filter has texts; None is in the images' place.
    error
        The column that says why a row has no result; null where it has one.
    format, quality
        Of files: "jpeg", "png", "webp" and others, None for that of each image; 1 to 100 for the lossy.
    threads
        None is the actor's `num_cpus`, or what a Filter says.

    Parameters that cannot be meant raise frostglass.Error. A row without a result has null there, or where
    images are arrays one without pixels. Batches may be dicts of NumPy or Arrow's tables.
    """

    def __init__(
        self, filter, *, column="bytes", result=None, error="error", format=None, quality=90,
        threads=None,
    ):
        threads = actors_threads() if threads is None else threads
        self.rows = Rows(filter, column, result, error, format, quality, threads)

    def __call__(self, batch):
        if isinstance(batch, pa.Table):
            parts = batch.to_batches() or [pa.RecordBatch.from_pylist([], schema=batch.schema)]
            return pa.Table.from_batches(arrow.filtered(parts, self.rows))
        if not isinstance(batch, dict):
            raise Error(f"the batch is a {type(batch).__name__}; batch_format must be \"numpy\" or "
                        "\"pyarrow\"")
        self.rows.check(batch)
        pictures = batch[self.rows.column]
        # Batches of Ray's are memory that is shared, and so is what is in them: results have places of
        # their own.
        uniform = isinstance(pictures, numpy.ndarray) and pictures.ndim > 1
        rooms = None
        if uniform:
            like = numpy.empty(pictures.shape[1:], pictures.dtype)
            rooms = [
                numpy.empty((len(pictures), *shape), pictures.dtype) for shape in self.rows.shapes(like)]
        made = list(self.rows.each(pictures, rooms))
        errors = [error for _, error in made]
        columns = dict(batch)
        for number, name in enumerate(self.rows.names):
            if uniform and not any(errors):
                columns[name] = rooms[number]
            else:
                columns[name] = column_of([results[number] for results, _ in made], pictures)
        columns[self.rows.error] = pa.array(errors, pa.string())
        # By way of Arrow, as NumPy's columns have no null: one without any error would be of another kind.
        return BlockAccessor.batch_to_arrow_block(columns)


def actors_threads():
    """As many as the actor has CPUs, one at least."""
    # Asking would start a Ray of its own.
    context = ray.get_runtime_context() if ray.is_initialized() else None
    if context is None or context.get_actor_id() is None:
        return 1
    return max(1, int(context.get_assigned_resources().get("CPU", 1)))


def column_of(results, pictures):
    """A column of bytes, or of arrays that may differ."""
    like = [picture for picture in pictures if hasattr(picture, "dtype")]
    if not like:
        return pa.array(results, pa.binary())
    column = numpy.empty(len(results), object)
    for number, result in enumerate(results):
        column[number] = like[0][:0] if result is None else result
    return column
