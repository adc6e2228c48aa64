"""The tables of a report: a row for each result of each run, and routers compared by traffic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.common.rates import percent, pps, short
from vppcfg.loadtest.engine import Direction
from vppcfg.loadtest.load import first_of_last_failing_run, loss_text, rates_pps
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.report.ramp import limit_of, run_label, short_port
from vppcfg.loadtest.result import Result, ResultKind, Sample
from vppcfg.record import record

NO_BREAK = "\u00a0"
_NO_ANSWER = "no answer"


@record
class OverviewRow:
    """One direction, goal, load, set of flows or target of a run."""

    run: str
    kind: str
    what: str
    rate: str
    """What went through without too much loss, or the figure that stands for the run."""
    share: str
    """Of what the path carries."""
    most: str
    loss: str
    verdict: str


def rows_of(results: Sequence[Result], limit_ratio: float | None) -> tuple[OverviewRow, ...]:
    """Return the table's rows, run by run."""
    rows = []
    for number, result in enumerate(results):
        rows += list(_ROWS[result.kind](run_label(results, number), result, limit_ratio))
    return tuple(rows)


def clean_rates(result: Result, limit_ratio: float | None) -> tuple[float, ...]:
    """Return what each direction of a ramp got back where its loss begins, or at most when it never does."""
    samples = _with_traffic(result)
    first = first_of_last_failing_run(samples, limit_of(result, limit_ratio))
    if first is None:
        return _highest(samples)
    return tuple(min(rates_pps(first, place)[1], first.load_pps) for place in range(len(first.tallies)))


def _with_traffic(result: Result) -> list[Sample]:
    return [sample for sample in result.samples if sample.phase is not LoadPhase.DRAIN]


def _highest(samples: Sequence[Sample]) -> tuple[float, ...]:
    return tuple(max(rates_pps(sample, place)[1] for sample in samples) for place in range(len(samples[0].tallies)))


def _ramp_rows(name: str, result: Result, limit_ratio: float | None) -> Iterator[OverviewRow]:
    """Yield a row per direction."""
    if result.offered is None or not result.samples:
        return
    limit = f"loss < {100 * limit_of(result, limit_ratio):g} %".replace(" ", NO_BREAK)
    totals = {total.direction: total.loss_ratio for total in result.totals}
    rates = zip(clean_rates(result, limit_ratio), _highest(_with_traffic(result)), strict=True)
    for direction, (clean, most) in zip(result.offered.directions, rates, strict=True):
        yield OverviewRow(
            run=name,
            kind=result.kind.value,
            what=_way(direction),
            rate=f"{pps(clean)}, ".replace(" ", NO_BREAK, 1) + limit,
            share=percent(min(clean / result.offered.path_rate_pps, 1.0)),
            most=pps(most),
            loss=loss_text(totals[direction]) if direction in totals else "unknown",
            verdict=_verdict(result),
        )


def _search_rows(name: str, result: Result, limit_ratio: float | None) -> Iterator[OverviewRow]:
    for found in result.throughputs:
        rate = found.conditional_pps
        share = rate / result.offered.path_rate_pps if rate and result.offered else None
        upper = "no load failed" if found.upper_bound_pps is None else f"{pps(found.upper_bound_pps)} failed"
        yield OverviewRow(
            run=name,
            kind=result.kind.value,
            what=found.goal,
            rate=pps(rate) if rate else "even the least load fails",
            share=percent(min(share, 1.0)) if share else "",
            most=upper,
            loss=f"goal {loss_text(found.loss_ratio)}",
            verdict=_verdict(result),
        )


def _latency_rows(name: str, result: Result, limit_ratio: float | None) -> Iterator[OverviewRow]:
    for under in result.delays:
        for delay in under.delays:
            probes_lost = max((delay.sent - delay.received) / delay.sent, 0.0) if delay.sent else 0.0
            # What the load has lost counts: stamped packets can all come back while the rest is lost.
            lost = {total.direction: total.loss_ratio for total in under.totals}
            yield OverviewRow(
                run=name,
                kind=result.kind.value,
                what=f"{_way(delay.direction)} at {pps(under.load_pps)}",
                rate=f"{delay.average_us:,.0f} µs, jitter {delay.jitter_us:,.0f} µs" if delay.received else _NO_ANSWER,
                share="",
                most=f"{delay.maximum_us:,.0f} µs" if delay.received else "",
                loss=loss_text(lost.get(delay.direction, probes_lost)),
                verdict=_verdict(result),
            )


