"""Predicts what cross-connects and bridge domains do with frames, and with their VLAN tags on the way in and out.

A `Journey` collects the predicted way of one frame; a stage is how far it has got.

Sources: src/vnet/l2/l2_input.c, l2_fwd.c, l2_flood.c, l2_output.c, l2_vtr.h.
"""

from __future__ import annotations

from vppcfg.model.bridge import Bridge, bridge_name
from vppcfg.model.features import DELETED
from vppcfg.model.interface import Encapsulation, Interface, TagRewrite
from vppcfg.probe.filters import acl_denies, drops_station
from vppcfg.probe.frame import Frame, Tag
from vppcfg.probe.outcome import Blame, Reason, UndecidedError
from vppcfg.probe.rate_limits import police
from vppcfg.probe.stages import Journey, Leaves, Routed, Switched, of_bridge, of_interface, with_tags

_COUNTS = {1: (0, 1), 2: (0, 2), 3: (1, 0), 4: (2, 0), 5: (1, 1), 6: (1, 2), 7: (2, 1), 8: (2, 2)}
"""How many tags each operation takes off and puts on (vtr_op in vnet/l2/l2_vtr.h)."""


def switch(journey: Journey, stage: Switched) -> None:
    """Hand a frame on that came in by a switched interface."""
    interface = journey.network.interface(stage.interface)
    blame = of_bridge(interface.bridge, f"member {interface.name}") if interface.bridge is not None else None
    journey.note("switched", interface.name, blame or of_interface(interface.name, "l2xc"))
    if drops_station(journey, interface.name, stage.frame):
        return None
    if interface.tag_rewrite is not None:
        journey.note("retagged", "", of_interface(interface.name, "tag-rewrite"))
    frame = rewritten_in(interface, stage.frame)
    if frame is None:
        return journey.drop(Reason.TAGS, of_interface(interface.name, "tag-rewrite"))
    if not interface.is_bvi and acl_denies(journey, interface.name, frame.packet, is_input=True, is_switched=True):
        return None
    police(journey, interface.name, stage.frame.packet, stage.frame, is_switched=True)
    if interface.l2xc == DELETED:
        raise UndecidedError("the cross-connect leads to a deleted interface")
    if interface.l2xc is not None:
        return _out(journey, journey.network.interface(interface.l2xc), frame, of_interface(interface.name, "l2xc"))
    assert interface.bridge is not None
    return _bridge(journey, interface, frame)


def _bridge(journey: Journey, source: Interface, frame: Frame) -> None:
    assert source.bridge is not None
    bridge = journey.network.state.bridges.get(bridge_name(source.bridge))
    if bridge is None:
        raise UndecidedError("the bridge domain belongs to others")
    members = journey.network.bridge_members(source.bridge)
    if frame.is_for_many:
        if not bridge.settings.unicast_flood:
            raise UndecidedError("the bridge domain does not flood")
        return _flood(journey, bridge, members, source, frame)
    if not bridge.settings.unicast_forward:
        raise UndecidedError("the bridge domain does not forward")
    if frame.destination in bridge.filtered_macs:
        return journey.drop(Reason.FILTERED, of_bridge(bridge.bd_id, f"filtered MAC {frame.destination}"))
    for member in members:
        if any((each.bd_id, each.mac) == (bridge.bd_id, frame.destination) for each in member.static_macs):
            if member.name == source.name:
                return journey.drop(Reason.REFLECTED, of_bridge(bridge.bd_id, f"static MAC {frame.destination}"))
            return _out_by_group(
                journey, member, source, frame, of_bridge(bridge.bd_id, f"static MAC {frame.destination}")
            )
        if member.is_bvi and journey.network.mac_of(member.name) == frame.destination:
            return _to_bvi(journey, member, frame)
    if not bridge.settings.unknown_unicast_flood:
        raise UndecidedError("the bridge domain does not flood what it does not know")
    return _flood(journey, bridge, members, source, frame)


