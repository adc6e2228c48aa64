"""The part of a report on each run: all that it takes to repeat it, and its findings, as rows of words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from vppcfg.common.rates import percent, pps, short
from vppcfg.loadtest.flows.outcome import FlowsOutcome
from vppcfg.loadtest.load import loss_text
from vppcfg.loadtest.result import Result
from vppcfg.loadtest.stateful.outcome import StatefulOutcome
from vppcfg.loadtest.watch.outcome import Watched
from vppcfg.record import record

Table = tuple[tuple[str, ...], ...]
"""A heading and rows."""


@record
class Details:
    """One run."""

    heading: str
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    findings: tuple[str, ...]
    tables: tuple[Table, ...]
    command: str


def details_of(heading: str, result: Result) -> Details:
    """Return what there is to know of a run."""
    findings = result.tuning.get("findings", ()) if result.tuning else ()
    return Details(
        heading=heading,
        facts=tuple(_facts(result)),
        notes=(*(() if result.is_complete else ("the run was interrupted",)), *result.notes),
        findings=tuple(str(found["verdict"]) for found in findings),
        tables=tuple(_tables(result)),
        command=shlex.join(("vppcfg", *result.command)) if result.command else "",
    )


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    yield "kind", result.kind.value
    yield "began", result.started_at
    if result.verdict is not None:
        yield "verdict", f"{'passed' if result.verdict.has_passed else 'failed'}: {result.verdict.text}"
    yield from _generator(result)
    yield from _traffic(result)
    if result.stateful is not None:
        yield from _connections(result.stateful)
    if result.baseline is not None:
        worst = max((total.loss_ratio for total in result.baseline.totals), default=0.0)
        yield "generator alone", f"lost {loss_text(worst)} on {result.baseline.started_at[:10]}"
    yield from (
        (name, str(value)) for name, value in sorted(result.settings.items()) if value not in (None, False, "", [])
    )
    yield "vppcfg", result.vppcfg_version


def _generator(result: Result) -> Iterator[tuple[str, str]]:
    generator = result.generator
    if generator is None:
        return
    yield "generator", f"{generator.engine} {generator.version} {generator.server}".strip()
    for port in generator.ports:
        words = (port.driver, port.mac, f"{short(port.link_bps)}bit/s" if port.link_bps else "")
        yield f"port {port.name}", ", ".join(word for word in words if word)
    samples = result.stateful.samples if result.stateful is not None else result.samples
    loads = [sample.cpu_share for sample in samples if sample.cpu_share is not None]
    if loads:
        yield "generator's CPU", f"{percent(max(loads))} at most, {percent(sum(loads) / len(loads))} in the mean"
    yield from (("generator", fact) for fact in generator.facts)


def _traffic(result: Result) -> Iterator[tuple[str, str]]:
    offered = result.offered
    if offered is None:
        return
    yield "mean frame", f"{offered.mean_frame_bytes:g} bytes"
    yield "link", f"{short(offered.link_bps)}bit/s, {offered.vlan_tags} VLAN tags, crossed {offered.crossings} times"
    yield "path carries", f"{pps(offered.path_rate_pps)} per direction"


def _tables(result: Result) -> Iterator[Table]:
    if result.totals:
        yield (
            ("direction", "intended", "sent", "received", "lost", "loss"),
            *(
                (
                    total.direction.name,
                    f"{total.intended:,}" if total.intended else "",
                    f"{total.tally.sent:,}",
                    f"{total.tally.received:,}",
                    f"{total.tally.lost:,}",
                    loss_text(total.loss_ratio),
                )
                for total in result.totals
            ),
        )
    if result.flows is not None:
        yield from _flow_tables(result.flows)
    if result.watched:
        yield _watch_table(result.watched)
    if result.stateful is not None:
        yield from _connection_tables(result.stateful)


def _flow_tables(outcome: FlowsOutcome) -> Iterator[Table]:
    yield (
        ("flow", "core", "sent", "received", "retransmits"),
        *(
            (
                f"{flow.client_port} → {flow.server_port}",
                "" if flow.core is None else str(flow.core),
                f"{short(flow.sent_bps)}bit/s",
                "unknown" if flow.received_bps is None else f"{short(flow.received_bps)}bit/s",
                "" if flow.retransmits is None else f"{flow.retransmits:,}",
            )
            for flow in outcome.flows
        ),
        ("sum", "", f"{short(outcome.sent_bps)}bit/s", f"{short(outcome.goodput_bps)}bit/s", ""),
    )
    if outcome.cores:
        yield (
            ("core", "softirq", "idle", "least idle", "most idle"),
            *(
                (
                    str(core.core),
                    percent(core.mean_softirq),
                    percent(core.mean_idle),
                    percent(core.least_idle),
                    percent(core.most_idle),
                )
                for core in outcome.summaries()
            ),
        )


def _watch_table(watched: tuple[Watched, ...]) -> Table:
    def shown(time_us: float | None) -> str:
        return "" if time_us is None else f"{time_us / 1000:.3f} ms"

    return (
        ("target", "probes", "loss", "min", "median", "95 %", "99 %", "max", "jitter"),
        *(
            (
                f"{seen.target} ({seen.probe})",
                f"{seen.sent:,}",
                loss_text(seen.loss_ratio),
                *map(shown, (seen.least_us, seen.median_us, seen.p95_us, seen.p99_us, seen.most_us, seen.jitter_us)),
            )
            for seen in watched
        ),
    )


def _connections(outcome: StatefulOutcome) -> Iterator[tuple[str, str]]:
    for kind in outcome.kinds:
        kept = f", kept for {kind.open_s:g} s" if kind.open_s else ""
        yield (
            f"connections of {kind.name}",
            f"{kind.transport} to port {kind.port}, {kind.request_bytes:,} bytes asked and {kind.answer_bytes:,} "
            f"answered{kept}; {kind.weight} parts of {sum(each.weight for each in outcome.kinds)}",
        )
    yield "addresses", f"{outcome.clients} of clients, {outcome.servers} of servers"
    for delay in outcome.delays:
        yield (
            f"latency {delay.direction.name}",
            f"{delay.average_us:,.0f} µs in the mean, {delay.maximum_us:,.0f} µs at most, "
            f"jitter {delay.jitter_us:,.0f} µs"
            if delay.received
            else "no answer",
        )


def _connection_tables(outcome: StatefulOutcome) -> Iterator[Table]:
    totals = outcome.totals
    if totals is not None:
        yield (
            ("connections", "intended", "begun", "established", "answered", "failed", "share failed"),
            (
                outcome.profile,
                *(
                    f"{number:,}"
                    for number in (outcome.intended, totals.begun, totals.established, totals.answered, totals.failed)
                ),
                loss_text(outcome.failed_ratio),
            ),
        )
    if outcome.tallies:
        yield (
            ("packets", "sent", "received", "lost"),
            *(
                (direction.name, f"{tally.sent:,}", f"{tally.received:,}", f"{tally.lost:,}")
                for direction, tally in zip(outcome.directions, outcome.tallies, strict=True)
            ),
        )
    if outcome.errors:
        yield (
            ("error", "side", "counter", "count"),
            *(
                (error.meaning, error.side, f"{error.protocol} {error.name}", f"{error.count:,}")
                for error in outcome.errors
            ),
        )
