"""What must not happen to a frame between two steps."""

import pytest

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.nat44 import NatSide
from vppcfg.model.state import State
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameEnd, Reason
from vppcfg.probe.trace import Observation
from vppcfg.probe.transients import (
    Campaign,
    Transient,
    WatchedFrame,
    chosen,
    is_as_before,
    joined,
    transient_of,
    watched_frames,
)
from vppcfg.record import evolve

PORT = Interface(
    name="eth0", kind=InterfaceKind.PHYSICAL, mac="02:00:00:00:00:01", is_up=True, packet_mtu=1500, link_mtu=1500
)
OWN, OTHER = (evolve(PORT, addresses=frozenset({text})) for text in ("192.0.2.1/24", "192.0.2.2/24"))
DOWN = evolve(OWN, is_up=False)


def network(*interfaces: Interface) -> Network:
    return Network(State(interfaces={each.name: each for each in interfaces}))


def frame_to_own(before: Interface, after: Interface) -> WatchedFrame:
    """Return the frame to 192.0.2.1."""
    found = watched_frames(network(before), network(after))
    return next(each for each in found if each.probe.frame.packet.destination == "192.0.2.1")


def seen(fate: Fate, reason: Reason | None = None, interface: str = "") -> Observation:
    return Observation(steps=(), ends=frozenset({FrameEnd(fate=fate, reason=reason, interface=interface)}))


KEPT, LOST = seen(Fate.KEPT), seen(Fate.DROPPED, Reason.DOWN)


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        (OWN, OWN, [LOST]),
        (OWN, DOWN, []),
        (OWN, OTHER, [LOST]),
        (DOWN, OWN, []),
        (DOWN, DOWN, [KEPT]),
    ],
    ids=["stays", "goes", "is another's", "comes", "stays away"],
)
def test_a_frame_may_end_as_before_and_as_after(before: Interface, after: Interface, wrong: list[Observation]) -> None:
    frame = frame_to_own(before, after)
    assert [each for each in (KEPT, LOST) if transient_of(frame, each, 1, ())] == wrong


def test_what_passes_and_must_not_is_let_through() -> None:
    frame = frame_to_own(DOWN, DOWN)
    left = transient_of(frame, seen(Fate.SENT, interface="eth0"), 4, ())
    assert left is not None
    assert left.is_let_through
    assert (left.first, left.last) == (4, 4)
    assert "leaves by eth0" in left.text


def test_what_the_impact_names_is_announced() -> None:
    frame = frame_to_own(OWN, OWN)
    announced = [transient_of(frame, LOST, 1, names) for names in ((), ("route eth0",), ("interface eth0",))]
    assert [each is not None and each.is_announced for each in announced] == [False, False, True]


def test_a_frame_is_as_before_by_its_end_alone() -> None:
    frame = frame_to_own(OWN, OTHER)
    assert is_as_before(frame, KEPT)
    assert not is_as_before(frame, LOST)
    assert is_as_before(frame_to_own(DOWN, OWN), seen(Fate.DROPPED, Reason.OTHER_MAC)), "it comes to nothing"


def test_a_frame_begins_a_connection_at_each_step_where_nat_has_sessions() -> None:
    inside, outside = (evolve(each, nat44=side) for each, side in ((OWN, NatSide.INSIDE), (OTHER, NatSide.OUTSIDE)))
    frame = frame_to_own(inside, inside)
    campaign = Campaign(network(inside), network(inside), [frame])
    ports = [campaign.renewed(frame, step).probe.frame.packet.ports[0] for step in range(21)]
    assert len(set(ports)) == 21
    assert all(1025 <= port < 0x10000 for port in ports)
    assert Campaign(network(OWN), network(OWN), [frame]).renewed(frame, 1) is frame, "nobody has sessions"
    assert Campaign(network(outside), network(outside), [frame]).renewed(frame, 1) is frame, "it would end elsewhere"


def test_a_frame_by_a_port_that_one_state_lacks_says_nothing() -> None:
    other = evolve(OTHER, name="eth1", mac="02:00:00:00:00:02")
    assert {each.probe.port for each in watched_frames(network(OWN, other), network(OWN))} == {"eth0"}


def test_frames_near_the_step_are_sent_first_and_the_others_take_turns() -> None:
    other = evolve(PORT, name="eth1", mac="02:00:00:00:00:02", addresses=frozenset({"198.51.100.1/24"}))
    frames = watched_frames(network(OWN, other), network(OWN, other))
    near = [each for each in frames if "interface eth1" in each.objects()]
    assert 0 < len(near) < len(frames) - 2
    wrong = next(each for each in frames if "interface eth1" not in each.objects())
    some = chosen(frames, ["interface eth1"], [wrong.probe.name], 0, len(near) + 2)
    assert some[0] is wrong
    assert [each for each in some if each in near] == near
    turns = {
        chosen(frames, ["interface eth1"], (), place, len(near) + 1)[-1].probe.name for place in range(len(frames))
    }
    assert turns == {each.probe.name for each in frames if each not in near}


def test_what_lasts_for_several_steps_is_told_once() -> None:
    frame = frame_to_own(OWN, OWN)
    found = [transient_of(frame, LOST, step, ()) for step in (2, 3, 4, 7)]
    spans = [(each.first, each.last) for each in joined(each for each in found if isinstance(each, Transient))]
    assert spans == [(2, 4), (7, 7)]
