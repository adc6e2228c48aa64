"""Serves metrics over HTTP (RFC 9110), one reading for each request, to Prometheus and to browsers.

It has no passwords and no TLS and listens on the loopback by default: what is to be read from
elsewhere goes through a proxy that has them.
"""

from __future__ import annotations

import io
import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from vppcfg.errors import UsageError

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
DEFAULT_ADDRESS = "127.0.0.1:9482"
FIRST_PASSED = 3
"""The first descriptor that systemd passes (sd_listen_fds(3))."""
_MOST_CLIENTS = 16
_PATIENCE_S = 10.0
"""How long a client may be silent."""
_LONGEST_S = 30.0
"""How long a client may stay: one that sends a byte now and then is never silent."""
_LARGEST_REQUEST_BYTES = 64 * 1024
"""Python's HTTP server alone would take a hundred headers of as many bytes each."""
_PAGE = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>vppcfg metrics</title>
<h1>vppcfg metrics</h1><p><a href="/metrics">Metrics</a> of this router for Prometheus.</p></html>
"""
_log = logging.getLogger(__name__)


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT or [ADDRESS]:PORT. Raise UsageError."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not colon or not host or not port.isdecimal() or not 0 <= int(port) < 1 << 16:
        raise UsageError(f"`{text}` is not an address to listen on", "write HOST:PORT, such as 127.0.0.1:9482")
    return host, int(port)


def passed_socket(environment: dict[str, str] | os._Environ[str] = os.environ) -> socket.socket | None:
    """Return the socket that systemd passes to this process, None when it passes none. Raise UsageError for more."""
    if environment.get("LISTEN_PID") != str(os.getpid()):
        return None
    if environment.get("LISTEN_FDS") != "1":
        raise UsageError("one socket is expected of systemd", "the unit has one ListenStream=")
    return socket.socket(fileno=FIRST_PASSED)


class Exporter(HTTPServer):
    """Answers requests, several at a time, of which one reads VPP."""

    request_queue_size = 32

    def __init__(self, text: Callable[[], str], *, address: str = "", passed: socket.socket | None = None) -> None:
        """Listen on `address`, or on a socket that was `passed`. Raise UsageError when that cannot be."""
        self._text = text
        self._reading = threading.Lock()
        self._clients: dict[socket.socket, float] = {}
        if passed is not None:
            self.address_family = passed.family
            super().__init__(("", 0), _Handler, bind_and_activate=False)
            self.socket.close()
            self.socket = passed
            self.server_address = passed.getsockname()
            return
        host, port = parse_address(address)
        try:
            family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            self.address_family = family
            super().__init__((str(place[0]), port), _Handler)
        except OSError as error:
            raise UsageError(f"cannot listen on {address}: {error.strerror or error}") from error

    def server_bind(self) -> None:
        """Bind without the name service, which HTTPServer asks for a name that nothing here uses."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def metrics(self) -> bytes:
        """Return the metrics as they are now."""
        with self._reading:
            return self._text().encode(errors="backslashreplace")

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a client beside others; one too many is hung up on."""
        if len(self._clients) >= _MOST_CLIENTS:
            self.shutdown_request(request)
            return
        self._clients[request] = time.monotonic() + _LONGEST_S
        try:
            threading.Thread(target=self._attend, args=(request, client_address), daemon=True).start()
        except RuntimeError:  # the system has no thread left
            self._dismiss(request)

    def service_actions(self) -> None:
        """Hang up on clients that have stayed for too long; the server asks twice a second."""
        for request, deadline in list(self._clients.items()):
            if time.monotonic() > deadline:
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def _attend(self, request: Any, client_address: Any) -> None:
        try:
            self.finish_request(request, client_address)
        except OSError as error:  # a client that left
            _log.debug("%s: %s", client_address, error)
        finally:
            self._dismiss(request)

    def _dismiss(self, request: Any) -> None:
        del self._clients[request]
        self.shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what goes wrong with a client; it ends nothing."""
        _log.debug("%s", client_address, exc_info=True)


class _Bounded(io.RawIOBase):
    """What a client sends, up to the largest request; what follows is not read."""

    def __init__(self, client: socket.SocketIO) -> None:
        self._client = client
        self._left = _LARGEST_REQUEST_BYTES

    def readable(self) -> bool:
        """Return True, as a reader must."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read as a file does; the end of the request is the end of the file."""
        count = self._client.readinto(memoryview(buffer)[: self._left])
        self._left -= count or 0
        return count

    def close(self) -> None:
        """Let the socket go, too."""
        self._client.close()
        super().close()


class _Handler(BaseHTTPRequestHandler):
    """One client."""

    timeout = _PATIENCE_S
    server: Exporter

    def setup(self) -> None:
        """Read from the client within bounds."""
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(_Bounded(self.connection.makefile("rb", buffering=0)))

    def version_string(self) -> str:
        """Return the value of the header Server."""
        return "vppcfg"

    def do_GET(self) -> None:
        """Answer with the metrics, or with a page that leads to them."""
        path = self.path.partition("?")[0]
        if path == "/metrics":
            self._answer(self.server.metrics(), CONTENT_TYPE)
        elif path == "/":
            self._answer(_PAGE, "text/html; charset=utf-8")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    do_HEAD = do_GET

    def _answer(self, body: bytes, content_type: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log a request for whoever looks for a fault."""
        _log.debug("%s %s", self.address_string(), format % args)
