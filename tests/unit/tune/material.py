"""What the tuner's tests are made of: recorded cases, and small loads with just the numbers that a test is about."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from vppcfg.tune.assemble import reading_of
from vppcfg.tune.capture import read_captures
from vppcfg.tune.diagnosis import diagnose
from vppcfg.tune.finding import Finding
from vppcfg.tune.interval import load_of
from vppcfg.tune.load import Load, NodeLoad, PortLoad, ThreadLoad
from vppcfg.tune.reading import (
    Hardware,
    HostFacts,
    NodeCounters,
    PrintedRates,
    Processor,
    QueueLimits,
    Reading,
    RxQueue,
    ThreadCounters,
    TxQueue,
)
from vppcfg.tune.rule_context import Situation

CASES = Path(__file__).resolve().parents[2] / "tune_cases"
GI1, GI3 = "GigabitEthernet1/0/0", "GigabitEthernet3/0/0"
XEON_HZ = 2.3e9
"""Of the machine of saturated.json: what F / clocks gives in all of its five runs within 0.4 %."""


def recorded(name: str) -> Load:
    return load_of([reading_of(capture) for capture in read_captures(CASES / name)])


def saturated(name: str) -> Load:
    run = json.loads((CASES / "saturated.json").read_text())[name]
    nodes = tuple(
        NodeCounters(name=node, calls=calls, vectors=vectors, clocks=clocks * vectors)
        for node, (calls, vectors, clocks) in run["nodes"].items()
    )
    rate = run["rate_pps"]
    printed = PrintedRates(received_pps=rate, sent_pps=rate, dropped_pps=0.0, punted_pps=0.0)
    thread = ThreadCounters(index=1, name="vpp_wk_0", lcore=2, time_s=run["time_s"], printed=printed, nodes=nodes)
    return load_of([Reading(threads=(thread,), cpu=Processor(model="Xeon", base_hz=XEON_HZ))])


def saturated_rate(name: str) -> float:
    """Return what the run measured."""
    rate: float = json.loads((CASES / "saturated.json").read_text())[name]["rate_pps"]
    return rate


def node(name: str, calls: int, vectors: int, clocks: float = 100.0, **settings: Any) -> NodeLoad:
    """Return a node with `clocks` per packet, or per call without packets."""
    return NodeLoad(name=name, calls=calls, vectors=vectors, clocks=clocks * (vectors or calls), **settings)


def worker(index: int = 1, *, pps: float = 1e6, vector: float = 8.0, poll: float | None = None) -> ThreadLoad:
    """Return a worker that forwards `pps` for a second, with so many packets per call and per poll."""
    packets = round(pps)
    calls = max(round(packets / vector), 1)
    polls = max(round(packets / (poll or vector)), 1)
    nodes = (node("dpdk-input", polls, packets), node("ethernet-input", calls, packets))
    name = "vpp_main" if index == 0 else f"vpp_wk_{index - 1}"
    return ThreadLoad(index=index, name=name, lcore=index, duration_s=1.0, table_duration_s=1.0, nodes=nodes, queues=1)


def limits(queues: int = 1, most: int = 4, descriptors: int = 512) -> QueueLimits:
    """Return what a small NIC can do."""
    return QueueLimits(
        queues=queues, max_queues=most, descriptors=descriptors, min_descriptors=32, max_descriptors=4096, align=8
    )


def hardware(name: str = GI1, **settings: Any) -> Hardware:
    """Return a gigabit port of the dpdk plugin."""
    usual: dict[str, Any] = {
        "is_up": True,
        "link_bps": 10**9,
        "rx_limits": limits(),
        "tx_limits": limits(),
        "flags": ("admin-up", "maybe-multiseg"),
    }
    return Hardware(name=name, **(usual | settings))


def queue(port: str = GI1, thread: int = 1, number: int = 0, mode: str = "polling") -> RxQueue:
    """Return a receive queue."""
    return RxQueue(interface=port, queue=number, thread=thread, mode=mode)


def tx_queue(*threads: int, port: str = GI1, number: int = 0) -> TxQueue:
    """Return a transmit queue."""
    return TxQueue(interface=port, queue=number, threads=threads, is_shared=len(threads) > 1)


def port(name: str = GI1, **settings: Any) -> PortLoad:
    """Return a port that is polled by the first worker."""
    usual: dict[str, Any] = {"hardware": hardware(name), "rx_queues": (queue(name),), "rx_miss_pps": 0.0}
    return PortLoad(name=name, **(usual | settings))


def load(*ports: PortLoad, threads: tuple[ThreadLoad, ...] | None = None, **settings: Any) -> Load:
    """Return a load of ten seconds."""
    reading = settings.pop("reading", Reading())
    usual: dict[str, Any] = {"duration_s": 10.0, "threads": (worker(),) if threads is None else threads}
    return Load(reading=reading, ports=ports, **(usual | settings))


def host(**settings: Any) -> HostFacts:
    return HostFacts(**({"isolated": frozenset({1})} | settings))


def situation(of: Load, **settings: Any) -> Situation:
    """Return what there is to judge."""
    return Situation(load=of, **settings)


def findings(of: Load, **settings: Any) -> list[Finding]:
    """Return what all rules find, in order."""
    return list(diagnose(situation(of, **settings)).findings)


def rules(of: Load, **settings: Any) -> list[str]:
    """Return the names of the rules that find something, in order."""
    return [found.rule for found in findings(of, **settings)]


def one(of: Load, rule: str, **settings: Any) -> Finding:
    found = [finding for finding in findings(of, **settings) if finding.rule == rule]
    assert len(found) == 1, [finding.rule for finding in found]
    return found[0]


def with_reading(of: Load, **parts: Any) -> Load:
    """Return a load whose last reading has these parts too."""
    return replace(of, reading=replace(of.reading, **parts))
