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
ETH0 = 'instance="r1",interface="eth0"'
WORKER = 'instance="r1",worker="vpp_wk_0"'
ROUTER = 'instance="r1",interface="eth0",vr_id="5",family="ipv4"'
OTHER = 'instance="r1",worker="vpp_wk_1"'
CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "VppMetricsMissing": ({'up{job="vppcfg",instance="r1"}': "0x40"}, {'up{job="vppcfg",instance="r1"}': "1x40"}),
    "VppDown": ({'vpp_up{instance="r1"}': "0x40"}, {'vpp_up{instance="r1"}': "1x40"}),
    "VppRestarted": (
        {'vpp_start_time_seconds{instance="r1"}': "100x25 900x15"},
        {'vpp_start_time_seconds{instance="r1"}': "100x40"},
    ),
    "VppHung": (
        {'vpp_refresh_timestamp_seconds{instance="r1"}': "0x40"},
        {'vpp_refresh_timestamp_seconds{instance="r1"}': "0+60x40"},
    ),
    "VppNamesUnknown": ({'vpp_names_known{instance="r1"}': "0x40"}, {'vpp_names_known{instance="r1"}': "1x40"}),
    "VppWorkerSaturated": (
        {
            f"vpp_worker_graph_vectors_total{{{WORKER}}}": "0+2400000x40",
            f"vpp_worker_graph_calls_total{{{WORKER}}}": "0+10000x40",
        },
        {
            f"vpp_worker_graph_vectors_total{{{WORKER}}}": "0+2400000x40",
            f"vpp_worker_graph_calls_total{{{WORKER}}}": "0+200000x40",
            f"vpp_worker_vectors_per_call{{{WORKER}}}": "12x40",
        },
    ),
    "VppWorkerImbalance": (
        {
            f"vpp_worker_receive_packets_total{{{WORKER}}}": "0+60000000x40",
            f"vpp_worker_receive_packets_total{{{OTHER}}}": "0+600000x40",
        },
        {
            f"vpp_worker_receive_packets_total{{{WORKER}}}": "0+60000000x40",
            f"vpp_worker_receive_packets_total{{{OTHER}}}": "0+50000000x40",
        },
    ),
    "VppPacketsMissed": (
        {f"vpp_interface_receive_missed_total{{{ETH0}}}": "0+600x40"},
        {f"vpp_interface_receive_missed_total{{{ETH0}}}": "5000x40"},
    ),
    "VppNoBuffers": (
        {f"vpp_interface_receive_no_buffer_total{{{ETH0}}}": "0+1x40"},
        {f"vpp_interface_receive_no_buffer_total{{{ETH0}}}": "7x40"},
    ),
    "VppTransmitErrors": (
        {f"vpp_interface_transmit_errors_total{{{ETH0}}}": "0+600x40"},
        {f"vpp_interface_transmit_errors_total{{{ETH0}}}": "0+6x40"},
    ),
    "VppReceiveErrors": (
        {f"vpp_interface_receive_errors_total{{{ETH0}}}": "0+600x40"},
        {f"vpp_interface_receive_errors_total{{{ETH0}}}": "0+6x40"},
    ),
    "VppDropsHigh": (
        {
            f"vpp_interface_drops_total{{{ETH0}}}": "0+120000x40",
            f"vpp_interface_receive_packets_total{{{ETH0}}}": "0+6000000x40",
        },
        {
            f"vpp_interface_drops_total{{{ETH0}}}": "0+120000x40",
            f"vpp_interface_receive_packets_total{{{ETH0}}}": "0+600000000x40",
        },
    ),
    "VppLinkDown": (
        {f"vpp_interface_admin_up{{{ETH0}}}": "1x40", f"vpp_interface_link_up{{{ETH0}}}": "0x40"},
        {f"vpp_interface_admin_up{{{ETH0}}}": "0x40", f"vpp_interface_link_up{{{ETH0}}}": "0x40"},
    ),
    "VppLinkFull": (
        {
            f"vpp_interface_transmit_bytes_total{{{ETH0}}}": "0+60x40",
            f"vpp_interface_receive_bytes_total{{{ETH0}}}": "0+71000000000x40",
            f"vpp_interface_speed_bytes{{{ETH0}}}": "1250000000x40",
        },
        {
            f"vpp_interface_transmit_bytes_total{{{ETH0}}}": "0+60x40",
            f"vpp_interface_receive_bytes_total{{{ETH0}}}": "0+60000000000x40",
            f"vpp_interface_speed_bytes{{{ETH0}}}": "1250000000x40",
        },
    ),
    "VppBuffersLow": (
        {
            'vpp_buffers{instance="r1",pool="a",state="available"}': "50x40",
            'vpp_buffers{instance="r1",pool="a",state="cached"}': "20x40",
            'vpp_buffers{instance="r1",pool="a",state="used"}': "930x40",
        },
        {
            'vpp_buffers{instance="r1",pool="a",state="available"}': "50x40",
            'vpp_buffers{instance="r1",pool="a",state="cached"}': "120x40",
            'vpp_buffers{instance="r1",pool="a",state="used"}': "830x40",
        },
    ),
    "VppMemoryFull": (
        {
            'vpp_heap_used_bytes{instance="r1",heap="main heap"}': "75x40",
            'vpp_heap_size_bytes{instance="r1",heap="main heap"}': "100x40",
        },
        {
            'vpp_heap_used_bytes{instance="r1",heap="main heap"}': "60x40",
            'vpp_heap_size_bytes{instance="r1",heap="main heap"}': "100x40",
        },
    ),
    "VppNatSessionsFull": (
        {f"vpp_nat44_sessions{{{WORKER}}}": "95x40", 'vpp_nat44_sessions_limit{instance="r1"}': "100x40"},
        {f"vpp_nat44_sessions{{{WORKER}}}": "95x40", 'vpp_nat44_sessions_limit{instance="r1"}': "0x40"},
    ),
    "VppVirtualRouterFlapping": (
        {f'vpp_vrrp_state{{{ROUTER},state="master"}}': "0x20 1 1 1 0 0 0 1 1 1 0 0 0"},
        {f'vpp_vrrp_state{{{ROUTER},state="master"}}': "0x20 1 1 1 0 0 0 1 1 1 1 1 1"},
    ),
    "VppVirtualRouterDown": (
        {f'vpp_vrrp_state{{{ROUTER},state="interface-down"}}': "1x40"},
        {f'vpp_vrrp_state{{{ROUTER},state="backup"}}': "1x40"},
    ),
    "VppDrift": (
        {'vppcfg_in_sync{instance="r1"}': "0x40", 'vppcfg_vpp_up{instance="r1"}': "1x40"},
        {'vppcfg_in_sync{instance="r1"}': "0x40", 'vppcfg_vpp_up{instance="r1"}': "0x40"},
    ),
    "VppConfigInvalid": (
        {'vppcfg_config_valid{instance="r1"}': "0x40"},
        {'vppcfg_config_valid{instance="r1"}': "1x40"},
    ),
    "VppChangeUnconfirmed": (
        {
            'vppcfg_change_unconfirmed{instance="r1"}': "1x40",
            'vppcfg_change_deadline_timestamp_seconds{instance="r1"}': "1830x40",
        },
        {
            'vppcfg_change_unconfirmed{instance="r1"}': "1x40",
            'vppcfg_change_deadline_timestamp_seconds{instance="r1"}': "9000x40",
        },
    ),
    "VppChangeHalfWay": (
        {'vppcfg_change_half_way{instance="r1"}': "1x40"},
        {'vppcfg_change_half_way{instance="r1"}': "0x40"},
    ),
    "VppNotAsLinux": (
        {'vppcfg_verify_is_same{instance="r1"}': "0x40"},
        {'vppcfg_verify_is_same{instance="r1"}': "1x40"},
    ),
}
"""By alert: what fires it, and what resembles that and does not; a value each minute, looked at after 30."""


def rules() -> dict[str, dict[str, Any]]:
    document = yaml.safe_load(ALERTS.read_text())
    return {rule["alert"]: rule for group in document["groups"] for rule in group["rules"]}


def failures(alert: str, series: dict[str, str], folder: Path, *, fires: bool) -> str:
    """Return what promtool has to say when an alert is expected to fire, or not to, after 30 minutes."""
    expression = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) > bool 0'
    samples = [{"labels": "{}", "value": 1}] if fires else []
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
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
