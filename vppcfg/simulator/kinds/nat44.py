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
