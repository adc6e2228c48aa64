"""Watches a VPP: looks when something happens and every so often, reports what is new, and survives what VPP does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from vppcfg.app.confirming import Unconfirmed
from vppcfg.app.interrupted_change import InterruptedChange
from vppcfg.app.planning import exit_code_of
from vppcfg.app.unmanaged import lost_protection, unprotected_text
from vppcfg.app.watching.file import WatchedFile
from vppcfg.app.watching.notices import Notice, Output, Reported, WallClock
from vppcfg.app.watching.reconciling import Attempts, Reconciler
from vppcfg.app.watching.verification import Verifier, news_of, not_verified, verified
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.dataplane import Dataplane, Follower
from vppcfg.errors import ConfigError, DataplaneError, ExitCode, VppcfgError
from vppcfg.model.attachment import Attachment
from vppcfg.model.state import State
from vppcfg.model.virtual_router import VirtualRouter, VrrpState
from vppcfg.plan.diff import diff
from vppcfg.render.file_difference import file_difference
from vppcfg.render.prometheus import WatchMetrics
from vppcfg.transaction.planning import restore_commands, seen_closely
from vppcfg.verify.report import VerifyReport

Roles = Mapping[str, VrrpState | None]


def roles_of(state: State) -> Roles:
    """Return what each virtual router is at the moment."""
    return {name: router.state for name, router in state.of(VirtualRouter).items()}


def changed_roles(before: Roles, now: Roles) -> Iterator[Notice]:
    """Yield a notice for each virtual router that is new or has become something else."""
    for name, role in now.items():
        if role is None or role is before.get(name):
            continue
        former = before.get(name)
        data = {"virtual_router": name, "state": role.value, "former_state": None if former is None else former.value}
        text = f"Virtual router {name} is {_WORDS[role]}" + (f" now; it was {_WORDS[former]}" if former else "")
        yield Notice(event="virtual_router", text=text, data=data, is_bad=role is VrrpState.INTERFACE_DOWN)


_WORDS = {
    VrrpState.STOPPED: "stopped",
    VrrpState.BACKUP: "backup",
    VrrpState.MASTER: "master",
    VrrpState.INTERFACE_DOWN: "down with its interface",
}


TICK_S = 1.0
"""How often the file is looked at."""
QUIET_S = 0.5
"""So long nothing may happen before VPP is read after something did."""
LONGEST_S = 5.0
"""It is read after this time even if things go on happening."""
SHARE = 4.0
"""After a look that took a second, VPP is left alone for this many, whatever happens."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
"""Between attempts to connect."""
HOLD_S = 60.0
"""So long another vppcfg may be at work on VPP before VPP is read all the same."""
CLOSELY = 10
"""Interfaces that are read in every detail at each look, of a VPP with too many for all."""

Connect = Callable[[], tuple[Dataplane, Follower]]


