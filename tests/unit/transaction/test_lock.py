"""The lock of one VPP: its mode, who holds it, and what it needs from the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from vppcfg.transaction.lock import Holder, Lock, holder_of

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
        b"",
        b"4711",
        b"[]",
        b'{"pid": 1}',
        b"\xff\xfe",
        b'{"pid": 1e999, "command": "x", "since": "x"}',
        b'{"pid": -1, "command": "x", "since": "x"}',
        b'{"pid": 1%s, "command": "x", "since": "x"}' % (b"0" * 4000),
        b"[" * 100_000,
        b'"' + b"x" * 100_000,
    ],
)
def test_what_is_no_holder_is_nobody(tmp_path: Path, said: bytes) -> None:
    (tmp_path / "vpp.lock").write_bytes(said)
    assert holder_of(tmp_path / "vpp.lock") is None


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_has_no_holder(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "vpp.lock")
    assert holder_of(tmp_path / "vpp.lock") is None
