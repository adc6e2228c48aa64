"""iperf3's own words become flows, flows find their cores, and the command runs them through a laboratory."""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.plain import damage_node, flipped
from tests.laws.examples import TIMES
from tests.unit.loadtest.namespaces import skip_reason
from vppcfg.cli.loadtest.flows import _placed_flows, flows_lines
from vppcfg.cli.main import main
from vppcfg.common.clock import SimulatedClock
from vppcfg.errors import EngineError, ExitCode
from vppcfg.linux.inside import processes_inside
from vppcfg.loadtest.document import read_result
from vppcfg.loadtest.flows.iperf3 import flow_of
from vppcfg.loadtest.flows.outcome import Flow, FlowsOutcome
from vppcfg.loadtest.flows.place import FlowsPlan, busiest, packets_by_core, spread
from vppcfg.loadtest.flows.router import LocalRouter
from vppcfg.loadtest.flows.run import run_flows
from vppcfg.loadtest.lab.build import build, remove
from vppcfg.loadtest.lab.layout import Dut, Layout, layout_of

NAME = f"vppcfgfl{os.getpid()}"


def document(**changes: Any) -> str:
    """Return what `iperf3 -J` 3.12 wrote after two seconds, without what nobody reads."""
    sums = [
        {"start": 0, "end": 1.00045, "bits_per_second": 3322490749.1, "retransmits": 4, "omitted": False},
        {"start": 1.00045, "end": 2.00233, "bits_per_second": 2846774642.2, "retransmits": 6, "omitted": False},
    ]
    whole = {
        "start": {"connected": [{"socket": 5, "local_port": 41000, "remote_port": 5999}], "version": "iperf 3.12"},
        "intervals": [{"streams": [], "sum": sum_} for sum_ in sums],
        "end": {
            "sum_sent": {"bits_per_second": 3084462920.7, "retransmits": 10, "sender": True},
            "sum_received": {"bits_per_second": 3061787978.4, "sender": True},
        },
    }
    return json.dumps({**whole, **changes})


REFUSED = document(
    start={"connected": [], "version": "iperf 3.12"},
    intervals=[],
    end={},
    error="unable to connect to server: Connection refused",
)
INTERRUPTED = document(
    error="interrupt - the client has terminated",
    end={"sum_sent": {"bits_per_second": 2795830359.4, "retransmits": 642}, "sum_received": {"bits_per_second": 0}},
)


def test_a_flow_has_what_was_sent_and_what_arrived() -> None:
    flow = flow_of(document(), 5999)
    assert (flow.server_port, flow.client_port, flow.retransmits) == (5999, 41000, 10)
    assert (flow.sent_bps, flow.received_bps) == (3084462920.7, 3061787978.4)
    assert [(rate.from_s, rate.to_s) for rate in flow.rates] == [(0, 1.00045), (1.00045, 2.00233)]


def test_an_interrupted_flow_counts_with_what_it_sent() -> None:
    flow = flow_of(INTERRUPTED, 5999)
    assert flow.received_bps is None
    outcome = FlowsOutcome(iperf3_version="3.12", duration_s=2, flows=(flow,), placed_by="probe")
    assert outcome.goodput_bps == 2795830359.4
    assert "interrupted is not known" in "".join(outcome.notes())


def test_intervals_that_iperf3_was_told_to_omit_do_not_count() -> None:
    first = {"start": 0, "end": 1, "bits_per_second": 5.0, "omitted": True}
    assert flow_of(document(intervals=[{"sum": first}]), 5999).rates == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (REFUSED, "failed: unable to connect to server: Connection refused"),
        ("", "wrote no result: no output"),
        ("iperf3: parameter error\n", "wrote no result: iperf3: parameter error"),
        ("[]", "failed: its result is no object"),
        ("5", "failed: its result is no object"),
        (REFUSED[:40], "wrote no result: its result is cut off"),
        ("[" * 100_000, "wrote no result: "),
        (document(start={"connected": [{"local_port": "x"}]}), "start.connected[0].local_port is 'x', which is no int"),
        (document(start={"connected": [{"local_port": 1}], "timestamp": 5}), "start.timestamp is not an object"),
        (document(start={"connected": []}), "failed: its result is not complete: start.connected is empty"),
        (document(intervals=[{"sum": 5}]), "failed: its result is not complete: intervals[0].sum is not an object"),
        (document(error=5, end=[]), "failed: its result is not complete: "),
        (document().replace("3084462920.7", "1e400"), "end.sum_sent.bits_per_second is inf"),
        (document(end={}), "failed: its result is not complete"),
    ],
)
def test_a_flow_that_has_not_come_about_is_an_error_though_iperf3_exits_0(text: str, complaint: str) -> None:
    with pytest.raises(EngineError, match="iperf3 to port 5999") as caught:
        flow_of(text, 5999)
    assert complaint in caught.value.message


