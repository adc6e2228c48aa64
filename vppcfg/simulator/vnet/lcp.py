"""LCP pairs: host TAPs and their sub-interfaces made, deleted and orphaned (plugins/linux-cp/lcp_interface.c)."""

from __future__ import annotations

from contextlib import suppress

from vppcfg.record import record
from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.linux_side import Device
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Flag, Pair, SwInterface, Tables
from vppcfg.simulator.vnet import address, mpls, sub_interface, tap
from vppcfg.simulator.wire import NONE

_MAX_NAME = 15
_PUNCTUATION = frozenset("-_%@:.")
_DEFAULT_HOST_MTU = 9216
"""ETHERNET_MAX_PACKET_BYTES, where the interface has no packet MTU."""
_TUN = 16
"""TAP_API_FLAG_TUN (plugins/tap/tapv2.api)."""


@record
class Wish:
    """The pair that is asked for."""

    host_name: str
    netns: str = ""
    is_tun: bool = False


def create(tables: Tables, phy_index: int, wish: Wish) -> Pair:
    """Pair an interface with a Linux device; raise RefusedError with VPP's code (lcp_itf_pair_create)."""
    if tables.release.is_in("24.02-") and phy_index in tables.lcp.by_phy:
        raise RefusedError(Retval.VALUE_EXIST)
    phy = interface.require(tables, phy_index)
    if not _is_valid(wish.host_name):
        raise RefusedError(Retval.INVALID_ARGUMENT)
    if not tables.hw_of(phy).is_ethernet and not wish.is_tun:
        raise RefusedError(Retval.INVALID_ARGUMENT)
    netns = wish.netns or tables.lcp.default_netns
    if phy.is_sub:
        device, host = _create_host_sub_interface(tables, phy, wish.host_name, netns)
    else:
        device, host = _create_host_tap(tables, phy, wish, netns)
    pair = _keep(tables, phy, host, device, Wish(host_name=wish.host_name, netns=netns, is_tun=wish.is_tun))
    if tables.parent_of(host).is_up or not host.is_sub:
        interface.set_admin_state(tables, host, True)
    mpls.pair_created(tables, phy.index)
    return pair


def _keep(tables: Tables, phy: SwInterface, host: SwInterface, device: Device, wish: Wish) -> Pair:
    def pair_at(index: int) -> Pair:
        return Pair(
            index=index,
            phy=phy.index,
            host=host.index,
            host_name=wish.host_name,
            vif_index=device.index,
            is_tun=wish.is_tun,
            netns=wish.netns,
        )

    pair = tables.lcp.pairs.add(pair_at)
    tables.lcp.by_phy[phy.index] = pair.index
    return pair


def _create_host_tap(tables: Tables, phy: SwInterface, wish: Wish, netns: str) -> tuple[Device, SwInterface]:
    mtu = phy.mtus[0]
    wanted = tap.Wish(
        number=NONE if tables.release.is_in("24.10-") else phy.hw_index,
        first_number=4096,
        host_name=wish.host_name,
        netns=netns,
        host_mac=bytes(6) if wish.is_tun else tables.hw_of(phy).mac,
        host_mtu=mtu,
        flags=_TUN if wish.is_tun else 0,
    )
    return tap.create(tables, wanted, mtu or _DEFAULT_HOST_MTU)


def _create_host_sub_interface(
    tables: Tables, phy: SwInterface, host_name: str, netns: str
) -> tuple[Device, SwInterface]:
    try:
        address.check_addressable(tables, phy)
    except RefusedError:
        raise RefusedError(Retval.INVALID_ARGUMENT) from None
    parent = _pair_of(tables, phy.sup_index)
    if parent is None:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    if not tables.linux.has(netns):
        raise RefusedError(Retval.UNSPECIFIED)
    device = tables.linux.device(netns, host_name) or _create_vlan(tables, phy, host_name, netns, parent)
    host = sub_interface.template_for(
        parent.host, phy.sub_id, phy.flags, outer_vlan=phy.outer_vlan, inner_vlan=phy.inner_vlan
    )
    if not tables.sw.has(parent.host) or (parent.host, phy.sub_id) in tables.children:
        raise RefusedError(Retval.INVALID_ARGUMENT)
    try:
        return device, sub_interface.create(tables, host)
    except RefusedError:
        raise RefusedError(Retval.INVALID_ARGUMENT) from None


