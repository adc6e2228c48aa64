"""A change that is requested, with its source and options, and the result of a change."""

from __future__ import annotations

from collections.abc import Callable

from vppcfg.app.checking import CheckComparison
from vppcfg.app.routing_plan import NO_DAEMONS, DaemonChange, RoutingPlan
from vppcfg.errors import ExitCode
from vppcfg.model.checks import Check
from vppcfg.model.hooks import NO_HOOKS, HookEvent, Hooks
from vppcfg.model.programs import Program, programs_of
from vppcfg.record import record
from vppcfg.transaction.entry import ROLLBACKS, Origin, Record, Status


@record
class Intent:
    """A requested change: its source, and the options that bound it."""

    origin: Origin
    source_name: str = ""
    source_digest: str = ""
    source: bytes = b""
    """The file as it was read."""
    install_as: str = ""
    """The path to which the file is copied once the change is accepted; '' to copy it nowhere."""
    routing: RoutingPlan = NO_DAEMONS
    """What the routing daemons load after VPP."""
    comment: str = ""
    """The operator's remark, for the journal."""
    target: int = 0
    """Of a rollback: the number of the change that it undoes with all later ones."""
    unmanaged: tuple[str, ...] = ()
    """Patterns of names that the change leaves alone."""
    protected: tuple[str, ...] = ()
    """Interfaces that the change must not interrupt."""
    confirm_s: float | None = None
    """Seconds after which an unconfirmed change is rolled back; None to accept it at once."""
    keep: bool = False
    """Whether to keep a state that differs from the desired one although every operation succeeded."""
    is_forced: bool = False
    """Whether to apply although a rollback could not restore everything."""
    hooks: Hooks = NO_HOOKS
    """The hooks of the new configuration."""
    foreign_reason: Callable[[], str] = lambda: ""
    """Returns why others than root and the user can have written what the change is made from; '' when they cannot."""
    checks: tuple[Check, ...] = ()
    """Checks to run before and after the change; with `confirm_s`, they confirm it or roll it back."""
    holds: bool = False
    """Whether the operator confirms even after good checks (`--hold`)."""

    @property
    def programs(self) -> tuple[Program, ...]:
        """Return the programs of this machine that the change may run."""
        found = programs_of(self.hooks, self.checks)
        is_rollback = self.origin in ROLLBACKS
        return tuple(each for each in found if not is_rollback or each.event == HookEvent.AFTER_ROLLBACK.value)


@record
class ChangeResult:
    """The result of a change."""

    code: ExitCode
    record: Record
    comparison: CheckComparison | None = None
    """The results of the checks; None when none ran."""
    unloaded: tuple[DaemonChange, ...] = ()
    """Routing daemons that have not taken their configuration."""

    @property
    def is_waiting(self) -> bool:
        """Return whether the operator has to confirm it."""
        return self.record.status is Status.WAITING

    @property
    def is_kept(self) -> bool:
        """Return whether VPP took every step, shows something else, and was to keep that."""
        return self.code is ExitCode.DIFFERENT and self.record.status in {Status.APPLIED, Status.WAITING}

    @property
    def is_done(self) -> bool:
        """Return whether VPP is in the new state, even if daemons, a hook or checks failed afterwards."""
        is_in_force = self.code is ExitCode.STRANDED and self.record.status in {Status.APPLIED, Status.WAITING}
        return is_in_force or self.code in {ExitCode.DONE, ExitCode.HOOK_FAILED, ExitCode.CHECK_FAILED}
