"""The steps that set link and packet MTUs.

A change of the link MTU overwrites the packet MTU of the port and of every sub-interface on it (vnet/interface.c),
so that all of them are written again. Children shrink before their parents and grow after them, as Linux requires.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.kinds.interface import SetAdminState, SetLinkMtu, SetPacketMtu
from vppcfg.model.interface import Interface, must_be_down_for_link_mtu
from vppcfg.model.kinds import as_created, sub_interface_as_created
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition

_NEW_SUB_INTERFACE = sub_interface_as_created("", "", 0, None)
"""Has the MTUs of any new sub-interface, and is down as they are."""


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that set the link MTU of a port, and the packet MTU of it and of what it overwrites."""
    after = transition.desired.interfaces.get(name)
    if after is None:
        return
    current = _current(transition, after)
    if changes_link_mtu(current, after):
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


def changes_link_mtu(current: Interface, after: Interface) -> bool:
    """Return whether a port gets another link MTU."""
    return after.link_mtu is not None and current.link_mtu != after.link_mtu


def is_shut_for_link_mtu(current: Interface, after: Interface) -> bool:
    """Return whether the port must be down while its link MTU changes."""
    return changes_link_mtu(current, after) and current.is_up and must_be_down_for_link_mtu(current)


def _link_mtu(transition: Transition, current: Interface, after: Interface) -> Iterator[Step]:
    assert after.link_mtu is not None
    if is_cycled(transition, current, after):
        yield from _cycle(transition, after, after.link_mtu)
        return
    if is_shut_for_link_mtu(current, after):
        shut = SetAdminState(interface=after.name, is_up=False)
        yield Step(stage=Stage.SHUT_FOR_LINK_MTU, operation=shut)
    yield Step(stage=Stage.LINK_MTU, operation=SetLinkMtu(interface=after.name, mtu=after.link_mtu))
    yield _set_packet_mtu(after, after.link_mtu, after.packet_mtu)
    for name in transition.desired_children.get(after.name, []):
        child = transition.desired.interfaces[name]
        mtu = child.packet_mtu if transition.kept(name) is not None else transition.desired.packet_mtu(name)
        yield _set_packet_mtu(child, after.link_mtu, mtu)


def is_cycled(transition: Transition, current: Interface, after: Interface) -> bool:
    """Return whether a port is down for its link MTU only until the next member of its bond has its turn."""
    return after.is_up and after.name in transition.staying_members and is_shut_for_link_mtu(current, after)


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
    return changes_link_mtu(_current(transition, parent), parent)


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
