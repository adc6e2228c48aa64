"""Whose objects without a mark are on an interface or bridge domain that a file has no more.

They are the operator's where the file in force set exactly what VPP has; in every other case nothing tells.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, two_ports
from vppcfg.app import default_paths
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import connect

pytestmark = pytest.mark.usefixtures("files")
Run = Callable[..., tuple[int, str]]

BASE = f"""\
interfaces:
  {GI1}: {{ mtu: 1500, addresses: [ 192.0.2.1/24 ] }}
  {GI3}: {{ mtu: 1500, addresses: [ 198.51.100.1/24 ] }}
"""
LOOP = "loopbacks: {{ loop1: {{ addresses: [ 203.0.113.1/24, '2001:db8::1/64' ], {keys} }} }}\n"
L3XC = f"l3xc: {{ ipv4: {{ interface: {GI1}, gateway: 192.0.2.2 }} }}"
OWNED = {
    "l3xc": LOOP.format(keys=L3XC),
    "vrrp": LOOP.format(keys="vrrp: { 7: { addresses: [ 203.0.113.254 ], priority: 200 } }"),
    "qos": LOOP.format(keys="qos: { record: [ ip ], store: 46 }"),
    "punt-redirect": LOOP.format(keys=f"punt-redirect: {{ ipv4: {{ interface: {GI1}, gateway: 192.0.2.2 }} }}"),
    "arp-entries": "bridgedomains: { bd10: { settings: { arp-termination: true }, "
    "arp-entries: { 192.0.2.5: '02:00:00:00:00:05' } } }\n",
    "neighbors": "gre_tunnels: { gre0: { local: 192.0.2.1, multipoint: true, neighbors: { 10.9.9.2: 192.0.2.2 } } }\n",
}
QOS = "qos_maps: { 1: { ip: { 184: 46 } } }\n"
MARKED = LOOP.format(keys="qos: { mark: { ip: 1 } }") + QOS


@pytest.fixture
def vpp() -> SimulatedVpp:
    return SimulatedVpp(ports=two_ports())


@pytest.fixture
def socket(vpp: SimulatedVpp, serve: Serve) -> str:
    return serve(vpp)


@pytest.fixture
def run(socket: str, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on the VPP with a text as file, and return exit code and standard error."""

    def run(command: str, text: str = "", *more: str) -> tuple[int, str]:
        words = [command, *more]
        if text:
            Path("file.yaml").write_text(text)
            words += ["-c", "file.yaml"]
        capsys.readouterr()
        code = main([*words, *(["--yes"] if command in ("apply", "rollback") else []), "-a", socket])
        return code, capsys.readouterr().err

    return run


def objects_of(socket: str) -> object:
    with connect(socket) as plane:
        return plane.observe().objects


@pytest.mark.parametrize("key", OWNED)
def test_what_the_file_in_force_set_goes_with_its_entry_and_comes_back(key: str, run: Run, socket: str) -> None:
    assert run("apply", BASE + OWNED[key])[0] == ExitCode.DONE
    before = objects_of(socket)
    assert before
    code, err = run("plan", BASE)
    assert (code, "lose-unmanaged" in err) == (ExitCode.DONE, False), err
    code, err = run("apply", BASE)
    assert code == ExitCode.DONE, err
    assert not objects_of(socket)
    assert run("rollback")[0] == ExitCode.DONE
    assert objects_of(socket) == before
    assert run("apply", BASE, "--again")[0] == ExitCode.DONE
    assert not objects_of(socket)


def test_a_map_may_go_together_with_the_interface_that_marks_by_it(run: Run, socket: str) -> None:
    assert run("apply", BASE + MARKED)[0] == ExitCode.DONE
    code, err = run("apply", f"{BASE}qos_maps: {{}}\n")
    assert code == ExitCode.DONE, err
    assert not objects_of(socket)


def test_a_saved_plan_takes_them_along(run: Run, socket: str) -> None:
    assert run("apply", BASE + MARKED)[0] == ExitCode.DONE
    assert run("plan", f"{BASE}qos_maps: {{}}\n", "--save", "kept.plan")[0] == ExitCode.DONE
    assert run("plan", "", "--show", "kept.plan")[0] == ExitCode.DONE
    code, err = run("apply", "", "kept.plan")
    assert code == ExitCode.DONE, err
    assert not objects_of(socket)


