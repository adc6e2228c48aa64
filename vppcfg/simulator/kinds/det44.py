"""Simulates deterministic NAT (plugins/nat/det44): maps, sides of interfaces, timeouts.

An interface that goes stays in VPP's list, and the next one with its index cannot be added. One that is removed from
the list has the feature twice (det44_interface_add_del).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vppcfg.model.det44 import Det44Map, Det44Side, Det44Timeouts
from vppcfg.model.state import State
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.retval import DiedError, RefusedError, Retval, refused_as, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_DEFAULTS = {"udp": 300, "tcp_established": 7440, "tcp_transitory": 240, "icmp": 60}
_REASSEMBLY = "ip4-unicast", "ip4-sv-reassembly-feature"
_NODES = {True: ("ip4-unicast", "det44-in2out"), False: ("ip4-unicast", "det44-out2in")}
_PROCESS = "det44-expire-walk"
"""The node of the process that is created when DET44 is enabled first, and stays."""
_FIRST_PORT = 1024
_PORTS = 65535 - 1023


class Map(NamedTuple):
    """The prefixes of a map (snat_det_map_t)."""

    inside: ipaddress.IPv4Network
    outside: ipaddress.IPv4Network

    @property
    def ratio(self) -> int:
        """Return how many hosts share an address."""
        return self.inside.num_addresses // self.outside.num_addresses

    @property
    def ports(self) -> int:
        """Return how many ports a host has."""
        return _PORTS // self.ratio


@dataclass(slots=True, kw_only=True)
class Det44Main:
    """What DET44 has (det44_main_t)."""

    is_enabled: bool = False
    maps: dict[Map, int] = field(default_factory=dict)
    """With how many sessions."""
    insides: dict[int, bool] = field(default_factory=dict)
    """Whether it is inside, of each interface that has ever been there."""
    timeouts: dict[str, int] = field(default_factory=lambda: dict(_DEFAULTS))


def set_map(tables: Tables, found: Map, *, is_add: bool) -> None:
    """Add or remove a map; raise RefusedError where it is there, or is not.

    VPP ends where it would lead the outside prefix by an interface that is gone (det44_add_del_addr_to_fib).
    """
    maps = tables.part(Det44Main).maps
    if is_add == (found in maps):
        raise RefusedError(Retval.VALUE_EXIST if is_add else Retval.NO_SUCH_ENTRY)
    if not is_add:
        del maps[found]
    elif found.ratio and found.ports:
        maps[found] = 0
    else:
        raise DiedError
    first = next((index for index, is_inside in tables.part(Det44Main).insides.items() if not is_inside), None)
    if first is not None and tables.sw.get(first) is None:
        raise DiedError


def set_side(tables: Tables, sw_if_index: int, *, is_inside: bool, is_add: bool) -> None:
    """Put an interface on a side, or take it from the list; raise RefusedError where it is there, or is not."""
    insides = tables.part(Det44Main).insides
    if is_add == (sw_if_index in insides):
        raise RefusedError(Retval.INVALID_VALUE)
    arcs.set_features(tables, sw_if_index, [_REASSEMBLY], is_on=is_add)
    arcs.enable(tables, sw_if_index, _NODES[is_inside])
    if is_add:
        insides[sw_if_index] = is_inside
    else:
        del insides[sw_if_index]


def enable(tables: Tables, *, is_on: bool) -> None:
    """Enable DET44, or forget all that it has; raise RefusedError, with 1, where nothing changes.

    Interfaces that it forgets get the feature of those inside, whatever they are.
    """
    main = tables.part(Det44Main)
    if main.is_enabled == is_on:
        raise RefusedError(Retval.DONE_ALREADY)
    main.is_enabled = is_on
    tables.processes.add(_PROCESS)
    if not is_on:
        for sw_if_index in list(main.insides):
            set_side(tables, sw_if_index, is_inside=True, is_add=False)
        main.maps.clear()
        main.timeouts = dict(_DEFAULTS)


def _map(address: bytes, length: int, outside: bytes, outside_length: int) -> Map:
    if length > 32 or outside_length > 32:
        raise RefusedError(Retval.UNSPECIFIED, "VPP reads beyond its masks here")
    return Map(
        inside=ipaddress.IPv4Network((address, length), strict=False),
        outside=ipaddress.IPv4Network((outside, outside_length), strict=False),
    )


def _answer_map(call: Call, values: Values) -> None:
    found = _map(*(values[name] for name in ("in_addr", "in_plen", "out_addr", "out_plen")))
    set_map(call.tables, found, is_add=bool(values["is_add"]))


def _answer_side(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    is_inside, is_add = bool(values["is_inside"]), bool(values["is_add"])
    set_side(call.tables, values["sw_if_index"], is_inside=is_inside, is_add=is_add)


def _dump_sides(call: Call, _values: Values) -> Iterator[Outgoing]:
    for sw_if_index, is_inside in call.tables.part(Det44Main).insides.items():
        yield call.details({"sw_if_index": sw_if_index, "is_inside": is_inside, "is_outside": not is_inside})


def _dump_maps(call: Call, _values: Values) -> Iterator[Outgoing]:
    for each, sessions in call.tables.part(Det44Main).maps.items():
        yield call.details(
            {
                "in_addr": each.inside.network_address.packed,
                "in_plen": each.inside.prefixlen,
                "out_addr": each.outside.network_address.packed,
                "out_plen": each.outside.prefixlen,
                "sharing_ratio": each.ratio,
                "ports_per_host": each.ports,
                "ses_num": sessions,
            }
        )


def _answer_forward(call: Call, values: Values) -> Outgoing:
    host = ipaddress.IPv4Address(values["in_addr"])
    found = next((each for each in call.tables.part(Det44Main).maps if host in each.inside), None)
    found = required(found, retval=Retval.NO_SUCH_ENTRY)
    offset = int(host) - int(found.inside.network_address)
    address = int(found.outside.network_address) + offset // found.ratio
    first = _FIRST_PORT + found.ports * (offset % found.ratio)
    return call.reply(out_addr=address.to_bytes(4), out_port_lo=first, out_port_hi=first + found.ports - 1)


def _answer_reverse(call: Call, values: Values) -> Outgoing:
    """Name the host of a port; of one below or above all shares, a host that does not have it."""
    address = ipaddress.IPv4Address(values["out_addr"])
    found = next((each for each in call.tables.part(Det44Main).maps if address in each.outside), None)
    found = required(found, retval=Retval.NO_SUCH_ENTRY)
    offset = int(address) - int(found.outside.network_address)
    place = int((values["out_port"] - _FIRST_PORT) / found.ports)
    host = int(found.inside.network_address) + offset * found.ratio + place
    return call.reply(in_addr=(host & 0xFFFFFFFF).to_bytes(4))


def _dump_sessions(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show nothing: no packets pass here."""
    return iter(())


