"""Record batches of Arrow: rows, errors, memory, forks."""
import io
import multiprocessing
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from conftest import decoded, encoded, picture, snippet
from PIL import Image

import frostglass
import frostglass.arrow

GLASS = frostglass.Filter("blur(4px) saturate(150%)")


def batch(pictures, kind=pa.binary()):
    return pa.RecordBatch.from_pydict(
        {"name": [f"n{number}" for number in range(len(pictures))], "content": pa.array(pictures, kind)})


def blurred(batch, *arguments, **options):
    """The one batch that comes of one."""
    made, = frostglass.arrow.blur_batches([batch], *arguments, **options)
    return made


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_files_of_bytes(kind):
    images = [picture(1), picture(2, 9, 7), picture(3, 30, 40, 4)]
    made = blurred(batch([encoded(image) for image in images], kind), GLASS)
    assert made.schema == pa.schema([("name", pa.string()), ("content", kind), ("error", pa.string())])
    assert made["error"].to_pylist() == [None] * 3
    assert made["name"].to_pylist() == ["n0", "n1", "n2"]
    for image, result in zip(images, made["content"].to_pylist()):
        assert (decoded(result) == GLASS(image)).all()


def test_broken_pictures_are_rows_with_their_errors():
    good = encoded(picture(1))
    animation = io.BytesIO()
    Image.new("L", (8, 8)).save(
        animation, "GIF", save_all=True, append_images=[Image.new("L", (8, 8), 255)])
    made = blurred(
        batch([good, b"", None, b"%!PS-Adobe-3.0", good[:200], animation.getvalue(), good]), "blur(4px)")
    errors = made["error"].to_pylist()
    assert errors[0] is None and errors[6] is None
    for error, words in zip(errors[1:6], (
            "no image in a format", "no image in this row", "no image in a format", "OSError",
            "2 frames")):
        assert words in error
    assert [row is None for row in made["content"].to_pylist()] == [bool(error) for error in errors]
    assert made["content"][0] == made["content"][6]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "I;16"])
def test_modes(mode):
    image = Image.fromarray(picture(4, channels=1)[..., 0].astype("uint16") * 257) if mode == "I;16" \
        else Image.fromarray(picture(4)).convert(mode)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG" if mode in ("CMYK", "YCbCr") else "PNG")
    data = buffer.getvalue()
    made = blurred(batch([data]), "blur(4px)", format="png")
    assert made["error"].to_pylist() == [None]
    taken = {"1": "L", "LA": "RGBA", "P": "RGB", "CMYK": "RGB", "YCbCr": "RGB"}.get(mode, mode)
    result = Image.open(io.BytesIO(made["content"][0].as_py()))
    assert result.mode == taken
    upright = Image.open(io.BytesIO(data))
    if upright.mode != taken:
        upright = upright.convert(taken)
    assert (np.asarray(result) == np.asarray(frostglass.blur(upright, 4))).all()


def test_what_is_kept_of_a_file():
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "a secret"  # A quarter turn, and a description.
    data = encoded(picture(5), "JPEG", exif=exif, icc_profile=b"profile" * 20)
    result = Image.open(io.BytesIO(blurred(batch([data]), "blur(2px)")["content"][0].as_py()))
    assert result.format == "JPEG" and result.size == (60, 80)
    assert result.info["icc_profile"] == b"profile" * 20 and not result.getexif()


def test_profiles_that_do_not_fit_the_result():
    gray = blurred(
        batch([encoded(picture(5, channels=4)[..., :2], icc_profile=b"grays" * 30)]), "blur(2px)")
    result = Image.open(io.BytesIO(gray["content"][0].as_py()))
    assert result.mode == "RGBA" and "icc_profile" not in result.info
    buffer = io.BytesIO()
    Image.fromarray(picture(5)).convert("CMYK").save(buffer, "JPEG", icc_profile=b"inks" * 40)
    assert "profile" in blurred(batch([buffer.getvalue()]), "blur(2px)")["error"][0].as_py()


def test_the_schema_stays():
    schema = pa.schema(
        [pa.field("content", pa.binary(), nullable=False, metadata={"of": "field"}),
         pa.field("n", pa.int8(), nullable=False)], metadata={"of": "schema"})
    made = blurred(pa.RecordBatch.from_pydict({"content": [b"x"], "n": [3]}, schema=schema), "blur(2px)")
    assert made.schema.metadata == {b"of": b"schema"}
    assert made.schema.field("n") == schema.field("n")
    content = made.schema.field("content")
    assert content.nullable and content.metadata == {b"of": b"field"}
    double = pa.RecordBatch.from_arrays([pa.array([b"x"])] * 2, names=["content", "content"])
    with pytest.raises(frostglass.Error, match="two columns 'content'"):
        blurred(double, "blur(2px)")


def test_formats_and_qualities():
    data = encoded(picture(6, channels=4))
    results = {
        name: blurred(batch([data]), "blur(4px)", format=name)["content"][0].as_py()
        for name in ("jpg", "webp", "png", "avif", "tiff")}
    for name, format in zip(results, ("JPEG", "WEBP", "PNG", "AVIF", "TIFF")):
        assert Image.open(io.BytesIO(results[name])).format == format
    small = blurred(batch([data]), "blur(4px)", format="jpg", quality=np.int64(20))["content"][0].as_py()
    assert len(small) < len(results["jpg"])
    clear = np.zeros((8, 8, 4), "uint8")
    white = blurred(batch([encoded(clear)]), "blur(1px)", format="jpeg")["content"][0].as_py()
    assert (decoded(white) == 255).all()


