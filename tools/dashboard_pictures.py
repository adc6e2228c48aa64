"""Draws the dashboards from a recording, as docs/dashboard-NAME.svg: `python -m tools.dashboard_pictures`.

The recording is an hour of a router that is made up, written by the code that writes the metrics. A Prometheus of
its own reads it (`promtool tsdb create-blocks-from openmetrics`) and answers the expressions of the panels as it
answers Grafana: a panel whose expression finds nothing is an error.
"""

from __future__ import annotations

import json
import math
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

from tools.dashboards import DASHBOARDS, Dashboard, Panel, document_of
from vppcfg.model.counters import NodeTotals, VppCounters
from vppcfg.model.monitored import MonitoredInterface, QueuePlace, RouterSnapshot
from vppcfg.render.change_metrics import ChangeStatus, change_lines
from vppcfg.render.router_metrics import RouterMetrics

DOCS = Path(__file__).resolve().parents[1] / "docs"
START_S, STEP_S, LOOKS = 1_795_086_000, 30, 121
_WIDTH, _ROW, _TOP, _GAP = 960, 22, 30, 8
_COLOURS = ("#0969da", "#bc4c00", "#1a7f37", "#8250df", "#cf222e", "#6e7781", "#b8860b", "#0e7490")
_PORTS = (
    ("HundredGigabitEthernet1/0/0", "transit", 100e9, 4.1e6, 900),
    ("HundredGigabitEthernet1/0/1", "exchange", 100e9, 2.2e6, 700),
    ("TwentyFiveGigE3/0/0", "customers", 25e9, 1.6e6, 620),
)
_NODES = (
    ("dpdk-input", 1.0, 90),
    ("ethernet-input", 1.0, 21),
    ("ip4-lookup", 0.9, 34),
    ("ip4-rewrite", 0.9, 28),
    ("ip6-lookup", 0.1, 52),
    ("acl-plugin-in-ip4-fa", 0.3, 118),
)


def _wave(look: int, place: int) -> float:
    return 1 + 0.25 * math.sin(look / 18 + place) + 0.05 * math.sin(look * 1.7 + 3 * place)


