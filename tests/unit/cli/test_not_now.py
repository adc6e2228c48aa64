"""What passes by itself has an exit code of its own, and a wait that nobody wants any more ends at once."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.full_disk import FullDisk
from tests.unit.cli.conftest import Serve, two_ports
from vppcfg.app.target import Target
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.load import load_ports
from vppcfg.simulator.vpp import SimulatedVpp

pytestmark = pytest.mark.usefixtures("files")


@pytest.mark.parametrize(
    "command",
    [["apply", "-y", "-c", "l3.yaml"], ["plan", "-c", "l3.yaml"], ["rollback", "-y"], ["confirm"]],
    ids=lambda words: words[0],
)
def test_another_vppcfg_at_work_passes(
    serve: Serve, command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports()))
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp, "--confirm=5"]) == ExitCode.DONE
    try:
        with Target(api_socket=vpp).lock("vppcfg apply"):
            assert main([*command, "-a", vpp]) == ExitCode.NOT_NOW
        assert "another vppcfg works on this VPP" in capsys.readouterr().err
    finally:
        assert main(["confirm", "-a", vpp]) == ExitCode.DONE


def test_a_plan_is_shown_while_another_vppcfg_is_at_work_and_says_so(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports()))
    assert main(["plan", "-c", "l3.yaml", "-a", vpp, "--save", "kept"]) == ExitCode.DONE
    free = capsys.readouterr().out
    with Target(api_socket=vpp).lock("vppcfg rollback"):
        for words in (["plan", "-c", "l3.yaml"], ["plan", "--show", "kept"]):
            assert main([*words, "-a", vpp]) == ExitCode.NOT_NOW
            out, err = capsys.readouterr()
            assert out == free
            assert f"another vppcfg works on this VPP: vppcfg rollback, process {os.getpid()}, since" in err
            assert "plan again: what VPP has may be half-way" in err
        assert main(["plan", "-c", "l3.yaml", "-a", vpp, "--save", "other"]) == ExitCode.NOT_NOW
        assert not Path("other").exists()
        assert main(["apply", "--yes", "kept", "-a", vpp]) == ExitCode.NOT_NOW
    assert main(["plan", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DONE


def test_a_vpp_that_does_not_answer_while_another_vppcfg_is_at_work_is_busy(
    nobody: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", "-c", "l3.yaml", "-a", nobody]) == ExitCode.DATAPLANE
    with Target(api_socket=nobody).lock("vppcfg apply"):
        for command in (["plan"], ["apply", "--yes"]):
            assert main([*command, "-c", "l3.yaml", "-a", nobody]) == ExitCode.NOT_NOW
            assert "another vppcfg works on this VPP: vppcfg apply" in capsys.readouterr().err


def test_a_full_disk_passes(serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports()))
    with monkeypatch.context() as patch:
        patch.setattr("vppcfg.transaction.directory.os.fsync", FullDisk(1))
        assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp]) == ExitCode.NOT_NOW
    assert "No space left on device" in capsys.readouterr().err
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DONE


def test_ports_that_are_late_pass_at_boot_and_nowhere_else(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.app.booting.PORTS_PATIENCE_S", 0.0)
    vpp = SimulatedVpp(ports=two_ports())
    path = serve(vpp)
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", path]) == ExitCode.DONE
    vpp._ports = two_ports()[:1]
    vpp.restart()
    assert main(["apply", "--boot", "-c", "l3.yaml", "-a", path]) == ExitCode.NOT_NOW
    assert main(["apply", "--boot", "-c", "l2xc.yaml", "-a", path]) == ExitCode.NOT_NOW
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", path]) == ExitCode.REFUSED


ROUTED = """
unmanaged: [ GigabitEthernet3/0/0 ]
interfaces: { GigabitEthernet1/0/0: { addresses: [ 192.0.2.1/24 ] } }
routes: { 10.0.0.0/8: { via: { interface: GigabitEthernet3/0/0 } } }
"""


@pytest.mark.parametrize("is_edited", [False, True], ids=["by the file", "by what was accepted"])
def test_a_boot_waits_for_an_interface_of_others_that_a_route_leads_to(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, *, is_edited: bool
) -> None:
    Path("routed.yaml").write_text(ROUTED)
    vpp = SimulatedVpp(ports=two_ports())
    path = serve(vpp)
    assert main(["apply", "--yes", "-c", "routed.yaml", "-a", path]) == ExitCode.DONE
    if is_edited:
        Path("routed.yaml").write_text(ROUTED.replace("10.0.0.0/8", "10.0.0.0/16"))
    vpp._ports = two_ports()[:1]
    vpp.restart()

    def waited(missing: Callable[[], tuple[str, ...]]) -> None:
        assert missing() == ("GigabitEthernet3/0/0",)

    with monkeypatch.context() as patch:
        patch.setattr("vppcfg.app.booting.await_ports", waited)
        assert main(["apply", "--boot", "-c", "routed.yaml", "-a", path]) == ExitCode.NOT_NOW

    def came(missing: Callable[[], tuple[str, ...]]) -> None:
        waited(missing)
        load_ports(vpp.tables, two_ports()[1:])
        assert missing() == ()

    monkeypatch.setattr("vppcfg.app.booting.await_ports", came)
    assert main(["apply", "--boot", "-c", "routed.yaml", "-a", path]) == ExitCode.DONE
    Path("routed.yaml").write_text(ROUTED)
    assert main(["plan", "-c", "routed.yaml", "-a", path, "--detailed-exitcode"]) == ExitCode.DONE


def test_another_mistake_beside_a_late_port_does_not_pass(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.app.booting.PORTS_PATIENCE_S", 0.0)
    path = serve(SimulatedVpp(ports=two_ports()))
    text = "interfaces:\n  GigabitEthernet1/0/0: {}\n  GigabitEthernet9/0/0: {}\n"
    Path("late.yaml").write_text(text)
    assert main(["apply", "--boot", "-c", "late.yaml", "-a", path]) == ExitCode.REFUSED


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_wait_for_a_vpp_that_is_gone_ends_at_a_signal(
    serve: Serve, number: signal.Signals, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports(), faults=Faults(die_at=3)))
    waits = threading.Event()

    def tell(patience_s: float, *_: object) -> None:
        waits.set()
        threading.Timer(0.2, os.kill, (os.getpid(), number)).start()

    monkeypatch.setattr("vppcfg.transaction.session._log.warning", lambda text, patience_s: tell(patience_s))
    began = time.monotonic()
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp]) == ExitCode.STRANDED
    assert waits.is_set()
    assert time.monotonic() - began < 60
    assert "the wait for it was interrupted" in capsys.readouterr().err
