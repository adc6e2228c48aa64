"""The smoke-shaped graph of round-trip times: the median in the colour of the loss, everything else as smoke."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from vppcfg.common.graph import Area, Graph, linear_scale, time_scale
from vppcfg.loadtest.watch.outcome import Moment, Watched
from vppcfg.loadtest.watch.statistics import percentile

_SMOKE = "#3f4650"
_LAYERS = (0.0, 0.05, 0.15, 0.25, 0.375)
"""Each layer reaches from this share of the times to the share as far from the other end."""
_OPACITY = 0.13
_COLOURS = (
    (0.0, "#15803d", "no loss"),
    (0.05, "#0e7490", "up to 5 %"),
    (0.2, "#7e22ce", "up to 20 %"),
    (0.5, "#c2410c", "up to 50 %"),
    (1.0, "#b3261e", "more"),
)
_MEDIAN_SHARE = 0.012
"""Height of the median's mark as a share of the graph."""
_HEADROOM = 1.15
_MOST_MOMENTS = 900


def smoke_graph(title: str, watched: Watched) -> Graph:
    """Return the graph of one target; a moment without any answer is a column of the worst colour."""
    moments = watched.moments[-_MOST_MOMENTS:]
    width_s = min((later.at_s - former.at_s for former, later in pairwise(moments)), default=1.0)
    top_us = _top(moments)
    first_s = moments[0].at_s - width_s if moments else 0.0
    areas = tuple(area for moment in moments for area in _areas(moment, width_s, top_us, first_s))
    return Graph(
        title=title,
        x=time_scale((moments[-1].at_s if moments else 1.0) - first_s),
        y=linear_scale(top_us / 1000, lambda value: f"{value:.3g}"),
        x_name="time",
        y_name="round trip, ms",
        areas=areas,
        legend=(
            *((colour, f"median, {text}" if not limit else text) for limit, colour, text in _COLOURS),
            (_SMOKE, "smoke: the other times"),
        ),
    )


def loss_colour(ratio: float) -> str:
    """Return the colour of a loss."""
    return next(colour for limit, colour, _ in _COLOURS if ratio <= limit)


def _top(moments: tuple[Moment, ...]) -> float:
    """Return the highest time to show: a few outliers do not press the rest to the foot."""
    highs = sorted(percentile(moment.rtts_us, 0.95) for moment in moments if moment.rtts_us)
    most = max((moment.rtts_us[-1] for moment in moments if moment.rtts_us), default=1000.0)
    usual = percentile(highs, 0.98) if highs else most
    return min(most, 4 * usual) * _HEADROOM


def _areas(moment: Moment, width_s: float, top_us: float, first_s: float) -> Iterator[Area]:
    from_x, to_x = moment.at_s - width_s - first_s, moment.at_s - first_s
    times = moment.rtts_us
    if not times:
        yield Area(from_x=from_x, to_x=to_x, from_y=0, to_y=top_us / 1000, colour=loss_colour(1.0), opacity=0.25)
        return
    for share in _LAYERS:
        low, high = percentile(times, max(share, 1e-9)), percentile(times, 1 - share)
        if high > low:
            yield Area(from_x=from_x, to_x=to_x, from_y=low / 1000, to_y=high / 1000, colour=_SMOKE, opacity=_OPACITY)
    median = percentile(times, 0.5) / 1000
    half = _MEDIAN_SHARE * top_us / 1000 / 2
    colour = loss_colour(moment.lost / moment.sent if moment.sent else 0.0)
    yield Area(from_x=from_x, to_x=to_x, from_y=max(median - half, 0), to_y=median + half, colour=colour, opacity=1.0)
