"""What follows once VPP has a new state: routing daemons load theirs, a hook runs, and checks decide on the change."""

from __future__ import annotations

import logging
import math
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest
from typing import NamedTuple
from zlib import crc32

from vppcfg.app.change_context import ChangeContext
from vppcfg.app.checking import CheckComparison, CheckResult, reason_of, run_checks
from vppcfg.app.hooks import run_hook
from vppcfg.app.intent import Intent
from vppcfg.app.report import Report
from vppcfg.app.routing import DaemonChange, daemon_of
from vppcfg.app.target import Target
from vppcfg.app.verifying import MOST_LOOKED_UP, Pace
from vppcfg.common.clock import Clock, SystemClock
from vppcfg.errors import DataplaneError, ExitCode
from vppcfg.model.checks import MOST_WITHIN_S, Check
from vppcfg.model.forwarding import RoutePlace, TableId, VppForwarding, prefix_key
from vppcfg.model.hooks import HookEvent
from vppcfg.model.live_state import covers
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.model.state import State
from vppcfg.operations.change import Impact
from vppcfg.plan.plan import Plan
from vppcfg.record import record
from vppcfg.routing_daemons.daemon import FRR_RUN_FOLDER, Adjacency, DaemonRoute, RoutingDaemon
from vppcfg.transaction.entry import ROLLBACKS, Origin, Status
from vppcfg.transaction.transact import Cause, Failure
from vppcfg.verify.routes import FALLBACKS
from vppcfg.vpp.live import LiveDataplane

log = logging.getLogger("root.main")
_CLOCK = SystemClock()


_PAUSE_S = 1.0
_SHARE = 0.05
_MOST_S = 0.5
"""So long VPP may answer in all at one look; what it was not asked for then is taken for there."""
_NAMED = 5


@record
class MissingRoutes:
    """What VPP lacks of a daemon's routes."""

    prefixes: tuple[str, ...] = ()
    unknown: str = ""
    """Why that is not known; '' when it is."""

    @property
    def text(self) -> str:
        """Return how many and which, in words."""
        more = f" and {len(self.prefixes) - _NAMED} more" if len(self.prefixes) > _NAMED else ""
        count = f"{len(self.prefixes)} route{'' if len(self.prefixes) == 1 else 's'}"
        return f"VPP lacks {count} that the daemon has: {', '.join(self.prefixes[:_NAMED])}{more}"


def await_routes(
    daemon: RoutingDaemon,
    target: Target,
    within_s: float,
    before: MissingRoutes,
    should_stop: Callable[[], bool] = lambda: False,
    clock: Clock = _CLOCK,
) -> MissingRoutes:
    """Return what VPP lacks when it lacks nothing more than `before`, or after `within_s`."""
    until_s = clock.now() + within_s
    while True:
        found = missing_routes(daemon, target, clock)
        left = tuple(prefix for prefix in found.prefixes if prefix not in before.prefixes)
        if found.unknown or not left or should_stop() or clock.now() + _PAUSE_S > until_s:
            return MissingRoutes(prefixes=left, unknown=found.unknown)
        clock.sleep(_PAUSE_S)


def missing_routes(daemon: RoutingDaemon, target: Target, clock: Clock = _CLOCK) -> MissingRoutes:
    """Return which routes of a daemon VPP lacks, of those that leave by LCP pairs.

    VPP stops its workers for each look-up: of more than 5,000 routes as many are looked up, the same ones each time.
    """
    routes = daemon.routes()
    if isinstance(routes, str):
        return MissingRoutes(unknown=routes)
    try:
        vpp, _ = target.connect_apart()
        with vpp:
            facts = vpp.read_forwarding(is_all=False)
            if not facts.has_linux_nl:
                return MissingRoutes(unknown="VPP runs without linux-nl, and gets no routes from Linux")
            return MissingRoutes(prefixes=_not_there(_some(_wanted(routes, facts)), vpp, facts, clock))
    except DataplaneError as error:
        return MissingRoutes(unknown=error.message)


def _wanted(routes: Iterable[DaemonRoute], facts: VppForwarding) -> dict[RoutePlace, str]:
    devices = {pair.host_name for pair in facts.pairs if pair.netns == facts.default_netns}
    wanted: dict[RoutePlace, str] = {}
    for route in routes:
        if route.devices & devices:
            key = _key_of(route.prefix)
            wanted[TableId(key[0] == 1, route.table_id), key] = route.prefix
    return wanted


def _some(wanted: dict[RoutePlace, str]) -> dict[RoutePlace, str]:
    if len(wanted) <= MOST_LOOKED_UP:
        return wanted
    chosen = nsmallest(MOST_LOOKED_UP, wanted, key=lambda place: crc32(place[1], place[0].number))
    return {place: wanted[place] for place in chosen}


