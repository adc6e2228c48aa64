"""What VPP's tracer says, read from what a real VPP printed, and held against what the file says."""

from dataclasses import replace

import pytest

from vppcfg.probe.frame import Tag
from vppcfg.probe.outcome import Fate, FrameEnd, Reason
from vppcfg.probe.test_cases import ProbeSet
from vppcfg.probe.trace import Names, Node, is_whole, observe_path
from vppcfg.probe.verdict import ProbeFinding, judge

Traces = dict[int, tuple[Node, ...]]


def sent(interface: str, mac: str, way: str, ttl: int, *tags: Tag) -> FrameEnd:
    source, destination = way.split(" > ")
    return FrameEnd(
        fate=Fate.SENT,
        interface=interface,
        tags=tags,
        destination_mac=mac,
        source=source,
        destination=destination,
        ttl=ttl,
    )


def dropped(reason: Reason) -> FrameEnd:
    return FrameEnd(fate=Fate.DROPPED, reason=reason)


OUTER = sent("GigabitEthernet1/0/0", "02:00:5e:10:00:09", "192.0.2.1 > 192.0.2.9", 253)
LAST_HOST = "02:00:5e:00:53:77"
FAR = "198.51.100.77 > 198.18.7.77"
ENDS = {
    0: [dropped(Reason.NO_ROUTE)],
    1: [FrameEnd(fate=Fate.KEPT)],
    3: [dropped(Reason.OTHER_MAC)],
    4: [OUTER],
    5: [FrameEnd(fate=Fate.ANSWERED)],
    7: [FrameEnd(fate=Fate.ANSWERED)],
    8: [sent("GigabitEthernet1/0/0", "02:00:5e:10:00:09", "192.0.2.9 > 192.0.2.9", 63)],
    12: [dropped(Reason.ACL)],
    29: [dropped(Reason.NO_VLAN)],
    30: [dropped(Reason.NOT_ENABLED)],
    33: [sent("GigabitEthernet1/0/1.100", LAST_HOST, FAR, 64, Tag(vlan=100)), OUTER],
    34: [FrameEnd(fate=Fate.KEPT)],
    39: [sent("GigabitEthernet1/0/1.300", LAST_HOST, FAR, 64)],
    43: [dropped(Reason.NO_ROUTE)],
    99: [dropped(Reason.NO_WAY_BACK)],
    102: [sent("GigabitEthernet1/0/2", LAST_HOST, FAR, 64), OUTER],
    111: [dropped(Reason.DOWN)],
    142: [dropped(Reason.NO_TUNNEL)],
}


@pytest.mark.parametrize("number", ENDS)
def test_a_trace_says_where_the_frame_ended(traces: Traces, names: Names, number: int) -> None:
    assert observe_path(traces[number], names).ends == frozenset(ENDS[number])


STEPS = {
    8: [("filtered", "GigabitEthernet1/0/0", "output outside 1"), ("sent", "GigabitEthernet1/0/0", "")],
    33: [("mirrored", "GigabitEthernet1/0/2", "GigabitEthernet1/0/5"), ("switched", "GigabitEthernet1/0/2", "")],
    43: [("bonded", "BondEthernet0", ""), ("looked up", "4", "100")],
    99: [("checked", "", "")],
    139: [("unwrapped", "vxlan_tunnel0", ""), ("switched", "vxlan_tunnel0", "")],
    141: [("received", "", ""), ("unwrapped", "", ""), ("received", "", "")],
}


@pytest.mark.parametrize("number", STEPS)
def test_a_trace_says_what_happened_on_the_way(traces: Traces, names: Names, number: int) -> None:
    steps = observe_path(traces[number], names).steps
    assert [step for step in steps if step in STEPS[number]] == STEPS[number]


def test_a_way_of_which_a_part_is_missing_is_told_from_a_whole_one(traces: Traces, names: Names) -> None:
    assert all(is_whole(observe_path(nodes, names)) for nodes in traces.values())
    nodes = traces[29]
    assert not is_whole(observe_path(tuple(node for node in nodes if node.name != "ethernet-input"), names))
    ending = (*nodes[:-1], replace(nodes[-1], text="  l2-fwd: Reflection Drop"))
    assert not is_whole(observe_path(ending, names))


