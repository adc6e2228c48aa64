"""Every rule: the load in which it must speak, and the one next to it in which it must not."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.tune.material import (
    GI1,
    GI3,
    findings,
    hardware,
    host,
    limits,
    load,
    node,
    one,
    port,
    queue,
    rules,
    tx_queue,
    with_reading,
    worker,
)
from vppcfg.tune.diagnosis import NAMES
from vppcfg.tune.finding import FindingSeverity
from vppcfg.tune.load import ErrorRate, Load, PortLoad, ThreadLoad
from vppcfg.tune.reading import BufferPool, Heap, InterfaceCounters, PciDevice, Processor, Reading, ThreadPlace
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.rules.nat import find_nat_bound
from vppcfg.tune.settings import as_data, startup_difference

PLACES = tuple(ThreadPlace(index=number, name="t", cpu=number) for number in range(5))
TWO_THREADS = Reading(places=PLACES[:2])
SATURATED = worker(vector=250.0, poll=250.0)
LINE_64 = 1_488_095.0


def errors(node_name: str, reason: str, per_s: float = 500.0) -> tuple[ErrorRate, ...]:
    return (ErrorRate(node=node_name, reason=reason, count=round(per_s * 10), per_s=per_s),)


def translating(clocks: float) -> ThreadLoad:
    """Return a full worker with NAT that takes so many clocks a packet, beside 500 of the rest."""
    nodes = (node("nat44-ed-in2out", 9, 2250, clocks), node("ip4-rewrite", 9, 2250, 500.0))
    return replace(worker(), nodes=(node("dpdk-input", 9, 2250), *nodes))


def starving(**settings: Any) -> PortLoad:
    usual: dict[str, Any] = {"handed_pps": 1e6, "tx_pps": 0.97e6, "tx_lost": 300_000.0, "tx_lost_pps": 30_000.0}
    return port(**(usual | settings))


def pool(free: int, used: int, name: str = "default-numa-0") -> BufferPool:
    return BufferPool(name=name, total=free + used, available=free, cached=0, used=used)


HEAP = Heap(name="main heap", total_bytes=1 << 30, used_bytes=200 << 20)
CASES: dict[str, tuple[Load, Load]] = {
    "nic-bound": (load(port(rx_pps=0.9e6)), load(port(rx_pps=0.99e6))),
    "link-bound": (load(port(rx_pps=0.995 * LINE_64)), load(port(rx_pps=0.97 * LINE_64))),
    "cpu-bound": (
        load(port(rx_pps=1e6), threads=(SATURATED,)),
        load(port(rx_pps=1e6), threads=(worker(vector=150.0),)),
    ),
    "tx-descriptors": (load(starving()), load(starving(tx_lost=500.0, tx_lost_pps=50.0))),
    "egress-oversubscribed": (
        load(starving(handed_pps=1.6e6, tx_pps=0.995 * LINE_64)),
        load(starving(handed_pps=1.6e6, tx_pps=0.95 * LINE_64)),
    ),
    "rx-ring": (load(port(rx_miss_pps=100.0, rx_pps=1e6)), load(port(rx_miss_pps=0.0, rx_pps=1e6))),
    "buffers": (
        load(reading=Reading(buffers=(pool(50, 950),))),
        load(reading=Reading(buffers=(pool(500, 500), pool(0, 0, "default-numa-1")))),
    ),
    "worker-imbalance": (
        load(port(), threads=(worker(1, pps=9e5), worker(2, pps=1e5))),
        load(port(), threads=(worker(1, pps=6e5), worker(2, pps=4e5))),
    ),
    "rss": (
        load(
            port(rx_queues=(queue(thread=1), queue(thread=2, number=1)), rx_pps=1e6),
            threads=(worker(1, pps=9.9e5), worker(2, pps=1e4)),
        ),
        load(
            port(rx_queues=(queue(thread=1), queue(thread=2, number=1)), rx_pps=1e6),
            threads=(worker(1, pps=6e5), worker(2, pps=4e5)),
        ),
    ),
    "shared-tx-queue": (
        load(
            port(tx_queues=(tx_queue(1, 2),)),
            port(GI3, tx_queues=(tx_queue(1, port=GI3), tx_queue(2, port=GI3, number=1))),
            threads=(replace(worker(), nodes=(node(f"{GI1}-tx", 9, 99, 200.0), node(f"{GI3}-tx", 9, 99, 100.0))),),
        ),
        load(
            port(tx_queues=(tx_queue(0, 1), tx_queue(2, number=1))),
            port(GI3, tx_queues=(tx_queue(1, port=GI3),)),
            threads=(replace(worker(), nodes=(node(f"{GI1}-tx", 9, 99, 200.0), node(f"{GI3}-tx", 9, 99, 100.0))),),
        ),
    ),
    "numa-remote": (
        load(port(hardware=hardware(numa=1)), reading=Reading(host=host(sockets=((1, 0),)))),
        load(port(hardware=hardware(numa=0)), reading=Reading(host=host(sockets=((1, 0),)))),
    ),
    "not-isolated": (
        load(reading=Reading(host=host(isolated=frozenset({2, 3})))),
        load(reading=Reading(host=host(isolated=frozenset({1})))),
    ),
    "main-polluted": (load(port(rx_queues=(queue(thread=0),)), threads=(worker(0),)), load(port())),
    "memory-full": (
        load(reading=Reading(heaps=(Heap(name="stat segment", total_bytes=32 << 20, used_bytes=24 << 20),))),
        load(reading=Reading(heaps=(Heap(name="stat segment", total_bytes=64 << 20, used_bytes=24 << 20),))),
    ),
    "heap-growth": (
        load(reading=Reading(heaps=(HEAP,)), former=Reading(heaps=(replace(HEAP, used_bytes=10 << 20),))),
        load(reading=Reading(heaps=(HEAP,)), former=Reading(heaps=(HEAP,))),
    ),
    "pcie": (
        load(
            port(hardware=hardware(link_bps=10**10, pci_address="0000:01:00.0")),
            reading=Reading(pci=(PciDevice(address="0000:01:00.0", gt_per_s=2.5, width=1),)),
        ),
        load(
            port(hardware=hardware(link_bps=10**9, pci_address="0000:01:00.0")),
            reading=Reading(pci=(PciDevice(address="0000:01:00.0", gt_per_s=2.5, width=1),)),
        ),
    ),
    "port-loss": (
        load(port(driver_lost_pps={"rx": ("rx_missed_errors", 500.0)})),
        load(port(driver_lost_pps={"rx": ("rx missed", 500.0)}, rx_miss_pps=500.0)),
    ),
    "port-failed": (
        load(port(hardware=hardware(has_errors=True))),
        load(port(hardware=hardware(), counters=InterfaceCounters(name=GI1, is_failed=False))),
    ),
    "slow-burst": (
        load(port(hardware=hardware(tx_burst="Scalar", tx_offloads=("multi-segs", "udp-cksum")))),
        load(port(hardware=hardware(tx_burst="Vector AVX2"))),
    ),
    "nat-exhausted": (
        load(errors=errors("nat44-ed-in2out-slowpath", "maximum sessions exceeded")),
        load(errors=errors("nat44-ed-in2out-slowpath", "unsupported protocol")),
    ),
    "nat-bound": (load(threads=(translating(500.0),)), load(threads=(translating(100.0),))),
    "handoff": (
        load(errors=errors("nat44-in2out-worker-handoff", "congestion drop")),
        load(errors=errors("nat44-in2out-worker-handoff", "same worker")),
    ),
    "interrupt-mode": (
        load(port(rx_queues=(queue(mode="interrupt"),), rx_pps=5e4)),
        load(port(rx_queues=(queue(mode="interrupt"),), rx_pps=50.0)),
    ),
    "debug-build": (load(reading=Reading(is_tracing=True)), load(reading=Reading(is_tracing=False))),
    "clock-low": (
        load(reading=Reading(host=host(frequencies_khz=((1, 800_000, 2_400_000),)))),
        load(reading=Reading(host=host(frequencies_khz=((1, 2_400_000, 2_400_000),), governors=((1, "performance"),)))),
    ),
    "mtu-multi-seg": (
        load(port(mtu=9000, hardware=hardware(flags=("admin-up",)))),
        load(port(mtu=1500, hardware=hardware(flags=("admin-up",)))),
    ),
    "not-tuning": (
        load(errors=errors("ip4-input", "ip4 ttl <= 1")),
        load(errors=errors("l2-input", "L2 input packets", per_s=1e6)),
    ),
}

OPTIONS = {"nic-bound": {"offered": {GI1: 1e6}}}


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_speaks_where_it_must_and_nowhere_else(rule: str) -> None:
    ill, well = CASES[rule]
    options = OPTIONS.get(rule, {})
    assert rules(ill, **options).count(rule) == 1
    assert rule not in rules(well, **options)


@pytest.mark.parametrize("rule", CASES)
def test_every_finding_says_what_it_is_based_on_and_what_would_disprove_it(rule: str) -> None:
    found = one(CASES[rule][0], rule, **OPTIONS.get(rule, {}))
    assert found.evidence and all(part.text and part.source for part in found.evidence)
    assert found.verdict and found.subject and found.disproof
    assert found.proposal is not None and found.proposal.text
    assert found.expectation is not None and found.expectation.text


def test_every_rule_has_a_test() -> None:
    elsewhere = {"buffer-leak", "queues-ignored", "nic-pattern", "healthy"}
    assert set(CASES) | elsewhere == set(NAMES)


def test_findings_rank_by_lost_packets() -> None:
    of = load(starving(), port(GI3, no_buf_pps=90_000.0, rx_pps=1e5), errors=errors("ip4-input", "ip4 ttl <= 1", 10.0))
    ranked = [(found.rule, found.lost_pps) for found in findings(of) if found.lost_pps]
    assert ranked == [("buffers", 90_000.0), ("tx-descriptors", 30_000.0), ("not-tuning", 10.0)]


def test_a_loss_without_a_rate_ranks_before_drops_that_no_tuning_saves() -> None:
    refused = errors("tap-input", "buffer alloc error", 48.76e6) + errors("ip4-input", "ip4 ttl <= 1", 10.0)
    assert [found.rule for found in findings(load(port(), errors=refused))][:2] == ["buffers", "not-tuning"]


def test_what_was_seen_once_does_not_starve() -> None:
    calm, rough = load(port()), load(starving())
    assert "tx-descriptors" not in rules(replace(rough, steps=(rough, calm, calm)))
    assert "tx-descriptors" in rules(replace(rough, steps=(rough, rough, calm)))


def test_longer_rings_stay_within_what_the_nic_takes() -> None:
    full = starving(hardware=hardware(tx_limits=limits(descriptors=4096)))
    found = one(load(full), "tx-descriptors")
    assert found.proposal is not None
    assert as_data(found.proposal.settings) == {"dataplane": {"dpdk": {"multi-seg": False}}}
    assert found.proposal.live == ()


def test_large_packets_keep_their_segments() -> None:
    found = one(load(starving(mtu=9000)), "tx-descriptors")
    assert found.proposal is not None
    assert as_data(found.proposal.settings) == {"dataplane": {"dpdk": {"default": {"tx-descriptors": 1024}}}}


def test_missed_packets_with_full_frames_are_bursts_and_without_are_the_nics() -> None:
    missing = load(port(rx_miss_pps=100.0, rx_pps=1e6))
    bursts = with_reading(missing, max_vectors=((1, "dpdk-input", 256),))
    none = with_reading(missing, max_vectors=((1, "dpdk-input", 40),))
    assert one(bursts, "rx-ring").undecided == ""
    assert "show runtime max" in one(missing, "rx-ring").undecided
    assert "rx-ring" not in rules(none)
    assert one(none, "nic-bound").lost_pps == 100.0


def test_a_saturated_worker_that_misses_packets_is_no_matter_of_rings() -> None:
    of = load(port(rx_miss_pps=100.0, rx_pps=1e6), threads=(SATURATED,))
    assert [rule for rule in rules(of) if rule in {"cpu-bound", "rx-ring", "nic-bound"}] == ["cpu-bound"]


XE0 = "0000:17:02.0"


def native(**settings: Any) -> PortLoad:
    """Return a port of VPP's own driver iavf that has one receive queue of four."""
    found = {"native_driver": "iavf", "pci_address": XE0, "rx_limits": limits(1, 4, 512), **settings}
    return port("xe0", rx_pps=1.0, hardware=hardware("xe0", **found))