def _create_vlan(tables: Tables, phy: SwInterface, host_name: str, netns: str, parent: Pair) -> Device:
    """Make the VLAN device, on the device of the one-tag sub-interface when there are two tags."""
    is_dot1ad = bool(phy.flags & Flag.DOT1AD)
    linux_parent: Pair | None = parent
    vlan = (phy.outer_vlan, is_dot1ad)
    if phy.inner_vlan:
        linux_parent = _pair_by_outer_vlan(tables, phy, is_dot1ad)
        vlan = (phy.inner_vlan, False)
    device = linux_parent and tables.linux.add_vlan(netns, host_name, linux_parent.vif_index, *vlan)
    if not device:
        raise RefusedError(Retval.INVALID_ARGUMENT)
    return device


def _pair_by_outer_vlan(tables: Tables, phy: SwInterface, is_dot1ad: bool) -> Pair | None:
    for index in tables.hw_of(phy).sub_interfaces.values():
        sub = tables.sw.get(index)
        is_match = sub is not None and sub.inner_vlan == 0 and sub.outer_vlan == phy.outer_vlan
        if is_match and sub is not None and bool(sub.flags & Flag.DOT1AD) == is_dot1ad:
            return _pair_of(tables, index)
    return None


def _pair_of(tables: Tables, phy_index: int) -> Pair | None:
    index = tables.lcp.by_phy.get(phy_index)
    return None if index is None else tables.lcp.pairs[index]


def delete(tables: Tables, phy_index: int) -> None:
    """Delete the pair of an interface and its Linux device; raise RefusedError when there is none.

    Pairs on sub-interfaces stay, without a host interface, when the pair of their parent goes. Deleting such an
    orphan deletes whatever interface has its host's index by then: VPP does not look.
    """
    pair = _pair_of(tables, phy_index)
    if pair is None:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    del tables.lcp.by_phy[phy_index]
    tables.lcp.pairs.remove(pair.index)
    host = tables.sw.stale(pair.host)
    if host is not None and host.is_sub:
        tables.linux.remove(pair.netns, pair.host_name)
        if tables.sw.has(pair.host):
            sub_interface.delete(tables, pair.host)
    else:
        with suppress(RefusedError):
            tap.delete(tables, pair.host)


def interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Delete the pair of an interface that goes away."""
    if sw_if_index in tables.lcp.by_phy:
        delete(tables, sw_if_index)


def sub_interface_created(tables: Tables, sw_if_index: int) -> None:
    """With lcp-auto-subint, pair a new sub-interface when its parent has a pair; a failure goes unnoticed."""
    sub = tables.sw[sw_if_index]
    parent = _pair_of(tables, sub.sup_index)
    if not tables.lcp.is_auto_subint or parent is None:
        return
    try:
        create(tables, sub.index, Wish(host_name=f"{parent.host_name}.{sub.sub_id}", netns=parent.netns))
    except RefusedError:
        return


def has_host(tables: Tables, pair: Pair) -> bool:
    """Return whether the host interface of a pair is still there."""
    return pair.host != NONE and tables.sw.has(pair.host)


def _is_valid(name: str) -> bool:
    return len(name) <= _MAX_NAME and all((c.isalnum() and c.isascii()) or c in _PUNCTUATION for c in name)


def create_orphan(tables: Tables, phy_index: int, host_name: str, netns: str) -> None:
    """Keep a pair whose host sub-interface is gone, as the deletion of its parent's pair leaves it."""
    gone = tables.sw.add(lambda index: SwInterface(index=index, sup_index=0, is_sub=True))
    tables.sw.remove(gone.index)
    device = Device(name=host_name, index=0)
    _keep(tables, tables.sw[phy_index], gone, device, Wish(host_name=host_name, netns=netns))
