"""Asks a service for a long time what clients ask, and what no good client asks, and checks every answer.

    python3 Benchmarks/service/soak.py [--minutes N] [--requests N] [--trace FILE] [--seed N] [--command PROGRAM]

Starts `frostglass serve`, finds out what the right answers are (of good requests those are the files that
the command writes), then asks from eight clients at once: pictures of all formats to be blurred, redacted and
put on other canvases, files of the operator's, also whether they have changed, broken and hostile files, slow
bodies, clients that leave, and the same files of an origin that fails, lies and is slow now and then; meanwhile
workers and the program that fetches are killed, and the service is told to read its presets anew, which say
another thing each time. It goes on for N minutes and N
requests, whichever comes last. A worker that is killed may cost one request, a fetcher
one of each client. At the end all processes
together have to hold as much memory as after the first 500 requests, within 5 %, and as many
descriptors; the serving process may take its time to settle, but not grow by more than 5 % from the third
quarter to the last. It has to exit with 0. Only Python's own library is needed.
"""
import argparse
import atexit
import collections
import hashlib
import http.client
import http.server
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PHOTOGRAPHS = ROOT / "Tests" / "Fixtures" / "Photographs"
CLIENTS = 8
WORKERS = 2
SETTLING = 500


@dataclass(frozen=True)
class Request:
    """One request and what comes back."""

    name: str
    target: str
    body: bytes
    status: int
    digest: str = ""
    kind: str = "good"
    #: Of several right answers, the other one.
    other: str = ""

    @property
    def method(self) -> str:
        return "GET" if self.target.startswith(("/v1/pictures/", "/v1/images?")) else "POST"

    def is_right(self, status: int, answer: bytes) -> bool:
        digest = hashlib.sha256(answer).hexdigest()
        return status == self.status and (not self.digest or digest in (self.digest, self.other))


