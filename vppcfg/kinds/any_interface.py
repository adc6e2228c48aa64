"""What any interface has: admin state, MAC, tag, threads of queues, link and packet MTUs; the steps that set them.

A change of the link MTU overwrites the packet MTU of the port and of every sub-interface on it (vnet/interface.c),
so that all of them are written again. Children shrink before their parents and grow after them, as Linux requires.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.engine.kind import Kind
from vppcfg.entries.index import Index
from vppcfg.kinds import virtual_interface_rules
from vppcfg.kinds.bond import rules as bond_rules
from vppcfg.kinds.interface import (
    SetAdminState,
    SetLinkMtu,
    SetMac,
    SetPacketMtu,
    SetRxMode,
    SetRxPlacement,
    SetTag,
    SetTxPlacement,
)
from vppcfg.kinds.interface_values import values_set
from vppcfg.model.interface import Interface, InterfaceKind, RxMode, must_be_down_for_link_mtu, usual_rx_mode
from vppcfg.model.kinds import as_created, sub_interface_as_created
from vppcfg.model.placement import moved
from vppcfg.model.problem import Problem, Severity
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition

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


_NEW_SUB_INTERFACE = sub_interface_as_created("", "", 0, None)
"""Has the MTUs of any new sub-interface, and is down as they are."""


def _steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that shut a doomed interface, mark a new one, and set what one that stays has of this."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    if before is not None and name in transition.to_delete and before.is_up:
        yield _admin_state(Stage.SHUT, before, is_up=False)
    if after is None:
        return
    kept = transition.kept(name)
    yield from _state(transition, kept, after)
    current = _mac_at_creation(after) if kept is None else "" if name in transition.leaving else kept.mac
    if after.mac not in ("", current):
        yield Step(stage=Stage.SET_MAC, operation=SetMac(interface=name, mac=after.mac))
    is_port = after.kind is InterfaceKind.PHYSICAL
    if is_port and after.rx_mode not in (kept.rx_mode if kept is not None else None, RxMode.MIXED):
        mode = after.rx_mode or usual_rx_mode(after.device_class)
        yield Step(stage=Stage.SET_RX_MODE, operation=SetRxMode(interface=name, mode=mode))
    if kept is not None and (after.rx_placement or after.tx_placement):
        yield from _placement(kept, after)
    if after.tag != (kept.tag if kept else ""):
        stage = Stage.TAG if kept else Stage.MARK
        yield Step(stage=stage, operation=SetTag(interface=name, tag=after.tag), depth=after.depth)


def _placement(kept: Interface, after: Interface) -> Iterator[Step]:
    """Yield the steps that give queues to other threads; no thread is without a queue to send by meanwhile."""
    name = kept.name
    for _, desired in moved(kept.rx_placement, after.rx_placement):
        (thread,) = desired.threads
        operation = SetRxPlacement(interface=name, queue=desired.queue, thread=thread)
        yield Step(stage=Stage.PLACE_RX_QUEUE, operation=operation)
    for former, desired in moved(kept.tx_placement, after.tx_placement):
        shared = tuple(sorted({*former.threads, *desired.threads}))
        if shared not in (former.threads, desired.threads):
            sharing = SetTxPlacement(interface=name, queue=desired.queue, threads=shared)
            yield Step(stage=Stage.SHARE_TX_QUEUE, operation=sharing)
        stage = Stage.SHARE_TX_QUEUE if shared == desired.threads else Stage.PLACE_TX_QUEUE
        yield Step(stage=stage, operation=SetTxPlacement(interface=name, queue=desired.queue, threads=desired.threads))


def _state(transition: Transition, kept: Interface | None, after: Interface) -> Iterator[Step]:
    if kept is None:
        was_up = _is_born_up(after)
    else:
        stays_down = _is_shut_for_link_mtu(kept, after) and not _is_cycled(transition, kept, after)
        was_up = kept.is_up and not stays_down
    if after.is_up != was_up:
        stage = Stage.ADMIN_UP if after.is_up else Stage.ADMIN_DOWN
        stage = Stage.MEMBER_STATE if after.name in transition.desired_members else stage
        yield _admin_state(stage, after, is_up=after.is_up)


def _mac_at_creation(interface: Interface) -> str:
    """Return the MAC that an interface is made with; tunnels and TAPs are made with one of VPP's choice."""
    return interface.mac if interface.kind in (InterfaceKind.LOOPBACK, InterfaceKind.BOND) else ""


def _is_born_up(interface: Interface) -> bool:
    return interface.parent is None and as_created(interface.name, interface.kind).is_up


def _admin_state(stage: Stage, interface: Interface, *, is_up: bool) -> Step:
    operation = SetAdminState(interface=interface.name, is_up=is_up)
    return Step(stage=stage, operation=operation, depth=interface.depth)


