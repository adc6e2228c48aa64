"""vppcfg in a program: what the command does, without it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, L2XC, L3, Serve, serve, two_ports
from vppcfg import api
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.vpp import SimulatedVpp

__all__ = ["serve"]

VPP_ONLY = f"""
import sys
from vppcfg import api

router = api.Target(api_socket=sys.argv[1])
loaded = api.load(text={L3!r})
api.check(text={L3!r})
assert api.plan(loaded, api.observe(router)).steps
assert api.apply(loaded, router).code is api.ExitCode.DONE
assert "100.64.10.1/30" in api.dump(api.observe(router))
assert api.roll_back(router) is api.ExitCode.DONE
print(*sorted(name for name in sys.modules if name == "argparse" or name.startswith("vppcfg.cli")))
"""


@pytest.fixture
def router(serve: Serve) -> api.Target:
    return api.Target(api_socket=serve(SimulatedVpp(ports=two_ports())))


def is_at(router: api.Target, text: str) -> bool:
    return not api.plan(api.load(text=text), api.observe(router)).steps


def test_it_works_without_the_command_and_its_parser(router: api.Target) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", VPP_ONLY, router.api_socket], capture_output=True, text=True, timeout=60, check=False
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "\n", "")


def test_a_configuration_is_applied_and_rolled_back(router: api.Target) -> None:
    first = api.apply(api.load(text=L2XC), router)
    second = api.apply(api.load(text=L3), router)
    assert [(done.code, done.change) for done in (first, second)] == [(api.ExitCode.DONE, 1), (api.ExitCode.DONE, 2)]
    assert is_at(router, L3)
    assert api.roll_back(router) is api.ExitCode.DONE
    assert is_at(router, L2XC)
    assert api.roll_back(router, number=1) is api.ExitCode.DONE
    assert not is_at(router, L2XC)


def test_what_is_there_already_is_no_change(router: api.Target) -> None:
    api.apply(api.load(text=L3), router)
    assert api.apply(api.load(text=L3), router) == api.Applied(code=api.ExitCode.DONE)


def test_a_dump_is_a_configuration_without_a_plan(router: api.Target) -> None:
    api.apply(api.load(text=L3), router)
    assert is_at(router, api.dump(api.observe(router)))


def test_every_problem_is_returned(tmp_path: Path) -> None:
    (tmp_path / "router.yaml").write_text("interfaces: { GigabitEthernet1/0/0: { mtu: 1, nonsense: 2 } }")
    problems = api.check(tmp_path / "router.yaml")
    assert len(problems) == 2
    with pytest.raises(api.InvalidError, match="and 1 more error") as caught:
        api.load(tmp_path / "router.yaml")
    assert caught.value.problems == problems
    assert caught.value.exit_code is api.ExitCode.INVALID


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(api.VppcfgError):
        api.check(tmp_path / "none.yaml")


def test_nobody_at_the_socket_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(api.VppcfgError) as caught:
        api.observe(api.Target(api_socket=str(tmp_path / "none")))
    assert caught.value.exit_code is api.ExitCode.DATAPLANE


def test_a_port_that_the_file_does_not_know_is_said(router: api.Target) -> None:
    loaded = api.load(text=f"interfaces: {{ {GI1}: {{ mtu: 1500 }} }}")
    for ask in (lambda: api.plan(loaded, api.observe(router)), lambda: api.apply(loaded, router)):
        with pytest.raises(api.VppcfgError, match="GigabitEthernet3/0/0") as caught:
            ask()
        assert caught.value.exit_code is api.ExitCode.REFUSED


def test_more_impact_than_allowed_is_refused(router: api.Target) -> None:
    api.apply(api.load(text=L3), router)
    with pytest.raises(api.VppcfgError, match="impact") as caught:
        api.apply(api.load(text=L2XC), router, max_impact=api.Impact.NONE)
    assert caught.value.exit_code is api.ExitCode.REFUSED
    assert is_at(router, L3)


def test_a_change_that_fails_is_undone_and_returned(serve: Serve) -> None:
    router = api.Target(api_socket=serve(SimulatedVpp(ports=two_ports(), faults=Faults(fail_at=3))))
    assert api.apply(api.load(text=L3), router).code is api.ExitCode.ROLLED_BACK


def test_a_change_waits_and_is_confirmed(router: api.Target) -> None:
    assert api.apply(api.load(text=L3), router, confirm_s=300).change == 1
    with pytest.raises(api.VppcfgError, match="waits to be confirmed"):
        api.apply(api.load(text=L2XC), router)
    assert api.confirm(router) == 1
    with pytest.raises(api.VppcfgError, match="no change waits"):
        api.confirm(router)


def test_a_confirmation_that_names_its_change_keeps_no_other_one(router: api.Target) -> None:
    assert api.apply(api.load(text=L3), router, confirm_s=300).change == 1
    with pytest.raises(api.VppcfgError, match="change 1 waits to be confirmed, and not change 2"):
        api.confirm(router, number=2)
    assert api.confirm(router, number=1) == 1
    assert api.confirm(router, number=1) == 1, "again, since it is that change which is confirmed"
    with pytest.raises(api.VppcfgError, match="2"):
        api.confirm(router, number=2)


def test_nothing_is_printed(router: api.Target, capfd: pytest.CaptureFixture[str]) -> None:
    api.apply(api.load(text=L3), router)
    assert capfd.readouterr() == ("", "")


class Witness(api.Silent):
    """A console that notes what it is shown, and disagrees."""

    def __init__(self) -> None:
        self.plans: list[api.Plan] = []

    def show_plan(self, plan: api.Plan) -> None:
        self.plans.append(plan)

    def agrees(self, plan: api.Plan) -> bool:
        return False


def test_a_console_is_shown_the_plan_and_may_disagree(router: api.Target) -> None:
    console = Witness()
    api.apply(api.load(text=L3), router)
    with pytest.raises(api.VppcfgError, match="not confirmed; nothing was changed"):
        api.apply(api.load(text=L2XC), router, console=console)
    assert len(console.plans) == 1
    assert is_at(router, L3)


def in_a_thread(work: Callable[[], object]) -> list[object]:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join(60)
    return found


def test_it_works_in_a_thread(router: api.Target) -> None:
    done = in_a_thread(lambda: api.apply(api.load(text=L3), router))
    assert done == [api.Applied(code=api.ExitCode.DONE, change=1)]


def test_the_program_gets_the_signal_once_the_old_state_is_back(serve: Serve) -> None:
    def interrupt(count: int) -> None:
        if count == 2:
            os.kill(os.getpid(), signal.SIGINT)

    router = api.Target(api_socket=serve(SimulatedVpp(ports=two_ports(), on_change=interrupt)))
    before = api.observe(router)
    with pytest.raises(KeyboardInterrupt):
        api.apply(api.load(text=L3), router)
    assert api.observe(router) == before
