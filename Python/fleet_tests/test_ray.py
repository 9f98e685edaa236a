"""Ray Data on a cluster of several nodes: bytes, arrays, what is lost, object storage."""
import os
import signal
import threading

import numpy as np
import pytest
from conftest import decoded, encoded, picture, snippet

import frostglass
import frostglass.ray
import ray

GLASS = frostglass.Filter("blur(4px) saturate(150%)")
ROWS = 48


def pictures(count=ROWS):
    return ray.data.from_items(
        [{"number": number, "bytes": encoded(picture(number))} for number in range(count)],
        override_num_blocks=12)


def complete(rows, count=ROWS):
    """Asserts that every image is there, once, and blurred."""
    assert sorted(row["number"] for row in rows) == list(range(count))
    assert all(row["error"] is None for row in rows)
    for row in rows:
        assert (decoded(row["bytes"]) == GLASS(picture(row["number"]))).all()


@pytest.mark.parametrize("kind", ["numpy", "pyarrow"])
def test_broken_pictures_are_rows_with_their_errors(cluster, kind):
    data = pictures(24).map(lambda row: {**row, "bytes": row["bytes"][:90 if row["number"] == 7 else None]})
    made = data.map_batches(
        frostglass.ray.Blur, fn_constructor_kwargs={"filter": GLASS}, batch_format=kind, batch_size=1,
        compute=ray.data.ActorPoolStrategy(size=2)).materialize()
    assert str(made.schema().base_schema.field("error").type) == "string"
    rows = made.take_all()
    broken, = [row for row in rows if row["number"] == 7]
    assert broken["bytes"] is None and broken["error"]
    # A failure is a row; the others are whole.
    rest = [row for row in rows if row["number"] != 7]
    assert sorted(row["number"] for row in rest) == [*range(7), *range(8, 24)]
    assert all((decoded(row["bytes"]) == GLASS(picture(row["number"]))).all() for row in rest)


@pytest.mark.parametrize("alike", [True, False])
def test_arrays(cluster, alike):
    images = [picture(number, height=30 if alike else 20 + number) for number in range(8)]
    data = ray.data.from_items(
        [{"number": number, "image": image} for number, image in enumerate(images)])
    made = data.map_batches(
        frostglass.ray.Blur, compute=ray.data.ActorPoolStrategy(size=1),
        fn_constructor_kwargs={"filter": frostglass.Filter("blur(4px)", "median(2)"), "column": "image",
                               "result": ["soft", "calm"]}).take_all()
    assert len(made) == 8
    for row in made:
        assert row["error"] is None and (row["image"] == images[row["number"]]).all()
        assert (row["soft"] == frostglass.blur(row["image"], 4)).all()
        assert (row["calm"] == frostglass.median(row["image"], 2)).all()


def test_shared_batches_are_only_read():
    images = np.stack([picture(number) for number in range(3)])
    before, images.flags.writeable = images.copy(), False
    made = frostglass.ray.Blur("blur(4px)", column="image")({"image": images})
    assert (images == before).all() and made["error"].null_count == 3
    wrong = frostglass.ray.Blur("blur(4px)", column="image")({"image": images.astype("float64")})
    assert all("float64" in error for error in wrong["error"].to_pylist())


class Asked(frostglass.ray.Blur):
    """Says how many threads it has."""

    def __call__(self, batch):
        return {"threads": np.array([self.rows.filter.options["threads"]])}


@pytest.mark.parametrize("options, filter, threads", [
    ({"num_cpus": 2}, "blur(4px)", 2), ({"num_cpus": 0.5}, "blur(4px)", 1), ({}, "blur(4px)", 1),
    ({"num_cpus": 1}, frostglass.Filter("blur(4px)", threads=3), 3),
])
def test_threads_are_the_actors_cpus(cluster, options, filter, threads):
    made = ray.data.range(1).map_batches(
        Asked, fn_constructor_kwargs={"filter": filter}, compute=ray.data.ActorPoolStrategy(size=1),
        **options)
    assert made.take_all() == [{"threads": threads}]


def test_what_cannot_be_meant():
    with pytest.raises(frostglass.Error, match="did you mean blur"):
        frostglass.ray.Blur("blurr(3px)")
    with pytest.raises(frostglass.Error, match="no column 'bytes'; there are 'image'"):
        frostglass.ray.Blur("blur(3px)")({"image": np.zeros((1, 2, 2, 3), "uint8")})
    with pytest.raises(frostglass.Error, match="batch_format"):
        frostglass.ray.Blur("blur(3px)")([1])


class Mortal(frostglass.ray.Blur):
    """The first that has done a batch is killed before it can hand it over."""

    def __init__(self, marker, **options):
        super().__init__(**options)
        self.marker = marker

    def __call__(self, batch):
        made = super().__call__(batch)
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return made
        self.end()

    def end(self):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_actor_loses_nothing(cluster, tmp_path):
    made = pictures().map_batches(
        Mortal, fn_constructor_kwargs={"marker": str(tmp_path / "killed"), "filter": GLASS},
        batch_size=4, compute=ray.data.ActorPoolStrategy(size=2))
    complete(made.take_all())
    assert (tmp_path / "killed").exists()


class Doomed(Mortal):
    """The first that has done a batch says on which node it is, and waits to be ended with it."""

    def end(self):
        with open(self.marker + ".node", "w") as pipe:
            pipe.write(ray.get_runtime_context().get_node_id())
        open(self.marker + ".never").close()


def test_a_lost_node_loses_nothing(cluster, tmp_path):
    # Each can have both actors, whatever else there is.
    for _ in range(2):
        cluster.add_node(num_cpus=2, object_store_memory=100 << 20, resources={"spare": 2})
    cluster.wait_for_nodes()
    marker, lost = str(tmp_path / "lost"), []
    for name in (".node", ".never"):
        os.mkfifo(marker + name)

    def ends():
        with open(marker + ".node") as pipe:
            identity = pipe.read()
        node, = [node for node in cluster.worker_nodes if node.node_id == identity]
        cluster.remove_node(node, allow_graceful=False)
        lost.append(node)

    ending = threading.Thread(target=ends, daemon=True)
    ending.start()
    made = pictures().map_batches(
        Doomed, fn_constructor_kwargs={"marker": marker, "filter": GLASS}, batch_size=4,
        compute=ray.data.ActorPoolStrategy(size=2), resources={"spare": 1})
    complete(made.take_all())
    ending.join()
    assert len(lost) == 1


def test_the_snippet_with_object_storage(cluster, storage):
    for bucket in ("photos", "blurred"):
        storage.create_bucket(Bucket=bucket)
    for number in range(20):
        storage.put_object(Bucket="photos", Key=f"2024/{number}.png", Body=encoded(picture(number)))
    storage.put_object(Bucket="photos", Key="2024/broken.jpg", Body=b"\xff\xd8\xff")
    space = {"__name__": "__main__"}
    exec(snippet("read_binary_files"), space)
    errors = {row["path"]: row["error"] for row in space["report"]}
    assert len(space["report"]) == len(errors) == 21
    assert [path for path, error in errors.items() if error] == ["photos/2024/broken.jpg"]
    written = storage.list_objects_v2(Bucket="blurred")["Contents"]
    assert len(written) == 20
    data = storage.get_object(Bucket="blurred", Key="photos/2024/3.png.webp")["Body"].read()
    assert data[8:12] == b"WEBP"
    # WebP is lossy: it is near the blur, and far from the picture.
    apart = np.abs(decoded(data).astype(int) - frostglass.blur(picture(3), 20))
    assert apart.mean() < 4
