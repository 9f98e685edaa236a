"""Measures Gaussians on this machine's GPU beside its peers there, in the same run.

    scripts/gpu-bench.sh                      builds what is needed and runs this
    python3 gpu.py --command PROGRAM ...      anywhere: needs numpy, and peers where they are

Ours is frostglass-gpu-bench. Peers that are not here are left out: torchvision, CuPy and OpenCV
where they reach a GPU; a hand-written separable Gaussian in OpenGL (RGBA8 in between, taps in pairs
by the sampler's interpolation, cut at 3 sigma, as GPUImage builds it) and another one in compute, from
memory that a group shares, where moderngl is.
All blur the same frame of RGBA bytes that is on the device already, and leave the result there.
"""
import argparse
import datetime
import json
import math
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import truth


def frame(width: int, height: int) -> np.ndarray:
    """Waves, hard edges and noise, opaque: height × width × 4, uint8."""
    random = np.random.default_rng(1)
    y, x = np.mgrid[:height, :width]
    color = np.stack([np.sin(x / 37) + np.sin(y / 23 + k) for k in range(3)], axis=-1) * 50 + 128
    color += random.normal(0, 12, color.shape)
    checks = ((x // 16 + y // 16) % 2) * 255
    corner = (y < height // 3) & (x < width // 3)
    color[corner] = checks[corner, None]
    result = np.full((height, width, 4), 255, np.uint8)
    result[..., :3] = np.clip(color, 0, 255)
    return result


class Ours:
    """Frostglass, by the program that measures it."""

    def __init__(self, command: str, source: np.ndarray) -> None:
        self.name = "Frostglass"
        self.options: list[str] = []
        self.command = command
        self.height, self.width = source.shape[:2]
        self.folder = tempfile.TemporaryDirectory(prefix="frostglass-gpu-")
        self.input = Path(self.folder.name) / "frame.rgba"
        self.input.write_bytes(source.tobytes())

    def run(self, sigma: float, *options: str) -> dict:
        output = subprocess.run(
            [self.command, "--json", "--size", f"{self.width}x{self.height}", "--sigma",
             str(sigma), "--frame", str(self.input), *options],
            check=True, capture_output=True, text=True).stdout
        return json.loads(output.splitlines()[-1])

    def seconds(self, sigma: float) -> float:
        # The stage is found in the first round.
        row = self.run(sigma, "--rounds", "3", *self.options)
        self.options = ["--stage", row["stage"]]
        self.name = f"Frostglass ({row['stage']})"
        return row["device_ms"] / 1000

    def result(self, sigma: float) -> np.ndarray:
        path = Path(self.folder.name) / f"{sigma}.rgba"
        path.unlink(missing_ok=True)
        self.run(sigma, "--rounds", "1", "--out", str(path))
        samples = np.frombuffer(path.read_bytes(), np.uint8)
        return samples.reshape(self.height, self.width, 4)


class Peer:
    """Something that blurs on the device: `blur` asks for it, `wait` waits, `fetch` brings it."""

    name = ""

    def blur(self, sigma: float) -> None:
        raise NotImplementedError

    def wait(self) -> None:
        raise NotImplementedError

    def fetch(self) -> np.ndarray:
        raise NotImplementedError

    def seconds(self, sigma: float) -> float:
        """One blur among several in a row."""
        # Clocks of GPUs rise within a few tenths of a second of work.
        begun = time.perf_counter()
        while True:
            start = time.perf_counter()
            self.blur(sigma)
            self.wait()
            once = time.perf_counter() - start
            if time.perf_counter() - begun > 0.5:
                break
        runs = max(1, min(10_000, math.ceil(0.1 / once)))
        start = time.perf_counter()
        for _ in range(runs):
            self.blur(sigma)
        self.wait()
        return (time.perf_counter() - start) / runs

    def result(self, sigma: float) -> np.ndarray:
        self.blur(sigma)
        self.wait()
        return self.fetch()


class OpenGL(Peer):
    """What runs in an OpenGL context of its own. The one that was made last is current, so each call
    says which one it means."""

    def __init__(self, source: np.ndarray, textures: int) -> None:
        import moderngl
        self.gl = moderngl.create_context(
            standalone=True, backend="egl", libgl="libGL.so.1", libegl="libEGL.so.1")
        self.name += f" ({self.gl.info['GL_RENDERER']})"
        self.height, self.width = source.shape[:2]
        self.textures = [self.gl.texture((self.width, self.height), 4) for _ in range(textures)]
        for texture in self.textures:
            texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
            texture.repeat_x = texture.repeat_y = False
        self.textures[0].write(source.tobytes())
        self.programs: dict[float, list] = {}

    def blur(self, sigma: float) -> None:
        with self.gl:
            if sigma not in self.programs:
                self.programs[sigma] = [self.program(sigma, axis) for axis in ("x", "y")]
            for index, program in enumerate(self.programs[sigma]):
                self.draw(index, program)

    def program(self, sigma: float, axis: str):
        raise NotImplementedError

    def draw(self, index: int, program) -> None:
        """Along x (0) or y (1), from texture `index` to the next one."""
        raise NotImplementedError

    def wait(self) -> None:
        with self.gl:
            self.gl.finish()

    def fetch(self) -> np.ndarray:
        with self.gl:
            samples = self.textures[2].read()
        return np.frombuffer(samples, np.uint8).reshape(self.height, self.width, 4)


class HandWritten(OpenGL):
    name = "hand-written separable"

    VERTEX = """#version 330
    out vec2 place;
    void main() {
      place = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
      gl_Position = vec4(place * 2.0 - 1.0, 0.0, 1.0);
    }"""

    def __init__(self, source: np.ndarray) -> None:
        super().__init__(source, textures=3)
        with self.gl:
            self.targets = [self.gl.framebuffer([texture]) for texture in self.textures[1:]]

    def draw(self, index: int, program) -> None:
        self.textures[index].use(0)
        self.targets[index].use()
        program.render(vertices=3)

    def program(self, sigma: float, axis: str):
        """A program with every tap written out, neighbors fetched as one between them."""
        radius = math.ceil(3 * sigma)
        weights = [math.exp(-0.5 * (k / sigma) ** 2) for k in range(radius + 2)]
        weights[radius + 1] = 0
        total = weights[0] + 2 * sum(weights[1:])
        lines = [f"sum = texture(picture, place) * {weights[0] / total};"]
        for k in range(1, radius + 1, 2):
            weight = weights[k] + weights[k + 1]
            offset = (k * weights[k] + (k + 1) * weights[k + 1]) / weight
            step = f"vec2({offset / self.width}, 0.0)" if axis == "x" else (
                f"vec2(0.0, {offset / self.height})")
            lines.append(
                f"sum += (texture(picture, place + {step}) + texture(picture, place - {step}))"
                f" * {weight / total};")
        text = "#version 330\nuniform sampler2D picture;\nin vec2 place;\nout vec4 color;\n"
        text += "void main() {\n  vec4 sum;\n  " + "\n  ".join(lines) + "\n  color = sum;\n}"
        program = self.gl.program(vertex_shader=self.VERTEX, fragment_shader=text)
        return self.gl.vertex_array(program, [])


class SharedMemory(OpenGL):
    """The same in compute: a group brings its samples to memory that it shares, then sums every tap
    from there. What Gaussians in CUDA samples and games look like."""

    name = "hand-written in shared memory"
    LENGTH = 128

    def __init__(self, source: np.ndarray) -> None:
        super().__init__(source, textures=3)

    def program(self, sigma: float, axis: str):
        radius = math.ceil(3 * sigma)
        weights = [math.exp(-0.5 * (k / sigma) ** 2) for k in range(radius + 1)]
        total = weights[0] + 2 * sum(weights[1:])
        taps = ", ".join(repr(weight / total) for weight in weights)
        along = "ivec2(1, 0)" if axis == "x" else "ivec2(0, 1)"
        across = "ivec2(0, 1)" if axis == "x" else "ivec2(1, 0)"
        return self.gl.compute_shader(f"""#version 430
        layout(local_size_x = {self.LENGTH}) in;
        layout(binding = 0) uniform sampler2D picture;
        layout(rgba8, binding = 0) writeonly uniform image2D target;
        const int radius = {radius};
        const int samples = {self.LENGTH} + 2 * radius;
        const float taps[radius + 1] = float[]({taps});
        shared vec4 row[samples];
        void main() {{
          ivec2 size = textureSize(picture, 0);
          int id = int(gl_LocalInvocationID.x);
          ivec2 first = int(gl_WorkGroupID.x) * {self.LENGTH} * {along}
              + int(gl_WorkGroupID.y) * {across};
          for (int k = id; k < samples; k += {self.LENGTH})
            row[k] = texelFetch(picture, clamp(first + (k - radius) * {along}, ivec2(0), size - 1), 0);
          barrier();
          vec4 sum = taps[0] * row[id + radius];
          for (int k = 1; k <= radius; ++k)
            sum += taps[k] * (row[id + radius - k] + row[id + radius + k]);
          ivec2 place = first + id * {along};
          if (all(lessThan(place, size))) imageStore(target, place, sum);
        }}""")

    def draw(self, index: int, program) -> None:
        self.textures[index].use(0)
        self.textures[index + 1].bind_to_image(0, read=False, write=True)
        length, lines = (self.width, self.height) if index == 0 else (self.height, self.width)
        program.run(-(-length // self.LENGTH), lines, 1)
        self.gl.memory_barrier()


class Torchvision(Peer):
    name = "torchvision gaussian_blur"

    def __init__(self, source: np.ndarray) -> None:
        import torch
        from torchvision.transforms.v2 import functional
        if not torch.cuda.is_available():
            raise RuntimeError("torch sees no GPU")
        self.torch, self.functional = torch, functional
        self.name += f" {torch.__version__}"
        self.source = torch.from_numpy(source.copy()).cuda().permute(2, 0, 1).contiguous()

    def blur(self, sigma: float) -> None:
        size = 2 * math.ceil(3 * sigma) + 1
        self.made = self.functional.gaussian_blur(self.source, [size, size], [sigma, sigma])

    def wait(self) -> None:
        self.torch.cuda.synchronize()

    def fetch(self) -> np.ndarray:
        return self.made.permute(1, 2, 0).cpu().numpy()


class CuPy(Peer):
    name = "CuPy gaussian_filter"

    def __init__(self, source: np.ndarray) -> None:
        import cupy
        from cupyx.scipy import ndimage
        self.cupy, self.ndimage = cupy, ndimage
        self.name += f" {cupy.__version__}"
        self.source = cupy.asarray(source)

    def blur(self, sigma: float) -> None:
        self.made = self.ndimage.gaussian_filter(
            self.source, (sigma, sigma, 0), output=self.cupy.float32, mode="nearest")

    def wait(self) -> None:
        self.cupy.cuda.get_current_stream().synchronize()

    def fetch(self) -> np.ndarray:
        return self.cupy.asnumpy(self.made)


class OpenCV(Peer):
    name = "OpenCV CUDA GaussianFilter"

    def __init__(self, source: np.ndarray) -> None:
        import cv2
        if cv2.cuda.getCudaEnabledDeviceCount() == 0:
            raise RuntimeError("OpenCV sees no GPU")
        self.cv2 = cv2
        self.name += f" {cv2.__version__}"
        self.source = cv2.cuda_GpuMat(source)
        self.filters: dict = {}

    def blur(self, sigma: float) -> None:
        # Its kernels have at most 31 taps.
        size = min(31, 2 * math.ceil(3 * sigma) + 1)
        if sigma not in self.filters:
            self.filters[sigma] = self.cv2.cuda.createGaussianFilter(
                self.cv2.CV_8UC4, self.cv2.CV_8UC4, (size, size), sigma, sigma,
                self.cv2.BORDER_REPLICATE, self.cv2.BORDER_REPLICATE)
        self.made = self.filters[sigma].apply(self.source)

    def wait(self) -> None:
        self.cv2.cuda.Stream_Null().waitForCompletion()

    def fetch(self) -> np.ndarray:
        return self.made.download()


def peers(source: np.ndarray, tells: bool = False) -> list[Peer]:
    """Those that work here; the others are named with their reason where that is wanted."""
    found = []
    for kind in (HandWritten, SharedMemory, Torchvision, CuPy, OpenCV):
        try:
            found.append(kind(source))
        except Exception as reason:  # pylint: disable=broad-except
            if tells:
                print(f"<!-- without {kind.name}: {str(reason).splitlines()[0]} -->", flush=True)
    return found


def error(result: np.ndarray, expected: np.ndarray, sigma: float) -> float:
    """Inside, where no border reaches: peers continue the picture in ways of their own."""
    reach = math.ceil(4 * sigma)
    inside = np.s_[reach:-reach, reach:-reach, :3]
    return float(np.abs(result.astype(np.float64) - expected)[inside].max())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True, help="frostglass-gpu-bench")
    parser.add_argument("--size", default="3840x2160")
    parser.add_argument("--sigma", default="5,20,50")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    sigmas = [float(word) for word in options.sigma.split(",")]
    source, small = frame(width, height), frame(1024, 768)
    print(f"{options.size}, RGBA of 8 bits, on the device, medians of {options.rounds} rounds in "
          f"turn, {datetime.date.today()}\n")
    ours, others = Ours(options.command, source), peers(source, tells=True)
    checked = [Ours(options.command, small), *peers(small)]
    print("| σ | | ms | times Frostglass | worst error inside, levels |\n"
          "|---:|---|---:|---:|---:|", flush=True)
    for sigma in sigmas:
        times: list[list[float]] = [[] for _ in range(1 + len(others))]
        for _ in range(options.rounds):
            for index, contestant in enumerate([ours, *others]):
                times[index].append(contestant.seconds(sigma))
        expected = truth.blurred(small, sigma)
        for contestant, check, seconds in zip([ours, *others], checked, times):
            ratio = statistics.median(a / b for a, b in zip(seconds, times[0]))
            worst = error(check.result(sigma), expected, sigma)
            print(f"| {sigma:g} | {contestant.name} | {statistics.median(seconds) * 1000:.3f} "
                  f"| {ratio:.2f} | {worst:.2f} |", flush=True)


if __name__ == "__main__":
    main()
