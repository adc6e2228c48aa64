"""Simulates endpoint-dependent NAT44 (plugins/nat/nat44-ed): where it is on, its pool, and its static mappings.

It goes off with an interface. What is named by an interface, a pool's address and a mapping, outlives it and takes the
addresses of the next one with the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from typing import Any

from vppcfg.model.nat44 import Nat44, NatAddress, NatPool, NatSide
from vppcfg.model.state import State
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import fib
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
request nat_set_timeouts d4746b16: u32 udp, u32 tcp_established, u32 tcp_transitory, u32 icmp
reply nat_set_timeouts_reply e8d4e804: i32 retval
request nat_set_mss_clamping 25e90abb: u16 mss_value, bool enable
reply nat_set_mss_clamping_reply e8d4e804: i32 retval
request nat_get_mss_clamping 51077d14
reply nat_get_mss_clamping_reply 1c0b2a78: i32 retval, u16 mss_value, bool enable
request nat44_forwarding_enable_disable b3e225d2: bool enable
reply nat44_forwarding_enable_disable_reply e8d4e804: i32 retval
request nat44_user_dump 51077d14 streams nat44_user_details
reply nat44_user_details 355896c2: u32 vrf_id, ip4_address ip_address, u32 nsessions, u32 nstaticsessions
request nat44_ed_add_del_vrf_table 08330904: u32 table_vrf_id, bool is_add
reply nat44_ed_add_del_vrf_table_reply e8d4e804: i32 retval
request nat44_ed_add_del_vrf_route 59187407: u32 table_vrf_id, u32 vrf_id, bool is_add
reply nat44_ed_add_del_vrf_route_reply e8d4e804: i32 retval
request nat44_ed_vrf_tables_v2_dump 51077d14 streams nat44_ed_vrf_tables_v2_details
reply nat44_ed_vrf_tables_details 7b264e4f: u32 table_vrf_id, u32 n_vrf_ids, u32 vrf_ids[n_vrf_ids]
reply nat44_ed_vrf_tables_v2_details 7b264e4f: u32 table_vrf_id, u32 n_vrf_ids, u32 vrf_ids[n_vrf_ids]
request nat44_add_del_identity_mapping 02faaa22: bool is_add, nat_config_flags flags, ip4_address ip_address, u8 \
protocol, u16 port, interface_index sw_if_index, u32 vrf_id, string tag[64]
reply nat44_add_del_identity_mapping_reply e8d4e804: i32 retval
request nat44_identity_mapping_dump 51077d14 streams nat44_identity_mapping_details
reply nat44_identity_mapping_details 2a52a030: nat_config_flags flags, ip4_address ip_address, u8 protocol, u16 port, \
interface_index sw_if_index, u32 vrf_id, string tag[64]
struct nat44_lb_addr_port: ip4_address addr, u16 port, u8 probability, u32 vrf_id
request nat44_add_del_lb_static_mapping 4f68ee9d: bool is_add, nat_config_flags flags, ip4_address external_addr, u16 \
external_port, u8 protocol, u32 affinity, string tag[64], u32 local_num, nat44_lb_addr_port locals[local_num]
reply nat44_add_del_lb_static_mapping_reply e8d4e804: i32 retval
request nat44_lb_static_mapping_dump 51077d14 streams nat44_lb_static_mapping_details
reply nat44_lb_static_mapping_details ed5ce876: ip4_address external_addr, u16 external_port, u8 protocol, \
nat_config_flags flags, u32 affinity, string tag[64], u32 local_num, nat44_lb_addr_port locals[local_num]
request nat44_add_del_static_mapping_v2 5e205f1a: bool is_add, bool match_pool, nat_config_flags flags, ip4_address \
pool_ip_address, ip4_address local_ip_address, ip4_address external_ip_address, u8 protocol, u16 local_port, u16 \
external_port, interface_index external_sw_if_index, u32 vrf_id, string tag[64]
reply nat44_add_del_static_mapping_v2_reply e8d4e804: i32 retval
request nat44_static_mapping_dump 51077d14 streams nat44_static_mapping_details
reply nat44_static_mapping_details 06cb40b2: nat_config_flags flags, ip4_address local_ip_address, ip4_address \
external_ip_address, u8 protocol, u16 local_port, u16 external_port, interface_index external_sw_if_index, u32 \
vrf_id, string tag[64]
"""
"""VPP's messages for this, in the notation of `simulator/api_files`."""
_LOW, _HIGH = "nat-low", "nat-hi"
"""FIB sources that hold tables: for what NAT has, and for the tables that it is enabled with."""
_INSIDE, _OUTSIDE, _TWICE = 32, 16, 1
_CLASSIFY = "ip4-unicast", "nat44-ed-classify"
_TO_OUT, _TO_IN = ("ip4-unicast", "nat-pre-in2out"), ("ip4-unicast", "nat-pre-out2in")
_REASSEMBLY = "ip4-unicast", "ip4-sv-reassembly-feature"
_OUTPUT = (
    *(_TO_IN, _REASSEMBLY, ("ip4-output", "nat-pre-in2out-output")),
    ("ip4-output", "ip4-sv-reassembly-output-feature"),
)
"""Arcs and nodes that are turned on for an interface whose output is translated."""
_MOST_ADDRESSES = 1 << 16
"""What a range may have here; VPP has no limit, and is long about it."""
_SESSIONS, _BUCKETS = 64512, 32768
_TIMEOUTS = {"udp": 300, "tcp_established": 7440, "tcp_transitory": 240, "icmp": 60}


