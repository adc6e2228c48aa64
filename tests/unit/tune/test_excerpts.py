"""What single texts of a capture can show is named from them alone, and what they cannot show is not made up."""

from pathlib import Path
from typing import Any

import pytest

from tests.unit.tune.material import CASES, GI3
from vppcfg.errors import UsageError
from vppcfg.tune.assemble import load_of_captures
from vppcfg.tune.capacity import fitted
from vppcfg.tune.capture import read_captures
from vppcfg.tune.costs import CostSample, NodeCost, sample_of
from vppcfg.tune.diagnosis import Diagnosis, diagnose
from vppcfg.tune.finding import FindingSeverity
from vppcfg.tune.load import Load
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.verdict import VerdictWord

TITLE = "Name State Calls Vectors Suspends Clocks Vectors/Call\n"
ERRORS = "   Count                  Node                              Reason               Severity \n"


def text_of(case: str, name: str) -> str:
    return (CASES / case / f"{name}.txt").read_text()


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def load(paste: str) -> Load:
        (tmp_path / "paste").write_text(paste)
        return load_of_captures(read_captures(tmp_path / "paste"))

    return load


@pytest.fixture
def tune(read: Any) -> Any:
    """Return a function that diagnoses a paste."""

    def diagnosis(paste: str, **traffic: Any) -> Diagnosis:
        return diagnose(Situation(load=read(paste), **traffic))

    return diagnosis


def rules(found: Diagnosis) -> list[str]:
    return [finding.rule for finding in found.findings]


def test_less_than_what_is_offered_needs_no_hardware_text(tune: Any) -> None:
    found = tune(text_of("fitlet2_i211_to_i210", "runtime"), offered={"": 1.48e6})
    assert (rules(found), found.verdict.word) == (["nic-bound"], VerdictWord.LOSS)
    assert found.findings[0].lost_pps == pytest.approx(1.48e6 - 1.2908e6)
    assert found.findings[0].subject == "dpdk-input"
    assert "an increase of workers will not help" in found.findings[0].verdict


@pytest.mark.parametrize(("state", "expected"), [("down", ["not-tuning"]), ("up", ["port-loss", "not-tuning"])])
def test_what_is_routed_to_a_port_that_is_down_is_not_its_loss(tune: Any, state: str, expected: list[str]) -> None:
    counters = "rx packets 90000\nrx bytes 5400000\ndrops 90000\ntx packets 90000\ntx-error 90000\n"
    title = "Name Idx State MTU (L3/IP4/IP6/MPLS) Counter Count\n"
    assert rules(tune(f"{title}eth0 1 {state} 9000/0/0/0 {counters}")) == expected


def test_all_that_is_offered_is_no_loss_and_no_proof_of_health_either(tune: Any) -> None:
    found = tune(text_of("fitlet2_i210_to_i211", "runtime"), offered={"": 1.48e6})
    assert (rules(found), found.verdict.word) == ([], VerdictWord.UNDECIDED)
    assert "--offered" not in " ".join(found.verdict.next)


def test_a_table_alone_is_neither_healthy_nor_idle(tune: Any) -> None:
    found = tune(text_of("fitlet2_i211_to_i210", "runtime"))
    assert (rules(found), found.verdict.word) == ([], VerdictWord.UNDECIDED)


def test_the_ring_of_a_memif_is_not_one_of_dpdk(tune: Any) -> None:
    found = tune(ERRORS + "  1033970    memif1/0-tx      no free tx slots      error\n")
    assert found.findings[0].proposal.settings == ()
    assert "memif" in found.findings[0].proposal.text


@pytest.mark.parametrize(
    ("row", "rule", "words"),
    [
        ("  88123    ip4-sv-reassembly-handoff    congestion drop    error", "handoff", "88,123"),
        ("  88123    af-packet-input    no available buffers    error", "buffers", "88,123"),
    ],
)
def test_what_vpp_itself_lacks_is_named_from_errors_alone(tune: Any, row: str, rule: str, words: str) -> None:
    found = tune(ERRORS + row + "\n")
    assert rules(found) == [rule]
    assert any(words in part.text for part in found.findings[0].evidence)
    assert rules(tune(ERRORS + row.replace("88123", "12") + "\n")) == []


