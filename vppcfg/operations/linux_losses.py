"""What Linux takes away from a device of an LCP pair or TAP that stays: with an address, its state, or its MTU.

Of the IPv4 addresses of one network on a device the first is the primary one. With it go the others, unless the device
has `promote_secondaries` (net/ipv4/devinet.c, __inet_del_ifa), and routes with that address as source. With the last
address of the device go all of its routes and neighbours (net/ipv4/fib_frontend.c, fib_disable_ip). A device that goes
down loses routes, neighbours and IPv6 addresses; one whose MTU becomes too small for IPv6, all that is IPv6
(net/ipv6/addrconf.c, addrconf_ifdown).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from socket import AF_INET6

from vppcfg.common.addresses import address_key
from vppcfg.model.interface import Interface
from vppcfg.model.iproute2 import needed_hosts, subnet_of
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.linux_setting import OF_INTERFACE, LinuxKind, LinuxSetting


def is_followed(pair: LcpPair | None, settings: LcpSettings) -> bool:
    """Return whether the addresses of an interface follow into Linux, onto the device of its pair (lcp-sync)."""
    return pair is not None and pair.has_host and settings.is_sync


def secondaries(interface: Interface, going: Collection[str]) -> frozenset[str]:
    """Return the IPv4 addresses that stay, and that Linux takes away with those `going`, which stand before them."""
    primaries: dict[tuple[int, int], str] = {}
    found = set()
    for address in interface.in_order:
        network = _network_of(address)
        if network is not None and primaries.setdefault(network, address) in going and address not in going:
            found.add(address)
    return frozenset(found)


def shares_network(address: str, others: Iterable[str]) -> bool:
    """Return whether an IPv4 address is in the same network, of the same length, as one of others."""
    network = _network_of(address)
    return network is not None and network in map(_network_of, others)


def _network_of(address: str) -> tuple[int, int] | None:
    """Return the network of an IPv4 address and its length, None of an IPv6 address."""
    key = address_key(address)
    return (key.network, key.length) if key.family == 4 else None


Carries = Callable[[str, LinuxSetting], bool]
"""Whether Linux still has next hops of a route over the device of an interface, by its name."""


def goes_with(setting: LinuxSetting, address: str, left: Collection[str], carries: Carries) -> bool:
    """Return whether Linux takes a setting away with an address of its device, where those `left` stay.

    A route of IPv6 stays, without its source (net/ipv6/route.c, fib6_remove_prefsrc).
    """
    is_ipv6 = ":" in address
    if (setting.family == AF_INET6) is not is_ipv6:
        return False
    if setting.kind is LinuxKind.ADDRESS:
        return shares_network(address, [subnet_of(setting)]) and not shares_network(address, left)
    if setting.kind is LinuxKind.ROUTE and address.partition("/")[0] in needed_hosts(setting):
        return True
    is_last = not is_ipv6 and all(":" in each for each in left)
    return is_last and _goes_with_device(setting, carries)


def outlasts(setting: LinuxSetting, gone: Collection[str], *, keeps_ipv4: bool) -> bool:
    """Return whether a route by a gateway stays when the addresses `gone` leave its device, in whatever order.

    They are those that a plan removes and their secondaries; with `keeps_ipv4` the device keeps another IPv4 address.
    """
    if setting.kind is not LinuxKind.ROUTE or setting.hops:
        return False
    hosts = needed_hosts(setting)
    if not hosts or any(address.partition("/")[0] in hosts for address in gone):
        return False
    return setting.family == AF_INET6 or keeps_ipv4 or all(":" in address for address in gone)


def is_lost_by_state(setting: LinuxSetting, carries: Carries) -> bool:
    """Return whether Linux has lost a setting of a device that has gone down."""
    if setting.kind is LinuxKind.ADDRESS:
        return setting.family == AF_INET6
    return _goes_with_device(setting, carries)


def _goes_with_device(setting: LinuxSetting, carries: Carries) -> bool:
    """Return whether a setting is a neighbour, or a route without a next hop over another device that carries it.

    The next hops that it lost come back to it (net/ipv4/fib_semantics.c, fib_sync_down_dev and fib_sync_up;
    net/ipv6/route.c, fib6_ifdown). Devices that belong to no interface are none of ours.
    """
    if setting.kind is LinuxKind.ROUTE:
        ways = {hop.device for hop in setting.hops}
        return all(
            way.startswith(OF_INTERFACE) and not carries(way.removeprefix(OF_INTERFACE), setting) for way in ways
        )
    return setting.kind is LinuxKind.NEIGHBOR


def needs_ipv6(setting: LinuxSetting) -> bool:
    """Return whether Linux has a setting only as long as the MTU of its device is large enough for IPv6."""
    return setting.family == AF_INET6
