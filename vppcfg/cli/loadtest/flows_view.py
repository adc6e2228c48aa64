"""What flows found, as a table for people."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.rates import short
from vppcfg.loadtest.flows.outcome import FlowsOutcome

_TCP_SHARE = 1448 / 1538
"""Of a link: payload of a frame of 1500 bytes with TCP timestamps, and what that frame takes on the wire."""


def flows_lines(outcome: FlowsOutcome, link_bps: int | None) -> Iterator[str]:
    """Yield the flows, their sum, and the load of every core, in 80 columns."""
    yield f"{'Flow':<16} {'Core':>5} {'Sent':>15} {'Received':>15} {'Retransmits':>12}"
    for flow in outcome.flows:
        ports = f"{flow.client_port} -> {flow.server_port}"
        core = "-" if flow.core is None else str(flow.core)
        received = "unknown" if flow.received_bps is None else _rate(flow.received_bps)
        again = "-" if flow.retransmits is None else f"{flow.retransmits:,}"
        yield f"{ports:<16} {core:>5} {_rate(flow.sent_bps):>15} {received:>15} {again:>12}"
    yield f"{'Sum':<16} {'':>5} {_rate(outcome.sent_bps):>15} {_rate(outcome.goodput_bps):>15}"
    if link_bps:
        most = link_bps * _TCP_SHARE
        yield f"That is {100 * outcome.goodput_bps / most:.1f} % of the {_rate(most)} that TCP gets on this link."
    yield f"Ports: {outcome.placed_by}"
    yield from (f"Note: {note}" for note in outcome.notes())
    yield from _cores(outcome)


def _cores(outcome: FlowsOutcome) -> Iterator[str]:
    summaries = outcome.summaries()
    if not summaries:
        return
    yield ""
    yield f"{'Core':<16} {'softirq':>9} {'idle':>9} {'least idle':>12} {'most idle':>12}"
    for core in summaries:
        yield (
            f"{core.core:<16} {100 * core.mean_softirq:>7.1f} % {100 * core.mean_idle:>7.1f} % "
            f"{100 * core.least_idle:>10.1f} % {100 * core.most_idle:>10.1f} %"
        )
    busiest = min(summaries, key=lambda core: core.mean_idle)
    yield f"Headroom: core {busiest.core} is busiest and idle {100 * busiest.mean_idle:.1f} % of the time."


def _rate(bps: float) -> str:
    return f"{short(bps)}bit/s"
