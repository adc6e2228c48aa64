"""The error tree: every error that a user can meet has a message, a hint and an exit code."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from enum import IntEnum

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class ExitCode(IntEnum):
    """Exit codes of the vppcfg command; docs/commands.md explains each to an operator."""

    DONE = 0
    BUG = 1
    CHANGES_PENDING = 2
    INVALID = 3
    DATAPLANE = 4
    REFUSED = 5
    ROLLED_BACK = 6
    STRANDED = 7
    DIFFERENT = 8
    NOT_CONFIRMED = 9
    DRIFT = 10
    VERDICT = 11
    NOT_NOW = 12
    HOOK_FAILED = 13
    CHECK_FAILED = 14
    INTERRUPTED = 130
    TERMINATED = 143


class VppcfgError(Exception):
    """An error with a cause that can be named: `message` has what and where, `hint` what to do."""

    exit_code = ExitCode.BUG

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(VppcfgError):
    """An argument, or a file named by one, is wrong."""

    exit_code = ExitCode.INVALID


class ConfigError(VppcfgError):
    """The configuration cannot be read at all: missing, unreadable, not YAML."""

    exit_code = ExitCode.INVALID


class DataplaneError(VppcfgError):
    """VPP cannot be reached, answers nonsense, or lacks what the configuration needs."""

    exit_code = ExitCode.DATAPLANE


class GivenUpError(DataplaneError):
    """The operator gave up waiting for a VPP that does not answer."""


class LinuxError(VppcfgError):
    """Linux around VPP cannot be read or changed: no permission, something missing, or the kernel refuses."""

    exit_code = ExitCode.DATAPLANE


class PlanRefusedError(VppcfgError):
    """The plan would be refused at present."""

    exit_code = ExitCode.REFUSED


class NotNowError(PlanRefusedError):
    """What stands in the way passes by itself or with a little room on a disk: the same command may be tried again."""

    exit_code = ExitCode.NOT_NOW


class StorageError(PlanRefusedError):
    """What must be kept about a change cannot be written, or not read; without it nothing is changed.

    With a full disk as the `__cause__`, it may be tried again.
    """

    @property
    def exit_code(self) -> ExitCode:  # type: ignore[override]
        """Return NOT_NOW when it was a full disk, else REFUSED."""
        cause = self.__cause__
        is_full = isinstance(cause, OSError) and cause.errno in _FULL
        return ExitCode.NOT_NOW if is_full else ExitCode.REFUSED


class UntrustedFileError(PlanRefusedError):
    """A journal or a saved plan is incomplete, was edited, or belongs to another user."""


class PlanProofError(VppcfgError):
    """A plan does not lead from the observed to the desired state: a bug in vppcfg, never an output."""

    exit_code = ExitCode.BUG

    def __init__(self, message: str, hint: str = "", commands: Sequence[str] = ()) -> None:
        """Keep the lines of VPP's CLI that do what would be refused."""
        super().__init__(message, hint)
        self.commands = commands


class ContradictionError(PlanProofError):
    """No plan begins at what VPP shows, because its parts cannot be those of one VPP."""

    exit_code = ExitCode.DATAPLANE

    def __init__(self, reason: str, commands: Sequence[str] = ()) -> None:
        super().__init__(
            f"what VPP shows contradicts itself, and cannot be planned from: {reason}",
            "Nothing was changed. Did another program change VPP? Try again; `vppcfg dump` shows what VPP has.",
            commands,
        )
        self.reason = reason


class AdoptionError(VppcfgError):
    """The configuration that was made of a source does not mean what the source does: a gap, or a bug."""

    exit_code = ExitCode.DIFFERENT


class EngineError(VppcfgError):
    """A traffic generator cannot be reached or used, or it refuses what it is asked for."""

    exit_code = ExitCode.DATAPLANE
