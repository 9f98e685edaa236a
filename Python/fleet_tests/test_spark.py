"""Spark in local mode, whose Python processes are forked."""
import os
import shutil

import numpy as np
import pytest
from conftest import decoded, encoded, picture, snippet

import frostglass
import frostglass.arrow

pytestmark = pytest.mark.skipif(
    shutil.which("java") is None and "JAVA_HOME" not in os.environ, reason="needs Java")


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false") \
        .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1") \
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse"))) \
        .config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield session
    session.stop()


def test_the_snippet(spark, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.png").write_bytes(encoded(picture(number)))
    (folder / "broken.png").write_bytes(encoded(picture(99))[:60])
    space = {"folder": str(folder), "output": str(tmp_path / "out")}
    exec(snippet("mapInArrow"), space)
    rows = {os.path.basename(row.path): row for row in spark.read.parquet(space["output"]).collect()}
    assert len(rows) == 13
    broken = rows.pop("broken.png")
    assert broken.content is None and broken.error
    glass = frostglass.Filter("blur(20px) saturate(180%)")
    for name, row in rows.items():
        assert row.error is None and bytes(row.content[8:12]) == b"WEBP"
        wanted = glass(picture(int(name.partition(".")[0])))
        assert np.abs(decoded(bytes(row.content)).astype(int) - wanted).mean() < 4


def test_rows_in_many_batches(spark):
    data = [(number, bytearray(encoded(picture(number)))) for number in range(30)]
    table = spark.createDataFrame(data, "number int, content binary").repartition(4)
    filter = frostglass.Filter("blur(4px)", "median(2)")
    made = table.mapInArrow(
        lambda batches: frostglass.arrow.blur_batches(batches, filter, result=["soft", "calm"]),
        "number int, content binary, soft binary, calm binary, error string").collect()
    assert sorted(row.number for row in made) == list(range(30))
    for row in made:
        assert row.error is None
        assert (decoded(bytes(row.soft)) == frostglass.blur(picture(row.number), 4)).all()
        assert (decoded(bytes(row.calm)) == frostglass.median(picture(row.number), 2)).all()
