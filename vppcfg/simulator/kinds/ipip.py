"""Simulates IPIP tunnels (plugins/ipip, vnet/ipip up to 26.06)."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.tunnel import FLAGS, Ipip
from vppcfg.record import record
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.tunnels import ENDS, Address, Tunnel, TunnelKey, TunnelMain, address_of, address_values, has_table
from vppcfg.simulator.wire import NONE, Outgoing, Values

_DEVICE_CLASS = "IPIP tunnel device"
_MTU = 9000
_NUMBERS = {"instance": "number", "outer-table-id": "table"}
_MULTIPOINT = 1
"""TUNNEL_API_MODE_MP."""
_TELLS_NO_MODE = ReleaseQuirk(span="-23.06", text="the mode of a tunnel in a dump is what was in memory (e870d5b6ac3)")


@record
class IpipRequest:
    """The tunnel that is asked for."""

    source: Address
    destination: Address
    mode: int = 0
    flags: int = 0
    dscp: int = 0
    number: int = NONE
    table: int = 0

    @property
    def key(self) -> TunnelKey:
        """Return what VPP finds a tunnel by (ipip_mk_key_i)."""
        return self.source, self.destination, self.table, self.mode


class IpipMain(TunnelMain[IpipRequest]):
    """All tunnels (ipip_main_t)."""


def create(tables: Tables, request: IpipRequest) -> SwInterface:
    """Make ipipN, which is born down; raise RefusedError when there is such a tunnel or the number is taken."""
    if request.mode == _MULTIPOINT and int(request.destination):
        raise RefusedError(Retval.INVALID_DST_ADDRESS, "destination IP address when mode is multi-point")
    main = tables.part(IpipMain)
    if request.key in main.by_key:
        raise RefusedError(Retval.IF_ALREADY_EXISTS, "IPIP tunnel already exists...")
    tunnel = main.add(request)
    return main.enter(tunnel, _register(tables, tunnel))


def _register(tables: Tables, tunnel: Tunnel[IpipRequest]) -> SwInterface:
    """Make the port: the outer header is taken off what its link can carry, which is nothing."""
    overhead = 40 if tunnel.request.source.version == 6 else 20
    port = HwInterface(
        name=f"ipip{tunnel.number}",
        device_class=_DEVICE_CLASS,
        is_ethernet=False,
        link_mtu=-overhead & 0xFFFF,
        is_ip_tunnel=True,
        is_multipoint=tunnel.request.mode == _MULTIPOINT,
        has_gso=False,
    )
    return interfaces.create_port(tables, port, _MTU)


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete the tunnel with an interface; raise RefusedError when there is none."""
    main = tables.part(IpipMain)
    if sw_if_index not in main.by_sw:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    main.remove(tables, main.tunnels[main.by_sw[sw_if_index]].request.key)


def _answer_add(call: Call, values: Values) -> Outgoing:
    source, destination = address_of(values, "tunnel.src"), address_of(values, "tunnel.dst")
    if source.version != destination.version:
        raise RefusedError(Retval.INVALID_PROTOCOL)
    if source == destination:
        raise RefusedError(Retval.SAME_SRC_DST)
    if values["tunnel.mode"] > _MULTIPOINT:
        raise RefusedError(Retval.INVALID_VALUE)
    request = IpipRequest(
        source=source,
        destination=destination,
        mode=values["tunnel.mode"],
        flags=values["tunnel.flags"],
        dscp=values["tunnel.dscp"],
        number=values["tunnel.instance"],
        table=values["tunnel.table_id"],
    )
    if not has_table(call.tables, request):
        raise RefusedError(Retval.NO_SUCH_FIB)
    main = call.tables.part(IpipMain)
    try:
        return call.reply(sw_if_index=create(call.tables, request).index)
    except RefusedError as refusal:
        if refusal.retval is Retval.IF_ALREADY_EXISTS:
            index = main.tunnels[main.by_key[request.key]].sw_if_index
            return call.reply(retval=refusal.retval, sw_if_index=index)
        raise


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for tunnel in call.tables.part(IpipMain).shown(values["sw_if_index"]):
        request = tunnel.request
        yield call.details(
            {
                "tunnel.instance": tunnel.number,
                **address_values("tunnel.src", request.source),
                **address_values("tunnel.dst", request.destination),
                "tunnel.sw_if_index": tunnel.sw_if_index,
                "tunnel.table_id": request.table,
                "tunnel.flags": request.flags,
                "tunnel.mode": _MULTIPOINT if call.tables.release.has(_TELLS_NO_MODE) else request.mode,
                "tunnel.dscp": request.dscp,
            }
        )


