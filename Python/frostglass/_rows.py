"""Rows of a table that have images: what frameworks for fleets hand over in batches."""
from ._files import File, written_format
from ._filter import Filter
from ._library import Error, whole
from ._pixels import readable


class Rows:
    """Results of a column of images: a column for each filter, and one of errors.

    names
        Of the columns with results: the image's own, if none was given.
    """

    def __init__(self, filter, column, result, error, format, quality, threads):
        self.filter = with_threads(filter, threads)
        self.column = named(column, "column")
        self.error = named(error, "error")
        self.names = (self.column,) if result is None else tuple(
            named(name, "result")
            for name in (result if isinstance(result, (tuple, list)) else [result]))
        count = len(self.filter.filters)
        if len(self.names) != count:
            raise Error(f"result is {result!r}, but there are {count} results: give each a name")
        every = self.names + (self.error,)
        if len(set(every)) < len(every) or self.error == self.column:
            raise Error(f"result is {result!r} and error {error!r}; columns need names of their own")
        self.format = written_format(format)
        self.quality = whole(quality, "quality")
        if not 1 <= self.quality <= 100:
            raise Error(f"quality is {self.quality!r}; it must be from 1 to 100")

    def check(self, columns):
        """Refuses columns from which no table can be made."""
        columns = list(columns)
        if self.column not in columns:
            raise Error(f"there is no column {self.column!r}; there are {', '.join(map(repr, columns))}: "
                        "say with column= where the images are")
        twice = next((name for name in columns if columns.count(name) > 1), None)
        if twice is not None:
            raise Error(f"there are two columns {twice!r}; give one another name")
        for name in self.names + (self.error,):
            if name != self.column and name in columns:
                raise Error(f"there is a column {name!r} already; give result= or error= another name")

    def shapes(self, picture):
        """The shape of each result for arrays like this one; its own where it cannot be filtered."""
        try:
            if self.filter.options["layout"] is not None or self.filter.is_planar:
                return [made.shape for made in self._filtered(picture)]
            return self.filter.shapes_for(readable(picture))
        except Error:
            return [picture.shape] * len(self.names)

    def each(self, values, rooms=None):
        """For each image its results, None where there are none, and its error or None.

        rooms: arrays with a place for each row's result, where all are alike.
        """
        for number, value in enumerate(values):
            results, words = (None,) * len(self.names), None
            try:
                results = self._results(value, rooms and [room[number] for room in rooms])
            except Error as error:
                words = str(error)
            except Exception as error:  # Of a codec's, whatever it is; the other rows go on.
                words = f"{type(error).__name__}: {error}"
            yield results, words

    def _results(self, value, places):
        if value is None:
            raise Error("there is no image in this row")
        if not isinstance(value, (bytes, bytearray, memoryview)):
            return self._filtered(value, places)
        file = File(value)
        return tuple(
            file.written(image, self.format, self.quality) for image in self._filtered(file.image))

    def _filtered(self, image, places=None):
        single = len(self.names) == 1
        out = places and (places[0] if single else places)
        made = self.filter(image, out=out)
        return (made,) if single else made


def with_threads(filter, threads):
    """Filters of a text or a Filter; one that has a number of threads keeps it."""
    if isinstance(filter, str):
        return Filter(filter, threads=threads)
    if not isinstance(filter, Filter):
        raise Error(f"filter is {filter!r}; it must be a text such as \"blur(20px)\", or a frostglass.Filter")
    if filter.options["threads"]:
        return filter
    return filter.changed(threads=threads)


def named(name, parameter):
    if not isinstance(name, str) or not name:
        raise Error(f"{parameter} is {name!r}; it must be a column's name")
    return name
