"""Besieges a service and says what another client notices.

    python3 Benchmarks/service/siege.py [--seconds N] [--command PROGRAM] [OPTION…]

Starts `frostglass serve` with two workers and OPTIONs, then from addresses of loopback of their own:

- dear: one client keeps 20 connections busy with the dearest requests that are let in: as many bilateral
  filters as may be, and 12 megapixels as HEIC;
- dripping: 1,000 uploads that are announced and send a byte a second, from one address and from many.

Meanwhile another client asks for one small blur after another and for /metrics. The siege holds where each of
its requests is answered with 200 and 99 of 100 blurs take less than a second; otherwise the exit code is 1.
Only Python's own library is needed.
"""
import argparse
import contextlib
import http.client
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = (ROOT / "Tests" / "Fixtures" / "Photographs" / "astronaut.jpg").read_bytes()
OTHER = "127.0.0.9"


class Service:
    """A service in a process of its own."""

    def __init__(self, command: str, options: list[str]) -> None:
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [command, "serve", "--listen", "127.0.0.1:0", "--workers", "2", "--log", "none", *options],
            stderr=self.errors)
        self.port = 0
        while not self.port:
            time.sleep(0.1)
            self.errors.seek(0)
            said = self.errors.read()
            if self.process.poll() is not None:
                raise SystemExit(f"siege: the service does not start: {said}")
            for line in said.splitlines():
                if line.startswith("listening on "):
                    self.port = int(line.rsplit(":", 1)[1])

    def ask(self, target: str, body: bytes | None = PICTURE, source: str = "127.0.0.2") -> int:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=60, source_address=(source, 0))
        with contextlib.closing(connection):
            connection.request("POST" if body else "GET", target, body)
            answer = connection.getresponse()
            answer.read()
            return answer.status

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.process.kill()


def large(command: str) -> bytes:
    """A photograph of 12 megapixels."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "in.jpg").write_bytes(PICTURE)
        subprocess.run(
            [command, "fill", "in.jpg", "out.jpg", "--size", "4000x3000"], cwd=folder, check=True)
        return (Path(folder) / "out.jpg").read_bytes()


def dearest(service: Service) -> str:
    """As many filters as are let in."""
    for count in [64, *range(48, 0, -4)]:
        target = "/v1/blur?filter=" + "+".join(["bilateral(10px)"] * count)
        if service.ask(target) not in (400, 422):
            print(f"dear: {count} bilateral filters are let in")
            return target
    raise SystemExit("siege: no filter is let in")


def dear(service: Service, command: str, seconds: float) -> bool:
    requests = [(dearest(service), PICTURE), ("/v1/blur?sigma=1&format=heic", large(command))]
    ends = threading.Event()
    answers: dict[int, int] = {}

    def attack(target: str, body: bytes) -> None:
        while not ends.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                status = service.ask(target, body)
                answers[status] = answers.get(status, 0) + 1

    threads = [
        threading.Thread(target=attack, args=requests[index % 2], daemon=True)
        for index in range(20)]
    for thread in threads:
        thread.start()
    time.sleep(3)
    held = notice("dear", service, seconds)
    ends.set()
    print(f"dear: the besieger was answered {dict(sorted(answers.items()))}")
    return held


def dripping(name: str, service: Service, sources: int, seconds: float) -> bool:
    drips = []
    head = b"POST /v1/blur?sigma=5 HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
    ends = threading.Event()

    def drip() -> None:
        while not ends.is_set():
            while len(drips) < 1000 and not ends.is_set():
                source = f"127.0.{1 + len(drips) % sources}.2"
                with contextlib.suppress(OSError):
                    drips.append(
                        socket.create_connection(
                            ("127.0.0.1", service.port), 5, source_address=(source, 0)))
                    drips[-1].send(head)
            for one in list(drips):
                try:
                    one.send(b"a")
                except OSError:
                    drips.remove(one)
                    one.close()
            ends.wait(1)

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    time.sleep(5)
    held = notice(name, service, seconds)
    ends.set()
    thread.join()
    for one in drips:
        one.close()
    return held


def notice(name: str, service: Service, seconds: float) -> bool:
    """Asks as another client does, and says how long that took."""
    times, bad = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        try:
            answers = [service.ask("/v1/blur?sigma=5", source=OTHER)]
            times.append(time.monotonic() - start)
            if len(times) % 10 == 1:
                answers.append(service.ask("/metrics", None, OTHER))
        except (OSError, http.client.HTTPException):
            times.append(time.monotonic() - start)
            answers = [0]
        bad += sum(answer != 200 for answer in answers)
    times.sort()
    p50, p99 = (times[min(int(part * len(times)), len(times) - 1)] for part in (0.5, 0.99))
    print(
        f"{name}: another client: {len(times)} blurs, p50 {p50 * 1000:.0f} ms, p99 "
        f"{p99 * 1000:.0f} ms, longest {times[-1] * 1000:.0f} ms, {bad} not answered with 200",
        flush=True)
    return bad == 0 and p99 < 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--command", default=str(ROOT / ".build" / "release" / "frostglass"))
    arguments, options = parser.parse_known_args()
    sieges = {
        "dear": lambda service: dear(service, arguments.command, arguments.seconds),
        "dripping, one address": lambda service: dripping(
            "dripping, one address", service, 1, arguments.seconds),
        "dripping, 100 addresses": lambda service: dripping(
            "dripping, 100 addresses", service, 100, arguments.seconds),
    }
    held = True
    for siege in sieges.values():
        service = Service(arguments.command, options)
        try:
            held = siege(service) and held
        finally:
            service.end()
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
