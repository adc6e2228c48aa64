"""T-Rex in stateful mode as an engine, on a stand-in for its server."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trex_server import StandInTrex
from tests.trex_stateful import IDLE, LOADED, TRANSMITTING, StandInStateful
from tests.unit.loadtest.samples import BACK, THERE
from vppcfg.common.clock import SystemClock
from vppcfg.errors import EngineError, UsageError
from vppcfg.loadtest.engine import Direction, held
from vppcfg.loadtest.stateful.engine import StatefulTraffic
from vppcfg.loadtest.stateful.profile import stateful_profile_of
from vppcfg.loadtest.trex.guard import release_ports
from vppcfg.loadtest.trex.stateful import TrexStatefulEngine

PORTS = ("0", "1")
TRAFFIC = StatefulTraffic(profile=stateful_profile_of("http", answer_bytes=1000), directions=(THERE, BACK))


@pytest.fixture
def server() -> Iterator[StandInStateful]:
    with StandInStateful() as server:
        yield server


@pytest.fixture
def engine(server: StandInStateful, tmp_path: Path) -> Iterator[TrexStatefulEngine]:
    engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
    yield engine
    engine.release()


def test_a_stateless_server_is_refused(tmp_path: Path) -> None:
    with StandInTrex() as server:
        engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
        with pytest.raises(EngineError, match="runs in stateless mode") as caught:
            engine.describe()
        assert "start it with --astf" in caught.value.hint
        engine.release()


def test_a_server_that_cannot_count_answers_is_refused(tmp_path: Path) -> None:
    with StandInStateful(api=(2, 1)) as server:
        engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
        with pytest.raises(EngineError, match=r"has version 2\.1 of the stateful API \(ASTF\), and this needs 2\.3"):
            engine.describe()
        engine.release()


def test_connections_are_counted_from_the_first_to_the_last(
    server: StandInStateful, engine: TrexStatefulEngine
) -> None:
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        assert engine.count().connections.begun == 0
        engine.start(1000.0, 10.0)
        time.sleep(0.3)
        engine.update(2000.0)
        time.sleep(0.2)
        running = engine.count()
        engine.stop_new_connections()
        time.sleep(0.3)
        engine.stop()
        counts = [engine.count() for _ in range(2)]
    assert counts[0].connections == counts[1].connections
    whole = counts[0].connections
    assert 600 <= whole.begun < 1400
    assert whole.answered == whole.ended == pytest.approx(whole.begun, abs=1)
    assert (whole.failed, counts[0].open_now, counts[0].errors) == (0, 0, ())
    assert 100 <= running.open_now <= 250
    assert whole.received_bytes == pytest.approx(1000 * whole.answered, rel=0.01)
    there, back = counts[0].tallies
    assert there.sent == pytest.approx(5 * whole.begun, abs=10)
    assert back.received == pytest.approx(9 * whole.begun, abs=20)
    assert server.is_idle
    assert server.state == IDLE


def test_the_rate_is_spread_over_the_applications_by_their_weights(
    server: StandInStateful, engine: TrexStatefulEngine
) -> None:
    with held(engine, PORTS):
        engine.prepare(StatefulTraffic(profile=stateful_profile_of("mix"), directions=(THERE, BACK)))
        engine.start(500.0, 10.0)
        assert server.starts[0]["mult"] == 50.0
        assert server._rate_cps == 500.0


def test_what_is_not_answered_fails_and_is_told_by_kind(server: StandInStateful, tmp_path: Path) -> None:
    server.capacity_cps = 500.0
    engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        engine.start(1000.0, 10.0)
        time.sleep(0.3)
        engine.stop_new_connections()
        time.sleep(0.2)
        engine.stop()
        count = engine.count()
    assert count.connections.failed == pytest.approx(count.connections.begun / 2, rel=0.05)
    errors = {(error.side, error.name): error for error in count.errors}
    assert set(errors) == {("client", "tcps_testdrops"), ("client", "tcps_rexmttimeo_syn")}
    cut = errors["client", "tcps_testdrops"]
    assert (cut.protocol, cut.meaning) == ("TCP", "connections cut because they had not ended when the test did")
    assert cut.count == pytest.approx(count.connections.failed, abs=1)


def test_errors_of_the_flow_table_before_the_test_do_not_count(
    server: StandInStateful, engine: TrexStatefulEngine
) -> None:
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        engine.start(10.0, 10.0)
        assert engine.count().errors == ()
        server._values["server"]["err_no_template"] = 2.0
        server._values["client"]["tcps_nobody_knows_this"] = 1.0
        found = [
            (error.side, error.name, error.protocol, error.meaning, error.count) for error in engine.count().errors
        ]
    assert found == [
        ("client", "tcps_nobody_knows_this", "TCP", "help of tcps_nobody_knows_this", 1),
        ("server", "err_no_template", "flow table", "connections to a port without a server", 2),
    ]


def test_stamped_packets_measure_latency_beside_the_connections(
    server: StandInStateful, engine: TrexStatefulEngine
) -> None:
    with held(engine, PORTS):
        engine.prepare(StatefulTraffic(profile=TRAFFIC.profile, directions=(THERE, BACK), latency_pps=200.0))
        engine.start(10.0, 10.0)
        assert server.starts[0]["latency_pps"] == 200
        time.sleep(0.2)
        there, back = engine.delays()
    assert (there.direction, back.direction) == (THERE, BACK)
    assert (there.average_us, there.maximum_us, there.jitter_us) == (35.5, 140.0, 4.0)
    assert there.sent == there.received >= 40


def test_without_stamped_packets_there_is_no_latency(server: StandInStateful, engine: TrexStatefulEngine) -> None:
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        assert engine.delays() == ()


def test_the_traffic_begins_on_the_ports_that_were_chosen(tmp_path: Path) -> None:
    with StandInStateful(ports=4) as server:
        engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
        there = Direction(source="2", sink="3")
        with held(engine, ("2", "3")):
            engine.prepare(StatefulTraffic(profile=TRAFFIC.profile, directions=(there,)))
            engine.start(10.0, 10.0)
            assert server.starts[0]["client_mask"] == 0b100
            assert [port.is_promiscuous for port in server.ports] == [False, False, True, True]
        assert not any(port.is_promiscuous for port in server.ports)
        assert server.is_idle


@pytest.mark.parametrize("ports", [("1", "0"), ("1", "2"), ("0", "3")])
def test_ports_that_t_rex_does_not_pair_are_refused(ports: tuple[str, ...], tmp_path: Path) -> None:
    with StandInStateful(ports=4) as server:
        engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
        with pytest.raises(UsageError, match=f"ports {ports[0]} and {ports[1]} are no pair"), held(engine, ports):
            pass
        assert server.is_idle


def test_a_server_of_somebody_else_is_left_alone(server: StandInStateful, engine: TrexStatefulEngine) -> None:
    server.take_away("alice")
    with pytest.raises(EngineError, match="port 0 belongs to alice"), held(engine, PORTS):
        pass
    assert server.ports[0].owner == "alice"


def test_a_server_that_somebody_takes_in_the_same_moment_is_left_alone(
    server: StandInStateful, engine: TrexStatefulEngine
) -> None:
    server.on_call = lambda method: server.take_away("alice") if method == "acquire" else None
    with pytest.raises(EngineError, match="the T-Rex server is owned by another user"), held(engine, PORTS):
        pass
    assert server.ports[0].owner == "alice"


def test_force_takes_a_server_and_stops_what_runs_there(server: StandInStateful, tmp_path: Path) -> None:
    first = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
    first.acquire(PORTS)
    first.prepare(TRAFFIC)
    first.start(100.0, 60.0)
    second = TrexStatefulEngine(server.address, SystemClock(), is_forced=True, root=tmp_path)
    with held(second, PORTS):
        assert server.state == IDLE
        with pytest.raises(EngineError, match="another user took the T-Rex server over from this test"):
            first.update(200.0)
    assert server.is_idle
    with pytest.raises(EngineError):
        first.release()


def test_traffic_that_an_owner_has_left_behind_is_stopped(server: StandInStateful, tmp_path: Path) -> None:
    gone = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
    gone.acquire(PORTS)
    gone.prepare(TRAFFIC)
    gone.start(100.0, 60.0)
    gone._server.rpc.call("release", handler=server._handler)
    engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
    with held(engine, PORTS):
        assert server.state == IDLE
    with pytest.raises(EngineError, match="another user took the T-Rex server"):
        gone.release()


def test_a_port_without_link_is_refused_but_only_one_that_is_used(tmp_path: Path) -> None:
    with StandInStateful(ports=4) as server:
        server.ports[3].is_up = False
        engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
        with held(engine, PORTS):
            pass
        with pytest.raises(EngineError, match="port 3 has no link"), held(engine, ("2", "3")):
            pass
        assert server.is_idle


def test_a_profile_that_the_server_does_not_take_is_said_with_its_reason(
    server: StandInStateful, engine: TrexStatefulEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.loadtest.trex.stateful.profile_json", lambda profile: '{"buf_list": 5}')
    with pytest.raises(EngineError, match="T-Rex does not start the profile") as caught, held(engine, PORTS):
        engine.prepare(TRAFFIC)
        engine.start(10.0, 10.0)
    assert "T-Rex's answer: Profile parsing error" in caught.value.hint
    assert server.is_idle


def test_traffic_ends_by_itself_when_nobody_is_left_to_stop_it(
    server: StandInStateful, engine: TrexStatefulEngine
) -> None:
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        engine.start(1000.0, 0.2)
        time.sleep(0.6)
        assert engine.count().connections.begun == pytest.approx(200, abs=2)
        assert server.state == LOADED


@pytest.mark.parametrize("state", ["parsing", "transmitting"])
def test_a_server_that_was_left_behind_is_given_back(state: str, server: StandInStateful, tmp_path: Path) -> None:
    engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
    engine.acquire(PORTS)
    engine.prepare(TRAFFIC)
    if state == "parsing":
        engine._context.call("start", mult=1.0, duration=60.0, nc=False, latency_pps=0, ipv6=False, client_mask=1)
    else:
        engine.start(1000.0, 60.0)
        assert server.state == TRANSMITTING
    release_ports(server.address, {"context": server._handler}, SystemClock())
    assert server.is_idle
    assert server.state == IDLE
    with pytest.raises(EngineError, match="another user took the T-Rex server"):
        engine.release()


def test_a_server_that_somebody_else_has_by_now_is_left_to_them(server: StandInStateful) -> None:
    server.take_away("alice")
    release_ports(server.address, {"context": "ours"}, SystemClock())
    assert server.ports[0].owner == "alice"


def test_a_server_that_does_not_stop_is_given_back_and_said(
    server: StandInStateful, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.loadtest.trex.profile_state.PATIENCE_S", 0.2)
    engine = TrexStatefulEngine(server.address, SystemClock(), root=tmp_path)
    server.is_stubborn = True
    with (
        pytest.raises(EngineError, match=r"T-Rex does not stop within 0\.2 s: it is transmitting"),
        held(engine, PORTS),
    ):
        engine.prepare(TRAFFIC)
        engine.start(10.0, 10.0)
    assert server.ports[0].owner == ""


def test_a_server_that_says_nonsense_of_its_state_is_stopped_all_the_same(
    server: StandInStateful, engine: TrexStatefulEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EngineError, match="T-Rex answers 'x' where _ should be"), held(engine, PORTS):
        engine.prepare(TRAFFIC)
        engine.start(10.0, 60.0)
        monkeypatch.setattr(server, "rpc_sync", lambda arguments: {"state_profile": {"_": "x"}})
        engine.stop()
    time.sleep(0.3)
    assert server.is_idle
    assert server.state == LOADED


def test_a_state_that_there_is_not_is_an_error(server: StandInStateful, engine: TrexStatefulEngine) -> None:
    engine.acquire(PORTS)
    server.state = 17
    with pytest.raises(EngineError, match="unknown state 17"):
        engine.stop()
    server.state = LOADED
