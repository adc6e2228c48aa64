"""Tests that what looks like a limit, and is none, is not called one."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.tune.material import load, node, one, port, rules, worker
from vppcfg.tune.load import ThreadLoad
from vppcfg.tune.paste import split_paste
from vppcfg.tune.reading import Processor, Reading, ThreadCounters
from vppcfg.tune.show.hardware import parse_interface

GHZ = Reading(cpu=Processor(model="Xeon", base_hz=2.1e9))
FULL = worker(pps=2.89e6, vector=255.0)


def with_clocks(thread: ThreadLoad, clocks: float) -> ThreadLoad:
    """Return a thread each packet of which takes so many clocks."""
    nodes = tuple(replace(each, clocks=clocks / len(thread.nodes) * each.vectors) for each in thread.nodes)
    return replace(thread, nodes=nodes)


def test_a_worker_that_packets_take_all_clocks_of_is_cpu_bound_and_shows_the_sum() -> None:
    busy = load(port(), threads=(with_clocks(FULL, 700.0),), reading=GHZ)
    assert "700 clocks x 2.890 Mpps = 2.02 GHz of 2.10 GHz" in [part.text for part in one(busy, "cpu-bound").evidence]


def test_a_worker_with_full_vectors_and_clocks_to_spare_is_not_cpu_bound() -> None:
    assert "cpu-bound" not in rules(load(port(), threads=(with_clocks(FULL, 57.0),), reading=GHZ))


def test_a_worker_that_mostly_looks_in_vain_is_not_cpu_bound() -> None:
    seen = Reading(threads=(ThreadCounters(index=1, name="vpp_wk_0", loops_per_s=6.8e6),))
    assert "cpu-bound" not in rules(load(port(), threads=(FULL,), reading=seen))
    seen = Reading(threads=(ThreadCounters(index=1, name="vpp_wk_0", loops_per_s=1.2e4),))
    assert "cpu-bound" in rules(load(port(), threads=(FULL,), reading=seen))


def test_the_full_vectors_of_the_packet_generator_prove_nothing() -> None:
    packets = round(FULL.rx_pps)
    nodes = (node("pg-input", packets // 256, packets, 700.0), *FULL.nodes[1:])
    assert "cpu-bound" not in rules(load(port(), threads=(replace(FULL, nodes=nodes),), reading=GHZ))


def test_a_worker_without_a_rate_is_no_proof_of_imbalance() -> None:
    other = replace(worker(2), duration_s=None, nodes=())
    assert "worker-imbalance" not in rules(load(port(), threads=(worker(1), other)))
    assert "worker-imbalance" in rules(load(port(), threads=(worker(1), worker(2, pps=10.0))))


def test_the_thread_of_a_heap_is_none_of_the_runtime() -> None:
    text = "Thread 0 vpp_main\n  base 0x7f0000000000, size 1g, locked, name 'main heap'\n    total: 1.00G, used: 90M\n"
    assert set(split_paste(text).texts) == {"memory"}


def test_what_a_page_leaves_at_the_ends_of_lines_is_no_text() -> None:
    rows = (
        "<pre>dpdk-input  polling 100 2000 0 1.00e2 20.00<br>\nethernet-input active 100 2000 0 5.0e1 20.00<br/></pre>"
    )
    assert split_paste(rows).texts["runtime"].split()[-1] == "20.00"


def test_counters_without_their_heading_are_those_of_a_port() -> None:
    text = "   rx packets     1000\n   rx bytes  64000\n   rx-miss     540\n"
    (found,), unread = parse_interface(split_paste(text).texts["interface"])
    assert (found.rx_packets, found.rx_miss, unread) == (1000, 540, ())
