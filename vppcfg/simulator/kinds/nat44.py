"""NAT44, endpoint-dependent (plugins/nat/nat44-ed): where it is on, its pool, and its static mappings.

It goes off with an interface. What is named by an interface, a pool's address and a mapping, outlives it and takes the
addresses of the next one with the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_API = """
version 23.06- 5.5.0 6f9bc302
import interface_index
import prefix
enum nat44_config_flags u8 NAT44_IS_ENDPOINT_INDEPENDENT=0 NAT44_IS_ENDPOINT_DEPENDENT=1 \
NAT44_IS_STATIC_MAPPING_ONLY=2 NAT44_IS_CONNECTION_TRACKING=4 NAT44_IS_OUT2IN_DPO=8
struct nat_timeouts: u32 udp, u32 tcp_established, u32 tcp_transitory, u32 icmp
enum nat_log_level u8 NAT_LOG_NONE=0 NAT_LOG_ERROR=1 NAT_LOG_WARNING=2 NAT_LOG_NOTICE=3 NAT_LOG_INFO=4 NAT_LOG_DEBUG=5
enum nat_config_flags u8 NAT_IS_NONE=0 NAT_IS_TWICE_NAT=1 NAT_IS_SELF_TWICE_NAT=2 NAT_IS_OUT2IN_ONLY=4 \
NAT_IS_ADDR_ONLY=8 NAT_IS_OUTSIDE=16 NAT_IS_INSIDE=32 NAT_IS_STATIC=64 NAT_IS_EXT_HOST_VALID=128
request nat44_ed_plugin_enable_disable be17f8dd: u32 inside_vrf, u32 outside_vrf, u32 sessions, u32 session_memory, \
bool enable, nat44_config_flags flags
reply nat44_ed_plugin_enable_disable_reply e8d4e804: i32 retval
request nat44_show_running_config 51077d14
reply nat44_show_running_config_reply 93d8e267: i32 retval, u32 inside_vrf, u32 outside_vrf, u32 users, u32 sessions, \
u32 user_sessions, u32 user_buckets, u32 translation_buckets, bool forwarding_enabled, bool ipfix_logging_enabled, \
nat_timeouts timeouts, nat_log_level log_level, nat44_config_flags flags
request nat44_add_del_interface_addr 4aed50c0: bool is_add, interface_index sw_if_index, nat_config_flags flags
reply nat44_add_del_interface_addr_reply e8d4e804: i32 retval
request nat44_interface_addr_dump 51077d14 streams nat44_interface_addr_details
reply nat44_interface_addr_details e4aca9ca: interface_index sw_if_index, nat_config_flags flags
request nat44_add_del_address_range 6f2b8055: ip4_address first_ip_address, ip4_address last_ip_address, u32 vrf_id, \
bool is_add, nat_config_flags flags
reply nat44_add_del_address_range_reply e8d4e804: i32 retval
request nat44_address_dump 51077d14 streams nat44_address_details
reply nat44_address_details 0d1beac1: ip4_address ip_address, nat_config_flags flags, u32 vrf_id
request nat44_interface_add_del_feature f3699b83: bool is_add, nat_config_flags flags, interface_index sw_if_index
reply nat44_interface_add_del_feature_reply e8d4e804: i32 retval
request nat44_interface_dump 51077d14 streams nat44_interface_details
reply nat44_interface_details 5d286289: nat_config_flags flags, interface_index sw_if_index
request nat44_ed_add_del_output_interface 47d6e753: bool is_add, interface_index sw_if_index
reply nat44_ed_add_del_output_interface_reply e8d4e804: i32 retval
request nat44_ed_output_interface_get f75ba505 streams nat44_ed_output_interface_details then \
nat44_ed_output_interface_get_reply: u32 cursor
reply nat44_ed_output_interface_get_reply 53b48f5d: i32 retval, u32 cursor
reply nat44_ed_output_interface_details 0b45011c: interface_index sw_if_index
request nat44_add_del_static_mapping_v2 5e205f1a: bool is_add, bool match_pool, nat_config_flags flags, ip4_address \
pool_ip_address, ip4_address local_ip_address, ip4_address external_ip_address, u8 protocol, u16 local_port, u16 \
external_port, interface_index external_sw_if_index, u32 vrf_id, string tag[64]
reply nat44_add_del_static_mapping_v2_reply e8d4e804: i32 retval
request nat44_static_mapping_dump 51077d14 streams nat44_static_mapping_details
reply nat44_static_mapping_details 06cb40b2: nat_config_flags flags, ip4_address local_ip_address, ip4_address \
external_ip_address, u8 protocol, u16 local_port, u16 external_port, interface_index external_sw_if_index, u32 \
vrf_id, string tag[64]
"""
_INSIDE, _OUTSIDE, _TWICE = 32, 16, 1
_CLASSIFY = "ip4-unicast", "nat44-ed-classify"
_TO_OUT, _TO_IN = ("ip4-unicast", "nat-pre-in2out"), ("ip4-unicast", "nat-pre-out2in")
_REASSEMBLY = "ip4-unicast", "ip4-sv-reassembly-feature"
_OUTPUT = (
    *(_TO_IN, _REASSEMBLY, ("ip4-output", "nat-pre-in2out-output")),
    ("ip4-output", "ip4-sv-reassembly-output-feature"),
)
_MOST_ADDRESSES = 1 << 16
"""What a range may have here; VPP has no limit, and is long about it."""
_SESSIONS, _BUCKETS = 64512, 32768
_TIMEOUTS = {"udp": 300, "tcp_established": 7440, "tcp_transitory": 240, "icmp": 60}


class Mapping(NamedTuple):
    """A static mapping, by what makes it another one."""

    local: bytes
    external: bytes
    protocol: int
    local_port: int
    external_port: int
    sw_if_index: int
    vrf_id: int


@dataclass(slots=True, kw_only=True)
class NatMain:
    """What NAT has while it is enabled (snat_main_t)."""

    is_enabled: bool = False
    sides: dict[int, int] = field(default_factory=dict)
    """Inside, outside or both, as flags, by sw_if_index."""
    outputs: list[int] = field(default_factory=list)
    pool: dict[int, tuple[int, int]] = field(default_factory=dict)
    """VRF id and flags of each address."""
    followed: dict[int, int | None] = field(default_factory=dict)
    """Interfaces whose address is in the pool, and which address that is."""
    mappings: dict[Mapping, tuple[int, bytes]] = field(default_factory=dict)
    """Flags and tag."""


def _main(tables: Tables) -> NatMain:
    """Return what NAT has; raise RefusedError while it is not enabled."""
    main = tables.part(NatMain)
    if not main.is_enabled:
        raise RefusedError(Retval.UNSUPPORTED)
    return main


def set_side(tables: Tables, sw_if_index: int, side: int, *, is_add: bool) -> None:
    """Have an interface inside or outside, or no longer; raise RefusedError where that cannot be."""
    main = _main(tables)
    old = main.sides.get(sw_if_index, 0)
    if is_add and sw_if_index in main.outputs:
        raise RefusedError(Retval.VALUE_EXIST)
    if not is_add and not old:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    is_both = old == _INSIDE | _OUTSIDE
    new = old | side if is_add else old & ~side if is_both else 0
    # VPP forgets an interface that is on one side whichever side is named, but turns off the feature of the named one.
    arcs.disable(tables, sw_if_index, *_of_side(old if is_add or is_both else side))
    arcs.enable(tables, sw_if_index, *_of_side(new))
    if new:
        main.sides[sw_if_index] = new
    else:
        main.sides.pop(sw_if_index, None)


def _of_side(flags: int) -> tuple[arcs.Feature, ...]:
    if not flags:
        return ()
    return _REASSEMBLY, _CLASSIFY if flags == _INSIDE | _OUTSIDE else _TO_OUT if flags == _INSIDE else _TO_IN


def set_output(tables: Tables, sw_if_index: int, *, is_add: bool) -> None:
    """Translate what leaves an interface, or no longer; raise RefusedError where that cannot be."""
    main = _main(tables)
    if is_add and (sw_if_index in main.outputs or sw_if_index in main.sides):
        raise RefusedError(Retval.VALUE_EXIST)
    if not is_add and sw_if_index not in main.outputs:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    arcs.set_features(tables, sw_if_index, _OUTPUT, is_on=is_add)
    if is_add:
        main.outputs.append(sw_if_index)
    else:
        main.outputs.remove(sw_if_index)


def follow(tables: Tables, sw_if_index: int, *, is_add: bool) -> None:
    """Have the first address of an interface in the pool, now or when it gets one; raise RefusedError."""
    main = _main(tables)
    if is_add == (sw_if_index in main.followed):
        raise RefusedError(Retval.VALUE_EXIST if is_add else Retval.NO_SUCH_ENTRY)
    if not is_add:
        main.pool.pop(main.followed.pop(sw_if_index) or 0, None)
        return
    first = next((each.address for each in tables.ip4.of(sw_if_index)), None)
    if first is not None:
        _add_to_pool(main, first, NONE)
    main.followed[sw_if_index] = first


def _add_to_pool(main: NatMain, address: int, vrf_id: int, flags: int = 0) -> None:
    if address in main.pool:
        raise RefusedError(Retval.VALUE_EXIST)
    main.pool[address] = vrf_id, flags


def _address_changed(tables: Tables, sw_if_index: int, address: int, is_add: bool) -> None:
    """Let the pool follow an address that an interface has got or lost: one at a time, and no other takes its place."""
    main = tables.part(NatMain)
    if not main.is_enabled or sw_if_index not in main.followed:
        return
    if is_add and main.followed[sw_if_index] is None and address not in main.pool:
        main.pool[address] = NONE, 0
        main.followed[sw_if_index] = address
    elif not is_add and main.followed[sw_if_index] == address:
        main.pool.pop(address, None)
        main.followed[sw_if_index] = None


def _interface_gone(tables: Tables, sw_if_index: int) -> None:
    main = tables.part(NatMain)
    main.sides.pop(sw_if_index, None)
    if sw_if_index in main.outputs:
        main.outputs.remove(sw_if_index)


def _answer_enable(call: Call, values: Values) -> Outgoing:
    """Enable NAT, or disable it and forget everything."""
    main = call.tables.part(NatMain)
    if main.is_enabled == values["enable"]:
        raise RefusedError(Retval.FEATURE_ALREADY_ENABLED if main.is_enabled else Retval.FEATURE_ALREADY_DISABLED)
    if main.is_enabled:
        for sw_if_index, flags in list(main.sides.items()):
            set_side(call.tables, sw_if_index, flags, is_add=False)
        for sw_if_index in list(main.outputs):
            set_output(call.tables, sw_if_index, is_add=False)
        for each in (main.pool, main.followed, main.mappings):
            each.clear()
    main.is_enabled = bool(values["enable"])
    return call.reply()


def _show_configuration(call: Call, _values: Values) -> Outgoing:
    """Tell how NAT is enabled: with no sessions it is not. Whether IPFIX logs is told the wrong way round."""
    is_on = call.tables.part(NatMain).is_enabled
    numbers = {"sessions": _SESSIONS, "translation_buckets": _BUCKETS} if is_on else {}
    timeouts = {f"timeouts.{name}": seconds for name, seconds in _TIMEOUTS.items()} if is_on else {}
    return call.reply(ipfix_logging_enabled=True, flags=1, **numbers, **timeouts)


def _answer_side(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    side = _INSIDE if values["flags"] & _INSIDE else _OUTSIDE
    set_side(call.tables, values["sw_if_index"], side, is_add=values["is_add"])
    return call.reply()


def _dump_sides(call: Call, _values: Values) -> Iterator[Outgoing]:
    for sw_if_index, flags in call.tables.part(NatMain).sides.items():
        yield call.details({"sw_if_index": sw_if_index, "flags": flags})


def _answer_output(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    set_output(call.tables, values["sw_if_index"], is_add=values["is_add"])
    return call.reply()


def _get_outputs(call: Call, _values: Values) -> Iterator[Outgoing]:
    for sw_if_index in call.tables.part(NatMain).outputs:
        yield "nat44_ed_output_interface_details", {"sw_if_index": sw_if_index}
    yield call.reply(cursor=NONE)


def _answer_follow(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    follow(call.tables, values["sw_if_index"], is_add=values["is_add"])
    return call.reply()


def _dump_followed(call: Call, _values: Values) -> Iterator[Outgoing]:
    for sw_if_index in call.tables.part(NatMain).followed:
        yield call.details({"sw_if_index": sw_if_index})


def _answer_range(call: Call, values: Values) -> Outgoing:
    """Add or delete addresses, one after the other; the first one that cannot be ends it."""
    main = _main(call.tables)
    first, last = (int.from_bytes(values[f"{end}_ip_address"]) for end in ("first", "last"))
    if last - first >= _MOST_ADDRESSES:
        raise RefusedError(Retval.INVALID_VALUE)
    for address in range(first, last + 1):
        if values["is_add"]:
            _add_to_pool(main, address, values["vrf_id"], values["flags"] & _TWICE)
        elif main.pool.pop(address, None) is None:
            raise RefusedError(Retval.NO_SUCH_ENTRY)
    return call.reply()


def _dump_pool(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show the pool, those who follow an interface too."""
    for address, (vrf_id, flags) in call.tables.part(NatMain).pool.items():
        yield call.details({"ip_address": address.to_bytes(4), "vrf_id": vrf_id, "flags": flags})