def test_no_port_gets_more_queues_than_it_has_for_the_sake_of_another_one() -> None:
    """VPP takes one queue in place of too many, and one number is for all ports of DPDK."""
    small = port(GI3, rx_pps=1.0, rx_queues=(queue(GI3, thread=2),), hardware=hardware(GI3, rx_limits=limits(2, 2)))
    large = port(rx_pps=1e6, hardware=hardware(rx_limits=limits(2, 16)))
    found = one(load(large, small, threads=(SATURATED,), reading=Reading(places=PLACES[:3])), "cpu-bound")
    assert found.proposal is not None
    assert as_data(found.proposal.settings) == {"dataplane": {"cpu": {"workers": 3}}}


@pytest.mark.parametrize(
    ("own", "most", "proposed"), [(512, 4096, 1024), (512, 768, 768), (256, 512, None), (2048, 4096, 2048)]
)
def test_rings_get_no_longer_than_every_port_can_have_and_none_gets_shorter(
    own: int, most: int, proposed: int | None
) -> None:
    """One number is for all ports of DPDK, and one that has fewer at most would not come up."""
    other = port(GI3, hardware=hardware(GI3, tx_limits=replace(limits(), descriptors=own, max_descriptors=most)))
    found = one(load(starving(hardware=hardware(tx_limits=limits(1, 1, 512))), other), "tx-descriptors")
    assert found.proposal is not None
    default = as_data(found.proposal.settings).get("dataplane", {}).get("dpdk", {}).get("default", {})
    assert default.get("tx-descriptors") == proposed


