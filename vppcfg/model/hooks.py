"""Commands that vppcfg runs after it has changed a VPP, to bring back what no section of the file manages."""

from __future__ import annotations

from enum import Enum

from vppcfg.record import record

LEAST_S, MOST_S = 1, 600
"""Bounds of the deadline of a hook."""


class HookEvent(Enum):
    """What a hook runs after; each value is its key in the file."""

    AFTER_APPLY = "after-apply"
    AFTER_BOOT = "after-boot"
    AFTER_ROLLBACK = "after-rollback"


@record
class Hooks:
    """The section `hooks`: for each event the words of a command, none where nothing is to be run."""

    after_apply: tuple[str, ...] = ()
    after_boot: tuple[str, ...] = ()
    after_rollback: tuple[str, ...] = ()
    within_s: int = 30
    """How long a command may take."""
    unreadable: str = ""
    """Why they are unknown; '' when they are known."""
    is_lost: bool = False
    """Whether they are unknown because the journal has lost them, if there were any."""

    def command(self, event: HookEvent) -> tuple[str, ...]:
        """Return the words of the command for an event."""
        by_event = {
            HookEvent.AFTER_APPLY: self.after_apply,
            HookEvent.AFTER_BOOT: self.after_boot,
            HookEvent.AFTER_ROLLBACK: self.after_rollback,
        }
        return by_event[event]


NO_HOOKS = Hooks()
