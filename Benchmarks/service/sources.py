"""Measures images that are fetched, made smaller and blurred: the service beside thumbor and a pyvips server.

    python3 Benchmarks/service/sources.py [--rounds N] [--seconds N] [--venv FOLDER] [--page FILE]

nginx on loopback has a JPEG of two megapixels under many names. All are asked for it at a width of 600 pixels, with
σ 4, as JPEG, by 16 connections at once (wrk), one after another in each round, each with a process or thread per
core. None keeps what it fetched, but for the service a second time with its cache on disk. FOLDER is a virtual
environment with thumbor and pyvips; what is not there is left out. imagor is in neither Debian nor PyPI.
"""
import argparse
import datetime
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
from pathlib import Path

from service import CONNECTIONS, COMMAND, LARGE, QUALITY, SIZE, SMALL, Running, service, wrk

NAMES = 64
WIDTH = 600
SIGMA = 4


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def origin(folder: Path) -> Running:
    """nginx with the picture under many names."""
    images = folder / "images"
    images.mkdir()
    picture = images / "0.jpg"
    source = LARGE if LARGE.exists() else SMALL
    subprocess.run([COMMAND, "fill", source, picture, "--size", SIZE], check=True)
    for index in range(1, NAMES):
        shutil.copy(picture, images / f"{index}.jpg")
    port = free_port()
    settings = folder / "nginx.conf"
    settings.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.errors; worker_processes 1;\n"
        + ("user root;\n" if os.geteuid() == 0 else "")
        + "events { worker_connections 1024; }\n"
        "http { access_log off; types { image/jpeg jpg; }\n"
        f"server {{ listen 127.0.0.1:{port}; root {images}; }} }}\n")
    return Running(["/usr/sbin/nginx", "-p", folder, "-c", settings], port, folder, "nginx")


def script(folder: Path, name: str, path: str) -> Path:
    """A script for wrk that asks for all names one after another; NAME in the path stands for them."""
    before, after = path.split("NAME")
    file = folder / f"{name}.lua"
    file.write_text(
        "local turn = 0\nrequest = function()\n  turn = turn + 1\n"
        f'  return wrk.format("GET", "{before}" .. turn % {NAMES} .. "{after}")\nend\n')
    return file


def contenders(venv: Path | None, folder: Path, base: Running) -> dict[str, tuple[Running, Path]]:
    """Who is asked, with what."""
    place = f"http://127.0.0.1:{base.port}/"
    ask = f"/v1/images?src=shop/NAME.jpg&width={WIDTH}&sigma={SIGMA}&format=jpg&output-quality={QUALITY}"
    known = ["--origin", f"shop={place}?private=1", "--seconds", "60"]
    found = {
        "frostglass": (service(folder, *known), script(folder, "ours", ask)),
        "frostglass, cache": (
            service(folder, *known, "--source-cache", str(folder / "cache")), script(folder, "kept", ask)),
    }
    program = venv / "bin" / "thumbor" if venv else None
    if program and program.exists():
        settings = folder / "thumbor.conf"
        settings.write_text(
            f"STORAGE = 'thumbor.storages.no_storage'\nQUALITY = {QUALITY}\nALLOW_UNSAFE_URL = True\n"
            "MAX_AGE = 0\n")
        port = free_port()
        running = Running(
            [program, "--ip", "127.0.0.1", "--port", str(port), "--conf", settings, "--processes",
             str(os.cpu_count()), "--log-level", "error"], port, folder, "thumbor")
        path = f"/unsafe/{WIDTH}x0/filters:blur({3 * SIGMA},{SIGMA})/127.0.0.1:{base.port}/NAME.jpg"
        found["thumbor"] = (running, script(folder, "thumbor", path))
    python = venv / "bin" / "python" if venv else None
    if python and subprocess.run([python, "-c", "import pyvips"], capture_output=True).returncode == 0:
        port = free_port()
        running = Running(
            ["env", "VIPS_CONCURRENCY=1", python, Path(__file__).with_name("vips_server.py"), str(port), place],
            port, folder, "pyvips")
        found["pyvips server"] = (running, script(folder, "pyvips", f"/{WIDTH}/{SIGMA}/NAME.jpg"))
    return found


def page(arguments: argparse.Namespace, folder: Path) -> str:
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    base = origin(folder)
    all_of_them = contenders(arguments.venv, folder, base)
    rates: dict[str, list[float]] = {name: [] for name in all_of_them}
    late: dict[str, list[float]] = {name: [] for name in all_of_them}
    for running, asking in all_of_them.values():
        wrk(running.port, asking, 2)
    for _ in range(arguments.rounds):
        for name, (running, asking) in all_of_them.items():
            rate, _, last, wrong = wrk(running.port, asking, arguments.seconds)
            if wrong:
                raise SystemExit(f"{wrong} answers of {name} were wrong: {running.said()[-500:]}")
            rates[name].append(rate)
            late[name].append(last)
    for running, _ in all_of_them.values():
        running.end()
    base.end()
    ours = rates["frostglass"]
    lines = [
        "# Images from an origin",
        "",
        f"Made by `make bench-service`: a JPEG of {SIZE.replace('x', '×')} pixels at an nginx on loopback, under "
        f"{NAMES} names, is fetched, made {WIDTH} pixels wide, blurred with σ {SIGMA} and written as JPEG, for "
        f"{CONNECTIONS} connections; client and origin take their share of the cores, too. All were asked in turns; "
        "what counts is the ratio within a round. imagor is in neither Debian nor PyPI, so it is not here.",
        "",
        f"- date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        f"- cores: {os.cpu_count()}; load average at the start: {load}",
        *([f"- beside it: {arguments.beside}"] if arguments.beside else []),
        "",
        "| | requests a second, median | of frostglass without a cache, by round | 99th percentile, ms |",
        "|---|---:|---|---:|",
    ]
    for name, values in rates.items():
        ratios = ", ".join(f"{100 * one / other:.0f} %" for one, other in zip(values, ours))
        lines.append(
            f"| {name} | {statistics.median(values):.1f} | {ratios} | {statistics.median(late[name]):.0f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures images that the service fetches.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--venv", type=Path, help="a virtual environment with thumbor and pyvips")
    parser.add_argument("--beside", help="what else the machine was busy with, for the page")
    parser.add_argument("--page", type=Path, help="where the results go; otherwise they are printed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="frostglass-sources-") as folder:
        text = page(arguments, Path(folder))
    print(text)
    if arguments.page:
        arguments.page.write_text(text)


if __name__ == "__main__":
    main()
