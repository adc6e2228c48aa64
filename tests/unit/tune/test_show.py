"""What VPP 20.x to 26.x prints, with and without its spacing, and what is left of it when it is damaged."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tune.material import CASES
from vppcfg.tune.interval import load_of
from vppcfg.tune.load import PortLoad
from vppcfg.tune.reading import QueueLimits, Reading, ThreadPlace
from vppcfg.tune.show import clean_lines
from vppcfg.tune.show.hardware import parse_hardware, parse_interface, parse_pci
from vppcfg.tune.show.process import (
    parse_buffers,
    parse_cpu,
    parse_memory,
    parse_placement,
    parse_threads,
    parse_version,
)
from vppcfg.tune.show.runtime import parse_errors, parse_max_vectors, parse_runtime, parse_trace

PARSERS = (parse_buffers, parse_cpu, parse_errors, parse_hardware, parse_interface, parse_memory, parse_pci,
           parse_placement, parse_runtime, parse_max_vectors, parse_threads, parse_trace, parse_version)  # fmt: skip
NATIVE = """\
              Name                Idx   Link  Hardware
xe0                                1     up   xe0
  Link speed: 10 Gbps
  RX Queues:
    queue thread         mode
    0     vpp_wk_0 (1)   polling
    1     vpp_wk_1 (2)   polling
  TX Queues:
    TX Hash: [name: hash-eth-l34 priority: 50 description: Hash ethernet L34 headers]
    queue shared thread(s)
    0     no     0
    1     no     1
    2     no     2
  Ethernet address 02:00:00:00:00:01
  Device:
    Driver is 'iavf', bus is 'pci', description is 'Intel(R) Adaptive Virtual Function'
    PCIe address is 0000:17:02.0, port is 0, speed is 8.0 GT/s x8 (max 8.0 GT/s x8)
    Assigned process node is 'iavf-0000:17:02.0-process'
  Port 0:
    Hardware Address is 02:00:00:00:00:01, 2 RX queues (max 16), 3 TX queues (max 16)
    Max RX frame size is 1518 (max supported 9728)
    Caps: interrupt-mode rss change-max-rx-frame-size
    RX Offloads: ip4-cksum
    TX Offloads: ip4-cksum tcp-gso
    Interface assigned, primary interface name is 'xe0', RX node is 'xe0-rx'
    RX queue 0:
      Size is 512, buffer pool index is 0
      Polling thread is 1, enabled, started, polling mode
    RX queue 1:
      Size is 512, buffer pool index is 0
      Polling thread is 2, enabled, started, polling mode
    TX queue 0:
      Size is 1024
      Used by thread 0
