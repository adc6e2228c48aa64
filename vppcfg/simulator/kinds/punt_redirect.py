"""Simulates redirects of punted packets (vnet/ip/ip_punt_drop.c). A redirect outlives its interface."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.state import State
from vppcfg.simulator.api_paths import packed, unpacked
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.fib_entries import FibPath, ordered
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds.route_change import read_path
from vppcfg.simulator.retval import required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_ALL = 0


@dataclass(slots=True, kw_only=True)
class PuntMain:
    """The paths by family and interface, and how often the feature of each family was turned on and not off."""

    paths: dict[tuple[bool, int], tuple[FibPath, ...]] = field(default_factory=dict)
    counts: list[int] = field(default_factory=lambda: [0, 0])

    @property
    def is_on(self) -> tuple[bool, bool]:
        """Return whether packets of IPv4 and of IPv6 are redirected at all."""
        return self.counts[0] > 0, self.counts[1] > 0


def redirect(tables: Tables, is_ipv6: bool, rx: int, paths: tuple[FibPath, ...]) -> None:
    """Add or change the redirect of packets from an interface, or from any; VPP counts each call as a new one."""
    main = tables.part(PuntMain)
    main.paths[is_ipv6, _ALL if rx == NONE else rx] = ordered(paths)
    main.counts[is_ipv6] += 1


def stop(tables: Tables, is_ipv6: bool, rx: int) -> None:
    """Remove a redirect; VPP counts the call even when there was none (ip4_punt_redirect_del)."""
    main = tables.part(PuntMain)
    main.paths.pop((is_ipv6, _ALL if rx == NONE else rx), None)
    main.counts[is_ipv6] = max(main.counts[is_ipv6] - 1, 0)


def _answer(call: Call, values: Values) -> None:
    """Change a redirect. VPP looks at no interface, and takes one without paths, which drops."""
    is_ipv6, rx = bool(values["punt.af"]), values["punt.rx_sw_if_index"]
    if values["is_add"]:
        redirect(call.tables, is_ipv6, rx, tuple(unpacked(call.tables, row) for row in values["punt.paths"]))
    else:
        stop(call.tables, is_ipv6, rx)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for (is_ipv6, rx), paths in sorted(call.tables.part(PuntMain).paths.items()):
        shown = rx if rx != _ALL else NONE
        if is_ipv6 == bool(values["af"]) and values["sw_if_index"] in (NONE, rx):
            fields = {"punt.rx_sw_if_index": shown, "punt.af": is_ipv6}
            yield call.details({**fields, "punt.paths": tuple(map(packed, paths))})


def _command(is_ipv6: bool) -> Command:
    """`ip punt redirect [add|del] rx <interface>|all via <path>...`; `ip6 punt redirect` is the same."""

    def command(tables: Tables, line: Input) -> None:
        rx, is_add = None, True
        paths: list[FibPath] = []
        while not line.is_at_end:
            if line.take_word("del"):
                is_add = False
            elif line.take("rx", "all"):
                rx = _ALL
            elif (row := line.interface_after(tables, "rx")) is not None:
                rx = row.index
            elif line.take("via"):
                paths.append(read_path(tables, line, is_ipv6=is_ipv6))
            elif not line.take_word("add"):
                raise line.unknown("parse error")
        rx = required(rx, "parse error: ''")
        if not is_add:
            stop(tables, is_ipv6, rx)
        elif paths:
            redirect(tables, is_ipv6, rx, tuple(paths))

    return command


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for each in state.of(PuntRedirect).values():
        path = FibPath(
            sw_if_index=rows[each.hop.interface].index,
            next_hop=ipaddress.ip_address(each.hop.gateway).packed if each.hop.gateway else b"",
            is_ipv6=each.is_ipv6,
        )
        redirect(tables, each.is_ipv6, rows[each.interface].index if each.interface else NONE, (path,))


KIND = Kind(
    changes={"add_del_ip_punt_redirect_v2": _answer},
    queries={"ip_punt_redirect_v2_dump": _dump},
    commands={"ip punt redirect": _command(is_ipv6=False), "ip6 punt redirect": _command(is_ipv6=True)},
    load=_load,
)
