"""Simulates memifs and their sockets (plugins/memif). They have no peer, so no memif ever gets a link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.memif import Memif, MemifMode, MemifRole, memif_numbers
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, cstring, fixed

_DEVICE_CLASS = "memif"
_MTU = 9000
_MAX_LINK_MTU = 65535
_BUILT_IN = "/run/vpp/memif.sock"
_MASTER, _SLAVE = range(2)
_ETHERNET, _IP = range(2)
_NUMBERS = ("ring-size", "rx-queues", "tx-queues", "buffer-size")


@dataclass(slots=True, kw_only=True)
class MemifRow:
    """One memif (memif_if_t)."""

    socket_id: int
    number: int
    role: int
    mode: int
    sw_if_index: int


@dataclass(slots=True)
class MemifMain:
    """All memifs and all sockets (memif_main_t)."""

    sockets: dict[int, str] = field(default_factory=lambda: {0: _BUILT_IN})
    memifs: dict[int, MemifRow] = field(default_factory=dict)
    """By sw_if_index."""

    def at(self, socket_id: int) -> list[MemifRow]:
        """Return the memifs at a socket."""
        return [row for row in self.memifs.values() if row.socket_id == socket_id]


def set_socket(tables: Tables, socket_id: int, file: str) -> None:
    """Give a socket its file; raise RefusedError when it has another one (memif_socket_filename_add_del)."""
    main = tables.part(MemifMain)
    if socket_id in (0, NONE):
        raise RefusedError(Retval.INVALID_ARGUMENT, "cannot change id 0")
    if not file:
        raise RefusedError(Retval.INVALID_ARGUMENT, "invalid arguments")
    if main.sockets.setdefault(socket_id, file) != file:
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS, "Entry already exists (entry already exists)")


def unset_socket(tables: Tables, socket_id: int) -> None:
    """Forget a socket; raise RefusedError when there is none, or a memif is at it."""
    main = tables.part(MemifMain)
    if socket_id in (0, NONE):
        raise RefusedError(Retval.INVALID_ARGUMENT, "cannot change id 0")
    if socket_id not in main.sockets:
        text = f"Invalid argument (socket file with id {socket_id} does not exist)"
        raise RefusedError(Retval.INVALID_ARGUMENT, text)
    if main.at(socket_id):
        text = f"Unexpected interface state (socket file '{main.sockets[socket_id]}' is in use)"
        raise RefusedError(Retval.UNEXPECTED_INTF_STATE, text)
    del main.sockets[socket_id]


def create(
    tables: Tables, socket_id: int, number: int, role: int, mode: int = _ETHERNET, mac: bytes = b""
) -> SwInterface:
    """Make memifSOCKET/ID; raise RefusedError when there is one, no such socket, or one of another role at it."""
    main = tables.part(MemifMain)
    if socket_id not in main.sockets:
        raise RefusedError(Retval.INVALID_ARGUMENT, "Invalid argument (unknown socket id)")
    others = main.at(socket_id)
    if any(other.role != role for other in others):
        why = "socket file cannot be used by both master and slave"
        raise RefusedError(Retval.SUBIF_ALREADY_EXISTS, f"Subinterface already exists ({why})")
    if any(other.number == number for other in others):
        raise RefusedError(Retval.SUBIF_ALREADY_EXISTS, "Subinterface already exists (interface already exists)")
    is_ethernet = mode == _ETHERNET
    name = f"memif{socket_id}/{number}"
    port = HwInterface(
        name=name,
        device_class=_DEVICE_CLASS,
        is_ethernet=is_ethernet,
        mac=(mac or interfaces.generated_mac_of(name)) if is_ethernet else bytes(6),
        link_mtu=_MTU if is_ethernet else 0,
        max_link_mtu=_MAX_LINK_MTU,
        has_link_of_its_own=True,
    )
    row = interfaces.create_port(tables, port, _MTU if is_ethernet else 0)
    main.memifs[row.index] = MemifRow(socket_id=socket_id, number=number, role=role, mode=mode, sw_if_index=row.index)
    return row


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a memif, also by a sub-interface of it (memif_api.c); raise RefusedError for anything else."""
    main = tables.part(MemifMain)
    port = tables.parent_of(tables.sw[sw_if_index]).index if tables.sw.has(sw_if_index) else NONE
    if port not in main.memifs:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, "not a memif interface")
    del main.memifs[port]
    interfaces.delete_port(tables, tables.hw_of(tables.sw[port]).index)


def _answer_socket(call: Call, values: Values) -> None:
    if values["is_add"]:
        set_socket(call.tables, values["socket_id"], cstring(values["socket_filename"]))
    else:
        unset_socket(call.tables, values["socket_id"])


def _answer_create(call: Call, values: Values) -> Outgoing:
    """Make a memif; sizes, queues and the secret are not kept."""
    size = values["ring_size"]
    if size & (size - 1):
        raise RefusedError(Retval.INVALID_ARGUMENT)
    mac = values["hw_addr"] if any(values["hw_addr"]) else b""
    row = create(call.tables, values["socket_id"], values["id"], values["role"], values["mode"], mac)
    return call.reply(sw_if_index=row.index)


