"""A disk that is full when it matters: the way back and the boot need no room that was not taken before."""

import errno
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.full_disk import FullDisk, ReadOnlyDisk
from tests.laws.examples import TIMES
from tests.unit.cli.conftest import Serve
from tests.unit.cli.test_confirm import Router as RealRouter
from tests.unit.cli.test_confirm import until
from tests.unit.cli.test_damaged_journal import Router, die
from vppcfg.errors import ExitCode

pytestmark = pytest.mark.usefixtures("files")

MOST_WRITES = 60


Begin = Callable[..., Router]


@pytest.fixture
def begin(
    serve: Serve, folders_of_this_test: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Begin:
    """Return a router at l2xc.yaml (change 1), or at l3.yaml (change 2) waiting to be confirmed, without a timer."""
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    monkeypatch.setattr("vppcfg.transaction.watchdog._await_ready", die)
    monkeypatch.setattr("vppcfg.app.deadline.await_deadline", lambda moment, is_over: None)

    def begin(number: int, *, is_waiting: bool) -> Router:
        router = Router(serve, folders_of_this_test / str(number), capsys)
        monkeypatch.setenv("VPPCFG_STATE_DIR", str(router.state))
        assert router.run("apply", "-c", "l2xc.yaml")[0] == ExitCode.DONE
        if is_waiting:
            assert router.run("apply", "-c", "l3.yaml", "--confirm=60")[0] == ExitCode.DONE
        return router

    return begin


def at_every_write(
    begin: Begin,
    monkeypatch: pytest.MonkeyPatch,
    *words: str,
    is_restarted: bool = False,
    one_in: int = 1,
    first: int = 1,
) -> Iterator[tuple[Router, int, str]]:
    """Run a command with the disk full from its first write on, its second one, and so on until it is never full.

    Outside of `make test-long` it may be one in so many writes: the ways back write the same and share them.
    """
    for number in range(1, MOST_WRITES) if TIMES > 1 else range(first, MOST_WRITES, one_in):
        router, disk = begin(number, is_waiting=True), FullDisk(number)
        if is_restarted:
            router.vpp.restart()
        with monkeypatch.context() as patch:
            patch.setattr("vppcfg.transaction.directory.os.fsync", disk)
            patch.setattr("vppcfg.app.deadline.time.sleep", lambda seconds, disk=disk: disk.mend())
            code, err = router.run(*words)
        yield router, code, err
        if disk.count < number:
            assert number > 1
            return
    raise AssertionError("it writes without an end")


def test_a_rollback_goes_back(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    for router, code, err in at_every_write(begin, monkeypatch, "rollback", "--yes", one_in=2):
        assert code == ExitCode.DONE
        assert router.is_at("l2xc.yaml")
        said.append("The journal cannot record this change" in err)
    assert True in said
    assert False in said


def test_the_timer_goes_back_and_notes_it_when_there_is_room_again(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("rollback", "--unless-confirmed", "2")
    for router, code, _ in at_every_write(begin, monkeypatch, *command, one_in=2, first=2):
        assert code == ExitCode.DONE
        assert router.is_at("l2xc.yaml")
        assert router.statuses()[1] == "rolled back"


def test_a_boot_configures_vpp(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("apply", "--boot", "-c", "l3.yaml")
    for router, code, _ in at_every_write(begin, monkeypatch, *command, is_restarted=True, one_in=2):
        assert code == ExitCode.DONE
        assert router.is_at("l2xc.yaml")


def test_a_change_is_confirmed_or_still_waits(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    for router, code, _ in at_every_write(begin, monkeypatch, "confirm"):
        assert router.is_at("l3.yaml")
        assert code in {ExitCode.DONE, ExitCode.NOT_NOW}
        possible = {"confirmed"} if code == ExitCode.DONE else {"confirmed", "waiting to be confirmed"}
        assert router.statuses()[1] in possible  # what was written may be there although it is not certain to stay


@pytest.mark.parametrize(
    ("words", "config"), [(("rollback", "--yes"), "l2xc.yaml"), (("apply", "-c", "l2xc.yaml"), "l2xc.yaml")]
)
def test_a_file_system_that_turns_read_only_is_a_full_disk(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, words: Sequence[str], config: str
) -> None:
    codes = []
    first, step = (1, 1) if TIMES > 1 else (2 if words[0] == "rollback" else 1, 2)  # both commands share the writes
    for number in range(first, MOST_WRITES, step):
        router = begin(number, is_waiting=words[0] == "rollback")
        if words[0] == "apply":
            assert router.run("apply", "-c", "l3.yaml")[0] == ExitCode.DONE
        disk = ReadOnlyDisk(router.state, number)
        with monkeypatch.context() as patch:
            disk.install(patch)
            code, err = router.run(*words)
        assert "internal error" not in err
        codes.append(code)
        assert router.is_at(config if code == ExitCode.DONE else "l3.yaml")
        if disk.count < number:
            break
        assert "Read-only file system" in err
    assert codes[-1] == ExitCode.DONE
    assert set(codes) == {ExitCode.DONE} if words[0] == "rollback" else {ExitCode.DONE, ExitCode.NOT_NOW}


def test_what_cannot_be_kept_of_the_way_back_is_in_the_log(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    router = begin(1, is_waiting=True)
    monkeypatch.setattr("vppcfg.transaction.directory.os.fsync", FullDisk(1))
    err = router.run("rollback", "--yes")[1]
    assert "No space left on device" in err
    assert "lcp delete" in err


def test_a_change_without_room_for_its_way_back_is_refused(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, offset: int, length: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    router = begin(1, is_waiting=False)
    next(router.state.glob("*.reserve")).unlink()
    monkeypatch.setattr("os.posix_fallocate", refuse)
    code, err = router.run("apply", "-c", "l3.yaml")
    assert code == ExitCode.NOT_NOW
    assert "cannot reserve" in err
    assert router.is_at("l2xc.yaml")


@pytest.fixture
def small_disk(folders_of_this_test: Path) -> Iterator[Path]:
    """Let the folders of vppcfg be on a disk of 1 MB."""
    folder = folders_of_this_test
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Leave no byte of a disk."""
    size = 1 << 20
    with open(folder / "filler", "ab", buffering=0) as filler:
        while size:
            try:
                filler.write(b"x" * size)
            except OSError:
                size //= 2


@pytest.fixture
def router(tmp_path: Path, small_disk: Path) -> Iterator[RealRouter]:
    router = RealRouter(tmp_path, small_disk / "state")
    router.start()
    assert router.vppcfg("apply", "-c", "l2xc.yaml").returncode == ExitCode.DONE
    yield router
    router.stop()
    until(lambda: router.timers() == [], "the timer ends")


def test_on_a_full_disk_the_timer_is_in_time(router: RealRouter, small_disk: Path) -> None:
    assert router.apply("l3.yaml", 4 / 60).returncode == ExitCode.DONE
    fill(small_disk)
    time.sleep(4)
    until(lambda: router.timers() == [], "the timer has acted")
    assert router.is_at("l2xc.yaml")
    assert router.statuses()[1] == "rolled back"


def test_on_a_full_disk_a_change_can_be_confirmed_and_rolled_back(router: RealRouter, small_disk: Path) -> None:
    router.apply("l3.yaml", 5)
    fill(small_disk)
    assert router.vppcfg("confirm").returncode == ExitCode.DONE
    fill(small_disk)
    assert router.vppcfg("rollback", "--yes").returncode == ExitCode.DONE
    assert router.is_at("l2xc.yaml")
    assert router.statuses()[1] == "rolled back"


def test_on_a_full_disk_a_boot_configures_vpp(router: RealRouter, small_disk: Path) -> None:
    router.apply("l3.yaml", 5)
    fill(small_disk)
    router.stop()
    router.start()
    assert router.vppcfg("apply", "--boot", "-c", "l3.yaml").returncode == ExitCode.DONE
    assert router.is_at("l2xc.yaml")


def test_on_a_full_disk_even_the_first_boot_configures_vpp(tmp_path: Path, small_disk: Path) -> None:
    (small_disk / "run").mkdir()
    fill(small_disk)
    router = RealRouter(tmp_path, small_disk / "state")
    router.start()
    try:
        answer = router.vppcfg("apply", "--boot", "-c", "l3.yaml")
        assert answer.returncode == ExitCode.DONE, answer.stderr
        assert router.is_at("l3.yaml")
    finally:
        router.stop()