def _answer_timeouts(call: Call, values: Values) -> None:
    """Set timeouts; 0 leaves one as it is."""
    timeouts = call.tables.part(Det44Main).timeouts
    timeouts.update({name: values[name] for name in _DEFAULTS if values[name]})


def _command_plugin(tables: Tables, rest: Input) -> None:
    """`det44 plugin <enable [inside vrf <n>] [outside vrf <n>]|disable>`; without a word it disables."""
    line, is_on, is_set = rest.line_with("expected required argument(s)"), False, False
    while not line.is_at_end:
        if not is_set and line.take("enable"):
            is_on = True
            for side in ("inside", "outside"):
                if line.take(side, "vrf"):
                    line.number()
        elif is_set or not line.take("disable"):
            raise line.unknown()
        is_set = True
    with refused_as(f"plugin {'enable' if is_on else 'disable'} failed"):
        enable(tables, is_on=is_on)


def _command_map(tables: Tables, rest: Input) -> None:
    """`det44 add in <addr>/<plen> out <addr>/<plen> [del]`."""
    line, is_add = rest.line_with("expected required argument(s)"), True
    ends = {"in": (bytes(4), 0), "out": (bytes(4), 0)}
    while not line.is_at_end:
        word = next((word for word in ends if line.take(word)), None)
        prefix = line.prefix() if word is not None else None
        if word is not None and prefix is not None and not prefix[0]:
            ends[word] = prefix[1].to_bytes(4), prefix[2]
        elif line.take("del"):
            is_add = False
        else:
            raise line.unknown()
    try:
        set_map(tables, _map(*ends["in"], *ends["out"]), is_add=is_add)
    except RefusedError as refusal:
        text = f"snat_det_add_map return {int(refusal.retval)}"
        raise RefusedError(Retval.UNSPECIFIED, text) from None


