"""Whatever happens at whichever step: afterwards VPP is in the old or in the new state, or exit 7 said what stands."""

import os
import resource
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from tests.chaos.configurations import PLANS
from tests.chaos.plans import plan_named
from tests.chaos.router import (
    SimulatedRouter,
    assert_new,
    assert_tidy,
    end_of,
    forked,
    run,
    simulated_router,
    wait_until,
)
from tests.full_disk import FullDisk
from tests.laws.examples import TIMES
from tests.operations import every_operation
from vppcfg.errors import ExitCode
from vppcfg.kinds.osi import EnableOsiProtocol
from vppcfg.kinds.path_mtu import AnchorHost, RenewPathMtu
from vppcfg.kinds.policy_route_operations import ReleaseTypedPolicy
from vppcfg.kinds.rate_limit_operations import FreeIndex
from vppcfg.operations.attachment import AttachmentOperation
from vppcfg.simulator.faults import Faults

Around = Callable[..., None]
FORCE = ("--yes", "--allow-mass-deletion", "--again", "--lose-unmanaged")


def messages_of(name: str) -> int:
    """Return how many messages to VPP a plan has."""
    return sum(operation.needs_vpp for operation in plan_named(name).operations)


def linux_steps_of(name: str) -> int:
    """Return how many steps on Linux a plan has."""
    return len(plan_named(name).steps) - messages_of(name)


def every_message() -> Iterator[tuple[str, int]]:
    for name in PLANS:
        for position in range(1, messages_of(name) + 1):
            yield name, position


def every_linux_step() -> Iterator[tuple[str, int]]:
    for name in PLANS:
        for position in range(1, linux_steps_of(name) + 1):
            yield name, position


def sample(cases: Iterable[tuple[str, int]], one_in: int, first: int) -> pytest.MarkDecorator:
    """Let a test have one in so many of the cases, and each of them in `make test-long`."""
    params = [
        pytest.param(*case, marks=() if number % one_in == first else pytest.mark.long)
        for number, case in enumerate(cases)
    ]
    return pytest.mark.parametrize(("name", "position"), params)


def at_messages(one_in: int, first: int = 0, without: str = "") -> pytest.MarkDecorator:
    """Let an accident happen at one in so many messages of all plans but one, and at each in `make test-long`.

    What there is to go back to depends on the message alone, so different accidents share the messages among them.
    """
    return sample((case for case in every_message() if case[0] != without), one_in, first)


def apply(router: SimulatedRouter, *options: str) -> int:
    """Run `vppcfg apply` in this process."""
    return run(router.words("apply", *FORCE, *options))


def test_the_plans_contain_every_operation() -> None:
    found = {type(operation) for name in PLANS for operation in plan_named(name).operations}
    # These come only where others have something that a plan touches; VPP never undoes that of OSI protocols.
    needs_others = {
        AnchorHost,
        EnableOsiProtocol,
        FreeIndex,
        ReleaseTypedPolicy,
        RenewPathMtu,
        *every_operation(AttachmentOperation),
    }
    assert found == set(every_operation()) - needs_others


@pytest.mark.parametrize("name", PLANS)
def test_without_any_fault_the_new_state_is_reached(
    tmp_path: Path, name: str, with_linux: Around, folders_of_this_test: Path
) -> None:
    with simulated_router(tmp_path / "router", name) as router:
        with_linux(router)
        assert apply(router) == ExitCode.DONE
        assert_new(router)
        assert_tidy(router, folders_of_this_test)


@pytest.mark.parametrize("name", PLANS)
def test_a_rollback_brings_the_old_state_back(tmp_path: Path, name: str, with_linux: Around) -> None:
    with simulated_router(tmp_path / "router", name) as router:
        with_linux(router)
        before = router.state()
        assert apply(router) == ExitCode.DONE
        assert run(router.words("rollback", "--yes", "--allow-mass-deletion")) == ExitCode.DONE
        assert router.state() == before


@at_messages(130)
def test_vpp_refuses_a_message(
    tmp_path: Path, name: str, position: int, with_linux: Around, folders_of_this_test: Path
) -> None:
    with simulated_router(tmp_path / "router", name, Faults(fail_at=position)) as router:
        with_linux(router)
        before = router.state()
        assert apply(router) == ExitCode.ROLLED_BACK
        assert router.state() == before
        assert_tidy(router, folders_of_this_test)