def _not_there(
    wanted: dict[RoutePlace, str], vpp: LiveDataplane, facts: VppForwarding, clock: Clock
) -> tuple[str, ...]:
    answers = vpp.find_routes(wanted, facts, Pace(clock, share=_SHARE, most_s=_MOST_S).rest)
    return tuple(sorted(wanted[place] for place, way in answers if way is None or way.source in FALLBACKS))


def _key_of(prefix: str) -> bytes:
    address, _, length = prefix.partition("/")
    is_ipv6 = ":" in address
    return prefix_key(is_ipv6, socket.inet_pton(socket.AF_INET6 if is_ipv6 else socket.AF_INET, address), int(length))


_SLACK_S = 5.0
"""For the daemon to act after a timer, and for a check to see it."""
_NEIGHBOR_S = 55.0
"""ReachableTime of 30 s, times 1.5 at most, 5 s and three probes: until a host takes an IPv6 neighbour that does not
answer for gone (RFC 4861, 6.3.2 and 10)."""

_USUAL = (
    (RoutingFile(kind=DaemonKind.FRR, path="", startup=""), f"{FRR_RUN_FOLDER}/zebra.vty"),
    (RoutingFile(kind=DaemonKind.BIRD, path="", startup="", socket="/run/bird/bird.ctl"), "/run/bird/bird.ctl"),
)
"""The daemons that a machine usually has, each with a socket that is there while it runs."""


class LateEffect(NamedTuple):
    """What may come of a change, and when."""

    text: str
    after_s: float
    """Seconds after the change; infinite where that is not known, hours perhaps."""


def adjacencies(files: Sequence[RoutingFile]) -> tuple[Adjacency, ...]:
    """Return what the routing daemons of the file, and those that run at their usual places, have with neighbours."""
    known = {(file.kind, file.pathspace) for file in files}
    others = [file for file, socket in _USUAL if (file.kind, "") not in known and os.path.exists(socket)]
    return tuple(each for file in (*files, *others) for each in daemon_of(file).adjacencies())


def late_effects(plan: Plan, changes: Sequence[DaemonChange], had: Sequence[Adjacency]) -> Iterator[LateEffect]:
    """Yield what may come of a change of VPP and daemons, which had adjacencies before it."""
    for change in changes:
        delay_s = daemon_of(change.texts.file).delay_s(change.texts.after)
        yield LateEffect(f"{change.texts.file.kind.title} acts by its new configuration", delay_s + _SLACK_S)
    is_concerned = _concerned(plan)
    for each in had:
        if is_concerned(each):
            yield LateEffect(f"{each.text} ends by its hold time of {each.hold_s:g} s", each.hold_s + _SLACK_S)
    for name, impact in plan.impacts.items():
        before, after = plan.observed.interfaces.get(name), plan.desired.interfaces.get(name)
        if before is None or after is None or impact < Impact.POLICY:
            continue
        if any(":" in address for address in after.addresses):
            yield LateEffect(f"hosts on {name} ask again who has its IPv6 address", _NEIGHBOR_S)
        if impact is Impact.POLICY and before.dhcp_client is not None and before.dhcp_client == after.dhcp_client:
            yield LateEffect(f"{name} renews its DHCP lease", math.inf)


def _concerned(plan: Plan) -> Callable[[Adjacency], bool]:
    """Return what tells whether a plan touches what an adjacency runs over.

    What is no interface, such as a route or NAT44, may concern all; so may any interface what is not next to it.
    """
    touched = plan.effects.keys()
    names = plan.observed.interfaces.keys() | plan.desired.interfaces.keys()
    is_any = bool(touched - names)
    states = (plan.observed, plan.desired)

    def concerns(adjacency: Adjacency) -> bool:
        near = {name for state in states for name in _next_to(adjacency, state)}
        return bool(touched) and (is_any or not near or bool(near & touched))

    return concerns


def _next_to(adjacency: Adjacency, state: State) -> Iterator[str]:
    """Yield the interfaces whose device an adjacency has, or whose subnet the neighbour is in."""
    if not adjacency.peer:
        yield from (name for name, pair in state.lcps.items() if pair.host_name == adjacency.device)
        return
    peer = f"{adjacency.peer}/{128 if ':' in adjacency.peer else 32}"
    yield from (name for name, interface in state.interfaces.items() if covers(interface.addresses, peer))


