"""Compares a VPP with Linux again and again, and reports when the result changes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
from ipaddress import ip_network

from vppcfg.app.target import Target
from vppcfg.app.unmanaged import accepted_in, lost_protection, unprotected_text
from vppcfg.app.verifying import verify
from vppcfg.app.watching.notices import Notice, Output, WallClock
from vppcfg.errors import ExitCode, LinuxError, PlanRefusedError, VppcfgError
from vppcfg.model.forwarding import RoutePlace, TableId, prefix_key
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.vpp_object import HiddenObject
from vppcfg.render.prometheus import VerifyMetrics
from vppcfg.render.verify_text import report_document, report_lines
from vppcfg.transaction.entry import UNDECIDED
from vppcfg.verify.mismatch import MismatchKind
from vppcfg.verify.report import VerifyReport
from vppcfg.verify.sample import DAY_S, VerifySample

log = logging.getLogger(__name__)

Verifier = Callable[[], VerifyReport]
"""Holds VPP against Linux; raises VppcfgError when that cannot be done."""
SHARE = 4.0
"""After a verification that took a second, VPP is left alone for at least so many."""


def verifier_of(
    target: Target,
    *,
    interval_s: float,
    is_all: bool = False,
    wanted: State | None = None,
    on_progress: Callable[[int], None] = lambda percent: None,
    clock: WallClock = time,
) -> Verifier:
    """Return what connects to a VPP, holds it against Linux, and closes the session.

    Unless `is_all`, it looks at a part of the routes each time, all within a day when it is called every `interval_s`;
    Addresses and routes are those that are `wanted`, else of the last accepted change. `on_progress` is told how many
    per cent of the routes have been looked up.
    """
    seen: dict[int, State | None] = {}
    sample = None if is_all else VerifySample(interval_s, clock.time() % DAY_S / DAY_S)

    def accepted(boot_id: str) -> tuple[State | None, bool]:
        """Return the state that was accepted last, and whether no change since waits to be."""
        try:
            newest = next(target.journal().newest_first(), None)
            is_settled = newest is not None and newest.status not in UNDECIDED
            return accepted_in(target.journal(), boot_id, seen), is_settled
        except PlanRefusedError as error:
            log.debug("%s", error.message)  # who may not read the journal sees nothing of it
            return None, False

    def look() -> VerifyReport:
        vpp, linux = target.connect_apart()
        with vpp:
            if linux is None:
                raise LinuxError(
                    "the Linux around this VPP cannot be seen from here",
                    "run it on the router itself, as root; a simulated VPP has no Linux around it",
                )
            state, is_settled = accepted(vpp.boot_id)
            own = wanted or state
            routes = list(own.of(Route).values()) if own is not None else []
            report = verify(
                vpp,
                linux,
                sample=sample,
                own=[_place_of(route) for route in routes],
                addresses=_addresses_of(own) if wanted or is_settled else {},
                on_progress=on_progress,
            )
            unprotected = lost_protection(state, vpp, vpp.observe)
            return replace(report, unprotected=unprotected, shadowed=_shadowed(vpp.hidden(routes)))

    return look


def _addresses_of(state: State | None) -> Mapping[str, Set[str]]:
    """Return the addresses that interfaces with a pair are to have."""
    return {name: state.interfaces[name].addresses for name in state.lcps} if state is not None else {}


def _place_of(route: Route) -> RoutePlace:
    network = ip_network(route.prefix)
    key = prefix_key(route.is_ipv6, network.network_address.packed, network.prefixlen)
    return TableId(route.is_ipv6, route.table_id), key


def _shadowed(hidden: Iterable[HiddenObject]) -> Mapping[str, str]:
    """Return the routes that were set and lie below those of others, and whose these are."""
    return {each.found.name: each.by for each in hidden if each.found is not None and each.by}


def verified(report: VerifyReport) -> Notice:
    """Return the notices of a report."""
    *below, text = report_lines(report)
    below += [f"! {unprotected_text(report.unprotected)}"] if report.unprotected else []
    return Notice(
        event="verified", text=text, below=tuple(below), data=report_document(report), is_bad=report.count > 0
    )


def not_verified(error: VppcfgError) -> Notice:
    """Return the notices when both sides could not be read."""
    text = f"VPP was not held against Linux: {error.message}"
    return Notice(event="not_verified", text=text, data={"message": error.message, "hint": error.hint}, is_bad=True)


def news_of(report: VerifyReport) -> tuple[object, ...]:
    """Return what makes a report another one than before: not how much was compared, nor what VPP has learnt."""
    groups = tuple(group for group in report.groups if group.kind is not MismatchKind.VPP_ONLY)
    besides = (report.unprotected, tuple(sorted(report.shadowed.items())), *sorted({*report.limits, *report.unread}))
    return groups, *besides, bool(report.count)


class Verification:
    """One VPP that is held against Linux."""

    def __init__(
        self, look: Verifier, output: Output, status: VerifyMetrics, *, interval_s: float, clock: WallClock = time
    ) -> None:
        self._look = look
        self._output = output
        self._status = status
        self._interval_s = interval_s
        self._clock = clock
        self._was: tuple[object, ...] | None = None

    def once(self) -> ExitCode:
        """Look once, report what was found, and return how VPP stands. Raise VppcfgError."""
        try:
            report = self._read()
        except VppcfgError:
            self._output.show(self._status)
            raise
        self._output.notify(verified(report))
        self._output.show(self._status)
        return ExitCode.DRIFT if report.count else ExitCode.DONE

    def run(self) -> None:
        """Look again and again until an exception of another kind ends it."""
        while True:
            start_s = self._clock.monotonic()
            try:
                report = self._read()
                if (seen := news_of(report)) != self._was:
                    self._was = seen
                    self._output.notify(verified(report))
            except VppcfgError as error:
                self._notify_failure(error)
            self._output.show(self._status)
            took_s = self._clock.monotonic() - start_s
            self._clock.sleep(max(self._interval_s, SHARE * took_s))

    def _read(self) -> VerifyReport:
        start_s = self._clock.monotonic()
        try:
            report = self._look()
        except VppcfgError as error:
            self._status.is_connected, self._status.report = isinstance(error, LinuxError), None
            self._status.errors += 1
            raise
        self._status.is_connected, self._status.report = True, report
        self._status.read_at_s = self._clock.time()
        self._status.read_took_s = self._clock.monotonic() - start_s
        return report

    def _notify_failure(self, error: VppcfgError) -> None:
        """Report what is in the way, once as long as it is the same."""
        if self._was != (error.message,):
            self._was = (error.message,)
            self._output.notify(not_verified(error))
