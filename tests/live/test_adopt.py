"""Published scripts on a real VPP: it takes what the replay takes, and the plan of what was adopted is empty there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.golden_adopt.test_golden_adopt import CASES
from tests.real_vpp import RealVpp, release, skip_reason
from vppcfg.adopt.adoption import Ground, Script, adopt_scripts
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.adopt.simulation import ports_of
from vppcfg.app.target import Target
from vppcfg.common.release import release_of
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.plan.operations import Operation, SetLinkMtu, SetLinuxLink, SetPacketMtu, SetTag
from vppcfg.plan.plan import make_plan

REASON = skip_reason()
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

PORTS = ("eth0", "eth1", "eth2", "eth3")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_real_vpp_ends_where_the_replay_does(case: Path) -> None:
    text = (case / "script.vpp").read_text()
    vpp = RealVpp(makes_vlan_devices=True)
    vpp.start(PORTS)
    try:
        for netns in ("dataplane", "red", "blue"):
            vpp.add_netns(netns)
        for device in re.findall(r"create host-interface name (\S+)", text):
            vpp.add_host_device(device)
        target = Target(api_socket=str(vpp.socket_path), json_dir=str(vpp.api_dir))
        with target.connect() as dataplane:
            ports = ports_of(dataplane.observe())
        ground = Ground(release=release_of(release()), ports=ports, may_assume=False, is_running=True)
        adopted = adopt_scripts([Script(name="script.vpp", text=text)], ground, lambda *_: None)
        for line in adopted.report.lines:
            run(vpp, line)
        with target.connect() as dataplane:
            state = dataplane.observe()
        configuration = parse_text(adopted.text, "adopted").configuration
        assert configuration is not None
        resolution = resolve(configuration, state, adopt=True)
        operations = make_plan(state, resolution.desired).operations
        linked = {each.interface for each in operations if isinstance(each, SetLinkMtu)}
        assert [each for each in operations if not is_said_besides(each, linked)] == []
    finally:
        vpp.stop()


def run(vpp: RealVpp, line: SourceLine) -> None:
    """Run a line, and compare what VPP says to it; a command of a plugin that is not built here says nothing."""
    if line.outcome is LineOutcome.NEVER_RAN or line.command in {"define", "undefine"}:
        return
    code, printed = vpp.cli(line.text)
    if line.is_left:
        return
    assert (code == 0) == (line.rule != "adopt-refused"), (line.text, printed)


def is_said_besides(operation: Operation, linked: set[str]) -> bool:
    """Return whether an operation says what a file does and most scripts do not: docs/adopt.md names them.

    A new link MTU sets the MTU of packets, too, which is then set again: `linked` are the ports with one.
    """
    if isinstance(operation, SetPacketMtu):
        return operation.interface in linked
    return isinstance(operation, (SetTag, SetLinkMtu, SetLinuxLink))
