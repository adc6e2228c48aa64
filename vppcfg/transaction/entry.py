"""An entry of the journal, which records one change: what it was made for, and how it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from enum import Enum

from vppcfg.record import record


class Status(Enum):
    """How a change stands; each value is a word for operators."""

    STARTED = "started"
    """Written down; perhaps under way, perhaps cut off."""
    CUT_OFF = "cut off"
    """vppcfg ended in the middle of it, without a word."""
    APPLIED = "applied"
    WAITING = "waiting to be confirmed"
    CONFIRMED = "confirmed"
    REVERTED = "failed, undone"
    """Failed, and the old state was back at the end of it."""
    STRANDED = "failed half-way"
    ROLLED_BACK = "rolled back"
    """Was in force for a while."""


UNDECIDED = frozenset({Status.STARTED, Status.CUT_OFF, Status.WAITING})
"""What may still be kept or rolled back by its timer."""
ACCEPTED = frozenset({Status.APPLIED, Status.CONFIRMED})
"""What a boot may bring back."""
IN_FORCE = frozenset({*ACCEPTED, *UNDECIDED, Status.STRANDED})
"""What may have left something in VPP that can be rolled back."""


INTERRUPTED = frozenset({Status.STARTED, Status.CUT_OFF, Status.STRANDED})
"""Statuses that leave VPP in an unwanted state, unless the change still runs."""


class Origin(Enum):
    """What a change was made for."""

    APPLY = "apply"
    ROLLBACK = "rollback"
    TIMER = "timer"
    """A rollback of an unconfirmed change."""
    BOOT = "boot"
    RECONCILE = "reconcile"


UNSTOPPABLE = frozenset({Origin.ROLLBACK, Origin.TIMER, Origin.BOOT})
"""What is done even when it cannot be written down: a full disk must not keep a router from its old state."""


ROLLBACKS = frozenset({Origin.ROLLBACK, Origin.TIMER})
"""What brings the state before a change back."""


@record
class Timer:
    """The timer process, which rolls back without a confirmation."""

    deadline: str
    """ISO 8601, for people; the timer itself counts seconds since the machine's boot."""
    unit: str = ""
    """A systemd timer's name; '' for a process."""
    pid: int = 0
    moment_s: float = 0.0
    """The deadline in seconds since the machine's boot, which is `machine_run`."""
    machine_run: str = ""


@record
class Entry:
    """One change, without the states, which are large."""

    number: int
    """From 1, 0 for one that has none yet."""
    origin: Origin
    made_at: str
    """ISO 8601."""
    made_by: str
    """Who gave the command, as far as that is known."""
    made_with: str
    """Version of vppcfg."""
    boot_id: str
    version: str
    """Of VPP."""
    impact: str
    steps: int
    summary: str
    source_name: str = ""
    """The configuration file's path; '' when the change was not made from one."""
    source_digest: str = ""
    """SHA-256 of that file."""
    install_as: str = ""
    """Where that file is put when the change is accepted; '' when it stays where it is."""
    installs_over: str = ""
    """SHA-256 of what was there before; '' when nothing was."""
    target: int = 0
    """For a rollback: the entry before which this goes."""
    comment: str = ""
    """The remark of whoever gave the command."""
    unmanaged: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """What others had configured and the change took away, as the plan named it."""
    protected: tuple[str, ...] = ()
    """Interfaces that the file protects."""
    pid: int = 0
    """The process that makes the change."""
    process: str = ""
    """What distinguishes that process from others of its id (`identity_of`); '' in entries of former versions."""


_DIGEST = re.compile(r"(?:[0-9a-f]{64})?")
_FORMS: Mapping[str, re.Pattern[str]] = {
    "source_digest": _DIGEST,
    "installs_over": _DIGEST,
    "install_as": re.compile(r"(?:(?:/(?!\.{1,2}(?:/|$))[^/\0]{1,255})+)?"),
    "unit": re.compile(r"(?:vppcfg-confirm-[0-9a-f]{4,64}-[0-9]{1,10}(?:-[0-9]{1,10})?)?"),
}
_TEXT = re.compile(r"[^\0]*")
_MOST = 1 << 31
"""What a number of a change, a process or steps is below."""


def check_forms(part: Entry | Timer) -> None:
    """Raise ValueError where a value, which may come from another hand, is none that vppcfg writes.

    They become names of files, processes and units of systemd.
    """
    for each in fields(part):
        value = getattr(part, each.name)
        if isinstance(value, str) and not _FORMS.get(each.name, _TEXT).fullmatch(value):
            raise ValueError(f"{each.name} is {value[:60]!r}, which vppcfg does not write there")
        if isinstance(value, int | float) and not 0 <= value < _MOST:
            raise ValueError(f"{each.name} is {value}, and not from 0 to {_MOST - 1}")


@record
class Record:
    """An entry and how it stands."""

    entry: Entry
    status: Status
    text: str = ""
    """Notes about it."""
    at: str = ""
    """When that was, ISO 8601."""
    timer: Timer | None = None
    is_own: bool = True
    """Whether root or the user has written it: only then is a file opened that it names."""
