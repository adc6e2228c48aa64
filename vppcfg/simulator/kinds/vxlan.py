"""Simulates VXLAN tunnels (plugins/vxlan): created, deleted and listed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address
from typing import Any

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.tunnel import Vxlan
from vppcfg.record import record
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import FloodClass, HwInterface, SwInterface, Tables
from vppcfg.simulator.tunnels import ENDS, Address, Tunnel, TunnelKey, TunnelMain, address_of, address_values, has_table
from vppcfg.simulator.wire import NONE, Outgoing, Values

_DEVICE_CLASS = "VXLAN"
_PORT = 4789
_TO_NOTHING = 0
"""The next node of a loaded tunnel of which the state records only that it is not plain."""
_TO_L2 = 1
_NEXT_NODES = 2
"""What a tunnel can hand its payload to unless a plugin adds a node: nothing, or L2."""
_BORN_MTU = 9000


@record
class VxlanRequest:
    """The tunnel that is asked for."""

    source: Address
    destination: Address
    vni: int
    number: int = NONE
    source_port: int = 0
    destination_port: int = 0
    mcast_sw_if_index: int = NONE
    table: int = 0
    decap_next: int = NONE
    is_l3: bool = False

    @property
    def key(self) -> TunnelKey:
        """Return what VPP finds a tunnel by; over IPv6 and for a multicast group the local end is left out."""
        is_by_destination = self.source.version == 6 or self.destination.is_multicast
        source = ip_address(0) if is_by_destination else self.source
        return self.destination, source, self.source_port or _PORT, self.table, self.vni & 0xFFFFFF


class VxlanMain(TunnelMain[VxlanRequest]):
    """All tunnels (vxlan_main_t)."""


def create(tables: Tables, request: VxlanRequest) -> SwInterface:
    """Make vxlan_tunnelN, which is born up; raise RefusedError when there is such a tunnel or the number is taken."""
    main = tables.part(VxlanMain)
    if request.key in main.by_key:
        raise RefusedError(Retval.TUNNEL_EXIST, "tunnel already exists...")
    decap_next = _TO_L2 if request.decap_next == NONE else request.decap_next
    if decap_next >= _NEXT_NODES:
        retval = Retval.INVALID_DECAP_NEXT
        raise RefusedError(retval, f"vnet_vxlan_add_del_tunnel returned {retval.value}")
    tunnel = main.add(replace(request, decap_next=decap_next))
    row = main.enter(tunnel, _register(tables, tunnel))
    fib.lock_for_lookup(tables, request.source.version == 6, request.table)
    interfaces.set_admin_state(tables, row, True)
    row.flood_class = FloodClass.TUNNEL_MASTER if request.destination.is_multicast else FloodClass.TUNNEL
    return row


def _register(tables: Tables, tunnel: Tunnel[VxlanRequest]) -> SwInterface:
    is_l3 = tunnel.request.is_l3
    port = HwInterface(
        name=f"vxlan_tunnel{tunnel.number}",
        device_class=_DEVICE_CLASS,
        is_ethernet=not is_l3,
        mac=bytes(6) if is_l3 else interfaces.generated_mac(0x7A000000 | (tunnel.number & 0xFFFFFF)),
        link_mtu=0 if is_l3 else _BORN_MTU,
        has_gso=False,
    )
    return interfaces.create_port(tables, port, 0 if is_l3 else _BORN_MTU)


def delete(tables: Tables, request: VxlanRequest) -> int:
    """Delete the tunnel with these endpoints and return the index it had; raise RefusedError when there is none."""
    tunnel = tables.part(VxlanMain).remove(tables, request.key)
    tunnel = required(tunnel, "tunnel does not exist...", Retval.NO_SUCH_ENTRY)
    fib.unlock_for_lookup(tables, request.source.version == 6, request.table)
    return tunnel.sw_if_index


def _answer_add_delete(call: Call, values: Values) -> Outgoing:
    """Make or delete a tunnel: version 1 has no ports, version 3 can carry L3 packets."""
    request = VxlanRequest(
        number=values["instance"],
        source=address_of(values, "src_address"),
        destination=address_of(values, "dst_address"),
        source_port=values.get("src_port", 0),
        destination_port=values.get("dst_port", 0),
        mcast_sw_if_index=values["mcast_sw_if_index"],
        table=values["encap_vrf_id"],
        decap_next=values["decap_next_index"],
        vni=values["vni"],
        is_l3=values.get("is_l3", False),
    )
    _check(call.tables, request)
    if values["is_add"]:
        return call.reply(sw_if_index=create(call.tables, request).index)
    return call.reply(sw_if_index=delete(call.tables, request))


def _check(tables: Tables, request: VxlanRequest) -> None:
    """Raise RefusedError for what the API refuses before it looks for a tunnel."""
    if not has_table(tables, request):
        raise RefusedError(Retval.NO_SUCH_FIB)
    if request.source.version != request.destination.version:
        raise RefusedError(Retval.INVALID_VALUE)
    if request.source == request.destination:
        raise RefusedError(Retval.SAME_SRC_DST)
    if request.destination.is_multicast and not tables.sw.has(request.mcast_sw_if_index):
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show all tunnels or one; version 1 has no ports."""
    for tunnel in call.tables.part(VxlanMain).shown(values["sw_if_index"]):
        request = tunnel.request
        yield call.details(
            {
                "sw_if_index": tunnel.sw_if_index,
                "instance": tunnel.number,
                **address_values("src_address", request.source),
                **address_values("dst_address", request.destination),
                "src_port": request.source_port or _PORT,
                "dst_port": request.destination_port or _PORT,
                "mcast_sw_if_index": request.mcast_sw_if_index,
                "encap_vrf_id": request.table,
                "decap_next_index": request.decap_next,
                "vni": request.vni,
            }
        )