def test_a_few_packets_ever_are_a_notice(tune: Any) -> None:
    found = tune(ERRORS + "  14    ip6-input     ip6 not enabled     error\n")
    assert [finding.severity for finding in found.findings] == [FindingSeverity.NOTICE]
    assert found.verdict.word is VerdictWord.UNDECIDED


def test_plain_counters_are_no_fault(tune: Any) -> None:
    found = tune(ERRORS + "  3109141488    l2-output     L2 output packets     error\n")
    assert (rules(found), found.verdict.word) == ([], VerdictWord.UNDECIDED)


def test_an_excerpt_without_times_has_vectors_and_no_rates(tune: Any) -> None:
    rows = "dpdk-input polling 1000000 500000000 0 5.00e1 500.00\nip4-lookup active 2000000 500000000 0 3.00e1 250.00\n"
    found = tune(TITLE + rows)
    assert [(finding.rule, finding.subject) for finding in found.findings] == [("cpu-bound", "a thread")]
    assert "0 pps" not in found.findings[0].verdict
    light = tune(TITLE + rows.replace("500000000", "5000000").replace("500.00", "5.00").replace("250.00", "2.50"))
    assert (rules(light), light.verdict.word) == ([], VerdictWord.UNDECIDED)
    assert any("the times are missing" in text for text in light.verdict.missing)


LONG = (
    "Thread 1 vpp_wk_0 (lcore 2)\nTime 68400.0, 10 sec internal node vector rate {} loops/sec 1.0\n"
    "  vector rates in 6.1e6, out 6.1e6, drop 0.0000e0, punt 0.0000e0\n" + TITLE
    + "dpdk-input polling 834480000 417240000000 0 5.00e1 500.00\n"
    "ip4-lookup active 1668960000 417240000000 0 3.00e1 250.00\n"
)  # fmt: skip


def test_an_average_of_hours_is_a_notice_about_the_past(tune: Any) -> None:
    found = tune(LONG.format("4.00"))
    assert [(finding.rule, finding.severity) for finding in found.findings] == [
        ("cpu-bound", FindingSeverity.NOTICE)
    ]  # fmt: skip
    assert "an average of 19.0 hours" in found.findings[0].undecided
    assert found.verdict.word is VerdictWord.UNDECIDED
    assert any("the present" in text for text in found.verdict.missing)


def test_the_header_tells_the_present_where_the_table_does_not(tune: Any) -> None:
    assert tune(LONG.format("249.00")).verdict.word is VerdictWord.LIMIT


def test_drops_of_an_interface_come_with_the_ports_that_are_down(tune: Any) -> None:
    found = tune(text_of("vpp2610_down/2", "interface"))
    assert rules(found) == ["not-tuning"]
    assert f"{GI3} is down" in found.findings[0].verdict


PLACEMENT = "Thread {} ({}):\n node dpdk-input:\n    GigabitEthernet1/0/0 queue 0 ({})\n"


def test_a_queue_on_the_main_thread_is_named_from_the_placement_alone(tune: Any) -> None:
    found = tune(PLACEMENT.format(0, "vpp_main", "polling"))
    assert [(finding.rule, finding.severity) for finding in found.findings] == [
        ("main-polluted", FindingSeverity.NOTICE)
    ]  # fmt: skip
    assert rules(tune(PLACEMENT.format(1, "vpp_wk_0", "polling"))) == []


