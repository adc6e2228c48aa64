"""Rules about memifs: the sockets that they are at, and the one role that all at a socket have."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.config.sections.memif import MAX_SOCKET_PATH, MemifConfig
from vppcfg.model.memif import BUILT_IN_SOCKET
from vppcfg.model.problem import Problem


def memif_interface(index: Index) -> Iterator[Problem]:
    """Find memifs of which nothing is said below `interfaces`: one for packets is made without an MTU."""
    for memif in index.configuration.made_as(MemifConfig).values():
        if not index.has(memif.name):
            text = f"{memif.name} has no entry below `interfaces`; add one, with its MTU and addresses"
            yield Problem(rule="memif-no-interface", path=memif.path, text=text)


def memif_socket(index: Index) -> Iterator[Problem]:
    """Find memifs whose socket has no file, more than one, a long one, or that of another socket."""
    files: dict[int, tuple[str, str]] = {}
    numbers: dict[str, tuple[int, str]] = {}
    for memif in index.configuration.made_as(MemifConfig).values():
        number, file, path = memif.socket_id, memif.socket, (*memif.path, "socket")
        if (number == BUILT_IN_SOCKET) != (file is None):
            text = f"{memif.name} is at socket {number}, whose file has to be said; add `socket: /run/vpp/FILE`"
            if file is not None:
                text = f"{memif.name} is at the socket that VPP always has, in a file of its own; remove `socket`"
            yield Problem(rule="memif-socket-file", path=memif.path if file is None else path, text=text)
            continue
        if file is None:
            continue
        if len(file.encode()) > MAX_SOCKET_PATH:
            text = f"the path of a socket has up to {MAX_SOCKET_PATH} bytes, and this one {len(file.encode())}"
            yield Problem(rule="memif-socket-long", path=path, text=text)
        first_file, first = files.setdefault(number, (file, memif.name))
        if first_file != file:
            text = f"{first} has the file {first_file} for socket {number}; say the same one, or take another number"
            yield Problem(rule="memif-socket-differs", path=path, text=text)
            continue
        first_number, first = numbers.setdefault(file, (number, memif.name))
        if first_number != number:
            text = f"{first} has this file for socket {first_number}; take memif{first_number}/ and a number of its own"
            yield Problem(rule="memif-socket-twice", path=path, text=text)


def memif_role(index: Index) -> Iterator[Problem]:
    """Find memifs whose role is not that of the first at their socket; VPP refuses them."""
    roles: dict[int, MemifConfig] = {}
    for memif in index.configuration.made_as(MemifConfig).values():
        first = roles.setdefault(memif.socket_id, memif)
        if first.role is not memif.role:
            text = (
                f"{first.name} is a {first.role.value} at the same socket; make both the same, or take another socket"
            )
            yield Problem(rule="memif-role", path=(*memif.path, "role"), text=text)
