"""Simulates stateless autoconfiguration of addresses (vnet/ip6-nd/rd_cp.c); routers are played by tests."""

from __future__ import annotations

from dataclasses import dataclass, field

from vppcfg.simulator import interfaces, ip6_link
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds import address
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_HALF = 64


@dataclass(slots=True, kw_only=True)
class AutoconfigMain:
    """Where it is on, and what it has made (rd_cp_main_t)."""

    enabled: set[int] = field(default_factory=set)
    created: dict[tuple[int, int], int] = field(default_factory=dict)
    """Addresses by interface and prefix."""


def receive_advertisement(tables: Tables, sw_if_index: int, prefix: int) -> None:
    """Let an interface receive a router advertisement with a /64 that hosts are to make addresses in."""
    main = tables.part(AutoconfigMain)
    if sw_if_index not in main.enabled or (sw_if_index, prefix) in main.created:
        return
    identifier = int.from_bytes(ip6_link.automatic(tables, sw_if_index)[8:])
    main.created[sw_if_index, prefix] = prefix | identifier
    address.add(tables, tables.sw[sw_if_index], True, prefix | identifier, _HALF)


def switch(tables: Tables, sw_if_index: int, *, is_on: bool) -> None:
    """Turn it on or off. VPP then takes the addresses of all interfaces away, and leaves IPv6 on."""
    main = tables.part(AutoconfigMain)
    if is_on and sw_if_index not in main.enabled:
        ip6_link.enable(tables, sw_if_index)
        main.enabled.add(sw_if_index)
    elif not is_on and sw_if_index in main.enabled:
        main.enabled.discard(sw_if_index)
        for (index, _), value in main.created.items():
            row = tables.sw.get(index)
            if row is not None and tables.ip6.find(tables.ip6.table_of(index), value) is not None:
                address.remove(tables, row, True, value, _HALF)
        main.created.clear()


def _answer(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    switch(call.tables, values["sw_if_index"], is_on=bool(values["enable"]))
    return call.reply()


def _command(tables: Tables, line: Input) -> str:
    """`ip6 nd address autoconfig <interface> [default-route|disable]`."""
    row = line.interface(tables)
    if row is None:
        raise RefusedError(Retval.UNSPECIFIED, "Missing sw_if_index")
    line.take("default-route")
    switch(tables, row.index, is_on=not line.take("disable"))
    return ""


KIND = Kind(
    changes={"ip6_nd_address_autoconfig": _answer},
    commands={"ip6 nd address autoconfig": _command},
)