@at_messages(160, without="a-table-goes")  # a VPP that ignores the anchor of a path MTU ends with its table
def test_vpp_ignores_a_message(
    tmp_path: Path, name: str, position: int, with_linux: Around, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.transaction.transact.SETTLE_S", 0.0)
    with simulated_router(tmp_path / "router", name, Faults(skip_at=position)) as router:
        with_linux(router)
        before = router.state()
        code = apply(router)
        if code == ExitCode.DONE:
            assert_new(router)
        else:
            assert code in {ExitCode.ROLLED_BACK, ExitCode.DIFFERENT}
            assert router.state() == before


@at_messages(160, first=2)
def test_vpp_does_what_it_says_it_refuses(tmp_path: Path, name: str, position: int, with_linux: Around) -> None:
    with simulated_router(tmp_path / "router", name, Faults(lie_at=position)) as router:
        with_linux(router)
        before = router.state()
        assert apply(router) == ExitCode.ROLLED_BACK
        assert router.state() == before


@at_messages(140)
def test_vpp_dies_and_starts_again(
    tmp_path: Path, name: str, position: int, with_linux: Around, capfd: pytest.CaptureFixture[str]
) -> None:
    with simulated_router(tmp_path / "router", name, Faults(die_at=position, restart_s=0.01)) as router:
        with_linux(router)
        assert apply(router) == ExitCode.STRANDED
        assert "VPP was restarted" in capfd.readouterr().err
        assert apply(router) == ExitCode.DONE
        assert_new(router)


@at_messages(140, first=7)
def test_somebody_presses_control_c(
    tmp_path: Path, name: str, position: int, with_linux: Around, folders_of_this_test: Path
) -> None:
    victim = os.getpid()

    def interrupt(count: int) -> None:
        if count == position:
            os.kill(victim, signal.SIGINT)

    with simulated_router(tmp_path / "router", name, on_change=interrupt) as router:
        with_linux(router)
        before = router.state()
        assert apply(router) == ExitCode.INTERRUPTED
        assert router.state() == before
        assert_tidy(router, folders_of_this_test)


@sample(every_linux_step(), one_in=6, first=0)
def test_linux_refuses_a_step(tmp_path: Path, name: str, position: int, with_linux: Around) -> None:
    from vppcfg.errors import LinuxError

    def refuse(count: int) -> None:
        if count == position:
            raise LinuxError("the kernel says no")

    with simulated_router(tmp_path / "router", name) as router:
        with_linux(router, refuse)
        before = router.state()
        assert apply(router) == ExitCode.ROLLED_BACK
        assert router.state() == before


@at_messages(140, first=13)
def test_vppcfg_is_killed_and_run_again(
    tmp_path: Path, name: str, position: int, with_linux: Around, folders_of_this_test: Path
) -> None:
    victim_file = tmp_path / "victim"

    def kill(count: int) -> None:
        if count == position:
            os.kill(int(victim_file.read_text()), signal.SIGKILL)

    def be_the_victim(router: SimulatedRouter) -> int:
        victim_file.write_text(str(os.getpid()))
        return apply(router)

    with simulated_router(tmp_path / "router", name, on_change=kill) as router:
        with_linux(router)
        before = router.state()
        with forked(lambda: be_the_victim(router), tmp_path / "victim.log") as pid:
            assert end_of(pid) == -signal.SIGKILL, (tmp_path / "victim.log").read_text()
        if position % 2:
            assert run(router.words("rollback", "--yes", "--allow-mass-deletion")) == ExitCode.DONE
            assert router.state() == before
        else:
            assert apply(router) == ExitCode.DONE
            assert_new(router)
            assert run(router.words("rollback", "--yes", "--allow-mass-deletion")) == ExitCode.DONE
            assert router.state() == before
        assert_tidy(router, folders_of_this_test)


@sample(every_linux_step(), one_in=6, first=1)
def test_vppcfg_is_killed_at_a_step_on_linux_and_run_again(
    tmp_path: Path, name: str, position: int, with_linux: Around, folders_of_this_test: Path
) -> None:
    parent = os.getpid()

    def kill(count: int) -> None:
        if count == position and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    with simulated_router(tmp_path / "router", name) as router:
        with_linux(router, kill)
        with forked(lambda: apply(router), tmp_path / "victim.log") as pid:
            assert end_of(pid) == -signal.SIGKILL, (tmp_path / "victim.log").read_text()
        assert apply(router) == ExitCode.DONE
        assert_new(router)
        assert_tidy(router, folders_of_this_test)


def test_two_applies_at_once_do_not_meet(tmp_path: Path, with_linux: Around, capfd: pytest.CaptureFixture[str]) -> None:
    reached, released = tmp_path / "reached", tmp_path / "released"

    def stand_still(count: int) -> None:
        if count == 20:
            reached.touch()
            wait_until(released.exists)

    with simulated_router(tmp_path / "router", "from-bare-to-one", on_change=stand_still) as router:
        with_linux(router)
        with forked(lambda: apply(router), tmp_path / "first.log") as pid:
            wait_until(reached.exists)
            assert apply(router) == ExitCode.NOT_NOW
            assert f"vppcfg apply, process {pid}, since " in capfd.readouterr().err
            released.touch()
            assert end_of(pid) == ExitCode.DONE
        assert_new(router)


def writes_of(name: str, monkeypatch: pytest.MonkeyPatch, folder: Path, with_linux: Around) -> int:
    """Return how often a change writes to the disk."""
    counter = FullDisk(10**6)
    with monkeypatch.context() as patch, simulated_router(folder, name) as router:
        with_linux(router)
        patch.setattr("vppcfg.transaction.directory.os.fsync", counter)
        assert apply(router) == ExitCode.DONE
    return counter.count


def test_the_disk_is_full_when_the_journal_is_written(
    tmp_path: Path,
    with_linux: Around,
    monkeypatch: pytest.MonkeyPatch,
    folders_of_this_test: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    name = "from-two-to-bare"
    writes = writes_of(name, monkeypatch, tmp_path / "counted", with_linux)
    assert writes > 6
    codes = []
    for position in range(1, writes + 1, 1 if TIMES > 1 else 4):
        with monkeypatch.context() as patch, simulated_router(tmp_path / f"router{position}", name) as router:
            with_linux(router)
            before = router.state()
            patch.setattr("vppcfg.transaction.directory.os.fsync", FullDisk(position))
            codes.append(apply(router))
            if codes[-1] == ExitCode.NOT_NOW:
                assert "No space left on device" in capfd.readouterr().err
                assert router.state() == before
            else:
                assert "How this ended could not be written into the journal" in capfd.readouterr().err
                assert_new(router)
            assert_tidy(router, folders_of_this_test)
    assert set(codes) == {ExitCode.NOT_NOW, ExitCode.DONE}


def test_a_file_larger_than_the_kernel_allows_is_a_full_disk(
    tmp_path: Path, with_linux: Around, folders_of_this_test: Path
) -> None:
    def apply_with_little_room(router: SimulatedRouter) -> int:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        return apply(router)

    with simulated_router(tmp_path / "router", "from-one-to-two") as router:
        with_linux(router)
        before = router.state()
        router.linux_file.chmod(0o600)
        log = tmp_path / "log"
        with forked(lambda: apply_with_little_room(router), log) as pid:
            code = end_of(pid)
        assert code != ExitCode.DONE
        assert router.state() == before
        assert_tidy(router, folders_of_this_test)


def test_a_clock_that_jumps_confuses_nobody(
    tmp_path: Path, with_linux: Around, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    times = iter(["2030-01-01T00:00:00+00:00", "1999-01-01T00:00:00+00:00"] * 50)
    for module in ("change_context", "changing", "rollback"):
        monkeypatch.setattr(f"vppcfg.app.{module}.now", lambda: next(times))
    with simulated_router(tmp_path / "router", "from-one-to-two") as router:
        with_linux(router)
        before = router.state()
        assert apply(router) == ExitCode.DONE
        assert run(router.words("rollback", "--yes", "--allow-mass-deletion")) == ExitCode.DONE
        assert router.state() == before
        capfd.readouterr()
        assert run(router.words("history")) == ExitCode.DONE
        numbers = [line.split()[0] for line in capfd.readouterr().out.splitlines() if line[:4].strip()]
        assert numbers == ["1", "2"]