def snapshots() -> Iterator[RouterSnapshot]:
    """Yield an hour of looks at a router that is made up."""
    packets = [0.0] * len(_PORTS)
    calls = 0.0
    for look in range(LOOKS):
        for place, port in enumerate(_PORTS):
            packets[place] += port[3] * STEP_S * _wave(look, place)
        at, total = START_S + look * STEP_S, sum(packets)
        vectors = 9 + 6 * _wave(look, 1)
        calls += sum(port[3] * STEP_S for port in _PORTS) / vectors
        column = [0, *map(int, packets)]
        rows = [[0] * 4, [count // 2 for count in column], [count - count // 2 for count in column]]
        nat = int(41_000 * _wave(look, 2))
        lost = int(max(0, look - 80) * 900)
        counters = VppCounters(
            clock_s=float(look),
            boot_at_s=START_S - 900_000,
            heartbeat=90_000 + 3 * look,
            threads=("vpp_main", "vpp_wk_0", "vpp_wk_1"),
            names=["local0", *(port[0] for port in _PORTS)],
            interfaces={
                "rx_packets": column,
                "rx_bytes": [0, *(int(count * port[4]) for count, port in zip(packets, _PORTS, strict=True))],
                "tx_packets": column[::-1],
                "tx_bytes": [int(count * 640) for count in column],
                "drops": [0, *(int(count * 4e-5) for count in packets)],
                "punts": [0, *(int(count * 1e-5) for count in packets)],
                "rx_miss": [0, 0, 0, lost],
                "rx_no_buf": [0, 0, 0, 0],
                "rx_error": [0, 2, 0, 0],
                "tx_error": [0, 0, 0, lost // 9],
            },
            received=rows,
            vector_rates=(0, int(vectors), int(vectors) + 2),
            loops_per_s=(4000, int(2e5 / vectors), int(2.2e5 / vectors)),
            nodes={
                name: NodeTotals(
                    calls=(0, int(calls * share / 2), int(calls * share / 2.2)),
                    vectors=(0, int(total * share / 2), int(total * share / 2)),
                    clocks=(0, int(total * share * clocks / 2), int(total * share * clocks / 2)),
                    suspends=(0, 0, 0),
                )
                for name, share, clocks in _NODES
            },
            errors={
                "ip4-input/ip4 ttl <= 1": int(total * 3e-5),
                "acl-plugin-in-ip4-fa/ACL deny packets": int(total * 1e-5),
            },
            buffers={"default-numa-0": {"available": 14_000 - 20 * look, "cached": 900, "used": 1_600 + 20 * look}},
            heaps={"main heap": {"total": 3 << 30, "used": (1 << 30) + look * 200_000},
                   "stat segment": {"total": 96 << 20, "used": 21 << 20}},
            nat44_sessions=(0, nat, nat + 2_000),
            nat44_limit=64_512,
            nat44_packets={
                ("in2out", "fastpath", "tcp"): int(total * 0.2),
                ("out2in", "fastpath", "tcp"): int(total * 0.25),
            },
        )  # fmt: skip
        interfaces = tuple(
            MonitoredInterface(index=number, name=port[0], kind="physical", is_up=True, has_link=True,
                               link_bps=int(port[2]), description=port[1], lcp=f"e{number}")
            for number, port in enumerate(_PORTS, start=1)
        )  # fmt: skip
        queues = tuple(
            QueuePlace(interface=port[0], queue=queue, thread=queue + 1, mode="polling")
            for port in _PORTS
            for queue in (0, 1)
        )
        yield RouterSnapshot(taken_at_s=at, took_s=0.01, counters=counters, interfaces=interfaces, queues=queues,
                             version="26.10-release", refreshed_at_s=at - 4)  # fmt: skip


def recording() -> str:
    """Return the hour in OpenMetrics: each sample with its router and its time, series by series."""
    metrics = RouterMetrics("1.1.0")
    kinds: dict[str, str] = {}
    series: dict[str, dict[str, list[str]]] = {}
    for snapshot in snapshots():
        changes = ChangeStatus(number=41, made_at_s=START_S - 70_000, origin="apply", outcome="confirmed")
        lines = [*metrics.text(snapshot).splitlines(), *change_lines(changes), *_extra(snapshot)]
        for line in lines:
            if line.startswith("# TYPE"):
                kinds[line.split()[2]] = line.split()[3]
            elif not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                labelled = name[:-1] + ',instance="r1"}' if name.endswith("}") else name + '{instance="r1"}'
                family = name.partition("{")[0]
                series.setdefault(family, {}).setdefault(labelled, []).append(
                    f"{labelled} {value} {snapshot.taken_at_s:.0f}"
                )
    text = []
    for family, samples in series.items():
        kind = kinds.get(family, "gauge")
        text.append(f"# TYPE {family.removesuffix('_total') if kind == 'counter' else family} {kind}")
        text += [line for lines in samples.values() for line in lines]
    return "\n".join([*text, "# EOF", ""])


def _extra(snapshot: RouterSnapshot) -> list[str]:
    """Return what `--drift` and the process add."""
    look = int(snapshot.taken_at_s - START_S) // STEP_S
    is_other = 40 < look < 75
    return [
        f"vppcfg_in_sync {int(not is_other)}",
        f'vppcfg_differences{{section="interfaces",action="update"}} {2 if is_other else 0}',
        f'vppcfg_problems{{rule="port-missing"}} {int(is_other)}',
        "# TYPE process_cpu_seconds_total counter",
        f"process_cpu_seconds_total {0.5 + look * 0.012:.3f}",
    ]


@contextmanager
def prometheus() -> Iterator[str]:
    """Run a Prometheus with the recording, and yield the address of its API."""
    with tempfile.TemporaryDirectory(prefix="vppcfg-recording-") as name:
        folder = Path(name)
        (folder / "recording.txt").write_text(recording(), encoding="utf-8")
        command = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "recording.txt", "data"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        (folder / "prometheus.yml").write_text("{}\n", encoding="utf-8")
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        process = subprocess.Popen(
            ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=error",
             "--storage.tsdb.retention.time=100y", f"--web.listen-address=127.0.0.1:{port}"],
            cwd=folder,
        )  # fmt: skip
        try:
            base = f"http://127.0.0.1:{port}"
            _wait_for(f"{base}/-/ready")
            yield f"{base}/api/v1"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def _wait_for(url: str) -> None:
    for _ in range(100):
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise OSError(f"{url} does not answer")


def values_of(panel: Panel, api: str) -> list[tuple[str, list[tuple[float, float]]]]:
    """Return the lines of a panel: legend and values by time. Raise ValueError when an expression finds nothing."""
    found = []
    for expression, legend in panel.queries:
        text = expression.replace("$__rate_interval", "2m").replace("$instance", "r1").replace("$interface", ".*")
        is_row = panel.kind != "timeseries"
        query = {"query": text, "start": START_S + 600, "end": START_S + (LOOKS - 1) * STEP_S, "step": 60}
        with urllib.request.urlopen(f"{api}/query_range?{urllib.parse.urlencode(query)}", timeout=30) as answer:
            result: list[dict[str, Any]] = json.loads(answer.read())["data"]["result"]
        if not result and "> 0" not in text and "== 0" not in text:
            raise ValueError(f"{panel.title}: nothing is found by {text}")
        if any(value == "NaN" for each in result for _, value in each["values"]):
            raise ValueError(f"{panel.title}: {text} divides by 0")
        for each in result:
            labels = {
                name: value for name, value in each["metric"].items() if name not in ("__name__", "instance", "job")
            }
            name = legend or (", ".join(labels.values()) if is_row else "")
            for label, value in labels.items():
                name = name.replace(f"{{{{{label}}}}}", value)
            name = name.replace("{{instance}}", "r1").replace("{{description}}", "")
            found.append((name, [(float(at), float(value)) for at, value in each["values"]]))
    return found


def _drawn(
    panel: Panel, values: list[tuple[str, list[tuple[float, float]]]], x: int, y: int, width: int, height: int
) -> Iterator[str]:
    yield f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" class="paper"/>'
    yield f'<text x="{x + 10}" y="{y + 20}" class="head">{escape(panel.title)}</text>'
    if panel.kind != "timeseries":
        for row, (name, points) in enumerate(values[: (height - 34) // 17]):
            value = points[-1][1]
            shown = "" if panel.kind == "table" and value == 1 else f"{_short(value, panel.unit)}  "
            yield f'<text x="{x + 10}" y="{y + 44 + 17 * row}">{escape((shown + name)[: width // 7])}</text>'
        return
    top = max((value for _, points in values for _, value in points), default=0.0) or 1.0
    top = panel.most if panel.most is not None and panel.most < 1.01 else top * 1.1
    left, right, low, high = x + 56, x + width - 10, y + 32, y + height - 42
    for part in (0, 0.5, 1):
        at = high - part * (high - low)
        yield f'<line x1="{left}" y1="{at:.0f}" x2="{right}" y2="{at:.0f}" class="grid"/>'
        yield f'<text x="{left - 6}" y="{at + 4:.0f}" class="tick">{_short(top * part, panel.unit)}</text>'
    end = START_S + (LOOKS - 1) * STEP_S
    for number, (_, points) in enumerate(values[:8]):
        path = " ".join(
            f"{left + (at - START_S - 600) / (end - START_S - 600) * (right - left):.1f},"
            f"{high - min(value / top, 1) * (high - low):.1f}"
            for at, value in points
        )
        yield f'<polyline points="{path}" fill="none" stroke="{_COLOURS[number % 8]}" stroke-width="1.6"/>'
    place = left
    for number, (name, _) in enumerate(values[:6]):
        size = 22 + int(5.6 * len(name))
        if place + size > right:
            break
        yield f'<rect x="{place}" y="{y + height - 22}" width="10" height="3" fill="{_COLOURS[number % 8]}"/>'
        yield f'<text x="{place + 14}" y="{y + height - 16}" class="legend">{escape(name)}</text>'
        place += size


def _short(value: float, unit: str) -> str:
    if unit == "percentunit":
        return f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.2f} %"
    if unit.startswith("bool"):
        return "yes" if value else "no"
    if unit == "dateTimeFromNow":
        hours = (START_S + (LOOKS - 1) * STEP_S - value / 1000) / 3600
        return f"{hours / 24:.0f} days ago" if hours > 48 else f"{hours:.0f} hours ago"
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g} {letter}"
    return f"{value:.3g}"


def picture_of(dashboard: Dashboard, api: str) -> str:
    """Return a dashboard as an SVG image. Raise ValueError when a panel finds nothing."""
    parts: list[str] = []
    height = 0
    for panel, shown in zip(dashboard.panels, document_of(dashboard)["panels"], strict=True):
        place = shown["gridPos"]
        x, y = place["x"] * _WIDTH // 24, _TOP + place["y"] * _ROW
        size = place["w"] * _WIDTH // 24 - _GAP, place["h"] * _ROW - _GAP
        parts += _drawn(panel, values_of(panel, api), x, y, *size)
        height = max(height, y + size[1] + _GAP)
    style = (
        "text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#1f2328}.head{font-weight:600}.tick{text-anchor:end;"
        "font-size:10px;fill:#59636e}.legend{font-size:10px}.paper{fill:#fff;stroke:#d0d7de}.grid{stroke:#eaeef2}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img"><title>{escape(dashboard.title)}</title><style>{style}</style>'
        f'<rect width="{_WIDTH}" height="{height}" fill="#f6f8fa"/>'
        f'<text x="4" y="20" class="head">{escape(dashboard.title)}</text>' + "\n".join(parts) + "</svg>\n"
    )


def main() -> None:
    """Draw all dashboards."""
    if shutil.which("prometheus") is None:
        sys.exit("There is no program prometheus; on Debian and Ubuntu: apt-get install prometheus")
    with prometheus() as api:
        for dashboard in DASHBOARDS:
            (DOCS / f"dashboard-{dashboard.name}.svg").write_text(picture_of(dashboard, api), encoding="utf-8")


if __name__ == "__main__":
    main()
