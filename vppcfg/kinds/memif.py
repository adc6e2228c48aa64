"""Memifs, ports that share memory with another program: section, sockets, operations, read back (plugins/memif)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.engine.declared import message_values
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.entries.names import MAX_INSTANCE
from vppcfg.entries.section import Naming
from vppcfg.entries.virtual_interface_section import Plugin
from vppcfg.entries.words import is_file_path
from vppcfg.kinds.port import CreatePort, DeletePort, PortConfig, PortKind, is_long
from vppcfg.model.memif import (
    BUILT_IN_SOCKET,
    Memif,
    MemifMode,
    MemifRole,
    memif_name,
    memif_numbers,
    sockets_in_use,
)
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.operations.change import Change, ObjectKind, appearance
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Indexes, Known, Request, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader, text_of
from vppcfg.wire.row import Row

_ADD_DEL_SOCKET = "memif_socket_filename_add_del"


def socket_of(name: str) -> int | None:
    """Return the number of the socket of a memif, which is in the name; None for any other name."""
    numbers = memif_numbers(name)
    return None if numbers is None else numbers[0]


@record
class MemifSocketOperation(Operation):
    """An operation on one socket."""

    socket_id: int

    @property
    def subject(self) -> str:
        return f"memif socket {self.socket_id}"


@record
class CreateMemifSocket(MemifSocketOperation):
    """memif_socket_filename_add_del: give a file a number, by which memifs at it go."""

    file: str

    def _refusal(self, working: WorkingState) -> str | None:
        found = working.memif_sockets.get(self.socket_id, self.file)
        return f"memif socket {self.socket_id} is {found}" if found != self.file else None

    def apply_to(self, working: WorkingState) -> None:
        working.memif_sockets[self.socket_id] = self.file

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_ADD_DEL_SOCKET, {"is_add": 1, "socket_id": self.socket_id, "socket_filename": self.file})

    def cli(self) -> str:
        """Return the command (plugins/memif/cli.c)."""
        return f"create memif socket id {self.socket_id} filename {self.file}"


@record
class DeleteMemifSocket(MemifSocketOperation):
    """memif_socket_filename_add_del: forget a socket that no memif is at."""

    def _refusal(self, working: WorkingState) -> str | None:
        if self.socket_id not in working.memif_sockets:
            return f"there is no memif socket {self.socket_id}"
        held = next((name for name in working.virtual if socket_of(name) == self.socket_id), None)
        return f"{held} is at memif socket {self.socket_id}" if held else None

    def apply_to(self, working: WorkingState) -> None:
        del working.memif_sockets[self.socket_id]

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_ADD_DEL_SOCKET, {"is_add": 0, "socket_id": self.socket_id})

    def cli(self) -> str:
        return f"delete memif socket id {self.socket_id}"


_DUMP = "memif_dump"
_CREATE = ("memif_create_v2", "memif_create")
_ROLES = tuple(MemifRole)
_MODES = tuple(MemifMode)


@record
class MemifConfig(PortConfig):
    """One entry below `memifs`."""

    port: Memif

    @property
    def socket_id(self) -> int:
        """Return the number of the socket, which is in the name."""
        return socket_of(self.name) or BUILT_IN_SOCKET


# Operations


@record
class CreateMemif(CreatePort):
    """memif_create_v2: create `memifSOCKET/ID`, down, at a socket where all others have the same role."""

    port: Memif

    def _refusal(self, working: WorkingState) -> str | None:
        socket_id = socket_of(self.interface)
        if socket_id is None:
            return f"{self.interface} is no name of a memif"
        if socket_id != BUILT_IN_SOCKET and working.memif_sockets.get(socket_id) != self.port.socket:
            return f"there is no memif socket {socket_id} at {self.port.socket}"
        for name, virtual in working.virtual.items():
            if isinstance(virtual, Memif) and virtual.role is not self.port.role and socket_of(name) == socket_id:
                return f"{name} at the same socket is a {virtual.role.value}"
        return None

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message, without sizes, so that VPP takes its own."""
        socket_id, number = memif_numbers(self.interface) or (BUILT_IN_SOCKET, 0)
        values = {**message_values(self.port), "rx_queues": 1, "tx_queues": 1, "id": number, "socket_id": socket_id}
        return Request(vpp.newest(_CREATE), values)

    def cli(self) -> str:
        socket_id, number = memif_numbers(self.interface) or (BUILT_IN_SOCKET, 0)
        mode = "" if self.port.has_ethernet else f" mode {self.port.mode.value}"
        return f"create interface memif id {number} socket-id {socket_id} {self.port.role.value}{mode}"


