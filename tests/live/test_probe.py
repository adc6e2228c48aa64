"""`probe --rehearse` with a real VPP: frames go where the file says, and faults behind the file's back are found.

PROBE_FILES and PROBE_FAULTS say how many random files and faults there are; PROBE_FIRST, with which of them it begins.
"""

import logging
import os
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.laws.networks import numbered_network
from tests.real_vpp import prefix, since
from tests.wireguard_keys import KEYS
from vppcfg.app.deviations import deviations
from vppcfg.app.probing import prove, send_probes
from vppcfg.app.rehearsing import Rehearsal, rehearsal, rehearse, with_observed_choices
from vppcfg.cli.main import main
from vppcfg.config.load import load, parse_text
from vppcfg.entries.configuration import Configuration
from vppcfg.errors import ExitCode, PlanProofError
from vppcfg.model.interface import InterfaceKind, OtherMatch, TagRewrite
from vppcfg.model.state import State
from vppcfg.model.vrf import table_key
from vppcfg.plan.plan import make_plan
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import frame_text
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Reason, UndecidedError
from vppcfg.probe.report import ProbeReport, report_of
from vppcfg.probe.test_cases import ProbeSet, probes_for
from vppcfg.probe.verdict import comparable
from vppcfg.transaction.perform import perform_plan

pytestmark = since("26.02")

log = logging.getLogger(__name__)
FILES = int(os.environ.get("PROBE_FILES", "10"))
FAULTS = int(os.environ.get("PROBE_FAULTS", "12"))
FIRST = int(os.environ.get("PROBE_FIRST", "0"))
ROUTER = Path(__file__).parents[1] / "unit/probe/router.yaml"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.app.keys.read_key", lambda key: KEYS[key.name])


def wrong(report: ProbeReport) -> list[str]:
    """Return what is not as predicted."""
    return [
        f"{finding.blame}: {finding.text}; in by {finding.probe.port}: {frame_text(finding.probe.frame)}"
        for suspect in report.suspects
        for finding in suspect.findings
    ]


@pytest.mark.parametrize("number", range(FIRST, FIRST + FILES))
def test_every_frame_of_a_random_file_goes_where_the_file_says(number: int) -> None:
    report = rehearse(numbered_network(number), prefix())
    assert wrong(report) == []
    assert report.sent + len(report.unproved) > 10


def test_the_command_tells_that_all_is_as_the_file_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "-q", "-c", str(ROUTER), "--rehearse", str(prefix())]) == ExitCode.DONE
    assert capsys.readouterr().out.splitlines()[-1].startswith("VPP handled all ")


@pytest.fixture
def configuration() -> Configuration:
    """Return what the file of a router with one of each kind says."""
    found = load(str(ROUTER)).configuration
    assert found is not None
    return found


TYPED = {
    "another tag": (
        ["set interface l2 tag-rewrite GigabitEthernet1/0/1.100 disable"],
        "interface GigabitEthernet1/0/1.100",
    ),
    "a bridge port is missing": (["set interface l3 GigabitEthernet1/0/2"], "bridge domain bd10"),
    "another MTU": (["set interface mtu packet 1300 GigabitEthernet1/0/0"], "interface GigabitEthernet1/0/0"),
    "a port is down": (["set interface state GigabitEthernet1/0/3 down"], "interface GigabitEthernet1/0/3"),
    "another table": (
        [
            "set interface ip address del BondEthernet0 10.5.0.1/24",
            "set interface ip table BondEthernet0 0",
            "set interface ip address BondEthernet0 10.5.0.1/24",
        ],
        "interface BondEthernet0",
    ),
}


@pytest.mark.parametrize(("lines", "subject"), TYPED.values(), ids=TYPED)
def test_a_fault_is_found_and_blamed_on_its_object(
    configuration: Configuration, lines: list[str], subject: str
) -> None:
    with rehearsal(configuration, prefix()) as stage:
        probe_set = probes_for(stage.network)
        for line in lines:
            stage.vpp.run_line(line)
        observed = stage.vpp.observe()
        findings = send_probes(stage.vpp, observed, stage.network, probe_set.probes)
        told = deviations(observed, stage.network.state)
    for report in (report_of(findings, (), told, stage.network.without_link), report_of(findings, ())):
        assert [suspect.subject for suspect in report.suspects][:1] == [subject]
        assert report.suspects[0].findings


