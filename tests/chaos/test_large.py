"""The same with plans of thousands of messages, at random ones of them."""

import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chaos.configurations import LARGE_PLANS
from tests.chaos.plans import plan_named
from tests.chaos.router import SimulatedRouter, assert_new, assert_tidy, end_of, forked, run, simulated_router
from vppcfg.errors import ExitCode
from vppcfg.simulator.faults import Faults

pytestmark = pytest.mark.long

Around = Callable[..., None]
POINTS = 12


def points_of(name: str) -> list[int]:
    """Return some messages of a plan, the first and the last one among them."""
    messages = sum(operation.needs_vpp for operation in plan_named(name).operations)
    return [1, messages, *random.Random(name).sample(range(2, messages), POINTS - 2)]


def apply(router: SimulatedRouter) -> int:
    return run(router.words("apply", "--yes", "--allow-mass-deletion", "--again", "-q"))


@pytest.mark.parametrize("name", LARGE_PLANS)
def test_vpp_refuses_a_message(tmp_path: Path, name: str, with_linux: Around, folders_of_this_test: Path) -> None:
    for position in points_of(name):
        with simulated_router(tmp_path / str(position), name, Faults(fail_at=position)) as router:
            with_linux(router)
            before = router.state()
            assert apply(router) == ExitCode.ROLLED_BACK
            assert router.state() == before
            assert_tidy(router, folders_of_this_test)


@pytest.mark.parametrize("name", LARGE_PLANS)
def test_vpp_dies_and_starts_again(tmp_path: Path, name: str, with_linux: Around) -> None:
    for position in points_of(name):
        with simulated_router(tmp_path / str(position), name, Faults(die_at=position, restart_s=0.01)) as router:
            with_linux(router)
            assert apply(router) == ExitCode.STRANDED
            assert apply(router) == ExitCode.DONE
            assert_new(router)


@pytest.mark.parametrize("name", LARGE_PLANS)
@pytest.mark.parametrize("is_going_back", [True, False], ids=["back", "on"])
def test_vppcfg_is_killed_and_run_again(
    tmp_path: Path, name: str, is_going_back: bool, with_linux: Around, folders_of_this_test: Path
) -> None:
    victim_file = tmp_path / "victim"

    def be_the_victim(router: SimulatedRouter) -> int:
        victim_file.write_text(str(os.getpid()))
        return apply(router)

    def killer(position: int) -> Callable[[int], None]:
        def kill(count: int) -> None:
            if count == position:
                os.kill(int(victim_file.read_text()), signal.SIGKILL)

        return kill

    for position in points_of(name):
        with simulated_router(tmp_path / str(position), name, on_change=killer(position)) as router:
            with_linux(router)
            before = router.state()
            with forked(lambda router=router: be_the_victim(router), tmp_path / "log") as pid:  # type: ignore[misc]
                assert end_of(pid) == -signal.SIGKILL
            if is_going_back:
                assert run(router.words("rollback", "--yes", "--allow-mass-deletion", "-q")) == ExitCode.DONE
                assert router.state() == before
            else:
                assert apply(router) == ExitCode.DONE
                assert_new(router)
            assert_tidy(router, folders_of_this_test)