@pytest.mark.parametrize(
    ("mode", "does"), [("polling", "polls"), ("interrupt", "receives from"), ("adaptive", "receives from")]
)
def test_the_main_thread_is_said_to_poll_what_it_polls(tune: Any, mode: str, does: str) -> None:
    verdict = tune(PLACEMENT.format(0, "vpp_main", mode)).findings[0].verdict
    assert verdict.startswith(f"the main thread {does} GigabitEthernet1/0/0:")


def test_packets_without_bytes_are_counters_in_part(tune: Any) -> None:
    def verdict(counters: str) -> str:
        head = "Name Idx State MTU (L3/IP4/IP6/MPLS) Counter Count\neth0  1  up  9000/0/0/0  "
        return str(tune(f"{head}{counters}\nlocal0  0  down  0/0/0/0\n").verdict)

    assert "no port has lost" in verdict("rx packets  189\n rx bytes  18900")
    for cut in ("rx packets  189", "rx packets  189${CR}"):
        assert "no port has lost" not in verdict(cut) and "all counters of eth0" in verdict(cut)


def test_a_queue_that_waits_for_interrupts_is_named_from_the_placement_alone(tune: Any) -> None:
    found = tune(PLACEMENT.format(1, "vpp_wk_0", "interrupt"))
    assert rules(found) == ["interrupt-mode"]
    assert found.findings[0].undecided and found.verdict.word is VerdictWord.UNDECIDED


def test_an_input_node_that_waits_for_interrupts_is_named_from_the_runtime_alone(tune: Any) -> None:
    head = "Thread 1 vpp_wk_0 (lcore 1)\nTime 5.0, 10 sec internal node vector rate 2.62 loops/sec 3534895.28\n"
    found = tune(head + TITLE + "af-packet-input interrupt wa 52016 198136 0 1.0e2 3.81\n")
    assert rules(found) == ["interrupt-mode"]
    assert found.verdict.word is VerdictWord.RISK


def worker(name: str, number: int, nodes: str) -> str:
    head = f"Thread {number} {name} (lcore {number})\nTime 10.0, 10 sec internal node vector rate 2.00 loops/sec 1.0\n"
    return head + TITLE + nodes


def test_one_tunnel_gives_rss_nothing_to_spread_by(tune: Any) -> None:
    busy = "".join(
        f"{node} {state} 1000000 8000000 0 1.00e2 8.00\n"
        for node, state in (("dpdk-input", "polling"), ("ip4-lookup", "active"), ("vxlan4-input", "active"))
    )
    idle = "dpdk-input polling 9000000 0 0 1.00e2 0.00\n"
    queues = "".join(f"    {number}     vpp_wk_{number} ({number + 1})   polling\n" for number in range(7))
    hardware = (
        "Name Idx Link Hardware\nTenGigabitEthernet1/0/0 1 up TenGigabitEthernet1/0/0\n  Link speed: 10 Gbps\n"
        f"  RX Queues:\n    queue thread         mode\n{queues}"
    )
    text = worker("vpp_wk_0", 1, busy) + "".join(worker(f"vpp_wk_{n}", n + 1, idle) for n in range(1, 7))
    found = tune(text + hardware)
    rss = next(finding for finding in found.findings if finding.rule == "rss")
    assert "outer addresses" in rss.proposal.text
    assert "one of 7 queues gets 100.0 %" in rss.evidence[1].text
    plain = next(
        finding
        for finding in tune(text.replace("vxlan4-input", "ip4-rewrite") + hardware).findings
        if finding.rule == "rss"
    )
    assert "outer addresses" not in plain.proposal.text


@pytest.mark.parametrize("rule", ["nic-bound", "rx-ring"])
def test_rings_that_are_at_their_maximum_are_not_to_be_longer(rule: str) -> None:
    from tests.unit.tune.material import hardware, limits, load, one, port, with_reading

    full = port(rx_miss_pps=100.0, rx_pps=1e6, hardware=hardware(rx_limits=limits(descriptors=4096)))
    vectors = {"nic-bound": 20, "rx-ring": 256}
    found = one(with_reading(load(full), max_vectors=((1, "ip4-lookup", vectors[rule]),)), rule)
    assert found.proposal is not None
    assert "as long as they get" in found.proposal.text
    assert "longer receive rings" not in found.proposal.text
    assert found.proposal.settings == ()