Fault = tuple[str, str, State]
"""What is done, the object that it is to be blamed on, and what VPP has then."""


def _changed(state: State, name: str, **changes: Any) -> State:
    interfaces = {**state.interfaces, name: replace(state.interfaces[name], **changes)}
    return replace(state, interfaces=interfaces)


def faults_of(state: State) -> Iterator[Fault]:
    """Yield what somebody could type at VPP's prompt, whether or not a frame would notice."""
    for name, interface in state.interfaces.items():
        if interface.kind is InterfaceKind.LOOPBACK or isinstance(interface.encapsulation, OtherMatch):
            continue
        subject = f"interface {name}"
        if interface.is_l2:
            rewrite = TagRewrite(operation=1, push_dot1q=1, tag1=77) if interface.tag_rewrite is None else None
            yield "tag rewrite", subject, _changed(state, name, tag_rewrite=rewrite)
        if interface.bridge is not None and not interface.is_bvi:
            without = _changed(state, name, bridge=None, tag_rewrite=None, static_macs=(), split_horizon_group=0)
            yield "bridge port missing", f"bridge domain bd{interface.bridge}", without
        if interface.addresses and interface.packet_mtu > 600:
            yield "MTU", subject, _changed(state, name, packet_mtu=600)
        for number in sorted({table.table_id for table in state.vrfs.values()}):
            is_whole = all(table_key(number, is_ipv6=is_ipv6) in state.vrfs for is_ipv6 in (False, True))
            if interface.addresses and is_whole and number not in interface.tables:
                yield "table", subject, _changed(state, name, tables=(number, number))
                break
        if interface.is_up:
            yield "state", subject, _changed(state, name, is_up=False)
    for name, acl in state.acls.items():
        if len(acl.rules) > 1:
            turned = replace(acl, rules=acl.rules[::-1])
            yield "rule order", f"access list {name}", replace(state, acls={**state.acls, name: turned})


def is_noticed(stage: Rehearsal, probe_set: ProbeSet, faulty: State) -> bool:
    """Return whether a frame would go elsewhere in what VPP has then."""
    network = Network(with_observed_choices(faulty, stage.observed), stage.network.without_link)
    for probe in probe_set.probes:
        try:
            told = predict(network, probe.port, probe.frame)
        except UndecidedError:
            continue
        if {comparable(end) for end, _ in told.ends} != {comparable(end) for end, _ in probe.prediction.ends}:
            return True
    return False


def is_possible(state: State, faulty: State) -> bool:
    """Return whether VPP can have it: two interfaces of one table do not share a prefix."""
    try:
        make_plan(state, faulty)
    except PlanProofError:
        return False
    return True


def found(stage: Rehearsal, probe_set: ProbeSet, faulty: State) -> tuple[ProbeReport, ProbeReport]:
    """Return what is reported while VPP has something else, and what frames alone tell of it."""
    before = stage.vpp.observe()
    if perform_plan(make_plan(before, faulty), stage.vpp, lambda done: None).refusals:
        pytest.skip("VPP refuses the fault")
    observed = stage.vpp.observe()
    findings = send_probes(stage.vpp, observed, stage.network, probe_set.probes)
    assert perform_plan(make_plan(stage.vpp.observe(), before), stage.vpp, lambda done: None).refusals == ()
    told = deviations(observed, stage.network.state)
    return report_of(findings, (), told, stage.network.without_link), report_of(findings, ())


