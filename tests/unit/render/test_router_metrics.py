"""Metrics of a router: labelled by name, stable, bounded, and in the format that Prometheus reads."""

import shutil
import subprocess
from dataclasses import replace

import pytest

from vppcfg.model.counters import NodeTotals, VppCounters
from vppcfg.model.monitored import (
    MonitoredDet44Map,
    MonitoredInterface,
    MonitoredPolicer,
    MonitoredVirtualRouter,
    QueuePlace,
    RouterSnapshot,
)
from vppcfg.render import router_metrics as module
from vppcfg.render.change_metrics import CHANGE_METRICS, ChangeStatus, change_lines
from vppcfg.render.router_metrics import METRICS, RouterMetrics

COUNTERS = VppCounters(
    clock_s=5.0,
    boot_at_s=1_700_000_000,
    heartbeat=7,
    threads=("vpp_main", "vpp_wk_0"),
    names=["", "eth0", "eth0.100", "loop0"],
    interfaces={"rx_packets": [0, 18446744073709551615, 5, 0], "drops": [0, 3]},
    received=[[0, 1, 0, 0], [0, 41, 5]],
    vector_rates=(0, 12),
    loops_per_s=(90, 2_000_000),
    nodes={
        "dpdk-input": NodeTotals(calls=(0, 100), vectors=(0, 42), clocks=(0, 9000), suspends=(0, 0)),
        "ip4-lookup": NodeTotals(calls=(0, 4), vectors=(0, 42), clocks=(0, 5000), suspends=(0, 0)),
        "eth0-tx": NodeTotals(calls=(0, 2), vectors=(0, 8), clocks=(0, 30), suspends=(0, 0)),
        "loop0-tx": NodeTotals(calls=(1, 1), vectors=(1, 1), clocks=(7, 7), suspends=(0, 0)),
        "api-rx-from-ring": NodeTotals(calls=(0, 0), vectors=(0, 0), clocks=(8, 0), suspends=(3, 0)),
    },
    nodes_time_s=20.0,
    errors={"eth0-tx/no buffers": 2, "loop0-tx/no buffers": 3, "ip4-input/ip4 spoofed": 9, "ip4-input/no error": 4},
    buffers={"default-numa-0": {"available": 70, "cached": 10, "used": 20}},
    heaps={"main heap": {"total": 1000, "used": 600}},
    nat44_sessions=(0, 17),
    nat44_limit=64512,
    nat44_packets={("in2out", "fastpath", "tcp"): 4},
    policers={"conform": [0, 0, 7, 700], "exceed": [0, 0, 1, 100], "violate": [0, 0, 2]},
)
SNAPSHOT = RouterSnapshot(
    taken_at_s=1_700_000_100.5,
    took_s=0.004,
    counters=COUNTERS,
    interfaces=(
        MonitoredInterface(
            index=1, name="eth0", kind="physical", is_up=True, has_link=True, link_bps=10_000_000_000, lcp="e0",
            description="to Zürich", vrf="red",
        ),
        MonitoredInterface(index=2, name="eth0.100", kind="sub-interface", is_up=True),
        MonitoredInterface(index=3, name="loop0", kind="loopback"),
    ),
    queues=(QueuePlace(interface="eth0", queue=0, thread=1, mode="polling"),),
    virtual_routers=(
        MonitoredVirtualRouter(interface="eth0", vr_id=5, is_ipv6=True, state="backup", priority=150),
    ),
    det44_maps=(MonitoredDet44Map(inside="100.64.0.0/24", outside="203.0.113.4/30", hosts=256, sessions=70),),
    policers=(MonitoredPolicer(index=1, policer="gold", user="eth0", rate_kbps=8000),),
    version="26.10",
    refreshed_at_s=1_700_000_099.0,
)  # fmt: skip


def series(snapshot: RouterSnapshot = SNAPSHOT) -> dict[str, str]:
    return series_in(RouterMetrics("1.1.0").text(snapshot))


def series_in(text: str) -> dict[str, str]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = dict(line.rsplit(" ", 1) for line in lines)
    assert len(found) == len(lines), "no series twice"
    return found


def test_the_load_of_workers_is_what_the_tuner_goes_by() -> None:
    found = series()
    assert found['vpp_worker_receive_packets_total{worker="vpp_wk_0"}'] == "41", "without those of sub-interfaces"
    assert found['vpp_worker_graph_vectors_total{worker="vpp_wk_0"}'] == "51", "without input nodes"
    assert found['vpp_worker_graph_calls_total{worker="vpp_wk_0"}'] == "7"
    assert found['vpp_worker_vectors_per_call{worker="vpp_wk_0"}'] == "12"
    assert found['vpp_receive_queue_info{interface="eth0",queue="0",worker="vpp_wk_0",mode="polling"}'] == "1"


