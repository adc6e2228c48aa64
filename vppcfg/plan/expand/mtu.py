"""Link and packet MTUs.

A change of the link MTU overwrites the packet MTU of the port and of every sub-interface on it (vnet/interface.c),
so that all of them are written again. Children shrink before their parents and grow after them, as Linux wants it.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.device import LINK_MTU_WHILE_UP
from vppcfg.model.interface import Interface
from vppcfg.plan.diff import InterfaceChange
from vppcfg.plan.operations import SetAdminState, SetLinkMtu, SetPacketMtu
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, change: InterfaceChange) -> Iterator[Step]:
    """Yield the steps that set the link MTU of a port, and the packet MTU of it and of what it overwrites."""
    after = change.after
    if after is None:
        return
    kept = transition.kept(change.name)
    if kept is not None and changes_link_mtu(kept, after):
        yield from _link_mtu(transition, kept, after)
    elif not _is_overwritten(transition, after):
        yield from _packet_mtu(transition, after)


def changes_link_mtu(kept: Interface, after: Interface) -> bool:
    """Return whether a port that stays gets another link MTU."""
    return after.link_mtu is not None and kept.link_mtu != after.link_mtu


def is_shut_for_link_mtu(kept: Interface, after: Interface) -> bool:
    """Return whether the port must be down while its link MTU changes."""
    return changes_link_mtu(kept, after) and kept.is_up and kept.device_class not in LINK_MTU_WHILE_UP


def _link_mtu(transition: Transition, kept: Interface, after: Interface) -> Iterator[Step]:
    assert after.link_mtu is not None
    if is_shut_for_link_mtu(kept, after):
        shut = SetAdminState(interface=after.name, is_up=False)
        yield Step(stage=Stage.SHUT_FOR_LINK_MTU, operation=shut)
    yield Step(stage=Stage.LINK_MTU, operation=SetLinkMtu(interface=after.name, mtu=after.link_mtu))
    yield _set_packet_mtu(after, after.link_mtu, after.packet_mtu)
    for name in transition.desired_children.get(after.name, []):
        child = transition.desired.interfaces[name]
        yield _set_packet_mtu(child, after.link_mtu, child.packet_mtu)


def _is_overwritten(transition: Transition, interface: Interface) -> bool:
    """Return whether the interface is on a port whose link MTU changes; its packet MTU is set along with that."""
    if interface.parent is None:
        return False
    kept = transition.kept(interface.parent)
    return kept is not None and changes_link_mtu(kept, transition.desired.interfaces[interface.parent])


def _packet_mtu(transition: Transition, after: Interface) -> Iterator[Step]:
    kept = transition.kept(after.name)
    if kept is None:
        current = 0 if after.parent is None else transition.observed.packet_mtu(after.parent)
        inherits = after.parent is not None and after.packet_mtu in (0, transition.desired.packet_mtu(after.parent))
        if not inherits or after.protocol_mtus != (0, 0, 0):
            yield _set_packet_mtu(after, current, after.packet_mtu)
    elif _differs(transition, kept, after):
        yield _set_packet_mtu(after, transition.observed.packet_mtu(after.name), after.packet_mtu)


def _differs(transition: Transition, kept: Interface, after: Interface) -> bool:
    if kept.protocol_mtus != after.protocol_mtus:
        return True
    if kept.packet_mtu == 0:
        return after.packet_mtu not in (0, transition.desired.packet_mtu(after.parent or after.name))
    return kept.packet_mtu != after.packet_mtu


def _set_packet_mtu(interface: Interface, current: int, mtu: int) -> Step:
    stage = Stage.SHRINK_PACKET_MTU if mtu < current else Stage.GROW_PACKET_MTU
    operation = SetPacketMtu(interface=interface.name, mtu=mtu, protocol_mtus=interface.protocol_mtus)
    return Step(stage=stage, operation=operation, depth=interface.depth)