def test_large_packets_of_another_port_keep_multi_seg() -> None:
    offloads = hardware(tx_offloads=("multi-segs",), tx_burst="Scalar")
    for mtu, values in ((1500, [False]), (9000, [])):
        of = load(starving(hardware=offloads, mtu=1500), port(GI3, mtu=mtu))
        for rule in ("tx-descriptors", "slow-burst"):
            found = one(of, rule)
            assert found.proposal is not None
            assert [each.value for each in found.proposal.settings if each.path == ("dpdk", "multi-seg")] == values


def test_packets_that_fit_into_larger_buffers_need_no_multi_seg() -> None:
    jumbo = load(port(mtu=9000, hardware=hardware(flags=("admin-up",))))
    for size, is_found in ((9216, False), (4096, True), (None, True)):
        pools = (replace(pool(900, 100), data_size=size),)
        found = [each.verdict for each in findings(with_reading(jumbo, buffers=pools)) if each.rule == "mtu-multi-seg"]
        assert bool(found) == is_found and f"above {size or 2048}" in "".join(found) + f"above {size}" * (not found)


def test_the_rate_that_one_queue_gets_is_that_of_its_threads() -> None:
    busy = load(
        port(rx_queues=(queue(thread=1), queue(thread=2, number=1))), threads=(worker(1, pps=1e6), worker(2, pps=0.0))
    )
    found = one(busy, "rss")
    assert found.evidence[0].text == "one of 2 queues gets 100.0 % of 1 Mpps"


