"""Frames into a VPP at work: which may be sent, when that ends, and that what was made for them is taken away."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest

from tests.unit.probe.conftest import FOLDER, INTERFACES
from tests.unit.probe.test_trace import Traces
from vppcfg.app import injecting
from vppcfg.app.console import Silent
from vppcfg.app.injecting import InjectTerms, inject
from vppcfg.app.target import Target
from vppcfg.config.load import load
from vppcfg.errors import DataplaneError, NotNowError, PlanRefusedError
from vppcfg.model.features import Mirror, TrafficDirection
from vppcfg.model.state import State
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameProbe
from vppcfg.probe.report import ProbeReport, reasons
from vppcfg.probe.safe_injection import foreign_addresses, is_documentation, safe_probes_for, went_out
from vppcfg.probe.test_cases import ProbeSet
from vppcfg.probe.trace import Names, Observation, observe_path
from vppcfg.vpp.probing import Injection, Numbers, require_release

ROUTER = FOLDER / "router.yaml"
DROPPED = """\
Packet 1

00:00:00:000001: pg-input
  stream vppcfg-probe-0, 60 bytes, sw_if_index 1, next_node ethernet-input
00:00:00:000002: ethernet-input
  IP4: 02:00:5e:00:00:01 -> 02:00:00:00:01:00
00:00:00:000003: drop
  ethernet-input: l3 mac mismatch
