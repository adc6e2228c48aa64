"""Simulates the API and the prompt of endpoint-dependent NAT44 (plugins/nat/nat44-ed): where it is on, and its pool."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from vppcfg.model.nat44 import Nat44, NatAddress, NatPool, NatSide
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
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
from vppcfg.simulator.retval import RefusedError, Retval, refused_as, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_BUCKETS = 32768


def _answer_enable(call: Call, values: Values) -> None:
    foundation = {"sessions": values["sessions"], "inside_vrf": values["inside_vrf"]}
    switch(call.tables, is_on=bool(values["enable"]), outside_vrf=values["outside_vrf"], **foundation)


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


def _answer_timeouts(call: Call, values: Values) -> None:
    call.tables.part(NatMain).timeouts = {name: values[name] for name in TIMEOUTS}


def _answer_mss(call: Call, values: Values) -> None:
    call.tables.part(NatMain).mss = values["mss_value"] if values["enable"] else 0


def _show_mss(call: Call, _values: Values) -> Outgoing:
    mss = call.tables.part(NatMain).mss
    return call.reply(enable=bool(mss), mss_value=mss)


def _answer_forwarding(call: Call, values: Values) -> None:
    """Let packets without a session pass; that is kept while NAT is disabled, too."""
    call.tables.part(NatMain).is_forwarding = bool(values["enable"])


def _dump_users(call: Call, _values: Values) -> Iterator[Outgoing]:
    for vrf_id, address, sessions, static in call.tables.part(NatMain).users:
        counts = {"nsessions": sessions, "nstaticsessions": static}
        yield call.details({"vrf_id": vrf_id, "ip_address": address.to_bytes(4), **counts})


def _answer_side(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    side = INSIDE if values["flags"] & INSIDE else OUTSIDE
    set_side(call.tables, values["sw_if_index"], side, is_add=values["is_add"])


def _dump_sides(call: Call, _values: Values) -> Iterator[Outgoing]:
    for sw_if_index, flags in call.tables.part(NatMain).sides.items():
        yield call.details({"sw_if_index": sw_if_index, "flags": flags})


def _answer_output(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    set_output(call.tables, values["sw_if_index"], is_add=values["is_add"])


def _get_outputs(call: Call, _values: Values) -> Iterator[Outgoing]:
    for sw_if_index in call.tables.part(NatMain).outputs:
        yield "nat44_ed_output_interface_details", {"sw_if_index": sw_if_index}
    yield call.reply(cursor=NONE)


def _answer_follow(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    is_twice = bool(values["flags"] & TWICE)
    follow(call.tables, values["sw_if_index"], is_twice=is_twice, is_add=values["is_add"])


def _dump_followed(call: Call, _values: Values) -> Iterator[Outgoing]:
    for sw_if_index, is_twice in call.tables.part(NatMain).followed:
        yield call.details({"sw_if_index": sw_if_index, "flags": TWICE if is_twice else 0})


def _answer_range(call: Call, values: Values) -> None:
    """Add or delete addresses, one after the other; the first one that cannot be ends it."""
    first, last = (int.from_bytes(values[f"{end}_ip_address"]) for end in ("first", "last"))
    is_twice = bool(values["flags"] & TWICE)
    set_range(call.tables, first, last, values["vrf_id"], is_twice=is_twice, is_add=values["is_add"])


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


def _command_plugin(tables: Tables, line: Input) -> None:
    """`nat44 plugin <enable [sessions <n>] [inside-vrf <id>] [outside-vrf <id>]|disable>`."""
    is_on, numbers = None, dict[str, int]()
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        if any(rest.take_setting(word, numbers) for word in ("inside-vrf", "outside-vrf", "sessions")):
            continue
        if is_on is not None or (is_on := rest.choice_after("", {"disable": False, "enable": True})) is None:
            raise rest.unknown()
    is_on = required(is_on, "expected enable | disable")
    values = {word.replace("-", "_"): number for word, number in numbers.items()}
    with refused_as("already enabled" if is_on else "already disabled"):
        switch(tables, is_on=is_on, **values)


def _command_timeouts(tables: Tables, line: Input) -> None:
    """`set nat timeout [udp <sec> | tcp-established <sec> | tcp-transitory <sec> | icmp <sec> | reset]`."""
    main = tables.part(NatMain)
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        numbers: dict[str, int] = {}
        if any(rest.take_setting(name.replace("_", "-"), numbers) for name in TIMEOUTS):
            main.timeouts |= {name.replace("-", "_"): number for name, number in numbers.items()}
        elif rest.take("reset"):
            main.timeouts = dict(TIMEOUTS)
        else:
            raise rest.unknown()


def _command_mss(tables: Tables, line: Input) -> None:
    """`nat mss-clamping <mss-value>|disable`."""
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        number = 0 if rest.take("disable") else rest.number()
        if number is None:
            raise rest.unknown()
        tables.part(NatMain).mss = number & 0xFFFF


def _command_forwarding(tables: Tables, line: Input) -> None:
    """`nat44 forwarding enable|disable`."""
    rest = line.line_with("expected required argument(s)")
    is_on = required(rest.choice_after("", {"enable": True, "disable": False}), "expected enable | disable")
    tables.part(NatMain).is_forwarding = is_on


def _command_address(tables: Tables, line: Input) -> None:
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
        return  # VPP refuses it without a message
    with refused_as("NAT address already in use." if is_add else "NAT address not exist."):
        set_range(tables, first, last, vrf_id, is_twice=is_twice, is_add=is_add)


def _command_follow(tables: Tables, line: Input) -> None:
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
    row = required(row, "expected interface")
    with refused_as("entry exists" if is_add else "entry not found"):
        follow(tables, row.index, is_twice=is_twice, is_add=is_add)


def _command_interface(tables: Tables, line: Input) -> None:
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
    with refused_as(f"{'add' if is_add else 'del'} interface failed"):
        for side, flag in (("in", INSIDE), ("out", OUTSIDE)):
            for index in found[side]:
                if is_output:
                    set_output(tables, index, is_add=is_add)
                else:
                    set_side(tables, index, flag, is_add=is_add)


def _show_sessions(tables: Tables, line: Input) -> str:
    """`show nat44 sessions [filter ...]`: none, for no packets pass here."""
    return "NAT44 ED sessions:\n-------- thread 0 vpp_main: 0 sessions --------\n"


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
)
