"""Finds addresses that VPP has put on interfaces by itself: by DHCP, DHCPv6, stateless autoconfiguration and VRRP.

VRRP adds the addresses of a virtual router in accept mode while it is the master, with the length of the prefix that
the interface has already, else /24 or /64 (vrrp_vr_transition_addrs in plugins/vrrp/vrrp.c). Only the CLI shows DHCPv6:
addresses of clients are /64 (plugins/dhcp/dhcp6_ia_na_client_cp.c), those in delegated prefixes have what was typed
below the prefix (cp_ip6_construct_address in plugins/dhcp/dhcp6_pd_client_cp.c). Nothing shows autoconfiguration: its
addresses are known by their form, a /64 with the MAC address of the port in it (vnet/ip6-nd/rd_cp.c). The releases from
23.06 to 26.10 do all of this alike.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from vppcfg.common.addresses import address_key, link_local_of
from vppcfg.kinds import dhcp_client
from vppcfg.model.live import LiveAddress, LiveSource
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.vpp.connection import Connection
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies
from vppcfg.wire.shell import Shown

_VRRP, _VRRP_DETAILS = "vrrp_vr_dump", "vrrp_vr_details"
_VIRTUAL_ROUTER = ("config.sw_if_index", "config.priority", "config.flags", "runtime.state")
_ACCEPTS, _MASTER, _OWNER = 2, 2, 255
"""VRRP_API_VR_ACCEPT, VRRP_API_VR_STATE_MASTER (plugins/vrrp/vrrp.api); the owner has the addresses anyway."""
_DHCP6 = "dhcp6_client_enable_disable"
_CLIENTS, _LEASES = "show dhcp6 clients", "show dhcp6 addresses"
_SUFFIXES, _PREFIXES = "show ip6 addresses", "show ip6 prefixes"
_CLIENT = re.compile(r"^sw_if_index: (\d+)", re.M)
_LEASE = re.compile(r"^address: ([0-9a-f:.]+), ", re.M)
_SUFFIX = re.compile(r"^sw_if_index: (\d+), prefix_group: (.*), address: ([0-9a-f:.]+)/(\d+)\s*$", re.M)
_PREFIX = re.compile(r"prefix: ([0-9a-f:.]+)/(\d+), prefix group: (.*), preferred lifetime: ", re.M)
"""In the order of the four commands (plugins/dhcp/dhcp6_ia_na_client_cp.c and dhcp6_pd_client_cp.c)::

    sw_if_index: 1, T1: 1800 (1790 remaining), T2: 2880 (2870 remaining), server index: 2
    address: 2001:db8::5, preferred lifetime: 3600, valid lifetime: 7200 (7190.000000 remaining)
    sw_if_index: 1, prefix_group: g, address: ::1/64
    opaque_data: 1, prefix: 2001:db8:1::/56, prefix group: g, preferred lifetime: 3600, valid lifetime: 7200 (...)
