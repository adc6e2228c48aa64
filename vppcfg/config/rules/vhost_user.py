"""Rules about vhost-user ports: each has a socket of its own, whose path Linux can keep."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.config.sections.memif import MAX_SOCKET_PATH, MemifConfig
from vppcfg.config.sections.vhost_user import VhostUserConfig
from vppcfg.model.problem import Problem


def vhost_user_socket(index: Index) -> Iterator[Problem]:
    """Find vhost-user ports with a long path, or with the socket of another port or of a memif."""
    memifs = index.configuration.made_as(MemifConfig).values()
    owners = {memif.socket: memif.name for memif in memifs if memif.socket is not None}
    for port in index.configuration.made_as(VhostUserConfig).values():
        path = (*port.path, "socket")
        if len(port.socket.encode()) > MAX_SOCKET_PATH:
            text = f"the path of a socket has up to {MAX_SOCKET_PATH} bytes, and this one {len(port.socket.encode())}"
            yield Problem(rule="vhost-user-socket-long", path=path, text=text)
        first = owners.setdefault(port.socket, port.name)
        if first != port.name:
            text = f"{first} has this socket already; take another file"
            yield Problem(rule="vhost-user-socket-twice", path=path, text=text)