@pytest.mark.parametrize("words", ["input ACL session deny", "input ACL table-miss", "no error"])
def test_a_station_is_denied_where_its_list_drops_and_not_by_words_that_releases_exchange(
    traces: Traces, names: Names, words: str
) -> None:
    asked, ended = Node(name="ip4-inacl", text=""), Node(name="drop", text=f"  ip4-input: {words}")
    begin, dropping = traces[29][:-2], Node(name="ip4-drop", text="")
    assert observe_path((*begin, asked, dropping, ended), names).ends == {dropped(Reason.STATION)}
    not_enabled = Node(name="ip4-not-enabled", text="")
    passed = observe_path((*begin, asked, not_enabled, ended), names)
    assert passed.ends == {dropped(Reason.NOT_ENABLED)}


def test_every_recorded_frame_went_where_the_file_says(traces: Traces, names: Names, probe_set: ProbeSet) -> None:
    assert len(traces) > 25
    findings = [judge(probe_set.probes[number], observe_path(nodes, names)) for number, nodes in traces.items()]
    assert [finding.text for finding in findings if finding.blame is not None] == []


def judged(number: int, traces: Traces, names: Names, probe_set: ProbeSet, old: str, new: str) -> ProbeFinding:
    """Judge a recorded trace in which something reads otherwise."""
    assert any(old in f"{node.name}\n{node.text}" for node in traces[number])
    nodes = [Node(name=node.name.replace(old, new), text=node.text.replace(old, new)) for node in traces[number]]
    return judge(probe_set.probes[number], observe_path(tuple(nodes), names))


FAULTS = {
    "another tag": (33, "802.1q vlan 100", "802.1q vlan 101", "interface GigabitEthernet1/0/1.100: tag-rewrite"),
    "another rule": (8, "acl 0 rule 1", "acl 0 rule 0", "access list outside: rule 2"),
    "another table": (43, "fib 1 ", "fib 0 ", "interface BondEthernet0: vrf"),
    "no copy": (33, "SPAN: mirrored", "SPAN: -", "interface GigabitEthernet1/0/2: mirror to GigabitEthernet1/0/5"),
    "another neighbour": (8, "02:00:5e:10:00:09", "02:00:5e:10:00:08", "interface GigabitEthernet1/0/0: reached"),
    "not switched": (39, "l2-input: sw_if_index 6", "l2-input: sw_if_index 5", "interface GigabitEthernet1/0/3: l2xc"),
}


@pytest.mark.parametrize(("number", "old", "new", "blame"), FAULTS.values(), ids=FAULTS)
def test_a_frame_that_goes_elsewhere_is_blamed_on_an_object_of_the_file(
    traces: Traces, names: Names, probe_set: ProbeSet, number: int, old: str, new: str, blame: str
) -> None:
    finding = judged(number, traces, names, probe_set, old, new)
    assert finding.blame is not None
    assert finding.blame.text == blame


def test_a_frame_that_is_not_seen_again_is_blamed_on_its_port(probe_set: ProbeSet) -> None:
    finding = judge(probe_set.probes[0], None)
    assert finding.blame is not None
    assert finding.blame.subject == f"interface {probe_set.probes[0].port}"


def test_a_copy_too_many_is_blamed_on_the_interface_that_it_leaves_by(
    traces: Traces, names: Names, probe_set: ProbeSet
) -> None:
    seen = observe_path(traces[33], names)
    more = replace(seen, ends=seen.ends | {sent("GigabitEthernet1/0/5", LAST_HOST, FAR, 64)})
    finding = judge(probe_set.probes[33], more)
    assert finding.blame is not None
    assert finding.blame.subject == "interface GigabitEthernet1/0/5"


def test_a_reason_that_nobody_knows_is_told_as_vpp_says_it(traces: Traces, names: Names) -> None:
    nodes = [replace(node, text=node.text.replace("unknown vlan", "bad weather")) for node in traces[29]]
    seen = observe_path(tuple(nodes), names)
    assert seen.unknown == ("ethernet-input: bad weather",)
    assert seen.ends == {dropped(Reason.OTHER)}


def test_a_frame_that_is_too_large_for_its_tunnel_is_known_by_the_node_that_drops_it(names: Names) -> None:
    """A GRE tunnel with frames in it says no more than that it drops one."""
    midchain = "adj-idx 0 : ethernet via :: gre0: mtu:1500 next:1 flags:[] 6000\n    stacked-on entry:31:"
    nodes = (Node(name="adj-l2-midchain", text=midchain), Node(name="error-drop", text="rx:memif0/0"))
    dropping = Node(name="drop", text="null-node: blackholed packets")
    assert observe_path((*nodes, dropping), names).ends == {dropped(Reason.TOO_BIG)}
    unstacked = (nodes[0], Node(name="tunnel-output-no-count", text="adj-midchain:[0]"), nodes[1], dropping)
    assert observe_path(unstacked, names).ends == {dropped(Reason.NO_ROUTE)}