@dataclass(slots=True, kw_only=True)
class StaticMapping:
    """What snat_static_mapping_t has: a mapping in effect, or an identity with the tables that it is for."""

    local: int
    local_port: int
    external: int
    external_port: int
    protocol: int
    vrf_id: int
    flags: int
    tag: bytes
    is_identity: bool = False
    vrfs: list[int] = field(default_factory=list)
    """Of an identity."""


@dataclass(slots=True, kw_only=True)
class MappingRequest:
    """A static mapping as requested; one by interface follows its address (snat_static_mapping_resolve_t)."""

    sw_if_index: int
    local: int
    local_port: int
    external_port: int
    protocol: int
    vrf_id: int
    flags: int
    tag: bytes
    is_identity: bool = False
    is_resolved: bool = False


OuterEnd = tuple[int, int, int]
"""Address, port and protocol, by which VPP finds a mapping from outside (nat44_ed_sm_o2i_lookup)."""
InnerEnd = tuple[int, int, int, int]
"""The same from inside, with the id of the FIB table."""


@dataclass(slots=True, kw_only=True)
class NatMain:
    """What NAT has while it is enabled (snat_main_t)."""

    is_enabled: bool = False
    sessions: int = 0
    inside_vrf: int = 0
    outside_vrf: int = 0
    is_forwarding: bool = False
    mss: int = 0
    timeouts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_TIMEOUTS, 0))
    sides: dict[int, int] = field(default_factory=dict)
    """Inside, outside or both, as flags, by sw_if_index."""
    outputs: list[int] = field(default_factory=list)
    pools: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))
    """The VRF id of each address, and of each one for twice-nat."""
    followed: dict[tuple[int, bool], bool] = field(default_factory=dict)
    """Interfaces whose address is in the pool, or in that for twice-nat, and whether it is there."""
    outer: dict[OuterEnd, StaticMapping] = field(default_factory=dict)
    inner: dict[InnerEnd, StaticMapping] = field(default_factory=dict)
    to_resolve: list[MappingRequest] = field(default_factory=list)
    """Mappings by interface."""
    balanced: dict[OuterEnd, dict[str, Any]] = field(default_factory=dict)
    """Mappings to several hosts inside, as they were asked for; affinity is forgotten."""
    leaks: dict[int, list[int]] = field(default_factory=dict)
    users: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Of each host inside: VRF id, address, sessions, and those of mappings; nothing but tests makes any."""


def main_of(tables: Tables) -> NatMain:
    """Return what NAT has; raise RefusedError while it is not enabled."""
    main = tables.part(NatMain)
    if not main.is_enabled:
        raise RefusedError(Retval.UNSUPPORTED)
    return main


def set_side(tables: Tables, sw_if_index: int, side: int, *, is_add: bool) -> None:
    """Have an interface inside or outside, or no longer; raise RefusedError where that cannot be."""
    main = main_of(tables)
    old = main.sides.get(sw_if_index, 0)
    if is_add and sw_if_index in main.outputs:
        raise RefusedError(Retval.VALUE_EXIST)
    if not is_add and not old:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    is_both = old == _INSIDE | _OUTSIDE
    if is_add and old & side:
        return
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
    main = main_of(tables)
    if is_add and (sw_if_index in main.outputs or sw_if_index in main.sides):
        raise RefusedError(Retval.VALUE_EXIST)
    if not is_add and sw_if_index not in main.outputs:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    arcs.set_features(tables, sw_if_index, _OUTPUT, is_on=is_add)
    if is_add:
        main.outputs.append(sw_if_index)
    else:
        main.outputs.remove(sw_if_index)


def first_address(tables: Tables, sw_if_index: int) -> int | None:
    """Return the first address of an interface, or of the one whose addresses it borrows."""
    row = tables.sw.get(sw_if_index)
    donor = sw_if_index if row is None or row.unnumbered is None else row.unnumbered
    return next((each.address for each in tables.ip4.of(donor)), None)


def follow(tables: Tables, sw_if_index: int, *, is_twice: bool, is_add: bool) -> None:
    """Have the first address of an interface in the pool, now or when it gets one; raise RefusedError.

    One that goes takes the first address along that the interface has then, whoever put it into the pool.
    """
    main, key = main_of(tables), (sw_if_index, is_twice)
    if is_add == (key in main.followed):
        raise RefusedError(Retval.VALUE_EXIST if is_add else Retval.NO_SUCH_ENTRY)
    first = first_address(tables, sw_if_index)
    if not is_add:
        del main.followed[key]
        if first is not None:
            remove_address(tables, first, is_twice=is_twice)
        return
    if first is not None:
        add_address(tables, first, NONE, is_twice=is_twice)
    main.followed[key] = first is not None


def add_address(tables: Tables, address: int, vrf_id: int, *, is_twice: bool) -> None:
    """Put an address into a pool; raise RefusedError where it is there."""
    pool = tables.part(NatMain).pools[is_twice]
    if address in pool:
        raise RefusedError(Retval.VALUE_EXIST)
    pool[address] = vrf_id
    lock_table(tables, vrf_id)


def remove_address(tables: Tables, address: int, *, is_twice: bool) -> None:
    """Take an address out of a pool, whatever mappings use it; raise RefusedError where it is not there."""
    vrf_id = tables.part(NatMain).pools[is_twice].pop(address, None)
    if vrf_id is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    unlock_table(tables, vrf_id)


def lock_table(tables: Tables, table_id: int, source: str = _LOW) -> None:
    """Lock a FIB table, created where there is none (fib_table_find_or_create_and_lock); NONE is no table."""
    if table_id != NONE:
        tables.fib4.find_or_create(table_id)
        fib.lock_for_lookup(tables, False, table_id, source)


def unlock_table(tables: Tables, table_id: int) -> None:
    """Remove a lock of NAT from a FIB table."""
    if table_id != NONE:
        fib.unlock_for_lookup(tables, False, table_id, _LOW)


def _address_changed(tables: Tables, sw_if_index: int, address: int, is_add: bool) -> None:
    """Let the pool follow an address that an interface has got or lost: one at a time, and no other takes its place.

    Where the interface is in both pools, that for twice-nat does not follow.
    """
    main = tables.part(NatMain)
    key = next((each for each in ((sw_if_index, False), (sw_if_index, True)) if each in main.followed), None)
    if not main.is_enabled or key is None or main.followed[key] == is_add:
        return
    is_twice = key[1]
    if is_add and address not in main.pools[is_twice]:
        add_address(tables, address, NONE, is_twice=is_twice)
        main.followed[key] = True
    elif not is_add and address in main.pools[is_twice]:
        remove_address(tables, address, is_twice=is_twice)
        main.followed[key] = False


def _interface_gone(tables: Tables, sw_if_index: int) -> None:
    main = tables.part(NatMain)
    main.sides.pop(sw_if_index, None)
    if sw_if_index in main.outputs:
        main.outputs.remove(sw_if_index)


def switch(tables: Tables, *, is_on: bool, sessions: int = 0, inside_vrf: int = 0, outside_vrf: int = 0) -> None:
    """Enable NAT, or disable it and forget everything; raise RefusedError where it is so already.

    Timeouts and MSS stay until it is enabled again, and so does the hold on both tables, for ever.
    """
    main = tables.part(NatMain)
    if main.is_enabled == is_on:
        raise RefusedError(Retval.FEATURE_ALREADY_ENABLED if is_on else Retval.FEATURE_ALREADY_DISABLED)
    if not is_on:
        _forget(tables, main)
        return
    main.is_enabled, main.sessions = True, sessions or _SESSIONS
    main.inside_vrf, main.outside_vrf = inside_vrf, outside_vrf
    for table_id in (inside_vrf, outside_vrf):
        lock_table(tables, table_id, _HIGH)
    main.is_forwarding, main.mss = False, 0
    main.timeouts = dict(_TIMEOUTS)


def _forget(tables: Tables, main: NatMain) -> None:
    """Disable NAT; raise RefusedError, when all is done, for identities in other tables than the default one."""
    for sw_if_index, flags in list(main.sides.items()):
        for side in (_INSIDE, _OUTSIDE):
            if flags & side:
                set_side(tables, sw_if_index, side, is_add=False)
    for sw_if_index in list(main.outputs):
        set_output(tables, sw_if_index, is_add=False)
    for table_id in list(_held(main)):
        unlock_table(tables, table_id)
    is_stray = any(each.is_identity and 0 not in each.vrfs for each in main.outer.values())
    for each in (
        *main.pools,
        main.followed,
        main.outer,
        main.inner,
        main.to_resolve,
        main.leaks,
        main.balanced,
        main.users,
    ):
        each.clear()
    main.is_enabled = main.is_forwarding = False
    main.sessions = main.inside_vrf = main.outside_vrf = 0
    if is_stray:
        raise RefusedError(Retval.BUG)


def _held(main: NatMain) -> Iterator[int]:
    """Yield the tables that are let go when NAT is disabled: not those of identities and of mappings to several."""
    for pool in main.pools:
        yield from pool.values()
    yield from (mapping.vrf_id for mapping in main.outer.values() if not mapping.is_identity)
    for table_id, targets in main.leaks.items():
        yield from (table_id, *targets)


def _answer_enable(call: Call, values: Values) -> Outgoing:
    foundation = {"sessions": values["sessions"], "inside_vrf": values["inside_vrf"]}
    switch(call.tables, is_on=bool(values["enable"]), outside_vrf=values["outside_vrf"], **foundation)
    return call.reply()


def _show_configuration(call: Call, _values: Values) -> Outgoing:
    """Report how NAT is enabled: with no sessions it is not. Whether IPFIX logs is reported the wrong way round."""
    main = call.tables.part(NatMain)
    foundation = {"sessions": main.sessions, "inside_vrf": main.inside_vrf, "outside_vrf": main.outside_vrf}
    timeouts = {f"timeouts.{name}": seconds for name, seconds in main.timeouts.items()}
    buckets = _BUCKETS if main.is_enabled else 0
    is_forwarding = main.is_forwarding
    return call.reply(
        ipfix_logging_enabled=True,
        flags=1,
        translation_buckets=buckets,
        forwarding_enabled=is_forwarding,
        **foundation,
        **timeouts,
    )


def _answer_timeouts(call: Call, values: Values) -> Outgoing:
    call.tables.part(NatMain).timeouts = {name: values[name] for name in _TIMEOUTS}
    return call.reply()


def _answer_mss(call: Call, values: Values) -> Outgoing:
    call.tables.part(NatMain).mss = values["mss_value"] if values["enable"] else 0
    return call.reply()


def _show_mss(call: Call, _values: Values) -> Outgoing:
    mss = call.tables.part(NatMain).mss
    return call.reply(enable=bool(mss), mss_value=mss)


def _answer_forwarding(call: Call, values: Values) -> Outgoing:
    """Let packets without a session pass; that is kept while NAT is disabled, too."""
    call.tables.part(NatMain).is_forwarding = bool(values["enable"])
    return call.reply()


def _dump_users(call: Call, _values: Values) -> Iterator[Outgoing]:
    for vrf_id, address, sessions, static in call.tables.part(NatMain).users:
        counts = {"nsessions": sessions, "nstaticsessions": static}
        yield call.details({"vrf_id": vrf_id, "ip_address": address.to_bytes(4), **counts})


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
    is_twice = bool(values["flags"] & _TWICE)
    follow(call.tables, values["sw_if_index"], is_twice=is_twice, is_add=values["is_add"])
    return call.reply()


def _dump_followed(call: Call, _values: Values) -> Iterator[Outgoing]:
    for sw_if_index, is_twice in call.tables.part(NatMain).followed:
        yield call.details({"sw_if_index": sw_if_index, "flags": _TWICE if is_twice else 0})


def _answer_range(call: Call, values: Values) -> Outgoing:
    """Add or delete addresses, one after the other; the first one that cannot be ends it."""
    first, last = (int.from_bytes(values[f"{end}_ip_address"]) for end in ("first", "last"))
    is_twice = bool(values["flags"] & _TWICE)
    set_range(call.tables, first, last, values["vrf_id"], is_twice=is_twice, is_add=values["is_add"])
    return call.reply()


def set_range(tables: Tables, first: int, last: int, vrf_id: int, *, is_twice: bool, is_add: bool) -> None:
    """Add or delete addresses; raise RefusedError at the first one that cannot be."""
    if is_add:
        main_of(tables)
    if last - first >= _MOST_ADDRESSES:
        raise RefusedError(Retval.INVALID_VALUE)
    for address in range(first, last + 1):
        if is_add:
            add_address(tables, address, vrf_id, is_twice=is_twice)
        else:
            remove_address(tables, address, is_twice=is_twice)


def _dump_pool(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show the pools, those who follow an interface too."""
    for is_twice, pool in enumerate(call.tables.part(NatMain).pools):
        for address, vrf_id in pool.items():
            flags = _TWICE if is_twice else 0
            yield call.details({"ip_address": address.to_bytes(4), "vrf_id": vrf_id, "flags": flags})


