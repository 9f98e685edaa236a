"""Measures the service: throughput beside the command and beside thumbor, waiting times, overload, memory.

    python3 Benchmarks/service/service.py [--rounds N] [--seconds N] [--thumbor FILE] [--page FILE]

A JPEG of two megapixels, σ 10, JPEG out, over loopback. In each round the command blurs a folder of that
picture in one process, then the service is asked by 16 connections at once (wrk), then thumbor, by its
file loader; each with a process or thread per core. Then requests come at 80 % of the highest rate that
was measured, at fixed times whether the last is answered or not, and as 500 connections at once. Only
Python's own library, wrk, and thumbor where it is given, are needed.
"""
import argparse
import atexit
import datetime
import http.client
import json
import os
import re
import selectors
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ROOT / ".build" / "release" / "frostglass"
# Debian's mate-backgrounds has large photographs; the other lies here, and is enlarged.
LARGE = Path("/usr/share/backgrounds/mate/nature/Garden.jpg")
SMALL = ROOT / "Tests" / "Fixtures" / "Photographs" / "coffee.jpg"
SIZE = "1792x1120"
SIGMA = 10
QUALITY = 80
TARGET = f"/v1/blur?sigma={SIGMA}&output-quality={QUALITY}"
CONNECTIONS = 16


class Running:
    """A server in a process of its own."""

    def __init__(self, command: list, port: int | None, folder: Path, name: str) -> None:
        self.log = (folder / f"{name}.log").open("w")
        self.process = subprocess.Popen(
            command, stdout=self.log, stderr=self.log, start_new_session=True)
        atexit.register(self.kill)
        self.port = port or 0
        for _ in range(300):
            time.sleep(0.1)
            if not self.port:
                found = re.search(r"listening on http://127.0.0.1:(\d+)", self.said())
                self.port = int(found[1]) if found else 0
            try:
                socket.create_connection(("127.0.0.1", self.port or 1), 1).close()
                return
            except OSError:
                continue
        raise SystemExit(f"{name} does not start: {self.said()}")

    def said(self) -> str:
        return Path(self.log.name).read_text()

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def family(self) -> list[int]:
        found = [self.process.pid]
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid:
                found.append(int(entry))
        return found

    def end(self) -> None:
        # Thumbor's processes do not end with their parent.
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


def service(folder: Path, *options: str, log: str = "none") -> Running:
    command = [COMMAND, "serve", "--listen", "127.0.0.1:0", "--log", log, *options]
    return Running(command, None, folder, "service")


def wrk(port: int, script: Path, seconds: float) -> tuple[float, float, float, int]:
    """Requests per second, median and 99th percentile in milliseconds, and how many went wrong."""
    run = subprocess.run(
        [
            "wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration",
            f"{seconds:.0f}s", "--timeout", "60s", "--latency", "--script", script,
            f"http://127.0.0.1:{port}/",
        ],
        capture_output=True, text=True, check=True)
    units = {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}

    def latency(percent: int) -> float:
        found = re.search(rf"{percent}%\s+([\d.]+)(us|ms|s|m)\b", run.stdout)
        return float(found[1]) * units[found[2]]

    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", run.stdout)[1])
    wrong = sum(
        int(number) for number in re.findall(r"(?:Non-2xx or 3xx responses:|connect|read|write|timeout) (\d+)", run.stdout))
    return rate, latency(50), latency(99), wrong


