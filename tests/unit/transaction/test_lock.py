"""The lock of one VPP: its mode, who holds it, and what it needs from the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vppcfg.transaction.lock import Holder, Lock

HOLDER = Holder(pid=4711, command="vppcfg apply", since="2026-01-02T03:04:05+00:00")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_lock_is_for_its_group_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    former = os.umask(umask)
    try:
        with Lock(tmp_path / "vpp.lock", HOLDER):
            assert (tmp_path / "vpp.lock").stat().st_mode & 0o7777 == 0o660
    finally:
        os.umask(former)
