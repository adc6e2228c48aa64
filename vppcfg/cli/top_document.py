"""What `vppcfg top --json` writes: one sample of the router, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from vppcfg.app.monitoring.following import RouterView

FORMAT_VERSION = 1
"""Grows when a reader of former ones would misread it."""


def document_of_view(view: RouterView) -> dict[str, Any]:
    """Return one look as plain data; a rate that nothing shows yet is null."""
    snapshot, rates = view.snapshot, view.rates
    counters = snapshot.counters
    return {
        "format_version": FORMAT_VERSION,
        "taken_at_s": snapshot.taken_at_s,
        "seconds": rates.seconds,
        "is_up": counters is not None,
        "problem": snapshot.problem,
        "version": snapshot.version,
        "boot_at_s": counters.boot_at_s if counters is not None else None,
        "heartbeat": counters.heartbeat if counters is not None else None,
        "verdict": {"word": view.verdict, "text": view.verdict_text},
        "changes": asdict(view.changes),
        "differences": view.differences,
        "rx_pps": rates.rx_pps,
        "interfaces": [
            {**_plain(each.interface), **_plain(each, "interface"), "line_share": each.line_share}
            for each in rates.interfaces
        ],
        "workers": [_plain(each) for each in rates.workers],
        "nodes": [_plain(each) for each in rates.nodes],
        "reasons": [_plain(each) for each in rates.reasons],
        "queues": [_plain(each) for each in snapshot.queues],
        "buffers": counters.buffers if counters is not None else {},
        "heaps": counters.heaps if counters is not None else {},
    }


def _plain(each: Any, without: str = "") -> dict[str, Any]:
    return {name: value for name, value in asdict(each).items() if name != without}
