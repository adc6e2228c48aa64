"""Files of results in, whichever of the two forms they have."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from vppcfg.common.rates import OVERHEAD_BYTES
from vppcfg.errors import UsageError
from vppcfg.loadtest.document import load_json, result_of
from vppcfg.loadtest.engine import Direction, Generator, Tally
from vppcfg.loadtest.result import Kind, LoadPhase, Offered, Result, Sample

_PROFILES = {"imix.py": ("imix", "imix"), "udp_1pkt_simple_bdir.py": ("udp_1pkt", "64")}
_WAYS = ((0, 1), (1, 0))


class FileForm(Enum):
    """What a file is expected to be."""

    AUTO = "auto"
    OURS = "json"
    TREX_LOADTEST = "trex-loadtest"


def read_any(path: Path, form: FileForm = FileForm.AUTO) -> Result:
    """Return the result in a file, ours or the one that trex-loadtest writes. Raise UsageError."""
    document = load_json(path)
    is_theirs = isinstance(document, dict) and "stats" in document and "vars" in document
    if form is FileForm.TREX_LOADTEST and not is_theirs:
        raise UsageError(f"{path} is no result of trex-loadtest: it lacks vars or stats", "leave --format out")
    if is_theirs and form is not FileForm.OURS:
        try:
            return _from_trex_loadtest(document, path.stem)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
            what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
            raise UsageError(
                f"{path} looks like a result of trex-loadtest, but {what}", "was it cut off or changed?"
            ) from error
    return result_of(document, str(path))


def _from_trex_loadtest(document: Mapping[str, Any], name: str) -> Result:
    """Return a ramp; the channel that sends nothing is left out. Samples are a second apart: the keys are not read."""
    settings, stats = document["vars"], list(document["stats"].values())
    if not stats:
        raise ValueError("its stats are empty")
    is_one_way = bool(settings.get("unidirectional"))
    ways = [
        way for way in _WAYS if not (is_one_way and not any(float(entry[str(way[0])]["tx_pps"]) for entry in stats))
    ]
    offered = _offered(settings, stats, ways)
    samples = tuple(_samples(stats, ways, offered, int(settings["warmup_duration"]), int(settings["hold_duration"])))
    return Result(
        kind=Kind.RAMP,
        started_at="",
        vppcfg_version="",
        settings={key: value for key, value in settings.items() if isinstance(value, int | float | str)},
        title=f"{name} ({offered.profile} {offered.size})".replace("imix imix", "imix"),
        generator=Generator(engine="trex", server=str(settings.get("server", ""))),
        offered=offered,
        samples=samples,
        notes=("read from the form of trex-loadtest, whose rates T-Rex has smoothed: a short loss may not be one",),
    )


def _offered(settings: Mapping[str, Any], stats: list[Mapping[str, Any]], ways: list[tuple[int, int]]) -> Offered:
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
    told = tunables if isinstance(tunables, dict) else {}
    return Offered(
        profile=profile,
        size=str(told.get("size", size)),
        variation=str(told.get("vm", "none")),
        offset=0,
        mean_frame_bytes=round(bits / 8 - OVERHEAD_BYTES, 1),
        directions=tuple(
            Direction(source=str(source), sink=str(sink), is_return=source > sink) for source, sink in ways
        ),
        link_bps=_round_speed(rate_pps * bits),
        port_rate_pps=rate_pps,
        path_rate_pps=rate_pps,
    )


def _samples(
    stats: list[Mapping[str, Any]], ways: list[tuple[int, int]], offered: Offered, warm_up_s: int, hold_s: int
) -> list[Sample]:
    """Return a sample per entry: one of the warm-up, the ramp, and the hold at the end."""
    samples = []
    for number, entry in enumerate(stats):
        phase = LoadPhase.WARM_UP if not number else LoadPhase.HOLD if number >= len(stats) - hold_s else LoadPhase.RAMP
        tallies = tuple(
            Tally(sent=_packets(entry, source, "tx_pps"), received=_packets(entry, sink, "rx_pps"))
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


def _packets(entry: Mapping[str, Any], port: int, key: str) -> int:
    value = float(entry[str(port)][key])
    if value < 0:
        raise ValueError(f"{key} of port {port} is negative")
    return round(value)


def _round_speed(bps: float) -> int:
    """Return the speed of a link that an estimate stands for; smoothed rates are off by some percent."""
    speeds = (10**8, 10**9, 25 * 10**8, 5 * 10**9, 10**10, 25 * 10**9, 40 * 10**9, 5 * 10**10, 10**11)
    nearest = min(speeds, key=lambda speed: abs(speed - bps))
    return nearest if abs(nearest - bps) < 0.2 * nearest else round(bps)