"""
"""Put together from the format strings of VPP 26.10: vnet/dev/format.c, vnet/dev/bus/pci.c, vnet/interface_format.c."""
HEADER = "Name State Calls Vectors Suspends Clocks Vectors/Call\n"


def flat(text: str) -> str:
    """Return a text as a copy without its columns has it."""
    return "\n".join(" ".join(line.split()) for line in text.splitlines())


def test_a_port_of_vpps_own_driver_tells_its_queues_and_the_driver_its_bounds() -> None:
    (port,), unread = parse_hardware(NATIVE)
    assert unread == ()
    assert (port.driver, port.native_driver, port.pci_address) == ("iavf", "iavf", "0000:17:02.0")
    assert port.rx_limits == QueueLimits(
        queues=2, max_queues=16, descriptors=512, min_descriptors=32, max_descriptors=4096, align=32
    )
    assert port.tx_limits == QueueLimits(
        queues=3, max_queues=16, descriptors=1024, min_descriptors=32, max_descriptors=4096, align=32
    )
    assert [queue.thread for queue in port.rx_queues] == [1, 2]
    assert parse_hardware(flat(NATIVE)) == parse_hardware(NATIVE)


@pytest.mark.parametrize(
    ("gone", "instead"),
    [("'iavf', bus", "'ena', bus"), (", 2 RX queues (max 16), 3 TX queues (max 16)", ""), ("Size is", "Size was")],
)
def test_of_a_port_whose_driver_or_queues_are_unknown_no_bounds_are_told(gone: str, instead: str) -> None:
    (port,), _ = parse_hardware(NATIVE.replace(gone, instead))
    assert port.native_driver in {"iavf", "ena"}
    assert (port.rx_limits, port.tx_limits) == (None, None)


def row(text: str) -> tuple[str, str]:
    threads, unread = parse_runtime(HEADER + text)
    assert unread == ()
    (node,) = threads[0].nodes
    return node.name, node.state


@pytest.mark.parametrize("case", ["fitlet2_i211_to_i210", "fitlet2_i210_to_i211", "fitlet2_both_ways"])
@pytest.mark.parametrize(("name", "parse"), [("runtime", parse_runtime), ("hardware", parse_hardware)])
def test_spacing_makes_no_difference(case: str, name: str, parse: object) -> None:
    assert callable(parse)
    spaced = (CASES / case / f"{name}.txt").read_text()
    found = (CASES / f"{case}_without_spacing" / f"{name}.txt").read_text()
    assert parse(spaced) == parse(found) == parse(flat(spaced))
    assert parse(spaced)[1] == ()


@pytest.mark.parametrize(
    ("text", "name", "state"),
    [
        ("dpdk-input polling 44406936 27119701 0 5.35e2 .61", "dpdk-input", "polling"),
        ("bfd-process event wait 0 0 1 7.64e3 0.00", "bfd-process", "event wait"),
        ('bfd-process "event wait" 0 0 1 7.64e3 0.00', "bfd-process", "event wait"),
        ('x "one time event wait" 0 0 1 7.64e3 0.00', "x", "one time event wait"),
        ('startup-config-process        "not started 1 0 1 1.80e4 0.00', "startup-config-process", "not started"),
        ("af-packet-input interrupt wa 147 17 0 2.93e4 .12", "af-packet-input", "interrupt wait"),
        ("acl-plugin-fa-worker-cleaner-pinterrupt wa 7 0 0 9.18e2 0.00", "acl-plugin-fa-worker-cleaner-p",
         "interrupt wait"),
        ("GigabitEthernet1/0/0-output active 1 1 0 9.14e1 1.00", "GigabitEthernet1/0/0-output", "active"),
    ],
)  # fmt: skip
def test_names_and_states_come_apart(text: str, name: str, state: str) -> None:
    assert row(text) == (name, state)


def test_a_column_of_performance_counters_in_the_heading_is_none_of_a_row() -> None:
    heading = "Name State Calls Vectors Suspends Clocks Vectors/Call Perf Ticks\n"
    threads, unread = parse_runtime(heading + "ip4-lookup active 5 5 0 1.08e6 1.00\n")
    assert unread == () and [node.name for node in threads[0].nodes] == ["ip4-lookup"]


def test_time_per_packet_becomes_clocks_where_the_rate_is_known() -> None:
    text = HEADER.replace("Clocks", "Packet-Time") + "ip4-lookup active 10 100 0 2.00e1 10.00"
    (known,), _ = parse_runtime(text, 2e9)
    (unknown,), _ = parse_runtime(text)
    assert known.nodes[0].clocks == pytest.approx(100 * 20 * 2)
    assert unknown.nodes[0].clocks == 0.0


def test_the_largest_vectors_are_read() -> None:
    text = (
        "Thread 1 vpp_wk_0 (lcore 1)\nTime 5.2, 1.000000 sec internal node vector rate 3.45 loops/sec 1729071.56\n"
        "  vector rates in 3.2081e4, out 3.2080e4, drop 0.0000e0, punt 0.0000e0\n"
        "             Name              Max Node Clocks  Vectors at Max    Max Clocks  Avg Clocks  Avg Vectors/Call\n"
        "ethernet-input                      1.14e8            195           5.87e5          1.22e3          4.09e0\n"
    )
    assert parse_max_vectors(text) == (((1, "ethernet-input", 195),), ())


def test_errors_are_summed_over_threads_and_need_no_severity() -> None:
    text = (
        "   Count                  Node                              Reason               Severity \n"
        "        13          af-packet-input                    timed out block             error  \n"
        "         7          af-packet-input                    timed out block             error  \n"
        "         5          ip4-input                          ip4 ttl <= 1\n"
    )
    counters, unread = parse_errors(text)
    assert unread == ()
    assert [(counter.node, counter.reason, counter.count) for counter in counters] == [
        ("af-packet-input", "timed out block", 20),
        ("ip4-input", "ip4 ttl <= 1", 5),
    ]


def test_a_list_of_a_driver_that_goes_on_in_the_next_line_is_read_whole() -> None:
    text = "eth0 1 up eth0\n  rss active: ipv4-tcp\n    ipv6-tcp\n  tx burst mode: Vector AVX2\n  rx missed 17\n"
    (port,), _ = parse_hardware(text)
    assert (port.rss_active, port.tx_burst, port.counters) == ("ipv4-tcp ipv6-tcp", "Vector AVX2", (("rx missed", 17),))


def test_interfaces_come_with_counters_in_the_lines_below() -> None:
    text = (
        "              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          Count     \n"
        "GigabitEthernet1/0/0              1      up          9000/0/0/0     rx packets                168967\n"
        "                                                                    rx-miss                       12\n"
        "local0                            0     down          0/0/0/0       \n"
    )
    (first, last), unread = parse_interface(text)
    assert unread == ()
    assert (first.rx_packets, first.rx_miss, first.mtu) == (168967, 12, 9000)
    assert (last.name, last.mtu) == ("local0", None)


def test_interfaces_of_releases_without_a_column_for_the_mtu_are_read() -> None:
    text = """
              Name               Idx       State          Counter          Count
