"""Who is to blame: what one frame cannot tell, all of them together do."""

from dataclasses import replace
from typing import Any

import pytest

from vppcfg.app.deviations import deviations
from vppcfg.model.acl import ONE_MAC, AclBinding, MacipAcl, MacipAction, MacipRule
from vppcfg.model.features import Mirror, MssLimit, TrafficDirection
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import Frame, Packet, Tag
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame, Fate, FrameEnd, Reason, UndecidedError, Unproved
from vppcfg.probe.report import reasons, report_of
from vppcfg.probe.test_cases import ProbeSet, probes_for
from vppcfg.probe.trace import Node, Observation
from vppcfg.probe.verdict import ProbeFinding, comparable, judge
from vppcfg.render.probe_text import probe_set_document, probe_set_lines, report_document, report_lines

FIRST, SECOND = Blame(subject="interface a"), Blame(subject="interface b")
DOWN = FrameEnd(fate=Fate.DROPPED, reason=Reason.DOWN)


def test_what_explains_most_is_to_blame(probe_set: ProbeSet) -> None:
    alone = ProbeFinding(probe=probe_set.probes[0], observation=None, blame=SECOND)
    either = ProbeFinding(probe=probe_set.probes[1], observation=None, blame=FIRST, others=(SECOND,))
    fine = ProbeFinding(probe=probe_set.probes[2], observation=None)
    report = report_of([alone, either, fine], ())
    assert [(suspect.subject, len(suspect.findings)) for suspect in report.suspects] == [("interface b", 2)]
    assert (report.sent, report.wrong) == (3, 2)


def test_what_cannot_be_sent_is_counted_by_its_reason() -> None:
    unproved = [Unproved(about=FIRST, purpose="x", why=why) for why in ("b", "a", "b")]
    assert reasons(unproved) == [("b", 2), ("a", 1)]


def test_a_port_that_is_down_is_to_blame_for_all_that_comes_in_by_it(probe_set: ProbeSet) -> None:
    probe = next(each for each in probe_set.probes if each.frame.tags and each.prediction.steps)
    finding = judge(probe, Observation(steps=(), ends=frozenset({DOWN})))
    assert finding.blame == Blame(subject=f"interface {probe.port}", aspect="state")


def test_a_sub_interface_that_is_down_is_to_blame_for_its_own_frames_alone(probe_set: ProbeSet) -> None:
    probe = next(each for each in probe_set.probes if each.frame.tags and each.prediction.taker.endswith(".100"))
    nodes = (Node(name="ethernet-input", text=""), Node(name="drop", text="ethernet-input: subinterface down"))
    finding = judge(probe, Observation(steps=(), ends=frozenset({DOWN}), nodes=nodes))
    assert finding.blame == Blame(subject=f"interface {probe.prediction.taker}", aspect="state")


def test_an_error_that_was_not_to_come_is_blamed_on_the_mtu_of_where_the_packet_was_going(probe_set: ProbeSet) -> None:
    probe = next(each for each in probe_set.probes if "as large as the MTU" in each.purpose)
    way = tuple(step.seen for step in probe.prediction.steps)
    passed = way[: 1 + next(place for place, step in enumerate(way) if step[0] == "rewritten")]
    finding = judge(probe, Observation(steps=passed, ends=frozenset({FrameEnd(fate=Fate.ANSWERED)})))
    assert finding.blame == Blame(subject=f"interface {passed[-1][1]}", aspect="mtu")


def test_of_the_inner_tags_vpp_does_not_tell_the_kind() -> None:
    outer, inner, other = Tag(vlan=100), Tag(vlan=40, is_dot1ad=True), Tag(vlan=41)
    end = FrameEnd(fate=Fate.SENT, interface=PORT, tags=(outer, inner))
    assert comparable(end) == comparable(replace(end, tags=(outer, replace(inner, is_dot1ad=False))))
    assert comparable(end) != comparable(replace(end, tags=(outer, other)))
    assert comparable(end) != comparable(replace(end, tags=(replace(outer, is_dot1ad=True), inner)))


def otherwise(state: State, name: str, **changes: Any) -> State:
    return replace(state, interfaces={**state.interfaces, name: replace(state.interfaces[name], **changes)})


PORT, SUB = "GigabitEthernet1/0/0", "GigabitEthernet1/0/1.100"
OTHERWISE: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "an MTU": (PORT, {"packet_mtu": 1300}, f"interface {PORT}", "mtu: 1300 -> 1500"),
    "a member": (SUB, {"bridge": None}, "bridge domain bd10", f"+ interfaces: {SUB}"),
    "a rewrite": (SUB, {"tag_rewrite": None}, f"interface {SUB}", "- tag-rewrite: none"),
}


@pytest.mark.parametrize(("name", "changes", "subject", "line"), OTHERWISE.values(), ids=OTHERWISE)
def test_what_vpp_has_otherwise_is_to_blame_for_what_it_accounts_for(
    state: State, probe_set: ProbeSet, name: str, changes: dict[str, Any], subject: str, line: str
) -> None:
    """The frames are judged as a router would treat them that has what VPP has."""
    observed = otherwise(state, name, **changes)
    network = Network(observed)
    findings = []
    for probe in probes_for(Network(state)).probes:
        try:
            told = predict(network, probe.port, probe.frame)
        except UndecidedError:
            continue
        seen = Observation(
            steps=tuple(step.seen for step in told.steps), ends=frozenset(comparable(end) for end, _ in told.ends)
        )
        findings.append(judge(probe, seen))
    assert any(finding.blame is not None for finding in findings)
    report = report_of(findings, (), deviations(observed, state))
    assert [suspect.subject for suspect in report.suspects] == [subject]
    assert line in "\n".join(report.suspects[0].lines)
    assert report.wrong
    assert not report.unnoticed


