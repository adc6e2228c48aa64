"""Simulates DHCPv4 clients (plugins/dhcp/client.c), which outlive their interfaces, and relays (dhcp_proxy.c).

Relays have servers by FIB table and family. No server answers here.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.model.dhcp_relay import DhcpRelay
from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import DiedError, RefusedError, Retval, refused_as, required
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.wire import Outgoing, Values, to_bytes

_LONGEST = 63
_LOCAL = "local"
"""The device class of local0."""
_SENDS_ITS_MAC = ReleaseQuirk(
    span="25.02-", text="a client that is typed sends the MAC address of its port, not `vpp 1.1` (75f4960d12a)"
)


@record
class Client:
    """How one interface asks (dhcp_client_t)."""

    index: int
    sw_if_index: int
    hostname: bytes
    is_broadcast: bool = True
    dscp: int = 0
    id: bytes = b""


@dataclass(slots=True, kw_only=True)
class DhcpMain:
    """The clients, and the index of each by that of its interface (dhcp_client_main_t)."""

    clients: Pool[Client] = field(default_factory=Pool)
    by_sw: dict[int, int] = field(default_factory=dict)


def add_client(
    tables: Tables, sw_if_index: int, hostname: bytes, *, client_id: bytes, is_broadcast: bool = True, dscp: int = 0
) -> None:
    """Make a client; raise RefusedError where there is one.

    VPP reads the hardware address of the interface (send_dhcp_pkt), and ends where there is none; memifs have one, and
    local0 sends nothing.
    """
    main = tables.part(DhcpMain)
    if sw_if_index in main.by_sw:
        raise RefusedError(Retval.INVALID_VALUE)
    port = tables.hw_of(tables.sw[sw_if_index])
    if not port.is_ethernet and port.device_class not in {"memif", _LOCAL}:
        raise DiedError
    client = main.clients.add(
        lambda index: Client(
            index=index,
            sw_if_index=sw_if_index,
            hostname=hostname,
            is_broadcast=is_broadcast,
            dscp=dscp,
            id=client_id,
        )
    )
    main.by_sw[sw_if_index] = client.index


def delete_client(tables: Tables, sw_if_index: int) -> None:
    """Take a client out; raise RefusedError where there is none."""
    main = tables.part(DhcpMain)
    if sw_if_index not in main.by_sw:
        raise RefusedError(Retval.INVALID_VALUE)
    main.clients.remove(main.by_sw.pop(sw_if_index))


def _answer(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["client.sw_if_index"])
    if values["is_add"]:
        add_client(
            call.tables,
            values["client.sw_if_index"],
            values["client.hostname"].split(b"\0", 1)[0],
            client_id=values["client.id"].split(b"\0", 1)[0],
            is_broadcast=bool(values["client.set_broadcast_flag"]),
            dscp=values["client.dscp"],
        )
    else:
        delete_client(call.tables, values["client.sw_if_index"])


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the clients, those of interfaces that are gone too."""
    for client in call.tables.part(DhcpMain).clients:
        hostname = client.hostname[:_LONGEST]
        shown = {
            "client.sw_if_index": client.sw_if_index,
            "client.hostname": hostname,
            "client.id": client.id[:_LONGEST],
            "client.set_broadcast_flag": client.is_broadcast,
            "client.dscp": client.dscp,
            "lease.sw_if_index": client.sw_if_index,
            "lease.hostname": hostname,
        }
        yield call.details(shown)


def _command(tables: Tables, line: Input) -> None:
    """`set dhcp client [del] intfc <interface> [hostname <name>] [broadcast]`; the last word deletes as well."""
    row, hostname, is_add = None, b"", True
    while not line.is_at_end:
        if (found := line.interface_after(tables, "intfc")) is not None:
            row = found
        elif line.take("hostname"):
            hostname = to_bytes(line.string() or "")
        elif line.take("del") or line.take("broadcast"):
            is_add = False
        else:
            break
    row = required(row, "interface not specified")
    words = "already" if is_add else "not"
    with refused_as(f"dhcp client {words} enabled on {tables.name_of(row)}"):
        if is_add:
            add_client(tables, row.index, hostname, client_id=_typed_id(tables, row))
        else:
            delete_client(tables, row.index)


def _typed_id(tables: Tables, row: SwInterface) -> bytes:
    """Return the id of a client that is typed, which all clients of older releases have in common.

    It is the MAC address in newer ones, which die where the interface has none.
    """
    if not tables.release.has(_SENDS_ITS_MAC):
        return b"vpp 1.1"
    if tables.hw_of(row).device_class == _LOCAL:
        raise DiedError
    return _mac_as_text(tables, row)


def _mac_as_text(tables: Tables, row: SwInterface) -> bytes:
    return tables.hw_of(row).mac.hex(":").encode()


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        client = state.interfaces[name].dhcp_client
        if client is not None:
            hostname = to_bytes(client.hostname)
            sent, is_broadcast = _mac_as_text(tables, row), client.is_broadcast
            add_client(tables, row.index, hostname, client_id=sent, is_broadcast=is_broadcast, dscp=client.dscp)


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


