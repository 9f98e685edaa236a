"""Films with faces whose places are known because they were put there: marks exist before anything looks.

Heads are cut from portraits of packages, whose face boxes a person has looked at, and pasted over other pictures.
What happens is drawn from a seed: take one nobody has tuned anything on.
"""
import json
import pathlib
import subprocess
from typing import NamedTuple

import cv2
import numpy as np

WIDTH, HEIGHT, RATE = 1280, 720, 25
FRAMES = 50

# Boxes of faces: left, top, right, bottom.
PORTRAITS = {
    "obama2.jpg": (197.6, 242.3, 471.7, 647.9),
    "biden.jpg": (428.8, 163.6, 708.1, 576.1),
    "astronaut.jpg": (181.5, 58.2, 269.9, 177.8),
    "obama.jpg": (376.5, 81.8, 611.9, 423.7),
    "grace_hopper.jpg": (179.7, 130.2, 355.0, 333.8),
}
# What a scene shows, one after another, each with other places, sizes and ways.
KINDS = ("plain", "small", "dark", "turned", "covered", "fast", "rolled", "edge")


class Head(NamedTuple):
    """A head on a canvas around its face's center, with the halves of the face's sides."""
    colors: np.ndarray
    alpha: np.ndarray
    half_width: float
    half_height: float


