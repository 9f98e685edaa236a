"""Puts a file system and how it is run into an image as `docker save` writes it: image.py FOLDER NAME:TAG

FOLDER has layer.tar and gets frostglass.tar. The format is the OCI image specification's configuration
beside Docker's manifest.json, which docker, podman and skopeo read.
"""
import hashlib
import io
import json
import os
import platform
import sys
import tarfile
import time

folder, name = sys.argv[1:]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# As in the Dockerfile.
with open(f"{os.path.dirname(os.path.abspath(__file__))}/../Dockerfile", encoding="utf-8") as file:
    check = next(line for line in file if line.startswith("HEALTHCHECK "))
second = 1_000_000_000
layer = digest(f"{folder}/layer.tar")
created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
configuration = json.dumps({
    "created": created,
    "architecture": {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine()),
    "os": "linux",
    "config": {
        "User": "10001", "WorkingDir": "/pictures", "Entrypoint": ["frostglass"], "Cmd": ["--help"],
        "ExposedPorts": {"8080/tcp": {}},
        "Healthcheck": {"Test": ["CMD", *json.loads(check[check.index("["):])],
                        "Interval": 10 * second, "Timeout": 5 * second, "StartPeriod": 10 * second},
        # NVIDIA's container runtime mounts its EGL driver only when asked for graphics.
        "Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "NVIDIA_DRIVER_CAPABILITIES=graphics,utility"],
        "Labels": {"org.opencontainers.image.title": "frostglass",
                   "org.opencontainers.image.licenses": "Apache-2.0"},
    },
    "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer}"]},
    "history": [{"created": created, "created_by": "make image"}],
}).encode()
image = hashlib.sha256(configuration).hexdigest()
manifest = json.dumps(
    [{"Config": f"{image}.json", "RepoTags": [name], "Layers": [f"{layer}.tar"]}]).encode()

with tarfile.open(f"{folder}/frostglass.tar", "w") as archive:
    for file, data in ((f"{image}.json", configuration), ("manifest.json", manifest)):
        entry = tarfile.TarInfo(file)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    archive.add(f"{folder}/layer.tar", f"{layer}.tar")