def _command_plugin(tables: Tables, line: Input) -> str:
    """`nat44 plugin <enable [sessions <n>] [inside-vrf <id>] [outside-vrf <id>]|disable>`."""
    is_on, numbers = None, dict[str, int]()
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        if any(rest.take_setting(word, numbers) for word in ("inside-vrf", "outside-vrf", "sessions")):
            continue
        if is_on is not None or (is_on := rest.choice_after("", {"disable": False, "enable": True})) is None:
            raise rest.unknown()
    if is_on is None:
        raise RefusedError(Retval.UNSPECIFIED, "expected enable | disable")
    values = {word.replace("-", "_"): number for word, number in numbers.items()}
    _as_typed(lambda: switch(tables, is_on=is_on, **values), "already enabled" if is_on else "already disabled")
    return ""


def _as_typed(act: Callable[[], None], words: str) -> None:
    """Do something, and refuse it in the words of the prompt."""
    try:
        act()
    except RefusedError as refusal:
        raise RefusedError(Retval.UNSPECIFIED, words) from refusal


def _command_timeouts(tables: Tables, line: Input) -> str:
    """`set nat timeout [udp <sec> | tcp-established <sec> | tcp-transitory <sec> | icmp <sec> | reset]`."""
    main = tables.part(NatMain)
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        numbers: dict[str, int] = {}
        if any(rest.take_setting(name.replace("_", "-"), numbers) for name in _TIMEOUTS):
            main.timeouts |= {name.replace("-", "_"): number for name, number in numbers.items()}
        elif rest.take("reset"):
            main.timeouts = dict(_TIMEOUTS)
        else:
            raise rest.unknown()
    return ""