def test_several_results_are_decoded_once():
    made = blurred(
        batch([encoded(picture(7)), b"x"]), frostglass.Filter("blur(4px)", "median(2)"),
        result=("card", "hero"), error="why")
    assert made.schema.names == ["name", "content", "card", "hero", "why"]
    assert (decoded(made["card"][0].as_py()) == frostglass.blur(picture(7), 4)).all()
    assert (decoded(made["hero"][0].as_py()) == frostglass.median(picture(7), 2)).all()
    assert made["content"][1].as_py() == b"x" and made["hero"][1].as_py() is None


@pytest.mark.parametrize("sample", ["uint8", "uint16", "float32"])
def test_arrays(sample):
    pixels = np.random.default_rng(8).integers(0, 200, (4, 30, 40, 3)).astype(sample)
    column = pa.FixedShapeTensorArray.from_numpy_ndarray(pixels)
    rows = pa.RecordBatch.from_arrays(
        [pa.ExtensionArray.from_storage(column.type, pa.array(
            [*column.storage[:3].to_pylist(), None], column.storage.type))], names=["content"])
    made = blurred(rows.slice(1), GLASS)
    assert made["content"].type == column.type
    assert (made["content"][:2].to_numpy_ndarray() == GLASS(pixels[1:3])).all()
    assert made["content"].is_valid().to_pylist() == [True, True, False]
    assert "no image" in made["error"][2].as_py()
    assert (rows["content"][:3].to_numpy_ndarray() == pixels[:3]).all()


def test_results_leave_in_pieces(monkeypatch):
    data = [encoded(picture(1))] * 5
    whole = blurred(batch(data), GLASS)
    monkeypatch.setattr(frostglass.arrow, "PIECE", 2 * len(whole["content"][0].as_py()))
    made = list(frostglass.arrow.blur_batches([batch(data), batch([]), batch(data[:1])], GLASS))
    assert [piece.num_rows for piece in made] == [2, 2, 1, 0, 1]
    assert pa.Table.from_batches(made[:3]).combine_chunks() == pa.Table.from_batches([whole])


@pytest.mark.parametrize("options, words", [
    ({"filter": "blurr(3px)"}, "did you mean blur"), ({"filter": None}, "filter is None"),
    ({"column": 3}, "column is 3"), ({"result": ""}, "result is ''"), ({"result": ["a", "b"]}, "1 results"),
    ({"error": "content"}, "names of their own"), ({"result": "x", "error": "x"}, "names of their own"),
    ({"format": "eps"}, "format is 'eps'"), ({"format": 5}, "format is 5"),
    ({"quality": 0}, "quality is 0"), ({"quality": True}, "quality is True"), ({"threads": -1}, "-1"),
])
def test_parameters_that_cannot_be_meant(options, words):
    with pytest.raises(frostglass.Error) as refused:
        frostglass.arrow.blur_batches([], **{"filter": "blur(3px)", **options})
    assert words in str(refused.value)


@pytest.mark.parametrize("options, words", [
    ({"column": "bytes"}, "no column 'bytes'; there are 'name', 'content'"),
    ({"column": "name"}, "'name' is string"), ({"error": "name"}, "column 'name' already"),
    ({"result": "name"}, "column 'name' already"),
])
def test_columns_that_are_not_there(options, words):
    with pytest.raises(frostglass.Error) as refused:
        blurred(batch([b"x"]), "blur(3px)", **options)
    assert words in str(refused.value)


def forked(_):
    return blurred(batch([encoded(picture(9))]), GLASS, threads=2)["content"][0].as_py()


def test_after_a_fork():
    wanted = forked(None)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map_async(forked, range(6)).get(120) == [wanted] * 6


def test_the_package_alone_imports_neither():
    names = "sys.modules.keys() & {'ray', 'pyarrow', 'numpy', 'PIL'}"
    script = f"import sys, frostglass; frostglass.Filter('blur(3px)'); print({names})"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "set()\n"


def test_the_snippet(tmp_path, monkeypatch):
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    data = [encoded(picture(number)) for number in range(70)]
    parquet.write_table(pa.table({"bytes": data}), "pictures.parquet")
    exec(snippet("ParquetWriter"), {})
    made = parquet.read_table("blurred.parquet")
    assert made["bytes"].to_pylist() == data and made["error"].null_count == 70
    assert (decoded(made["blurred"][69].as_py()) == frostglass.blur(picture(69), 20)).all()


def test_tensors_have_the_channels_of_their_results():
    arrays = np.stack([picture(number, 12, 16) for number in range(3)])
    tensors = pa.RecordBatch.from_arrays(
        [pa.FixedShapeTensorArray.from_numpy_ndarray(arrays)], names=["content"])
    glass = frostglass.Filter("opacity(50%)", "blur(2px)")
    made = blurred(tensors, glass, result=["faded", "soft"])
    faded, soft = (made[name].to_numpy_ndarray() for name in ("faded", "soft"))
    assert faded.shape == (3, 12, 16, 4) and soft.shape == arrays.shape
    for image, *results in zip(arrays, faded, soft):
        for result, wanted in zip(results, glass(image)):
            assert (result == wanted).all()
