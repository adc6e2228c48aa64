"""What `get_pgid_stats` says of one group of packets, as a Delay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.loadtest.engine import Delay, Direction


def delay_of(direction: Direction, group: int, found: Mapping[str, Any]) -> Delay:
    """Return the latency of a direction; counters that T-Rex leaves out are 0."""
    key = str(group)
    flow = (found.get("flow_stats") or {}).get(key) or {}
    latency = (found.get("latency") or {}).get(key) or {}
    times, errors = latency.get("lat") or {}, latency.get("er") or {}
    least = times.get("total_min")
    histogram = times.get("histogram") or {}
    return Delay(
        direction=direction,
        sent=_sum(flow.get("tp")),
        received=_sum(flow.get("rp")),
        average_us=float(times.get("average") or 0.0),
        minimum_us=None if least is None else float(least),
        maximum_us=float(times.get("total_max") or 0.0),
        jitter_us=float(times.get("jit") or latency.get("jit") or 0.0),
        histogram=tuple(sorted((float(edge), int(count)) for edge, count in histogram.items())),
        dropped=int(errors.get("drp") or 0),
        out_of_order=int(errors.get("ooo") or 0),
        duplicated=int(errors.get("dup") or 0),
    )


def _sum(by_port: object) -> int:
    """Return a counter that T-Rex keeps per port, all ports together."""
    return sum(int(value) for value in by_port.values()) if isinstance(by_port, Mapping) else 0
