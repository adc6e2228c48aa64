"""Tests that what looks like a limit, and is none, is not called one."""

from dataclasses import replace

from tests.unit.tune.material import load, node, one, port, queue, rules, situation, worker
from vppcfg.tune.capture import split_paste
from vppcfg.tune.diagnosis import diagnose
from vppcfg.tune.finding import Basis, Finding, FindingSeverity, Remedy
from vppcfg.tune.load import ErrorRate, PortLoad, ThreadLoad
from vppcfg.tune.reading import InterfaceCounters, Processor, Reading, ThreadCounters
from vppcfg.tune.show.hardware import parse_interface

GHZ = Reading(cpu=Processor(model="Xeon", base_hz=2.1e9))
FULL = worker(pps=2.89e6, vector=255.0)


def proposal(found: Finding) -> Remedy:
    assert found.proposal is not None
    return found.proposal


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


def test_attempts_to_fill_a_ring_are_no_packets() -> None:
    counter = ErrorRate(node="tap-input", reason="buffer alloc error", count=1, per_s=48.76e6)
    found = one(load(port(), errors=(counter,)), "buffers")
    assert found.verdict == "there are too few packet buffers: tap-input finds none"
    assert (found.lost_pps, found.severity) == (0.0, FindingSeverity.LOSS)
    found = one(load(port(no_buf_pps=500.0), errors=(counter,)), "buffers")
    assert found.verdict == "there are too few packet buffers: 500 pps find none" and found.lost_pps == 500.0


def test_a_ring_that_nobody_empties_is_no_ring_that_is_too_short() -> None:
    full = ErrorRate(node="memif1/0-tx", reason="no_free_slots", count=40_000, per_s=4000.0)
    stuck = PortLoad(name="memif1/0", handed_pps=3900.0, tx_lost=40_000.0, tx_lost_pps=4000.0)
    found = one(load(stuck, errors=(full,)), "tx-descriptors")
    assert "drops all of the 3.90 kpps" in found.verdict and "the other end takes nothing" in found.verdict
    assert not proposal(found).settings and "100.0 %" in found.evidence[0].text
    half = one(load(replace(stuck, tx_lost_pps=2000.0), errors=(full,)), "tx-descriptors")
    assert "its transmit ring is full, though its link is not" in half.verdict


def test_a_virtual_port_may_wait_for_interrupts_as_long_as_its_rate_is_unknown() -> None:
    for name, is_found in (("host-eth0", False), ("tap0", False), ("GigabitEthernet1/0/0", True)):
        waiting = port(name, rx_queues=(queue(name, mode="interrupt"),))
        assert ("interrupt-mode" in rules(load(waiting, threads=()))) is is_found, name
    assert "interrupt-mode" in rules(load(port("tap0", rx_pps=5e4, rx_queues=(queue("tap0", mode="interrupt"),))))


def test_what_issue_trackers_mark_text_with_is_no_text() -> None:
    text = "show interface\n <tt>host-e0 8 up rx packets 793</tt>\n {{ rx bytes 139574}}\n**drops 15**\n{noformat}\n"
    (found,), unread = parse_interface(split_paste(text).texts["interface"])
    assert (found.name, found.rx_packets, found.rx_bytes, found.drops, unread) == ("host-e0", 793, 139574, 15, ())


def test_what_a_page_leaves_at_the_ends_of_lines_is_no_text() -> None:
    rows = (
        "<pre>dpdk-input  polling 100 2000 0 1.00e2 20.00<br>\nethernet-input active 100 2000 0 5.0e1 20.00<br/></pre>"
    )
    assert split_paste(rows).texts["runtime"].split()[-1] == "20.00"


def test_counters_without_their_heading_are_those_of_a_port() -> None:
    text = "   rx packets     1000\n   rx bytes  64000\n   rx-miss     540\n"
    (found,), unread = parse_interface(split_paste(text).texts["interface"])
    assert (found.rx_packets, found.rx_miss, unread) == (1000, 540, ())


def dropped_once(drops: int, *errors: ErrorRate) -> list[Finding]:
    counters = InterfaceCounters(name="Gi0", rx_packets=20_000, drops=drops)
    of = replace(load(errors=errors), duration_s=None, ports=(PortLoad(name="Gi0", counters=counters),))
    return [found for found in diagnose(situation(of)).findings if found.rule == "not-tuning"]


def test_drops_without_a_reason_are_not_said_to_be_beyond_tuning() -> None:
    (found,) = dropped_once(9_000)
    assert found.verdict.startswith("Gi0 has dropped 9,000 packets of 20,000 (45.0 %) for a reason that was not read")
    assert found.expectation is not None and found.expectation.basis is Basis.GUESS
    assert found.severity is FindingSeverity.NOTICE


def test_a_reason_for_a_few_drops_does_not_hide_the_others() -> None:
    few = ErrorRate(node="ip4-input", reason="ip4 ttl <= 1", count=12, per_s=None)
    found = {each.subject: each for each in dropped_once(9_000, few)}
    assert "no tuning can save" in found["ip4-input"].verdict
    assert found["Gi0"].verdict.endswith("for a reason that was not read: reasons were counted for 12 of them")
    assert [each.subject for each in dropped_once(9_000, replace(few, count=8_990))] == ["ip4-input"]


def without_ports(*errors: ErrorRate) -> list[Finding]:
    of = replace(load(threads=(), errors=errors), duration_s=None)
    return [found for found in diagnose(situation(of)).findings if found.rule == "not-tuning"]


def test_what_several_nodes_have_dropped_is_not_said_of_one() -> None:
    rows = (("e0-output", 2000), ("e1-output", 500), ("e0-output", 100), ("e2-output", 40))
    down = [ErrorRate(node=node, reason="interface is down", count=count, per_s=None) for node, count in rows]
    (found,) = without_ports(*down)
    assert found.verdict.startswith("e0-output and 2 other nodes have dropped 2,640 packets that no tuning can save")
    (found,) = without_ports(*down[:2])
    assert found.verdict.startswith("e0-output and e1-output have dropped 2,500 packets")
    (found,) = without_ports(down[0], down[2])
    assert found.verdict.startswith("e0-output has dropped 2,100 packets")
    busy = load(threads=(FULL,), errors=tuple(replace(each, per_s=float(each.count)) for each in down))
    assert one(busy, "not-tuning").verdict.startswith("e0-output and 2 other nodes drop 2.64 kpps")


def test_drops_are_weighed_against_the_packets_that_other_counters_have_seen_pass() -> None:
    down = ErrorRate(node="e0-output", reason="interface is down", count=14_856, per_s=None)
    (alone,) = without_ports(down)
    assert alone.severity is FindingSeverity.LOSS
    passed = ErrorRate(node="l2-output", reason="L2 output packets", count=323_702_089, per_s=None)
    (found,) = without_ports(down, passed)
    assert found.severity is FindingSeverity.NOTICE
    (found,) = without_ports(down, replace(passed, count=100_000))
    assert found.severity is FindingSeverity.LOSS
    mac = ErrorRate(node="ethernet-input", reason="l3 mac mismatch", count=8_532, per_s=None)
    (found,) = without_ports(mac, replace(passed, count=38))
    assert found.severity is FindingSeverity.NOTICE
