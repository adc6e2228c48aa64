"""Simulates the ARP entries that a bridge domain answers from (vnet/l2/l2_bd.c); they go with it."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from vppcfg.model.bridge_arp import BridgeArp
from vppcfg.model.state import State
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import bridge
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values


def change(tables: Tables, bd_id: int, address: bytes, mac: bytes, *, is_add: bool) -> None:
    """Enter an address, or take it out with its MAC address; raise RefusedError for another one, or none."""
    entries = bridge.require(tables, bd_id).arp
    if is_add:
        entries[address] = mac
    elif entries.get(address) != mac:
        raise RefusedError(Retval.UNSPECIFIED, "MAC del for IP failed")
    else:
        del entries[address]


def _answer(call: Call, values: Values) -> Outgoing:
    address = values["entry.ip.un"][: 16 if values["entry.ip.af"] else 4]
    change(call.tables, values["entry.bd_id"], address, values["entry.mac"], is_add=bool(values["is_add"]))
    return call.reply()


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the entries of one bridge domain or of all, IPv4 first."""
    asked = values["bd_id"]
    for domain in call.tables.bridges.domains[1:]:
        if domain.bd_id is None or asked not in (NONE, domain.bd_id):
            continue
        for address in sorted(domain.arp, key=len):
            shown = {"entry.bd_id": domain.bd_id, "entry.ip.af": len(address) == 16, "entry.mac": domain.arp[address]}
            yield call.details({**shown, "entry.ip.un": address.ljust(16, b"\0")})


def _command(tables: Tables, line: Input) -> str:
    """`set bridge-domain arp entry <id> <address> <mac> [del]`, or `... <id> del-all`."""
    bd_id = line.number()
    if bd_id is None:
        raise line.unknown("expecting bridge-domain id but got")
    domain = bridge.require(tables, bd_id)
    address = line.address()
    if address is None and line.take("del-all"):
        domain.arp.clear()
        return ""
    mac = line.mac_after("")
    if address is None or mac is None:
        raise line.unknown(f"expecting {'IP' if address is None else 'MAC'} address but got")
    change(tables, bd_id, address.packed, mac, is_add=not line.take("del"))
    return ""


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for entry in state.of(BridgeArp).values():
        change(tables, entry.bd_id, ipaddress.ip_address(entry.address).packed, mac_bytes(entry.mac), is_add=True)


KIND = Kind(
    changes={"bd_ip_mac_add_del": _answer},
    queries={"bd_ip_mac_dump": _dump},
    commands={"set bridge-domain arp entry": _command},
    load=_load,
)
