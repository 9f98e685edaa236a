"""Pictures, a cluster of several nodes of Ray's on this machine, and a server with the S3 protocol."""
import io
import os
import pathlib
import re

import numpy as np
import pytest
from PIL import Image

os.environ.update(
    AWS_ACCESS_KEY_ID="testing", AWS_SECRET_ACCESS_KEY="testing", AWS_DEFAULT_REGION="us-east-1",
    AWS_EC2_METADATA_DISABLED="true", RAY_USAGE_STATS_ENABLED="0")

SOURCES = pathlib.Path(os.environ["FROSTGLASS_SOURCES"])


def picture(number, height=60, width=80, channels=3):
    """Pixels that no other number has."""
    return np.random.default_rng(number).integers(0, 256, (height, width, channels), "uint8")


def encoded(pixels, format="PNG", **options):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format, **options)
    return buffer.getvalue()


def decoded(data):
    return np.asarray(Image.open(io.BytesIO(data)))


def snippet(words):
    """The snippet of docs/integrate/python-fleet.md that has these words."""
    page = (SOURCES.parent / "docs" / "integrate" / "python-fleet.md").read_text()
    found = [text for text in re.findall(r"```python\n(.*?)```", page, re.S) if words in text]
    assert len(found) == 1
    return found[0]


@pytest.fixture(scope="session")
def storage():
    """A client of a server with the S3 protocol, which AWS_ENDPOINT_URL names."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    os.environ["AWS_ENDPOINT_URL"] = "http://{}:{}".format(*server.get_host_and_port())
    yield boto3.client("s3")
    server.stop()


@pytest.fixture(scope="session")
def cluster(storage):
    """A head without CPUs, which this process is connected to, and two nodes that work."""
    import ray
    from ray.cluster_utils import Cluster

    memory = 100 << 20
    cluster = Cluster(
        initialize_head=True, connect=True,
        head_node_args={"num_cpus": 0, "object_store_memory": memory})
    for _ in range(2):
        cluster.add_node(num_cpus=2, object_store_memory=memory)
    cluster.wait_for_nodes()
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()