@record
class DeleteMemif(DeletePort):
    """memif_delete: delete a memif; its socket stays."""

    virtual = Memif

    port: Memif

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("memif_delete", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"delete interface memif {self.interface}"


# Rules


def _interface(index: Index) -> Iterator[Problem]:
    """Find memifs without an entry below `interfaces`: one for packets is created without an MTU."""
    for memif in index.configuration.virtual_as(MemifConfig).values():
        if not index.has(memif.name):
            text = f"{memif.name} has no entry below `interfaces`; add one, with its MTU and addresses"
            yield Problem(rule="memif-no-interface", path=memif.path, text=text)


def _sockets(index: Index) -> Iterator[Problem]:
    """Find memifs whose socket has no file, more than one, a long one, or that of another socket."""
    files: dict[int, tuple[str, str]] = {}
    numbers: dict[str, tuple[int, str]] = {}
    for memif in index.configuration.virtual_as(MemifConfig).values():
        number, file, path = memif.socket_id, memif.port.socket, (*memif.path, "socket")
        if (number == BUILT_IN_SOCKET) != (not file):
            text = f"{memif.name} is at socket {number}, whose file is missing; add `socket: /run/vpp/FILE`"
            if file:
                text = f"{memif.name} is at VPP's built-in socket, whose file cannot be set; remove `socket`"
            yield Problem(rule="memif-socket-file", path=path if file else memif.path, text=text)
            continue
        if not file:
            continue
        if long := is_long(file):
            yield Problem(rule="memif-socket-long", path=path, text=long)
        first_file, first = files.setdefault(number, (file, memif.name))
        if first_file != file:
            text = f"{first} has the file {first_file} for socket {number}; set the same file, or take another number"
            yield Problem(rule="memif-socket-differs", path=path, text=text)
            continue
        first_number, first = numbers.setdefault(file, (number, memif.name))
        if first_number != number:
            text = f"{first} has this file for socket {first_number}; take memif{first_number}/ and a number of its own"
            yield Problem(rule="memif-socket-twice", path=path, text=text)


def _role(index: Index) -> Iterator[Problem]:
    """Find memifs whose role is not that of the first at their socket; VPP refuses them."""
    firsts: dict[int, MemifConfig] = {}
    for memif in index.configuration.virtual_as(MemifConfig).values():
        first = firsts.setdefault(memif.socket_id, memif)
        role = first.port.role
        if role is not memif.port.role:
            text = f"{first.name} is a {role.value} at the same socket; make both the same, or take another socket"
            yield Problem(rule="memif-role", path=(*memif.path, "role"), text=text)


class MemifKind(PortKind[MemifConfig, Memif]):
    """The section `memifs`, and memifs and their sockets in VPP."""

    key = "memifs"
    foreign_keys = ("memif", "memif-interface")
    noun = "memif"
    config = MemifConfig
    virtual = Memif
    plugin = Plugin(name="memif", reason="the file has a memif", use="a memif")
    needs_interface = True
    ethernet_hint = "; mode ethernet can"
    naming = Naming(
        is_name=lambda value: isinstance(value, str) and _is_name(value),
        rule="memif-name",
        form="a memif is called memif, the number of its socket, / and its own number at that socket",
        pattern=("memif(0|[1-9][0-9]*)/(0|[1-9][0-9]*)", None),
    )
    rules = (_interface, _sockets, _role)
    api_module = "memif"
    device_class = exclusive_class = "memif"
    instance_name = re.compile(r"memif\d+/\d+")
    command = "create interface memif"
    unreported_words: ClassVar = {
        **{"ring-size": "1024", "buffer-size": "2048", "rx-queues": "1", "tx-queues": "1"},
        **dict.fromkeys(("secret", "no-zero-copy", "use-dma"), ""),
    }
    capabilities: ClassVar = {"memif": _DUMP}
    dumps: ClassVar = {_DUMP: {}, "memif_socket_filename_dump": {}}
    create_operation = CreateMemif
    delete_operation = DeleteMemif

    def __init__(self) -> None:
        PortKind.__init__(self)
        self.operations = (*self.operations, CreateMemifSocket, DeleteMemifSocket)  # type: ignore[misc] # with sockets

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the memifs of the file; a socket that is taken by one that stays as it is cannot be theirs."""
        PortKind.resolve(self, desired)
        _leave_out_idle_sockets(desired)
        taken = [
            (name, virtual)
            for name, virtual in desired.virtual.items()
            if isinstance(virtual, Memif) and name not in desired.configuration.virtual
        ]
        for config in self.entries_in(desired.configuration).values() if taken else ():
            for name, other in taken:
                if socket_of(name) != config.socket_id:
                    continue
                if other.socket != config.port.socket or other.role is not config.port.role:
                    where = f"at {other.socket}" if other.socket else "at VPP's own socket"
                    text = (
                        f"{name} is not made by the file and a {other.role.value} at socket {config.socket_id}, {where}"
                    )
                    desired.problem("memif-socket-taken", config.path, text + "; take another number for the socket")

    def unsupported_reason(self, virtual: Memif) -> str | None:
        if virtual.mode is MemifMode.PUNT_INJECT:
            return "it is for punt and inject"
        if virtual.socket and not is_file_path(virtual.socket):
            return f"its socket has a name that the configuration does not allow: {virtual.socket}"
        return None

    def ports(self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> Iterator[tuple[str, Memif]]:
        """Yield the memifs that are called by their numbers."""
        sockets = dict(self._sockets(connection, replies))
        paths = ("sw_if_index", "id", "role", "mode", "socket_id")
        for index, number, role, mode, socket_id in connection.rows(replies, "memif_details", *paths):
            if index in rows and memif_numbers(rows[index].name) == (socket_id, number):
                yield (
                    rows[index].name,
                    Memif(
                        role=_ROLES[role % len(_ROLES)],
                        mode=_MODES[mode % len(_MODES)],
                        socket=sockets.get(socket_id, ""),
                    ),
                )

    def read_facts(
        self, connection: VppReader, replies: Replies, known: Known, found: Mapping[str, Mapping[int, Any]]
    ) -> dict[str, Any]:
        return {"memif_sockets": self._sockets(connection, replies)}

    def _sockets(self, connection: VppReader, replies: Replies) -> tuple[tuple[int, str], ...]:
        """Return the ids of all sockets but the built-in one, in order, with their files."""
        if not self.is_offered(connection):
            return ()
        rows = connection.rows(replies, "memif_socket_filename_details", "socket_id", "socket_filename")
        return tuple(sorted((number, text_of(file)) for number, file in rows if number != BUILT_IN_SOCKET))

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield the sockets that stay behind without a memif; others come and go with their memifs."""
        sockets = observed.facts.memif_sockets
        if sockets == desired.facts.memif_sockets or not sockets:
            return
        used = sockets_in_use([*observed.virtual.items(), *desired.virtual.items()])
        kept = used.keys() | dict(desired.facts.memif_sockets).keys()
        for socket_id, file in sockets:
            if socket_id not in kept:
                yield appearance(ObjectKind.MEMIF_SOCKET, f"memif socket {socket_id}", file, None)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that remove and make sockets. One without a memif goes unless the desired state has it."""
        before, after = transition.observed, transition.desired
        used = sockets_in_use(before.virtual.items())
        desired = sockets_in_use(after.virtual.items())
        there = {**dict(before.facts.memif_sockets), **used}
        idle = dict(after.facts.memif_sockets).keys() - used.keys()
        for socket_id, file in there.items():
            is_left = socket_id not in desired and socket_id not in idle
            if is_left or desired.get(socket_id, file) != file:
                yield Step(stage=Stage.DELETE_MEMIF_SOCKET, operation=DeleteMemifSocket(socket_id=socket_id))
        for socket_id, file in desired.items():
            if there.get(socket_id) != file:
                create = CreateMemifSocket(socket_id=socket_id, file=file)
                yield Step(stage=Stage.CREATE_MEMIF_SOCKET, operation=create)


def _leave_out_idle_sockets(desired: DesiredStateBuilder) -> None:
    """Want no socket without a memif: a change that was cut short has left it, and VPP does nothing with it.

    A memif of the file at its number, or an `unmanaged` one, keeps it.
    """
    sockets = desired.observed.facts.memif_sockets
    if not sockets:
        return
    used = sockets_in_use([*desired.observed.virtual.items(), *desired.virtual.items()])
    kept = tuple(
        (number, file) for number, file in sockets if number in used or desired.globs.matches(memif_name(number, 0))
    )
    if kept != sockets:
        desired.facts = replace(desired.facts, memif_sockets=kept)


def _is_name(name: str) -> bool:
    """Return whether a memif can have this name; all ones is no number."""
    numbers = memif_numbers(name)
    return numbers is not None and all(number <= MAX_INSTANCE for number in numbers)


KIND = MemifKind()
