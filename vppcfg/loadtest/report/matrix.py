"""The table that compares routers at a glance: a row per run and way, a column per traffic, line rate in brackets."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.common.rates import percent, short
from vppcfg.loadtest.report.overview import clean_rates
from vppcfg.loadtest.result import Kind, Result
from vppcfg.record import record


@record
class Matrix:
    """Packets per second without too much loss, all directions of a run together."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Each begins with its name."""


def matrix_of(results: Sequence[Result], limit_ratio: float | None) -> Matrix | None:
    """Return the table; None when there are no two ramps to compare."""
    ramps = [result for result in results if result.kind is Kind.RAMP and result.offered and result.samples]
    if len(ramps) < 2:
        return None
    columns = tuple(dict.fromkeys(traffic_of(result) for result in ramps))
    names = tuple(dict.fromkeys(_name(result) for result in ramps))
    cells = {(_name(result), traffic_of(result)): _cell(result, limit_ratio) for result in ramps}
    rows = tuple((name, *(cells.get((name, column), "") for column in columns)) for name in names)
    return Matrix(columns=columns, rows=rows)


def traffic_of(result: Result) -> str:
    """Return a short name for what was offered: `bench 64 var2`."""
    assert result.offered is not None
    words = (result.offered.profile, result.offered.size, result.offered.variation)
    return " ".join(word for word in dict.fromkeys(words) if word and word != "none")


def _name(result: Result) -> str:
    assert result.offered is not None
    ways = "bidirectional" if len(result.offered.directions) > 1 else "unidirectional"
    return f"{result.title}, {ways}" if result.title else ways.capitalize()


def _cell(result: Result, limit_ratio: float | None) -> str:
    assert result.offered is not None
    rates = clean_rates(result, limit_ratio)
    share = sum(rates) / len(rates) / result.offered.path_rate_pps
    return f"{short(sum(rates)).strip()} ({percent(min(share, 1.0))})"
