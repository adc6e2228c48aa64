"""The lock of one VPP: its mode, who holds it, and what it needs from the disk."""

import fcntl
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.clock import Clock
from vppcfg.errors import StorageError
from vppcfg.transaction.lock import Holder, Lock, LockedError, acquire_within, holder_of

HOLDER = Holder(pid=4711, command="vppcfg apply", since="2026-01-02T03:04:05+00:00", process="run-1/987")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_lock_is_for_its_group_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    former = os.umask(umask)
    try:
        with Lock(tmp_path / "vpp.lock", HOLDER):
            assert (tmp_path / "vpp.lock").stat().st_mode & 0o7777 == 0o660
    finally:
        os.umask(former)


def test_a_holder_is_who_the_file_says(tmp_path: Path) -> None:
    with Lock(tmp_path / "vpp.lock", HOLDER):
        assert holder_of(tmp_path / "vpp.lock") == HOLDER
    assert holder_of(tmp_path / "vpp.lock") is None


def test_a_holder_of_a_former_version_is_told_by_its_id_alone(tmp_path: Path) -> None:
    (tmp_path / "vpp.lock").write_text('{"pid": 4711, "command": "vppcfg apply", "since": ""}')
    assert holder_of(tmp_path / "vpp.lock") == replace(HOLDER, since="", process="")


@pytest.mark.parametrize(
    "said",
    [
        *(b"", b"4711", b"[]", b'{"pid": 1}', b"\xff\xfe", b'{"pid": 1e999, "command": "x", "since": "x"}'),
        *(b'{"pid": -1, "command": "x", "since": "x"}', b'{"pid": 1%s, "command": "x", "since": "x"}' % (b"0" * 4000)),
        *(b"[" * 100_000, b'"' + b"x" * 100_000),
    ],
)
def test_what_is_no_holder_is_nobody(tmp_path: Path, said: bytes) -> None:
    (tmp_path / "vpp.lock").write_bytes(said)
    assert holder_of(tmp_path / "vpp.lock") is None


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_has_no_holder(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "vpp.lock")
    assert holder_of(tmp_path / "vpp.lock") is None


def test_a_second_name_of_another_file_is_no_lock(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("content")
    other.chmod(0o600)
    (tmp_path / "vpp.lock").hardlink_to(other)
    with pytest.raises(StorageError):
        Lock(tmp_path / "vpp.lock", HOLDER).acquire()
    assert (other.read_text(), other.stat().st_mode & 0o777) == ("content", 0o600)


def test_a_file_that_its_holder_removes_meanwhile_is_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, flock = tmp_path / "vpp.lock", fcntl.flock
    seen: list[int] = []

    def flock_while_the_other_lets_go(descriptor: int, operation: int) -> None:
        if not seen:
            path.unlink()
        seen.append(descriptor)
        flock(descriptor, operation)

    monkeypatch.setattr("fcntl.flock", flock_while_the_other_lets_go)
    with Lock(path, HOLDER):
        assert len(seen) == 2
        monkeypatch.setattr("fcntl.flock", flock)
        with pytest.raises(LockedError, match=r"vppcfg apply, process 4711"):
            Lock(path, HOLDER).acquire()


def test_a_lock_whose_descriptor_is_the_first_one_is_let_go_of_as_well(tmp_path: Path) -> None:
    path = tmp_path / "vpp.lock"
    pid = os.fork()
    if pid == 0:
        os.close(0)  # as of a service without standard input
        lock = Lock(path, HOLDER)
        lock.acquire()
        has_it = path.exists()
        lock.release()
        lock.release()
        os._exit(0 if has_it and not path.exists() else 1)
    assert os.waitpid(pid, 0)[1] == 0


def test_who_is_patient_waits_that_long_and_no_longer(tmp_path: Path) -> None:
    path, waits = tmp_path / "vpp.lock", Clock(100)
    assert acquire_within(Lock(path, HOLDER), 5.0, waits.monotonic, waits.sleep)
    assert waits.now_s == 100.0
    assert not acquire_within(Lock(path, HOLDER), 5.0, waits.monotonic, waits.sleep)
    assert 105.0 <= waits.now_s < 105.2


def test_a_lock_that_becomes_free_is_taken(tmp_path: Path) -> None:
    path, waits, former = tmp_path / "vpp.lock", Clock(100), Lock(tmp_path / "vpp.lock", HOLDER)
    former.acquire()

    def sleep(seconds: float) -> None:
        waits.sleep(seconds)
        if waits.now_s > 102:
            former.release()

    lock = Lock(path, HOLDER)
    assert acquire_within(lock, 5.0, waits.monotonic, sleep)
    assert waits.now_s < 102.2
    lock.release()


def test_who_is_refused_leaves_nothing_open(tmp_path: Path) -> None:
    path = tmp_path / "vpp.lock"
    with Lock(path, HOLDER):
        before = os.listdir("/proc/self/fd")
        with pytest.raises(LockedError):
            Lock(path, HOLDER).acquire()
        assert os.listdir("/proc/self/fd") == before
