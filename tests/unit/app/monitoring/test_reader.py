"""A router is read again and again: names belong to counters, and a VPP that ends or starts again is no end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clock import Clock
from tests.unit.app.monitoring.routers import Router, running
from vppcfg.app.monitoring import reader as module
from vppcfg.model.monitored import FileNames, MonitoredInterface
from vppcfg.vpp.naming import InterfaceNaming


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def router(tmp_path: Path) -> Iterator[Router]:
    with running(tmp_path) as found:
        yield found


def test_counters_get_the_names_of_api_and_file(router: Router, clock: Clock) -> None:
    file = FileNames(descriptions={"eth0": "to Zurich"}, lcps={"eth0": "e0"}, vrfs={"eth0": "red"})
    reader = router.reader(clock, file)
    snapshot = reader.look()
    (port,) = snapshot.interfaces
    assert (port.name, port.index, port.is_up, port.kind) == ("eth0", 1, True, "physical")
    assert (port.description, port.lcp, port.vrf) == ("to Zurich", "e0", "red")
    assert snapshot.counters is not None
    assert snapshot.counters.of_interface("rx_packets", port.index) == 10
    assert snapshot.version.startswith("26.10")
    assert [(each.interface, each.thread) for each in snapshot.queues] == [("eth0", 0)]
    reader.close()


def test_names_are_asked_for_when_interfaces_come_and_now_and_then(
    router: Router, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    ask = InterfaceNaming.interfaces

    def noted(naming: InterfaceNaming) -> list[MonitoredInterface]:
        asked.append(clock.now_s)
        return ask(naming)

    monkeypatch.setattr(InterfaceNaming, "interfaces", noted)
    reader = router.reader(clock)
    for _ in range(5):
        reader.look()
        clock.sleep(1)
    assert asked == [1000.0]
    router.vpp.run_line("create loopback interface")
    router.count(if__names=["local0", "eth0", "loop0"])
    assert [each.name for each in reader.look().interfaces] == ["eth0", "loop0"]
    clock.sleep(module.NAMES_S + 1)
    reader.look()
    assert asked == [1000.0, 1005.0, 1021.0]
    reader.close()


def test_an_index_that_vpp_gave_to_another_interface_gets_no_counters_of_the_former_one(
    router: Router, clock: Clock
) -> None:
    reader = router.reader(clock)
    router.vpp.run_line("create loopback interface")
    router.count(if__names=["local0", "eth0", "loop0"])
    assert [each.name for each in reader.look().interfaces] == ["eth0", "loop0"]
    router.vpp.run_line("delete loopback interface intfc loop0")
    router.count(if__names=["local0", "eth0", "loop7"])  # the API knows nothing of it yet
    clock.sleep(1)
    assert [each.name for each in reader.look().interfaces] == ["eth0"]
    reader.close()


def test_a_vpp_whose_api_is_blocked_keeps_its_counters_and_names(
    router: Router, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = router.reader(clock)
    assert not reader.look().problem
    router.end_api()
    clock.sleep(module.NAMES_S + 1)
    snapshot = reader.look()
    assert snapshot.problem
    assert [(each.name, each.kind) for each in snapshot.interfaces] == [("eth0", "physical")]
    monkeypatch.setattr(module, "InterfaceNaming", lambda *_, **__: pytest.fail("asked again too soon"))
    clock.sleep(module.RETRY_S - 1)
    assert reader.look().counters is not None
    reader.close()


def test_without_an_api_interfaces_have_the_names_that_they_were_made_with(tmp_path: Path, clock: Clock) -> None:
    with running(tmp_path) as router:
        router.end_api()
        reader = router.reader(clock)
        assert [(each.name, each.kind) for each in reader.look().interfaces] == [("eth0", "")]
        reader.close()


def test_a_vpp_that_ends_is_told_and_the_next_one_is_read(tmp_path: Path, clock: Clock) -> None:
    first = Router(tmp_path)
    reader = first.reader(clock)
    assert reader.look().counters is not None
    first.end()
    lost = reader.look()
    assert (lost.counters, lost.interfaces) == (None, ())
    assert "cannot read VPP's statistics" in lost.problem
    with running(tmp_path, sys__boottime=1_700_000_500):
        found = reader.look()
        assert found.counters is not None
        assert (found.counters.boot_at_s, [each.name for each in found.interfaces]) == (1_700_000_500, ["eth0"])
    reader.close()


def test_a_heartbeat_that_stands_has_vpp_looked_for_anew(router: Router, clock: Clock) -> None:
    reader = router.reader(clock)
    first = reader.look()
    clock.sleep(module.STALLED_S - 1)
    assert reader.look().refreshed_at_s == first.refreshed_at_s
    assert router.stats.clients == 1
    clock.sleep(2)
    assert reader.look().counters is not None
    assert router.stats.clients == 2
    router.count(sys__heartbeat=4)
    assert reader.look().refreshed_at_s == clock.time()
    reader.close()