def _mtu_steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that set the link MTU of a port, and the packet MTU of it and of what it overwrites."""
    after = transition.desired.interfaces.get(name)
    if after is None:
        return
    current = _current(transition, after)
    if _changes_link_mtu(current, after):
        yield from _link_mtu(transition, current, after)
    elif not _is_overwritten(transition, after):
        yield from _packet_mtu(transition, current, after)


def _current(transition: Transition, after: Interface) -> Interface:
    """Return the interface as it is before its MTUs are set: as observed, or as it was just made."""
    kept = transition.kept(after.name)
    if kept is not None:
        return kept
    if after.parent is not None:
        return _NEW_SUB_INTERFACE
    return as_created(after.name, after.kind, transition.desired.virtual.get(after.name))


def _changes_link_mtu(current: Interface, after: Interface) -> bool:
    """Return whether a port gets another link MTU."""
    return after.link_mtu is not None and current.link_mtu != after.link_mtu


def _is_shut_for_link_mtu(current: Interface, after: Interface) -> bool:
    """Return whether the port must be down while its link MTU changes."""
    return _changes_link_mtu(current, after) and current.is_up and must_be_down_for_link_mtu(current)


def _link_mtu(transition: Transition, current: Interface, after: Interface) -> Iterator[Step]:
    assert after.link_mtu is not None
    if _is_cycled(transition, current, after):
        yield from _cycle(transition, after, after.link_mtu)
        return
    if _is_shut_for_link_mtu(current, after):
        shut = SetAdminState(interface=after.name, is_up=False)
        yield Step(stage=Stage.SHUT_FOR_LINK_MTU, operation=shut)
    yield Step(stage=Stage.LINK_MTU, operation=SetLinkMtu(interface=after.name, mtu=after.link_mtu))
    yield _set_packet_mtu(after, after.link_mtu, after.packet_mtu)
    for name in transition.desired_children.get(after.name, []):
        child = transition.desired.interfaces[name]
        mtu = child.packet_mtu if transition.kept(name) is not None else transition.desired.packet_mtu(name)
        yield _set_packet_mtu(child, after.link_mtu, mtu)


def _is_cycled(transition: Transition, current: Interface, after: Interface) -> bool:
    """Return whether a port is down for its link MTU only until the next member of its bond has its turn."""
    return after.is_up and after.name in transition.staying_members and _is_shut_for_link_mtu(current, after)


def _cycle(transition: Transition, after: Interface, link_mtu: int) -> Iterator[Step]:
    """Yield the steps for one member; it has no sub-interfaces."""
    name = after.name
    for operation in (
        SetAdminState(interface=name, is_up=False),
        SetLinkMtu(interface=name, mtu=link_mtu),
        SetPacketMtu(interface=name, mtu=after.packet_mtu, protocol_mtus=after.protocol_mtus),
        SetAdminState(interface=name, is_up=True, bond=transition.staying_members[name]),
    ):
        yield Step(stage=Stage.LINK_MTU_OF_MEMBER, operation=operation)


def _is_overwritten(transition: Transition, interface: Interface) -> bool:
    """Return whether the interface is on a port whose link MTU changes; its packet MTU is set along with that."""
    if interface.parent is None:
        return False
    parent = transition.desired.interfaces[interface.parent]
    return _changes_link_mtu(_current(transition, parent), parent)


def _packet_mtu(transition: Transition, current: Interface, after: Interface) -> Iterator[Step]:
    if _differs(transition, current, after):
        parent = transition.observed.interfaces.get(after.parent or "")
        in_force = current.packet_mtu or (parent.packet_mtu if parent else 0)
        wanted = after.packet_mtu if after.parent is None else transition.desired.packet_mtu(after.name)
        yield _set_packet_mtu(after, in_force, wanted)


def _differs(transition: Transition, current: Interface, after: Interface) -> bool:
    """Return whether an interface must be given its packet MTU.

    A sub-interface that is new always is: without one of its own, VPP routes packets of up to 9000 bytes out of it,
    whatever its port takes (vnet_sw_interface_get_mtu in vnet/interface_funcs.h). What is kept without any, and
    what is no sub-interface, stays so when that is wanted.
    """
    if current.protocol_mtus != after.protocol_mtus:
        return True
    if after.packet_mtu == 0 and (after.parent is None or transition.kept(after.name) is not None):
        return current.packet_mtu not in (0, transition.desired.packet_mtu(after.name))
    return current.packet_mtu != transition.desired.packet_mtu(after.name)


def _set_packet_mtu(interface: Interface, current: int, mtu: int) -> Step:
    stage = Stage.SHRINK_PACKET_MTU if mtu < current else Stage.GROW_PACKET_MTU
    operation = SetPacketMtu(interface=interface.name, mtu=mtu, protocol_mtus=interface.protocol_mtus)
    return Step(stage=stage, operation=operation, depth=interface.depth)


class AnyInterface(Kind):
    """What any interface has, whatever it is for."""

    key = "interfaces"
    operations = (
        SetAdminState,
        SetLinkMtu,
        SetMac,
        SetPacketMtu,
        SetRxMode,
        SetRxPlacement,
        SetTag,
        SetTxPlacement,
    )
    on_interfaces = (
        "is_up",
        "mac",
        "tag",
        "rx_mode",
        "rx_placement",
        "tx_placement",
        "link_mtu",
        "packet_mtu",
        "protocol_mtus",
    )
    is_on_most = True
    rules = (*RULES, *virtual_interface_rules.RULES, *bond_rules.RULES)

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps for state, MAC, queues and tag, and then those for MTUs."""
        yield from _steps(transition, name)
        yield from _mtu_steps(transition, name)


KIND = AnyInterface()