def head(path: pathlib.Path, box: tuple[float, ...]) -> Head:
    """Cuts a head out, its face 400 pixels high."""
    scale = 400 / (box[3] - box[1])
    image = cv2.resize(cv2.imread(str(path)), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    left, top, right, bottom = (side * scale for side in box)
    radius = 420
    shift = np.float32([[1, 0, radius - (left + right) / 2], [0, 1, radius - (top + bottom) / 2]])
    colors = cv2.warpAffine(image, shift, (2 * radius, 2 * radius))
    inside = cv2.warpAffine(np.full(image.shape[:2], 255, np.uint8), shift, (2 * radius, 2 * radius))
    alpha = np.zeros((2 * radius, 2 * radius), np.float32)
    cv2.ellipse(alpha, (radius, radius + 40), (int(1.05 * (right - left)), 330), 0, 0, 360, 1, -1)
    alpha = cv2.GaussianBlur(alpha, (0, 0), 12)
    alpha[inside == 0] = 0
    return Head(colors, alpha, (right - left) / 2, (bottom - top) / 2)


def paste(frame: np.ndarray, who: Head, x: float, y: float, height: float, angle: float = 0, squeeze: float = 1):
    """Puts a head there; returns its face's ellipse: center, halves of its sides, angle in degrees."""
    scale = height / (2 * who.half_height)
    colors, alpha, radius = who.colors, who.alpha, who.colors.shape[0] / 2
    shrink = 2 ** max(int(np.floor(-np.log2(scale))), 0)
    if shrink > 1:
        size = (colors.shape[1] // shrink, colors.shape[0] // shrink)
        colors = cv2.resize(colors, size, interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(alpha, size, interpolation=cv2.INTER_AREA)
    scaled, center = scale * shrink, radius / shrink
    cosine, sine = np.cos(np.radians(angle)) * scaled, np.sin(np.radians(angle)) * scaled
    way = np.float32([
        [cosine * squeeze, -sine, x - (cosine * squeeze * center - sine * center)],
        [sine * squeeze, cosine, y - (sine * squeeze * center + cosine * center)]])
    over = cv2.warpAffine(colors, way, (WIDTH, HEIGHT))
    part = cv2.warpAffine(alpha, way, (WIDTH, HEIGHT))[..., None]
    frame[:] = frame * (1 - part) + over * part
    return [float(x), float(y), float(who.half_width * scale * squeeze), float(who.half_height * scale), float(angle)]


def points(face, count: int = 24) -> np.ndarray:
    """Points all over a face's ellipse."""
    x, y, across, along, angle = face
    grid = (np.arange(count) + 0.5) / count * 2 - 1
    places = np.array([(u, v) for u in grid for v in grid if u * u + v * v <= 1])
    cosine, sine = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    u, v = places[:, 0] * across, places[:, 1] * along
    return np.stack([x + cosine * u - sine * v, y + sine * u + cosine * v], 1)


def visible(face, hidden: np.ndarray | None) -> float:
    """The part of a face that lies within the frame and behind nothing."""
    at = np.floor(points(face)).astype(int)
    inside = (at[:, 0] >= 0) & (at[:, 0] < WIDTH) & (at[:, 1] >= 0) & (at[:, 1] < HEIGHT)
    if hidden is not None:
        inside[inside] &= ~hidden[at[inside, 1], at[inside, 0]]
    return float(inside.mean())


def scene(kind: str, heads: list[Head], ground: np.ndarray, chance: np.random.Generator):
    """The frames of a scene, each with its faces: id, ellipse, visible part."""
    count = {"small": 5, "fast": 1, "rolled": 1}.get(kind, 2)
    people = [heads[index] for index in chance.permutation(len(heads))[:count]]
    while len(people) < count:
        people.append(heads[chance.integers(len(heads))])
    sizes = chance.uniform(12, 30, count) if kind == "small" else chance.uniform(50, 160, count)
    starts = [(WIDTH * (index + 0.5) / count + chance.uniform(-60, 60), chance.uniform(250, 430)) for index in range(count)]
    speeds = [(chance.uniform(-3, 3), chance.uniform(-1, 1)) for _ in range(count)]
    if kind == "edge":
        starts = [(-60, starts[0][1]), (WIDTH + 60, starts[1][1])]
        speeds = [(chance.uniform(4, 9), 0), (-chance.uniform(4, 9), 0)]
    sway, phase = chance.uniform(5, 12), chance.uniform(0, 6)
    shake, pole, darkest = chance.uniform(3, 9), int(chance.uniform(300, 900)), chance.uniform(0.82, 0.9)
    pan = chance.uniform(0, 30, 2)
    for time in range(FRAMES):
        part = time / (FRAMES - 1)
        left, top = int(30 + pan[0] * np.sin(5 * part)), int(20 + pan[1] * np.cos(7 * part) / 2)
        frame = ground[top:top + HEIGHT, left:left + WIDTH].copy()
        faces, hidden = [], None
        for index, who in enumerate(people):
            x = starts[index][0] + speeds[index][0] * time
            y = starts[index][1] + speeds[index][1] * time
            angle, squeeze = sway * np.sin(9 * part + phase + index), 1.0
            if kind == "turned":
                squeeze = max(0.35, abs(np.cos(np.pi * (part + 0.2 * index))))
            if kind == "rolled":
                angle = 360 * part + 40 * phase
            if kind == "fast":
                at = [(640 + 460 * np.sin((time + k / 5) / FRAMES * shake), y + 50 * np.sin(shake * part)) for k in range(5)]
                sum_of, base = np.zeros_like(frame), frame.copy()
                for step, (x, y) in enumerate(at):
                    frame[:] = base
                    face = paste(frame, who, x, y, sizes[index], angle)
                    sum_of += frame
                    if step == 2:
                        middle = face
                frame[:] = sum_of / 5
                faces.append((index, middle))
                continue
            faces.append((index, paste(frame, who, x, y, sizes[index], angle, squeeze)))
        if kind == "covered":
            hidden = np.zeros((HEIGHT, WIDTH), bool)
            hidden[:, pole:pole + 100] = True
            frame[:, pole:pole + 100] = (60, 70, 80)
            if 15 <= time < 35:
                x, y, _, along, _ = faces[0][1]
                hand = np.zeros((HEIGHT, WIDTH), np.uint8)
                cv2.ellipse(hand, (int(x), int(y + along * 0.6)), (int(along), int(along * 0.7)), 0, 0, 360, 255, -1)
                frame[hand > 0] = (120, 150, 200)
                hidden |= hand > 0
        if kind == "dark":
            frame *= 1 - darkest * np.sin(np.pi * part) ** 2
            frame += chance.normal(0, 6, frame.shape)
        yield frame, [[f"{kind}{index}", face, visible(face, hidden)] for index, face in faces]


def encode(path: pathlib.Path, crf: int) -> subprocess.Popen:
    """An encoder that takes frames on standard input."""
    return subprocess.Popen(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(RATE),
         "-i", "-", "-c:v", "libx264", "-preset", "veryfast", "-crf", str(crf), "-pix_fmt", "yuv420p", str(path)],
        stdin=subprocess.PIPE)


def make(folder: pathlib.Path, pictures: pathlib.Path, seed: int) -> dict[str, list]:
    """Makes the films `good` and `low` of the same frames; returns the marks of each frame."""
    chance = np.random.default_rng(seed)
    heads = [head(pictures / name, box) for name, box in PORTRAITS.items()]
    grounds = sorted(path for path in (pictures / "grounds").iterdir())
    films = {"good": encode(folder / "good.mp4", 23), "low": encode(folder / "low.mp4", 36)}
    marks = []
    for number, kind in enumerate(KINDS):
        image = cv2.imread(str(grounds[(number + seed) % len(grounds)])).astype(np.float32)
        scale = max(WIDTH * 1.1 / image.shape[1], HEIGHT * 1.1 / image.shape[0])
        ground = cv2.resize(image, None, fx=scale, fy=scale)
        for frame, faces in scene(kind, heads, ground, chance):
            bytes_of = np.clip(frame, 0, 255).astype(np.uint8).tobytes()
            for film in films.values():
                film.stdin.write(bytes_of)
            marks.append({"kind": kind, "faces": faces})
    for film in films.values():
        film.stdin.close()
        if film.wait() != 0:
            raise RuntimeError("ffmpeg cannot encode the films")
    (folder / "marks.json").write_text(json.dumps(marks))
    return {name: marks for name in films}