"""
SENT = DROPPED.partition("00:00:00:000003")[0] + "00:00:00:000003: GigabitEthernet1/0/0-output\n  x flags 0x0\n"


class Vpp:
    """A VPP at work, which does with frames what a test says."""

    boot_id = "first"
    version = "26.02-release"

    def __init__(self, state: State) -> None:
        self.state = state
        self.texts: dict[int, str] = {}
        self.breaks_at = -1
        self.traces = ""
        self.frames: list[Injection] = []
        self.given_back: list[list[tuple[str, int]]] = []
        self.connections = 0

    def __enter__(self) -> Self:
        self.connections += 1
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def observe(self) -> State:
        return self.state

    def require_injection(self) -> None:
        require_release(self.version)

    def foreign_traces(self) -> str:
        return self.traces

    def read_numbers(self) -> Numbers:
        names = dict(enumerate(INTERFACES))
        every = frozenset(names.values())
        return Numbers(interfaces=names, up=every, linked=every, tables={})

    def read_ways(self, asked: Iterable[tuple[int, str]]) -> dict[tuple[int, str], str]:
        network = Network(self.state)
        for each in asked:
            network.way_to(*each)
        found = {each: network.asked[each] for each in asked}
        return {each: "" if way is None else str(way.network) for each, way in found.items()}

    def inject(self, injections: Sequence[Injection], *, is_in_service: bool) -> dict[int, str]:
        assert is_in_service
        if len(self.frames) == self.breaks_at:
            raise DataplaneError("VPP went away")
        self.frames += injections
        return {0: self.texts.get(len(self.frames), DROPPED)}

    def withdraw(self, stations: Iterable[tuple[str, int]] = ()) -> None:
        self.given_back.append(list(stations))


@pytest.fixture
def vpp(state: State, monkeypatch: pytest.MonkeyPatch) -> Vpp:
    """Return a VPP that has what the file says, and drops every frame."""
    found = Vpp(state)
    monkeypatch.setattr(Target, "connect_apart", lambda target: (found, None))
    monkeypatch.setattr("vppcfg.app.injecting.time.sleep", lambda seconds: None)
    return found


def visit(folder: Path, *, may_leave: bool = False, agrees: bool = True, rate: float = 10.0) -> ProbeReport:
    loaded = load(str(ROUTER))
    assert loaded.configuration is not None
    target = Target(api_socket=str(folder / "api.sock"), state_dir=str(folder), run_dir=str(folder))
    terms = InjectTerms(rate=rate, may_leave=may_leave)
    return inject(loaded.configuration, loaded, target, terms, Silent(), lambda text: agrees)


def test_only_frames_that_end_in_vpp_are_sent_and_their_senders_forgotten(vpp: Vpp, tmp_path: Path) -> None:
    report = visit(tmp_path)
    assert report.sent == len(vpp.frames) > 10
    assert vpp.given_back[0] == []
    assert vpp.given_back[1]
    assert {number for _, number in vpp.given_back[1]} == {10}
    held_back = dict(reasons(report.unproved))
    assert held_back["it, or what answers it, would leave by a port (--out-of-ports sends it)"] > 10
    assert held_back["an address of it is not for documentation"] > 10


def test_a_frame_that_ends_at_a_port_that_is_down_is_held_back_too(state: State) -> None:
    """The port may come up, or what is plugged into it, before the frame is there."""
    port = "GigabitEthernet1/0/3"
    down = replace(state, interfaces={**state.interfaces, port: replace(state.interfaces[port], is_up=False)})
    for network in (Network(down), Network(state, frozenset({port}))):
        probe_set = safe_probes_for(network, network, may_leave=False)
        assert len(probe_set.probes) > 10
        assert not [each for each in probe_set.probes if any(step.kind == "sent" for step in each.prediction.steps)]


def test_more_frames_are_sent_where_they_may_leave(vpp: Vpp, tmp_path: Path) -> None:
    few = visit(tmp_path).sent
    assert visit(tmp_path, may_leave=True).sent > few


def test_the_first_frame_that_leaves_is_the_last(vpp: Vpp, tmp_path: Path) -> None:
    vpp.texts = {3: SENT}
    report = visit(tmp_path)
    assert (report.sent, len(vpp.frames)) == (3, 3)
    assert dict(reasons(report.unproved))[injecting._STOPPED] > 3
    assert len(vpp.given_back) == 2


def test_a_frame_whose_way_is_not_known_is_the_last(vpp: Vpp, tmp_path: Path) -> None:
    vpp.texts = {2: ""}
    assert visit(tmp_path).sent == 2


def test_frames_that_may_leave_do_not_end_it(vpp: Vpp, tmp_path: Path) -> None:
    vpp.texts = dict.fromkeys(range(1000), SENT)
    assert visit(tmp_path, may_leave=True).sent == len(vpp.frames) > 10


def test_frames_come_no_faster_than_is_allowed(vpp: Vpp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("vppcfg.app.injecting.time.monotonic", lambda: 5.0)
    monkeypatch.setattr("vppcfg.app.injecting.time.sleep", pauses.append)
    report = visit(tmp_path, rate=4.0)
    assert pauses == [0.25] * report.sent


def test_what_was_made_is_taken_away_on_another_connection_when_the_first_breaks(vpp: Vpp, tmp_path: Path) -> None:
    vpp.breaks_at = 4
    with pytest.raises(DataplaneError, match="went away"):
        visit(tmp_path)
    assert (vpp.connections, len(vpp.given_back)) == (2, 2)


def test_a_vpp_that_was_restarted_has_nothing_to_give_back(vpp: Vpp, tmp_path: Path) -> None:
    vpp.breaks_at = 4
    again = Vpp(vpp.state)
    again.boot_id = "second"
    targets: list[Any] = [vpp, again]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(DataplaneError):
        patch.setattr(Target, "connect_apart", lambda target: (targets.pop(0), None))
        visit(tmp_path)
    assert (again.connections, again.given_back) == (1, [])


def test_it_is_said_what_may_be_left_when_vpp_does_not_answer_again(
    vpp: Vpp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    targets: list[Any] = [vpp]

    def connected(target: Target) -> tuple[Any, None]:
        if not targets:
            raise DataplaneError("nobody listens")
        return targets.pop(), None

    monkeypatch.setattr(Target, "connect_apart", connected)
    monkeypatch.setattr(injecting, "_PATIENCE_S", 0.0)
    with caplog.at_level(logging.ERROR):
        visit(tmp_path)
    assert "the interface pg5311 may be left in VPP: nobody listens" in caplog.text


def test_nothing_is_sent_while_somebody_traces_or_nobody_agrees(vpp: Vpp, tmp_path: Path) -> None:
    with pytest.raises(PlanRefusedError, match="not confirmed; nothing was sent"):
        visit(tmp_path, agrees=False)
    vpp.traces = "packets are in the trace of VPP"
    with pytest.raises(NotNowError, match="packets are in the trace of VPP"):
        visit(tmp_path)
    assert vpp.frames == []


@pytest.mark.parametrize("version", ["25.10-release", "23.06-rc0~35-gaf4046134"])
def test_a_vpp_that_takes_frames_for_those_of_another_interface_is_refused(
    vpp: Vpp, tmp_path: Path, version: str
) -> None:
    vpp.version = version
    with pytest.raises(DataplaneError, match=f"VPP {version} cannot be probed"):
        visit(tmp_path)
    assert (vpp.frames, vpp.given_back) == ([], [])


def test_a_frame_is_held_back_where_a_mirror_would_copy_it(state: State) -> None:
    network = Network(state)
    sent = {probe.port for probe in safe_probes_for(network, network, may_leave=False).probes}
    assert "GigabitEthernet1/0/2" not in sent
    name = "GigabitEthernet1/0/0"
    assert name in sent
    mirror = Mirror(target="GigabitEthernet1/0/5", direction=TrafficDirection.INPUT, is_l2=True)
    told = Network(
        replace(state, interfaces={**state.interfaces, name: replace(state.interfaces[name], mirrors=(mirror,))})
    )
    assert name not in {probe.port for probe in safe_probes_for(network, told, may_leave=False).probes}


def test_a_route_that_the_file_does_not_know_is_found(state: State) -> None:
    network = Network(state)
    assert network.way_to(0, "192.0.2.9") is not None
    network.way_to(0, "198.18.7.77")
    network.way_to(100, "198.18.7.77")
    found = {(0, "192.0.2.9"): "192.0.2.9/32", (0, "198.18.7.77"): "0.0.0.0/0", (100, "198.18.7.77"): ""}
    assert foreign_addresses(network, found.items()) == {(0, "198.18.7.77")}
    learnt = Network(state)
    learnt.way_to(0, "192.0.2.44")
    assert foreign_addresses(learnt, [((0, "192.0.2.44"), "192.0.2.44/32")]) == {(0, "192.0.2.44")}


@pytest.mark.parametrize(
    ("address", "is_for_it"),
    [
        ("192.0.2.255", True),
        ("198.51.100.1", True),
        ("203.0.113.7", True),
        ("198.19.255.255", True),
        ("198.20.0.0", False),
        ("10.0.0.1", False),
        ("2001:db8:ffff::1", True),
        ("2001:db9::1", False),
    ],
)
def test_addresses_for_documentation_are_known(address: str, *, is_for_it: bool) -> None:
    assert is_documentation(address) == is_for_it


def test_every_recorded_way_that_ends_in_vpp_is_told_from_those_that_leave(
    traces: Traces, names: Names, probe_set: ProbeSet
) -> None:
    def ends_within(probe: FrameProbe) -> bool:
        is_copied = any(step.kind == "mirrored" for step in probe.prediction.steps)
        return not is_copied and all(end.fate is Fate.DROPPED for end, _ in probe.prediction.ends)

    told = {number: not went_out(observe_path(nodes, names)) for number, nodes in traces.items()}
    assert told == {number: ends_within(probe_set.probes[number]) for number in traces}
    assert {True, False} == set(told.values())
    assert went_out(None)
    assert went_out(Observation(steps=(), ends=frozenset(), nodes=traces[4]))