def test_nothing_is_proposed_for_workers_that_were_not_seen() -> None:
    five = Reading(places=PLACES)
    busy = load(port(rx_pps=1e6), threads=(SATURATED,), reading=five)
    found = one(busy, "cpu-bound")
    assert found.proposal is not None and found.expectation is not None
    assert as_data(found.proposal.settings)["dataplane"]["cpu"] == {"workers": 5}
    assert "5 in place of 4 workers" in found.expectation.text and found.expectation.gain_pps is None
    excerpt = one(load(port(rx_pps=1e6), threads=(SATURATED,)), "cpu-bound")
    assert excerpt.proposal is not None and excerpt.proposal.settings == ()
    forwards = load(port(rx_pps=1e6), threads=(worker(0),), reading=five)
    main = one(forwards, "main-polluted")
    assert main.proposal is not None and main.proposal.settings == ()
    assert [part.text for part in main.evidence if "no workers" in part.text] == []


def test_more_workers_come_with_queues_of_each_device_that_vpps_own_drivers_drive() -> None:
    found = one(load(port(rx_pps=1e6), native(), threads=(SATURATED,), reading=TWO_THREADS), "cpu-bound")
    assert found.proposal is not None
    assert as_data(found.proposal.settings)["dataplane"] == {
        "cpu": {"workers": 2},
        "dpdk": {"default": {"rx-queues": 2}},
        "devices": {XE0: {"driver": "iavf", "rx-queues": 2}},
    }
    assert startup_difference(found.proposal.settings)[-8:] == [
        "  devices {",
        f"    dev pci/{XE0} {{",
        "      port 0 {",
        "-       num-rx-queues 1",
        "+       num-rx-queues 2",
        "      }",
        "    }",
        "  }",
    ]