TenGigabitEthernetc/0/0           5         up       rx packets                502022
                                                     rx-miss                    64525
TenGigabitEthernetd/0/0           6        down
"""
    found, unread = parse_interface(text)
    assert unread == ()
    assert [(each.name, each.is_up, each.mtu, each.rx_packets, each.rx_miss) for each in found] == [
        ("TenGigabitEthernetc/0/0", True, None, 502022, 64525),
        ("TenGigabitEthernetd/0/0", False, None, 0, 0),
    ]


def test_queues_are_placed_on_threads_with_or_without_a_line_for_the_node() -> None:
    text = (
        "Thread 1 (vpp_wk_0):\n node dpdk-input:\n    eth0 queue 0 (polling)\n"
        "Thread 2 (vpp_wk_1):\n    eth0 queue 1 (adaptive)\n"
    )
    queues, unread = parse_placement(text)
    assert unread == ()
    assert [(queue.thread, queue.queue, queue.mode) for queue in queues] == [(1, 0, "polling"), (2, 1, "adaptive")]


def test_pci_rows_may_lack_columns() -> None:
    text = (
        "Address Sock VID:PID Link Speed Driver Product Name Vital Product Data\n"
        "0000:01:00.0 0 8086:1539 2.5 GT/s x1 uio_pci_generic\n0000:00:03.0 1af4:1041 unknown virtio-pci\n"
    )
    (wide, narrow), unread = parse_pci(text)
    assert unread == ()
    assert (wide.gt_per_s, wide.width, wide.socket, wide.driver) == (2.5, 1, 0, "uio_pci_generic")
    assert (narrow.gt_per_s, narrow.socket, narrow.driver) == (None, None, "virtio-pci")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("\x1b[33mID\x1b[0m Name\n 1\x1b[0m vpp_wk_0\x1b[0m 2347\x1b[0m 5\x1b[0m other (0)\x1b[0m 28\x1b[0m 28 0 0 0 0",
         ThreadPlace(index=1, name="vpp_wk_0", cpu=5)),
        ("ID Name Type LWP Sched Policy (Priority) lcore Core Socket State\n"
         "1 vpp_wk_0 workers 2347 other (0) 5 2 1 ", ThreadPlace(index=1, name="vpp_wk_0", cpu=5, socket=1)),
    ],
)  # fmt: skip
def test_threads_of_both_tables_are_read(text: str, place: ThreadPlace) -> None:
    assert parse_threads(text) == ((place,), ())


def test_heaps_pools_processor_version_and_trace_are_read() -> None:
    heaps, _ = parse_memory("base 0x7f, size 1g, locked, name 'main heap'\n total: 1.00G, used: 65.22M, free: 1M\n")
    first = "Pool Name Index NUMA\ndefault-numa-0 0 0 2304 2048 8191 8191 0 0\n"
    pools, _ = parse_buffers(first + "Pool Name Index NUMA\ndefault-numa-0 0 0 2304 2048 8191 7184 454 553\n")
    processor, _ = parse_cpu("Model name: X\nBase frequency: 2.2998 GHz\n")
    assert [(heap.name, heap.total_bytes) for heap in heaps] == [("main heap", 1 << 30)]
    assert [(pool.total, pool.available, pool.cached, pool.used) for pool in pools] == [(8191, 7184, 454, 553)]
    assert processor is not None and processor.base_hz == pytest.approx(2.2998e9)
    assert parse_version("vpp v23.06-rc0~35-gaf4046134 built by root on vm at 2026") == ("23.06-rc0~35-gaf4046134", ())
    assert parse_version("Version:                  v26.10-rc0~374\n")[0] == "26.10-rc0~374"
    assert parse_trace("--- Start of thread 0 vpp_main ---\nPacket 1\n")[0] is True
    assert parse_trace("No packets in trace buffer")[0] is False


def test_a_line_that_makes_no_sense_is_told_and_the_rest_is_read() -> None:
    threads, unread = parse_runtime(HEADER + "dpdk-inp\nip4-lookup active 10 100 0 2.00e1 10.00\n")
    assert unread == ("dpdk-inp",)
    assert [node.name for node in threads[0].nodes] == ["ip4-lookup"]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_no_text_breaks_a_parser(text: str) -> None:
    for parse in PARSERS:
        parse(text)


@given(st.data())
def test_no_damage_to_a_real_text_breaks_a_parser(data: st.DataObject) -> None:
    text = (
        CASES / "fitlet2_both_ways" / data.draw(st.sampled_from(["runtime.txt", "hardware.txt", "errors.txt"]))
    ).read_text()
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    damaged = text[:first] + data.draw(st.sampled_from(["", "\n", " 9 ", "-", "\0"])) + text[last:]
    for parse in PARSERS:
        parse(damaged)


def test_colours_are_no_part_of_a_text() -> None:
    plain = (CASES / "fitlet2_both_ways" / "runtime.txt").read_text()
    assert parse_runtime(re.sub(r"(\w+)-input", "\x1b[33m\\1-input\x1b[0m", plain)) == parse_runtime(plain)


def test_an_endless_number_is_cut_out_of_a_line() -> None:
    for digits in (100, 310, 5000):
        assert list(clean_lines(f"Thread {'9' * digits} vpp_wk_0\n")) == ["Thread ... vpp_wk_0"]


@pytest.mark.parametrize("figure", ["1.2.3", "5..8", "853956.2.6"])
def test_a_figure_with_two_points_is_read_up_to_the_second_or_not_at_all(figure: str) -> None:
    head = f"Time 5.0, 10 sec internal node vector rate {figure} loops/sec {figure}\n"
    parse_runtime(f"Thread 1 vpp_wk_0 (lcore 1)\n{head}", None)
    parse_runtime(
        f"Thread 1 vpp_wk_0 (lcore 1)\nTime {figure}, 10 sec internal node vector rate .61 loops/sec 1\n", None
    )


def test_a_bond_is_a_port_of_its_own_and_no_part_of_the_one_before() -> None:
    text = """\
