"""All rules over one situation: findings, those that lose most packets first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vppcfg.record import record
from vppcfg.tune.finding import Finding, Severity
from vppcfg.tune.rules import (
    buffer_leak,
    buffers,
    clock_low,
    cpu_bound,
    debug_build,
    egress_oversubscribed,
    handoff,
    healthy,
    interrupt_mode,
    link_bound,
    main_polluted,
    memory_full,
    mtu_multi_seg,
    nic_bound,
    nic_pattern,
    not_isolated,
    not_tuning,
    numa_remote,
    pcie,
    queues_ignored,
    rss,
    rx_ring,
    shared_tx_queue,
    slow_burst,
    tx_descriptors,
    worker_imbalance,
)
from vppcfg.tune.situation import Situation

RULES: dict[str, Callable[[Situation], Iterator[Finding]]] = {
    module.RULE: module.find
    for module in (
        nic_bound, link_bound, cpu_bound, tx_descriptors, egress_oversubscribed, rx_ring, buffers, buffer_leak,
        worker_imbalance, rss, queues_ignored, shared_tx_queue, numa_remote, not_isolated, main_polluted, memory_full,
        pcie, slow_burst, handoff, interrupt_mode, debug_build, clock_low, mtu_multi_seg, not_tuning, nic_pattern,
    )
}  # fmt: skip
"""By name, in the order of the documentation; `healthy` comes last, when these have found nothing."""
NAMES = (*RULES, healthy.RULE)
_UNHEALTHY = {Severity.LOSS, Severity.LIMIT, Severity.RISK}
_WORST_FIRST = list(Severity)


@record
class Diagnosis:
    """What was found, and what could not be looked at."""

    situation: Situation
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...]


def diagnose(situation: Situation) -> Diagnosis:
    """Return the findings, most lost packets per second first, then by severity."""
    found = [finding for find in RULES.values() for finding in find(situation)]
    if not any(finding.severity in _UNHEALTHY for finding in found):
        fine = healthy.find(situation)
        found = [fine, *found] if fine else found
    ordered = sorted(found, key=_rank)
    return Diagnosis(situation=situation, findings=tuple(ordered), remarks=_remarks(situation))


def _rank(finding: Finding) -> tuple[float, int, int]:
    """Return what findings are sorted by; those of one rule and rate keep their order."""
    return -finding.lost_pps, _WORST_FIRST.index(finding.severity), NAMES.index(finding.rule)


def _remarks(situation: Situation) -> tuple[str, ...]:
    """Return what is missing, and what cannot be judged without it."""
    reading = situation.load.reading
    missing: list[str] = []
    if not situation.load.threads:
        missing.append("no `show runtime`: there is no verdict about load")
    if reading.hardware is None:
        missing.append("no `show hardware-interfaces`: link speeds, rings and queues are unknown")
    if situation.load.duration_s is None:
        missing.append("one reading only: missed packets, buffers found empty and errors have no rates; give two")
    if reading.host is None:
        missing.append("no host.json: isolation and clock of the CPUs are not judged")
    return (*situation.load.remarks, *missing)
