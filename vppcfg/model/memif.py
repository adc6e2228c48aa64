"""Memifs (memifSOCKET/ID): ports that share memory with another program on the same machine, met at a socket."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from enum import Enum

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.keys import choice, file_path, keyed_record, yaml_key
from vppcfg.model.virtual_interface import VirtualInterface

BUILT_IN_SOCKET = 0
"""The id of the socket that VPP always has, in its runtime directory (plugins/memif/memif.c)."""
_NAME = re.compile(r"memif(0|[1-9]\d{0,9})/(0|[1-9]\d{0,9})")


class MemifRole(Enum):
    """Who makes the socket, and who connects to it; a socket has either (plugins/memif/memif.c)."""

    MASTER = "master"
    SLAVE = "slave"


class MemifMode(Enum):
    """What goes through a memif, in VPP's order (memif_mode in plugins/memif/memif.api)."""

    ETHERNET = "ethernet"
    IP = "ip"
    PUNT_INJECT = "punt-inject"
    """VPP accepts it and has no use for it; the configuration cannot express it."""


@keyed_record
class Memif(VirtualInterface):
    """What a memif is made with, as far as VPP reports; sizes, queues and the secret are not reported."""

    kind = InterfaceKind.MEMIF
    noun = "memif"
    table = "memifs"
    recreate_on_change = ("socket", "role", "mode")
    is_owned_by_mark = True
    link_mtu_as_created = 9000

    role: MemifRole = yaml_key(
        choice(MemifRole),
        path="role",
        text="whether VPP creates the socket or connects to it; one for all memifs at a socket",
    )
    socket: str = yaml_key(
        file_path("/run/assumed-a.sock", "/run/assumed-b.sock"),
        default="",
        is_default_shown=False,
        text="the file of the socket; none for the one that VPP always has",
    )
    mode: MemifMode = yaml_key(
        replace(choice(MemifMode), schema="enum('ethernet', 'ip')", placeholders=("ethernet", "ip")),
        default=MemifMode.ETHERNET,
        path="mode",
        text="whether frames go through, or packets",
    )

    @property
    def has_ethernet(self) -> bool:
        """Return whether frames go through, and not packets."""
        return self.mode is MemifMode.ETHERNET

    @property
    def link_mtu_when_created(self) -> int | None:
        """Return the link MTU in bytes; a memif for packets has none."""
        return self.link_mtu_as_created if self.has_ethernet else None

    @property
    def packet_mtu_when_created(self) -> int:
        """Return the packet MTU in bytes, which a memif for packets is made without."""
        return self.packet_mtu_as_created if self.has_ethernet else 0


def memif_name(socket_id: int, number: int) -> str:
    """Return the name that VPP gives a memif at a socket."""
    return f"memif{socket_id}/{number}"


def memif_numbers(name: str) -> tuple[int, int] | None:
    """Return the id of the socket and that of the memif at it, None for any other name."""
    match = _NAME.fullmatch(name)
    return None if match is None else (int(match[1]), int(match[2]))


def sockets_in_use(interfaces: Iterable[tuple[str, VirtualInterface]]) -> dict[int, str]:
    """Return the sockets that memifs are at, but for the built-in one: their files by their ids."""
    found: dict[int, str] = {}
    for name, virtual in interfaces:
        numbers = memif_numbers(name) if isinstance(virtual, Memif) else None
        if numbers is not None and numbers[0] != BUILT_IN_SOCKET and isinstance(virtual, Memif):
            found[numbers[0]] = virtual.socket
    return found
