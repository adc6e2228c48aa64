"""A router that somebody looks at: rates, the tuner's verdict, drift, and a VPP that starts again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clock import Clock
from tests.unit.app.monitoring.routers import Router, running
from vppcfg.app.monitoring.drift import DriftMetrics
from vppcfg.app.monitoring.following import RouterFollower
from vppcfg.render.change_metrics import ChangeStatus
from vppcfg.simulator.stats import Value


class Drift(DriftMetrics):
    """A comparison whose outcome a test sets."""

    def __init__(self, text: str) -> None:
        self.found = text

    def text(self) -> str:
        return self.found


@pytest.fixture
def router(tmp_path: Path) -> Iterator[Router]:
    with running(tmp_path) as found:
        yield found


def test_rates_come_with_the_second_look_and_the_verdict_with_them(router: Router) -> None:
    following = RouterFollower(router.reader(Clock()), ChangeStatus)
    first = following.look()
    assert (first.rates.seconds, first.verdict) == (None, "")
    router.count(if__rx=[[(0, 0), (1, 60)], [(0, 0), (99, 5940)]])
    second = following.look()
    assert second.rates.interfaces[0].rx_pps is not None
    assert second.rates.interfaces[0].rx_pps > 0
    assert second.verdict in {"healthy", "idle", "undecided", "risk", "limit", "loss"}
    assert second.verdict_text


def test_packets_that_a_nic_misses_are_a_loss(router: Router) -> None:
    following = RouterFollower(router.reader(Clock()), ChangeStatus)
    following.look()
    node = [[0, 0], [1_000_010, 0]]
    nodes: dict[str, Value] = {f"sys__node__{kind}": node for kind in ("calls", "vectors", "clocks", "suspends")}
    ports: dict[str, Value] = {
        "if__rx": [[(0, 0), (1, 60)], [(0, 0), (1_000_009, 60_000_540)]],
        "if__rx-miss": [[0, 0], [0, 500_003]],
    }
    router.count(sys__heartbeat=4, sys__last_update=40, **nodes, **ports)
    view = following.look()
    assert view.verdict == "loss", view.verdict_text


@pytest.mark.parametrize(
    ("text", "differences"),
    [
        ("", None),
        ("vppcfg_in_sync 1\n", 0),
        ('vppcfg_in_sync 0\nvppcfg_differences{section="acls",action="add"} 2\n', 2),
        ("vppcfg_in_sync 0\n", 1),
    ],
)
def test_drift_is_what_the_last_comparison_found(router: Router, text: str, differences: int | None) -> None:
    assert RouterFollower(router.reader(Clock()), ChangeStatus, Drift(text)).look().differences == differences


def test_a_vpp_that_starts_again_begins_anew(tmp_path: Path) -> None:
    first = Router(tmp_path)
    following = RouterFollower(first.reader(Clock()), ChangeStatus)
    following.look()
    following.look()
    first.end()
    assert following.look().snapshot.counters is None
    with running(tmp_path, sys__boottime=1_700_000_500, sys__heartbeat=9):
        view = following.look()
        assert (view.rates.seconds, view.rates.has_nodes, view.verdict) == (None, False, "")
        assert following.look().rates.seconds is not None


def test_readings_are_kept_for_the_time_of_the_verdict_alone(router: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("vppcfg.vpp.counters.time", clock)
    following = RouterFollower(router.reader(clock), ChangeStatus)
    for _ in range(40):
        following.look()
        clock.sleep(2.0)
    kept = [reading.clock_s for reading in following._kept]
    assert kept == [1040.0, 1050.0, 1060.0, 1070.0]
