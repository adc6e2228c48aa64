"""What linux-cp's lcp-sync does to VPP itself when state or MTU of an interface change (lcp_interface_sync.c).

Linux's own MTU, state and addresses cannot be seen through VPP's API and are not kept.
"""

from __future__ import annotations

from vppcfg.simulator.tables import Pair, SwInterface, Tables


def admin_state_changed(tables: Tables, interface: SwInterface) -> None:
    """Bring a pair, or all pairs on a port that has one, in line after a change of state."""
    if tables.lcp.is_sync and interface.index in tables.lcp.by_phy:
        _sync_from(tables, interface)


def mtu_changed(tables: Tables, interface: SwInterface) -> None:
    """Bring a pair, or all pairs on a port, in line after a change of MTU."""
    if tables.lcp.is_sync:
        _sync_from(tables, interface)


def sync_all(tables: Tables) -> None:
    """Bring all pairs in line, as switching lcp-sync on does."""
    for pair in list(tables.lcp.pairs):
        _sync(tables, pair)


def _sync_from(tables: Tables, interface: SwInterface) -> None:
    indexes = [interface.index]
    if not interface.is_sub:
        indexes += tables.hw_of(interface).sub_interfaces.values()
    for index in indexes:
        if index in tables.lcp.by_phy:
            _sync(tables, tables.lcp.pairs[tables.lcp.by_phy[index]])


def _sync(tables: Tables, pair: Pair) -> None:
    """Give the interface and its host side one MTU that Linux can take: its parent's at most, never 0."""
    interface = tables.sw.get(pair.phy)
    if interface is None:
        return
    parent_mtu = tables.parent_of(interface).mtus[0]
    mtu = min(interface.mtus[0] or parent_mtu, parent_mtu)
    for index in (pair.phy, pair.host):
        side = tables.sw.get(index)
        if side is not None and side.mtus[0] != mtu:
            side.mtus[0] = mtu
            mtu_changed(tables, side)