def test_what_is_above_a_rate_is_told_by_who_sends_it_and_by_the_rate_where_they_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = series()
    assert found['vpp_policer_packets_total{policer="gold",user="eth0",result="conform"}'] == "7"
    assert found['vpp_policer_packets_total{policer="gold",user="eth0",result="above"}'] == "3"
    assert found['vpp_policer_bytes_total{policer="gold",user="eth0",result="above"}'] == "100"
    assert found['vpp_policer_rate_bytes{policer="gold",user="eth0"}'] == "1000000"
    monkeypatch.setattr(module, "MOST_POLICERS", 0)
    assert series()['vpp_policer_packets_total{policer="gold",user="",result="above"}'] == "3"


def test_without_queues_ports_tell_what_workers_received() -> None:
    assert series(replace(SNAPSHOT, queues=()))['vpp_worker_receive_packets_total{worker="vpp_wk_0"}'] == "41"


def test_reasons_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REASONS", 2)
    errors = {f"node{number}/reason": number for number in range(1, 6)}
    found = series(replace(SNAPSHOT, counters=replace(COUNTERS, errors=errors)))
    kept = {name: value for name, value in found.items() if name.startswith("vpp_node_errors")}
    assert kept == {
        'vpp_node_errors_total{node="node1",reason="reason"}': "1",
        'vpp_node_errors_total{node="node2",reason="reason"}': "2",
        'vpp_node_errors_total{node="other",reason="other"}': "12",
    }


def test_a_vpp_that_cannot_be_read_leaves_one_zero() -> None:
    found = series(RouterSnapshot(taken_at_s=1.0, problem="gone"))
    assert found["vpp_up"] == "0"
    assert not [name for name in found if name.startswith("vpp_") and name != "vpp_up"]


def test_names_from_outside_stay_inside_their_label() -> None:
    hostile = 'a"} 1\nvpp_up 7 \\ \u202e'
    row = MonitoredInterface(index=1, name=hostile, description=hostile, kind="physical")
    text = RouterMetrics("1.1.0").text(replace(SNAPSHOT, interfaces=(row,)))
    assert [line for line in text.splitlines() if line.startswith("vpp_up")] == ["vpp_up 1"]
    assert r'{interface="a\"} 1\\nvpp_up 7 \\ \\u202e"}' in text


def test_the_series_of_a_router_have_no_index() -> None:
    moved = replace(
        SNAPSHOT,
        counters=replace(COUNTERS, names=["", "loop0", "eth0.100", "eth0"]),
        interfaces=tuple(replace(each, index=4 - each.index) for each in SNAPSHOT.interfaces),
    )
    assert set(series(moved)) == set(series())


def test_every_metric_is_in_the_table_and_none_else() -> None:
    text = RouterMetrics("1.1.0").text(SNAPSHOT)
    helped = {line.split()[2] for line in text.splitlines() if line.startswith("# HELP")}
    assert helped == set(METRICS)
    status = ChangeStatus(number=3, made_at_s=1.0, origin="apply", outcome="applied", deadline_s=9.0)
    lines = list(change_lines(status))
    assert {line.split()[2] for line in lines if line.startswith("# HELP")} == set(CHANGE_METRICS)


def test_changes_are_told_as_far_as_there_are_any() -> None:
    assert series_in("\n".join(change_lines(ChangeStatus(is_readable=False)))) == {"vppcfg_journal_readable": "0"}
    assert series_in("\n".join(change_lines(ChangeStatus()))) == {
        "vppcfg_journal_readable": "1",
        "vppcfg_last_change_number": "0",
        "vppcfg_change_unconfirmed": "0",
        "vppcfg_change_half_way": "0",
    }


@pytest.mark.skipif(shutil.which("promtool") is None, reason="there is no promtool; apt-get install prometheus")
def test_prometheus_own_checker_finds_nothing() -> None:
    status = ChangeStatus(number=3, made_at_s=1.0, origin="apply", outcome="applied", deadline_s=9.0)
    text = RouterMetrics("1.1.0").text(SNAPSHOT) + "".join(f"{line}\n" for line in change_lines(status))
    done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_virtual_router_has_a_series_for_each_state() -> None:
    found = series()
    labels = 'interface="eth0",vr_id="5",family="ipv6"'
    states = {state: found[f'vpp_vrrp_state{{{labels},state="{state}"}}'] for state in ("backup", "master", "stopped")}
    assert states == {"backup": "1", "master": "0", "stopped": "0"}
    assert found[f"vpp_vrrp_priority{{{labels}}}"] == "150"
    assert not any("vrrp" in name for name in series(replace(SNAPSHOT, virtual_routers=())))
