#!/usr/bin/env python3
"""Frames that happen through `frostglass video - - --live`: how old they are when they come back, how many
do not, and whether memory stays what it was.

    Benchmarks/films/live.py [--frames 10000] [--fps 60] [--size 1920x1080] [--sigma 20] [--program PATH]

A thread writes y4m at the rate, another reads what comes out; each frame's line carries its number, so
that nothing has to be known of what is between. The age of a frame is from before its first byte is
written to after its last one is read. How late the sender is by itself is no part of that, and is said.
"""
import argparse
import fcntl
import pathlib
import statistics
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
F_SETPIPE_SZ = 1031


def frames(width: int, height: int, count: int = 8) -> list[bytes]:
    """Frames that differ from each other, 4:2:0 with 8 bits."""
    size = width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)
    made = []
    for number in range(count):
        piece = bytes((place * place // 7 + 31 * number) % 256 for place in range(65521))
        made.append((piece * (size // len(piece) + 1))[:size])
    return made


def resident(process: int) -> int:
    """Bytes of memory that a process has now."""
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def at(ages: list[float], part: float) -> float:
    """The age that this part of the frames did not exceed."""
    return sorted(ages)[min(int(part * len(ages)), len(ages) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--fps", type=float, default=60)
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--sigma", default="20")
    parser.add_argument("--program", default=str(ROOT / ".build/release/frostglass"))
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    pixels = frames(width, height)
    process = subprocess.Popen(
        [options.program, "video", "-", "-", "--live", "--sigma", options.sigma, "--backend", "fast"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    for pipe in (process.stdin, process.stdout):
        fcntl.fcntl(pipe, F_SETPIPE_SZ, 1 << 20)
    # What is said each second is read, so that nobody waits for it.
    said: list[str] = []
    threading.Thread(
        target=lambda: said.extend(line.decode() for line in process.stderr), daemon=True).start()
    sent = [0.0] * options.frames
    late: list[float] = []
    memory: list[tuple[int, int]] = []

    def send() -> None:
        process.stdin.write(f"YUV4MPEG2 W{width} H{height} F60:1 Ip A1:1 C420jpeg\n".encode())
        start = time.monotonic() + 0.5
        for number in range(options.frames):
            due = start + number / options.fps
            time.sleep(max(due - time.monotonic(), 0))
            sent[number] = time.monotonic()
            late.append(sent[number] - due)
            process.stdin.write(b"FRAME Xnumber=%d\n" % number)
            rest = memoryview(pixels[number % len(pixels)])
            while rest:
                rest = rest[process.stdin.write(rest):]
            if (number + 1) % max(options.frames // 10, 1) == 0:
                memory.append((number, resident(process.pid)))
        process.stdin.close()

    sender = threading.Thread(target=send)
    sender.start()
    ages: list[float] = []
    room = memoryview(bytearray(len(pixels[0])))

    def line() -> bytes:
        read = b""
        while not read.endswith(b"\n"):
            byte = process.stdout.read(1)
            if not byte:
                return read
            read += byte
        return read

    line()
    while head := line():
        done = 0
        while done < len(room):
            count = process.stdout.readinto(room[done:])
            if not count:
                raise SystemExit("it ended within a frame")
            done += count
        now = time.monotonic()
        ages.append(now - sent[int(head.split(b"=")[1])])
    sender.join()
    process.wait()
    first = ages[: int(options.fps)]
    milliseconds = 1000
    print(f"{options.size} at {options.fps:g} a second, sigma {options.sigma}: {options.frames} frames")
    print(f"dropped {options.frames - len(ages)}")
    print(
        f"age: median {statistics.median(ages) * milliseconds:.1f} ms, "
        f"99 % within {at(ages, 0.99) * milliseconds:.1f} ms, longest {max(ages) * milliseconds:.1f} ms "
        f"(in the first second {max(first) * milliseconds:.1f})")
    print(f"sender late: 99 % within {at(late, 0.99) * milliseconds:.1f} ms")
    tenths = ", ".join(f"{size / 1e6:.1f}" for _, size in memory)
    print(f"memory after each tenth of the frames: {tenths} MB")
    print(f"itself: {said[-1].strip() if said else 'nothing'}")


if __name__ == "__main__":
    main()
