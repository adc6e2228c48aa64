"""Simulates the API of endpoint-dependent NAT44 (plugins/nat/nat44-ed): where it is on, and its pool."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from vppcfg.model.nat44 import Nat44, NatAddress, NatPool, NatSide
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds.nat44_main import (
    INSIDE,
    OUTSIDE,
    TIMEOUTS,
    TWICE,
    NatMain,
    add_address,
    follow,
    set_output,
    set_range,
    set_side,
    switch,
)
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
_BUCKETS = 32768


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
    call.tables.part(NatMain).timeouts = {name: values[name] for name in TIMEOUTS}
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
    side = INSIDE if values["flags"] & INSIDE else OUTSIDE
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
    is_twice = bool(values["flags"] & TWICE)
    follow(call.tables, values["sw_if_index"], is_twice=is_twice, is_add=values["is_add"])
    return call.reply()


def _dump_followed(call: Call, _values: Values) -> Iterator[Outgoing]:
    for sw_if_index, is_twice in call.tables.part(NatMain).followed:
        yield call.details({"sw_if_index": sw_if_index, "flags": TWICE if is_twice else 0})


def _answer_range(call: Call, values: Values) -> Outgoing:
    """Add or delete addresses, one after the other; the first one that cannot be ends it."""
    first, last = (int.from_bytes(values[f"{end}_ip_address"]) for end in ("first", "last"))
    is_twice = bool(values["flags"] & TWICE)
    set_range(call.tables, first, last, values["vrf_id"], is_twice=is_twice, is_add=values["is_add"])
    return call.reply()


def _dump_pool(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show the pools, those who follow an interface too."""
    for is_twice, pool in enumerate(call.tables.part(NatMain).pools):
        for address, vrf_id in pool.items():
            flags = TWICE if is_twice else 0
            yield call.details({"ip_address": address.to_bytes(4), "vrf_id": vrf_id, "flags": flags})


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Put NAT44 of a state into the tables, but for mappings and leaks."""
    settings = next(iter(state.of(Nat44).values()), None)
    if settings is None:
        return
    inside, outside = settings.inside_table, settings.outside_table
    switch(tables, is_on=True, sessions=settings.sessions, inside_vrf=inside, outside_vrf=outside)
    main = tables.part(NatMain)
    main.is_forwarding, main.mss = settings.is_forwarding, settings.mss
    main.timeouts = {name: getattr(settings, f"{name}_s") for name in TIMEOUTS}
    for each in state.of(NatAddress).values():
        vrf_id = NONE if each.table_id is None else each.table_id
        add_address(tables, int(IPv4Address(each.address)), vrf_id, is_twice=each.is_twice)
    for pool in state.of(NatPool).values():
        follow(tables, rows[pool.interface].index, is_twice=pool.is_twice, is_add=True)
    for name, row in rows.items():
        side = state.interfaces[name].nat44
        if side is NatSide.OUTPUT:
            set_output(tables, row.index, is_add=True)
        for flag, sides in ((INSIDE, (NatSide.INSIDE, NatSide.BOTH)), (OUTSIDE, (NatSide.OUTSIDE, NatSide.BOTH))):
            if side in sides:
                set_side(tables, row.index, flag, is_add=True)


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
    load=_load,
)
