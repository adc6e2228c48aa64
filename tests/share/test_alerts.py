"""The alert rules in share/: each fires when it should and is quiet when it should be, by Prometheus' own promtool."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from vppcfg.cli.arguments import build_parser
from vppcfg.cli.commands import all_commands

ROOT = Path(__file__).resolve().parents[2]
ALERTS = ROOT / "share" / "alerts.yml"
NEEDS_PROMTOOL = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="there is no promtool; apt-get install prometheus"
)
INSTANCE = 'instance="r1"'
LABELS = {
    **{result: f'policer="gold",user="eth0",result="{result}"' for result in ("conform", "above")},
    "eth0": 'interface="eth0"',
    "worker0": 'worker="vpp_wk_0"',
    "worker1": 'worker="vpp_wk_1"',
}
CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "VppMetricsMissing": ({'up{job="vppcfg"}': "0x40"}, {'up{job="vppcfg"}': "1x40"}),
    "VppDown": ({"vpp_up": "0x40"}, {"vpp_up": "1x40"}),
    "VppRestarted": ({"vpp_start_time_seconds": "100x25 900x15"}, {"vpp_start_time_seconds": "100x40"}),
    "VppHung": ({"vpp_refresh_timestamp_seconds": "0x40"}, {"vpp_refresh_timestamp_seconds": "0+60x40"}),
    "VppNamesUnknown": ({"vpp_names_known": "0x40"}, {"vpp_names_known": "1x40"}),
    "VppWorkerSaturated": (
        {
            "vpp_worker_graph_vectors_total@worker0": "0+2400000x40",
            "vpp_worker_graph_calls_total@worker0": "0+10000x40",
        },
        {
            "vpp_worker_graph_vectors_total@worker0": "0+2400000x40",
            "vpp_worker_graph_calls_total@worker0": "0+200000x40",
            "vpp_worker_vectors_per_call@worker0": "12x40",
        },
    ),
    "VppWorkerImbalance": (
        {
            "vpp_worker_receive_packets_total@worker0": "0+60000000x40",
            "vpp_worker_receive_packets_total@worker1": "0+600000x40",
        },
        {
            "vpp_worker_receive_packets_total@worker0": "0+60000000x40",
            "vpp_worker_receive_packets_total@worker1": "0+50000000x40",
        },
    ),
    "VppPolicerDrops": (
        {"vpp_policer_packets_total@above": "0+600x40", "vpp_policer_packets_total@conform": "0+300x40"},
        {"vpp_policer_packets_total@above": "0+300x40", "vpp_policer_packets_total@conform": "0+600x40"},
    ),
    "VppPacketsMissed": (
        {"vpp_interface_receive_missed_total@eth0": "0+600x40"},
        {"vpp_interface_receive_missed_total@eth0": "5000x40"},
    ),
    "VppNoBuffers": (
        {"vpp_interface_receive_no_buffer_total@eth0": "0+1x40"},
        {"vpp_interface_receive_no_buffer_total@eth0": "7x40"},
    ),
    "VppTransmitErrors": (
        {"vpp_interface_transmit_errors_total@eth0": "0+600x40"},
        {"vpp_interface_transmit_errors_total@eth0": "0+6x40"},
    ),
    "VppReceiveErrors": (
        {"vpp_interface_receive_errors_total@eth0": "0+600x40"},
        {"vpp_interface_receive_errors_total@eth0": "0+6x40"},
    ),
    "VppDropsHigh": (
        {"vpp_interface_drops_total@eth0": "0+120000x40", "vpp_interface_receive_packets_total@eth0": "0+6000000x40"},
        {"vpp_interface_drops_total@eth0": "0+120000x40", "vpp_interface_receive_packets_total@eth0": "0+600000000x40"},
    ),
    "VppLinkDown": (
        {"vpp_interface_admin_up@eth0": "1x40", "vpp_interface_link_up@eth0": "0x40"},
        {"vpp_interface_admin_up@eth0": "0x40", "vpp_interface_link_up@eth0": "0x40"},
    ),
    "VppLinkFull": (
        {
            "vpp_interface_transmit_bytes_total@eth0": "0+60x40",
            "vpp_interface_receive_bytes_total@eth0": "0+71000000000x40",
            "vpp_interface_speed_bytes@eth0": "1250000000x40",
        },
        {
            "vpp_interface_transmit_bytes_total@eth0": "0+60x40",
            "vpp_interface_receive_bytes_total@eth0": "0+60000000000x40",
            "vpp_interface_speed_bytes@eth0": "1250000000x40",
        },
    ),
    "VppBuffersLow": (
        {
            'vpp_buffers{pool="a",state="available"}': "50x40",
            'vpp_buffers{pool="a",state="cached"}': "20x40",
            'vpp_buffers{pool="a",state="used"}': "930x40",
        },
        {
            'vpp_buffers{pool="a",state="available"}': "50x40",
            'vpp_buffers{pool="a",state="cached"}': "120x40",
            'vpp_buffers{pool="a",state="used"}': "830x40",
        },
    ),
    "VppMemoryFull": (
        {'vpp_heap_used_bytes{heap="main heap"}': "75x40", 'vpp_heap_size_bytes{heap="main heap"}': "100x40"},
        {'vpp_heap_used_bytes{heap="main heap"}': "60x40", 'vpp_heap_size_bytes{heap="main heap"}': "100x40"},
    ),
    "VppNatSessionsFull": (
        {"vpp_nat44_sessions@worker0": "95x40", "vpp_nat44_sessions_limit": "100x40"},
        {"vpp_nat44_sessions@worker0": "95x40", "vpp_nat44_sessions_limit": "0x40"},
    ),
    "VppVirtualRouterFlapping": (
        {'vpp_vrrp_state{interface="eth0",vr_id="5",family="ipv4",state="master"}': "0x20 1 1 1 0 0 0 1 1 1 0 0 0"},
        {'vpp_vrrp_state{interface="eth0",vr_id="5",family="ipv4",state="master"}': "0x20 1 1 1 0 0 0 1 1 1 1 1 1"},
    ),
    "VppVirtualRouterDown": (
        {'vpp_vrrp_state{interface="eth0",vr_id="5",family="ipv4",state="interface-down"}': "1x40"},
        {'vpp_vrrp_state{interface="eth0",vr_id="5",family="ipv4",state="backup"}': "1x40"},
    ),
    "VppDrift": (
        {"vppcfg_in_sync": "0x40", "vppcfg_vpp_up": "1x40"},
        {"vppcfg_in_sync": "0x40", "vppcfg_vpp_up": "0x40"},
    ),
    "VppConfigInvalid": ({"vppcfg_config_valid": "0x40"}, {"vppcfg_config_valid": "1x40"}),
    "VppChangeUnconfirmed": (
        {"vppcfg_change_unconfirmed": "1x40", "vppcfg_change_deadline_timestamp_seconds": "1830x40"},
        {"vppcfg_change_unconfirmed": "1x40", "vppcfg_change_deadline_timestamp_seconds": "9000x40"},
    ),
    "VppChangeHalfWay": ({"vppcfg_change_half_way": "1x40"}, {"vppcfg_change_half_way": "0x40"}),
    "VppNotAsLinux": ({"vppcfg_verify_is_same": "0x40"}, {"vppcfg_verify_is_same": "1x40"}),
}
"""By alert: what fires it, and what resembles that and does not; a value each minute, looked at after 30.