def test_a_damaged_result_is_a_flow_or_an_error() -> None:
    for seed in range(100 * TIMES):
        rng, whole = random.Random(seed), [json.loads(document())]
        for _ in range(rng.choice((1, 1, 3, 20))):
            damage_node(rng, whole)
        text = json.dumps(whole[0] if whole else None).encode()
        try:
            flow = flow_of(flipped(rng, text) if rng.random() < 0.2 else text, 5999)
        except EngineError as error:
            assert "iperf3 to port 5999" in error.message, seed
        else:
            list(flows_lines(FlowsOutcome(iperf3_version="3.12", duration_s=2, flows=(flow,), placed_by="x"), 10**10))


def test_the_sum_is_that_of_the_measurement_of_a_known_board() -> None:
    flows = tuple(
        Flow(server_port=5201 + n, client_port=n, core=n, sent_bps=bps, received_bps=bps)
        for n, bps in enumerate((2.29e9, 2.37e9, 2.33e9, 2.35e9))
    )
    outcome = FlowsOutcome(iperf3_version="3.12", duration_s=60, flows=flows, placed_by="Toeplitz")
    lines = list(flows_lines(outcome, 10**10))
    assert "Sum                       9.340 Gbit/s    9.340 Gbit/s" in lines
    assert "That is 99.2 % of the 9.415 Gbit/s that TCP gets on this link." in lines
    assert max(map(len, lines)) <= 80


def test_flows_that_did_not_run_at_the_same_time_are_told() -> None:
    flows = tuple(
        replace(flow_of(document(), 5201 + number), began_at=began_at)
        for number, began_at in enumerate((100, 101, 104))
    )
    outcome = FlowsOutcome(iperf3_version="3.12", duration_s=2, flows=flows, placed_by="probe")
    assert outcome.notes() == ("the flows began 4 s apart: their sum may be more than went through at any one time",)
    assert replace(outcome, flows=flows[:2]).notes() == ()


@given(flows=st.integers(1, 12), cores=st.sets(st.integers(0, 40), min_size=1, max_size=6))
def test_flows_are_spread_over_all_cores_as_evenly_as_can_be(flows: int, cores: set[int]) -> None:
    ordered = sorted(cores)
    placed = spread(range(5201, 5201 + flows), cores, lambda server_port, port: ordered[port * 7 % len(ordered)])
    ports, found = zip(*placed, strict=True)
    assert len(set(ports)) == flows
    loads = [found.count(core) for core in ordered]
    assert max(loads) - min(loads) <= 1


def test_a_core_that_no_port_leads_to_is_named() -> None:
    with pytest.raises(EngineError, match="leads to core 1 of the router"):
        spread(range(5201, 5203), {0, 1}, lambda server_port, port: 0)


def test_the_core_of_a_flow_is_the_one_that_stands_out() -> None:
    assert busiest({0: 10, 1: 10}, {0: 1010, 1: 110}) == 0
    assert busiest({0: 10, 1: 10}, {0: 1010, 1: 910}) is None
    assert busiest({0: 10, 1: 10}, {0: 10, 1: 10}) is None


def test_counters_of_cores_are_read_with_and_without_their_numbers() -> None:
    new = "0000000a 0 0 0 0 0 0 0 0 0 0 0 00000004\n0000000b 0 0 0 0 0 0 0 0 0 0 0 00000006\n"
    assert packets_by_core(new) == {4: 10, 6: 11}
    assert packets_by_core("0000000a 0 0\n0000000b 0 0\n") == {0: 10, 1: 11}


REASON = skip_reason("iperf3")
needs_iperf3 = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@pytest.fixture
def laboratory() -> Iterator[Layout]:
    layout = layout_of(NAME, Dut.ROUTER, 10**8)
    build(layout)
    yield layout
    remove(NAME)


