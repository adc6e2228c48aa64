"""The JSON of a diagnosis, for programs; docs/tune.schema.json describes its shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.tune.diagnosis import Diagnosis
from vppcfg.tune.finding import Finding, Remedy
from vppcfg.tune.load import Load, PortLoad, ThreadLoad
from vppcfg.tune.settings import as_data, startup_difference
from vppcfg.tune.verdict import Judgement

FORMAT_VERSION = 1
"""Grows when a reader of the former one would misread the document."""


def document_of(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the findings, worst first, and the load that they are about."""
    load = diagnosis.situation.load
    return {
        "format_version": FORMAT_VERSION,
        "vpp_version": load.reading.version,
        "duration_s": load.duration_s,
        **_verdict(diagnosis.verdict),
        "findings": [_finding(finding) for finding in diagnosis.findings],
        "remarks": list(diagnosis.remarks),
        "load": _load(load),
    }


def _verdict(verdict: Judgement) -> dict[str, Any]:
    scope = verdict.scope
    return {
        "verdict": verdict.word.value,
        "verdict_text": verdict.text,
        "scope": {
            "threads": list(scope.threads),
            "thread_count": scope.thread_count,
            "ports": list(scope.ports),
            "seconds": None if scope.seconds is None else round(scope.seconds, 3),
        },
        "seen": list(verdict.seen),
        "missing": list(verdict.missing),
        "next": list(verdict.next),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    expectation = finding.expectation
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "subject": finding.subject,
        "verdict": finding.verdict,
        "lost_pps": round(finding.lost_pps, 3),
        "evidence": [{"text": part.text, "source": part.source} for part in finding.evidence],
        "proposal": _proposal(finding.proposal) if finding.proposal else None,
        "expectation": {
            "text": expectation.text,
            "basis": expectation.basis.value,
            "gain_pps": None if expectation.gain_pps is None else round(expectation.gain_pps, 3),
        }
        if expectation
        else None,
        "disproof": finding.disproof,
        "undecided": finding.undecided or None,
    }


def _proposal(proposal: Remedy) -> dict[str, Any]:
    return {
        "text": proposal.text,
        "patch": as_data(proposal.settings),
        "startup_conf": startup_difference(proposal.settings),
        "live": list(proposal.live),
    }


def _load(load: Load) -> Mapping[str, Any]:
    return {
        "threads": [_thread(thread) for thread in load.threads],
        "ports": [_port(port) for port in load.ports],
    }


def _thread(thread: ThreadLoad) -> dict[str, Any]:
    return {
        "index": thread.index,
        "name": thread.name,
        "cpu": thread.lcore,
        "duration_s": None if thread.duration_s is None else round(thread.duration_s, 3),
        "rx_pps": round(thread.rx_pps, 3),
        "vectors_per_call": round(thread.n_graph, 3),
        "packets_per_poll": round(thread.n_rx, 3),
        "clocks_per_packet": round(thread.clocks_per_packet, 1),
        "nodes": {
            node.name: {
                "calls": node.calls,
                "vectors": node.vectors,
                "clocks_per_packet": round(node.clocks_per_packet, 2),
            }
            for node in thread.nodes
            if node.vectors
        },
    }


def _port(port: PortLoad) -> dict[str, Any]:
    rates = {
        "rx_pps": port.rx_pps,
        "tx_pps": port.tx_pps,
        "tx_lost_pps": port.tx_lost_pps,
        "rx_miss_pps": port.rx_miss_pps,
        "no_buf_pps": port.no_buf_pps,
    }
    rounded = {name: None if rate is None else round(rate, 3) for name, rate in rates.items()}
    return {"name": port.name, "link_bps": port.link_bps, **rounded}
