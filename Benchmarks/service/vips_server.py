"""An image server as one writes it in an afternoon: fetches, shrinks and blurs with pyvips.

    python Benchmarks/service/vips_server.py PORT ORIGIN

Answers `/WIDTH/SIGMA/NAME` with the image NAME of ORIGIN, as a JPEG of quality 80, from a process for each core
and a thread for each connection. It checks nothing, and is here to be measured beside.
"""
import http.client
import http.server
import os
import socket
import sys
import threading
from urllib.parse import urlsplit

import pyvips

origin = urlsplit(sys.argv[2])
kept = threading.local()


def fetched(name: str) -> bytes:
    if not hasattr(kept, "connection"):
        kept.connection = http.client.HTTPConnection(origin.hostname, origin.port)
    kept.connection.request("GET", f"{origin.path}{name}")
    return kept.connection.getresponse().read()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        width, sigma, name = self.path.strip("/").split("/")
        image = pyvips.Image.thumbnail_buffer(fetched(name), int(width))
        body = image.gaussblur(float(sigma)).jpegsave_buffer(Q=80, strip=True)
        self.send_response(200)
        self.send_header("Content-Type", "image/jpeg")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    def server_bind(self) -> None:
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()


for _ in range((os.cpu_count() or 1) - 1):
    if os.fork() == 0:
        break
Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
