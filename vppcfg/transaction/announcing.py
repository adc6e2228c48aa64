"""Announces the addresses that a change has moved: at once, and again a second after all ports can send."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from vppcfg.errors import DataplaneError
from vppcfg.model.announcement import Announcement
from vppcfg.model.state import State
from vppcfg.plan.announcements import announcements, can_announce
from vppcfg.plan.plan import Plan
from vppcfg.transaction.session import Session

AGAIN_S = 1.0
"""From one time to the next: a switch or a host may miss the first one."""
LINK_S = 5.0
"""How long ports may take to have link again: drivers and LACP take up to three seconds."""
_INTERVAL_S = 0.1


class Announced(NamedTuple):
    """What became of announcements."""

    addresses: int
    failures: tuple[str, ...]
    """A sentence for each reason why others were not announced."""


class Announcer:
    """Announces what the plans of one change move. That it cannot is no failure of the change, but is reported."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._wanted: dict[Announcement, None] = {}
        self._unplugged: frozenset[str] = frozenset()
        """Ports without link before the change, for which nobody waits."""
        self._failed: dict[Announcement, str] = {}
        """Why they were not sent the last time."""
        self._last_at = 0.0

    def expect(self, plan: Plan, formerly: State | None = None) -> None:
        """Take what a plan, which is about to be carried out, moves; `formerly` is as in `announcements`."""
        wanted = announcements(plan, formerly) if can_announce(plan.observed) else ()
        if wanted and not self._wanted:
            self._unplugged = self._without_link()
        self._wanted.update(dict.fromkeys(wanted))

    def announce(self) -> None:
        """Send each once, where there is anything to be sent."""
        if not self._wanted:
            return
        try:
            self._failed = dict(self._session.dataplane.announce(list(self._wanted)))
        except DataplaneError as error:
            self._failed = dict.fromkeys(self._wanted, error.message)
        self._last_at = time.monotonic()

    def repeat(self, should_stop: Callable[[], bool] = lambda: False) -> Announced | None:
        """Send each again: once all ports have link where some had not, and a second after the time before.

        Wait five seconds at most for links. Return None where there was nothing to be sent.
        """
        if not self._wanted:
            return None
        awaited = {port for each in self._wanted for port in each.ports} - self._unplugged
        deadline, missing = time.monotonic() + LINK_S, self._without_link()
        if awaited & missing:
            while awaited & missing and time.monotonic() < deadline and not should_stop():
                time.sleep(_INTERVAL_S)
                missing = self._without_link()
            self.announce()
        while (left := self._last_at + AGAIN_S - time.monotonic()) > 0 and not should_stop():
            time.sleep(min(left, _INTERVAL_S))
        self.announce()
        silent = {each: "it has no link" for each in self._wanted if missing.issuperset(each.ports)}
        failed = {**self._failed, **silent}
        failures = dict.fromkeys(f"Nothing moved is announced on {each.interface}: {failed[each]}" for each in failed)
        return Announced(len(self._wanted) - len(failed), tuple(failures))

    def _without_link(self) -> frozenset[str]:
        try:
            return self._session.dataplane.without_link()
        except DataplaneError:  # what comes next will find VPP gone, and say so
            return frozenset()