def _command_side(tables: Tables, rest: Input) -> None:
    """`set interface det44 inside <intfc> outside <intfc> [del]`."""
    line, is_add, found = rest.line_with("expected required argument(s)"), True, []
    while not line.is_at_end:
        if (row := line.interface_after(tables, "inside")) is not None:
            found.append((row, True))
        elif (row := line.interface_after(tables, "outside")) is not None:
            found.append((row, False))
        elif line.take("del"):
            is_add = False
        else:
            raise line.unknown()
    for row, is_inside in found:
        words = f"{'add' if is_add else 'del'} {'inside' if is_inside else 'outside'} {tables.name_of(row)}"
        with refused_as(f"{words} failed"):
            set_side(tables, row.index, is_inside=is_inside, is_add=is_add)


def _command_timeouts(tables: Tables, rest: Input) -> None:
    """`set det44 timeouts <[udp <sec>] [tcp established <sec>] [tcp transitory <sec>] [icmp <sec>]|reset>`."""
    line, is_reset = rest.line_with("expected required argument(s)"), False
    words = {"udp": "udp", "tcp established": "tcp_established", "tcp transitory": "tcp_transitory", "icmp": "icmp"}
    found: dict[str, int] = {}
    while not line.is_at_end:
        for text, name in words.items():
            *first, last = text.split()
            if line.take(*first, last) and (number := line.number()) is not None:
                found[name] = number
                break
        else:
            if not line.take("reset"):
                raise line.unknown()
            is_reset = True
    timeouts = tables.part(Det44Main).timeouts
    timeouts.update(_DEFAULTS if is_reset else {name: number for name, number in found.items() if number})


def _show_interfaces(tables: Tables, line: Input) -> str:
    rows = tables.part(Det44Main).insides.items()
    lines = [
        f" {tables.name_of(tables.sw[index]) if tables.sw.has(index) else 'DELETED'} {'in' if is_inside else 'out'}"
        for index, is_inside in rows
    ]
    return "\n".join(["DET44 interfaces:", *lines]) + "\n"


def _show_maps(tables: Tables, line: Input) -> str:
    lines = ["NAT44 deterministic mappings:"]
    for each, sessions in tables.part(Det44Main).maps.items():
        lines += [f" in {each.inside} out {each.outside}", f"  outside address sharing ratio: {each.ratio}"]
        lines += [f"  number of ports per inside host: {each.ports}", f"  sessions number: {sessions}"]
    return "\n".join(lines) + "\n"


def _show_timeouts(tables: Tables, line: Input) -> str:
    timeouts = tables.part(Det44Main).timeouts
    return "".join(f"{name.replace('_', ' ')} timeout: {seconds}sec\n" for name, seconds in timeouts.items())


def _load(tables: Tables, state: State, rows: Rows) -> None:
    main = tables.part(Det44Main)
    for each in state.of(Det44Map).values():
        found = Map(inside=ipaddress.IPv4Network(each.inside), outside=ipaddress.IPv4Network(each.outside))
        set_map(tables, found, is_add=True)
    for timeouts in state.of(Det44Timeouts).values():
        main.timeouts = {name: getattr(timeouts, name) for name in _DEFAULTS}
    for name, row in rows.items():
        side = state.interfaces[name].det44
        if side is not None:
            main.is_enabled = True
            tables.processes.add(_PROCESS)
            set_side(tables, row.index, is_inside=side is Det44Side.INSIDE, is_add=True)


KIND = Kind(
    plugin="det44",
    changes={
        "det44_plugin_enable_disable": lambda call, values: enable(call.tables, is_on=bool(values["enable"])),
        "det44_interface_add_del_feature": _answer_side,
        "det44_add_del_map": _answer_map,
        "det44_set_timeouts": _answer_timeouts,
    },
    queries={
        "det44_interface_dump": _dump_sides,
        "det44_map_dump": _dump_maps,
        "det44_forward": _answer_forward,
        "det44_reverse": _answer_reverse,
        "det44_session_dump": _dump_sessions,
        "det44_get_timeouts": lambda call, _: call.reply(**call.tables.part(Det44Main).timeouts),
    },
    commands={
        "det44 plugin": _command_plugin,
        "det44 add": _command_map,
        "set interface det44": _command_side,
        "set det44 timeouts": _command_timeouts,
        "show det44 interfaces": _show_interfaces,
        "show det44 mappings": _show_maps,
        "show det44 timeouts": _show_timeouts,
    },
    load=_load,
)