@pytest.mark.timed
@needs_iperf3
def test_the_command_runs_flows_through_a_laboratory(
    laboratory: Layout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "flows.json"
    command = ["loadtest", "flows", "--lab", NAME, "--duration", "2", "--link", "100M", "-o", str(file)]
    assert main(command) == ExitCode.DONE
    outcome = read_result(file).flows
    assert outcome is not None
    assert outcome.placed_by == "probe"
    assert {flow.core for flow in outcome.flows} == set(os.sched_getaffinity(0)) or os.cpu_count() != 2
    assert outcome.goodput_bps > 0.3 * 10**8
    assert len(outcome.cores) >= 2
    captured = capsys.readouterr()
    assert "that TCP gets on this link" in captured.out
    assert captured.err.startswith("flows 0:01, 0:01 left, core 0 ")
    assert [list(processes_inside(netns)) for netns in laboratory.namespaces] == [[], [], []]


@needs_iperf3
@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda n: signal.Signals(n).name
)
def test_whatever_ends_the_command_ends_iperf3(laboratory: Layout, number: signal.Signals) -> None:
    # With the ports named, nothing has to be found out on a machine that is busy with other tests.
    command = [sys.executable, "-m", "vppcfg", "loadtest", "flows", "--lab", NAME, "--duration", "60"]
    command += ["--flows", "2", "--cport", "40001,40002"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("flows 0:01")
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert process.returncode == (-number if number is signal.SIGKILL else 128 + number), said
    deadline = time.monotonic() + 30
    while any(any(processes_inside(netns)) for netns in laboratory.namespaces) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [list(processes_inside(netns)) for netns in laboratory.namespaces] == [[], [], []]


@needs_iperf3
def test_a_server_that_is_not_there_ends_the_test_at_once(
    laboratory: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["loadtest", "flows", "--server", laboratory.left.address, "--client-netns", f"{NAME}-right"]
    assert main([*command, "--duration", "60"]) == ExitCode.DATAPLANE
    assert "Connection refused" in capsys.readouterr().err


@needs_iperf3
def test_a_router_that_does_not_forward_is_named(laboratory: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["ip", "-n", laboratory.dut_netns, "link", "set", "dut0", "down"], check=True)
    assert main(["loadtest", "flows", "--lab", NAME, "--duration", "1"]) == ExitCode.DATAPLANE
    assert "the router does not forward to 192.168.10.1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "needs to know where the servers are"),
        (["--lab", "a", "--server", "b"], "needs to know where the servers are"),
        (["--server", "192.0.2.1", "--cport", "1,2"], "--cport names 2 ports, and there are 4 flows"),
        (["--server", "192.0.2.1", "--cport", "1,1,2,3,4"], "--cport names 4 ports, and there are 4 flows"),
        (["--server", "192.0.2.1", "--cores", "0"], "--cores has no effect here"),
        (["--server", "192.0.2.1", "--router-device", "e0"], "--router-device has no effect here"),
        (["--lab", "a", "--client-netns", "b"], "--client-netns has no effect here"),
        (["--lab", "a", "--router", "local"], "--router has no effect here"),
        (["--server", "192.0.2.1", "--flows", "0"], "not a number of flows"),
        (["--server", "192.0.2.1", "--duration", "0"], "measures nothing"),
        (["--server", "192.0.2.1", "--first-port", "65535"], "do not fit"),
    ],
)
def test_a_wrong_argument_is_named(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loadtest", "flows", *arguments]) == ExitCode.INVALID
    assert complaint in capsys.readouterr().err


def test_flows_of_the_servers_are_on_no_core_that_the_clients_packets_show() -> None:
    args = argparse.Namespace(reverse=True, cport=(), router_device="e0", cores=None, lab=None, router="local")
    plan = FlowsPlan(server="192.0.2.1", server_netns="x", client_netns="", server_ports=(1, 2), duration_s=1)
    placed, reason = _placed_flows(args, plan, LocalRouter())
    assert placed == ((0, None), (0, None))
    assert "the servers send" in reason


def test_a_flow_that_fails_is_named_and_not_one_that_still_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended:
        def __init__(self, netns: str, server: str, server_port: int, *_: object) -> None:
            self.is_running, self._port = server_port == 1, server_port

        def result(self, timeout_s: float) -> Flow:
            raise EngineError("the flow to port 1 does not end" if self.is_running else "port 2 refuses")

        def stop(self) -> None:
            """Do nothing."""

    monkeypatch.setattr("vppcfg.loadtest.flows.run.Client", Ended)
    plan = FlowsPlan(server="192.0.2.1", server_netns=None, client_netns="", server_ports=(1, 2), duration_s=60)
    with pytest.raises(EngineError, match="port 2 refuses"):
        run_flows(plan, ((0, None), (0, None)), None, SimulatedClock(), lambda sample: None)
