"""Rules about an interface by itself: where its keys make sense, and what it may not have beside each other."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.entries.index import Index
from vppcfg.kinds.interface_values import values_set
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import Problem, Severity

_NOT_PORTS = frozenset(InterfaceKind) - {InterfaceKind.PHYSICAL, InterfaceKind.SUB_INTERFACE}


def device_type_on_created(index: Index) -> Iterator[Problem]:
    """Find a device-type, or a mode of its queues, on an interface that is no port."""
    for interface in index.interfaces:
        if interface.device_type is not None and interface.kind in _NOT_PORTS:
            text = f"{interface.name} is created by VPP and has no driver; remove `device-type`"
            yield Problem(rule="device-type-not-phy", path=(*interface.path, "device-type"), text=text)
        if interface.rx_mode is not None and interface.kind in _NOT_PORTS:
            text = f"{interface.name} is created by VPP and has no queues; remove `rx-mode`"
            yield Problem(rule="rx-mode-not-port", path=(*interface.path, "rx-mode"), text=text)


def l2_with_l3(index: Index) -> Iterator[Problem]:
    """Find LCPs and addresses on cross-connected interfaces: they would never see a packet."""
    for sources in index.sources.values():
        for interface in sources:
            if interface.lcp is not None:
                text = f"{interface.name} is cross-connected and cannot have an LCP; remove one of them"
                yield Problem(rule="l2-lcp", path=(*interface.path, "lcp"), text=text)
            if interface.addresses:
                text = f"{interface.name} is cross-connected and cannot have addresses; remove one of them"
                yield Problem(rule="l2-address", path=(*interface.path, "addresses"), text=text)


def l2_with_mpls(index: Index) -> Iterator[Problem]:
    """Find MPLS on interfaces that switch; labels are looked at in L3 mode only."""
    for interface in index.interfaces:
        if interface.has_mpls and (reason := index.why_switched(interface.name)):
            text = f"{interface.name} {reason} and cannot have `mpls`; remove one of them"
            yield Problem(rule="l2-mpls", path=(*interface.path, "mpls"), text=text)


def l2_with_routing(index: Index) -> Iterator[Problem]:
    """Find keys about routed packets on interfaces that switch: nothing would look at them."""
    for interface in index.interfaces:
        keys = [value for value, _ in values_set(interface) if value.is_routing]
        if keys and (reason := index.why_switched(interface.name)):
            for each in keys:
                text = f"{interface.name} {reason} and routes no packets for `{each.key}`; remove one of them"
                severity = Severity.WARNING if each.may_be_idle else Severity.ERROR
                yield Problem(rule="l2-routing", path=(*interface.path, each.key), text=text, severity=severity)


def description_altered(index: Index) -> Iterator[Problem]:
    """Find, once for the whole file, descriptions of which a tag of VPP does not hold every character."""
    altered = index.configuration.described_beyond_tags()
    for entry in altered[:1]:
        others = f", and {len(altered) - 1} more in part" if len(altered) > 1 else ""
        kept = index.configuration.kept_by_vpp(entry)
        text = f"VPP keeps the description of {entry.name} as `{kept}`{others}; file and journal keep the whole text"
        path = (*entry.path, "description")
        yield Problem(rule="description-altered", path=path, text=text, severity=Severity.NOTICE)


_ZERO = "00:00:00:00:00:00"


def mac_unfit(index: Index) -> Iterator[Problem]:
    """Find MAC addresses that no station may have (IEEE 802)."""
    for mac, path in index.configuration.macs():
        if mac == _ZERO:
            yield Problem(rule="mac-zero", path=path, text=f"{mac} is no address; take another one, or remove the key")
        elif int(mac[:2], 16) & 1:
            text = f"{mac} is a group address; the first byte of an interface's own is even"
            yield Problem(rule="mac-multicast", path=path, text=text)


RULES = (device_type_on_created, l2_with_l3, l2_with_mpls, l2_with_routing, description_altered, mac_unfit)
