"""Simulates DHCP relays: servers by FIB table and family (plugins/dhcp/dhcp_proxy.c). No server answers here."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.model.dhcp_relay import DhcpRelay
from vppcfg.model.state import State
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_NO_VSS = 123 << 24
"""VSS_TYPE_INVALID, which VPP does not bring into the order of the wire (dhcp_send_details)."""
_SOURCE = "DHCP"
Server = tuple[bytes, int]
"""Address and table."""


@dataclass(slots=True, kw_only=True)
class Proxy:
    """The servers of one table and family; the source is that of the first server (dhcp_proxy_t)."""

    source: bytes
    servers: list[Server] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class DhcpProxyMain:
    """The proxies by family and table, and whether the UDP ports of IPv6 are open."""

    proxies: dict[tuple[bool, int], Proxy] = field(default_factory=dict)
    hears_ipv6: bool = False


def change(tables: Tables, is_ipv6: bool, table_id: int, server: Server, source: bytes, *, is_add: bool) -> None:
    """Add or remove a server; raise RefusedError for an address that is zero. What is there, or absent, is none."""
    if not any(server[0]):
        raise RefusedError(Retval.INVALID_DST_ADDRESS, "Invalid server address")
    if not any(source):
        raise RefusedError(Retval.INVALID_SRC_ADDRESS, "Invalid src address")
    main, key = tables.part(DhcpProxyMain), (is_ipv6, table_id)
    if is_add:
        _add(tables, main, key, server, source)
    else:
        _remove(tables, main, key, server)


def _add(tables: Tables, main: DhcpProxyMain, key: tuple[bool, int], server: Server, source: bytes) -> None:
    if key not in main.proxies:
        main.proxies[key] = Proxy(source=source)
        if key[0]:
            main.hears_ipv6 = True
        else:
            _hold(tables, *key)
    proxy = main.proxies[key]
    if server not in proxy.servers:
        proxy.servers.append(server)
        _hold(tables, key[0], server[1])


def _remove(tables: Tables, main: DhcpProxyMain, key: tuple[bool, int], server: Server) -> None:
    """Remove a server; with the last one of IPv6 in one table, VPP closes the ports for all tables."""
    proxy = main.proxies.get(key)
    if proxy is None or server not in proxy.servers:
        return
    proxy.servers.remove(server)
    fib.unlock_for_lookup(tables, key[0], server[1], _SOURCE)
    if not proxy.servers:
        del main.proxies[key]
        if key[0]:
            main.hears_ipv6 = False
        else:
            fib.unlock_for_lookup(tables, *key, _SOURCE)


def _hold(tables: Tables, is_ipv6: bool, table_id: int) -> None:
    """Hold a table, which is made where there is none."""
    (tables.fib6 if is_ipv6 else tables.fib4).find_or_create(table_id)
    fib.lock_for_lookup(tables, is_ipv6, table_id, _SOURCE)


def _answer(call: Call, values: Values) -> Outgoing:
    if values["dhcp_server.af"] != values["dhcp_src_address.af"]:
        raise RefusedError(Retval.INVALID_ARGUMENT)
    is_ipv6 = bool(values["dhcp_server.af"])
    size = 16 if is_ipv6 else 4
    server = values["dhcp_server.un"][:size], values["server_vrf_id"]
    source = values["dhcp_src_address.un"][:size]
    change(call.tables, is_ipv6, values["rx_vrf_id"], server, source, is_add=bool(values["is_add"]))
    return call.reply()


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the proxies of a family. VPP fills in the bytes of the addresses, and not their family."""
    for (is_ipv6, table_id), proxy in call.tables.part(DhcpProxyMain).proxies.items():
        if is_ipv6 == bool(values["is_ip6"]):
            shown = {"rx_vrf_id": table_id, "is_ipv6": is_ipv6, "vss_type": _NO_VSS}
            servers = tuple((table, 0, address.ljust(16, b"\0")) for address, table in proxy.servers)
            yield call.details({**shown, "dhcp_src_address.un": proxy.source.ljust(16, b"\0"), "servers": servers})


def _command(is_ipv6: bool) -> Command:
    """`set dhcp proxy [del] server <address> src-address <address> [server-fib-id <n>] [rx-fib-id <n>]`."""

    def command(tables: Tables, line: Input) -> str:
        settings: dict[str, int] = {}
        found: dict[str, bytes] = {}
        is_add = True
        while not line.is_at_end:
            if line.take_setting("server-fib-id", settings) or line.take_setting("rx-fib-id", settings):
                continue
            word = next((word for word in ("server", "src-address") if _takes(line, word, is_ipv6, found)), None)
            if word is None and not (line.take("delete") or line.take("del")):
                break
            is_add = is_add and word is not None
        if is_add and len(found) < 2:
            raise line.unknown("parse error")
        nothing = bytes(16 if is_ipv6 else 4)
        server = found.get("server", nothing), settings.get("server-fib-id", 0)
        source = found.get("src-address", nothing)
        change(tables, is_ipv6, settings.get("rx-fib-id", 0), server, source, is_add=is_add)
        return ""

    return command


def _takes(line: Input, word: str, is_ipv6: bool, found: dict[str, bytes]) -> bool:
    address = line.address_after(word)
    if address is None or (address.version == 6) != is_ipv6:
        return False
    found[word] = address.packed
    return True


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for relay in state.of(DhcpRelay).values():
        server = ipaddress.ip_address(relay.server).packed, relay.server_table_id
        change(tables, relay.is_ipv6, relay.table_id, server, ipaddress.ip_address(relay.source).packed, is_add=True)


KIND = Kind(
    changes={"dhcp_proxy_config": _answer},
    queries={"dhcp_proxy_dump": _dump},
    commands={"set dhcp proxy": _command(is_ipv6=False), "set dhcpv6 proxy": _command(is_ipv6=True)},
    plugin="dhcp",
    load=_load,
)
