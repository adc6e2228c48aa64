"""Runs a test with connections: a rate that rises evenly to a target and is held, then time for the last ones to end.

It passes when fewer connections fail than the limit allows. A connection fails some seconds without an answer
it, so that failures show a little later than their cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from vppcfg.common.clock import Clock, sleep_until
from vppcfg.common.rates import short
from vppcfg.errors import EngineError, UsageError
from vppcfg.loadtest.load import loss_text
from vppcfg.loadtest.ramp import EARLY_SAMPLES, MARGIN_S
from vppcfg.loadtest.ramp_schedule import LoadPhase, RampSchedule
from vppcfg.loadtest.recorder import SILENCE_S, UNSENT_TOLERANCE
from vppcfg.loadtest.result import Verdict
from vppcfg.loadtest.stateful.engine import ConnectionCount, StatefulCount, StatefulEngine, StatefulTraffic
from vppcfg.loadtest.stateful.outcome import ConnectionKind, ConnectionSample, StatefulOutcome
from vppcfg.record import record

FINISH_S = 10
"""So long connections have to end after the last one has begun; an unanswered handshake takes half of it."""
MOST_CPS = 1e8
_FEW = 5
"""When so many connections are due and none has begun, the generator does not begin any."""


@record
class ConnectionPlan(RampSchedule):
    """The rate of every second of a test, in connections per second."""

    limit_ratio: float = 1e-4
    """Passes below this share of failed connections."""
    stops_early: bool = False
    finish_s: int = FINISH_S

    def __post_init__(self) -> None:
        RampSchedule.__post_init__(self)
        for rate in (self.warm_up_rate, self.target_rate):
            if not 0 < rate <= MOST_CPS:
                raise UsageError(f"{rate:g} connections per second are no rate", f"a rate is at most {MOST_CPS:,.0f}")


@record
class ConnectionStatus:
    """How far a test has come, with its last sample and what was counted since it began."""

    sample: ConnectionSample
    remaining_s: float
    """At most, as far as it is known."""
    so_far: ConnectionCount
    is_failing: bool = False
    """Whether more connections failed in this sample than allowed."""


class ConnectionObserver(Protocol):
    """What is notified of each phase and sample of a test; its methods must return at once."""

    def begin(self, phase: LoadPhase, rate_cps: float, duration_s: float) -> None:
        """Take note that a phase begins."""

    def observe(self, status: ConnectionStatus) -> None:
        """Take note of a sample."""


class ConnectionRamp:
    """One test on an engine that has been acquired; `samples` grows while it runs, and stays when it is interrupted."""

    def __init__(
        self,
        engine: StatefulEngine,
        traffic: StatefulTraffic,
        plan: ConnectionPlan,
        clock: Clock,
        observer: ConnectionObserver,
    ) -> None:
        self.samples: list[ConnectionSample] = []
        self._engine = engine
        self._traffic = traffic
        self._plan = plan
        self._clock = clock
        self._observer = observer
        self._began_s = 0.0
        self._former: StatefulCount | None = None
        self._intended = self._rate_since_s = 0.0
        self._due = 0.0
        self._idle_s = self._silent_s = 0.0
        self._failing = 0

    def so_far(self) -> StatefulOutcome:
        """Return what has been counted until now."""
        return replace(outcome_of(self._traffic), samples=tuple(self.samples), intended=int(self._intended))

    def run(self) -> tuple[StatefulOutcome, Verdict, tuple[str, ...]]:
        """Run the test to its end; return its findings, its verdict, and what makes it less than certain.

        Raise EngineError when the generator or the device fails.
        """
        self._engine.prepare(self._traffic)
        stopped_at_cps = self._ramp_up()
        self._engine.stop_new_connections()
        self._intend(self.samples[-1].rate_cps, self._clock.now())
        self._finish()
        delays = self._engine.delays()
        self._engine.stop()
        last = self._engine.count()
        outcome = replace(
            self.so_far(),
            totals=last.connections,
            failed_ratio=failed_ratio(last.connections, int(self._intended)),
            tallies=last.tallies,
            errors=last.errors,
            delays=delays,
            failures_begin_cps=failures_begin_cps(self.samples, self._plan.limit_ratio),
        )
        notes = list(_notes(outcome, last))
        if stopped_at_cps is not None:
            notes.append(f"stopped early at {short(stopped_at_cps).strip()} connections per second")
        return outcome, verdict_of(outcome, self._plan.limit_ratio), tuple(notes)

    def _ramp_up(self) -> float | None:
        """Begin connections at the rates of the plan; return the one at which too many failed, when that ends it."""
        plan, former_phase, former_cps = self._plan, None, None
        for second, (phase, rate_cps) in enumerate(plan.seconds(), start=1):
            if former_cps is None:
                self._engine.start(rate_cps, plan.duration_s + plan.finish_s + MARGIN_S)
                self._former = self._engine.count()
                self._began_s = self._rate_since_s = self._clock.now()
            elif rate_cps != former_cps:
                self._engine.update(rate_cps)
                self._intend(former_cps, self._clock.now())
            if phase is not former_phase:
                self._observer.begin(phase, rate_cps, plan.phase_s(phase))
            former_phase, former_cps = phase, rate_cps
            sample = self._wait(second, phase, rate_cps, plan.duration_s + plan.finish_s - second)
            self._watch_for_silence(sample)
            self._failing = self._failing + 1 if is_failing(sample, plan.limit_ratio) else 0
            if plan.stops_early and self._failing >= EARLY_SAMPLES:
                return rate_cps
        return None

    def _finish(self) -> None:
        """Wait until all connections have ended, but no longer than the plan sets."""
        began = len(self.samples)
        for second in range(1, self._plan.finish_s + 1):
            if self._former is not None and not self._former.open_now:
                return
            if second == 1:
                self._observer.begin(LoadPhase.DRAIN, 0.0, self._plan.finish_s)
            self._wait(began + second, LoadPhase.DRAIN, 0.0, self._plan.finish_s - second)

    def _wait(self, moment_s: float, phase: LoadPhase, rate_cps: float, remaining_s: float) -> ConnectionSample:
        """Wait until `moment_s` of the test and take a sample."""
        sleep_until(self._clock, self._began_s + moment_s)
        former, count = self._former, self._engine.count()
        assert former is not None
        self._former = count
        full = None
        if count.queue_full is not None and former.queue_full is not None:
            full = max(count.queue_full - former.queue_full, 0)
        sample = ConnectionSample(
            at_s=round(count.at_s - self._began_s, 6),
            duration_s=round(count.at_s - former.at_s, 6),
            phase=phase,
            rate_cps=rate_cps,
            connections=_grown(count.connections, former.connections),
            open_now=count.open_now,
            tallies=tuple(now - before for now, before in zip(count.tallies, former.tallies, strict=True)),
            cpu_share=count.cpu_share,
            queue_full=full,
        )
        self.samples.append(sample)
        self._intend(rate_cps, count.at_s)
        self._observer.observe(
            ConnectionStatus(
                sample=sample,
                remaining_s=remaining_s,
                so_far=count.connections,
                is_failing=is_failing(sample, self._plan.limit_ratio),
            )
        )
        return sample

    def _intend(self, rate_cps: float, until_s: float) -> None:
        """Count the connections that should have begun at a rate until a moment: another rate takes a while."""
        self._intended += rate_cps * max(until_s - self._rate_since_s, 0.0)
        self._rate_since_s = max(until_s, self._rate_since_s)

    def _watch_for_silence(self, sample: ConnectionSample) -> None:
        """Raise EngineError when connections do not begin any more, or none is answered."""
        if sample.connections.begun:
            self._idle_s = self._due = 0.0
        else:
            self._idle_s += sample.duration_s
            self._due += sample.rate_cps * sample.duration_s
        if self._idle_s >= SILENCE_S and self._due >= _FEW:
            raise EngineError(
                f"the generator has begun no connection for {self._idle_s:.0f} s",
                "was its traffic stopped, or were its ports taken over?",
            )
        is_silent = sample.connections.begun > 0 and not sample.connections.answered
        is_heard = sample.connections.answered > 0
        self._silent_s = 0.0 if is_heard else self._silent_s + sample.duration_s * is_silent
        if self._silent_s >= SILENCE_S:
            raise EngineError(
                f"no connection was answered for {self._silent_s:.0f} s",
                "does the router forward them both ways? See its routes to 16.0.0.0/8 and 48.0.0.0/8, its neighbours "
                "and the state of its ports",
            )


def outcome_of(traffic: StatefulTraffic) -> StatefulOutcome:
    """Return a result with the connections of a test, before any is begun."""
    profile = traffic.profile
    return StatefulOutcome(
        profile=profile.name,
        kinds=tuple(
            ConnectionKind(
                name=each.name,
                transport=each.transport.value,
                port=each.port,
                weight=each.weight,
                request_bytes=each.request.size_bytes,
                answer_bytes=each.answer.size_bytes,
                open_s=each.open_s,
            )
            for each in profile.applications
        ),
        clients=profile.clients,
        servers=profile.servers,
        offset=profile.offset,
        directions=traffic.directions,
        latency_pps=traffic.latency_pps,
    )


def failed_ratio(totals: ConnectionCount, intended: int) -> float:
    """Return the share of connections that failed, 0 to 1; the test must be over.

    One that was begun and is not answered, or did not end in peace, has failed. Those that were not begun count too,
    unless they are so few that the generator was only started late.
    """
    succeeded = max(min(totals.answered, totals.ended - totals.failed), 0)
    keeps_up = totals.begun >= intended * (1 - UNSENT_TOLERANCE)
    whole = totals.begun if keeps_up else intended
    return min(max(whole - succeeded, 0) / whole, 1.0) if whole else 0.0


def is_failing(sample: ConnectionSample, limit_ratio: float) -> bool:
    """Return whether the limit's share of connections, and any, failed in a sample."""
    failed = sample.connections.failed
    return failed > 0 and failed >= limit_ratio * max(sample.connections.begun, 1)