def test_of_native_ports_whose_queues_are_unknown_none_are_proposed_and_that_is_said() -> None:
    for unknown in (native(rx_limits=None), native(pci_address=None), native(native_driver="ena", rx_limits=None)):
        found = one(load(unknown, threads=(SATURATED,), reading=TWO_THREADS), "cpu-bound")
        assert found.proposal is not None
        assert as_data(found.proposal.settings) == {"dataplane": {"cpu": {"workers": 2}}}
        assert found.proposal.text.endswith("queues and rings of xe0 are not known, so that none are proposed")


def test_what_the_dpdk_plugin_alone_knows_is_not_proposed_for_a_native_port() -> None:
    queues = tuple(queue("xe0", thread, thread - 1) for thread in (1, 2))
    told = []
    for of in (native(), port("xe0")):
        assert of.hardware is not None
        spread = replace(of, rx_queues=queues, hardware=replace(of.hardware, rss_active="none"))
        found = one(load(spread), "rss")
        assert found.proposal is not None
        told.append(found.proposal.text)
    assert "takes no `rss { ... }`" in told[0]
    assert told[1].startswith("rss { ... } for this device in startup.conf")


def test_longer_rings_of_native_ports_stand_below_devices_and_no_command_of_dpdk_is_proposed() -> None:
    rings = hardware(native_driver="iavf", pci_address=XE0, tx_limits=limits(descriptors=512))
    starved = starving(hardware=rings)
    found = one(load(starved), "tx-descriptors")
    assert found.proposal is not None
    assert as_data(found.proposal.settings) == {
        "dataplane": {"devices": {XE0: {"driver": "iavf", "tx-descriptors": 1024}}}
    }
    assert found.proposal.live == ()


