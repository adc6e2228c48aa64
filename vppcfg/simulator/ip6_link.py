"""Simulates IPv6 on interfaces, with a link-local address; VPP counts who turns it on (vnet/ip/ip6_link.c).

Each address of an interface turns it on once, and so does a command at the prompt.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vppcfg.simulator.retval import Retval, required
from vppcfg.simulator.tables import Tables

_PREFIX = b"\xfe\x80" + bytes(6)
_WITHOUT_MTU = 9000
_WITHOUT_MAC = bytes.fromhex("0c0ffee000000001")
"""What VPP would make up at random."""


@dataclass(slots=True, kw_only=True)
class Link:
    """IPv6 on one interface."""

    address: bytes
    """The link-local one."""
    mtu: int
    """That of the interface when IPv6 came up, which router advertisements name ever since (ip6_ra_link_enable)."""
    locks: int = 0
    parts: dict[str, object] = field(default_factory=dict)
    """What others keep with it and lose with it (ip6_link_delegate_t)."""


@dataclass(slots=True, kw_only=True)
class Ip6LinkMain:
    """All interfaces on which IPv6 is on, by index."""

    links: dict[int, Link] = field(default_factory=dict)


def find(tables: Tables, sw_if_index: int) -> Link | None:
    """Return what there is of IPv6 on an interface, None where it is off."""
    return tables.part(Ip6LinkMain).links.get(sw_if_index)


def enable(tables: Tables, sw_if_index: int, address: bytes | None = None) -> Link:
    """Turn IPv6 on once more; the first one makes the link-local address, or takes the given one."""
    links = tables.part(Ip6LinkMain).links
    if sw_if_index not in links:
        links[sw_if_index] = Link(address=address or automatic(tables, sw_if_index), mtu=_ipv6_mtu(tables, sw_if_index))
    links[sw_if_index].locks += 1
    return links[sw_if_index]


def _ipv6_mtu(tables: Tables, sw_if_index: int) -> int:
    """Return the MTU for IPv6 of an interface (vnet_sw_interface_get_mtu in vnet/interface_funcs.h)."""
    interface = tables.sw.get(sw_if_index)
    packet, _, ipv6, _ = interface.mtus if interface is not None else (0, 0, 0, 0)
    return ipv6 or packet or _WITHOUT_MTU


def disable(tables: Tables, sw_if_index: int) -> None:
    """Undo one turning on; raise RefusedError where IPv6 is off."""
    link = required(find(tables, sw_if_index), retval=Retval.IP6_NOT_ENABLED)
    link.locks -= 1
    if not link.locks:
        forget(tables, sw_if_index)


def set_local(tables: Tables, sw_if_index: int, address: bytes) -> None:
    """Take another link-local address; VPP does not look whether it is one."""
    link = find(tables, sw_if_index)
    if link is None:
        enable(tables, sw_if_index, address)
    else:
        link.address = address


def forget(tables: Tables, sw_if_index: int) -> None:
    """Turn IPv6 off, whoever had turned it on."""
    tables.part(Ip6LinkMain).links.pop(sw_if_index, None)


def is_on_ethernet(tables: Tables, sw_if_index: int) -> bool:
    """Return whether an interface is an Ethernet one or a part of one."""
    interface = tables.sw.get(sw_if_index)
    return interface is not None and tables.hw_of(interface).is_ethernet


def automatic(tables: Tables, sw_if_index: int) -> bytes:
    """Return the link-local address that VPP makes."""
    interface = tables.sw.get(sw_if_index)
    if interface is None or not is_on_ethernet(tables, sw_if_index):
        return _PREFIX + _WITHOUT_MAC
    mac = tables.hw_of(interface).mac
    return _PREFIX + bytes([mac[0] ^ 2]) + mac[1:3] + b"\xff\xfe" + mac[3:]