def set_relay(tables: Tables, is_ipv6: bool, table_id: int, server: Server, source: bytes, *, is_add: bool) -> None:
    """Add or remove a server; raise RefusedError for an address that is zero. What is there, or absent, is none."""
    if not any(server[0]):
        raise RefusedError(Retval.INVALID_DST_ADDRESS, "Invalid server address")
    if not any(source):
        raise RefusedError(Retval.INVALID_SRC_ADDRESS, "Invalid src address")
    main, key = tables.part(DhcpProxyMain), (is_ipv6, table_id)
    if is_add:
        _add_server(tables, main, key, server, source)
    else:
        _remove_server(tables, main, key, server)


def _add_server(tables: Tables, main: DhcpProxyMain, key: tuple[bool, int], server: Server, source: bytes) -> None:
    if key not in main.proxies:
        main.proxies[key] = Proxy(source=source)
        if key[0]:
            main.hears_ipv6 = True
        else:
            _hold_table(tables, *key)
    proxy = main.proxies[key]
    if server not in proxy.servers:
        proxy.servers.append(server)
        _hold_table(tables, key[0], server[1])


def _remove_server(tables: Tables, main: DhcpProxyMain, key: tuple[bool, int], server: Server) -> None:
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


def _hold_table(tables: Tables, is_ipv6: bool, table_id: int) -> None:
    """Hold a table, which is made where there is none."""
    (tables.fib6 if is_ipv6 else tables.fib4).find_or_create(table_id)
    fib.lock_for_lookup(tables, is_ipv6, table_id, _SOURCE)


def _answer_relay(call: Call, values: Values) -> None:
    if values["dhcp_server.af"] != values["dhcp_src_address.af"]:
        raise RefusedError(Retval.INVALID_ARGUMENT)
    is_ipv6 = bool(values["dhcp_server.af"])
    size = 16 if is_ipv6 else 4
    server = values["dhcp_server.un"][:size], values["server_vrf_id"]
    source = values["dhcp_src_address.un"][:size]
    set_relay(call.tables, is_ipv6, values["rx_vrf_id"], server, source, is_add=bool(values["is_add"]))


def _dump_relays(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the proxies of a family. VPP fills in the bytes of the addresses, and not their family."""
    for (is_ipv6, table_id), proxy in call.tables.part(DhcpProxyMain).proxies.items():
        if is_ipv6 == bool(values["is_ip6"]):
            shown = {"rx_vrf_id": table_id, "is_ipv6": is_ipv6, "vss_type": _NO_VSS}
            servers = tuple((table, 0, address.ljust(16, b"\0")) for address, table in proxy.servers)
            yield call.details({**shown, "dhcp_src_address.un": proxy.source.ljust(16, b"\0"), "servers": servers})


def _command_relay(is_ipv6: bool) -> Command:
    """`set dhcp proxy [del] server <address> src-address <address> [server-fib-id <n>] [rx-fib-id <n>]`."""
    ends, numbers = {"server": "server", "src-address": "source"}, {"server-fib-id": "server_fib", "rx-fib-id": "fib"}

    def command(tables: Tables, line: Input) -> None:
        found: dict[str, Any] = {}
        is_add = True
        while not line.is_at_end:
            if line.take_field(numbers, line.number, found):
                continue
            if line.take_field(ends, lambda: line.packed(6 if is_ipv6 else 4), found):
                continue
            if not (line.take("delete") or line.take("del")):
                break
            is_add = False
        if is_add and not {"server", "source"} <= found.keys():
            line.skip_space()
            raise RefusedError(Retval.UNSPECIFIED, f"parse error`{line.shown}'")
        nothing = bytes(16 if is_ipv6 else 4)
        server = found.get("server", nothing), found.get("server_fib", 0)
        set_relay(tables, is_ipv6, found.get("fib", 0), server, found.get("source", nothing), is_add=is_add)

    return command


def _load_relays(tables: Tables, state: State, rows: Rows) -> None:
    for relay in state.of(DhcpRelay).values():
        server = ipaddress.ip_address(relay.server).packed, relay.server_table_id
        set_relay(tables, relay.is_ipv6, relay.table_id, server, ipaddress.ip_address(relay.source).packed, is_add=True)


KIND = Kind(
    changes={"dhcp_client_config": _answer},
    queries={"dhcp_client_dump": _dump},
    commands={"set dhcp client": _command},
    plugin="dhcp",
    load=_load,
)

RELAY = Kind(
    changes={"dhcp_proxy_config": _answer_relay},
    queries={"dhcp_proxy_dump": _dump_relays},
    commands={"set dhcp proxy": _command_relay(is_ipv6=False), "set dhcpv6 proxy": _command_relay(is_ipv6=True)},
    plugin="dhcp",
    load=_load_relays,
)
