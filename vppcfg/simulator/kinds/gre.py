"""Simulates GRE tunnels (plugins/gre)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from ipaddress import ip_address
from typing import Any

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.tunnel import Gre, GreMode
from vppcfg.record import record
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables, signed
from vppcfg.simulator.tunnels import ENDS, Address, Tunnel, TunnelKey, TunnelMain, address_of, address_values, has_table
from vppcfg.simulator.wire import NONE, Outgoing, Values

_HAS_KEYS = ReleaseQuirk(span="25.10-", text="GRE tunnels have keys (74cf9657676)")
DEVICE_CLASS = "GRE tunnel device"
_MTU = 9000
_FRAME_BYTES = 9022
"""Of an Ethernet port that asks for none (vnet/ethernet/interface.c); VPP takes the tunnel's headers off that."""
_LAST_SESSION = 0x3FF
_NUMBERS = {"instance": "number", "outer-table-id": "table"}
_ODD_FLAGS = 1
"""Of a loaded tunnel of which the state records only that it is not plain."""


class Type(IntEnum):
    """What a tunnel carries (gre_tunnel_type)."""

    L3 = 0
    TEB = 1
    ERSPAN = 2


_MULTIPOINT = 1
"""TUNNEL_API_MODE_MP."""


@record
class GreRequest:
    """The tunnel that is asked for."""

    source: Address
    destination: Address
    type: Type = Type.L3
    mode: int = 0
    flags: int = 0
    session: int = 0
    number: int = NONE
    table: int = 0
    gre_key: int = 0

    @property
    def key(self) -> TunnelKey:
        """Return what VPP finds a tunnel by (gre_mk_key4, gre_mk_key6)."""
        return self.source, self.destination, self.table, self.type, self.mode, self.session, self.gre_key


class GreMain(TunnelMain[GreRequest]):
    """All tunnels (gre_main_t)."""


def create(tables: Tables, request: GreRequest) -> SwInterface:
    """Make greN, which is born down; raise RefusedError when there is such a tunnel or the number is taken."""
    _check(tables, request)
    main = tables.part(GreMain)
    if request.key in main.by_key:
        raise RefusedError(Retval.IF_ALREADY_EXISTS, "GRE tunnel already exists...")
    tunnel = main.add(request)
    return main.enter(tunnel, _register(tables, tunnel))


def _check(tables: Tables, request: GreRequest) -> None:
    """Raise RefusedError for what VPP looks at before it looks for a tunnel (vnet_gre_tunnel_add_del)."""
    if not has_table(tables, request):
        raise RefusedError(Retval.NO_SUCH_FIB, f"outer table ID {request.table} doesn't exist")
    if request.session > _LAST_SESSION:
        raise RefusedError(Retval.INVALID_SESSION_ID, f"session ID {request.session} out of range")
    if request.mode == _MULTIPOINT and int(request.destination):
        retval = Retval.INVALID_DST_ADDRESS
        raise RefusedError(retval, f"vnet_gre_tunnel_add_del returned {retval.value}")


def _register(tables: Tables, tunnel: Tunnel[GreRequest]) -> SwInterface:
    """Make the port: the overhead of a tunnel is taken off what its link can carry, and may leave less than nothing."""
    overhead = 44 if tunnel.request.source.version == 6 else 24
    is_ethernet = tunnel.request.type is not Type.L3
    low = tunnel.index & 0xFFFF
    port = HwInterface(
        name=f"gre{signed(tunnel.number)}",
        device_class=DEVICE_CLASS,
        is_ethernet=is_ethernet,
        mac=bytes([0xD0, 0x0B, 0xEE, 0xD0, low >> 8, low & 0xFF]) if is_ethernet else bytes(6),
        link_mtu=((_FRAME_BYTES if is_ethernet else 0) - overhead) & 0xFFFF,
        is_ip_tunnel=True,
        is_multipoint=tunnel.request.mode == _MULTIPOINT,
        has_gso=False,
    )
    return interfaces.create_port(tables, port, _MTU)


def delete(tables: Tables, request: GreRequest) -> int:
    """Delete the tunnel that is all that is asked for, and return the index it had; raise RefusedError without one."""
    _check(tables, request)
    tunnel = tables.part(GreMain).remove(tables, request.key)
    tunnel = required(tunnel, "GRE tunnel doesn't exist", Retval.NO_SUCH_ENTRY)
    return tunnel.sw_if_index