def _command_mss(tables: Tables, line: Input) -> str:
    """`nat mss-clamping <mss-value>|disable`."""
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        number = 0 if rest.take("disable") else rest.number()
        if number is None:
            raise rest.unknown()
        tables.part(NatMain).mss = number & 0xFFFF
    return ""


def _command_forwarding(tables: Tables, line: Input) -> str:
    """`nat44 forwarding enable|disable`."""
    rest = line.line_with("expected required argument(s)")
    is_on = rest.choice_after("", {"enable": True, "disable": False})
    if is_on is None:
        raise RefusedError(Retval.UNSPECIFIED, "expected enable | disable")
    tables.part(NatMain).is_forwarding = is_on
    return ""


def _command_address(tables: Tables, line: Input) -> str:
    """`nat44 add address <address> [- <address>] [tenant-vrf <id>] [twice-nat] [del]`."""
    first = last = None
    vrf_id, is_twice, is_add = NONE, False, True
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        if (number := rest.number_after("tenant-vrf")) is not None:
            vrf_id = number
        elif rest.take("twice-nat"):
            is_twice = True
        elif rest.take("del"):
            is_add = False
        elif rest.take("-") and (found := rest.address4()) is not None:
            last = int(found)
        elif (found := rest.address4()) is not None:
            first = last = int(found)
        else:
            raise rest.unknown()
    if first is None or last is None:
        raise RefusedError(Retval.UNSPECIFIED, "expected address")
    if is_add and not tables.part(NatMain).is_enabled:
        return ""  # VPP refuses it without a message
    words = "NAT address already in use." if is_add else "NAT address not exist."
    _as_typed(lambda: set_range(tables, first, last, vrf_id, is_twice=is_twice, is_add=is_add), words)
    return ""


