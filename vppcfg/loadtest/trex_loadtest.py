"""Reads and writes ramps in the form of trex-loadtest and trex-loadtest-viz: `vars`, and `stats` by time.

Keys as graph.rb of github.com/wejn/trex-loadtest-viz uses them; values as STLClient.get_stats() of trex-core has them.
A pair of ports becomes the channels 0 and 1; rates are what was counted, never smoothed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.common.printable import json_text
from vppcfg.common.rates import OVERHEAD_BYTES
from vppcfg.errors import UsageError
from vppcfg.loadtest.engine import Direction, Generator, Tally
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.result import Offered, Result, ResultKind, Sample

_PROFILES = {"imix.py": ("imix", "imix"), "udp_1pkt_simple_bdir.py": ("udp_1pkt", "64")}
_WAYS = ((0, 1), (1, 0))
_FILES = {"imix": "imix.py", "udp_1pkt": "udp_1pkt_simple_bdir.py", "bench": "bench.py"}


def text_for_visualiser(result: Result) -> str:
    """Return the JSON of a ramp. Raise UsageError for a test of another kind, which the form cannot express."""
    offered = result.offered
    if offered is None or not result.samples:
        raise UsageError("only a ramp with samples can be written for trex-loadtest-viz")
    if len(offered.directions) > 2:
        raise UsageError("trex-loadtest-viz knows one pair of ports", "write the result with --format json")
    document = {"vars": _vars(result, offered), "stats": _stats(result, offered)}
    return json_text(document, indent=1, allow_nan=False) + "\n"


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
    """Return what STLClient reports of a port; utilisation in percent of the link."""
    size = offered.mean_frame_bytes
    port: dict[str, Any] = {**counters, "oerrors": 0, "ierrors": 0}
    port |= {"obytes": round(counters["opackets"] * size), "ibytes": round(counters["ipackets"] * size)}
    for way in ("tx", "rx"):
        pps = rates[f"{way}_pps"]
        wire_bps = pps * (size + OVERHEAD_BYTES) * 8
        port |= {f"{way}_pps": pps, f"{way}_bps": pps * size * 8, f"{way}_bps_L1": wire_bps}
        port[f"{way}_util"] = 100 * wire_bps / offered.link_bps
    return port


def result_of_trex_loadtest(document: Mapping[str, Any], name: str) -> Result:
    """Return the ramp that a document describes; the channel that sends nothing is left out.

    Samples are taken to be a second apart, whatever their keys.
    """
    settings, stats = document["vars"], list(document["stats"].values())
    if not stats:
        raise ValueError("its stats are empty")
    is_one_way = bool(settings.get("unidirectional"))
    ways = [
        way for way in _WAYS if not (is_one_way and not any(float(entry[str(way[0])]["tx_pps"]) for entry in stats))
    ]
    offered = _read_offered(settings, stats, ways)
    samples = tuple(
        _read_samples(stats, ways, offered, int(settings["warmup_duration"]), int(settings["hold_duration"]))
    )
    return Result(
        kind=ResultKind.RAMP,
        started_at="",
        vppcfg_version="",
        settings={key: value for key, value in settings.items() if isinstance(value, int | float | str)},
        title=f"{name} ({offered.profile} {offered.size})".replace("imix imix", "imix"),
        generator=Generator(engine="trex", server=str(settings.get("server", ""))),
        offered=offered,
        samples=samples,
        notes=("read from the form of trex-loadtest, whose rates T-Rex has smoothed: a short loss may not be one",),
    )


def _read_offered(settings: Mapping[str, Any], stats: list[Mapping[str, Any]], ways: list[tuple[int, int]]) -> Offered:
    """Return the traffic; line rate follows from the sample with the highest utilisation (percent of it)."""
    ports = [entry[str(way[0])] for entry in stats for way in ways]
    busiest = max(ports, key=lambda port: float(port["tx_util"]))
    if float(busiest["tx_util"]) <= 0:
        raise ValueError("nothing was sent")
    file = str(settings["profile_file"]).rpartition("/")[2]
    profile, size = _PROFILES.get(file, (file.removesuffix(".py"), ""))
    rate_pps = float(busiest["tx_pps"]) / float(busiest["tx_util"]) * 100
    wire_bps = float(busiest.get("tx_bps_L1") or 0.0)
    bits = wire_bps / float(busiest["tx_pps"]) if wire_bps else 8.0 * (64 + OVERHEAD_BYTES)
    tunables = settings.get("tunables")
    tuned = tunables if isinstance(tunables, dict) else {}
    return Offered(
        profile=profile,
        size=str(tuned.get("size", size)),
        variation=str(tuned.get("vm", "none")),
        offset=0,
        mean_frame_bytes=round(bits / 8 - OVERHEAD_BYTES, 1),
        directions=tuple(
            Direction(source=str(source), sink=str(sink), is_return=source > sink) for source, sink in ways
        ),
        link_bps=_round_speed(rate_pps * bits),
        port_rate_pps=rate_pps,
        path_rate_pps=rate_pps,
    )


def _read_samples(
    stats: list[Mapping[str, Any]], ways: list[tuple[int, int]], offered: Offered, warm_up_s: int, hold_s: int
) -> list[Sample]:
    """Return a sample per entry: one of the warm-up, the ramp, and the hold at the end."""
    samples = []
    for number, entry in enumerate(stats):
        phase = LoadPhase.WARM_UP if not number else LoadPhase.HOLD if number >= len(stats) - hold_s else LoadPhase.RAMP
        tallies = tuple(
            Tally(sent=_read_packets(entry, source, "tx_pps"), received=_read_packets(entry, sink, "rx_pps"))
            for source, sink in ways
        )
        load_pps = max(float(entry[str(source)]["tx_util"]) for source, _ in ways) / 100 * offered.port_rate_pps
        samples.append(
            Sample(
                at_s=float(max(warm_up_s, 1) + number),
                duration_s=1.0,
                phase=phase,
                load_pps=load_pps,
                tallies=tallies,
            )
        )
    return samples


def _read_packets(entry: Mapping[str, Any], port: int, key: str) -> int:
    value = float(entry[str(port)][key])
    if value < 0:
        raise ValueError(f"{key} of port {port} is negative")
    return round(value)


def _round_speed(bps: float) -> int:
    """Return the speed of a link that an estimate stands for; smoothed rates are off by some percent."""
    speeds = (10**8, 10**9, 25 * 10**8, 5 * 10**9, 10**10, 25 * 10**9, 40 * 10**9, 5 * 10**10, 10**11)
    nearest = min(speeds, key=lambda speed: abs(speed - bps))
    return nearest if abs(nearest - bps) < 0.2 * nearest else round(bps)