def test_clocks_of_virtual_ports_are_no_work(read: Any) -> None:
    cpu = text_of("fitlet2_both_ways", "cpu")
    runtime = text_of("fitlet2_both_ways", "runtime")
    assert sample_of(read(runtime + cpu), "x").clocks_per_packet > 0
    for node in ("af-packet-input", "memif-input", "virtio-input", "vmxnet3-input"):
        with pytest.raises(UsageError, match=f"x: packets pass {node}, whose clocks are mostly waiting"):
            sample_of(read(runtime.replace("dpdk-input", node) + cpu), "x")
    with pytest.raises(UsageError, match="packets pass memif1/0-tx"):
        sample_of(read(runtime.replace("GigabitEthernet1/0/0", "memif1/0") + cpu), "x")


def sample(name: str, pps: float, clocks: float, calls: int) -> CostSample:
    packets = round(pps)
    nodes = {"x": NodeCost(calls=calls, vectors=packets, clocks=clocks * packets, is_input=True)}
    return CostSample(name=name, base_hz=2e9, duration_s=1.0, rx_packets=packets, n_graph=packets / calls, nodes=nodes)


def test_a_fit_is_refused_when_clocks_fall_while_the_load_grows() -> None:
    less, more = sample("less", 1e5, 9000.0, 10**5), sample("more", 1e6, 500.0, 10**5)
    with pytest.raises(UsageError, match="more takes fewer clocks in total than less at a lower load"):
        fitted([less, more])
    assert fitted([less, sample("more", 1e6, 1000.0, 10**5)]).pps() > 0


def test_the_heading_of_the_main_thread_that_stands_twice_tells_no_number_of_threads(tune: Any) -> None:
    found = tune("Thread 0 vpp_main\n" * 2)
    assert (found.verdict.word, found.verdict.scope.thread_count) == (VerdictWord.UNDECIDED, None)


NODES = {"dpdk-input": "polling", "ethernet-input": "active", "ip4-lookup": "active"}


@pytest.mark.parametrize(
    "columns",
    [
        *("Name Calls Vectors Suspends Clocks Vectors/Call", "Name State Calls Vectors Clocks Vectors/Call"),
        *("Name Clocks Vectors/Call", "Name State Vectors/Call", "Name Calls Vectors"),
        *("Name Vectors Clocks Vectors/Call", "Name State Packet-Clocks Vectors/Call"),
        "Calls Vectors Suspends Clocks Vectors/Call",
    ],
)  # fmt: skip
def test_a_table_of_which_somebody_left_out_columns_is_read_by_its_heading(tune: Any, columns: str) -> None:
    def paste(per_call: int) -> str:
        values = {"Calls": "1000", "Vectors": f"{per_call}000", "Suspends": "0", "Clocks": "9.14e1"}
        values |= {"Packet-Clocks": "9.14e1", "Vectors/Call": f"{per_call}.00"}
        given = [column for column in columns.split() if column != "Name"]
        rows = [
            " ".join([name, *((values | {"State": state})[each] for each in given)]) for name, state in NODES.items()
        ]
        return "\n".join([*([columns] if columns.startswith("Name") else []), *rows]) + "\n"

    full = tune(paste(256))
    assert [(finding.rule, finding.subject) for finding in full.findings] == [("cpu-bound", "a thread")]
    assert not full.situation.load.reading.remarks
    light = tune(paste(4))
    assert rules(light) == [] and "1 thread (vectors 4.0 of 256)" in light.verdict.seen