def _flood(journey: Journey, bridge: Bridge, members: list[Interface], source: Interface, frame: Frame) -> None:
    """Send a copy to each member but the source and those of its split-horizon group."""
    group = source.split_horizon_group
    others = [
        each for each in members if each.name != source.name and not (group and each.split_horizon_group == group)
    ]
    if not others:
        return journey.drop(Reason.NOWHERE, of_bridge(bridge.bd_id, "interfaces"))
    for member in others:
        if member.is_bvi:
            if frame.is_for_many or journey.network.mac_of(member.name) == frame.destination:
                raise UndecidedError("the BVI gets a copy")
            if len(others) == 1:
                raise UndecidedError("the BVI alone gets it")
            continue
        _out(journey, member, frame, of_bridge(bridge.bd_id, f"member {member.name}"))
    return None


def _out_by_group(journey: Journey, member: Interface, source: Interface, frame: Frame, blame: Blame) -> None:
    group = source.split_horizon_group
    if group and member.split_horizon_group == group:
        assert member.bridge is not None
        return journey.drop(Reason.GROUP, of_bridge(member.bridge, f"split-horizon group of {member.name}"))
    return _out(journey, member, frame, blame)


def _to_bvi(journey: Journey, bvi: Interface, frame: Frame) -> None:
    if frame.tags:
        raise UndecidedError("the BVI is given tags")
    if not journey.network.is_up(bvi.name):
        raise UndecidedError("the BVI is down")
    journey.then(Routed(interface=bvi.name, packet=frame.packet))


def _out(journey: Journey, target: Interface, frame: Frame, blame: Blame) -> None:
    """Hand a frame to an interface, with the tags as they are outside."""
    changed = rewritten_out(target, frame)
    if changed is None:
        return journey.drop(Reason.TAGS, of_interface(target.name, "tag-rewrite"))
    if not target.is_l2:
        raise UndecidedError("what is switched goes to an interface that routes")
    if target.is_bvi:
        raise UndecidedError("a cross-connect leads to a BVI")
    if acl_denies(journey, target.name, changed.packet, is_input=False, is_switched=True):
        return None
    leaves = Leaves(interface=target.name, frame=changed, packet=changed.packet, is_switched=True, blame=blame)
    return journey.then(leaves)


def rewritten_in(interface: Interface, frame: Frame) -> Frame | None:
    """Return the frame as it is switched; None when it has fewer tags than are taken off."""
    rewrite = interface.tag_rewrite
    if rewrite is None:
        return frame
    popped, pushed = _COUNTS[rewrite.operation]
    return _rewritten(frame, popped, _pushed(rewrite, pushed))


def rewritten_out(interface: Interface, frame: Frame) -> Frame | None:
    """Return the frame as it leaves: what is done on the way in, the other way round."""
    rewrite = interface.tag_rewrite
    if rewrite is None:
        return frame
    popped, pushed = _COUNTS[rewrite.operation]
    match = interface.encapsulation
    if popped == 0:
        return _rewritten(frame, pushed, ())
    if not isinstance(match, Encapsulation) or match.tag_count < popped:
        raise UndecidedError("the tags of the interface are not known")
    own: tuple[Tag, ...] = (Tag(vlan=match.outer, is_dot1ad=match.is_dot1ad),)
    if match.inner is not None:
        own += (Tag(vlan=match.inner),)
    return _rewritten(frame, pushed, own[:popped])


def _pushed(rewrite: TagRewrite, count: int) -> tuple[Tag, ...]:
    outer = Tag(vlan=rewrite.tag1, is_dot1ad=not rewrite.push_dot1q)
    return (outer, Tag(vlan=rewrite.tag2))[:count]


def _rewritten(frame: Frame, popped: int, pushed: tuple[Tag, ...]) -> Frame | None:
    if len(frame.tags) < popped:
        return None
    return with_tags(frame, (*pushed, *frame.tags[popped:]))