IN_VRF = "vrfs: { red: { id: 10, dhcp-relay: { ipv4: { servers: [ 203.0.113.1 ], source: 192.0.2.1 } } } }\n"


def test_objects_of_a_vrf_are_removed_by_an_empty_key_first(run: Run, socket: str) -> None:
    """VPP ends when a table goes in one plan with a path MTU in it."""
    assert run("apply", BASE + IN_VRF)[0] == ExitCode.DONE
    refused(run, socket)


def refused(run: Run, socket: str) -> None:
    before = objects_of(socket)
    for command in ("plan", "apply"):
        code, err = run(command, BASE)
        assert code == ExitCode.REFUSED, err
        assert "--lose-unmanaged" in err
    assert objects_of(socket) == before


def test_without_a_journal_nothing_tells_whose_they_are(run: Run, socket: str) -> None:
    assert run("apply", BASE + OWNED["l3xc"])[0] == ExitCode.DONE
    shutil.rmtree(default_paths.state_dir())
    refused(run, socket)


def test_a_change_of_another_run_of_vpp_does_not_tell(run: Run, socket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("apply", BASE + OWNED["l3xc"])[0] == ExitCode.DONE
    monkeypatch.setattr("vppcfg.app.vpp_with_linux.Router.boot_id", property(lambda self: "another run"))
    refused(run, socket)


@pytest.mark.parametrize(
    "line",
    [f"l3xc add loop1 via 192.0.2.3 {GI1}", f"l3xc add loop1 ip6 via 2001:db8::3 {GI1}", "l3xc add loop1 ip6 via drop"],
    ids=["changed", "added", "added in a form that no file has"],
)
def test_what_somebody_has_changed_since_is_not_the_files(line: str, run: Run, socket: str, vpp: SimulatedVpp) -> None:
    assert run("apply", BASE + OWNED["l3xc"])[0] == ExitCode.DONE
    retval, text = vpp.run_line(line)
    assert retval == 0, text
    refused(run, socket)


def test_a_key_that_the_file_in_force_lacks_owns_nothing(run: Run, socket: str) -> None:
    assert run("apply", BASE + OWNED["l3xc"])[0] == ExitCode.DONE
    assert run("apply", BASE + LOOP.format(keys="mtu: 1500"))[0] == ExitCode.DONE
    assert objects_of(socket)
    refused(run, socket)


def test_what_a_rollback_has_brought_back_of_others_is_theirs(run: Run, socket: str, vpp: SimulatedVpp) -> None:
    assert run("apply", BASE + LOOP.format(keys="mtu: 1500"))[0] == ExitCode.DONE
    assert vpp.run_line(f"l3xc add loop1 via 192.0.2.3 {GI1}")[0] == 0
    assert run("apply", BASE + OWNED["l3xc"])[0] == ExitCode.DONE
    assert run("rollback")[0] == ExitCode.DONE
    refused(run, socket)


def test_a_file_that_a_rollback_has_brought_back_owns_what_it_set(run: Run, socket: str) -> None:
    assert run("apply", BASE + OWNED["l3xc"])[0] == ExitCode.DONE
    assert run("apply", BASE + LOOP.format(keys="l3xc: {}"))[0] == ExitCode.DONE
    assert run("rollback")[0] == ExitCode.DONE
    code, err = run("apply", BASE)
    assert code == ExitCode.DONE, err
    assert not objects_of(socket)


def test_what_vpp_leaves_of_det44_goes_with_the_interface(run: Run, vpp: SimulatedVpp) -> None:
    """VPP turns the feature on once more where it drops a side, and a change may be cut off right there."""
    code, err = run("apply", BASE + LOOP.format(keys="det44: outside") + "det44: {}\n")
    assert code == ExitCode.DONE, err
    assert vpp.run_line("set interface det44 outside loop1 del")[0] == 0
    assert vpp.run_line("show interface features loop1")[1].count("det44-out2in") == 2
    code, err = run("apply", BASE)
    assert code == ExitCode.DONE, err
