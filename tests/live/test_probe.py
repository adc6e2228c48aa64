"""`probe --rehearse` with a real VPP: frames go where the file says, and faults behind the file's back are found.

PROBE_FILES and PROBE_FAULTS say how many random files and faults there are; PROBE_FIRST, with which of them it begins.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.laws.networks import numbered_network
from tests.real_vpp import prefix, skip_reason
from tests.wireguard_keys import KEYS
from vppcfg.app.probing import prove
from vppcfg.app.rehearsing import Rehearsal, rehearsal, rehearse, with_macs
from vppcfg.cli.main import main
from vppcfg.config import load
from vppcfg.config.configuration import Configuration
from vppcfg.errors import ExitCode, PlanProofError
from vppcfg.model.interface import InterfaceKind, OtherMatch, TagRewrite
from vppcfg.model.state import State
from vppcfg.model.vrf import table_key
from vppcfg.plan.plan import make_plan
from vppcfg.probe.aims import Campaign, probes_for
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import frame_text
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import UndecidedError
from vppcfg.probe.report import ProbeReport, report_of
from vppcfg.probe.verdict import comparable
from vppcfg.transaction.perform import perform_plan

REASON = skip_reason()
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

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
    assert report.sent > 10


def test_the_command_tells_that_all_is_as_the_file_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "-q", "-c", str(ROUTER), "--rehearse", str(prefix())]) == ExitCode.DONE
    assert capsys.readouterr().out.splitlines()[-1].startswith("VPP did with all ")


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
    "rules in another order": (
        ["set acl-plugin acl index 0 permit, deny src 0.0.0.0/0 dst 192.0.2.0/24 proto 17 dport 53 tag vppcfg:outside"],
        "access list outside",
    ),
}


@pytest.mark.parametrize(("lines", "thing"), TYPED.values(), ids=TYPED)
def test_a_fault_is_found_and_blamed_on_its_object(configuration: Configuration, lines: list[str], thing: str) -> None:
    with rehearsal(configuration, prefix()) as stage:
        campaign = probes_for(stage.network)
        for line in lines:
            stage.vpp.run_line(line)
        findings = prove(stage.vpp, stage.observed, stage.network, campaign.probes)
    suspects = [suspect.thing for suspect in report_of(findings, ()).suspects]
    assert suspects[:1] == [thing]


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
        thing = f"interface {name}"
        if interface.is_l2:
            rewrite = TagRewrite(operation=1, push_dot1q=1, tag1=77) if interface.tag_rewrite is None else None
            yield "tag rewrite", thing, _changed(state, name, tag_rewrite=rewrite)
        if interface.bridge is not None and not interface.is_bvi:
            without = _changed(state, name, bridge=None, tag_rewrite=None, static_macs=(), split_horizon_group=0)
            yield "bridge port missing", f"bridge domain bd{interface.bridge}", without
        if interface.addresses and interface.packet_mtu > 600:
            yield "MTU", thing, _changed(state, name, packet_mtu=600)
        for number in sorted({table.table_id for table in state.vrfs.values()}):
            is_whole = all(table_key(number, is_ipv6=is_ipv6) in state.vrfs for is_ipv6 in (False, True))
            if interface.addresses and is_whole and number not in interface.tables:
                yield "table", thing, _changed(state, name, tables=(number, number))
                break
        if interface.is_up:
            yield "state", thing, _changed(state, name, is_up=False)
    for name, acl in state.acls.items():
        if len(acl.rules) > 1:
            turned = replace(acl, rules=acl.rules[::-1])
            yield "rule order", f"access list {name}", replace(state, acls={**state.acls, name: turned})


def is_noticed(stage: Rehearsal, campaign: Campaign, faulty: State) -> bool:
    """Return whether a frame would go elsewhere in what VPP has then."""
    network = Network(with_macs(faulty, stage.observed), stage.network.without_link)
    for probe in campaign.probes:
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


def found(stage: Rehearsal, campaign: Campaign, faulty: State) -> list[str]:
    """Return which objects are blamed while VPP has something else, the most suspicious first."""
    before = stage.vpp.observe()
    if perform_plan(make_plan(before, faulty), stage.vpp, lambda done: None).refusals:
        pytest.skip("VPP refuses the fault")
    findings = prove(stage.vpp, stage.vpp.observe(), stage.network, campaign.probes)
    assert perform_plan(make_plan(stage.vpp.observe(), before), stage.vpp, lambda done: None).refusals == ()
    return [suspect.thing for suspect in report_of(findings, ()).suspects]


FAULTS_PER_FILE = 6


@pytest.mark.parametrize("number", range(FIRST, FIRST + FAULTS // FAULTS_PER_FILE))
def test_faults_behind_the_back_of_a_random_file_are_found_and_their_objects_named(number: int) -> None:
    dice = random.Random(number)
    with rehearsal(numbered_network(number), prefix()) as stage:
        campaign = probes_for(stage.network)
        state = stage.vpp.observe()
        every = list(faults_of(state))
        dice.shuffle(every)
        possible = (fault for fault in every if is_possible(state, fault[2]))
        chosen = [fault for fault in possible if is_noticed(stage, campaign, fault[2])][:FAULTS_PER_FILE]
        outcomes = [(what, thing, found(stage, campaign, faulty)) for what, thing, faulty in chosen]
    assert [each for each in outcomes if each[1] not in each[2]] == []