STATIONS = """
interfaces:
  GigabitEthernet1/0/0: { addresses: [ 192.0.2.1/24, 2001:db8::1/64 ], macip: exception-first }
  GigabitEthernet1/0/1: { addresses: [ 198.51.100.1/24 ], macip: many }
  GigabitEthernet1/0/2: { addresses: [ 203.0.113.1/24 ], macip: no-exception }
macip_acls:
  exception-first:
    terms:
      - { action: permit, mac: "02:00:00:00:00:01", source: 192.0.2.9/32 }
      - { action: deny, source: 192.0.2.0/28 }
      - { action: permit, source: 192.0.2.0/24 }
      - { action: permit, source: "2001:db8::/64", mac: "02:00:00:00:00:00", mac-mask: "ff:ff:00:00:00:00" }
  many:
    terms:
      - { action: permit, mac: "02:00:00:00:00:01", source: 198.51.100.9/32 }
      - { action: deny, source: 10.1.0.0/24 }
      - { action: deny, source: 10.2.0.0/24 }
      - { action: deny, source: 10.3.0.0/24 }
      - { action: deny, source: 10.4.0.0/24 }
      - { action: deny, source: 10.5.0.0/24 }
      - { action: deny, source: 10.6.0.0/24 }
      - { action: deny, source: 198.51.100.0/24 }
  no-exception:
    terms:
      - { action: deny, source: 203.0.113.0/24 }
      - { action: permit, mac: "02:00:00:00:00:01", source: 203.0.113.9/32 }
"""
"""Of `many` and `no-exception` the rules say that VPP asks the terms in another order than the file has them."""


def test_macip_lists_keep_out_whom_the_order_of_vpp_keeps_out() -> None:
    loaded = parse_text(STATIONS, "stations.yaml")
    assert [(problem.rule, problem.path[1]) for problem in loaded.problems] == [
        ("macip-order", "many"),
        ("macip-order", "no-exception"),
    ]
    assert loaded.understood is not None
    with rehearsal(loaded.understood, prefix()) as stage:
        probe_set = probes_for(stage.network)
        report = prove(stage.vpp, stage.network, probe_set)
    assert wrong(report) == []
    about = {
        (probe.port, probe.frame.source, probe.frame.packet.source, end.reason is Reason.STATION)
        for probe in probe_set.probes
        for end, _ in probe.prediction.ends
    }
    station = "02:00:00:00:00:01"
    assert {
        ("GigabitEthernet1/0/0", station, "192.0.2.9", False),
        ("GigabitEthernet1/0/1", station, "198.51.100.9", True),
        ("GigabitEthernet1/0/2", station, "203.0.113.9", False),
    } <= about


def test_rules_in_another_order_are_blamed_on_their_list(configuration: Configuration) -> None:
    with rehearsal(configuration, prefix()) as stage:
        ((subject, faulty),) = [each[1:] for each in faults_of(stage.vpp.observe()) if each[0] == "rule order"]
        for report in found(stage, probes_for(stage.network), faulty):
            assert [suspect.subject for suspect in report.suspects] == [subject]
            assert report.wrong


FAULTS_PER_FILE = 6


@pytest.mark.parametrize("number", range(FIRST, FIRST + FAULTS // FAULTS_PER_FILE))
def test_faults_behind_the_back_of_a_random_file_are_found_and_their_objects_named(number: int) -> None:
    dice = random.Random(number)
    wrongs = []
    with rehearsal(numbered_network(number), prefix()) as stage:
        probe_set = probes_for(stage.network)
        state = stage.vpp.observe()
        every = list(faults_of(state))
        dice.shuffle(every)
        possible = [fault for fault in every if is_possible(state, fault[2])]
        for what, subject, faulty in possible[:FAULTS_PER_FILE]:
            report, by_frames = found(stage, probe_set, faulty)
            items = [suspect.subject for suspect in report.suspects]
            is_shown = is_noticed(stage, probe_set, faulty)
            is_blamed = subject in [suspect.subject for suspect in by_frames.suspects]
            said = f"fault {number}: {what}, {subject}: {items}, {is_shown=}, {by_frames.wrong} frames, {is_blamed=}"
            log.info("%s", said)
            if items[:1] != [subject] or (is_shown and not by_frames.wrong):
                wrongs.append((what, subject, items, is_shown, wrong(by_frames)))
    assert wrongs == []
