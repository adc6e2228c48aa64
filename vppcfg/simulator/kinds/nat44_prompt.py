"""Simulates what the prompt takes about endpoint-dependent NAT44 (plugins/nat/nat44-ed/nat44_ed_cli.c)."""

from __future__ import annotations

from collections.abc import Callable

from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Kind
from vppcfg.simulator.kinds.nat44_main import (
    INSIDE,
    OUTSIDE,
    TIMEOUTS,
    NatMain,
    follow,
    set_output,
    set_range,
    set_side,
    switch,
)
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE


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
        if any(rest.take_setting(name.replace("_", "-"), numbers) for name in TIMEOUTS):
            main.timeouts |= {name.replace("-", "_"): number for name, number in numbers.items()}
        elif rest.take("reset"):
            main.timeouts = dict(TIMEOUTS)
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
    for side, flag in (("in", INSIDE), ("out", OUTSIDE)):
        for index in found[side]:
            if is_output:
                _as_typed(lambda index=index: set_output(tables, index, is_add=is_add), words)  # type: ignore[misc]
            else:
                _as_typed(lambda index=index, flag=flag: set_side(tables, index, flag, is_add=is_add), words)  # type: ignore[misc]
    return ""


def _show_sessions(tables: Tables, line: Input) -> str:
    """`show nat44 sessions [filter ...]`: none, for no packets pass here."""
    return "NAT44 ED sessions:\n-------- thread 0 vpp_main: 0 sessions --------\n"


KIND = Kind(
    plugin="nat",
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