"""
_HALF = 64
_LOW = (1 << _HALF) - 1
_MIDDLE = "ff:fe"
"""What stands in the middle of an interface identifier that is made of a MAC address."""

Found = dict[int, dict[str, LiveSource]]
"""Addresses by the index of their interface."""


def requests(connection: Connection) -> list[bytes]:
    """Return the requests of the second round for virtual routers and leases; their kinds have those of the first."""
    return [*router_requests(connection), *dhcp_client.KIND.requests(connection)]


def router_requests(connection: Connection) -> list[bytes]:
    """Return the request for all virtual routers."""
    return [connection.request(_VRRP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_VRRP) else []


def commands(connection: Connection, with_ipv6: Collection[int]) -> list[str]:
    """Return the commands that show DHCPv6, where there are any interfaces `with_ipv6`."""
    return [_CLIENTS, _LEASES, _SUFFIXES, _PREFIXES] if with_ipv6 and connection.offers(_DHCP6) else []


def without_leases(
    connection: Connection, rounds: Sequence[Replies], addresses: Mapping[int, tuple[str, ...]]
) -> dict[int, tuple[str, ...]]:
    """Return the addresses of interfaces without those that DHCPv4 clients had in any round of questions."""
    left = dict(addresses)
    for index, leased in dhcp_client.leases(connection, rounds).items():
        left[index] = tuple(address for address in left.get(index, ()) if address not in leased)
    return left


def read(
    connection: Connection,
    rounds: Sequence[Replies],
    shown: Shown,
    addresses: Mapping[int, tuple[str, ...]],
    macs: Callable[[], Mapping[int, bytes]],
) -> dict[int, tuple[LiveAddress, ...]]:
    """Return the live addresses of interfaces by index, of those that they have, and the leases beside them.

    `macs` returns the MAC address of the port of each interface.
    """
    found: Found = {}
    for index, leased in dhcp_client.leases(connection, rounds).items():
        found.setdefault(index, {}).update(dict.fromkeys(leased, LiveSource.DHCP))
    for index, address, source in (
        *_autoconfigured(addresses, macs),
        *_of_dhcpv6(shown, addresses),
        *_of_virtual_routers(connection, rounds, addresses),
    ):
        found.setdefault(index, {})[address] = source
    return {
        index: tuple(LiveAddress(address=each, source=named[each]) for each in sorted(named, key=address_key))
        for index, named in found.items()
    }


def read_virtual(
    connection: Connection, rounds: Sequence[Replies], addresses: Mapping[int, tuple[str, ...]]
) -> dict[int, frozenset[str]]:
    """Return those addresses of interfaces by index that VRRP has put there."""
    found: dict[int, set[str]] = {}
    for index, address, _ in _of_virtual_routers(connection, rounds, addresses):
        found.setdefault(index, set()).add(address)
    return {index: frozenset(virtual) for index, virtual in found.items()}


def _of_virtual_routers(
    connection: Connection, rounds: Sequence[Replies], addresses: Mapping[int, tuple[str, ...]]
) -> Iterator[tuple[int, str, LiveSource]]:
    """Yield the addresses of masters; one that ceased to be master meanwhile was it in the round before."""
    for replies in rounds if connection.offers(_VRRP) else ():
        for (index, priority, flags, state), hosts in connection.lists(
            replies, _VRRP_DETAILS, _VIRTUAL_ROUTER, "af", "un"
        ):
            if state != _MASTER or not flags & _ACCEPTS or priority == _OWNER:
                continue
            virtual = {text_of_address(family, raw) for family, raw in hosts}
            for address in addresses.get(index, ()):
                if address.partition("/")[0] in virtual:
                    yield index, address, LiveSource.VRRP


def _autoconfigured(
    addresses: Mapping[int, tuple[str, ...]], macs: Callable[[], Mapping[int, bytes]]
) -> Iterator[tuple[int, str, LiveSource]]:
    """Yield the addresses that have the form of those that stateless autoconfiguration makes."""
    likely = [(index, each) for index, known in addresses.items() for each in known if _MIDDLE in each]
    made = {index: _identifier(mac) for index, mac in macs().items() if any(mac)} if likely else {}
    for index, address in likely:
        key = address_key(address)
        if (key.family, key.length) == (6, _HALF) and made.get(index) == key.value & _LOW:
            yield index, address, LiveSource.SLAAC


def _identifier(mac: bytes) -> int:
    """Return the interface identifier that VPP makes of a MAC address: that of the link-local address, too."""
    return int.from_bytes(socket.inet_pton(socket.AF_INET6, link_local_of(mac.hex(":")))) & _LOW


def _of_dhcpv6(shown: Shown, addresses: Mapping[int, tuple[str, ...]]) -> Iterator[tuple[int, str, LiveSource]]:
    """Yield the addresses that DHCPv6 clients lease, and those in prefixes that were delegated."""
    clients = {int(index) for index in _CLIENT.findall(_text(shown, _CLIENTS))}
    leased = {_value(host) for host in _LEASE.findall(_text(shown, _LEASES))} if clients else set()
    prefixes: dict[str, list[tuple[int, int]]] = {}
    for host, length, group in _PREFIX.findall(_text(shown, _PREFIXES)):
        prefixes.setdefault(group, []).append((_value(host), int(length)))
    typed = [
        (int(index), _composed(_value(host), prefix, width), int(length))
        for index, group, host, length in _SUFFIX.findall(_text(shown, _SUFFIXES))
        for prefix, width in prefixes.get(group, ())
    ]
    for index in {*clients, *(index for index, _, _ in typed)}:
        wanted = {(value, length) for place, value, length in typed if place == index}
        wanted |= {(value, _HALF) for value in leased} if index in clients else set()
        for address in addresses.get(index, ()):
            key = address_key(address)
            if key.family == 6 and (key.value, key.length) in wanted:
                yield index, address, LiveSource.DHCPV6


def _composed(typed: int, prefix: int, width: int) -> int:
    """Return the address that VPP makes of one that was typed, and of the first `width` bits of a prefix."""
    mask = (1 << (2 * _HALF - width)) - 1
    return prefix & ~mask | typed & mask


def _value(host: str) -> int:
    try:
        return int.from_bytes(socket.inet_pton(socket.AF_INET6, host))
    except OSError:
        return 0  # what VPP printed is no address: none that an interface has


def _text(shown: Shown, line: str) -> str:
    """Return what a command printed, nothing where it was not run or is not known."""
    code, text = shown.get(line, (0, ""))
    return "" if code else text.replace("\r", "")
