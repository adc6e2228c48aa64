"""The process that tidies up behind a test that was killed."""

import pytest

from tests.trex_server import StandInTrex
from tests.unit.loadtest.samples import BACK, THERE
from vppcfg.common.clock import SimulatedClock, SystemClock
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Traffic
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.trex.engine import TrexEngine
from vppcfg.loadtest.trex.guard import Guard, release_ports, unreleased_ports


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], {}),
        (['{"0": "a"}'], {"0": "a"}),
        (['{"0": "a"}', '{"0": "a", "1": "b"}'], {"0": "a", "1": "b"}),
        (['{"0": "a"}', "null"], {}),
        (['{"0": "a"}', '{"0": "a", "1'], {"0": "a"}),
        (['{"0": "a"}', ""], {"0": "a"}),
        (['{"0": "a"}', "[" * 100_000], {"0": "a"}),
        (['{"0": "a"}', '{"x": "b"}', '{"0": 5}', "[]", "5", '{"": "c"}'], {"0": "a"}),
        (['{"0": "a"}', '{"0": "a", "1', "null"], {}),
        (['{"context": "a"}'], {"context": "a"}),
        (['{"context": "a"}', '{"context": null}'], {"context": "a"}),
        (['{"context": "a"}', "null"], {}),
    ],
)
def test_ports_are_left_behind_unless_the_test_says_that_it_ends(lines: list[str], expected: dict[str, str]) -> None:
    assert unreleased_ports(lines) == expected


def test_ports_that_were_left_behind_are_given_back(server: StandInTrex, engine: TrexEngine) -> None:
    engine.acquire(("0", "1"))
    engine.prepare(Traffic(profile=profile_of("bench"), directions=(THERE, BACK)))
    engine.start(1000.0, 60.0)
    release_ports(server.address, {str(port.index): port.handler for port in server.ports}, SystemClock())
    assert server.is_idle
    with pytest.raises(EngineError, match="another user took port 0"):
        engine.release()


def test_ports_that_somebody_else_has_by_now_are_left_to_them(server: StandInTrex) -> None:
    server.ports[0].owner, server.ports[0].handler = "alice", "hers"
    release_ports(server.address, {"0": "ours"}, SystemClock())
    assert server.ports[0].owner == "alice"


def test_a_guard_that_is_dismissed_does_nothing(server: StandInTrex) -> None:
    guard = Guard(server.address)
    guard.watch({"0": "x"})
    guard.dismiss()
    assert server.calls == []


class Comeback(SimulatedClock):
    """A clock on which the server answers again after a while."""

    def __init__(self, server: StandInTrex) -> None:
        super().__init__()
        self._server = server

    def sleep(self, duration_s: float) -> None:
        super().sleep(duration_s)
        self._server.is_mute = self.now() < 10.0


def test_a_server_that_is_away_for_a_while_is_waited_for(
    server: StandInTrex, engine: TrexEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.loadtest.trex.channel.TIMEOUT_S", 0.1)
    engine.acquire(("0", "1"))
    handlers = {str(port.index): port.handler for port in server.ports}
    server.is_mute = True
    release_ports(server.address, handlers, Comeback(server))
    assert server.is_idle
    with pytest.raises(EngineError):
        engine.release()
