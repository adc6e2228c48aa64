"""What docs/monitoring.md lists is what there is: every metric and every alert, and the dashboards name no other."""

import json
import re
import shutil
import time
from html import escape
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.dashboard_pictures import picture_of, prometheus
from tools.dashboards import DASHBOARDS, document_of
from tools.top_picture import with_screen
from vppcfg.render.change_metrics import CHANGE_METRICS
from vppcfg.render.prometheus import VerifyMetrics, WatchMetrics
from vppcfg.render.router_metrics import METRICS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "monitoring.md").read_text()
FOLDER = ROOT / "share" / "dashboards"
NAME = re.compile(r"\b(?:vpp|vppcfg|process)_[a-z0-9_]+")
OWN_COST = {"process_cpu_seconds_total", "process_resident_memory_bytes"}
NOT_MADE_AT_ONCE = {"vppcfg_differences", "vppcfg_problems", "vppcfg_verify_is_same"}
"""Metrics of `watch` and `verify` that a look which found nothing yet does not have."""


def known() -> set[str]:
    texts = (WatchMetrics(version="1").text(), VerifyMetrics(version="1").text())
    watched = {line.split()[2] for text in texts for line in text.splitlines() if line.startswith("# HELP")}
    return {*METRICS, *CHANGE_METRICS, *OWN_COST, *watched, *NOT_MADE_AT_ONCE}


def test_the_screen_in_the_document_is_that_of_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m tools.top_picture` writes it."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    document = (ROOT / "docs" / "top.md").read_text()
    assert with_screen(document) == document
    assert "TwentyFiveGigE3/0/1.100" in (ROOT / "docs" / "top.svg").read_text()
    monkeypatch.undo()
    time.tzset()


def rows(title: str) -> dict[str, list[str]]:
    section = DOCUMENT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_every_metric_is_documented_with_its_type() -> None:
    found = {name: row[0] for name, row in rows("Metrics").items() if " " not in name}
    expected = {name: kind for name, (kind, _) in {**METRICS, **CHANGE_METRICS}.items()}
    expected |= {"process_cpu_seconds_total": "counter", "process_resident_memory_bytes": "gauge"}
    assert found == expected


def test_every_alert_is_documented_with_its_command() -> None:
    document = yaml.safe_load((ROOT / "share" / "alerts.yml").read_text())
    expected = {
        rule["alert"]: re.sub(r"\{\{.*?\}\}", "NAME", rule["annotations"]["command"])
        for group in document["groups"]
        for rule in group["rules"]
    }
    assert {name: row[1].strip("`") for name, row in rows("Alerts").items()} == expected


def test_alerts_name_metrics_that_exist() -> None:
    document = yaml.safe_load((ROOT / "share" / "alerts.yml").read_text())
    named = {name for group in document["groups"] for rule in group["rules"] for name in NAME.findall(rule["expr"])}
    assert len(named) > 20
    assert named - {"vpp_main"} <= known()


def test_the_dashboards_are_those_of_the_tool() -> None:
    """`python -m tools.dashboards` writes them."""
    found = {path.stem: json.loads(path.read_text()) for path in FOLDER.glob("*.json")}
    assert found == {each.name: document_of(each) for each in DASHBOARDS}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_a_dashboard_is_one_that_grafana_takes(path: Path) -> None:
    document: dict[str, Any] = json.loads(path.read_text())
    assert document["schemaVersion"] >= 36
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", document["uid"])
    variables = {each["name"] for each in document["templating"]["list"]}
    panels = document["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        assert panel["type"] in {"timeseries", "stat", "table"}
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, f"{panel['title']} lies over another panel"
        assert place["x"] + place["w"] <= 24
        taken |= cells
        for target in panel["targets"]:
            assert set(NAME.findall(target["expr"])) <= known(), target["expr"]
            used = set(re.findall(r"\$(\w+)", target["expr"])) - {"__rate_interval"}
            assert used <= variables, target["expr"]
            assert target["datasource"]["uid"] == "${datasource}"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("prometheus") is None, reason="there is no Prometheus; apt-get install prometheus")
def test_every_panel_finds_something_in_a_recording() -> None:
    """`python -m tools.dashboard_pictures` draws them for the document."""
    with prometheus() as api:
        for dashboard in DASHBOARDS:
            picture = picture_of(dashboard, api)
            assert all(escape(panel.title) in picture for panel in dashboard.panels)
            assert f"](dashboard-{dashboard.name}.svg)" in DOCUMENT
            assert (ROOT / "docs" / f"dashboard-{dashboard.name}.svg").is_file()
