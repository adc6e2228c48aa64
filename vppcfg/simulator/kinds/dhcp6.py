"""Simulates DHCPv6 clients (plugins/dhcp/dhcp6_ia_na_client_cp.c, dhcp6_pd_client_cp.c), for addresses and prefixes.

No server answers here: a test sets what it would, by `lease` and `delegate`.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from vppcfg.record import record
from vppcfg.simulator import interfaces, ip6_link
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds import address
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Values

_HALF = 64
_LIFETIMES = "preferred lifetime: 3600, valid lifetime: 7200 (7199.500000 remaining)"
_NO_INTERFACE = "Missing sw_if_index"


@record
class Suffix:
    """An address that goes with each prefix of a group (ip6_address_info_t)."""

    sw_if_index: int
    group: str
    address: int
    length: int


@dataclass(slots=True, kw_only=True)
class Dhcp6Main:
    """Clients and what servers have given them."""

    clients: set[int] = field(default_factory=set)
    """Interfaces that ask for an address."""
    leased: list[int] = field(default_factory=list)
    requesters: dict[int, str] = field(default_factory=dict)
    """The group of the prefixes that interfaces ask for."""
    prefixes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The prefix and its length of each group."""
    suffixes: list[Suffix] = field(default_factory=list)


def lease(tables: Tables, sw_if_index: int, value: int) -> None:
    """Give an address to a client; VPP puts it on the interface as a /64."""
    tables.part(Dhcp6Main).leased.append(value)
    address.add(tables, tables.sw[sw_if_index], True, value, _HALF)


def delegate(tables: Tables, group: str, prefix: int, length: int) -> None:
    """Give a prefix to a group, and addresses in it to all interfaces that wait for one."""
    main = tables.part(Dhcp6Main)
    main.prefixes[group] = prefix, length
    for suffix in main.suffixes:
        _assign(tables, suffix)


def _assign(tables: Tables, suffix: Suffix) -> None:
    prefix = tables.part(Dhcp6Main).prefixes.get(suffix.group)
    if prefix is not None:
        mask = (1 << (2 * _HALF - prefix[1])) - 1
        value = prefix[0] & ~mask | suffix.address & mask
        address.add(tables, tables.sw[suffix.sw_if_index], True, value, suffix.length)


def _switch(tables: Tables, sw_if_index: int, *, is_on: bool) -> None:
    clients = tables.part(Dhcp6Main).clients
    if is_on and sw_if_index not in clients:
        ip6_link.enable(tables, sw_if_index)
    (clients.add if is_on else clients.discard)(sw_if_index)


def _answer(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    _switch(call.tables, values["sw_if_index"], is_on=bool(values["enable"]))


def _client_command(tables: Tables, line: Input) -> None:
    """`dhcp6 client <interface> [disable]`."""
    row = required(line.interface(tables), _NO_INTERFACE)
    _switch(tables, row.index, is_on=not line.take("disable"))


def _prefix_command(tables: Tables, line: Input) -> None:
    """`dhcp6 pd client <interface> (prefix group <name> | disable)`."""
    row = required(line.interface(tables), _NO_INTERFACE)
    requesters = tables.part(Dhcp6Main).requesters
    if line.take("disable"):
        requesters.pop(row.index, None)
    elif line.take("prefix", "group") and (group := line.string()):
        ip6_link.enable(tables, row.index)
        requesters[row.index] = group


def _address_command(tables: Tables, line: Input) -> None:
    """`set ip6 address <interface> prefix group <name> <address>/<length>`."""
    row = required(line.interface(tables), _NO_INTERFACE)
    group = line.string() if line.take("prefix", "group") else None
    prefix = line.prefix()
    if group is None or prefix is None:
        raise RefusedError(Retval.UNSPECIFIED, "Missing address")
    suffix = Suffix(sw_if_index=row.index, group=group, address=prefix[1], length=prefix[2])
    tables.part(Dhcp6Main).suffixes.append(suffix)
    _assign(tables, suffix)


def _shown(value: int) -> str:
    return str(ipaddress.IPv6Address(value))


def _show_clients(tables: Tables, line: Input) -> str:
    return "\n".join(f"sw_if_index: {index}" for index in sorted(tables.part(Dhcp6Main).clients))


def _show_leases(tables: Tables, line: Input) -> str:
    return "\n".join(f"address: {_shown(each)}, {_LIFETIMES}" for each in tables.part(Dhcp6Main).leased)


def _show_suffixes(tables: Tables, line: Input) -> str:
    return "\n".join(
        f"sw_if_index: {each.sw_if_index}, prefix_group: {each.group}, address: {_shown(each.address)}/{each.length}"
        for each in tables.part(Dhcp6Main).suffixes
    )


def _show_prefixes(tables: Tables, line: Input) -> str:
    return "\n".join(
        f"opaque_data: 0, prefix: {_shown(prefix)}/{length}, prefix group: {group}, {_LIFETIMES}"
        for group, (prefix, length) in tables.part(Dhcp6Main).prefixes.items()
    )


KIND = Kind(
    changes={"dhcp6_client_enable_disable": _answer},
    commands={
        "dhcp6 client": _client_command,
        "dhcp6 pd client": _prefix_command,
        "set ip6 address": _address_command,
        "show dhcp6 clients": _show_clients,
        "show dhcp6 addresses": _show_leases,
        "show ip6 addresses": _show_suffixes,
        "show ip6 prefixes": _show_prefixes,
    },
    plugin="dhcp",
)
