"""Rates between two looks: by names, over cleared counters, other indexes, and refreshes of nodes."""

from dataclasses import replace

import pytest

from vppcfg.app.monitoring.rates import rates_between
from vppcfg.model.counters import NodeTotals, VppCounters
from vppcfg.model.monitored import MonitoredInterface, QueuePlace, RouterSnapshot


def counters(clock_s: float, packets: int, *, beat: int = 1, calls: int = 0, boot: int = 5) -> VppCounters:
    node = NodeTotals(calls=(0, calls), vectors=(0, 8 * calls), clocks=(0, 800 * calls), suspends=(0, 0))
    return VppCounters(
        clock_s=clock_s,
        boot_at_s=boot,
        heartbeat=beat,
        threads=("vpp_main", "vpp_wk_0"),
        names=["local0", "eth0", "eth1"],
        interfaces={"rx_packets": [0, packets, 7], "rx_bytes": [0, 100 * packets, 7], "drops": [0, packets // 2]},
        received=[[0, 0, 0], [0, packets, 7]],
        vector_rates=(0, 3),
        nodes={"ip4-lookup": node, "dpdk-input": node},
        errors={"ip4-input/ttl": packets, "ip4-input/no error": 5},
    )


PORTS = (
    MonitoredInterface(index=1, name="eth0", kind="physical", link_bps=1_000_000),
    MonitoredInterface(index=2, name="eth1", kind="physical"),
)


def snapshot(found: VppCounters, ports: tuple[MonitoredInterface, ...] = PORTS) -> RouterSnapshot:
    queues = tuple(QueuePlace(interface=each.name, queue=0, thread=1, mode="polling") for each in ports)
    return RouterSnapshot(taken_at_s=found.clock_s, counters=found, interfaces=ports, queues=queues)


def test_rates_are_differences_over_the_time_between() -> None:
    found = rates_between(snapshot(counters(10.0, 100)), snapshot(counters(12.0, 300)))
    port, worker = found.interfaces[0], found.workers[1]
    assert (found.seconds, port.rx_pps, port.rx_bps, port.drops_pps) == (2.0, 100.0, 80_000.0, 50.0)
    assert (worker.rx_pps, worker.vectors, worker.queues) == (100.0, 3, ("eth0 0", "eth1 0"))
    assert port.line_share == pytest.approx((80_000 + 8 * 24 * 100) / 1_000_000)
    (reason,) = found.reasons
    assert (reason.node, reason.reason, reason.per_s, reason.total) == ("ip4-input", "ttl", 100.0, 300)


def test_the_first_look_has_no_rates() -> None:
    found = rates_between(None, snapshot(counters(10.0, 100)))
    assert (found.seconds, found.interfaces[0].rx_pps, found.workers[1].rx_pps) == (None, None, None)
    assert found.reasons[0].total == 100


def test_counters_that_were_cleared_count_from_0() -> None:
    found = rates_between(snapshot(counters(10.0, 1000)), snapshot(counters(12.0, 40)))
    assert (found.interfaces[0].rx_pps, found.workers[1].rx_pps) == (20.0, 23.5)


def test_an_interface_with_another_index_goes_on_and_one_with_its_former_index_begins() -> None:
    before = snapshot(counters(10.0, 100), (PORTS[0],))
    moved = (replace(PORTS[0], index=2), MonitoredInterface(index=1, name="loop0"))
    now = replace(counters(11.0, 0), interfaces={"rx_packets": [0, 900, 150], "rx_bytes": [0, 0, 0]})
    port, loop = rates_between(before, snapshot(now, moved)).interfaces
    assert (port.rx_pps, loop.rx_pps) == (50.0, None)


def test_another_run_of_vpp_has_no_rates_with_the_one_before() -> None:
    found = rates_between(snapshot(counters(10.0, 100)), snapshot(counters(12.0, 300, boot=9)))
    assert (found.seconds, found.interfaces[0].rx_pps) == (None, None)


def test_nodes_have_rates_between_two_refreshes() -> None:
    first, second = counters(10.0, 100, beat=1, calls=10), counters(20.0, 100, beat=2, calls=110)
    found = rates_between(snapshot(second), snapshot(replace(second, clock_s=26.0)), (first, second))
    node = next(each for each in found.nodes if each.name == "ip4-lookup")
    assert (node.pps, node.calls_per_s, node.vectors, node.clocks_per_packet) == (80.0, 10.0, 8.0, 100.0)
    assert found.workers[1].vectors == 8.0, "the tuner's measure, without input nodes"
    assert found.has_nodes


def test_a_router_that_cannot_be_read_has_none() -> None:
    found = rates_between(snapshot(counters(10.0, 100)), RouterSnapshot(taken_at_s=1.0, problem="gone"))
    assert (found.seconds, found.interfaces, found.workers) == (None, (), ())
