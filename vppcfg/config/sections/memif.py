"""The section `memifs`: ports that share memory with another program, met at a socket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from vppcfg.config.configuration import MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.names import MAX_INSTANCE
from vppcfg.config.schema.words import is_file_path
from vppcfg.config.sections.made_section import MadeSection, Plugin
from vppcfg.config.sections.section import Naming, Parsing, SectionEntry
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.memif import (
    BUILT_IN_SOCKET,
    Memif,
    MemifMode,
    MemifRole,
    memif_name,
    memif_numbers,
    sockets_in_use,
)
from vppcfg.model.ownership import MADE_MARK
from vppcfg.model.state import State
from vppcfg.record import record

MAX_SOCKET_PATH = 107
"""Bytes; Linux keeps 108 of the path of a socket, the last one NUL (sockaddr_un)."""
_PATTERN = "memif(0|[1-9][0-9]*)/(0|[1-9][0-9]*)"


@record
class MemifConfig(MadeConfig):
    """One entry below `memifs`."""

    role: MemifRole
    socket: str | None = None
    """None for the socket that VPP always has."""
    mode: MemifMode = MemifMode.ETHERNET

    @property
    def has_ethernet(self) -> bool:
        """Return whether frames go through, and not packets."""
        return self.mode is MemifMode.ETHERNET

    @property
    def mark(self) -> str:
        """Return the mark of a port that a file makes."""
        return MADE_MARK

    @property
    def socket_id(self) -> int:
        """Return the number of the socket, which is in the name."""
        numbers = memif_numbers(self.name)
        return BUILT_IN_SOCKET if numbers is None else numbers[0]


class Memifs(MadeSection[MemifConfig, Memif]):
    """The section `memifs`."""

    key = "memifs"
    thing = "memif"
    config = MemifConfig
    making = Memif
    plugin = Plugin(name="memif", reason="the file has a memif", thing="a memif")
    needs_interface = True
    can_join_bond = True
    ethernet_hint = "; mode ethernet can"
    assumed: ClassVar = {
        "role": ("master", "slave"),
        "mode": ("ethernet", "ip"),
        "socket": ("/run/assumed-a.sock", "/run/assumed-b.sock"),
    }
    naming = Naming(
        is_name=lambda value: isinstance(value, str) and is_memif_name(value),
        rule="memif-name",
        wanted="a memif is called memif, the number of its socket, / and its own number at that socket",
        pattern=(_PATTERN, None),
    )

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> MemifConfig:
        """Return a memif."""
        return MemifConfig(
            name=entry.name,
            path=entry.path,
            description=entry.description,
            role=MemifRole(entry.raw["role"]),
            socket=entry.raw.get("socket"),
            mode=MemifMode(entry.raw.get("mode") or MemifMode.ETHERNET.value),
        )

    def making_of(self, config: MemifConfig, before: Memif | None, desired: DesiredState) -> Memif:
        """Return the port that VPP is to make."""
        return Memif(role=config.role, socket=config.socket or "", mode=config.mode)

    def resolve(self, desired: DesiredState) -> None:
        """Enter the memifs of the file; a socket that is taken by one that stays as it is cannot be theirs."""
        MadeSection.resolve(self, desired)
        _leave_out_idle_sockets(desired)
        taken = [
            (name, making)
            for name, making in desired.made.items()
            if isinstance(making, Memif) and name not in desired.configuration.made
        ]
        for config in self.entries_in(desired.configuration).values() if taken else ():
            for name, other in taken:
                if (memif_numbers(name) or (None,))[0] != config.socket_id:
                    continue
                if other.socket != (config.socket or "") or other.role is not config.role:
                    where = f"at {other.socket}" if other.socket else "at VPP's own socket"
                    text = (
                        f"{name} is not made by the file and a {other.role.value} at socket {config.socket_id}, {where}"
                    )
                    desired.problem("memif-socket-taken", config.path, text + "; take another number for the socket")

    def why_not(self, making: Memif) -> str | None:
        """Return why no entry can say what a memif is."""
        if making.mode is MemifMode.PUNT_INJECT:
            return "it is for punt and inject"
        if making.socket and not is_file_path(making.socket):
            return f"its socket has a name that the configuration does not allow: {making.socket}"
        return None

    def restate_made(self, name: str, making: Memif, state: State) -> MemifConfig:
        """Return the entry of a memif."""
        return MemifConfig(
            name=name, path=(self.key, name), role=making.role, socket=making.socket or None, mode=making.mode
        )

    def made_keys(self, entry: MemifConfig) -> Iterator[KeyValue]:
        """Yield what a memif is made with."""
        yield KeyValue("role", entry.role.value)
        if entry.socket is not None:
            yield KeyValue("socket", entry.socket)
        yield KeyValue("mode", entry.mode.value, is_default=entry.mode is MemifMode.ETHERNET)


def _leave_out_idle_sockets(desired: DesiredState) -> None:
    """Want no socket without a memif: a change that was cut short has left it, and VPP does nothing with it.

    A memif of the file at its number, or an `unmanaged` one, keeps it.
    """
    sockets = desired.observed.facts.memif_sockets
    if not sockets:
        return
    used = sockets_in_use([*desired.observed.made.items(), *desired.made.items()])
    kept = tuple(
        (number, file) for number, file in sockets if number in used or desired.globs.matches(memif_name(number, 0))
    )
    if kept != sockets:
        desired.facts = replace(desired.facts, memif_sockets=kept)


def is_memif_name(name: str) -> bool:
    """Return whether a memif can have this name; all ones is no number."""
    numbers = memif_numbers(name)
    return numbers is not None and all(number <= MAX_INSTANCE for number in numbers)


SECTION = Memifs()