def failures_begin_cps(samples: Sequence[ConnectionSample], limit_ratio: float) -> float | None:
    """Return the rate at which the failures begin that last to the end of the hold, None when there are none there."""
    first = None
    for sample in reversed([sample for sample in samples if sample.phase is not LoadPhase.DRAIN]):
        if not is_failing(sample, limit_ratio):
            break
        first = sample
    return None if first is None else first.rate_cps


def verdict_of(outcome: StatefulOutcome, limit_ratio: float) -> Verdict:
    """Return whether fewer connections failed than `limit_ratio`; none begun is no pass."""
    totals = outcome.totals
    if totals is None or not totals.begun:
        return Verdict(has_passed=False, limit_ratio=limit_ratio, text="the generator began no connection")
    ratio = outcome.failed_ratio
    text = f"{loss_text(ratio)} of the connections failed, the limit is {loss_text(limit_ratio)}"
    return Verdict(has_passed=ratio < limit_ratio or ratio == 0, limit_ratio=limit_ratio, text=text)


def _grown(now: ConnectionCount, before: ConnectionCount) -> ConnectionCount:
    """Return what was counted between two looks. Raise EngineError when a counter went backwards."""
    grown = now - before
    if min(grown.begun, grown.answered, grown.ended, grown.failed, grown.sent_bytes, grown.received_bytes) < 0:
        raise EngineError("the counters of the connections went backwards", "was T-Rex restarted?")
    return grown


def _notes(outcome: StatefulOutcome, last: StatefulCount) -> Iterator[str]:
    """Yield a sentence for everything that makes a result less than certain."""
    totals = outcome.totals
    assert totals is not None
    missing = outcome.intended - totals.begun
    if missing > outcome.intended * UNSENT_TOLERANCE:
        yield (
            f"the generator did not begin {missing:,} of {outcome.intended:,} connections, which count as failed: the "
            "limit found may be the generator's"
        )
    for direction, tally in zip(outcome.directions, outcome.tallies, strict=True):
        if tally.lost:
            yield f"{tally.lost:,} of {tally.sent:,} packets of {direction.name} were lost; TCP sends them again"
    if last.queue_full:
        yield f"the generator found its queues full {last.queue_full:,} times"
