"""T-Rex as an engine, on a stand-in for its server."""

import time
from pathlib import Path

import pytest

from tests.trex_server import StandInTrex
from tests.unit.loadtest.samples import BACK, THERE
from vppcfg.common.clock import SystemClock
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Engine, Traffic, held
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.trex.engine import TrexEngine

TRAFFIC = Traffic(profile=profile_of("bench", "64", "var2"), directions=(THERE, BACK))
PORTS = ("0", "1")


def test_it_says_what_it_is(engine: TrexEngine) -> None:
    generator = engine.describe()
    assert (generator.engine, generator.version, generator.cores) == ("trex", "v3.08", 1)
    assert [(port.name, port.link_bps, port.mac) for port in generator.ports] == [
        ("0", 10**10, "02:00:00:00:00:00"),
        ("1", 10**10, "02:00:00:00:00:01"),
    ]


@pytest.mark.parametrize("api", [(5, 0), (5, 1), (5, 7), (4, 8), (6, 0)])
def test_it_speaks_the_api_of_the_server(api: tuple[int, int], tmp_path: Path) -> None:
    with StandInTrex(api=api) as server:
        engine = TrexEngine(server.address, SystemClock(), root=tmp_path)
        assert len(engine.describe().ports) == 2
        engine.release()


def test_a_stateful_server_is_refused(tmp_path: Path) -> None:
    with StandInTrex(mode="ASTF") as server:
        engine = TrexEngine(server.address, SystemClock(), root=tmp_path)
        with pytest.raises(EngineError, match="runs in stateful mode") as caught:
            engine.describe()
        assert "start it without --astf" in caught.value.hint
        engine.release()


def test_packets_are_counted_from_the_first_to_the_last(server: StandInTrex, engine: TrexEngine) -> None:
    server.capacity_pps = 6000.0
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        engine.start(5000.0, 10.0)
        time.sleep(0.2)
        engine.update(10_000.0)
        time.sleep(0.2)
        running = engine.count()
        engine.stop()
        counts = [engine.count() for _ in range(2)]
    assert counts[0].tallies == counts[1].tallies
    first = counts[0].tallies[0]
    assert 3000 <= first.sent < 6000
    assert first.received == pytest.approx(first.sent - 800, rel=0.3)
    assert running.cpu_share == 0.125
    assert 0 < running.uncertainty_s < 0.5
    assert server.is_idle


def test_counters_of_another_test_do_not_count(server: StandInTrex, engine: TrexEngine) -> None:
    server.ports[0].sent = server.ports[1].received = 1e9
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        assert engine.count().tallies[0].sent == 0


def test_traffic_stops_by_itself_when_nobody_is_left_to_stop_it(server: StandInTrex, engine: TrexEngine) -> None:
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        engine.start(1000.0, 0.2)
        time.sleep(0.5)
        assert [tally.sent for tally in engine.count().tallies] == [200, 200]


def test_streams_that_measure_latency_come_on_top_of_the_load(server: StandInTrex, engine: TrexEngine) -> None:
    with held(engine, PORTS):
        engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE, BACK), latency_pps=500.0))
        engine.start(1000.0, 10.0)
        assert [port.rate_pps for port in server.ports] == [1500.0, 1500.0]
        time.sleep(0.05)
        there, back = engine.delays()
    assert (there.direction, back.direction) == (THERE, BACK)
    assert (there.average_us, there.minimum_us, there.maximum_us, there.jitter_us) == (35.5, 20.0, 1200.0, 4.0)
    assert there.histogram == ((20.0, 900), (100.0, 99), (1000.0, 1))
    assert (there.sent, there.received, there.dropped) == (1000, 1000, 0)


def test_a_direction_sends_from_its_own_port_only(server: StandInTrex, engine: TrexEngine) -> None:
    with held(engine, PORTS):
        engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE,)))
        engine.start(1000.0, 10.0)
        assert [port.rate_pps for port in server.ports] == [1000.0, 0.0]


def test_a_port_that_is_being_configured_is_waited_for(server: StandInTrex, engine: TrexEngine) -> None:
    server.try_again = 1
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
    assert server.try_again == 0


def test_ports_become_promiscuous_and_are_given_back_as_they_were(server: StandInTrex, engine: TrexEngine) -> None:
    with held(engine, PORTS):
        assert [port.is_promiscuous for port in server.ports] == [True, True]
    assert [port.is_promiscuous for port in server.ports] == [False, False]
    assert [port.streams for port in server.ports] == [{}, {}]