All are of the instance r1; what follows an @ is a label of LABELS.
"""


def rules() -> dict[str, dict[str, Any]]:
    document = yaml.safe_load(ALERTS.read_text())
    return {rule["alert"]: rule for group in document["groups"] for rule in group["rules"]}


def named(series: str) -> str:
    name, _, label = series.rstrip("}").replace("{", "@").partition("@")
    return f"{name}{{{','.join(filter(None, [LABELS.get(label, label), INSTANCE]))}}}"


def failures(alert: str, cases: dict[str, str], folder: Path, *, fires: bool) -> str:
    """Return what promtool has to say when an alert is expected to fire, or not to, after 30 minutes."""
    expression = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) > bool 0'
    samples = [{"labels": "{}", "value": 1}] if fires else []
    test = {
        "interval": "1m",
        "input_series": [{"series": named(series), "values": values} for series, values in cases.items()],
        "promql_expr_test": [{"expr": expression, "eval_time": "30m", "exp_samples": samples}],
    }
    path = folder / "test.yml"
    path.write_text(yaml.safe_dump({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": [test]}))
    done = subprocess.run(["promtool", "test", "rules", str(path)], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def test_every_alert_has_its_cases() -> None:
    assert set(CASES) == set(rules())


@NEEDS_PROMTOOL
@pytest.mark.parametrize("alert", CASES)
def test_an_alert_fires_when_it_should_and_only_then(alert: str, tmp_path: Path) -> None:
    firing, quiet = CASES[alert]
    assert failures(alert, firing, tmp_path, fires=True) == ""
    assert failures(alert, quiet, tmp_path, fires=False) == ""


def test_every_alert_names_a_command_that_explains_it() -> None:
    parser = build_parser(all_commands())
    for name, rule in rules().items():
        command = re.sub(r"\{\{.*?\}\}", "eth0", rule["annotations"]["command"])
        program, *words = shlex.split(command)
        if program == "vppcfg":
            parser.parse_args(words)
        else:
            assert program == "systemctl", name
        assert rule["labels"]["severity"] in {"warning", "critical"}
