"""Identifies a process by its id and the moment of its start: Linux reuses the ids alone."""

from __future__ import annotations

import os
from pathlib import Path

_PROC = Path("/proc")
_RUN = "sys/kernel/random/boot_id"
_START = 19
"""Place of `starttime` behind the name of the program in /proc/PID/stat (proc(5)), the state being the first."""
_DEAD = frozenset({b"Z", b"X"})


def machine_run(proc: Path = _PROC) -> str:
    """Return what distinguishes this run of the machine from every other one; '' where that is unknown."""
    try:
        return (proc / _RUN).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def identity_of(pid: int, proc: Path = _PROC) -> str:
    """Return what distinguishes a process from all others with its id, before and after; '' when it has ended."""
    try:
        words = (proc / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return ""
    if len(words) <= _START or words[0] in _DEAD:
        return ""
    return f"{machine_run(proc)}/{words[_START].decode(errors='replace')}"


def is_running(pid: int, identity: str = "", proc: Path = _PROC) -> bool:
    """Return whether a process of this id lives, which has this identity as far as one is known."""
    found = identity_of(pid, proc)
    if not found or not identity:
        return found != ""
    (run, _, start), (known_run, _, known_start) = found.partition("/"), identity.partition("/")
    return start == known_start and (run == known_run or "" in {run, known_run})


def is_another_running(pid: int, identity: str = "") -> bool:
    """Return whether another process than this one has that id and identity, and lives."""
    return pid != os.getpid() and is_running(pid, identity)
