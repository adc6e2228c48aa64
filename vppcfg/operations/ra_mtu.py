"""Finds router advertisements that name an old MTU: VPP takes it when IPv6 comes up, and follows no later change."""

from __future__ import annotations

from vppcfg.model.interface import Interface
from vppcfg.model.state import State


def stale_ra_mtu(before: Interface, after: Interface, observed: State, desired: State) -> tuple[int, int] | None:
    """Return the MTU that router advertisements name of an interface, and the one to be named; None where they agree.

    They agree where none are to be sent.
    """
    if not (after.is_advertising and before.is_ipv6_on):
        return None
    advertised, mtu = before.ra_mtu or before.ipv6_mtu, _new_ipv6_mtu(before, after, observed, desired)
    return None if advertised == mtu else (advertised, mtu)


def _new_ipv6_mtu(before: Interface, after: Interface, observed: State, desired: State) -> int:
    """Return the IPv6 MTU in bytes of an interface in the end.

    A sub-interface that is to have its parent's MTU keeps one of its own that is the same, unless the link MTU changes.
    """
    if after.packet_mtu or after.parent is None or after.protocol_mtus[1]:
        return after.ipv6_mtu
    parent, mtu = observed.interfaces.get(after.parent), desired.interfaces[after.parent]
    is_kept = before.packet_mtu == desired.packet_mtu(after.name)
    is_kept &= parent is not None and parent.link_mtu == mtu.link_mtu
    return before.packet_mtu if is_kept and before.packet_mtu else after.ipv6_mtu