def _answer_add_delete(call: Call, values: Values) -> Outgoing:
    """Make or delete a tunnel; version 1 has no keys."""
    source, destination = address_of(values, "tunnel.src"), address_of(values, "tunnel.dst")
    if source.version != destination.version:
        raise RefusedError(Retval.INVALID_PROTOCOL)
    if source == destination:
        raise RefusedError(Retval.SAME_SRC_DST)
    if values["tunnel.type"] not in set(Type) or values["tunnel.mode"] > _MULTIPOINT:
        raise RefusedError(Retval.INVALID_VALUE)
    request = GreRequest(
        source=source,
        destination=destination,
        type=Type(values["tunnel.type"]),
        mode=values["tunnel.mode"],
        flags=values["tunnel.flags"],
        session=values["tunnel.session_id"],
        number=values["tunnel.instance"],
        table=values["tunnel.outer_table_id"],
        gre_key=values.get("tunnel.key", 0),
    )
    if values["is_add"]:
        return call.reply(sw_if_index=create(call.tables, request).index)
    return call.reply(sw_if_index=delete(call.tables, request))


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show all tunnels or one; version 1 has no keys."""
    for details in _details(call.tables, values["sw_if_index"]):
        yield call.details(details)


def _dump_v2(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show all tunnels or one, by a message whose name does not end in `_dump`."""
    for details in _details(call.tables, values["sw_if_index"]):
        yield "gre_tunnel_details_v2", details


def _details(tables: Tables, sw_if_index: int) -> Iterator[Values]:
    for tunnel in tables.part(GreMain).shown(sw_if_index):
        request = tunnel.request
        yield {
            "tunnel.type": request.type,
            "tunnel.mode": request.mode,
            "tunnel.flags": request.flags,
            "tunnel.session_id": request.session if request.type is Type.ERSPAN else 0,
            "tunnel.instance": tunnel.number,
            "tunnel.outer_table_id": request.table,
            "tunnel.sw_if_index": tunnel.sw_if_index,
            **address_values("tunnel.src", request.source),
            **address_values("tunnel.dst", request.destination),
            "tunnel.key": request.gre_key,
        }


def _command_create(tables: Tables, rest: Input) -> str:
    """`create gre tunnel src <address> dst <address> [instance <number>] [teb|erspan <session>] [key <key>] [del]`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    nothing = ip_address("0.0.0.0")
    found: dict[str, Any] = {"source": nothing, "destination": nothing, "mode": 0, "is_add": True}
    while not line.is_at_end:
        _option(tables, line, found)
    is_add = found.pop("is_add")
    request = _requested(found)
    if not is_add:
        return f"{tables.name_at(delete(tables, request))}\n"
    return f"{tables.name_of(create(tables, request))}\n"


def _option(tables: Tables, line: Input, found: dict[str, Any]) -> None:
    has_key = tables.release.has(_HAS_KEYS)
    if line.take_field(ENDS, line.address, found) or line.take_field(_NUMBERS, line.number, found):
        return
    if line.take("del"):
        found["is_add"] = False
    elif line.take("multipoint"):
        found["mode"] = _MULTIPOINT
    elif line.take("teb"):
        found["type"] = Type.TEB
    elif line.take_field({"erspan": "session"}, line.number, found):
        found["type"] = Type.ERSPAN
    elif not (has_key and line.take_field({"key": "gre_key"}, lambda: line.number(NONE), found)):
        raise line.unknown_word()


def _requested(found: dict[str, Any]) -> GreRequest:
    problem = _problem(found["source"], found["destination"], found["mode"])
    if problem:
        raise RefusedError(Retval.UNSPECIFIED, problem)
    if not int(found["destination"]):
        found["destination"] = type(found["source"])(0)
    return GreRequest(**found)


def _problem(source: Address, destination: Address, mode: int) -> str:
    if source == destination:
        return "src and dst are identical"
    if mode != _MULTIPOINT and not int(destination):
        return "destination address not specified"
    if not int(source):
        return "source address not specified"
    if int(destination) and source.version != destination.version:
        return "src and dst address must be the same AF"
    return ""


def _create(tables: Tables, tunnel: Gre, desired: Interface, number: int) -> SwInterface:
    request = GreRequest(
        source=ip_address(tunnel.local),
        destination=ip_address(tunnel.remote),
        type={GreMode.L3: Type.L3, GreMode.TEB: Type.TEB, GreMode.ERSPAN: Type.ERSPAN}[tunnel.mode],
        mode=_MULTIPOINT if tunnel.is_multipoint else 0,
        flags=0 if tunnel.is_plain else _ODD_FLAGS,
        session=tunnel.session,
        table=tunnel.encap_vrf,
        number=number,
        gre_key=tunnel.key,
    )
    return create(tables, request)


KIND = Kind(
    plugin="gre",
    quirks=(_HAS_KEYS,),
    changes={"gre_tunnel_add_del": _answer_add_delete, "gre_tunnel_add_del_v2": _answer_add_delete},
    queries={"gre_tunnel_dump": _dump, "gre_tunnel_dump_v2": _dump_v2, "gre_tunnel_v2_dump": _dump},
    commands={"create gre tunnel": _command_create},
    interface=InterfaceKind.GRE,
    create=_create,
    admin_changed=GreMain.let_link_follow,
)
