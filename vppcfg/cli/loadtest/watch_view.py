"""What a watch saw, as a table for people."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.loadtest.load import loss_text
from vppcfg.loadtest.watch.outcome import Watched


def watch_lines(watched: tuple[Watched, ...]) -> Iterator[str]:
    """Yield the figures of every target, in 80 columns; times are in milliseconds."""
    yield f"{'Target':<19} {'Sent':>7} {'Loss':>9} {'min':>7} {'median':>7} {'95 %':>7} {'max':>8} {'jitter':>7}"
    for one in watched:
        times = (one.least_us, one.median_us, one.p95_us, one.most_us, one.jitter_us)
        least, median, high, most, jitter = ("-" if time is None else _ms(time) for time in times)
        yield (
            f"{one.target:<19} {one.sent:>7,} {loss_text(one.loss_ratio):>9} {least:>7} {median:>7} {high:>7} "
            f"{most:>8} {jitter:>7}"
        )
    yield "Times are round trips in milliseconds."
    for one in watched:
        if one.refused or one.duplicates:
            yield f"{one.target}: {one.refused:,} probes were refused on the way, {one.duplicates:,} answered twice."


def milliseconds(time_us: float) -> str:
    """Return `0.412 ms`."""
    return f"{_ms(time_us)} ms"


def _ms(time_us: float) -> str:
    return f"{time_us / 1000:.3f}" if time_us < 100_000 else f"{time_us / 1000:.0f}"
