"""Record batches of Arrow: for mapInArrow of Spark, and whatever else reads and writes them.

    frostglass.arrow.blur_batches(batches, "blur(20px)", column="content")

The page docs/integrate/python-fleet.md goes through it.
"""
try:
    import numpy
    import pyarrow as pa
except ImportError:
    raise ImportError("frostglass.arrow needs pyarrow and NumPy: pip install 'frostglass[arrow]'") from None

from ._library import Error
from ._rows import Rows

__all__ = ["blur_batches"]

# A batch that comes in goes out in pieces of about so many bytes of results.
PIECE = 64 << 20


def blur_batches(
    batches, filter, *, column="content", result=None, error="error", format=None, quality=90,
    threads=1,
):
    """Filters a column of images, record batch by record batch: an iterator of as many rows.

    batches
        An iterable of pyarrow.RecordBatch.
    filter
        A text such as "blur(20px) saturate(180%)", or a frostglass.Filter.
    column
        Where images are: files' bytes (binary or large_binary), or arrays of (height, width) or (height,
        width, channels) as fixed_shape_tensor.
    result
        The column of results, or as many names as the Filter has texts; None is in the images' place.
    error
        The column that says why a row has no result; null where it has one.
    format, quality
        Of files: "jpeg", "png", "webp" and others, None for that of each image; 1 to 100 for the lossy.
    threads
        For a Filter without a number of its own; 0 is one on each core.

    What is wrong with the parameters raises frostglass.Error at once, a column that is not there with the
    first batch. Memory that batches share is only read.
    """
    return filtered(batches, Rows(filter, column, result, error, format, quality, threads))


def filtered(batches, rows):
    """Record batches with results."""
    for batch in batches:
        rows.check(batch.schema.names)
        pictures = batch.column(batch.schema.get_field_index(rows.column))
        start, made, size = 0, [], 0
        for results, error in rows.each(values(pictures, rows.column)):
            made.append((results, error))
            size += sum(map(extent, results))
            if size >= PIECE:
                yield assembled(batch.slice(start, len(made)), pictures.type, made, rows)
                start, made, size = start + len(made), [], 0
        if made or batch.num_rows == 0:
            yield assembled(batch.slice(start), pictures.type, made, rows)


def values(pictures, column):
    """Each row's bytes or array, None where it is null."""
    kind = pictures.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return (picture.as_py() for picture in pictures)
    if isinstance(kind, pa.FixedShapeTensorType):
        if kind.permutation is not None and kind.permutation != list(range(len(kind.shape))):
            raise Error(f"the column {column!r} is {kind}; permuted tensors are not taken")
        return (picture.to_numpy() if picture.is_valid else None for picture in pictures)
    raise Error(f"the column {column!r} is {kind}; files' bytes are binary or large_binary, arrays "
                "fixed_shape_tensor")


def extent(result):
    """Bytes of a result."""
    return 0 if result is None else getattr(result, "nbytes", None) or len(result)


def assembled(batch, kind, made, rows):
    """The rows of a batch with what was made of them."""
    columns = dict(zip(batch.schema.names, batch.columns))
    fields = {field.name: field for field in batch.schema}
    kinds = result_kinds(kind, rows)
    for number, name in enumerate(rows.names):
        columns[name] = stored([results[number] for results, _ in made], kinds[number])
        field = fields.get(name, pa.field(name, kind))
        fields[name] = field.with_type(kinds[number]).with_nullable(True)
    columns[rows.error] = pa.array([error for _, error in made], pa.string())
    fields[rows.error] = pa.field(rows.error, pa.string())
    schema = pa.schema(list(fields.values()), metadata=batch.schema.metadata)
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)


def result_kinds(kind, rows):
    """The type of each column of results: tensors may have other channels than the images."""
    if not isinstance(kind, pa.FixedShapeTensorType):
        return [kind] * len(rows.names)
    shape = tuple(kind.shape)
    like = numpy.empty(shape, kind.value_type.to_pandas_dtype())
    return [
        kind if made == shape else pa.fixed_shape_tensor(kind.value_type, made)
        for made in rows.shapes(like)]


def stored(results, kind):
    """A column of results."""
    if not isinstance(kind, pa.FixedShapeTensorType):
        return pa.array(results, kind)
    shape = tuple(kind.shape)
    room = numpy.zeros((len(results), *shape), kind.value_type.to_pandas_dtype())
    for place, result in zip(room, results):
        if result is not None:
            place[...] = result
    missing = pa.array([result is None for result in results], pa.bool_())
    list_ = pa.FixedSizeListArray.from_arrays(
        pa.array(room.reshape(-1)), int(numpy.prod(shape)), mask=missing)
    return pa.ExtensionArray.from_storage(kind, list_)