A0                                 1    slave A0
  Link speed: 10 Gbps
  Ethernet address 02:00:00:00:00:01
BondEthernet0                      2     up   Slave-Idx: 1 3
  Link speed: unknown
  Ethernet address 02:00:00:00:00:02
    rx frames ok                                        172
"""
    for shown in (text, flat(text)):
        ports, unread = parse_hardware(shown)
        assert [(port.name, port.link_bps, port.counters) for port in ports] == [
            ("A0", 10**10, ()),
            ("BondEthernet0", None, (("rx frames ok", 172),)),
        ]
        assert unread == ()


def test_a_pool_with_a_million_buffers_has_all_of_them_though_vpp_cuts_the_number() -> None:
    (pool,), unread = parse_buffers("default-numa-0 0 0 2496 2048 105000 1000000 500 49500\n")
    assert (pool.total, pool.available, pool.used, unread) == (1_050_000, 1_000_000, 49_500, ())


def test_bytes_that_vpp_may_have_cut_are_unknown() -> None:
    def port_of(octets: int) -> PortLoad:
        text = f"xe0 1 up 9000/0/0/0 rx packets 80000000000\nrx bytes {octets}\ntx packets 4\ntx bytes 256\n"
        (now,), unread = parse_interface(text)
        then = replace(now, rx_packets=now.rx_packets - 1000, rx_bytes=(now.rx_bytes or 0) - 10**6)
        assert unread == () and now.is_whole
        before = Reading(interfaces=(replace(then, rx_bytes=now.rx_bytes and then.rx_bytes),), taken_s=0.0)
        return load_of([before, Reading(interfaces=(now,), taken_s=1.0)]).ports[0]

    assert port_of(8 * 10**13).rx_frame == 1004.0
    assert (port_of(8 * 10**15).rx_frame, port_of(8 * 10**15).rx_pps) == (None, 1000.0)