def test_buffers_are_computed_from_rings_and_threads() -> None:
    rings = hardware(rx_limits=limits(8, 8, 4096), tx_limits=limits(9, 9, 1024))
    of = load(port(hardware=rings), reading=Reading(buffers=(pool(10, 990),)))
    found = one(of, "buffers")
    assert found.proposal is not None
    wanted = -(-int(1.25 * (8 * 4096 + 9 * 1024 + 512 + 256)) // 840) * 840
    assert as_data(found.proposal.settings) == {"dataplane": {"buffers": {"per-numa": wanted}}}


def test_buffers_that_never_come_back_are_a_leak() -> None:
    steps = tuple(load(reading=Reading(buffers=(pool(50_000, used),))) for used in (20_000, 21_000, 22_000))
    leaking = replace(steps[-1], steps=steps)
    steady = replace(steps[-1], steps=(steps[0], steps[0], steps[0]))
    assert "buffer-leak" in rules(leaking)
    assert "buffer-leak" not in rules(steady)


def test_queues_that_the_nic_lacks_are_said_to_be_ignored() -> None:
    of = load(port(hardware=hardware(rx_limits=limits(1, 2))))
    found = one(of, "queues-ignored", configured_rx_queues={GI1: 4})
    assert found.proposal is not None
    assert as_data(found.proposal.settings) == {"dataplane": {"dpdk": {"default": {"rx-queues": 2}}}}
    assert "soft-rss" not in found.proposal.text
    assert "queues-ignored" not in rules(of, configured_rx_queues={GI1: 2})
    with_one = one(
        load(port(hardware=hardware(rx_limits=limits(1, 1)))), "queues-ignored", configured_rx_queues={GI1: 4}
    )
    assert with_one.proposal is not None
    assert f"`soft-rss config {GI1} type 4-tuple` and `soft-rss enable {GI1}`" in with_one.proposal.text


def test_an_uneven_load_comes_with_the_commands_that_even_it() -> None:
    busy = port(rx_queues=(queue(thread=1), queue(thread=1, number=1)))
    found = one(load(busy, threads=(worker(1, pps=1e6), worker(2, pps=0.0))), "worker-imbalance")
    assert found.proposal is not None
    assert found.proposal.live == (f"set interface rx-placement worker 1 queue 1 {GI1}",)


def test_a_main_thread_that_forwards_gets_a_worker_or_gives_its_queues_away() -> None:
    no_workers = Reading(places=PLACES[:1])
    alone = one(load(port(rx_queues=(queue(thread=0),)), threads=(worker(0),), reading=no_workers), "main-polluted")
    both = one(load(port(rx_queues=(queue(thread=0),)), threads=(worker(0), worker(1))), "main-polluted")
    assert alone.proposal is not None and both.proposal is not None
    assert as_data(alone.proposal.settings) == {"dataplane": {"cpu": {"workers": 1}}}
    assert both.proposal.live == (f"set interface rx-placement worker 0 queue 0 {GI1}",)


def test_a_main_thread_that_works_on_routes_for_long_is_named() -> None:
    process = node("linux-nl-process", 0, 0, suspends=10)
    slow = ThreadLoad(index=0, name="vpp_main", duration_s=1.0, nodes=(replace(process, clocks=10 * 0.05 * 2e9),))
    of = load(threads=(slow, worker()), reading=Reading(cpu=Processor(model="", base_hz=2e9)))
    assert "50 ms per turn" in one(of, "main-polluted").evidence[0].text


def test_a_worker_on_the_sibling_of_another_thread_is_named() -> None:
    of = load(threads=(worker(0, pps=0.0), worker(1)), reading=Reading(host=host(siblings=(frozenset({0, 1}),))))
    found = one(of, "not-isolated")
    assert "shares its core with vpp_main" in " ".join(part.text for part in found.evidence)


def test_a_heap_grows_to_twice_its_size() -> None:
    heaps = (
        Heap(name="main heap", total_bytes=1 << 30, used_bytes=900 << 20),
        Heap(name="x", total_bytes=1, used_bytes=1),
    )
    found = one(load(reading=Reading(heaps=heaps)), "memory-full")
    assert found.proposal is not None
    assert as_data(found.proposal.settings) == {"dataplane": {"memory": {"main-heap": "2048M"}}}


def test_faults_of_the_traffic_that_are_noise_are_a_notice() -> None:
    few = load(port(), errors=errors("ethernet-input", "unknown vlan", 2.0))
    assert one(few, "not-tuning").severity is FindingSeverity.NOTICE


@pytest.mark.parametrize(
    ("names", "advice"),
    [
        (("nat44-ed-in2out",), "more workers: NAT44 gives each host inside a worker by its address"),
        (("nat44-ed-in2out", "nat44-ed-in2out-slowpath"), "longer timeouts"),
        (("nat44-in2out-worker-handoff", "nat44-ed-in2out-slowpath"), "more workers, with RSS over addresses"),
        (("det44-in2out",), "fewer maps and fewer sessions a host"),
    ],
)
def test_what_helps_a_worker_full_of_nat_depends_on_its_nodes(names: tuple[str, ...], advice: str) -> None:
    nodes = (node("dpdk-input", 9, 2250), *(node(name, 9, 2250, 500.0) for name in names))
    found = find_nat_bound(Situation(load=load(threads=(replace(worker(), nodes=nodes),))))
    assert [finding.proposal.text.startswith(advice) for finding in found if finding.proposal is not None] == [True]


def test_a_vpp_without_workers_is_full_as_a_worker_is_though_it_polls_ports_that_are_idle() -> None:
    for index in (0, 1):
        ports = tuple(port(name, rx_pps=None, rx_queues=(queue(name, index),)) for name in (GI1, GI3))
        full = load(*ports, threads=(worker(index, vector=250.0, poll=250.0),))
        assert "cpu-bound" in rules(full)
    rounded = replace(worker(), nodes=(node("dpdk-input", 1000, 256_002), node("ethernet-input", 1000, 256_002)))
    assert "cpu-bound" in rules(load(port(), threads=(rounded,)))
