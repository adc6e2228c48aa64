"""Which core of a router a flow lands on, found by sending some of it and looking which core got busy."""

from __future__ import annotations

import errno
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from vppcfg.errors import EngineError
from vppcfg.linux.inside import run_inside

_BURST_BYTES = 2 << 20
_TIMEOUT_S = 5.0
_ABORT = struct.pack("ii", 1, 0)
"""SO_LINGER with 0 s: the port is free at once, without TIME_WAIT."""
_PROCESSED, _CPU = 0, 12
"""Columns of /proc/net/softnet_stat (net/core/net-procfs.c), hexadecimal."""
_CLEAR = 1.5
"""The busiest core has to stand out by that much."""


def packets_by_core(softnet_stat: str) -> dict[int, int]:
    """Return the packets that each core has processed; kernels before 5.10 do not number the lines."""
    cores = {}
    for place, line in enumerate(softnet_stat.splitlines()):
        words = line.split()
        cores[int(words[_CPU], 16) if len(words) > _CPU else place] = int(words[_PROCESSED], 16)
    return cores


def busiest(former: Mapping[int, int], later: Mapping[int, int]) -> int | None:
    """Return the core that processed most between two looks, None when none stands out."""
    grown = sorted(((count - former.get(core, 0), core) for core, count in later.items()), reverse=True)
    if not grown or grown[0][0] <= 0:
        return None
    second = grown[1][0] if len(grown) > 1 else 0
    return grown[0][1] if grown[0][0] >= _CLEAR * second else None


@contextmanager
def listener(netns: str, port: int) -> Iterator[None]:
    """Take what comes in at a port of a namespace, for this context. Raise EngineError when the port is taken."""
    try:
        server = run_inside(netns, lambda: socket.create_server(("", port)))
    except OSError as error:
        raise EngineError(
            f"cannot listen on port {port}: {error.strerror}", "--first-port names other ports"
        ) from error
    with server:
        thread = threading.Thread(target=_swallow, args=(server,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(_TIMEOUT_S)


def core_of(netns: str, server: str, port: int, client_port: int, look: Callable[[], Mapping[int, int]]) -> int | None:
    """Return the core that a flow from `client_port` lands on; None when none stands out or the port is in use.

    `look` returns the packets that each core of the router has processed. Raise EngineError when the server cannot be
    reached.
    """
    try:
        sock = run_inside(netns, lambda: socket.create_connection((server, port), _TIMEOUT_S, ("", client_port)))
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL):
            return None
        raise EngineError(
            f"the router does not forward to {server}: {error.strerror or 'no answer'}", "check addresses and routes"
        ) from error
    with sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
        former = look()
        try:
            sock.sendall(bytes(_BURST_BYTES))
        except OSError as error:
            raise EngineError(f"the flow from port {client_port} breaks off: {error.strerror or error}") from error
        return busiest(former, look())


def _swallow(server: socket.socket) -> None:
    """Take connections one by one and read each to its end, until the server is closed."""
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            try:
                while connection.recv(1 << 16):
                    pass
            except OSError:
                continue  # aborted, as agreed