def refusal_of(engine: Engine, ports: tuple[str, ...] = PORTS) -> EngineError:
    with pytest.raises(EngineError) as caught, held(engine, ports):
        engine.prepare(TRAFFIC)
        engine.start(1000.0, 10.0)
    return caught.value


def test_a_port_of_somebody_else_is_left_alone(server: StandInTrex, engine: TrexEngine) -> None:
    server.ports[1].owner, server.ports[1].state = "alice", "TX"
    error = refusal_of(engine)
    assert (error.message, error.hint) == (
        "port 1 belongs to alice, and sends", "--force takes it; its traffic stops",
    )  # fmt: skip
    assert (server.ports[0].owner, server.ports[1].owner) == ("", "alice")


def test_a_port_that_somebody_takes_in_the_same_moment_is_left_alone(server: StandInTrex, engine: TrexEngine) -> None:
    def take(method: str) -> None:
        if method == "acquire":
            server.ports[1].owner = "alice"

    server.on_call = take
    assert refusal_of(engine).message == "port 1 belongs to alice"
    assert (server.ports[0].owner, server.ports[1].owner) == ("", "alice")


def test_force_takes_a_port_and_stops_what_runs_there(server: StandInTrex, tmp_path: Path) -> None:
    server.ports[0].owner, server.ports[0].handler, server.ports[0].state = "alice", "x", "TX"
    server.ports[0].rate_pps, server.ports[0].stops_at_s = 100.0, float("inf")
    engine = TrexEngine(server.address, SystemClock(), is_forced=True, root=tmp_path)
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        assert server.ports[0].rate_pps == 0.0
    assert server.is_idle


def test_a_port_without_link_is_refused(server: StandInTrex, engine: TrexEngine) -> None:
    server.ports[1].is_up = False
    assert refusal_of(engine).message == "port 1 has no link"
    assert server.is_idle


def test_a_port_that_is_not_there_is_refused(engine: TrexEngine) -> None:
    error = refusal_of(engine, ("0", "7"))
    assert error.message.endswith("has no port 7")
    assert error.hint == "its ports are: 0, 1"


def test_a_port_that_is_taken_in_the_middle_is_said(server: StandInTrex, engine: TrexEngine) -> None:
    with pytest.raises(EngineError, match="another user took port 0 over from this test"), held(engine, PORTS):
        engine.prepare(TRAFFIC)
        server.ports[0].owner, server.ports[0].handler = "bob", "his"
        engine.start(1000.0, 10.0)
    assert server.ports[0].owner == "bob"
    assert server.ports[1].owner == ""


def test_a_server_that_was_restarted_is_said(server: StandInTrex, engine: TrexEngine) -> None:
    with pytest.raises(EngineError, match="was restarted in the meantime"), held(engine, PORTS):
        engine.prepare(TRAFFIC)
        server.restart()
        engine.start(1000.0, 10.0)


def test_counters_that_go_backwards_are_an_error(server: StandInTrex, engine: TrexEngine) -> None:
    server.ports[0].sent = 1000.0
    with held(engine, PORTS):
        engine.prepare(TRAFFIC)
        server.ports[0].sent = 0.0
        with pytest.raises(EngineError, match="the counters of port 0 went backwards"):
            engine.count()


def test_a_load_above_line_rate_is_refused_by_the_server_too(engine: TrexEngine) -> None:
    with pytest.raises(EngineError, match=r"the load is more than port 0 carries \(10 Gbps\)"), held(engine, PORTS):
        engine.prepare(TRAFFIC)
        engine.start(2e7, 10.0)


def test_a_port_with_the_default_route_of_this_machine_is_refused(server: StandInTrex, tmp_path: Path) -> None:
    (tmp_path / "proc/net").mkdir(parents=True)
    row = "eth0\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0"
    (tmp_path / "proc/net/route").write_text(f"Iface Destination ...\n{row}\n")
    (tmp_path / "sys/class/net/eth0").mkdir(parents=True)
    (tmp_path / "sys/class/net/eth0/address").write_text("02:00:00:00:00:01\n")
    engine = TrexEngine(server.address, SystemClock(), root=tmp_path)
    assert refusal_of(engine).message.startswith("port 1 is eth0, which has a default route")
    assert server.is_idle


def test_a_server_that_is_gone_ends_the_test_with_its_name(tmp_path: Path) -> None:
    engine = TrexEngine("127.0.0.1:1", SystemClock(), root=tmp_path)
    engine._server.channel._timeout_s = 0.2
    with pytest.raises(EngineError, match=r"T-Rex at 127\.0\.0\.1:1 cannot be reached"):
        engine.describe()
    engine.release()
