"""`probe --rehearse` with a real VPP: frames go where the file says, and faults behind the file's back are found.

PROBE_FILES and PROBE_FAULTS say how many random files and faults there are; PROBE_FIRST, with which of them it begins.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.laws.networks import numbered_network
from tests.real_vpp import prefix, skip_reason
from tests.wireguard_keys import KEYS
from vppcfg.app.probing import prove
from vppcfg.app.rehearsing import rehearsal, rehearse
from vppcfg.cli.main import main
from vppcfg.config import load
from vppcfg.config.configuration import Configuration
from vppcfg.errors import ExitCode
from vppcfg.probe.aims import probes_for
from vppcfg.probe.frame import frame_text
from vppcfg.probe.report import ProbeReport, report_of

REASON = skip_reason()
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

FILES = int(os.environ.get("PROBE_FILES", "10"))
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


FAULTS = {
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


@pytest.mark.parametrize(("lines", "thing"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found_and_blamed_on_its_object(configuration: Configuration, lines: list[str], thing: str) -> None:
    with rehearsal(configuration, prefix()) as stage:
        campaign = probes_for(stage.network)
        for line in lines:
            stage.vpp.run_line(line)
        findings = prove(stage.vpp, stage.observed, stage.network, campaign.probes)
    suspects = [suspect.thing for suspect in report_of(findings, ()).suspects]
    assert suspects[:1] == [thing]
