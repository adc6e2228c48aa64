"""Shows a test with connections, `loadtest astf`: its progress while it runs, and its figures."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from vppcfg.cli.loadtest.live import Ticker, clock_text, sides_of
from vppcfg.cli.loadtest.result_view import labelled
from vppcfg.cli.output import print_error
from vppcfg.common.printable import printable
from vppcfg.common.rates import short
from vppcfg.loadtest.engine import Delay
from vppcfg.loadtest.latency import percentile_us
from vppcfg.loadtest.load import loss_text
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.result import Result
from vppcfg.loadtest.stateful.engine import ErrorCount, StatefulTraffic
from vppcfg.loadtest.stateful.outcome import StatefulOutcome
from vppcfg.loadtest.stateful.run import ConnectionPlan, ConnectionStatus

_MOST_ERRORS = 20
"""As many kinds of errors are shown; the result has all."""


class LiveConnections:
    """A ConnectionObserver that writes to standard error: one line that is rewritten, or one per second."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._is_quiet = is_quiet
        self._ticker = Ticker(is_quiet=is_quiet)
        self._is_failing = False

    def __enter__(self) -> Self:
        self._ticker.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ticker.__exit__(kind, error, trace)

    def announce(self, generator: str, traffic: StatefulTraffic, plan: ConnectionPlan) -> None:
        """Print what is about to be done."""
        self._print(
            f"Connections of {traffic.profile.name} by {generator} on ports {sides_of(traffic.directions)}: "
            f"{cps(plan.warm_up_rate)} for {plan.warm_up_s} s, up to {cps(plan.target_rate)} in {plan.ramp_s} s, "
            f"held for {plan.hold_s} s"
        )

    def begin(self, phase: LoadPhase, rate_cps: float, duration_s: float) -> None:
        """Print that a phase begins."""
        if phase is LoadPhase.DRAIN:
            self._print(f"Waiting for connections to end, {duration_s:g} seconds at most")
        elif duration_s:
            words = {LoadPhase.WARM_UP: "Warming up at", LoadPhase.RAMP: "Rising from", LoadPhase.HOLD: "Holding"}
            self._print(f"{words[phase]} {cps(rate_cps)} for {duration_s:g} seconds")

    def observe(self, status: ConnectionStatus) -> None:
        """Show how far the test is."""
        if status.is_failing and not self._is_failing:
            self._ticker.close()
            print_error("WARNING: too many connections fail", logging.WARNING)
        self._is_failing = status.is_failing
        sample = status.sample
        self._ticker.show(
            f"{sample.phase.value} {clock_text(sample.at_s)}, {clock_text(status.remaining_s)} left: "
            f"{cps(sample.begun_cps)} begun, {cps(sample.answered_cps)} answered, {sample.open_now:,} open, "
            f"{status.so_far.failed:,} failed"
        )

    def _print(self, text: str) -> None:
        if not self._is_quiet:
            self._ticker.close()
            print_error(printable(text), logging.INFO)


def cps(rate: float) -> str:
    """Return `1.5 k/s`."""
    return f"{short(rate).strip()}/s"


def astf_lines(result: Result) -> Iterator[str]:
    """Yield the figures of a test with connections, in 80 columns."""
    outcome = result.stateful
    assert outcome is not None
    assert result.verdict is not None
    yield from ("", "Test has passed :-)" if result.verdict.has_passed else "Test has failed :-(", "")
    yield from _total_lines(outcome)
    yield from labelled("Verdict", result.verdict.text)
    yield from labelled("Failures", _failures_begin(outcome))
    yield from labelled(
        "Open", f"{outcome.most_open:,} connections at once at most, {cps(outcome.most_answered_cps)} answered at most"
    )
    for delay in outcome.delays:
        yield from labelled("Latency", latency_text(delay))
    yield from _error_lines(outcome.errors)
    for note in result.notes:
        yield from labelled("Note", note)


def _total_lines(outcome: StatefulOutcome) -> Iterator[str]:
    totals = outcome.totals
    assert totals is not None
    heads = ("Begun", "Established", "Answered", "Failed", "Not begun", "Share failed")
    yield "".join(f"{head:>13}" for head in heads)
    missing = max(outcome.intended - totals.begun, 0)
    figures = (totals.begun, totals.established, totals.answered, totals.failed, missing)
    yield "".join(f"{figure:>13,}" for figure in figures) + f"{loss_text(outcome.failed_ratio):>13}"


def _failures_begin(outcome: StatefulOutcome) -> str:
    if outcome.failures_begin_cps is None:
        highest = max((sample.rate_cps for sample in outcome.samples), default=0.0)
        return f"nowhere up to {cps(highest)}"
    return f"begin at {cps(outcome.failures_begin_cps)}; a connection fails some seconds after its cause"


def latency_text(delay: Delay) -> str:
    """Return the latency of a direction in one sentence."""
    most = percentile_us(delay.histogram, 0.99)
    edge = "" if most is None else f", 99 % below {most[1]:,.0f} us"
    lost = max(delay.sent - delay.received, 0)
    if not delay.received:
        return f"{delay.direction.name}: no answer; {lost:,} of {delay.sent:,} lost"
    return (
        f"{delay.direction.name}: {delay.average_us:,.0f} us in the mean{edge}, {delay.maximum_us:,.0f} us at most, "
        f"jitter {delay.jitter_us:,.0f} us; {lost:,} of {delay.sent:,} lost"
    )


def _error_lines(errors: tuple[ErrorCount, ...]) -> Iterator[str]:
    if not errors:
        yield from labelled("Errors", "none")
    for error in errors[:_MOST_ERRORS]:
        text = f"{error.count:,} {error.meaning} ({error.side}, {error.protocol}: {error.name})"
        yield from labelled("Errors", text)
    if len(errors) > _MOST_ERRORS:
        yield from labelled("Errors", f"and {len(errors) - _MOST_ERRORS} more kinds, which the result has")