def test_a_table_without_counts_has_no_rates_but_those_of_its_header(tune: Any) -> None:
    head = "Thread 1 vpp_wk_0 (lcore 2)\nTime 10.0, 10 sec internal node vector rate 8.00 loops/sec 100000.00\n"
    rates = "  vector rates in 2.0e6, out 2.0e6, drop 0.0e0, punt 0.0e0\n"
    rows = "Name Clocks Vectors/Call\ndpdk-input 1.00e2 4.00\nethernet-input 5.00e1 8.00\n"
    assert tune(head + rows).situation.load.rx_pps == 0.0
    assert tune(head + rates + rows).situation.load.rx_pps == pytest.approx(2.0e6)


PREFIXES = (
    "2026-11-03 12:00:01,123 INFO:  ",
    "[12:00:01] DEBUG - ",
    "Nov  3 12:00:01 r1 ci[12]: ",
    "vpp_1  | 12:00:01 ",
)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("is_everywhere", [True, False])
def test_what_a_log_puts_before_lines_hides_nothing(tune: Any, prefix: str, is_everywhere: bool) -> None:
    plain = text_of("fitlet2_both_ways", "runtime")
    first, *others = plain.splitlines()
    lines = [prefix + first, *(prefix + line if is_everywhere else line for line in others)]
    logged = tune("\n".join(lines) + "\n").situation.load
    assert logged.threads == tune(plain).situation.load.threads and not logged.reading.remarks


def test_a_line_that_names_a_thread_belongs_to_what_follows_it(tune: Any) -> None:
    first = "Thread 0 (vpp_main):\n  12  ip4-glean  ARP requests sent  info  9\n"
    found = tune(f"{first}Thread 1 (vpp_wk_0):\n  90000  ip4-input  ip4 ttl <= 1  error  17\n")
    assert found.situation.load.reading.rx_queues is None
    assert [finding.subject for finding in found.findings] == ["ip4-input"]


@pytest.mark.parametrize(
    "name",
    ["TenGigabitEthernet86/0/0", "HundredGigabitEthernet12/0/0", "TwentyFiveGigabitEthernet1/0/0", "x/" + "p" * 27],
)
@pytest.mark.parametrize("is_described", [True, False])
def test_a_port_whose_nodes_have_names_that_vpp_cut_is_known(tune: Any, name: str, is_described: bool) -> None:
    head = "Thread 1 vpp_wk_0 (lcore 2)\nTime 10.0, 10 sec internal node vector rate 8.00 loops/sec 100000.00\n"
    nodes = {f"{name}-output": 100_000, f"{name}-tx": 90_000, "dpdk-input": 100_000, "ip4-lookup": 100_000}
    rows = [f"{node[:30]:30} active 12500 {packets} 0 9.14e1 8.00\n" for node, packets in nodes.items()]
    described = (
        f"vpp# show hardware\nName Idx Link Hardware\n{name}  1  up  {name}\n  Link speed: 10 Gbps\n" * is_described
    )
    (port,) = tune(f"{described}vpp# show runtime\n{head}{TITLE}{''.join(rows)}vpp# \n").situation.load.ports
    assert (port.name, port.handed_pps, port.tx_lost) == (name, 10_000.0, 10_000.0)


def test_full_polls_are_seen_where_no_other_row_was_pasted(tune: Any) -> None:
    found = tune(TITLE + "dpdk-input polling 1000000 256000000 0 5.00e1 256.00\n")
    assert rules(found) == ["cpu-bound"] and "1 thread (vectors 256.0 of 256)" in found.verdict.seen
    assert not any("graph" in part.text or "clocks" in part.text for part in found.findings[0].evidence)