def _dump_sockets(call: Call, values: Values) -> Iterator[Outgoing]:
    for socket_id, file in call.tables.part(MemifMain).sockets.items():
        yield call.details({"socket_id": socket_id, "socket_filename": fixed(file, 108)})


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show all memifs; a ring has one place, and a buffer none, without a peer."""
    for memif in call.tables.part(MemifMain).memifs.values():
        row = call.tables.sw[memif.sw_if_index]
        yield call.details(
            {
                "sw_if_index": memif.sw_if_index,
                "hw_addr": call.tables.hw_of(row).mac,
                "id": memif.number,
                "role": memif.role,
                "mode": memif.mode,
                "socket_id": memif.socket_id,
                "ring_size": 1,
                "flags": int(row.is_up),
                "if_name": fixed(call.tables.name_of(row), 64),
            }
        )


def _command_create_socket(tables: Tables, rest: Input) -> None:
    """`create memif socket [id <id>] [filename <path>]`."""
    found = _socket_words(rest)
    set_socket(tables, _typed_id(found), found.get("filename", ""))


def _command_delete_socket(tables: Tables, rest: Input) -> None:
    """`delete memif socket [id <id>]`."""
    unset_socket(tables, _typed_id(_socket_words(rest)))


def _typed_id(found: dict[str, Any]) -> int:
    socket_id = int(found.get("id", NONE))
    if socket_id in (0, NONE):
        raise RefusedError(Retval.UNSPECIFIED, "Invalid socket id")
    return socket_id


def _socket_words(rest: Input) -> dict[str, Any]:
    line = rest.line()
    found: dict[str, Any] = {}
    while not line.is_at_end:
        if line.take_field({"id": "id"}, line.number, found):
            continue
        if not line.take("filename"):
            raise _unknown()
        found["filename"] = line.string() or ""
    return found


def _command_create(tables: Tables, rest: Input) -> None:
    """`create interface memif [id <id>] [socket-id <id>] [ring-size <size>] [hw-addr <mac>] <master|slave> ..`."""
    line = rest.line()
    found: dict[str, Any] = {"socket_id": 0, "number": 0, "role": _SLAVE}
    while not line.is_at_end:
        _option(line, found)
    create(tables, **found)


def _option(line: Input, found: dict[str, Any]) -> None:
    if line.take_field({"id": "number", "socket-id": "socket_id"}, line.number, found):
        return
    if any(line.number_after(word) is not None for word in _NUMBERS):
        return
    if line.take("master"):
        found["role"] = _MASTER
    elif line.take("slave"):
        found["role"] = _SLAVE
    elif line.take("mode", "ip"):
        found["mode"] = _IP
    elif line.take("no-zero-copy") or line.take("use-dma"):
        return
    elif line.take("secret"):
        line.string()
    elif (mac := line.mac_after("hw-addr")) is not None:
        found["mac"] = mac
    else:
        raise _unknown()


def _unknown() -> RefusedError:
    """Return VPP's refusal of a word, which repeats what it has read of the next line: nothing."""
    return RefusedError(Retval.UNSPECIFIED, "unknown input `'")


def _command_delete(tables: Tables, rest: Input) -> None:
    """`delete interface memif {<interface> | sw_if_index <sw_idx>}`."""
    line = rest.line()
    index = None
    while not line.is_at_end:
        if (number := line.number_after("sw_if_index")) is not None:
            index = number
        elif (row := line.interface(tables)) is not None:
            index = row.index
        else:
            raise _unknown()
    if index is not None:
        delete(tables, index)


def _create(tables: Tables, memif: Memif, desired: Interface, number: int) -> SwInterface | None:
    numbers = memif_numbers(desired.name)
    if numbers is None:
        return None
    if numbers[0]:
        set_socket(tables, numbers[0], memif.socket)
    mac = mac_bytes(desired.mac) if desired.mac else b""
    role, mode = list(MemifRole).index(memif.role), list(MemifMode).index(memif.mode)
    return create(tables, *numbers, role, mode, mac)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Enter the sockets that no memif is at."""
    for socket_id, file in state.facts.memif_sockets:
        set_socket(tables, socket_id, file)


KIND = Kind(
    plugin="memif",
    changes={
        "memif_socket_filename_add_del": _answer_socket,
        "memif_create_v2": _answer_create,
        "memif_delete": lambda call, values: delete(call.tables, values["sw_if_index"]),
    },
    queries={"memif_socket_filename_dump": _dump_sockets, "memif_dump": _dump},
    commands={
        "create memif socket": _command_create_socket,
        "delete memif socket": _command_delete_socket,
        "create interface memif": _command_create,
        "delete interface memif": _command_delete,
    },
    interface=InterfaceKind.MEMIF,
    create=_create,
    load=_load,
)