def _command_create(tables: Tables, rest: Input) -> str:
    """`create ipip tunnel src <addr> dst <addr> [instance <n>] [outer-table-id <ID>] [p2mp] [flags <flag>]`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    found: dict[str, Any] = {"words": 0, "flags": 0}
    while not line.is_at_end:
        _option(line, found)
    request = _requested(found)
    if not has_table(tables, request):
        raise RefusedError(Retval.UNSPECIFIED, "outer fib ID -1 doesn't exist")
    return f"{tables.name_of(create(tables, request))}\n"


def _option(line: Input, found: dict[str, Any]) -> None:
    if line.take_field(ENDS, line.address, found):
        found["words"] += 1
    elif line.take_field(_NUMBERS, line.number, found):
        return
    elif line.take("p2p"):
        found |= {"mode": 0, "words": found["words"] + 1}
    elif line.take("p2mp") or line.take("mp"):
        found |= {"mode": _MULTIPOINT, "words": found["words"] + 1}
    elif (flag := _flag(line)) is not None:
        found["flags"] |= flag
    else:
        raise line.unknown_word()


def _flag(line: Input) -> int | None:
    """Take `flags` and the first of VPP's words, whose list begins with none, that fits."""
    for value, word in ((0, "none"), *((1 << bit, word) for bit, word in enumerate(FLAGS))):
        if line.take("flags", word):
            return value
    return None


def _requested(found: dict[str, Any]) -> IpipRequest:
    """Return the tunnel that a line asks for; one that lacks an end has zeros there."""
    if found.pop("words") < 2:
        raise RefusedError(Retval.UNSPECIFIED, "mandatory argument(s) missing")
    versions = {found[field].version for field in ENDS.values() if field in found}
    if len(versions) > 1:
        raise RefusedError(Retval.UNSPECIFIED, "source and destination must be of same address family")
    nothing = ip_address("::" if versions == {6} else "0.0.0.0")
    return IpipRequest(**{"source": nothing, "destination": nothing, **found})


def _command_delete(tables: Tables, rest: Input) -> None:
    """`delete ipip tunnel sw_if_index <sw_if_index>`, which reports nothing when there is no such tunnel."""
    line = rest.line()
    if line.is_at_end:
        return
    number = None
    while not line.is_at_end:
        number = line.number_after("sw_if_index")
        if number is None:
            raise line.unknown_word()
    if number in tables.part(IpipMain).by_sw:
        delete(tables, number)


def _create(tables: Tables, tunnel: Ipip, desired: Interface, number: int) -> SwInterface:
    request = IpipRequest(
        source=ip_address(tunnel.local),
        destination=ip_address(tunnel.remote),
        mode=_MULTIPOINT if tunnel.is_multipoint else 0,
        flags=tunnel.flags,
        dscp=tunnel.dscp,
        number=number,
        table=tunnel.encap_vrf,
    )
    return create(tables, request)


KIND = Kind(
    plugin="ipip",
    plugin_releases="26.10-",
    quirks=(_TELLS_NO_MODE,),
    changes={
        "ipip_add_tunnel": _answer_add,
        "ipip_del_tunnel": lambda call, values: delete(call.tables, values["sw_if_index"]),
    },
    queries={"ipip_tunnel_dump": _dump},
    commands={"create ipip tunnel": _command_create, "delete ipip tunnel": _command_delete},
    interface=InterfaceKind.IPIP,
    create=_create,
    admin_changed=IpipMain.let_link_follow,
)