@pytest.mark.parametrize(
    "average",
    [
        "10 sec internal node vector rate 255.00 loops/sec 100000.00",
        "average vectors/node 255.00, last 128 main loops 8.00 per node 256.00",
    ],
)
def test_the_average_of_a_header_counts_where_rows_show_less_or_are_missing(tune: Any, average: str) -> None:
    head = f"Thread 1 vpp_wk_0 (lcore 2)\nTime 10.0, {average}\n"
    rates = "  vector rates in 2.0e6, out 2.0e6, drop 0.0e0, punt 0.0e0\n"
    for rows in (
        "",
        TITLE
        + "dpdk-input polling 1000000 20000000 0 5.00e1 20.00\nip4-lookup active 1000000 20000000 0 5.00e1 20.00\n",
    ):
        verdict = tune(head + rates + rows).verdict
        assert any("vectors 255.0 of 256" in each for each in verdict.seen)
        assert verdict.word is VerdictWord.UNDECIDED and "are full" in verdict.text


THREADS = """vpp# show threads
ID     Name                Type        LWP     Sched Policy (Priority)  lcore  Core   Socket State
0      vpp_main                        4711    other (0)                1      1      0
1      vpp_wk_0            workers     4712    other (0)                {}     2      {}
vpp# show interface rx-placement
Thread 1 (vpp_wk_0):
 node dpdk-input:
    TenGigabitEthernet81/0/0 queue 0 (polling)
vpp# show hardware-interfaces
Name Idx Link Hardware
TenGigabitEthernet81/0/0           1     up   TenGigabitEthernet81/0/0
  Link speed: 10 Gbps
  Ethernet address 3c:fd:fe:01:02:03
  Intel X710/XL710 Family
    carrier up full duplex max-frame-size 2044
    pci: device 8086:1572 subsystem 8086:0000 address 0000:81:00.00 numa 1
vpp#
"""


def test_the_sockets_of_threads_and_cards_show_a_remote_worker_without_its_load(tune: Any) -> None:
    found = tune(THREADS.format(2, 0))
    assert [(finding.rule, finding.subject) for finding in found.findings] == [
        ("numa-remote", "TenGigabitEthernet81/0/0")
    ]
    assert "vpp_wk_0 runs on node 0 (CPU 2)" in found.findings[0].evidence[1].text
    assert found.verdict.word is VerdictWord.RISK
    assert rules(tune(THREADS.format(22, 1))) == []


def test_a_worker_is_full_whose_packets_are_spread_over_ports(tune: Any) -> None:
    rows = "{}bond-input active 1000 256000 0 1.76e1 256.00\nbond-output active 1000 256000 0 1.71e1 256.00\n"
    ports = "".join(
        f"xe{port}-{node} active 1000 128000 0 7.00e1 128.00\n" for port in (0, 1) for node in ("output", "tx")
    )
    found = tune(TITLE + rows.format("") + ports)
    assert "are full" in found.verdict.text and "1 thread (vectors 256.0 of 256)" in found.verdict.seen
    assert rules(tune(TITLE + rows.format("dpdk-input polling 1000 256000 0 5.00e1 256.00\n") + ports)) == ["cpu-bound"]
    dropped = "ip4-input active 2000 256000 0 1e1 128.00\nerror-drop active 1000 256000 0 1e1 256.00\n"
    assert "are full" not in tune(TITLE + dropped).verdict.text


def test_rows_of_several_threads_whose_lines_are_gone_are_not_those_of_all_threads(tune: Any) -> None:
    row = "unix-epoll-input polling 6464 0 0 3.56e6 0.00\n"
    process = "unix-cli-new-session any wait 0 0 30 2.72e3 0.00\n"
    assert any("1 of 1 thread" in each for each in tune(process + row).verdict.seen)
    assert not any("1 of 1 thread" in each for each in tune(process + row + row).verdict.seen)


@pytest.mark.parametrize("start", ["vpp# show interface placement\n", "vpp[1]: EAL init args: --main-lcore 1 "])
def test_placement_is_read_without_modes_and_behind_words_of_a_log(read: Any, start: str) -> None:
    queues = read(f"{start}Thread 1 (vpp_wk_0):\n  node af-packet-input:\n    host-a queue 0\n").reading.rx_queues
    assert [(queue.interface, queue.thread, queue.mode) for queue in queues] == [("host-a", 1, "unknown")]
