"""Captures: written on one machine and read on another, damaged on the way perhaps."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tune.material import CASES
from vppcfg.errors import UsageError
from vppcfg.model.host import Cpu, Host, Nic, PcieLink, host_document
from vppcfg.tune.assemble import load_of_captures, reading_of
from vppcfg.tune.capture import Capture, read_captures, write_captures
from vppcfg.tune.interval import load_of
from vppcfg.tune.reading import Reading
from vppcfg.tune.rule_context import Situation

RUNTIME = (CASES / "fitlet2_both_ways" / "runtime.txt").read_text()


def stats(clock_s: float, packets: int, **more: Any) -> dict[str, Any]:
    row = {"calls": [0, packets // 8], "vectors": [0, packets], "clocks": [0, packets * 100], "suspends": [0, 0]}
    counters = {"rx_packets": packets, "rx_bytes": packets * 60, "tx_packets": packets, "tx_bytes": packets * 60}
    document = {
        "format_version": 1,
        "clock_s": clock_s,
        "time_s": clock_s,
        "threads": ["vpp_main", "vpp_wk_0"],
        "nodes": {"dpdk-input": row, "ip4-lookup": row},
        "errors": {"eth0-tx/Tx packet drops (dpdk tx failure)": packets // 100, "eth1/0-tx/no free tx slots": 3},
        "interfaces": {"eth0": counters},
        "buffers": {"default-numa-0": {"available": 9, "cached": 1, "used": 90}},
        "heaps": {"main heap": {"total": 100, "used": 10}},
    }
    return document | more


def capture(number: int, **more: Any) -> Capture:
    documents = {"stats": stats(10.0 * number, 1000 * number, **more)}
    return Capture(name=str(number), taken_s=10.0 * number, documents=documents)


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    first = Capture(name="a", taken_s=1.0, texts={"runtime": RUNTIME}, documents={"stats": stats(1.0, 10)})
    second = Capture(name="b", taken_s=6.5, texts={"errors": "\udc80"}, documents={})
    write_captures([first, second], tmp_path / "out")
    one, two = read_captures(tmp_path / "out")
    assert (one.taken_s, dict(one.texts), dict(one.documents)) == (1.0, dict(first.texts), dict(first.documents))
    assert (two.taken_s, list(two.texts)) == (6.5, ["errors"])


def test_the_inventory_of_a_machine_is_read_as_its_part_of_a_capture(tmp_path: Path) -> None:
    cpus = tuple(Cpu(id=each, node=each // 2, siblings=(each, each ^ 1), is_isolated=each == 1) for each in range(4))
    link, slot = PcieLink(speed_gts=8.0, width=4), PcieLink(speed_gts=16.0, width=8)
    nic = Nic(address="0000:01:00.0", vendor=0x8086, device=1, link=link, link_max=slot, slot_max=link)
    (tmp_path / "session.txt").write_text(f"vpp# show run\n{RUNTIME}")
    (tmp_path / "host.json").write_text(json.dumps(host_document(Host(cpus=cpus, nics=(nic,)))))
    (found,) = read_captures(tmp_path)
    host = reading_of(found).host
    assert host is not None
    assert (host.isolated, host.siblings) == (frozenset({1}), (frozenset({0, 1}), frozenset({2, 3})))
    assert dict(host.sockets) == {0: 0, 1: 0, 2: 1, 3: 1}
    assert host.pci_links == (("0000:01:00.0", 8.0, 4, 8.0, 4),)


def test_the_inventory_of_a_machine_beside_several_looks_or_given_alone_is_that_of_all_of_them(tmp_path: Path) -> None:
    cpus = tuple(Cpu(id=each, siblings=(each,), is_isolated=each == 1) for each in range(2))
    looks, alone = tmp_path / "looks", tmp_path / "machine.json"
    for number in ("1", "2"):
        (looks / number).mkdir(parents=True)
        (looks / number / "runtime.txt").write_text(RUNTIME)
    alone.write_text(json.dumps(host_document(Host(cpus=cpus))))
    apart = load_of_captures([*read_captures(looks), *read_captures(alone)])
    (looks / "host.json").write_text(alone.read_text())
    captures = read_captures(looks)
    assert len(captures) == 2
    for load in (apart, load_of_captures(captures)):
        assert load.former is not None and load.former.host == load.reading.host
        assert load.reading.host is not None and load.reading.host.isolated == frozenset({1})


def test_a_document_of_something_else_is_no_machine() -> None:
    (remark,) = reading_of(Capture(name="a", texts={"runtime": RUNTIME}, documents={"host": {"name": "r1"}})).remarks
    assert remark == "host.json is not what vppcfg writes (it has nothing of a machine), and is left out"


def test_a_folder_in_use_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("")
    with pytest.raises(UsageError, match="is not empty"):
        write_captures([capture(1)], tmp_path)


def test_a_pasted_session_is_read_by_its_prompts(tmp_path: Path) -> None:
    pasted = tmp_path / "session.txt"
    pasted.write_text(
        f"login: x\nvpp# show run\n{RUNTIME}vpp# sh err\n 5 a b error\nroot@r:~# vppctl show cpu\nModel name: X\n"
    )
    (found,) = read_captures(pasted)
    reading = reading_of(found)
    assert sorted(found.texts) == ["cpu", "errors", "runtime"]
    assert reading.threads is not None and len(reading.threads[0].nodes) == 8
    assert reading.remarks == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "has nothing that VPP prints"), ("not a session", "has nothing that VPP prints"), ("show me", "has nothing")],
)
def test_a_file_without_a_show_command_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x").write_text(content)
    with pytest.raises(UsageError, match=message):
        read_captures(tmp_path / "x")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_folder_of_somebody_else_is_not_written_to(tmp_path: Path) -> None:
    (folder := tmp_path / "out").mkdir()
    os.chown(folder, 4242, -1)
    with pytest.raises(UsageError, match="belongs to another user"):
        write_captures([capture(1)], folder)
    assert os.listdir(folder) == []


def test_a_folder_with_nothing_to_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing that the tuner reads"):
        read_captures(tmp_path)
    with pytest.raises(UsageError, match="there is no capture"):
        read_captures(tmp_path / "missing")


def test_a_cut_document_is_left_out_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "runtime.txt").write_text(RUNTIME)
    (tmp_path / "stats.json").write_text(json.dumps(stats(1.0, 10))[:-40])
    (found,) = read_captures(tmp_path)
    reading = reading_of(found)
    assert reading.threads is not None
    assert any("it was cut or damaged" in remark for remark in reading.remarks)


@pytest.mark.parametrize("damage", [{"nodes": {"x": 3}}, {"interfaces": [1]}, {"threads": 7}, {"buffers": {"p": {}}}])
def test_a_document_of_another_shape_is_left_out_and_said_so(damage: dict[str, Any]) -> None:
    found = Capture(name="x", texts={"runtime": RUNTIME}, documents={"stats": stats(1.0, 10, **damage)})
    reading = reading_of(found)
    assert reading.threads is not None and reading.threads[0].name == "vpp_wk_0"
    assert any("stats.json is not what vppcfg writes" in remark for remark in reading.remarks)


def test_a_capture_that_says_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing in x can be read"):
        reading_of(Capture(name="x", documents={"stats": [1]}))


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    write_captures([capture(1)], tmp_path / "c")
    (tmp_path / "c" / "capture.json").write_text('{"format_version": 9, "taken_s": {}}')
    with pytest.raises(UsageError, match="format 9"):
        read_captures(tmp_path / "c")


@pytest.mark.parametrize("size", range(0, len(RUNTIME), 37))
def test_a_truncated_table_gives_a_part_or_an_error_never_a_crash(tmp_path: Path, size: int) -> None:
    from vppcfg.tune.diagnosis import diagnose

    (tmp_path / "runtime.txt").write_text(RUNTIME[:size])
    (tmp_path / "hardware.txt").write_text("")
    load = load_of([reading_of(found) for found in read_captures(tmp_path)])
    diagnose(Situation(load=load))


def test_two_readings_give_rates() -> None:
    load = load_of([reading_of(capture(1)), reading_of(capture(3))])
    (port,) = load.ports
    rates = {rate.node: rate.per_s for rate in load.errors}
    assert load.duration_s == 20.0
    assert load.workers[0].rx_pps == pytest.approx(100.0)
    assert (port.rx_pps, port.rx_frame) == (100.0, 64.0)
    assert rates == {"eth0-tx": 1.0}


def test_more_readings_give_steps_too() -> None:
    load = load_of([reading_of(capture(number)) for number in (1, 2, 4)])
    assert [step.duration_s for step in load.steps] == [10.0, 20.0]
    assert load.duration_s == 30.0


def readings_of_a_node_that_counted_twice(then: dict[str, int], now: dict[str, int]) -> list[Reading]:
    """Return two readings of a worker that took 1,000 packets between, with what ports had counted on it."""
    readings = []
    for number, counts in ((1, then), (2, now)):
        stats = capture(number).documents["stats"]
        stats["interfaces"] = {name: {"rx_by_thread": [0, count]} for name, count in counts.items()}
        if number == 2:
            counted = {"calls": 375, "vectors": 3000, "clocks": 300_000, "suspends": 0}
            stats["nodes"]["dpdk-input"] = {kind: [0, count] for kind, count in counted.items()}
        placed = [{"interface": name, "queue": 0, "thread": 1, "mode": 1} for name in counts]
        documents = {"stats": stats, "api": {"rx_placement": placed}}
        readings.append(reading_of(Capture(name=str(number), taken_s=10.0 * number, documents=documents)))
    return readings


@pytest.mark.parametrize(
    ("then", "now"), [({"eth0": 1000}, {"eth0": 2000}), ({"eth0": 1000}, {"eth0": 1600, "memif0/0": 400})]
)
def test_packets_that_nodes_counted_twice_count_once(then: dict[str, int], now: dict[str, int]) -> None:
    load = load_of(readings_of_a_node_that_counted_twice(then, now))
    node = load.workers[0].by_name["dpdk-input"]
    assert (load.workers[0].rx_pps, node.calls, node.clocks) == (100.0, 125, 100_000.0)
    assert load.workers[0].by_name["ip4-lookup"].vectors == 1000
    assert any("more than once" in remark for remark in load.remarks)


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ({"eth0": 1000}, {"eth0": 3000}),
        ({"eth0": 1000}, {"eth0": 999}),
        ({"eth0": 1000, "memif0/0": 50}, {"eth0": 2000}),
        ({"eth0": 1000, "eth1": 50}, {"eth0": 2000, "eth1": 40}),
        ({}, {}),
    ],
    ids=["all came", "cleared", "one has gone", "one was cleared", "not known"],
)
def test_nodes_are_believed_where_interfaces_do_not_contradict(then: dict[str, int], now: dict[str, int]) -> None:
    load = load_of(readings_of_a_node_that_counted_twice(then, now))
    assert load.workers[0].rx_pps == 200.0
    assert not any("more than once" in remark for remark in load.remarks)


def test_counters_that_were_cleared_between_readings_count_since_then() -> None:
    before, after = reading_of(capture(3)), reading_of(capture(1))
    load = load_of([before, after])
    assert load.workers[0].rx_packets == 1000
    assert any("cleared between the readings" in remark for remark in load.remarks)


def test_counters_that_have_not_moved_give_no_rates() -> None:
    load = load_of([reading_of(capture(1)), reading_of(capture(1))])
    assert load.threads == ()
    assert any("have not moved" in remark for remark in load.remarks)


def test_a_main_thread_whose_processes_have_not_run_gives_no_rates() -> None:
    head = "Thread 0 vpp_main (lcore 0)\nTime {time}, 10 sec internal node vector rate 0.00 loops/sec 1.0\n"
    rows = "Name State Calls Vectors Suspends Clocks Vectors/Call\nfib-walk any wait 0 0 7 1.00e3 0.00\n"
    texts = [head.format(time=time) + rows for time in (10.0, 20.0)]
    load = load_of([reading_of(Capture(name="x", texts={"runtime": text})) for text in texts])
    assert load.threads == ()
    assert any("have not moved" in remark for remark in load.remarks)


def test_rounded_clocks_of_a_long_run_are_not_taken_for_those_of_an_interval() -> None:
    head = "Thread 1 vpp_wk_0 (lcore 1)\nTime {time}, 10 sec internal node vector rate 8.00 loops/sec 1.0\n"
    rows = "Name State Calls Vectors Suspends Clocks Vectors/Call\nip4-lookup active {calls} {vectors} 0 1.00e2 8.00\n"
    texts = [
        (head + rows).format(time=time, calls=calls, vectors=8 * calls)
        for time, calls in ((1000.0, 10_000_000), (1001.0, 10_010_000))
    ]
    readings = [reading_of(Capture(name="x", texts={"runtime": text})) for text in texts]
    (node,) = load_of(readings).workers[0].nodes
    assert (node.calls, node.vectors, node.clocks_per_packet, node.clocks_error) == (10_000, 80_000, 100.0, 1.0)


def test_a_reading_knows_the_cpu_of_a_thread_from_whoever_tells() -> None:
    api = {"version": "26.10", "threads": [{"id": 1, "name": "vpp_wk_0", "cpu_id": 5, "cpu_socket": 1}],
           "rx_placement": [{"interface": "eth0", "queue": 0, "thread": 1, "mode": 1}],
           "tx_placement": [{"interface": "eth0", "queue": 0, "threads": [0, 1], "shared": 1}]}  # fmt: skip
    reading = reading_of(Capture(name="x", documents={"stats": stats(1.0, 10), "api": api}))
    assert reading.threads is not None and reading.threads[1].lcore == 5
    assert reading.rx_queues is not None and reading.rx_queues[0].mode == "polling"
    assert reading.tx_queues is not None and reading.tx_queues[0].is_shared
    assert reading.source("threads") == "the stats segment"


def test_ports_without_a_list_of_interfaces_come_from_nodes() -> None:
    load = load_of([reading_of(Capture(name="x", texts={"runtime": RUNTIME}))])
    assert load.port_names == ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
    assert isinstance(load.reading, Reading)


def test_a_renamed_port_has_its_present_name_everywhere() -> None:
    counters = {"sw_if_index": 3, "rx_packets": 8, "rx_bytes": 480}
    errors = {"host-a-tx/tx ring overrun": 5, "host-ab-tx/tx ring overrun": 1}
    document = stats(1.0, 10, interfaces={"host-a": counters}, errors=errors)
    api = {"version": "26.10", "interfaces": {"3": "GigabitEthernet1/0/0"}}
    reading = reading_of(Capture(name="x", documents={"stats": document, "api": api}))
    assert reading.interfaces is not None and reading.errors is not None
    assert [counter.name for counter in reading.interfaces] == ["GigabitEthernet1/0/0"]
    assert [counter.node for counter in reading.errors] == ["GigabitEthernet1/0/0-tx", "host-ab-tx"]
