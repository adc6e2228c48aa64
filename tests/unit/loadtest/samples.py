"""Results for tests, made by hand."""

from dataclasses import replace

from hypothesis import HealthCheck, settings

from vppcfg.loadtest.engine import Delay, Direction, Generator, Port, Tally
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.result import Offered, Result, ResultKind, Sample, Total, Verdict
from vppcfg.loadtest.stateful.engine import ConnectionCount, ErrorCount
from vppcfg.loadtest.stateful.outcome import ConnectionKind, ConnectionSample, StatefulOutcome

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


def stateful_result(title: str = "", answered: int = 90) -> Result:
    """Return a test with connections, two of whose seconds stay below what was asked for."""
    counts = [ConnectionCount(begun=100, established=100, answered=number, ended=number) for number in (100, answered)]
    return Result(
        kind=ResultKind.ASTF,
        started_at="2026-01-02T03:04:05Z",
        vppcfg_version="1.0",
        command=("loadtest", "astf"),
        title=title,
        stateful=StatefulOutcome(
            profile="http",
            kinds=(
                ConnectionKind(name="http", transport="TCP", port=80, weight=1, request_bytes=99, answer_bytes=8000),
            ),
            clients=254,
            servers=3,
            directions=(THERE, BACK),
            samples=tuple(
                ConnectionSample(
                    at_s=float(place),
                    duration_s=1.0,
                    phase=LoadPhase.HOLD,
                    rate_cps=100.0,
                    connections=replace(count, failed=100 - count.answered),
                    open_now=12 * place,
                    tallies=(Tally(sent=500, received=500), Tally(sent=900, received=899)),
                )
                for place, count in enumerate(counts, start=1)
            ),
            totals=ConnectionCount(
                begun=200, established=200, answered=100 + answered, ended=200, failed=100 - answered
            ),
            intended=200,
            failed_ratio=(100 - answered) / 200,
            tallies=(Tally(sent=1000, received=1000), Tally(sent=1800, received=1798)),
            errors=(ErrorCount(side="client", protocol="TCP", name="tcps_drops", meaning="<b>dropped", count=10),),
            delays=(
                Delay(
                    direction=THERE, sent=10, received=9, average_us=35.5, minimum_us=None, maximum_us=140.0,
                    jitter_us=4.0, histogram=((20.0, 8), (100.0, 1)),
                ),
            ),
            failures_begin_cps=100.0,
        ),
        verdict=Verdict(has_passed=False, limit_ratio=0.0001, text="5.00 % of the connections failed"),
    )  # fmt: skip


def result(*samples: Sample) -> Result:
    """Return a ramp through a router with gigabit ports."""
    directions = (THERE, BACK)[: len(samples[0].tallies)] if samples else (THERE,)
    return Result(
        kind=ResultKind.RAMP,
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