def _flow_rows(name: str, result: Result, limit_ratio: float | None) -> Iterator[OverviewRow]:
    if result.flows is not None:
        busiest = min((core.mean_idle for core in result.flows.summaries()), default=None)
        yield OverviewRow(
            run=name,
            kind=result.kind.value,
            what=f"{len(result.flows.flows)} TCP flows",
            rate=f"{short(result.flows.goodput_bps)}bit/s",
            share="",
            most="" if busiest is None else f"busiest core {100 * busiest:.0f} % idle",
            loss="",
            verdict=_verdict(result),
        )


def _watch_rows(name: str, result: Result, limit_ratio: float | None) -> Iterator[OverviewRow]:
    for seen in result.watched:
        median = _NO_ANSWER if seen.median_us is None else f"median {seen.median_us / 1000:.3f} ms"
        yield OverviewRow(
            run=name,
            kind=result.kind.value,
            what=seen.target,
            rate=median,
            share="",
            most="" if seen.most_us is None else f"{seen.most_us / 1000:.3f} ms",
            loss=loss_text(seen.loss_ratio),
            verdict=_verdict(result),
        )


def _stateful_rows(name: str, result: Result, limit_ratio: float | None) -> Iterator[OverviewRow]:
    outcome = result.stateful
    if outcome is not None:
        begin = outcome.failures_begin_cps
        clean = f"failures begin at {short(begin).strip()}/s" if begin is not None else ""
        yield OverviewRow(
            run=name,
            kind=result.kind.value,
            what=f"connections, {outcome.profile}",
            rate=", ".join(word for word in (f"{short(outcome.most_answered_cps).strip()}/s answered", clean) if word),
            share="",
            most=f"{outcome.most_open:,} at once",
            loss="unknown" if outcome.totals is None else f"{loss_text(outcome.failed_ratio)} failed",
            verdict=_verdict(result),
        )


def _way(direction: Direction) -> str:
    return f"{short_port(direction.source)} → {short_port(direction.sink)}"


def _verdict(result: Result) -> str:
    if result.verdict is not None:
        return "passed" if result.verdict.has_passed else "failed"
    return "" if result.is_complete else "interrupted"


_ROWS = {
    ResultKind.RAMP: _ramp_rows,
    ResultKind.SEARCH: _search_rows,
    ResultKind.LATENCY: _latency_rows,
    ResultKind.FLOWS: _flow_rows,
    ResultKind.WATCH: _watch_rows,
    ResultKind.ASTF: _stateful_rows,
}


@record
class Matrix:
    """Packets per second without too much loss, all directions of a run together."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Each begins with its name."""


def matrix_of(results: Sequence[Result], limit_ratio: float | None) -> Matrix | None:
    """Return the table; None when there are no two ramps to compare. Runs of one name and traffic get numbers."""
    ramps = [result for result in results if result.kind is ResultKind.RAMP and result.offered and result.samples]
    if len(ramps) < 2:
        return None
    columns = tuple(dict.fromkeys(traffic_of(result) for result in ramps))
    cells: dict[tuple[str, int], dict[str, str]] = {}
    for result in ramps:
        name, column, number = _matrix_name(result), traffic_of(result), 1
        while column in cells.setdefault((name, number), {}):
            number += 1
        cells[name, number][column] = _matrix_cell(result, limit_ratio)
    rows = tuple(
        (f"{name} #{number}" if (name, 2) in cells else name, *(row.get(column, "") for column in columns))
        for (name, number), row in cells.items()
    )
    return Matrix(columns=columns, rows=rows)


def traffic_of(result: Result) -> str:
    """Return a short name for what was offered: `bench 64 var2`."""
    assert result.offered is not None
    words = (result.offered.profile, result.offered.size, result.offered.variation)
    return " ".join(word for word in dict.fromkeys(words) if word and word != "none")


def _matrix_name(result: Result) -> str:
    assert result.offered is not None
    ways = "bidirectional" if len(result.offered.directions) > 1 else "unidirectional"
    return f"{result.title}, {ways}" if result.title else ways.capitalize()


def _matrix_cell(result: Result, limit_ratio: float | None) -> str:
    assert result.offered is not None
    rates = clean_rates(result, limit_ratio)
    share = sum(rates) / len(rates) / result.offered.path_rate_pps
    return f"{short(sum(rates)).strip()} ({percent(min(share, 1.0))})"
