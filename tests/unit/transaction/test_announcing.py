"""When addresses that moved are announced: at once, and a second after all ports can send; it never fails a change."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pytest

from tests.clock import Clock
from tests.stub_dataplane import StubDataplane
from vppcfg.errors import DataplaneError
from vppcfg.model.announcement import Announcement
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import Facts, State
from vppcfg.plan.plan import make_plan
from vppcfg.transaction.announcing import Announced, Announcer
from vppcfg.transaction.session import Session

PORT = Interface(name="eth0", kind=InterfaceKind.PHYSICAL, mac="02:00:00:00:00:01", is_up=True)
OTHER = replace(PORT, name="eth1", mac="02:00:00:00:00:02")
THERE, AWAY = frozenset({"192.0.2.1/24"}), frozenset[str]()
BEFORE = State(
    interfaces={"eth0": replace(PORT, addresses=THERE), "eth1": OTHER}, facts=Facts(plugins=frozenset({"arping"}))
)
AFTER = State(interfaces={"eth0": PORT, "eth1": replace(OTHER, addresses=THERE)})
FAILED = "Nothing moved is announced on eth1: "


class Wires(StubDataplane):
    """Notes when something is announced; ports have link from a moment on."""

    def __init__(self, clock: Clock, link_at: Mapping[str, float], refusal: str = "", *, is_gone: bool = False) -> None:
        self._clock, self._link_at, self._refusal, self._is_gone = clock, link_at, refusal, is_gone
        self._start = clock.now_s
        self.sent: list[float] = []

    def without_link(self) -> frozenset[str]:
        return frozenset(name for name, at in self._link_at.items() if self._clock.now_s < self._start + at)

    def announce(self, announcements: Sequence[Announcement]) -> Mapping[Announcement, str]:
        if self._is_gone:
            raise DataplaneError("VPP went away")
        self.sent.append(round(self._clock.now_s - self._start, 1))
        return dict.fromkeys(announcements, self._refusal) if self._refusal else {}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for name, value in (("time", clock), ("AGAIN_S", 1.0), ("LINK_S", 5.0)):
        monkeypatch.setattr(f"vppcfg.transaction.announcing.{name}", value)
    return clock


def announced(wires: Wires, before: State = BEFORE, goes_down: Collection[str] = ()) -> Announced | None:
    """Return what becomes of announcing a move of an address to eth1; some links go down in the change."""
    announcer = Announcer(Session(lambda: wires))
    links, wires._link_at = wires._link_at, {k: v for k, v in wires._link_at.items() if k not in goes_down}
    announcer.expect(make_plan(before, AFTER))
    wires._link_at = links
    announcer.announce()
    return announcer.repeat()


def test_it_is_announced_at_once_and_a_second_later(clock: Clock) -> None:
    wires = Wires(clock, {})
    assert (announced(wires), wires.sent) == (Announced(1, ()), [0.0, 1.0])


def test_a_port_that_comes_up_announces_it_then_and_a_second_later(clock: Clock) -> None:
    wires = Wires(clock, {"eth1": 2.0})
    assert announced(wires, goes_down={"eth1"}) == Announced(1, ())
    assert wires.sent == [0.0, 2.0, 3.0]


def test_nobody_waits_for_a_port_that_had_no_link_before(clock: Clock) -> None:
    wires = Wires(clock, {"eth1": 99.0})
    assert (announced(wires), wires.sent) == (Announced(0, (f"{FAILED}it has no link",)), [0.0, 1.0])


def test_a_port_that_stays_without_link_is_awaited_for_five_seconds(clock: Clock) -> None:
    wires = Wires(clock, {"eth1": 99.0})
    assert announced(wires, goes_down={"eth1"}) == Announced(0, (f"{FAILED}it has no link",))
    assert wires.sent[-1] == pytest.approx(6.0, abs=0.2)


def test_what_vpp_refuses_or_cannot_hear_is_reported(clock: Clock) -> None:
    assert announced(Wires(clock, {}, "Invalid sw_if_index")) == Announced(0, (f"{FAILED}Invalid sw_if_index",))
    assert announced(Wires(clock, {}, is_gone=True)) == Announced(0, (f"{FAILED}VPP went away",))


def test_nothing_is_sent_and_nobody_waits_where_nothing_moves_or_the_plugin_is_missing(clock: Clock) -> None:
    for before in (AFTER, replace(BEFORE, facts=Facts())):
        wires = Wires(clock, {})
        assert (announced(wires, before), wires.sent, clock.now_s) == (None, [], 1000.0)