def _answer_mapping(call: Call, values: Values) -> Outgoing:
    """Add or delete a static mapping; raise RefusedError for one that is there, or is not."""
    main = _main(call.tables)
    mapping = _mapping(values)
    if values["is_add"] == (mapping in main.mappings):
        raise RefusedError(Retval.VALUE_EXIST if values["is_add"] else Retval.NO_SUCH_ENTRY)
    if values["is_add"]:
        main.mappings[mapping] = values["flags"], values["tag"].split(b"\0", 1)[0]
    else:
        del main.mappings[mapping]
    return call.reply()


def _mapping(values: Values) -> Mapping:
    by_interface = values["external_sw_if_index"] != NONE
    return Mapping(
        local=values["local_ip_address"],
        external=bytes(4) if by_interface else values["external_ip_address"],
        protocol=values["protocol"],
        local_port=values["local_port"],
        external_port=values["external_port"],
        sw_if_index=values["external_sw_if_index"],
        vrf_id=values["vrf_id"],
    )


def _dump_mappings(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show the mappings: first as they are in effect, then those that are named by an interface once more."""
    tables = call.tables
    rows = tables.part(NatMain).mappings.items()
    for mapping, (flags, tag) in rows:
        if mapping.sw_if_index == NONE:
            yield call.details(_details(mapping, flags, tag))
        elif (first := next((each.address for each in tables.ip4.of(mapping.sw_if_index)), None)) is not None:
            effective = mapping._replace(external=first.to_bytes(4), sw_if_index=NONE)
            yield call.details(_details(effective, flags, tag))
    for mapping, (_, tag) in rows:
        if mapping.sw_if_index != NONE:
            yield call.details(_details(mapping, 0, tag))


def _details(mapping: Mapping, flags: int, tag: bytes) -> dict[str, Any]:
    return {
        "flags": flags,
        "local_ip_address": mapping.local,
        "external_ip_address": mapping.external,
        "protocol": mapping.protocol,
        "local_port": mapping.local_port,
        "external_port": mapping.external_port,
        "external_sw_if_index": mapping.sw_if_index,
        "vrf_id": mapping.vrf_id,
        "tag": tag,
    }


KIND = Kind(
    plugin="nat",
    api={"nat44_ed": _API},
    changes={
        "nat44_ed_plugin_enable_disable": _answer_enable,
        "nat44_interface_add_del_feature": _answer_side,
        "nat44_ed_add_del_output_interface": _answer_output,
        "nat44_add_del_interface_addr": _answer_follow,
        "nat44_add_del_address_range": _answer_range,
        "nat44_add_del_static_mapping_v2": _answer_mapping,
    },
    queries={
        "nat44_show_running_config": _show_configuration,
        "nat44_interface_dump": _dump_sides,
        "nat44_ed_output_interface_get": _get_outputs,
        "nat44_interface_addr_dump": _dump_followed,
        "nat44_address_dump": _dump_pool,
        "nat44_static_mapping_dump": _dump_mappings,
    },
    deleted=_interface_gone,
    address_changed=_address_changed,
)
