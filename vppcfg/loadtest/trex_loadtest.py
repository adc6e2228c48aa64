"""A ramp in the form that trex-loadtest writes and trex-loadtest-viz reads: `vars`, and `stats` by time.

Keys as graph.rb of github.com/wejn/trex-loadtest-viz uses them; values as STLClient.get_stats() of trex-core has them.
A pair of ports becomes the channels 0 and 1; rates are what was counted, never smoothed.
"""

from __future__ import annotations

import json
from typing import Any

from vppcfg.common.rates import OVERHEAD_BYTES
from vppcfg.errors import UsageError
from vppcfg.loadtest.result import LoadPhase, Offered, Result, Sample

_FILES = {"imix": "imix.py", "udp_1pkt": "udp_1pkt_simple_bdir.py", "bench": "bench.py"}


def text_for_visualiser(result: Result) -> str:
    """Return a ramp as that JSON. Raise UsageError for a test that it has no words for."""
    offered = result.offered
    if offered is None or not result.samples:
        raise UsageError("only a ramp with samples can be written for trex-loadtest-viz")
    if len(offered.directions) > 2:
        raise UsageError("trex-loadtest-viz knows one pair of ports", "write the result with --format json")
    document = {"vars": _vars(result, offered), "stats": _stats(result, offered)}
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _vars(result: Result, offered: Offered) -> dict[str, Any]:
    settings = result.settings
    tunables = {"size": offered.size, "vm": offered.variation, "offset": str(offered.offset)}
    return {
        "server": settings.get("server", ""),
        "profile_file": _FILES[offered.profile],
        "tunables": tunables if offered.profile == "bench" else {},
        "output_file": "",
        "warmup_mult": settings.get("warmup_mult", ""),
        "warmup_duration": settings.get("warmup_duration", 0),
        "rampup_target": round(100 * max(sample.load_pps for sample in result.samples) / offered.port_rate_pps, 6),
        "rampup_duration": settings.get("rampup_duration", 0),
        "hold_duration": settings.get("hold_duration", 0),
        "unidirectional": len(offered.directions) == 1,
    }


def _stats(result: Result, offered: Offered) -> dict[str, Any]:
    """Return one entry per sample, of the warm-up the last one only, as trex-loadtest does."""
    last_warm_up = next((sample for sample in reversed(result.samples) if sample.phase is LoadPhase.WARM_UP), None)
    kept = [sample for sample in result.samples if sample.phase is not LoadPhase.WARM_UP or sample is last_warm_up]
    counters = [dict.fromkeys(("opackets", "ipackets"), 0) for _ in range(2)]
    stats = {}
    for sample in result.samples:
        for place, direction in enumerate(offered.directions):
            source = 1 if direction.is_return else 0
            counters[source]["opackets"] += sample.tallies[place].sent
            counters[1 - source]["ipackets"] += sample.tallies[place].received
        if sample in kept:
            stats[f"{sample.at_s:.3f}"] = _entry(sample, offered, counters)
    return stats


def _entry(sample: Sample, offered: Offered, counters: list[dict[str, int]]) -> dict[str, Any]:
    rates = [{"tx_pps": 0.0, "rx_pps": 0.0} for _ in range(2)]
    for place, direction in enumerate(offered.directions):
        source = 1 if direction.is_return else 0
        rates[source]["tx_pps"] = sample.tallies[place].sent / sample.duration_s
        rates[1 - source]["rx_pps"] = sample.tallies[place].received / sample.duration_s
    ports = [_port(counter, rate, offered) for counter, rate in zip(counters, rates, strict=True)]
    total = {key: ports[0][key] + ports[1][key] for key in ports[0]}
    cpu = 100 * (sample.cpu_share or 0.0)
    whole = {
        "cpu_util": cpu,
        "queue_full": sample.queue_full or 0,
        "tx_pps": total["tx_pps"],
        "rx_pps": total["rx_pps"],
    }
    return {"0": ports[0], "1": ports[1], "total": total, "global": whole, "flow_stats": {}, "latency": {}}


def _port(counters: dict[str, int], rates: dict[str, float], offered: Offered) -> dict[str, Any]:
    """Return what STLClient says of a port; utilisation in percent of the link."""
    size = offered.mean_frame_bytes
    port: dict[str, Any] = {**counters, "oerrors": 0, "ierrors": 0}
    port |= {"obytes": round(counters["opackets"] * size), "ibytes": round(counters["ipackets"] * size)}
    for way in ("tx", "rx"):
        pps = rates[f"{way}_pps"]
        wire_bps = pps * (size + OVERHEAD_BYTES) * 8
        port |= {f"{way}_pps": pps, f"{way}_bps": pps * size * 8, f"{way}_bps_L1": wire_bps}
        port[f"{way}_util"] = 100 * wire_bps / offered.link_bps
    return port
