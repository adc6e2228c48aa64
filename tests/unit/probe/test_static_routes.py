"""What a file says becomes of frames that static routes have."""

from dataclasses import replace
from pathlib import Path

import pytest

from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.route import RouteEnd
from vppcfg.probe.network import Network, NextStep
from vppcfg.probe.outcome import Blame, Fate, FrameEnd, FrameProbe, Reason, UndecidedError
from vppcfg.probe.safe_injection import safe_probes_for, went_out
from vppcfg.probe.test_cases import probes_for
from vppcfg.probe.trace import Names, Node, Observation, is_whole, observe_path, packets
from vppcfg.probe.verdict import comparable, judge
from vppcfg.record import evolve

TEXT = """\
interfaces:
  eth0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] }
  eth1: { mtu: 1500, addresses: [ 198.51.100.1/24 ] }
  eth2: { mtu: 1500, state: down, addresses: [ 203.0.113.1/24 ] }
vrfs:
  red: { id: 10, routes: { 10.6.0.0/16: { via: { gateway: 192.0.2.2, vrf: default } } } }
routes:
  10.0.0.0/8: 192.0.2.2
  10.1.0.0/16: { via: { gateway: 198.51.100.9, interface: eth1 } }
  10.2.0.0/16: { via: { interface: eth1 } }
  10.3.0.0/16: blackhole
  10.4.0.0/16: 10.1.0.1
  10.5.0.0/16: { via: [ { gateway: 203.0.113.2, interface: eth2 }, { gateway: 198.51.100.2, preference: 1 } ] }
  10.6.0.0/16: { via: { vrf: red } }
  10.7.0.0/16: { via: [ 192.0.2.2, 198.51.100.2 ] }
  10.8.0.0/16: unreachable
  10.9.0.0/16: { via: { gateway: 203.0.113.2, interface: eth2 } }
  10.10.0.0/16: 172.16.0.1
  10.11.0.0/16: 10.8.0.1
  10.12.0.0/16: { via: [ 192.0.2.2, 10.3.0.1 ] }
  10.13.0.0/16: 10.13.0.1
  10.14.0.0/16: { via: [ 10.7.0.1, 10.1.0.1 ] }
  10.15.0.0/16:
    via: [ { gateway: 203.0.113.2, interface: eth2 }, 198.51.100.2, { gateway: 192.0.2.2, preference: 1 } ]
  10.16.0.0/16: prohibit
"""
HOPS = {
    "10.0.0.1": ("eth0", "192.0.2.2"),
    "10.1.2.3": ("eth1", "198.51.100.9"),
    "10.2.2.3": ("eth1", "10.2.2.3"),
    "10.3.2.3": ("", ""),
    "10.4.2.3": ("eth1", "198.51.100.9"),
    "10.5.2.3": ("eth1", "198.51.100.2"),
    "10.6.2.3": ("eth0", "192.0.2.2"),
    "10.9.2.3": ("", ""),
    "192.0.2.77": ("eth0", "192.0.2.77"),
}
UNDECIDED = {
    "10.7.2.3": "several next hops share what goes there",
    "10.8.2.3": "depends on the moment",
    "10.10.2.3": "nothing of the file leads to its gateway",
    "10.11.2.3": "VPP answers what goes to its gateway",
    "10.12.2.3": "one of several next hops leads nowhere",
    "10.13.2.3": "its routes need each other",
}
WAYS = {
    "10.7.2.3": {("eth0", "192.0.2.2"), ("eth1", "198.51.100.2")},
    "10.14.2.3": {("eth0", "192.0.2.2"), ("eth1", "198.51.100.2"), ("eth1", "198.51.100.9")},
    "10.15.2.3": {("eth1", "198.51.100.2")},
}


@pytest.fixture
def network() -> Network:
    configuration = parse_text(TEXT, "file").configuration
    assert configuration is not None
    state = resolve(configuration, assumed_state(configuration)).desired
    ports = {name: evolve(port, mac=f"02:00:00:00:00:0{name[-1]}") for name, port in state.interfaces.items()}
    return Network(replace(state, interfaces=ports))


def test_the_longest_prefix_says_by_which_hop_a_packet_leaves(network: Network) -> None:
    for address, hop in HOPS.items():
        found = network.way_to(0, address)
        assert isinstance(found, NextStep), address
        assert (found.interface, found.address) == hop, address
    assert network.way_to(0, "172.16.0.1") is None
    for address, reason in UNDECIDED.items():
        with pytest.raises(UndecidedError, match=reason):
            network.way_to(0, address)