_BEFORE_S = 10.0
"""How long a check may take before the change, when nothing has to settle: what is good is good within that."""
_AGAIN_S, _AGAIN_WITHIN_S = 3.0, 10.0
"""How often checks are run again that must stay good, and how long each may then take."""
_RESERVE_S = 15.0
"""What the timer has left when checks end: for the last one, and to write down that the change is confirmed."""
_BY_CHECKS = "confirmed by its checks"


class PostChange:
    """The steps after one change, from the checks made before it, for comparison, to the verdict on it."""

    def __init__(
        self,
        plan: Plan,
        intent: Intent,
        place: ChangeContext,
        report: Report,
        should_stop: Callable[[], bool],
        clock: Clock = _CLOCK,
    ) -> None:
        self._plan = plan
        self._intent = intent
        self._place = place
        self.report = report
        self._should_stop = should_stop
        self._loaded: list[DaemonChange] = []
        self._missing: dict[str, MissingRoutes] = {}
        """What VPP lacked of the routes of each daemon that loads something, before the change."""
        self._trouble = ""
        """Why a daemon does not run what it should, at the end of a rollback."""
        self._before: tuple[CheckResult, ...] = ()
        self._adjacencies: tuple[Adjacency, ...] = ()
        self._clock = clock
        self._timer_ends_s = math.inf
        self._unseen: tuple[str, ...] = ()
        """What the checks could not wait for."""
        self.comparison: CheckComparison | None = None
        """What the checks have found, once they have run twice."""

    def check_before(self) -> None:
        """Look at routes and run the checks while nothing is changed yet: what is not good now cannot fail the change.

        Before a rollback no daemon is asked: one that hangs must not hold up VPP.
        """
        if self._intent.origin not in ROLLBACKS:
            for change in self._intent.routing.steps:
                self._look_for_routes(change)
        if self._intent.checks:
            log.info("Running the checks before the change")
            self._before = self._checked(self._intent.checks, is_before=True)
            self._adjacencies = adjacencies([change.texts.file for change in self._intent.routing.changes])
        if self._intent.confirm_s is not None:
            self._timer_ends_s = self._clock.now() + self._intent.confirm_s

    def run(self, number: int) -> Failure | None:
        """Load the routing daemons, run the hook of change `number`, then the checks.

        Return why the change cannot stay, None when it can. A rollback stays whatever happens to the daemons.
        """
        if trouble := self._load_daemons():
            if self._intent.origin not in ROLLBACKS:
                return Failure(cause=Cause.ROUTING, text=f"{Cause.ROUTING.value}: {trouble}")
            self._trouble = trouble
            log.error("%s", trouble)
        if self._intent.origin in {Origin.APPLY, Origin.RECONCILE}:
            trouble = run_hook(self._intent.hooks, HookEvent.AFTER_APPLY, number, self._place, self._should_stop)
            if trouble:
                return Failure(cause=Cause.HOOK, text=trouble)
        return self._missing_routes() or (self._check_after() if self._intent.checks else None)

    def restore_daemons(self) -> None:
        """Have the daemons run what they ran before, once VPP's old state is back; report it when one does not."""
        for change in self._loaded:
            title = change.texts.file.kind.title
            trouble = daemon_of(change.texts.file).load(change.texts.before, None)
            if trouble:
                self._trouble = f"{title} is not back: {trouble}"
                log.error("%s; its startup file %s is unchanged", self._trouble, change.texts.file.startup)
            else:
                log.warning("%s keeps its previous configuration", title)

    def _load_daemons(self) -> str:
        """Load what differs, and return why a daemon has not taken it."""
        for change in self._intent.routing.steps:
            daemon, title = daemon_of(change.texts.file), change.texts.file.kind.title
            if title not in self._missing:
                self._look_for_routes(change)
            log.info("Loading the configuration of %s", title)
            self._loaded.append(change)
            confirm_s = self._intent.confirm_s if self._intent.origin not in ROLLBACKS else None
            if trouble := daemon.load(change.texts.after, confirm_s):
                return trouble
        return ""

    def _look_for_routes(self, change: DaemonChange) -> None:
        file = change.texts.file
        self._missing[file.kind.title] = missing_routes(daemon_of(file), self._place.target)

    def _missing_routes(self) -> Failure | None:
        """Wait for VPP to have the routes of the daemons that were loaded; only with checks is that a failure."""
        for change in self._loaded:
            file, title = change.texts.file, change.texts.file.kind.title
            before = self._missing[title]
            found = await_routes(daemon_of(file), self._place.target, file.within_s, before, self._should_stop)
            if found.unknown:
                log.warning("Whether VPP has the routes of %s is not known: %s", title, found.unknown)
            elif found.prefixes and self._intent.checks and self._intent.confirm_s is not None:
                return Failure(cause=Cause.ROUTING, text=f"{found.text} ({title})")
            elif found.prefixes:
                log.warning("%s (%s)", found.text, title)
        return None

    def verdict(self, code: ExitCode, status: Status, text: str) -> tuple[ExitCode, Status, str]:
        """Return how a change ends by its daemons and its checks, given how it would end without them."""
        if self._trouble:
            status = Status.STRANDED if status is Status.REVERTED else status
            return ExitCode.STRANDED, status, "; ".join(filter(None, (text, self._trouble)))
        found = self.comparison
        if found is None or status not in {Status.WAITING, Status.APPLIED}:
            return code, status, text
        if found.broken:  # it stays: no confirmation was asked for
            failed = f"{Cause.CHECK.value}: {reason_of(found.broken)}"
            return ExitCode.CHECK_FAILED if code is ExitCode.DONE else code, status, failed
        if status is Status.APPLIED:
            return code, status, text
        if not found.has_success:
            log.warning(
                "No check passed before the change or passes now, so they decide nothing: confirm it or roll "
                "back yourself"
            )
            return code, status, text
        if self._unseen:
            log.warning("The checks are good, but do not decide: confirm the change once that shows, or roll it back")
            return code, status, text
        if self._intent.holds:
            log.info("The checks are good, and the change waits to be confirmed, as --hold asks")
            return code, status, text
        log.info("The checks are good, and confirm the change")
        return code, Status.CONFIRMED, _BY_CHECKS

    def _check_after(self) -> Failure | None:
        """Run the checks until none of what the change may end late can come any more, or one is broken."""
        log.info("Running the checks after the change")
        changed_s = self._clock.now()
        after = self._checked(self._intent.checks, is_before=False)
        self.comparison = CheckComparison(before=self._before, after=after)
        for result in self.comparison.bad_before:
            log.warning("Does not count, for it was not good before the change: %s", result.check.text)
        self._keep_checking(changed_s)
        if not (broken := self.comparison.broken):
            return None
        reason = f"{Cause.CHECK.value}: {reason_of(broken)}"
        if self._intent.confirm_s is not None:
            return Failure(cause=Cause.CHECK, text=reason)
        log.error("%s%s; the change stays", reason[0].upper(), reason[1:])
        return None

    def _keep_checking(self, changed_s: float) -> None:
        """Run the checks that are good again and again, as long as they must stay good."""
        assert self.comparison is not None
        good = [result.check for result in self.comparison.after if result.is_good]
        if self.comparison.broken or not good:
            return
        seen = [LateEffect(f"`for` of {check.text}", check.for_s) for check in good if check.for_s]
        seen += late_effects(self._plan, self._intent.routing.steps, self._adjacencies)
        most_s = self._timer_ends_s - changed_s - _RESERVE_S
        self._unseen = tuple(each.text for each in seen if each.after_s > most_s)
        for text in self._unseen:
            log.warning("The checks end before that shows: %s", text)
        seen = [each for each in seen if each.after_s <= most_s]
        last = max(seen, key=lambda each: each.after_s, default=LateEffect("", 0.0))
        until_s = changed_s + last.after_s
        if until_s > self._clock.now():
            log.info("The checks must stay good for another %.0f s: %s", until_s - self._clock.now(), last.text)
        while self._clock.now() < until_s and not self._should_stop() and not self.comparison.broken:
            self._clock.sleep(min(_AGAIN_S, until_s - self._clock.now()))
            again = {result.check: result for result in self._checked(good, is_before=False, is_again=True)}
            after = tuple(again.get(result.check, result) for result in self.comparison.after)
            self.comparison = CheckComparison(before=self.comparison.before, after=after)

    def _checked(self, checks: Sequence[Check], *, is_before: bool, is_again: bool = False) -> tuple[CheckResult, ...]:
        """Run checks; one that breaks the change leaves the others open. Run again, only failures are reported."""
        before = {result.check for result in self._before if result.is_good and self._intent.confirm_s is not None}
        results = run_checks(
            checks,
            self._plan.observed if is_before else self._plan.desired,
            self._place.session.dataplane,
            self._should_stop,
            self._clock,
            most_s=_BEFORE_S if is_before else _AGAIN_WITHIN_S if is_again else MOST_WITHIN_S,
            environment=self._place.target.environment(),
            decides=lambda result: not result.is_good and result.check in before,
            level_of_good=logging.DEBUG if is_again else logging.INFO,
        )
        if not is_again or not all(result.is_good for result in results):
            self.report.checked(results, is_before=is_before)
        return results
