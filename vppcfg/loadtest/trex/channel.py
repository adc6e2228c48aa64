"""Requests to a T-Rex server and its answers: JSON in a ZeroMQ REQ socket, plain or compressed.

Framing as in src/rpc-server/trex_rpc_zip.cpp of trex-core: magic number and length in network order, then zlib.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import uninterrupted
from vppcfg.loadtest.packages import require

if TYPE_CHECKING:
    import zmq

DEFAULT_PORT = 4501
TIMEOUT_S = 5.0
_AGAIN_S = 1.0
"""How long a server that did not answer is waited for from then on."""
_MAGIC = 0xABE85CEA
_HEADER = struct.Struct("!II")
_MOST_BYTES = 4 << 20
"""Of an answer, expanded; those of T-Rex have some kB, and as objects an answer takes up to 24 times as much."""


class UnreachableError(EngineError):
    """A server does not answer."""


class TrexChannel:
    """A connection to one server; it is made with the first request."""

    def __init__(self, host: str, port: int = DEFAULT_PORT, timeout_s: float | None = None) -> None:
        """Raise EngineError where pyzmq is not installed."""
        require("zmq")
        self.peer = f"{host}:{port}"
        self._address = f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"
        self._is_ipv6 = ":" in host
        self._timeout_s = TIMEOUT_S if timeout_s is None else timeout_s
        self._is_lost = False
        self._context: zmq.Context[Any] | None = None
        self._socket: zmq.Socket[Any] | None = None

    def request(self, document: object) -> Any:
        """Send a JSON document and return the answer. Raise EngineError when none comes in time, or none of JSON.

        An interruption waits until the answer is there: half a request would leave the server in doubt.
        """
        with uninterrupted():
            return self._decoded(self._exchange(json.dumps(document).encode()))

    def close(self) -> None:
        """Close the connection; what is under way is dropped."""
        self._drop_socket()
        if self._context is not None:
            self._context.term()
            self._context = None

    def _exchange(self, message: bytes) -> bytes:
        import zmq

        socket = self._socket or self._open()
        timeout_s = min(self._timeout_s, _AGAIN_S) if self._is_lost else self._timeout_s
        try:
            socket.send(message)
            if not socket.poll(round(timeout_s * 1000), zmq.POLLIN):
                raise zmq.Again
            answer: bytes = socket.recv()
        except zmq.ZMQError as error:
            self._drop_socket()  # a REQ socket without its answer takes no further request
            self._is_lost = True
            reason = f"no answer within {timeout_s:g} s" if isinstance(error, zmq.Again) else str(error)
            raise UnreachableError(
                f"T-Rex at {self.peer} cannot be reached: {reason}",
                "is it running with -i, and is its port open (zmq_rpc_port, by default 4501)? An answer of more than "
                f"{_MOST_BYTES >> 20} MB counts as none",
            ) from error
        self._is_lost = False
        return answer

    def _open(self) -> zmq.Socket[Any]:
        import zmq

        self._context = self._context or zmq.Context()
        self._socket = self._context.socket(zmq.REQ)
        for option, value in (
            (zmq.LINGER, 0),
            (zmq.SNDTIMEO, round(self._timeout_s * 1000)),
            (zmq.RECONNECT_IVL, 20),
            (zmq.RECONNECT_IVL_MAX, 500),
            (zmq.IPV6, int(self._is_ipv6)),
            (zmq.MAXMSGSIZE, _MOST_BYTES),  # what is longer is dropped before it is read
        ):
            self._socket.setsockopt(option, value)
        try:
            self._socket.connect(self._address)
        except zmq.ZMQError as error:
            self._drop_socket()
            raise UnreachableError(
                f"T-Rex at {self.peer} cannot be reached: {error}", "write HOST or HOST:PORT"
            ) from error
        return self._socket

    def _drop_socket(self) -> None:
        if self._socket is not None:
            self._socket.close(linger=0)
            self._socket = None

    def _decoded(self, answer: bytes) -> Any:
        try:
            return json.loads(expanded(answer))
        except (ValueError, zlib.error, RecursionError) as error:
            raise EngineError(
                f"{self.peer} answers what no T-Rex server does: {error}", "is another program on this port?"
            ) from error


def expanded(message: bytes) -> bytes:
    """Return a message without its compression, if it has one. Raise ValueError or zlib.error for a damaged one."""
    if len(message) < _HEADER.size or _HEADER.unpack_from(message)[0] != _MAGIC:
        return message
    length = _HEADER.unpack_from(message)[1]
    if length > _MOST_BYTES:
        raise ValueError(f"a message of {length} bytes is too large")
    body = zlib.decompressobj().decompress(message[_HEADER.size :], length + 1)
    if len(body) != length:
        raise ValueError(f"a message of {length} bytes was announced, and {len(body)} came")
    return body


def compressed(message: bytes) -> bytes:
    """Return a message as it goes over the wire when it is compressed."""
    return _HEADER.pack(_MAGIC, len(message)) + zlib.compress(message)


def host_and_port(text: str) -> tuple[str, int]:
    """Return the parts of `HOST`, `HOST:PORT` or `[IPV6]:PORT`. Raise EngineError."""
    bare = text.count(":") > 1 and not text.startswith("[")
    host, colon, port = (text, "", "") if bare else text.rpartition(":")
    if not colon or (text.startswith("[") and text.endswith("]")):
        host, port = text, str(DEFAULT_PORT)
    if not host or not (port.isascii() and port.isdecimal()) or not 0 < int(port) < 65536:
        raise EngineError(f"{text!r} names no server", "write HOST or HOST:PORT")
    return host.strip("[]"), int(port)