def test_vpp_chooses_among_the_next_hops_of_the_best_preference(network: Network) -> None:
    for address, hops in WAYS.items():
        ways = network.ways_to(0, address)
        assert {(way.interface, way.address) for way in ways} == hops, address
        assert len(ways) == len(hops), address
    assert [way.end for way in network.ways_to(0, "10.8.2.3")] == [RouteEnd.UNREACHABLE]


def about_route(network: Network, prefix: str) -> FrameProbe:
    (found,) = (each for each in probes_for(network).probes if each.about.subject == f"route {prefix}")
    return found


def observation(steps: tuple[tuple[str, str, str], ...], end: FrameEnd) -> Observation:
    return Observation(steps=steps, ends=frozenset({end}))


def test_any_next_hop_of_the_best_preference_is_right_and_no_other_way(network: Network) -> None:
    probe = about_route(network, "10.7.0.0/16")
    assert {end.interface for choice in probe.prediction.choices for end, _ in choice.ends} == {"eth0", "eth1"}
    for choice in probe.prediction.choices:
        steps = tuple(step.seen for step in choice.steps)
        ((end, _),) = choice.ends
        assert judge(probe, observation(steps, comparable(end))).blame is None
    looked_up = tuple(step for step in steps if step[0] in ("routed", "looked up"))
    elsewhere = FrameEnd(fate=Fate.SENT, interface="eth2")
    finding = judge(probe, observation((*looked_up, ("rewritten", "eth2", "")), elsewhere))
    assert finding.blame == Blame(subject="route 10.7.0.0/16")
    assert finding.probe == probe
    finding = judge(probe, observation(looked_up, FrameEnd(fate=Fate.DROPPED, reason=Reason.NO_ROUTE)))
    assert finding.blame == Blame(subject="route 10.7.0.0/16")


@pytest.mark.parametrize(
    ("prefix", "reason"), [("10.8.0.0/16", Reason.UNREACHABLE), ("10.16.0.0/16", Reason.PROHIBITED)]
)
def test_what_a_route_refuses_is_not_forwarded(network: Network, prefix: str, reason: Reason) -> None:
    probe = about_route(network, prefix)
    ((end, blame),) = probe.prediction.ends
    assert (end.fate, end.reason, blame.subject) == (Fate.REFUSED, reason, f"route {prefix}")
    steps = tuple(step.seen for step in probe.prediction.steps)
    for other in Reason.UNREACHABLE, Reason.PROHIBITED:
        finding = judge(probe, observation(steps, FrameEnd(fate=Fate.REFUSED, reason=other)))
        assert (finding.blame is None) == (other is reason)
    for wrong in FrameEnd(fate=Fate.DROPPED, reason=Reason.NO_ROUTE), FrameEnd(fate=Fate.SENT, interface="eth1"):
        assert judge(probe, observation(steps, wrong)).blame == Blame(subject=f"route {prefix}")


REFUSED = {0: Reason.UNREACHABLE, 1: Reason.UNREACHABLE, 2: Reason.PROHIBITED, 3: Reason.PROHIBITED} | {
    4: Reason.UNREACHABLE,
    5: Reason.PROHIBITED,
}
"""By the number of the frame in refused.txt; VPP answers some of them and drops the others: 1, 3 and 5."""


@pytest.fixture(scope="module")
def refused() -> dict[int, tuple[Node, ...]]:
    """Return what a real VPP of release 26.10 traced of frames to routes that are `unreachable` and `prohibit`."""
    text = (Path(__file__).parent / "refused.txt").read_text()
    return {int(stream.rpartition("-")[2]): nodes for stream, nodes in packets(text)}


@pytest.mark.parametrize("number", REFUSED)
def test_a_trace_says_that_a_route_refuses(refused: dict[int, tuple[Node, ...]], number: int) -> None:
    nodes = refused[number]
    is_answered = any(node.name.endswith("-icmp-error") for node in nodes)
    assert is_answered == (number not in (1, 3, 5))
    names = Names(interfaces={1: "eth0"}, tables={(4, 0): 0, (6, 0): 0}, access_lists={}, bonds={})
    seen = observe_path(nodes, names)
    assert seen.ends == {FrameEnd(fate=Fate.REFUSED, reason=REFUSED[number])}
    assert seen.steps == (("routed", "", ""), ("looked up", "6" if number > 3 else "4", "0"))
    assert is_whole(seen)
    assert went_out(seen)


def test_frames_that_vpp_may_answer_stay_out_of_a_router_at_work(network: Network) -> None:
    about = [each.about.subject for each in safe_probes_for(network, network, may_leave=False).probes]
    assert not {"route 10.7.0.0/16", "route 10.8.0.0/16"} & set(about)
