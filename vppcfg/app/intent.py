"""What a change is made for and under which conditions, and what became of it."""

from __future__ import annotations

from vppcfg.app.checking import CheckComparison
from vppcfg.app.routing import NO_DAEMONS, RoutingPlan
from vppcfg.errors import ExitCode
from vppcfg.model.checks import Check
from vppcfg.model.hooks import NO_HOOKS, Hooks
from vppcfg.record import record
from vppcfg.transaction.entry import Origin, Record, Status


@record
class Intent:
    """What a change is made for, and under which conditions."""

    origin: Origin
    source_name: str = ""
    source_digest: str = ""
    source: bytes = b""
    """The file as it was read."""
    install_as: str = ""
    """Where the file is put once the change is accepted; '' when it is to stay where it is."""
    routing: RoutingPlan = NO_DAEMONS
    """What the routing daemons load after VPP."""
    comment: str = ""
    target: int = 0
    unmanaged: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    confirm_s: float | None = None
    keep: bool = False
    is_forced: bool = False
    """Whether it is made even if there is no way back."""
    hooks: Hooks = NO_HOOKS
    """Those of the configuration that it leads to."""
    checks: tuple[Check, ...] = ()
    """What is checked before and after it; with `confirm_s`, they decide whether it stays."""
    holds: bool = False
    """Whether good checks leave the confirmation to somebody."""


@record
class ChangeResult:
    """What became of a change."""

    code: ExitCode
    record: Record
    comparison: CheckComparison | None = None
    """What the checks have found, where there were any and the change came so far."""

    @property
    def is_waiting(self) -> bool:
        """Return whether somebody has to confirm it."""
        return self.record.status is Status.WAITING

    @property
    def is_done(self) -> bool:
        """Return whether VPP is in the new state, whatever became of what ran then: daemons, the hook, the checks."""
        is_in_force = self.code is ExitCode.STRANDED and self.record.status in {Status.APPLIED, Status.WAITING}
        return is_in_force or self.code in {ExitCode.DONE, ExitCode.HOOK_FAILED, ExitCode.CHECK_FAILED}