def command_rate(picture: Path, folder: Path) -> float:
    """Pictures per second of one process that blurs a folder, without its start."""

    def seconds(count: int) -> float:
        source, target = folder / f"in{count}", folder / f"out{count}"
        if not source.exists():
            source.mkdir()
            for index in range(count):
                shutil.copy(picture, source / f"{index}.jpg")
        start = time.perf_counter()
        subprocess.run(
            [
                COMMAND, "blur", *sorted(source.iterdir()), "--out-dir", target, "--sigma",
                str(SIGMA), "--output-quality", str(QUALITY), "--backend", "fast", "--overwrite",
                "--strip",
            ],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - start

    few, many = 8, 88
    return (many - few) / (seconds(many) - seconds(few))


def at_rate(port: int, body: bytes, rate: float, seconds: float) -> list[float]:
    """Milliseconds from when each request was due to its answer; requests are due at equal distances."""
    times: list[float] = []
    lock = threading.Lock()
    start = time.perf_counter() + 0.1
    due = iter(range(int(rate * seconds)))

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while True:
            with lock:
                index = next(due, None)
            if index is None:
                return
            moment = start + index / rate
            time.sleep(max(0, moment - time.perf_counter()))
            connection.request("POST", TARGET, body)
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise SystemExit(f"status {answer.status} at {rate:.1f} requests a second")
            with lock:
                times.append(1000 * (time.perf_counter() - moment))

    threads = [threading.Thread(target=work) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


class Caller:
    """One connection of a crowd: sends a request as far as it is taken, and reads the answer."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), 60)
        self.socket.setblocking(False)
        self.sent = 0
        self.begun = 0.0
        self.answered = 0.0
        self.answer = b""
        self.wanted: int | None = None

    @property
    def status(self) -> int:
        return int(self.answer.split(b" ", 2)[1]) if self.answer else 0

    def send(self, data: bytes) -> bool:
        """Whether more is to be sent."""
        self.begun = self.begun or time.perf_counter()
        try:
            self.sent += self.socket.send(data[self.sent : self.sent + (1 << 16)])
        except OSError:
            # The rest is not wanted; the answer is there to be read.
            return False
        return self.sent < len(data)

    def read(self) -> bool:
        """Whether more is to come."""
        try:
            part = self.socket.recv(1 << 20)
        except OSError:
            part = b""
        if part and not self.answer:
            self.answered = time.perf_counter()
        self.answer += part
        if self.wanted is None and b"\r\n\r\n" in self.answer:
            head = self.answer.split(b"\r\n\r\n", 1)[0]
            length = re.search(rb"(?i)\ncontent-length: (\d+)", head)
            self.wanted = len(head) + 4 + int(length[1] if length else 0)
        return bool(part) and (self.wanted is None or len(self.answer) < self.wanted)


def overload(port: int, body: bytes, count: int = 500) -> dict[int, list[float]]:
    """Connects so often before the first request, asks on all at once, and waits for all answers.

    Milliseconds from the first byte that was sent to the first of the answer, by status.
    """
    head = f"POST {TARGET} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
    data = head.encode() + body
    chooser = selectors.DefaultSelector()
    for caller in [Caller(port) for _ in range(count)]:
        chooser.register(caller.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, caller)
    times: dict[int, list[float]] = {}
    while chooser.get_map():
        for key, events in chooser.select(120):
            caller = key.data
            if events & selectors.EVENT_READ and not caller.read():
                moment = caller.answered or time.perf_counter()
                times.setdefault(caller.status, []).append(1000 * (moment - caller.begun))
                chooser.unregister(caller.socket)
                caller.socket.close()
            elif events & selectors.EVENT_WRITE and not caller.send(data):
                chooser.modify(caller.socket, selectors.EVENT_READ, caller)
    return times


def logged(running: Running) -> dict[int, list[float]]:
    """Milliseconds from a request's head to its answer as the service has written them, by status."""
    times: dict[int, list[float]] = {}
    for line in running.said().splitlines():
        if line.startswith("{"):
            row = json.loads(line)
            times.setdefault(row["status"], []).append(row["ms"])
    return times


def proportional(process: int) -> float:
    """Megabytes, with shared pages divided among all who share them."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def pages(process: int) -> set[int]:
    """The pages of memory that a process has; as root, who alone may know them."""
    found = set()
    with open(f"/proc/{process}/pagemap", "rb", 0) as table:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            start, end = (int(number, 16) // 4096 for number in line.split()[0].split("-"))
            if start >= 1 << 40:
                continue
            table.seek(8 * start)
            for (entry,) in struct.iter_unpack("<Q", table.read(8 * (end - start))):
                # Present, and where.
                if entry >> 63 and entry & (1 << 55) - 1:
                    found.add(entry & (1 << 55) - 1)
    return found


def idle_memory(folder: Path) -> list[str]:
    """Rows: each process by itself, and all of them with each page counted once."""
    rows = []
    for workers, spares in ((1, 0), (1, 1), (2, 1)):
        running = service(folder, "--workers", str(workers), "--spare-workers", str(spares))
        time.sleep(4)
        each = [pages(process) for process in running.family()]
        running.end()
        sizes = [f"{len(one) / 256:.1f}" for one in each]
        together = len(set().union(*each)) / 256
        rows.append(
            f"| {workers} and {spares} | {sizes[0]} | {', '.join(sizes[1:])} | {together:.1f} |")
    return rows


def scripts(folder: Path, picture: Path) -> tuple[Path, Path]:
    ours, theirs = folder / "ours.lua", folder / "theirs.lua"
    ours.write_text(
        f'local file = io.open("{picture}", "rb")\n'
        'wrk.method = "POST"\nwrk.body = file:read("*a")\nfile:close()\n'
        f'request = function() return wrk.format(nil, "{TARGET}") end\n')
    # The radius that three standard deviations need.
    theirs.write_text(
        'request = function() return wrk.format("GET", '
        f'"/unsafe/filters:blur({3 * SIGMA},{SIGMA})/{picture.name}") end\n')
    return ours, theirs


def thumbor(program: Path, folder: Path, picture: Path) -> Running:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    settings = folder / "thumbor.conf"
    settings.write_text(
        "LOADER = 'thumbor.loaders.file_loader'\n"
        f"FILE_LOADER_ROOT_PATH = '{picture.parent}'\n"
        "STORAGE = 'thumbor.storages.no_storage'\n"
        f"QUALITY = {QUALITY}\nALLOW_UNSAFE_URL = True\nMAX_AGE = 0\n")
    command = [
        program, "--ip", "127.0.0.1", "--port", str(port), "--conf", settings, "--processes",
        str(os.cpu_count()), "--log-level", "error",
    ]
    return Running(command, port, folder, "thumbor")


def page(arguments: argparse.Namespace, folder: Path) -> str:
    picture = folder / "picture.jpg"
    source = LARGE if LARGE.exists() else SMALL
    subprocess.run([COMMAND, "fill", source, picture, "--size", SIZE], check=True)
    body = picture.read_bytes()
    ours, theirs = scripts(folder, picture)
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    rates: dict[str, list[float]] = {"command": [], "service": [], "thumbor": []}
    latencies = []
    running = service(folder)
    other = thumbor(arguments.thumbor, folder, picture) if arguments.thumbor else None
    wrk(running.port, ours, 3)
    for _ in range(arguments.rounds):
        rates["command"].append(command_rate(picture, folder))
        rate, median, late, wrong = wrk(running.port, ours, arguments.seconds)
        if wrong:
            raise SystemExit(f"{wrong} answers of the service were wrong")
        rates["service"].append(rate)
        latencies.append((median, late))
        if other:
            rate, _, _, wrong = wrk(other.port, theirs, arguments.seconds)
            if wrong:
                raise SystemExit(f"{wrong} answers of thumbor were wrong: {other.said()[-500:]}")
            rates["thumbor"].append(rate)
    if other:
        other.end()
    best = statistics.median(rates["service"])
    steady = []
    for _ in range(arguments.rounds):
        times = sorted(at_rate(running.port, body, 0.8 * best, arguments.seconds))
        steady.append((statistics.median(times), times[int(0.99 * len(times))], times[-1]))
    running.end()
    crowded = service(folder, "--seconds", "60", log="json")
    # Small ones: what a client needs for its upload is not the service's time.
    small = SMALL.read_bytes()
    overload(crowded.port, small, 64)
    before = sum(proportional(process) for process in crowded.family())
    crowd = overload(crowded.port, small)
    time.sleep(3)
    after = sum(proportional(process) for process in crowded.family())
    crowded.end()
    within = logged(crowded)

    against_command = [a / b for a, b in zip(rates["service"], rates["command"])]
    lines = [
        "# The service",
        "",
        "Made by `make bench-service`: a JPEG of "
        f"{SIZE.replace('x', '×')} pixels and {len(body) // 1000} kB, σ {SIGMA}, JPEG out, over "
        "loopback; the client takes its share of the cores, too.",
        "",
        f"- date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        f"- cores: {os.cpu_count()}; load average at the start: {load}",
        *([f"- beside it: {arguments.beside}"] if arguments.beside else []),
        "",
        "| | asked | measured | rounds |",
        "|---|---:|---:|---|",
        "| service, of what the command does in one process | ≥ 90 % | "
        f"{100 * statistics.median(against_command):.0f} % | "
        + ", ".join(f"{100 * ratio:.0f}" for ratio in against_command) + " |",
    ]
    if rates["thumbor"]:
        against = [a / b for a, b in zip(rates["service"], rates["thumbor"])]
        lines.append(
            f"| service, times thumbor's blur({3 * SIGMA},{SIGMA}) | ≥ 5 | "
            f"{statistics.median(against):.1f} | " + ", ".join(f"{ratio:.1f}" for ratio in against)
            + " |")
    ratios = [late / median for median, late, _ in steady]
    lines += [
        "| 99th percentile in medians, at 80 % of that load | < 3 | "
        f"{statistics.median(ratios):.2f} | " + ", ".join(f"{ratio:.2f}" for ratio in ratios)
        + " |",
        "",
        f"At full load ({CONNECTIONS} connections) the 99th percentile was "
        f"{statistics.median([b / a for a, b in latencies]):.2f} medians. Rates by round, requests a "
        "second: " + "; ".join(
            f"{name} " + ", ".join(f"{rate:.1f}" for rate in values)
            for name, values in rates.items() if values) + ".",
        "",
        "## Overload",
        "",
        f"500 connections, made before the first request, then asking at once with {SMALL.name}, "
        f"{len(small) // 1000} kB. For the client: from the "
        "first byte that was sent to the first of the answer, seen by one thread that watches all of "
        "them. For the service: from a request's head to its answer, upload "
        "included, as in its log.",
        "",
        "| status | answers | median, client, ms | latest, client, ms | latest, service, ms |",
        "|---:|---:|---:|---:|---:|",
    ]
    for status, times in sorted(crowd.items()):
        latest = max(within.get(status, [0]))
        lines.append(
            f"| {status or 'none'} | {len(times)} | {statistics.median(times):.1f} | "
            f"{max(times):.1f} | {latest:.1f} |")
    lines += [
        "",
        f"Memory of all its processes: {before:.0f} MB before, {after:.0f} MB three seconds after.",
        "",
        "## Idle memory",
        "",
        "Megabytes; what processes share, mostly libraries, is counted once under *all*.",
        "",
        "| workers and spares | server | workers | all |",
        "|---|---:|---:|---:|",
        *(idle_memory(folder) if os.geteuid() == 0 else ["| needs root | | | |"]),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the service.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--thumbor", type=Path, help="its program; without it, it is left out")
    parser.add_argument("--beside", help="what else the machine was busy with, for the page")
    parser.add_argument("--page", type=Path, help="where the results go; otherwise they are printed")
    arguments = parser.parse_args()
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="frostglass-service-", dir=shared) as folder:
        text = page(arguments, Path(folder))
    print(text)
    if arguments.page:
        arguments.page.write_text(text)


if __name__ == "__main__":
    main()
