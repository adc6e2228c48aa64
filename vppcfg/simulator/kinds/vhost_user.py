"""Simulates vhost-user ports (plugins/vhost). They have no peer, so none ever gets a link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.vhost_user import VhostUser, VhostUserRole, vhost_user_number
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, cstring, fixed

_DEVICE_CLASS = "vhost-user"
_MTU = 9000
_PREFIX = "VirtualEthernet0/0/"
_NO_SUCH_FILE = 2
"""The error of a client without a server (ENOENT)."""
_SWITCHES = ("gso", "packed", "event-idx")


@dataclass(slots=True, kw_only=True)
class VhostUserRow:
    """One port (vhost_user_intf_t)."""

    socket: str
    is_server: bool
    instance: int
    """The number that is shown unless another one is set."""
    sw_if_index: int = NONE


@dataclass(slots=True)
class VhostUserMain:
    """All ports (vhost_user_main_t)."""

    rows: Pool[VhostUserRow] = field(default_factory=Pool)

    def of(self, tables: Tables, sw_if_index: int) -> VhostUserRow | None:
        """Return the port that an interface is, or is a sub-interface of, None for any other interface."""
        if not tables.sw.has(sw_if_index):
            return None
        port = tables.parent_of(tables.sw[sw_if_index]).index
        return next((row for row in self.rows if row.sw_if_index == port), None)


def create(tables: Tables, socket: str, *, is_server: bool, number: int | None = None, mac: bytes = b"") -> SwInterface:
    """Make VirtualEthernet0/0/N; raise RefusedError without a socket, or with one that has a port already.

    Linux is not asked whether a server can make its socket.
    """
    main = tables.part(VhostUserMain)
    if not socket:
        raise _refused(Retval.INVALID_ARGUMENT)
    if any(row.socket == socket for row in main.rows):
        raise _refused(Retval.IF_ALREADY_EXISTS)
    port = main.rows.add(lambda index: VhostUserRow(socket=socket, is_server=is_server, instance=index))
    name = f"{_PREFIX}{port.instance if number is None else number}"
    hardware = HwInterface(
        name=name,
        device_class=_DEVICE_CLASS,
        mac=mac or interfaces.generated_mac_of(name),
        link_mtu=_MTU,
        has_link_of_its_own=True,
    )
    row = interfaces.create_port(tables, hardware, _MTU)
    port.sw_if_index = row.index
    return row


def _refused(code: Retval) -> RefusedError:
    return RefusedError(code, f"vhost_user_create_if returned {int(code)}")


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a port, also by a sub-interface of it (vhost_user_delete_if); raise RefusedError for anything else."""
    main = tables.part(VhostUserMain)
    port = required(main.of(tables, sw_if_index), retval=Retval.INVALID_SW_IF_INDEX)
    main.rows.remove(port.instance)
    interfaces.delete_port(tables, tables.hw_of(tables.sw[sw_if_index]).index)


def _answer_create(call: Call, values: Values) -> Outgoing:
    """Make a port; what the ends may offer each other is not kept."""
    socket = cstring(values["sock_filename"])
    for row in call.tables.part(VhostUserMain).rows:
        if socket and row.socket == socket:
            return call.reply(retval=Retval.IF_ALREADY_EXISTS, sw_if_index=row.sw_if_index)
    created = create(
        call.tables,
        socket,
        is_server=bool(values["is_server"]),
        number=values["custom_dev_instance"] if values["renumber"] else None,
        mac=values["mac_address"] if values["use_custom_mac"] else b"",
    )
    created.tag = values["tag"].partition(b"\0")[0]
    return call.reply(sw_if_index=created.index)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show all ports, or one; nothing is negotiated without a peer."""
    for row in call.tables.part(VhostUserMain).rows:
        if values["sw_if_index"] in (NONE, row.sw_if_index):
            yield call.details(
                {
                    "sw_if_index": row.sw_if_index,
                    "interface_name": fixed(call.tables.name_of(call.tables.sw[row.sw_if_index]), 64),
                    "is_server": row.is_server,
                    "sock_filename": fixed(row.socket, 256),
                    "sock_errno": 0 if row.is_server else _NO_SUCH_FILE,
                }
            )


def _command_create(tables: Tables, rest: Input) -> str:
    """`create vhost-user socket <file> [server] [hwaddr <mac>] [renumber <n>] [gso] [packed] [event-idx]`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    found: dict[str, Any] = {"socket": "", "is_server": False, "number": None, "mac": b""}
    while not line.is_at_end:
        if line.take("socket"):
            found["socket"] = line.string() or ""
        elif line.take("server"):
            found["is_server"] = True
        elif (mac := line.mac_after("hwaddr")) is not None:
            found["mac"] = mac
        elif (number := line.number_after("renumber")) is not None:
            found["number"] = number
        elif not any(line.take(word) for word in _SWITCHES):
            raise line.unknown_word()
    return f"{tables.name_of(create(tables, **found))}\n"


def _command_delete(tables: Tables, rest: Input) -> None:
    """`delete vhost-user {<interface> | sw_if_index <n>}`; VPP reports nothing of an index that is no port's."""
    line = rest.line()
    index = None
    while not line.is_at_end:
        if (number := line.number_after("sw_if_index")) is not None:
            index = number
        elif (row := line.interface(tables)) is not None:
            index = row.index
            if tables.part(VhostUserMain).of(tables, index) is None:
                raise RefusedError(Retval.UNSPECIFIED, "Not a vhost interface")
        else:
            raise line.unknown_word()
    if index is not None and tables.part(VhostUserMain).of(tables, index) is not None:
        delete(tables, index)


def _create(tables: Tables, port: VhostUser, desired: Interface, number: int) -> SwInterface:
    mac = mac_bytes(desired.mac) if desired.mac else b""
    is_server = port.role is VhostUserRole.SERVER
    return create(tables, port.socket, is_server=is_server, number=vhost_user_number(desired.name), mac=mac)


KIND = Kind(
    plugin="vhost",
    changes={
        "create_vhost_user_if_v2": _answer_create,
        "delete_vhost_user_if": lambda call, values: delete(call.tables, values["sw_if_index"]),
    },
    queries={"sw_interface_vhost_user_dump": _dump},
    commands={"create vhost-user": _command_create, "delete vhost-user": _command_delete},
    interface=InterfaceKind.VHOST_USER,
    create=_create,
)