class VppWatch:
    """One VPP and one file."""

    def __init__(
        self,
        file: WatchedFile,
        connect: Connect,
        output: Output,
        status: WatchMetrics,
        *,
        interval_s: float,
        adopt: bool = False,
        reconciler: Reconciler | None = None,
        boot_time: Callable[[], float | None] = lambda: None,
        is_busy: Callable[[], bool] = lambda: False,
        attend: Callable[[], Unconfirmed | None] = lambda: None,
        interrupted_change: Callable[[str], InterruptedChange | None] = lambda boot_id: None,
        protected_by: Callable[[str], State | None] = lambda boot_id: None,
        verifier: Verifier | None = None,
        daemon_drift: Callable[[], tuple[str, ...]] = tuple,
        is_verbose: bool = False,
        clock: WallClock = time,
    ) -> None:
        """`boot_time` returns when the VPP that is connected started, in Unix seconds.

        `is_busy` returns whether another vppcfg is changing it: what that has not finished is no drift. `attend` looks
        after the timer of a change that waits to be confirmed. For a run of VPP, `interrupted_change` returns the
        change that left it between two states, and `protected_by` the state that was accepted last in it, for the
        IPsec that interfaces had then. `verifier` compares VPP with Linux after a look, once in an interval;
        `daemon_drift` is asked then how routing daemons differ from what was accepted.
        With `is_verbose` each difference is reported as well as their summary, and VPP's ids.
        """
        self._file = file
        self._connect = connect
        self._output = output
        self._status = status
        self._interval_s = interval_s
        self._adopt = adopt
        self._reconciler = reconciler
        self._boot_time = boot_time
        self._is_busy = is_busy
        self._attend = attend
        self._interrupted = interrupted_change
        self._was_interrupted: InterruptedChange | None = None
        self._protected_by = protected_by
        self._unprotected: tuple[Attachment, ...] = ()
        self._verifier = verifier
        self._verify_at_s = 0.0
        self._is_once = False
        self._was_verified_as: tuple[object, ...] | None = None
        self._daemon_drift = daemon_drift
        self._drifted: tuple[str, ...] = ()
        """How routing daemons differ."""
        self._drift_at_s = 0.0
        self._roles: Mapping[str, VrrpState | None] = {}
        """Of virtual routers, at the last look."""
        self._turn = 0
        """Where the share of interfaces begins that is read closely."""
        self._differing: frozenset[str] = frozenset()
        """The names of what differed at the last look."""
        self._is_verbose = is_verbose
        self._unconfirmed: Unconfirmed | None = None
        self._busy_since: float | None = None
        self._clock = clock
        self._said = Reported(file.name)
        self._boot_id = ""
        self._trouble = ""
        self._attempts = Attempts(interval_s)

    def once(self) -> ExitCode:
        """Look once, bring VPP to the file where that is wanted, and return how it stands. Raise DataplaneError."""
        try:
            dataplane, _ = self._connect()
        except DataplaneError:
            self._status.errors["vpp"] += 1
            self._output.show(self._status)
            raise
        self._is_once = True
        try:
            self._arrive(dataplane)
            self._look(dataplane)
            if self._reconcile():
                self._look(dataplane)
        finally:
            dataplane.close()
        if self._unconfirmed is not None and self._unconfirmed.is_overdue:
            return ExitCode.NOT_CONFIRMED
        is_other = self._status.verified is not None and self._status.verified.count > 0
        is_other |= bool(self._unprotected or self._drifted)
        return ExitCode.DRIFT if self._said.is_drift or is_other else exit_code_of(self._said.problems)

    def run(self) -> None:
        """Watch until an exception ends it."""
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                dataplane, follower = self._connect()
                try:
                    follower.follow()
                    self._arrive(dataplane)
                    pause_s = FIRST_PAUSE_S
                    self._stay(dataplane, follower)
                finally:
                    dataplane.close()
            except DataplaneError as error:
                self._lose(error, pause_s)
            self._wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _stay(self, dataplane: Dataplane, follower: Follower) -> None:
        """Look again and again. Raise DataplaneError when VPP goes away."""
        due = left_alone_until = self._clock.monotonic()
        while True:
            if self._renew():
                due = self._clock.monotonic()
            if self._clock.monotonic() >= due and self._is_held_off():
                due = self._clock.monotonic() + TICK_S
            if self._clock.monotonic() >= due:
                took_s = self._look(dataplane)
                if self._reconcile():
                    took_s += self._look(dataplane)
                left_alone_until = self._clock.monotonic() + SHARE * took_s
                due = self._clock.monotonic() + self._interval_s
            if follower.wait(min(TICK_S, max(0.0, due - self._clock.monotonic()))):
                self._settle(follower)
                due = min(due, max(left_alone_until, self._clock.monotonic()))

    def _verify(self) -> None:
        """Hold VPP against Linux where that is wanted and due.

        What goes wrong there ends no watch that goes on. Raise VppcfgError when it looks but once.
        """
        start_s = self._clock.monotonic()
        if self._verifier is None or start_s < self._verify_at_s:
            return
        try:
            self._note(self._verifier())
        except VppcfgError as error:
            if self._is_once:
                raise
            self._status.verified = None
            self._was_verified_as = None
            self._status.errors["verify"] += 1
            self._output.notify(not_verified(error))
        self._verify_at_s = self._clock.monotonic() + max(self._interval_s, SHARE * (self._clock.monotonic() - start_s))

    def _note(self, report: VerifyReport) -> None:
        """Report what a verification found when it is another thing than before."""
        self._status.verified = report
        if (seen := news_of(report)) != self._was_verified_as:
            self._was_verified_as = seen
            self._output.notify(verified(report))

    def _is_held_off(self) -> bool:
        """Return whether to wait for another vppcfg to come to its end."""
        if not self._is_busy():
            self._busy_since = None
            return False
        if self._busy_since is None:
            self._busy_since = self._clock.monotonic()
        return self._clock.monotonic() - self._busy_since < HOLD_S

    def _settle(self, follower: Follower) -> None:
        """Wait until nothing happens any more, or for long enough."""
        end = self._clock.monotonic() + LONGEST_S
        while self._clock.monotonic() < end and follower.wait(QUIET_S):
            pass

    def _wait(self, seconds: float) -> None:
        end = self._clock.monotonic() + seconds
        while (remaining_s := end - self._clock.monotonic()) > 0:
            self._clock.sleep(min(TICK_S, remaining_s))
            self._renew()

    def _renew(self) -> bool:
        """Load the file again if there is reason to; return whether it is another one now."""
        if not self._file.is_reload_due():
            return False
        try:
            self._file.reload()
        except ConfigError as error:
            self._status.errors["file"] += 1
            self._status.is_file_valid = False
            data = {"file": self._file.name, "message": error.message}
            text = f"{error.message}; the file as it was before is still compared with"
            self._notify("file_invalid", text, data, is_bad=True)
            self._output.show(self._status)
            return False
        self._status.is_file_valid = True
        self._notify("file_loaded", f"{self._file.name} was loaded again", {"file": self._file.name})
        return True

    def _arrive(self, dataplane: Dataplane) -> None:
        before, self._boot_id = self._boot_id, dataplane.boot_id
        self._trouble = ""
        self._verify_at_s = 0.0
        self._status.is_connected = True
        self._status.boot_at_s = self._boot_time()
        data = {"boot_id": self._boot_id}
        if before and before != self._boot_id:
            self._status.restarts += 1
            text = "VPP was restarted" + (f": it was {before} and is {self._boot_id}" if self._is_verbose else "")
            self._notify("restarted", text, {**data, "former_boot_id": before}, is_bad=True)
        else:
            self._notify("connected", "Connected to VPP" + (f", {self._boot_id}" if self._is_verbose else ""), data)

    def _lose(self, error: DataplaneError, pause_s: float) -> None:
        self._status.is_connected = False
        self._said.forget_sync()
        self._status.differences = self._status.verified = None
        self._was_verified_as = None
        self._status.errors["vpp"] += 1
        if error.message != self._trouble:
            self._trouble = error.message
            data = {"message": error.message, "hint": error.hint, "retry_s": pause_s}
            self._notify(
                "lost", f"{error.message}; trying again in {pause_s:g} s and then less often", data, is_bad=True
            )
        self._output.show(self._status)

    def _look(self, dataplane: Dataplane) -> float:
        """Read VPP, report what is new, and return how long the reading took."""
        self._look_into_journal()
        start = self._clock.monotonic()
        observed = dataplane.observe()
        resolution = resolve(self._file.configuration, observed, adopt=self._adopt)
        if observed.facts.left_out:
            observed = seen_closely(dataplane, observed, resolution.desired, self._in_turn(resolution))
            resolution = resolve(self._file.configuration, observed, adopt=self._adopt)
        took_s = self._clock.monotonic() - start
        found = self._said.differences
        if resolution.is_possible:
            changes = list(diff(resolution.observed, resolution.desired))
            self._differing = frozenset(each.name for each in changes)
            entries = file_difference(resolution.observed, resolution.desired, changes)
            found = {each.path: each for each in entries}
        self._status.vpp_version = observed.facts.version
        self._status.read_at_s, self._status.read_took_s = self._clock.time(), took_s
        for notice in self._said.after_look(found, self._file.loaded.placed(resolution.problems)):
            if self._is_verbose or not notice.is_detail:
                self._output.notify(notice)
        self._status.differences = tuple(found.values())
        self._look_for_protection(dataplane, observed)
        self._look_at_virtual_routers(observed)
        self._status.problems = tuple(problem.rule for problem in self._said.lasting_problems)
        self._verify()
        self._look_at_daemons()
        self._output.show(self._status)
        return took_s

    def _in_turn(self, resolution: Resolution) -> frozenset[str]:
        """Return the interfaces that are read closely this time: those that seem to differ, and a share of the others.

        All have had their turn after some looks, so that what somebody sets there is found then.
        """
        names = sorted(resolution.observed.interfaces)
        share = names[self._turn : self._turn + CLOSELY]
        self._turn = self._turn + CLOSELY if self._turn + CLOSELY < len(names) else 0
        return self._differing.union(share, (each.name for each in diff(resolution.observed, resolution.desired)))

    def _look_at_daemons(self) -> None:
        """Report when routing daemons do not run what was accepted, and when they do again."""
        if self._clock.monotonic() < self._drift_at_s:
            return
        before, self._drifted = self._drifted, self._daemon_drift()
        self._drift_at_s = self._clock.monotonic() + self._interval_s
        if self._drifted and self._drifted != before:
            self._notify("daemon_drift", "; ".join(self._drifted), {"daemons": list(self._drifted)}, is_bad=True)
        elif before and not self._drifted:
            self._notify("daemon_in_sync", "The routing daemons run what was accepted", {"daemons": []})

    def _look_at_virtual_routers(self, observed: State) -> None:
        """Report which virtual routers are something else than at the last look."""
        before, self._roles = self._roles, roles_of(observed)
        for notice in changed_roles(before, self._roles):
            self._output.notify(notice)

    def _look_for_protection(self, dataplane: Dataplane, observed: State) -> None:
        """Report interfaces that lost IPsec since vppcfg last changed them; VPP is asked only then."""
        before = self._unprotected
        self._unprotected = lost_protection(self._protected_by(self._boot_id), dataplane, lambda: observed)
        if self._unprotected and self._unprotected != before:
            names = sorted({each.holder for each in self._unprotected})
            data = {"interfaces": names, "commands": restore_commands(self._unprotected)}
            self._notify("unprotected", unprotected_text(self._unprotected), data, is_bad=True)

    def _look_into_journal(self) -> None:
        """Bound the wait of a change for its confirmation, and report what was cut off."""
        former, self._unconfirmed = self._unconfirmed, self._attend()
        found = self._unconfirmed
        if found is not None and found != former:
            data = {"change": found.number, "deadline": found.deadline, "is_overdue": found.is_overdue}
            self._notify("unconfirmed", found.text, data, is_bad=True)
        was, self._was_interrupted = self._was_interrupted, self._interrupted(self._boot_id)
        if self._was_interrupted is not None and self._was_interrupted != was:
            self._notify("half_way", self._was_interrupted.text, {"change": self._was_interrupted.number}, is_bad=True)

    def _reconcile(self) -> bool:
        """Bring VPP to the file where that is wanted; return whether it was tried."""
        if self._reconciler is None or not self._said.differences or self._said.errors or self._file.has_changed():
            return False
        if not self._attempts.is_due(self._said.differences, self._clock.monotonic()):
            return False
        try:
            code = self._reconciler(self._file, self._differing)
            reason = f"exit code {code.value}"
        except VppcfgError as error:
            code, reason = error.exit_code, error.message
        if code is ExitCode.DONE:
            self._attempts.succeed()
            self._verify_at_s = 0.0
            self._status.reconciliations += 1
            self._notify("reconciled", f"VPP was brought to {self._file.name}", {"file": self._file.name})
        else:
            self._fail(code, reason)
        return True

    def _fail(self, code: ExitCode, reason: str) -> None:
        self._status.errors["reconcile"] += 1
        retry_s = self._attempts.fail(self._said.differences, self._clock.monotonic())
        data = {"code": code.value, "message": reason, "retry_s": retry_s}
        text = f"VPP could not be brought to {self._file.name}: {reason}; trying again in {retry_s:g} s"
        self._notify("not_reconciled", text, data, is_bad=True)

    def _notify(self, event: str, text: str, data: Mapping[str, object], *, is_bad: bool = False) -> None:
        self._output.notify(Notice(event=event, text=text, data=data, is_bad=is_bad))
