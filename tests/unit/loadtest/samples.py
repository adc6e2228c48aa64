"""Results for tests, made by hand."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from vppcfg.loadtest.engine import Direction, Generator, Port, Tally
from vppcfg.loadtest.result import Kind, LoadPhase, Offered, Result, Sample, Total, Verdict

CHECKS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Of property tests: how long an example takes depends on what else the machine does."""
THERE, BACK = Direction(source="0", sink="1"), Direction(source="1", sink="0", is_return=True)


def sample(at_s: float, *tallies: tuple[int, int], load_pps: float = 1000.0, uncertainty_s: float = 0.0) -> Sample:
    """Return a sample of one second."""
    return Sample(
        at_s=at_s,
        duration_s=1.0,
        phase=LoadPhase.RAMP,
        load_pps=load_pps,
        tallies=tuple(Tally(sent=sent, received=received) for sent, received in tallies),
        uncertainty_s=uncertainty_s,
    )


def result(*samples: Sample) -> Result:
    """Return a ramp through a router with gigabit ports."""
    directions = (THERE, BACK)[: len(samples[0].tallies)] if samples else (THERE,)
    return Result(
        kind=Kind.RAMP,
        started_at="2026-01-02T03:04:05Z",
        vppcfg_version="1.0",
        command=("loadtest", "ramp"),
        settings={"target_percent": 100.0},
        generator=Generator(engine="simulated", ports=(Port(name="0", link_bps=10**9), Port(name="1"))),
        offered=Offered(
            profile="bench",
            size="64",
            variation="var2",
            offset=0,
            mean_frame_bytes=64.0,
            directions=directions,
            link_bps=10**9,
            port_rate_pps=1488095.2,
            path_rate_pps=1488095.2,
        ),
        samples=samples,
        totals=tuple(
            Total(direction=direction, tally=Tally(sent=5, received=4), loss_ratio=0.2) for direction in directions
        ),
        verdict=Verdict(has_passed=False, limit_ratio=0.0001, text="lost 20 %"),
    )
