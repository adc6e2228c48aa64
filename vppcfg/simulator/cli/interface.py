"""CLI commands for interfaces and sub-interfaces (vnet/interface_cli.c, vnet/ethernet/interface.c)."""

from __future__ import annotations

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.wire import to_bytes

_PACKET_MTUS = ("packet", "ip4", "ip6", "mpls")


def set_state(tables: Tables, line: Input) -> str:
    """`set interface state <interface> up|down`."""
    row = line.require_interface(tables)
    if line.take("up"):
        interface.set_admin_state(tables, row, True)
    elif line.take("down"):
        interface.set_admin_state(tables, row, False)
    else:
        raise line.unknown("unknown flags")
    return ""


def set_mtu(tables: Tables, line: Input) -> str:
    """`set interface mtu [packet|ip4|ip6|mpls] <bytes> <interface>`; without a word it is the link MTU."""
    whole = line.unknown()
    kind = next((kind for kind in _PACKET_MTUS if line.take(kind)), None)
    mtu = line.number()
    row = line.interface(tables)
    if mtu is None or row is None or (kind is None and row.is_sub):
        raise whole
    if kind is not None:
        interface.set_packet_mtus(tables, row, [mtu if kind == other else 0 for other in _PACKET_MTUS])
    elif not tables.hw_of(row).is_ethernet:
        raise RefusedError(Retval.UNSPECIFIED, "not supported")
    else:
        interface.set_link_mtu(tables, tables.hw_of(row), mtu)
    return ""


def set_mac(tables: Tables, line: Input) -> str:
    """`set interface mac address <interface> <mac>`."""
    row = line.require_interface(tables)
    word = line.string() or ""
    try:
        mac = mac_bytes(word)
    except ValueError:
        mac = b""
    if len(mac) != 6 or not word:
        raise RefusedError(Retval.UNSPECIFIED, f"expected mac address `{word}'")
    interface.set_mac(tables, row, mac)
    return ""


def set_tag(tables: Tables, line: Input) -> str:
    """`set interface tag <interface> <tag>`."""
    whole = line.unknown()
    row = line.interface(tables)
    tag = line.string()
    if row is None or tag is None:
        raise whole
    row.tag = to_bytes(tag)
    return ""


def clear_tag(tables: Tables, line: Input) -> str:
    """`clear interface tag <interface>`."""
    line.require_interface(tables, "unknown input").tag = b""
    return ""