def _command_follow(tables: Tables, line: Input) -> str:
    """`nat44 add interface address <interface> [twice-nat] [del]`."""
    row, is_twice, is_add = None, False, True
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        if (found := rest.interface(tables)) is not None:
            row = found
        elif rest.take("twice-nat"):
            is_twice = True
        elif rest.take("del"):
            is_add = False
        else:
            raise rest.unknown()
    if row is None:
        raise RefusedError(Retval.UNSPECIFIED, "expected interface")
    words = "entry exists" if is_add else "entry not found"
    index = row.index
    _as_typed(lambda: follow(tables, index, is_twice=is_twice, is_add=is_add), words)
    return ""


def _command_interface(tables: Tables, line: Input) -> str:
    """`set interface nat44 in <interface> out <interface> [output-feature] [del]`."""
    found: dict[str, list[int]] = {"in": [], "out": []}
    is_output, is_add = False, True
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        side = next((word for word in found if (row := rest.interface_after(tables, word)) is not None), None)
        if side is not None and row is not None:
            found[side].append(row.index)
        elif rest.take("output-feature"):
            is_output = True
        elif rest.take("del"):
            is_add = False
        else:
            raise rest.unknown()
    words = f"{'add' if is_add else 'del'} interface failed"
    for side, flag in (("in", _INSIDE), ("out", _OUTSIDE)):
        for index in found[side]:
            if is_output:
                _as_typed(lambda index=index: set_output(tables, index, is_add=is_add), words)  # type: ignore[misc]
            else:
                _as_typed(lambda index=index, flag=flag: set_side(tables, index, flag, is_add=is_add), words)  # type: ignore[misc]
    return ""


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Put NAT44 of a state into the tables, but for mappings and leaks."""
    settings = next(iter(state.of(Nat44).values()), None)
    if settings is None:
        return
    inside, outside = settings.inside_table, settings.outside_table
    switch(tables, is_on=True, sessions=settings.sessions, inside_vrf=inside, outside_vrf=outside)
    main = tables.part(NatMain)
    main.is_forwarding, main.mss = settings.is_forwarding, settings.mss
    main.timeouts = {name: getattr(settings, f"{name}_s") for name in _TIMEOUTS}
    for each in state.of(NatAddress).values():
        vrf_id = NONE if each.table_id is None else each.table_id
        add_address(tables, int(IPv4Address(each.address)), vrf_id, is_twice=each.is_twice)
    for pool in state.of(NatPool).values():
        follow(tables, rows[pool.interface].index, is_twice=pool.is_twice, is_add=True)
    for name, row in rows.items():
        side = state.interfaces[name].nat44
        if side is NatSide.OUTPUT:
            set_output(tables, row.index, is_add=True)
        for flag, sides in ((_INSIDE, (NatSide.INSIDE, NatSide.BOTH)), (_OUTSIDE, (NatSide.OUTSIDE, NatSide.BOTH))):
            if side in sides:
                set_side(tables, row.index, flag, is_add=True)


def _show_sessions(tables: Tables, line: Input) -> str:
    """`show nat44 sessions [filter ...]`: none, for no packets pass here."""
    return "NAT44 ED sessions:\n-------- thread 0 vpp_main: 0 sessions --------\n"


KIND = Kind(
    plugin="nat",
    api={"nat44_ed": _API},
    changes={
        "nat44_ed_plugin_enable_disable": _answer_enable,
        "nat_set_timeouts": _answer_timeouts,
        "nat_set_mss_clamping": _answer_mss,
        "nat44_forwarding_enable_disable": _answer_forwarding,
        "nat44_interface_add_del_feature": _answer_side,
        "nat44_ed_add_del_output_interface": _answer_output,
        "nat44_add_del_interface_addr": _answer_follow,
        "nat44_add_del_address_range": _answer_range,
    },
    queries={
        "nat44_show_running_config": _show_configuration,
        "nat_get_mss_clamping": _show_mss,
        "nat44_user_dump": _dump_users,
        "nat44_interface_dump": _dump_sides,
        "nat44_ed_output_interface_get": _get_outputs,
        "nat44_interface_addr_dump": _dump_followed,
        "nat44_address_dump": _dump_pool,
    },
    commands={
        "nat44 plugin": _command_plugin,
        "set nat timeout": _command_timeouts,
        "nat mss-clamping": _command_mss,
        "nat44 forwarding": _command_forwarding,
        "nat44 add address": _command_address,
        "nat44 add interface address": _command_follow,
        "set interface nat44": _command_interface,
        "show nat44 sessions": _show_sessions,
    },
    deleted=_interface_gone,
    address_changed=_address_changed,
    load=_load,
)
