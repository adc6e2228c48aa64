"""Writes the Grafana dashboards in share/dashboards/ from the rows below: `python -m tools.dashboards`.

The JSON is that of https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/,
schema 39 (Grafana 10.4 and later).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "share" / "dashboards"
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_WIDTH = 24
_ONE = 'instance="$instance"'
_NAMES = "* on (instance, interface) group_left (description) vpp_interface_info"


class Panel(NamedTuple):
    """A panel: `queries` are expressions with their legends; `width` is of 24."""

    title: str
    unit: str
    queries: tuple[tuple[str, str], ...]
    kind: str = "timeseries"
    width: int = 12
    most: float | None = None
    text: str = ""


class Dashboard(NamedTuple):
    """A dashboard, `scope` being what is chosen at its top: nothing, a router, or a router and interfaces."""

    name: str
    title: str
    scope: tuple[str, ...]
    panels: tuple[Panel, ...]


def _rate(metric: str, more: str = "", labels: str = _ONE) -> str:
    return f"rate({metric}{{{labels}{more}}}[$__rate_interval])"


_ABOVE = ',result="above"'

ROUTER = Dashboard(
    "router",
    "VPP: router",
    ("instance",),
    (
        Panel("VPP", "bool_on_off", ((f"vpp_up{{{_ONE}}}", "up"),), "stat", 4),
        Panel("Running since", "dateTimeFromNow", ((f"vpp_start_time_seconds{{{_ONE}}} * 1000", ""),), "stat", 5),
        Panel("Last refresh", "s", ((f"time() - vpp_refresh_timestamp_seconds{{{_ONE}}}", "ago"),), "stat", 5),
        Panel("Last change", "dateTimeFromNow", ((f"vppcfg_last_change_timestamp_seconds{{{_ONE}}} * 1000", ""),),
              "stat", 5),
        Panel("Matches its file", "bool_yes_no", ((f"vppcfg_in_sync{{{_ONE}}}", ""),), "stat", 5,
              text="Of `vppcfg metrics --drift` or `vppcfg watch`."),
        Panel("Packets", "pps", (
            (f"sum({_rate('vpp_worker_receive_packets_total')})", "received from ports"),
            (f"sum({_rate('vpp_interface_drops_total')})", "dropped"),
            (f"sum({_rate('vpp_interface_punts_total')})", "to the host"),
        )),
        Panel("Busiest ports", "bps", (
            (f"topk(8, 8 * {_rate('vpp_interface_receive_bytes_total')} {_NAMES})",
             "{{interface}} {{description}} in"),
            (f"topk(8, 8 * {_rate('vpp_interface_transmit_bytes_total')} {_NAMES})",
             "{{interface}} {{description}} out"),
        )),
        Panel("Packets per call, by worker", "none", (
            (f"{_rate('vpp_worker_graph_vectors_total')} / ({_rate('vpp_worker_graph_calls_total')} > 0)",
             "{{worker}}"),
        ), most=256, text="1 is idle, 4 to 16 usual, from 200 on a worker never catches up."),
        Panel("Lost before the graph", "pps", (
            (f"sum({_rate('vpp_interface_receive_missed_total')})", "missed by NICs"),
            (f"sum({_rate('vpp_interface_receive_no_buffer_total')})", "no buffers"),
            (f"sum({_rate('vpp_interface_receive_errors_total')})", "damaged"),
        )),
        Panel("Memory in use", "percentunit", (
            (f"vpp_heap_used_bytes{{{_ONE}}} / vpp_heap_size_bytes{{{_ONE}}}", "{{heap}}"),
        ), most=1),
        Panel("Buffers free", "percentunit", (
            (f'sum by (pool) (vpp_buffers{{{_ONE},state!="used"}})'
             f" / sum by (pool) (vpp_buffers{{{_ONE}}})", "{{pool}}"),
        ), most=1),
        Panel("NAT44 sessions", "none", ((f"vpp_nat44_sessions{{{_ONE}}}", "{{worker}}"),)),
        Panel("What vppcfg metrics costs", "percentunit", ((_rate("process_cpu_seconds_total"), "of a CPU"),)),
    ),
)  # fmt: skip
WORKERS = Dashboard(
    "workers",
    "VPP: workers",
    ("instance",),
    (
        Panel("Packets per call of the graph", "none", (
            (f"{_rate('vpp_worker_graph_vectors_total')} / ({_rate('vpp_worker_graph_calls_total')} > 0)",
             "{{worker}}"),
        ), most=256, text="What the tuner calls vectors; of `statseg { per-node-counters on }`."),
        Panel("Packets per call, by VPP's own measure", "none", (
            (f"vpp_worker_vectors_per_call{{{_ONE}}}", "{{worker}}"),), most=256),
        Panel("Packets from ports", "pps", ((_rate("vpp_worker_receive_packets_total"), "{{worker}}"),)),
        Panel("Turns of the main loop", "none", ((f"vpp_worker_loops_per_second{{{_ONE}}}", "{{worker}}"),)),
        Panel("Ticks per packet, by node", "none", (
            (f"topk(10, sum by (node) ({_rate('vpp_node_clocks_total')})"
             f" / (sum by (node) ({_rate('vpp_node_vectors_total')}) > 0))", "{{node}}"),
        ), text="Of input nodes, idle polls are in it."),
        Panel("Ticks per second, by node", "none", (
            (f"topk(10, sum by (node) ({_rate('vpp_node_clocks_total')}))", "{{node}}"),)),
        Panel("Packets per call, by node", "none", (
            (f"topk(10, sum by (node) ({_rate('vpp_node_vectors_total')})"
             f" / (sum by (node) ({_rate('vpp_node_calls_total')}) > 0))", "{{node}}"),
        ), most=256),
        Panel("Receive queues", "none", ((f"vpp_receive_queue_info{{{_ONE}}}", ""),), "table"),
    ),
)  # fmt: skip
_THESE = f'{_ONE},interface=~"$interface"'
INTERFACES = Dashboard(
    "interfaces",
    "VPP: interfaces",
    ("instance", "interface"),
    (
        Panel("Bits received", "bps", (
            (f"8 * {_rate('vpp_interface_receive_bytes_total', labels=_THESE)} {_NAMES}",
             "{{interface}} {{description}}"),)),
        Panel("Bits sent", "bps", (
            (f"8 * {_rate('vpp_interface_transmit_bytes_total', labels=_THESE)} {_NAMES}",
             "{{interface}} {{description}}"),)),
        Panel("Packets received", "pps", (
            (_rate("vpp_interface_receive_packets_total", labels=_THESE), "{{interface}}"),)),
        Panel("Packets sent", "pps", (
            (_rate("vpp_interface_transmit_packets_total", labels=_THESE), "{{interface}}"),)),
        Panel("Share of the link's speed", "percentunit", (
            (f"{_rate('vpp_interface_receive_bytes_total', labels=_THESE)} / on (instance, interface)"
             " vpp_interface_speed_bytes", "{{interface}} in"),
            (f"{_rate('vpp_interface_transmit_bytes_total', labels=_THESE)} / on (instance, interface)"
             " vpp_interface_speed_bytes", "{{interface}} out"),
        ), most=1),
        Panel("Dropped", "pps", ((_rate("vpp_interface_drops_total", labels=_THESE), "{{interface}}"),)),
        Panel("Lost when receiving", "pps", (
            (_rate("vpp_interface_receive_missed_total", labels=_THESE), "{{interface}} missed"),
            (_rate("vpp_interface_receive_no_buffer_total", labels=_THESE), "{{interface}} no buffers"),
            (_rate("vpp_interface_receive_errors_total", labels=_THESE), "{{interface}} damaged"),
        )),
        Panel("Lost when sending", "pps", (
            (_rate("vpp_interface_transmit_errors_total", labels=_THESE), "{{interface}}"),)),
        Panel("Interfaces", "none", ((f"vpp_interface_info{{{_THESE}}}", ""),), "table", 16),
        Panel("Links", "bool_on_off", ((f"vpp_interface_link_up{{{_THESE}}}", "{{interface}}"),), "stat", 8),
    ),
)  # fmt: skip
DROPS = Dashboard(
    "drops",
    "VPP: drops",
    ("instance",),
    (
        Panel("What nodes count, by reason", "pps", (
            (f"topk(15, {_rate('vpp_node_errors_total')} > 0)", "{{node}}: {{reason}}"),
        ), width=24, text="Drops and others; `vppcfg tune` names those that matter."),
        Panel("Dropped, by interface", "pps", (
            (f"topk(10, {_rate('vpp_interface_drops_total')} > 0)", "{{interface}}"),)),
        Panel("Share of packets dropped, by interface", "percentunit", (
            (f"topk(10, {_rate('vpp_interface_drops_total')}"
             f" / ({_rate('vpp_interface_receive_packets_total')} > 0))", "{{interface}}"),
        )),
        Panel("To the host, by interface", "pps", (
            (f"topk(10, {_rate('vpp_interface_punts_total')} > 0)", "{{interface}}"),)),
        Panel("NAT44", "pps", (
            (f"sum by (direction, protocol) ({_rate('vpp_nat44_packets_total')})", "{{direction}} {{protocol}}"),)),
        Panel("Above the rate of a policer", "bps", (
            (f"topk(10, 8 * {_rate('vpp_policer_bytes_total', _ABOVE)} > 0)", "{{policer}} {{user}}"),)),
        Panel("Counted in the last day", "short", (
            (f"topk(20, increase(vpp_node_errors_total{{{_ONE}}}[1d]) > 0)", ""),), "table", 24),
    ),
)  # fmt: skip
FLEET = Dashboard(
    "fleet",
    "VPP: fleet",
    (),
    (
        Panel("Routers", "none", (("count(vpp_up)", "all"), ("sum(vpp_up)", "up")), "stat", 6),
        Panel("Not as in their file", "none", (("count(vppcfg_in_sync == 0) or vector(0)", ""),), "stat", 6),
        Panel("Changes to confirm", "none", (("sum(vppcfg_change_unconfirmed) or vector(0)", ""),), "stat", 6),
        Panel("Changes half-way", "none", (("sum(vppcfg_change_half_way) or vector(0)", ""),), "stat", 6),
        Panel("Entries that differ", "none", (
            ("sum by (instance) (vppcfg_differences)", "{{instance}}"),)),
        Panel("Problems between file and VPP", "none", (("vppcfg_problems", "{{instance}} {{rule}}"),)),
        Panel("Last change", "none", (("vppcfg_last_change_info", ""),), "table"),
        Panel("Versions", "none", (("vpp_info", ""), ("vppcfg_build_info", "")), "table"),
        Panel("Packets from ports", "pps", (
            ("sum by (instance) (rate(vpp_worker_receive_packets_total[$__rate_interval]))", "{{instance}}"),)),
        Panel("Dropped", "pps", (
            ("sum by (instance) (rate(vpp_interface_drops_total[$__rate_interval]))", "{{instance}}"),)),
    ),
)  # fmt: skip
DASHBOARDS = (ROUTER, WORKERS, INTERFACES, DROPS, FLEET)


def document_of(dashboard: Dashboard) -> dict[str, Any]:
    """Return the JSON model of a dashboard."""
    return {
        "uid": f"vppcfg-{dashboard.name}",
        "title": dashboard.title,
        "tags": ["vpp", "vppcfg"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "browser",
        "links": [{"type": "dashboards", "title": "VPP", "tags": ["vppcfg"], "asDropdown": True, "keepTime": True}],
        "templating": {"list": list(_variables(dashboard.scope))},
        "annotations": {"list": []},
        "panels": _placed(dashboard.panels),
    }


def _variables(scope: tuple[str, ...]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": "datasource", "label": "Source", "type": "datasource", "query": "prometheus", "current": {}}
    ]
    queries = {"instance": "label_values(vpp_up, instance)"}
    queries["interface"] = f"label_values(vpp_interface_info{{{_ONE}}}, interface)"
    for name in scope:
        is_many = name == "interface"
        found.append(
            {
                "name": name,
                "label": name.capitalize() if is_many else "Router",
                "type": "query",
                "datasource": _SOURCE,
                "query": {"query": queries[name], "refId": name},
                "refresh": 2,
                "sort": 1,
                "multi": is_many,
                "includeAll": is_many,
                "allValue": ".*" if is_many else None,
                "current": {"text": "All", "value": "$__all"} if is_many else {},
            }
        )
    return found


def _placed(panels: tuple[Panel, ...]) -> list[dict[str, Any]]:
    """Return the panels in rows from left to right."""
    found, x, y, row_height = [], 0, 0, 0
    for number, panel in enumerate(panels, start=1):
        height = 4 if panel.kind == "stat" and panel.width < 8 else 8
        if x + panel.width > _WIDTH:
            x, y, row_height = 0, y + row_height, 0
        found.append(_panel(panel, number, {"x": x, "y": y, "w": panel.width, "h": height}))
        x, row_height = x + panel.width, max(row_height, height)
    return found


def _panel(panel: Panel, number: int, place: dict[str, int]) -> dict[str, Any]:
    is_table = panel.kind == "table"
    defaults: dict[str, Any] = {"unit": panel.unit}
    if panel.kind == "timeseries":
        defaults |= {"min": 0, "custom": {"fillOpacity": 10, "showPoints": "never"}}
    if panel.most is not None:
        defaults["max"] = panel.most
    document: dict[str, Any] = {
        "id": number,
        "title": panel.title,
        "description": panel.text,
        "type": panel.kind,
        "datasource": _SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + place_of),
                "datasource": _SOURCE,
                "expr": expression,
                "legendFormat": legend or "__auto",
                "instant": panel.kind != "timeseries",
                "range": panel.kind == "timeseries",
                "format": "table" if is_table else "time_series",
            }
            for place_of, (expression, legend) in enumerate(panel.queries)
        ],
        "options": _options(panel.kind),
    }
    if is_table:
        hidden = {"Time": True, "__name__": True, "job": True, "Value": panel.title != "Counted in the last day"}
        document["transformations"] = [{"id": "organize", "options": {"excludeByName": hidden}}]
    return document


def _options(kind: str) -> dict[str, Any]:
    if kind == "timeseries":
        return {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}}
    if kind == "stat":
        return {"reduceOptions": {"calcs": ["lastNotNull"]}, "graphMode": "none"}
    return {"showHeader": True}


def main() -> None:
    """Write all dashboards."""
    for dashboard in DASHBOARDS:
        text = json.dumps(document_of(dashboard), indent=2, ensure_ascii=False) + "\n"
        (FOLDER / f"{dashboard.name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