def test_what_no_frame_shows_is_reported_all_the_same(state: State) -> None:
    name = "GigabitEthernet1/0/2"
    report = report_of([], (), deviations(otherwise(state, name, tag="by hand"), state))
    assert [suspect.subject for suspect in report.suspects] == [f"interface {name}"]
    assert (report.wrong, report.unnoticed) == (0, 1)
    *_, last = report_lines(report)
    assert last == "no frame was sent, so that none proves anything; VPP has 1 object otherwise"
    assert not report_document(report)["is_as_predicted"]


def test_what_a_frame_has_nothing_to_do_with_is_not_blamed_for_it(state: State, probe_set: ProbeSet) -> None:
    finding = ProbeFinding(probe=probe_set.probes[0], observation=None, blame=FIRST)
    report = report_of([finding], (), deviations(otherwise(state, "GigabitEthernet1/0/2", tag="by hand"), state))
    assert [(each.subject, len(each.findings)) for each in report.suspects] == [
        ("interface GigabitEthernet1/0/2", 0),
        (FIRST.subject, 1),
    ]


def test_what_no_frame_is_about_is_named(state: State, probe_set: ProbeSet) -> None:
    """A port whose MAC address is not known takes no frames, and a loopback alone gets none."""
    assert dict(probe_set.untested) == {}
    name = "GigabitEthernet1/0/2"
    changes = {
        "mss_clamp": (MssLimit(mss=1400),),
        "has_mpls": True,
        "mirrors": (Mirror(target=PORT, direction=TrafficDirection.BOTH, is_l2=True),),
        "acls": AclBinding(input=("outside",)),
    }
    lone = Interface(name="loop9", kind=InterfaceKind.LOOPBACK)
    changed = otherwise(state, name, **changes)
    changed = replace(changed, interfaces={**changed.interfaces, "loop9": lone})
    found = probes_for(Network(changed))
    assert dict(found.untested) == {
        "MPLS": 1,
        "TCP MSS clamping": 1,
        "access lists of switched frames": 1,
        "interfaces that no frame has to do with": 2,
        "mirroring of switched frames": 1,
    }
    *_, told, _ = probe_set_lines(found)
    assert told.startswith("not tried: MPLS (1), TCP MSS clamping (1), access lists")
    assert probe_set_document(found)["not_tried"][0] == {"what": "MPLS", "count": 1}


HOST = MacipRule(action=MacipAction.PERMIT, source="192.0.2.5/32", mac="02:00:00:00:00:05", mac_mask=ONE_MAC)
OTHERS = MacipRule(action=MacipAction.DENY, source="192.0.2.0/24")
LISTS = {
    "the station itself": ((HOST,), "02:00:00:00:00:05", "192.0.2.5", False),
    "another station": ((HOST,), "02:00:00:00:00:06", "192.0.2.5", True),
    "another address": ((HOST,), "02:00:00:00:00:05", "192.0.2.6", True),
    "the rule that looks at more bits first": ((OTHERS, HOST), "02:00:00:00:00:05", "192.0.2.5", False),
    "the rest": ((OTHERS, HOST), "02:00:00:00:00:06", "192.0.2.5", True),
    "many rules that look at less": (
        (*(replace(OTHERS, source=f"10.{number}.0.0/24") for number in range(6)), OTHERS, HOST),
        "02:00:00:00:00:05",
        "192.0.2.5",
        True,
    ),
    "the last of two about the same": (
        (HOST, replace(HOST, action=MacipAction.DENY)),
        "02:00:00:00:00:05",
        "192.0.2.5",
        True,
    ),
    "a part of the address": (
        (replace(HOST, mac="02:00:00:00:00:00", mac_mask="ff:ff:00:00:00:00"),),
        "02:00:07:07:07:07",
        "192.0.2.5",
        False,
    ),
}


@pytest.mark.parametrize(("rules", "mac", "source", "is_kept_out"), LISTS.values(), ids=LISTS)
def test_a_macip_list_says_which_stations_may_send(
    state: State, rules: tuple[MacipRule, ...], mac: str, source: str, *, is_kept_out: bool
) -> None:
    name = "GigabitEthernet1/0/0"
    interface = replace(state.interfaces[name], macip="hosts")
    guarded = replace(state, interfaces={**state.interfaces, name: interface}, macips={"hosts": MacipAcl(rules=rules)})
    frame = Frame(destination=interface.mac, source=mac, packet=Packet(source=source, destination="192.0.2.1"))
    ((end, _),) = predict(Network(guarded), name, frame).ends
    assert (end.reason is Reason.STATION) == is_kept_out
    aims = {probe.purpose for probe in probes_for(Network(guarded)).probes if "MACIP" in probe.about.subject}
    assert "another station with its address" in aims
