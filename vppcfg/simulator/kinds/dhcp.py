"""Simulates DHCPv4 clients (plugins/dhcp/client.c): they outlive their interfaces. No server answers here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import DiedError, RefusedError, Retval
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


def _answer(call: Call, values: Values) -> Outgoing:
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
    return call.reply()


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


def _command(tables: Tables, line: Input) -> str:
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
    if row is None:
        raise RefusedError(Retval.UNSPECIFIED, "interface not specified")
    try:
        if is_add:
            add_client(tables, row.index, hostname, client_id=_typed_id(tables, row))
        else:
            delete_client(tables, row.index)
    except RefusedError:
        words = "already" if is_add else "not"
        raise RefusedError(Retval.UNSPECIFIED, f"dhcp client {words} enabled on {tables.name_of(row)}") from None
    return ""


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


KIND = Kind(
    changes={"dhcp_client_config": _answer},
    queries={"dhcp_client_dump": _dump},
    commands={"set dhcp client": _command},
    plugin="dhcp",
    load=_load,
)