_NUMBERS = {
    **{"instance": "number", "encap-vrf-id": "table", "vni": "vni"},
    **{"src_port": "source_port", "dst_port": "destination_port"},
}


def _command_create(tables: Tables, rest: Input) -> str:
    """`create vxlan tunnel src <address> dst <address>|group <address> <interface> vni <vni> [instance <n>] [del]`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    found: dict[str, Any] = {"source": None, "destination": None, "vni": 0, "table": 0, "is_add": True}
    while not line.is_at_end:
        _option(tables, line, found)
    is_add = found.pop("is_add")
    request = _requested(tables, found)
    if not is_add:
        delete(tables, request)
        return ""
    return f"{tables.name_of(create(tables, request))}\n"


def _option(tables: Tables, line: Input, found: dict[str, Any]) -> None:
    line.skip_space()
    refusal = RefusedError(Retval.UNSPECIFIED, f"parse error: '{line.shown}'")
    if line.take_field(ENDS, line.address, found) or line.take_field(_NUMBERS, line.number, found):
        return
    if line.take_field({"group": "destination"}, line.address, found):
        row = line.interface(tables)
        if row is None:
            raise refusal
        found["mcast_sw_if_index"] = row.index
    elif line.take("del"):
        found["is_add"] = False
    elif line.take("l3"):
        found["is_l3"] = True
    elif line.take("decap-next", "l2"):
        found["decap_next"] = _TO_L2
    elif line.take("decap-next", "node") and line.string() is not None:
        found["decap_next"] = _TO_NOTHING
    else:
        raise refusal


def _requested(tables: Tables, found: dict[str, Any]) -> VxlanRequest:
    source, destination = found["source"], found["destination"]
    either = source or destination
    main = tables.fib6 if either is not None and either.version == 6 else tables.fib4
    problem = _problem(source, destination, found["vni"], is_group="mcast_sw_if_index" in found)
    if found["table"] not in main.tables:
        problem = f"nonexistent encap-vrf-id {found['table']}"
    if problem:
        raise RefusedError(Retval.UNSPECIFIED, problem)
    return VxlanRequest(**found)


def _problem(source: Address | None, destination: Address | None, vni: int, is_group: bool) -> str:
    if source is None or destination is None:
        return f"tunnel {'src' if source is None else 'dst'} address not specified"
    if is_group and not destination.is_multicast:
        return "tunnel group address not multicast"
    if destination.is_multicast and not is_group:
        return "dst address must be unicast"
    if source.version != destination.version:
        return "both IPv4 and IPv6 addresses specified"
    if source == destination:
        return "src and dst addresses are identical"
    if vni == 0:
        return "vni not specified"
    return f"vni {vni} out of range" if vni >> 24 else ""


def _create(tables: Tables, tunnel: Vxlan, desired: Interface, number: int) -> SwInterface:
    request = VxlanRequest(
        number=number,
        source=ip_address(tunnel.local),
        destination=ip_address(tunnel.remote),
        vni=tunnel.vni,
        table=tunnel.encap_vrf,
        source_port=tunnel.source_port,
        destination_port=tunnel.destination_port,
        decap_next=_TO_L2 if tunnel.is_plain else _TO_NOTHING,
    )
    return create(tables, request)


KIND = Kind(
    plugin="vxlan",
    changes={
        "vxlan_add_del_tunnel": _answer_add_delete,
        "vxlan_add_del_tunnel_v2": _answer_add_delete,
        "vxlan_add_del_tunnel_v3": _answer_add_delete,
    },
    queries={"vxlan_tunnel_dump": _dump, "vxlan_tunnel_v2_dump": _dump},
    commands={"create vxlan tunnel": _command_create},
    interface=InterfaceKind.VXLAN,
    create=_create,
)