@dataclass
class Tally:
    """What was seen, shared by all threads."""

    counts: collections.Counter = field(default_factory=collections.Counter)
    problems: list[str] = field(default_factory=list)
    done: int = 0
    lost: int = 0
    unfetched: int = 0
    kills: int = 0
    fetcher_kills: int = 0
    reloads: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Origin(http.server.ThreadingHTTPServer):
    """Another server that has the operator's pictures. Of seven requests for one it answers one with 503, one not at
    all and one slowly; each is current for a second."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), OriginHandler)
        self.folder = folder
        self.turns: collections.Counter = collections.Counter()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, address) -> None:
        """Clients that leave are nothing to speak of."""


class OriginHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = self.path.removeprefix("/base/")
        self.server.turns[name] += 1
        turn = self.server.turns[name] % 7
        if name == "away":
            return self.answer(302, b"moved", Location="http://169.254.169.254/latest/meta-data/")
        if name == "text.png":
            return self.answer(200, b"hello, world")
        if name == "short.png":
            self.close_connection = True
            return self.answer(200, b"\x89PNG", length=1000)
        file = self.server.folder / name
        if not file.exists():
            return self.answer(404, b"there is no such file" * 100)
        if turn == 2:
            return self.answer(503, b"come back later")
        if turn == 4:
            self.close_connection = True
            return None
        if turn == 6:
            time.sleep(0.2)
        body = file.read_bytes()
        tag = f'"{hashlib.sha256(body).hexdigest()}"'
        if self.headers["If-None-Match"] == tag:
            return self.answer(304, b"", ETag=tag)
        return self.answer(200, body, ETag=tag)

    def answer(self, status: int, body: bytes, length: int | None = None, **fields: str) -> None:
        self.send_response(status)
        if status != 304:
            self.send_header("Content-Length", str(length or len(body)))
        for name, value in {"Cache-Control": "max-age=1", "Content-Type": "image/png", **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words) -> None:
        pass


class Service:
    """A service in a process of its own."""

    def __init__(self, command: str, folder: Path) -> None:
        self.origin = Origin(folder / "pictures")
        self.folder = folder
        self.errors = (folder / "errors").open("w+")
        self.process = subprocess.Popen(
            [
                command, "serve", "--pictures", folder / "pictures", "--presets", folder / "presets", "--listen", "127.0.0.1:0", "--workers", str(WORKERS), "--log",
                "none", "--seconds", "120", "--head-seconds", "3", "--body-seconds", "6",
                "--worker-requests", "400",
                "--origin", f"shop=http://127.0.0.1:{self.origin.server_port}/base/?private=1&seconds=60",
                "--source-cache", folder / "cache", "--source-cache-size", "1M",
            ],
            stderr=self.errors)
        atexit.register(self.process.kill)
        self.port = 0
        for _ in range(600):
            time.sleep(0.1)
            for line in self.said().splitlines():
                if line.startswith("listening on "):
                    self.port = int(line.rsplit(":", 1)[1])
            if self.port and self.ask("GET", "/health/ready")[0] == 200:
                return
        raise SystemExit(f"the service does not start: {self.said()}")

    def reload(self, times: int) -> None:
        write_preset(self.folder, PRESETS[times % 2])
        self.process.send_signal(signal.SIGHUP)

    def said(self) -> str:
        return Path(self.errors.name).read_text()

    def ask(self, method: str, target: str, body: bytes | None = None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, target, body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def workers(self) -> list[int]:
        return [child for child in self.children() if child not in self.fetchers()]

    def fetchers(self) -> list[int]:
        """Those children that fetch: one, or none while it is started again."""
        found = []
        for child in self.children():
            try:
                words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"frostglass-fetch"):
                found.append(child)
        return found

    def children(self) -> list[int]:
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    fields = Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
                except OSError:
                    continue
                if int(fields[1]) == self.process.pid and fields[0] != "Z":
                    found.append(int(entry))
        return found

    def memory(self) -> dict[str, float]:
        """Megabytes: of the serving process, and of all processes with shared pages counted once."""

        def of(process: int, row: str) -> float:
            try:
                lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            except OSError:
                return 0
            return next(int(line.split()[1]) for line in lines if line.startswith(row)) / 1024

        own = self.process.pid
        return {
            "server_rss": of(own, "Rss:"), "server_pss": of(own, "Pss:"),
            "all_pss": sum(of(process, "Pss:") for process in [own] + self.children()),
        }

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=120)


#: What the operator's preset says before and after each reload.
PRESETS = ("blur(3px)", "box(4)")


def write_preset(folder: Path, text: str) -> None:
    new = folder / "preset.new"
    new.write_text(json.dumps({"filter": text}))
    new.rename(folder / "presets" / "changing.json")


def made(command: str, verb: str, folder: Path, source: Path, name: str, *options: str) -> str:
    """The digest of what the command makes of a file."""
    target = folder / name
    # What is redacted keeps nothing unless it is told to.
    strip = [] if verb == "redact" else ["--strip"]
    subprocess.run(
        [command, verb, source, target, *strip, "--overwrite", *options], check=True,
        stderr=subprocess.DEVNULL)
    return hashlib.sha256(target.read_bytes()).hexdigest()


def good_requests(command: str, folder: Path, chance: random.Random) -> list[Request]:
    """Every format to every other, in a few sizes, with a few filters and other operations."""
    requests = []
    (folder / "pictures").mkdir()
    (folder / "presets").mkdir()
    write_preset(folder, PRESETS[0])
    sources = []
    sizes = {"astronaut.jpg": "512x512", "chelsea.png": "225x150", "coffee.jpg": "90x60"}
    for name, size in sizes.items():
        for kind in ("jpg", "png", "webp", "tiff", "gif", "avif"):
            target = folder / f"{name}.{kind}"
            subprocess.run([command, "fill", PHOTOGRAPHS / name, target, "--size", size], check=True)
            sources.append(target)
    filters = ["gaussian(8px)", "blur(6px) saturate(180%)", "box(5) invert()", "median(3)"]
    for index, source in enumerate(sources):
        for turn in range(2):
            format_ = ("jpg", "png", "webp", "jpg", "tiff", "gif")[(index + 3 * turn) % 6]
            text = filters[(index + turn) % len(filters)]
            right = made(
                command, "blur", folder, source, f"right.{format_}", "--backend", "fast", "--filter", text)
            query = text.replace("%", "%25").replace(" ", "%20")
            requests.append(
                Request(
                    f"{source.name} to {format_}", f"/v1/blur?filter={query}&format={format_}",
                    source.read_bytes(), 200, right))
        # The same file in the operator's folder; of the others, one each.
        shutil.copy(source, folder / "pictures" / source.name)
        if source.name == "chelsea.png.png":
            half = source.read_bytes()
            (folder / "pictures" / "half.png").write_bytes(half[: len(half) // 2])
        sigma = chance.randrange(1, 20)
        right = made(
            command, "blur", folder, source, "right.png", "--backend", "fast", "--sigma", str(sigma))
        requests.append(
            Request(
                f"GET {source.name}", f"/v1/pictures/{source.name}?sigma={sigma}&format=png", b"", 200, right))
        requests.append(
            Request(
                f"GET {source.name} of the origin",
                f"/v1/images?src=shop/{source.name}&sigma={sigma}&format=png", b"", 200, right))
        others = [
            ("redact", [("region", "5,5,30,20"), ("fill", "mosaic")]),
            ("redact", [("region", "ellipse(8, 8, 40, 30)"), ("fill", "solid")]),
            ("fill", [("aspect", "9:16")]), ("fill", [("size", "120x80")]),
        ]
        verb, fields = chance.choice(others)
        options = [word for name, value in fields for word in (f"--{name}", value)]
        right = made(command, verb, folder, source, "right.png", *options)
        query = urllib.parse.urlencode(fields + [("format", "png")])
        requests.append(
            Request(f"{verb} {source.name}", f"/v1/{verb}?{query}", source.read_bytes(), 200, right))
        # Before a reload or after it: which, the client cannot tell.
        both = [
            made(command, "blur", folder, source, "right.png", "--backend", "fast", "--filter", text)
            for text in PRESETS
        ]
        requests.append(
            Request(
                f"preset of {source.name}", "/v1/blur?preset=changing&format=png", source.read_bytes(), 200,
                both[0], other=both[1]))
    return requests


def bad_requests(good: list[Request]) -> list[Request]:
    """Broken and hostile ones; the same picture comes to the same end every time."""
    requests = []
    for request in [request for request in good if request.body][::2]:
        half = request.body[: len(request.body) // 2]
        requests.append(
            Request(f"half of {request.name}", "/v1/blur?sigma=3", half, 422, kind="bad"))
        requests.append(
            Request(f"{request.name}, misspelled", "/v1/blur?sgma=3", request.body, 400, kind="bad"))
    for name, status in {
        "away": 502, "text.png": 415, "short.png": 502, "missing.png": 404, "half.png": 422, "../x": 400,
    }.items():
        requests.append(
            Request(f"{name} of the origin", f"/v1/images?src=shop/{name}&sigma=3", b"", status, kind="bad"))
    for text in (b"<svg/>", b"%PDF-1.7", b"hello, world"):
        requests.append(Request(str(text), "/v1/blur?sigma=3", text, 415, kind="bad"))
    requests.append(Request("nothing", "/v1/blur?sigma=3", b"", 400, kind="bad"))
    requests.append(
        Request("not a form", "/v1/scene", b'{"canvas": 1,}', 400, kind="bad"))
    return requests


def damaged_requests(service: Service, good: list[Request], chance: random.Random) -> list[Request]:
    """Files with some wrong bytes: what they come to is found out while nothing else is going on."""
    requests = []
    for request in [request for request in good if request.body]:
        body = bytearray(request.body)
        for _ in range(6):
            body[chance.randrange(64, len(body))] = chance.randrange(256)
        target = "/v1/blur?sigma=3&format=png"
        status, answer = service.ask("POST", target, bytes(body))
        if status not in (200, 413, 415, 422):
            raise SystemExit(f"{request.name} with wrong bytes: {status} {answer!r}")
        digest = hashlib.sha256(answer).hexdigest() if status == 200 else ""
        requests.append(
            Request(
                f"{request.name} with wrong bytes", target, bytes(body), status, digest,
                kind="damaged"))
    return requests


class Client(threading.Thread):
    """Asks until it is told to stop."""

    def __init__(
        self, service: Service, requests: dict[str, list[Request]], tally: Tally, seed: int,
        until: threading.Event,
    ) -> None:
        super().__init__(daemon=True)
        self.service, self.requests, self.tally, self.until = service, requests, tally, until
        self.chance = random.Random(seed)

    def run(self) -> None:
        while not self.until.is_set():
            draw = self.chance.random()
            try:
                if draw < 0.10:
                    self.again(self.chance.choice([one for one in self.requests["good"] if not one.body]))
                elif draw < 0.70:
                    self.plain(self.chance.choice(self.requests["good"]))
                elif draw < 0.84:
                    self.plain(self.chance.choice(self.requests["bad"]))
                elif draw < 0.92:
                    self.plain(self.chance.choice(self.requests["damaged"]))
                elif draw < 0.95:
                    self.slow(self.chance.choice([one for one in self.requests["good"] if one.body]))
                else:
                    self.leaving(self.chance.choice(self.requests["good"]))
            except Exception as error:  # What a client meets is a finding, whatever it is.
                self.note("error", f"{type(error).__name__}: {error}")

    def note(self, kind: str, problem: str | None = None) -> None:
        with self.tally.lock:
            self.tally.done += 1
            self.tally.counts[kind] += 1
            if problem:
                self.tally.problems.append(problem)

    def plain(self, request: Request) -> None:
        self.judge(
            request, request.kind,
            *self.service.ask(request.method, request.target, request.body))

    def again(self, request: Request) -> None:
        """A picture, then twice on the same connection whether it has changed, and again."""
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=300)
        try:
            tag = None
            for expected in (200, 304, 304, 200):
                # The first may have been lost with its worker.
                if expected == 304 and not tag:
                    continue
                headers = {"If-None-Match": tag} if expected == 304 else {}
                connection.request("GET", request.target, headers=headers)
                answer = connection.getresponse()
                body = answer.read()
                tag = answer.headers.get("ETag", tag)
                if expected == 200:
                    self.judge(request, "again", answer.status, body)
                elif answer.status != 304 or body:
                    self.note("again", f"{request.name}: {answer.status} instead of 304")
        finally:
            connection.close()

    def judge(self, request: Request, kind: str, status: int, answer: bytes) -> None:
        if status == 500 and b"work-failed" in answer:
            # As many as workers were killed, at most: looked at in the end.
            with self.tally.lock:
                self.tally.lost += 1
            self.note(kind)
        elif status == 503 and b"images cannot be fetched now" in answer:
            with self.tally.lock:
                self.tally.unfetched += 1
            self.note(kind)
        elif status != request.status:
            self.note(kind, f"{request.name}: {status} instead of {request.status}: {answer[:300]!r}")
        elif not request.is_right(status, answer):
            self.note(kind, f"{request.name}: another picture")
        else:
            self.note(kind)

    def connection(self, request: Request) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.service.port), timeout=300)
        head = (
            f"{request.method} {request.target} HTTP/1.1\r\nHost: soak\r\n"
            f"Content-Length: {len(request.body)}\r\n\r\n")
        connection.sendall(head.encode())
        return connection

    def slow(self, request: Request) -> None:
        """In pieces with pauses: done in time, or so slowly that the service hangs up."""
        is_hopeless = self.chance.random() < 0.3
        with self.connection(request) as connection:
            pieces = 1000 if is_hopeless else 8
            size = -(-len(request.body) // pieces)
            try:
                for start in range(0, len(request.body), size):
                    connection.sendall(request.body[start : start + size])
                    time.sleep(0.1)
                answer = http.client.HTTPResponse(connection, method="POST")
                answer.begin()
                status, body = answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                status, body = 0, b""
        if is_hopeless:
            self.note("hopeless", f"slow {request.name}: {status}" if status else None)
        else:
            self.judge(request, "slow", status, body)

    def leaving(self, request: Request) -> None:
        """Half a body, or a whole one, and gone."""
        with self.connection(request) as connection:
            part = self.chance.choice((0, len(request.body) // 2, len(request.body)))
            connection.sendall(request.body[:part])
            time.sleep(self.chance.random() * 0.05)
        self.note("left")


class Soak:
    """The whole of it."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.arguments = arguments
        chance = random.Random(arguments.seed)
        good = good_requests(arguments.command, folder, chance)
        self.service = Service(arguments.command, folder)
        self.requests = {
            "good": good, "bad": bad_requests(good),
            "damaged": damaged_requests(self.service, good, chance),
        }
        self.chance = chance
        self.tally = Tally()
        self.start = time.monotonic()
        self.rows: list[str] = []

    def ask(self, more: int, seconds: float, kills: bool) -> None:
        """At least so many requests, and for at least so long."""
        until = threading.Event()
        seeds = [self.chance.randrange(1 << 30) for _ in range(CLIENTS)]
        clients = [
            Client(self.service, self.requests, self.tally, seed, until) for seed in seeds
        ]
        for client in clients:
            client.start()
        goal, end = self.tally.done + more, time.monotonic() + seconds
        last_kill = last_row = last_reload = last_fetcher = time.monotonic()
        while self.tally.done < goal or time.monotonic() < end:
            time.sleep(0.2)
            now = time.monotonic()
            if kills and now > last_kill + 4:
                last_kill = now
                workers = self.service.workers()
                if workers:
                    os.kill(self.chance.choice(workers), signal.SIGKILL)
                    self.tally.kills += 1
            if kills and now > last_fetcher + 7:
                last_fetcher = now
                for fetcher in self.service.fetchers():
                    os.kill(fetcher, signal.SIGKILL)
                    self.tally.fetcher_kills += 1
            if kills and now > last_reload + 3:
                last_reload = now
                self.tally.reloads += 1
                self.service.reload(self.tally.reloads)
            if now > last_row + 10:
                last_row = now
                self.row()
            if self.service.process.poll() is not None:
                raise SystemExit(f"the service has ended: {self.service.said()}")
        until.set()
        for client in clients:
            client.join()

    def row(self) -> None:
        memory = self.service.memory()
        numbers = [f"{memory[name]:.1f}" for name in ("server_rss", "server_pss", "all_pss")]
        self.rows.append(
            f"{time.monotonic() - self.start:.0f},{self.tally.done},{self.tally.lost},"
            f"{self.tally.kills}," + ",".join(numbers))

    def quarters(self) -> tuple[float, float]:
        """The serving process's resident megabytes: means of the third quarter and of the last."""
        values = [float(row.split(",")[4]) for row in self.rows]
        size = max(len(values) // 4, 1)
        return (
            statistics.mean(values[-2 * size : -size] or values), statistics.mean(values[-size:]))

    def settled(self) -> tuple[dict[str, float], int]:
        """What is held once all workers have had all kinds of requests, and nothing goes on."""
        for _ in range(3):
            threads = []
            for part in range(3):
                def work(part: int = part) -> None:
                    for request in self.requests["good"] + self.requests["bad"]:
                        status, answer = self.service.ask(
                            request.method, request.target, request.body)
                        if not request.is_right(status, answer):
                            self.tally.problems.append(f"{request.name}: {status}, settled {part}")
                threads.append(threading.Thread(target=work))
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        time.sleep(8)
        return self.service.memory(), self.service.descriptors()

    def run(self) -> bool:
        self.ask(SETTLING, 0, kills=False)
        before, descriptors = self.settled()
        self.row()
        left = 60 * self.arguments.minutes - (time.monotonic() - self.start)
        self.ask(self.arguments.requests - self.tally.done, left, kills=True)
        after, descriptors_after = self.settled()
        self.row()
        said = self.service.said()
        code = self.service.end()
        tally = self.tally
        killed = said.count("was ended by signal 9")
        print(f"{tally.done} requests in {time.monotonic() - self.start:.0f} s: " + ", ".join(
            f"{count} {kind}" for kind, count in sorted(tally.counts.items())))
        print(
            f"{tally.kills} workers killed, which cost {tally.lost} requests; {tally.fetcher_kills} fetchers "
            f"killed, which cost {tally.unfetched}; {tally.reloads} reloads; "
            f"{sum(self.service.origin.turns.values())} requests to the origin")
        for name in before:
            print(f"{name}: {before[name]:.1f} MB after {SETTLING}, {after[name]:.1f} MB at the end")
        print(f"descriptors: {descriptors} and {descriptors_after}; exit code {code}")
        faults = tally.problems[:20]
        if tally.lost > tally.kills:
            faults.append("more requests were lost than workers killed")
        if tally.unfetched > CLIENTS * tally.fetcher_kills:
            faults.append("more fetches were lost than clients have when a fetcher is killed")
        # Workers come and go, and what one keeps depends on what it was asked last.
        if after["all_pss"] > before["all_pss"] * 1.05:
            faults.append("memory grew")
        third, last = self.quarters()
        print(f"server_rss: {third:.1f} MB in the third quarter, {last:.1f} MB in the last")
        if last > third * 1.05:
            faults.append("the serving process grows")
        if descriptors_after > descriptors + 2:
            faults.append("descriptors are left open")
        if said.count("are read anew") != tally.reloads:
            faults.append(f"{said.count('are read anew')} of {tally.reloads} reloads were done")
        if killed > tally.kills or code != 0:
            faults.append(f"exit code {code}; {said[-2000:]}")
        if self.arguments.trace:
            head = "seconds,requests,lost,kills,server_rss_mb,server_pss_mb,all_pss_mb\n"
            Path(self.arguments.trace).write_text(head + "\n".join(self.rows) + "\n")
        for fault in faults:
            print(fault)
        print("all well" if not faults else f"{len(tally.problems)} wrong answers")
        return not faults


def main() -> None:
    parser = argparse.ArgumentParser(description="Asks a service for a long time.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", default=str(ROOT / ".build" / "release" / "frostglass"))
    parser.add_argument("--trace", help="a table of memory over time goes there")
    with tempfile.TemporaryDirectory(prefix="frostglass-soak-") as folder:
        sys.exit(0 if Soak(parser.parse_args(), Path(folder)).run() else 1)


if __name__ == "__main__":
    main()
