"""The findings of a test with flows: rates of every flow, and the load of every core of the router."""

from __future__ import annotations

from vppcfg.record import record

_SIMULTANEOUS_S = 2
"""Flows that began within less count as simultaneous; iperf3 reports whole seconds only."""


@record
class Rate:
    """A bit rate in an interval."""

    from_s: float
    to_s: float
    bps: float


@record
class Flow:
    """One pair of an iperf3 server and a client."""

    server_port: int
    client_port: int
    core: int | None
    """Of the router, by the hash of its card or by a probe; None when unknown."""
    sent_bps: float
    received_bps: float | None
    """Goodput as the receiver counts it; None when the client was interrupted and never heard of it."""
    retransmits: int | None = None
    began_at: int | None = None
    """Unix time."""
    rates: tuple[Rate, ...] = ()


@record
class CoreLoad:
    """What a core of the router did in an interval, as shares of it, 0 to 1."""

    core: int
    softirq: float
    idle: float


@record
class CoresSample:
    """All cores of the router in an interval."""

    at_s: float
    """The end of it, since the flows began."""
    loads: tuple[CoreLoad, ...]


@record
class CoreSummary:
    """A core over the whole test; shares."""

    core: int
    mean_softirq: float
    mean_idle: float
    least_idle: float
    most_idle: float


@record
class FlowsOutcome:
    """All flows, and the cores while they ran."""

    iperf3_version: str
    duration_s: float
    flows: tuple[Flow, ...]
    placed_by: str
    """How the ports were found: `probe`, `Toeplitz`, or why they were not chosen by core."""
    cores: tuple[CoresSample, ...] = ()

    @property
    def sent_bps(self) -> float:
        """Return the sum of what the clients sent."""
        return sum(flow.sent_bps for flow in self.flows)

    @property
    def goodput_bps(self) -> float:
        """Return the sum of what arrived; of an interrupted client what it sent."""
        return sum(flow.sent_bps if flow.received_bps is None else flow.received_bps for flow in self.flows)

    @property
    def start_spread_s(self) -> int:
        """Return how many seconds lie between the beginnings of the first and the last flow."""
        moments = [flow.began_at for flow in self.flows if flow.began_at is not None]
        return max(moments) - min(moments) if moments else 0

    def notes(self) -> tuple[str, ...]:
        """Return what makes the sum of all flows doubtful, in sentences."""
        apart = (
            f"the flows began {self.start_spread_s} s apart: their sum may be more than went through at any one time"
        )
        ended = "what arrived of a flow that was interrupted is not known: the sum has what it sent"
        is_ended = any(flow.received_bps is None for flow in self.flows)
        return (*([apart] if self.start_spread_s >= _SIMULTANEOUS_S else ()), *([ended] if is_ended else ()))

    def summaries(self) -> tuple[CoreSummary, ...]:
        """Return every core's mean load."""
        by_core: dict[int, list[CoreLoad]] = {}
        for sample in self.cores:
            for load in sample.loads:
                by_core.setdefault(load.core, []).append(load)
        return tuple(_summary(core, loads) for core, loads in sorted(by_core.items()))


def _summary(core: int, loads: list[CoreLoad]) -> CoreSummary:
    idle = [load.idle for load in loads]
    return CoreSummary(
        core=core,
        mean_softirq=sum(load.softirq for load in loads) / len(loads),
        mean_idle=sum(idle) / len(idle),
        least_idle=min(idle),
        most_idle=max(idle),
    )
