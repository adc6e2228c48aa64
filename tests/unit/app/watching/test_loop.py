"""When a watch looks and what it says, with a VPP and a clock that a test plays."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.stub_dataplane import StubDataplane
from vppcfg.app.watching.file import WatchedFile
from vppcfg.app.watching.loop import FIRST_PAUSE_S, HOLD_S, LONGEST_PAUSE_S, LONGEST_S, QUIET_S, SHARE, TICK_S, VppWatch
from vppcfg.app.watching.notices import MetricsSource, Notice
from vppcfg.app.watching.verification import Verifier
from vppcfg.cli.console import Terminal
from vppcfg.cli.output import ColourChoice
from vppcfg.dataplane import Dataplane, Follower, Performance
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import DataplaneError, ExitCode, LinuxError, PlanRefusedError
from vppcfg.model.attachment import Attachment
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.operations.operation import Operation
from vppcfg.render.prometheus import WatchMetrics
from vppcfg.verify.mismatch import Comparison, Mismatch, MismatchKind, Subject
from vppcfg.verify.report import VerifyReport, report_of

FILE = "interfaces: { eth0: { mtu: 1500 } }\n"
INTERVAL_S = 60.0


def state(mtu: int, *more: str) -> State:
    """Return a VPP with eth0 up at an MTU, and other ports that the file does not know."""
    eth0 = Interface(name="eth0", kind=InterfaceKind.PHYSICAL, device_class="dpdk", link_mtu=mtu, packet_mtu=mtu)
    ports = {"eth0": replace(eth0, is_up=True), **{name: replace(eth0, name=name) for name in more}}
    return State(interfaces=ports)


RIGHT, WRONG = state(1500), state(9000)


class OverError(Exception):
    """The time of a test is over."""


class World:
    """A clock, and a VPP to which things happen at certain times."""

    def __init__(self, until_s: float = 1000.0, state: State = RIGHT) -> None:
        self.now_s = 0.0
        self.until_s = until_s
        self.state = state
        self.others: tuple[Attachment, ...] = ()
        self.boot = "boot 1"
        self.is_there = True
        self.is_busy = False
        self.looks: list[float] = []
        self.closely: list[frozenset[str]] = []
        self.attempts: list[float] = []
        self.look_takes_s = 0.0
        self.agenda: list[tuple[float, bool, Callable[[], object]]] = []

    def at(self, when_s: float, happen: Callable[[], object], *, is_told: bool = True) -> None:
        """Have something happen, which VPP tells of or keeps to itself."""
        self.agenda.append((when_s, is_told, happen))
        self.agenda.sort(key=lambda entry: entry[0])

    def become(self, state: State) -> Callable[[], None]:
        """Return what brings VPP to a state."""
        return lambda: setattr(self, "state", state)

    def go(self) -> None:
        """Have VPP go away."""
        self.is_there = False

    def come(self, boot: str, state: State = WRONG) -> Callable[[], None]:
        """Return what has VPP come back."""

        def happen() -> None:
            self.is_there, self.boot, self.state = True, boot, state

        return happen

    def pass_time(self, until_s: float, *, stop_at_event: bool) -> bool:
        """Let time pass; return whether something was told."""
        while self.agenda and self.agenda[0][0] <= until_s:
            when_s, is_told, happen = self.agenda.pop(0)
            self.now_s = max(self.now_s, when_s)
            happen()
            if stop_at_event and not self.is_there:
                raise DataplaneError("VPP went away", "start it")
            if is_told and stop_at_event:
                return True
        self.now_s = until_s
        if self.now_s > self.until_s:
            raise OverError
        return False

    def monotonic(self) -> float:
        return self.now_s

    def time(self) -> float:
        return 1_700_000_000 + self.now_s

    def sleep(self, seconds: float) -> None:
        self.pass_time(self.now_s + seconds, stop_at_event=False)

    def connect(self) -> tuple[Dataplane, Follower]:
        self.attempts.append(self.now_s)
        if not self.is_there:
            raise DataplaneError("there is no VPP", "start it")
        vpp = Vpp(self)
        return vpp, vpp


class Vpp(StubDataplane):
    """A connection to the VPP of a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.boot_id = world.boot

    def observe(self) -> State:
        self._world.looks.append(self._world.now_s)
        self._world.now_s += self._world.look_takes_s
        return self._world.state

    def look_closer(self, interfaces: Collection[str], expected: State) -> State:
        self._world.closely.append(frozenset(interfaces))
        return self._world.state

    def unmanaged(self, holders: Collection[str], state: State, in_linux: Collection[str] = ()) -> Sequence[Attachment]:
        return self._world.others

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        raise AssertionError("a watch changes nothing")

    def follow(self) -> None:
        pass

    def wait(self, seconds: float) -> bool:
        return self._world.pass_time(self._world.now_s + seconds, stop_at_event=True)


class Heard:
    """Keeps what is said."""

    def __init__(self) -> None:
        self.notices: list[Notice] = []
        self.syncs: list[bool] = []

    def notify(self, notice: Notice) -> None:
        self.notices.append(notice)

    def show(self, status: MetricsSource) -> None:
        assert isinstance(status, WatchMetrics)
        self.syncs.append(status.is_in_sync)

    @property
    def events(self) -> list[str]:
        return [notice.event for notice in self.notices]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "router.yaml"
    path.write_text(FILE)
    return path


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def status() -> WatchMetrics:
    return WatchMetrics()


WatchWorld = Callable[..., ExitCode | None]


@pytest.fixture
def watch(path: Path, heard: Heard, status: WatchMetrics) -> WatchWorld:
    """Return what watches a world until its time is over, or looks at it once and returns the exit code."""

    def run(
        world: World,
        reconciler: Callable[[WatchedFile, Collection[str]], ExitCode] | None = None,
        *,
        is_once: bool = False,
        is_verbose: bool = True,
        verifier: Verifier | None = None,
        accepted: State | None = None,
        daemon_drift: Callable[[], tuple[str, ...]] = tuple,
    ) -> ExitCode | None:
        made = VppWatch(
            WatchedFile(SourceFiles(names=(str(path),)), Terminal(ColourChoice.NEVER)),
            world.connect,
            heard,
            status,
            interval_s=INTERVAL_S,
            reconciler=reconciler,
            is_busy=lambda: world.is_busy,
            protected_by=lambda boot_id: accepted,
            verifier=verifier,
            daemon_drift=daemon_drift,
            is_verbose=is_verbose,
            clock=world,
        )
        if is_once:
            return made.once()
        with pytest.raises(OverError):
            made.run()
        return None

    return run


def test_it_looks_at_once_and_then_every_so_often(watch: WatchWorld, heard: Heard) -> None:
    world = World(until_s=200)
    watch(world)
    assert world.looks == [0, 60, 120, 180]
    assert heard.events == ["connected", "in_sync"]


def test_of_many_interfaces_each_is_read_closely_in_its_turn(watch: WatchWorld) -> None:
    many = state(1500, *(f"eth{n}" for n in range(1, 25)))
    world = World(until_s=260, state=replace(many, facts=replace(many.facts, left_out=("something",))))
    watch(world)
    assert [len(each) for each in world.closely] == [10, 10, 5, 10, 10]
    assert frozenset.union(*world.closely[:3]) == many.interfaces.keys()
    assert world.closely[0] == world.closely[3]


def test_a_routing_daemon_that_drifts_is_said_once_and_when_it_is_back(watch: WatchWorld, heard: Heard) -> None:
    world = World(until_s=300)
    drifted: list[str] = []
    world.at(70, lambda: drifted.append("FRR does not run what was accepted: + router bgp 1"))
    world.at(190, drifted.clear)
    watch(world, daemon_drift=lambda: tuple(drifted))
    assert heard.events == ["connected", "in_sync", "daemon_drift", "daemon_in_sync"]
    assert heard.notices[-2].text == "FRR does not run what was accepted: + router bgp 1"
    assert heard.notices[-2].is_bad


def test_a_look_that_finds_a_drifted_daemon_exits_as_for_drift(watch: WatchWorld) -> None:
    assert watch(World(), daemon_drift=lambda: ("BIRD drifts",), is_once=True) == ExitCode.DRIFT


def test_ipsec_that_is_gone_from_an_interface_is_said_once(watch: WatchWorld, heard: Heard) -> None:
    name = next(iter(RIGHT.interfaces))
    protection = Attachment(holder=name, kind="IPsec protection", guards=True, lines=("ipsec tunnel protect",))
    world = World(until_s=200)
    world.others = (protection,)

    def lose() -> None:
        world.others = ()

    world.at(70, lose)
    watch(world, accepted=replace(RIGHT, unmanaged=(protection,)))
    assert heard.events == ["connected", "in_sync", "unprotected"]
    assert heard.notices[-1].data["interfaces"] == [name]


def with_sub(mtu: int) -> State:
    """Return the VPP that is right, with a sub-interface that is up and has a packet MTU or none."""
    sub = Interface(
        name="eth0.100",
        kind=InterfaceKind.SUB_INTERFACE,
        device_class="dpdk",
        parent="eth0",
        sub_id=100,
        encapsulation=Encapsulation(outer=100, is_exact=True),
        packet_mtu=mtu,
        is_up=True,
    )
    return replace(RIGHT, interfaces={**RIGHT.interfaces, "eth0.100": sub})


def test_a_sub_interface_that_routes_larger_packets_than_the_file_means_is_drift(
    watch: WatchWorld, path: Path, heard: Heard, status: WatchMetrics
) -> None:
    path.write_text("interfaces: { eth0: { mtu: 1500, sub-interfaces: { 100: { state: up } } } }\n")
    world = World(150, with_sub(0))
    assert watch(world, is_once=True) is ExitCode.DRIFT
    assert heard.events == ["connected", "problem", "drift"]
    assert "eth0.100 has no MTU of its own in VPP" in heard.notices[1].text
    assert heard.notices[-1].text == f"1 problem stands between {path} and VPP"
    assert status.problems == ("sub-mtu-unset",) and not status.is_in_sync
    world.at(70, world.become(with_sub(1500)), is_told=False)
    watch(world)
    assert heard.events[3:] == ["connected", "problem", "drift", "problem_gone", "in_sync"]


def test_an_event_brings_a_look_after_a_moment_of_quiet(watch: WatchWorld, heard: Heard) -> None:
    world = World(until_s=50)
    world.at(10.2, world.become(WRONG))
    watch(world)
    assert world.looks == [0, pytest.approx(10.2 + QUIET_S)]
    assert heard.events == ["connected", "in_sync", "difference", "drift"]


def test_what_another_vppcfg_is_half_way_through_is_no_drift(watch: WatchWorld, heard: Heard) -> None:
    world = World(until_s=40)

    def busy(is_busy: bool, state: State) -> Callable[[], None]:
        def happen() -> None:
            world.is_busy, world.state = is_busy, state

        return happen

    world.at(10, busy(True, WRONG))
    world.at(12, busy(True, state(2000)))
    world.at(20, busy(False, RIGHT))
    watch(world)
    assert heard.events == ["connected", "in_sync"]
    assert 20 <= world.looks[1] <= 20 + 2 * TICK_S + QUIET_S


def test_another_vppcfg_that_never_ends_is_not_waited_for(watch: WatchWorld, heard: Heard) -> None:
    world = World(200, WRONG)
    world.is_busy = True
    watch(world)
    assert heard.events == ["connected", "difference", "drift"]
    assert HOLD_S <= world.looks[0] <= HOLD_S + 2 * TICK_S


def test_many_events_at_once_bring_one_look(watch: WatchWorld) -> None:
    world = World(until_s=50)
    for number in range(10):
        world.at(10 + number / 10, world.become(WRONG))
    watch(world)
    assert world.looks == [0, pytest.approx(10.9 + QUIET_S)]


def test_events_without_end_do_not_put_off_the_look_forever(watch: WatchWorld) -> None:
    world = World(until_s=30)
    for number in range(100):
        world.at(10 + number / 5, world.become(WRONG))
    watch(world)
    assert world.looks[1] <= 10 + LONGEST_S + QUIET_S
    assert len(world.looks) <= 6


def test_events_do_not_keep_a_slow_vpp_busy(watch: WatchWorld) -> None:
    world = World(until_s=100)
    world.look_takes_s = 2.0
    for number in range(90):
        world.at(float(number), world.become(WRONG))
    watch(world)
    gaps = [later - earlier for earlier, later in zip(world.looks, world.looks[1:], strict=False)]
    assert min(gaps) >= (1 + SHARE) * world.look_takes_s - QUIET_S


def test_what_vpp_does_not_tell_is_found_at_the_next_look(watch: WatchWorld, heard: Heard) -> None:
    world = World(until_s=130)
    world.at(10, world.become(WRONG), is_told=False)
    world.at(70, world.become(RIGHT), is_told=False)
    watch(world)
    assert heard.events == ["connected", "in_sync", "difference", "drift", "gone", "in_sync"]


def test_a_difference_is_said_once(watch: WatchWorld, heard: Heard) -> None:
    world = World(1000, WRONG)
    watch(world)
    assert len(world.looks) > 10
    assert heard.events == ["connected", "difference", "drift"]


def test_a_problem_is_said_once_and_when_it_is_gone(watch: WatchWorld, heard: Heard, status: WatchMetrics) -> None:
    world = World(150, state(1500, "eth7"))
    world.at(100, world.become(RIGHT))
    watch(world)
    assert heard.events == ["connected", "problem", "drift", "problem_gone", "in_sync"]
    assert heard.notices[1].data["rule"] == "phy-unlisted"
    assert status.problems == ()
    assert heard.syncs[0] is False


def test_a_port_that_is_missing_leaves_nothing_to_compare_but_is_said(watch: WatchWorld, heard: Heard) -> None:
    world = World(10, State())
    watch(world)
    assert heard.events == ["connected", "problem", "drift"]
    assert heard.syncs[-1] is False


def test_while_nothing_can_be_compared_no_difference_counts_as_gone(
    watch: WatchWorld, heard: Heard, path: Path
) -> None:
    path.write_text("interfaces: { eth0: { mtu: 1500, addresses: [ 10.0.0.1/24 ] } }\nunmanaged: [ eth9 ]\n")
    before = state(9000, "eth9")
    taken = replace(before.interfaces["eth9"], addresses=frozenset({"10.0.0.1/24"}))
    world = World(50, before)
    world.at(10, world.become(replace(before, interfaces={**before.interfaces, "eth9": taken})))
    world.at(20, world.become(before))
    watch(world)
    assert heard.events == ["connected", "difference", "drift", "problem", "drift", "problem_gone", "drift"]


def test_a_vpp_that_goes_away_is_awaited_less_and_less_often(
    watch: WatchWorld, heard: Heard, status: WatchMetrics
) -> None:
    world = World(until_s=300)
    world.at(10.5, world.go)
    watch(world)
    gaps = [later - earlier for earlier, later in zip(world.attempts[1:], world.attempts[2:], strict=False)]
    assert world.attempts[1] == pytest.approx(10.5 + FIRST_PAUSE_S)
    assert gaps[:5] == [pytest.approx(2 * FIRST_PAUSE_S * 2**number) for number in range(4)] + [LONGEST_PAUSE_S]
    assert set(gaps[4:]) == {LONGEST_PAUSE_S}
    assert heard.events == ["connected", "in_sync", "lost", "lost"]
    assert [notice.data["message"] for notice in heard.notices[2:]] == ["VPP went away", "there is no VPP"]
    assert (status.is_connected, status.is_in_sync, status.differences) == (False, False, None)
    assert status.errors["vpp"] == len(world.attempts)


def test_a_vpp_that_was_restarted_is_said_and_looked_at(watch: WatchWorld, heard: Heard, status: WatchMetrics) -> None:
    world = World(until_s=100)
    world.at(10, world.go)
    world.at(12, world.come("boot 2"))
    watch(world)
    assert heard.events == ["connected", "in_sync", "lost", "lost", "restarted", "difference", "drift"]
    assert heard.notices[4].data == {"boot_id": "boot 2", "former_boot_id": "boot 1"}
    assert status.restarts == 1


def test_unless_asked_for_more_it_says_one_line_a_look(watch: WatchWorld, heard: Heard) -> None:
    world = World(until_s=100)
    world.at(10, world.go)
    world.at(12, world.come("boot 2"))
    world.at(40, world.become(RIGHT))
    watch(world, is_verbose=False)
    assert heard.events == ["connected", "in_sync", "lost", "lost", "restarted", "drift", "in_sync"]
    assert [len(notice.below) for notice in heard.notices] == [0] * 7


def test_after_a_while_it_tries_quickly_again(watch: WatchWorld) -> None:
    world = World(until_s=500)
    world.at(10, world.go)
    world.at(100, world.come("boot 2"))
    world.at(400, world.go)
    watch(world)
    after = [attempt for attempt in world.attempts if attempt >= 400]
    assert after[0] == pytest.approx(400 + FIRST_PAUSE_S)


def test_a_vpp_that_is_not_there_yet_is_awaited(watch: WatchWorld, heard: Heard) -> None:
    world = World(until_s=50)
    world.is_there = False
    world.at(5, world.come("boot 1", RIGHT))
    watch(world)
    assert heard.events == ["lost", "connected", "in_sync"]


def test_a_file_that_changes_is_compared_with_soon(watch: WatchWorld, heard: Heard, path: Path) -> None:
    world = World(until_s=50)
    world.at(10, lambda: path.write_text(FILE.replace("1500", "9000")), is_told=False)
    watch(world)
    assert heard.events == ["connected", "in_sync", "file_loaded", "difference", "drift"]
    assert 10 < world.looks[1] <= 10 + 3 * TICK_S


def test_a_file_that_is_not_valid_is_said_once(
    watch: WatchWorld, heard: Heard, path: Path, status: WatchMetrics, capsys: pytest.CaptureFixture[str]
) -> None:
    world = World(until_s=200)
    world.at(10, lambda: path.write_text("interfaces: ["), is_told=False)
    watch(world)
    assert heard.events == ["connected", "in_sync", "file_invalid"]
    assert (status.is_file_valid, status.is_in_sync, status.errors["file"]) == (False, True, 1)
    assert "yaml-syntax" in capsys.readouterr().err


def test_a_file_is_loaded_again_while_vpp_is_away(watch: WatchWorld, heard: Heard, path: Path) -> None:
    world = World(until_s=50)
    world.at(5, world.go)
    world.at(10, lambda: path.write_text(FILE.replace("1500", "9000")))
    world.at(20, world.come("boot 1", WRONG))
    watch(world)
    assert heard.events == ["connected", "in_sync", "lost", "lost", "file_loaded", "connected", "in_sync"]


def test_it_brings_vpp_to_the_file_when_that_is_wanted(watch: WatchWorld, heard: Heard, status: WatchMetrics) -> None:
    world = World(until_s=100)
    world.at(10, world.become(WRONG))

    def reconcile(file: WatchedFile, differing: Collection[str]) -> ExitCode:
        world.state = RIGHT
        return ExitCode.DONE

    watch(world, reconcile)
    assert heard.events == ["connected", "in_sync", "difference", "drift", "reconciled", "gone", "in_sync"]
    assert status.reconciliations == 1


def test_what_cannot_be_reconciled_is_tried_again_less_and_less_often(
    watch: WatchWorld, heard: Heard, status: WatchMetrics
) -> None:
    world = World(1000, WRONG)
    tries: list[float] = []

    def refuse(file: WatchedFile, differing: Collection[str]) -> ExitCode:
        tries.append(world.now_s)
        raise PlanRefusedError("eth0 is protected")

    watch(world, refuse)
    assert tries == [0, 60, 180, 420, 900]
    assert heard.events == ["connected", "difference", "drift", *["not_reconciled"] * 5]
    assert heard.notices[3].data == {"code": 5, "message": "eth0 is protected", "retry_s": 60.0}
    assert status.errors["reconcile"] == 5


def test_another_difference_is_tried_at_once(watch: WatchWorld) -> None:
    world = World(100, WRONG)
    world.at(20, world.become(state(2000)))
    tries: list[float] = []

    def fail(file: WatchedFile, differing: Collection[str]) -> ExitCode:
        tries.append(world.now_s)
        return ExitCode.ROLLED_BACK

    watch(world, fail)
    assert tries[:2] == [0, pytest.approx(20 + QUIET_S)]


def test_nothing_is_reconciled_while_a_problem_stands_between(watch: WatchWorld, heard: Heard) -> None:
    world = World(100, state(9000, "eth7"))
    watch(world, lambda file, differing: pytest.fail("it was tried"))
    assert "difference" in heard.events


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (RIGHT, ExitCode.DONE),
        (WRONG, ExitCode.DRIFT),
        (state(9000, "eth7"), ExitCode.DRIFT),
        (state(1500, "eth7"), ExitCode.REFUSED),
        (State(), ExitCode.REFUSED),
    ],
)
def test_one_look_tells_by_its_exit_code(watch: WatchWorld, seen: State, expected: ExitCode) -> None:
    world = World(state=seen)
    assert watch(world, is_once=True) == expected
    assert len(world.looks) == 1


def test_one_look_at_nobody_is_an_error_that_the_status_shows(
    watch: WatchWorld, heard: Heard, status: WatchMetrics
) -> None:
    world = World()
    world.is_there = False
    with pytest.raises(DataplaneError):
        watch(world, is_once=True)
    assert heard.syncs == [False]
    assert status.errors["vpp"] == 1


def test_one_look_reconciles_and_looks_again(watch: WatchWorld) -> None:
    world = World(state=WRONG)

    def reconcile(file: WatchedFile, differing: Collection[str]) -> ExitCode:
        world.state = RIGHT
        return ExitCode.DONE

    assert watch(world, reconcile, is_once=True) == ExitCode.DONE


FAULTY = report_of(
    Comparison(mismatches=frozenset({Mismatch(MismatchKind.STALE, Subject.ADDRESS, "eth0", "192.0.2.9/24")}))
)


class Reports:
    """What each verification finds, the last one again and again; an error is raised."""

    def __init__(self, world: World, *found: VerifyReport | LinuxError, takes_s: float = 0.0) -> None:
        self._world = world
        self._found = list(found)
        self._takes_s = takes_s
        self.at_s: list[float] = []

    def __call__(self) -> VerifyReport:
        self.at_s.append(self._world.now_s)
        self._world.now_s += self._takes_s
        found = self._found.pop(0) if len(self._found) > 1 else self._found[0]
        if isinstance(found, LinuxError):
            raise found
        return found


def test_vpp_is_held_against_linux_once_in_an_interval_and_only_news_are_said(
    watch: WatchWorld, heard: Heard, status: WatchMetrics
) -> None:
    world = World(until_s=250)
    world.at(10, lambda: None)
    reports = Reports(world, report_of(Comparison()), FAULTY, FAULTY, report_of(Comparison()))
    watch(world, verifier=reports)
    assert reports.at_s == [0, 10 + INTERVAL_S + QUIET_S, 10 + 2 * INTERVAL_S + QUIET_S, 10 + 3 * INTERVAL_S + QUIET_S]
    assert [notice.is_bad for notice in heard.notices if notice.event == "verified"] == [False, True, False]
    assert status.verified == report_of(Comparison())


def test_a_verification_that_takes_long_is_done_less_often(watch: WatchWorld) -> None:
    world = World(until_s=400)
    reports = Reports(world, FAULTY, takes_s=30)
    watch(world, verifier=reports)
    assert min(after - before for before, after in zip(reports.at_s, reports.at_s[1:], strict=False)) >= 30 + SHARE * 30


def test_what_goes_wrong_with_a_verification_is_said_and_ends_no_watch(
    watch: WatchWorld, heard: Heard, status: WatchMetrics
) -> None:
    world = World(until_s=100)
    watch(world, verifier=Reports(world, LinuxError("no permission"), FAULTY))
    assert [event for event in heard.events if "verified" in event] == ["not_verified", "verified"]
    assert status.errors["verify"] == 1


def test_one_look_that_finds_vpp_not_as_linux_exits_as_with_a_difference(watch: WatchWorld) -> None:
    world = World(until_s=100)
    assert watch(world, verifier=Reports(world, FAULTY), is_once=True) is ExitCode.DRIFT
    world = World(until_s=100)
    assert watch(world, verifier=Reports(world, report_of(Comparison())), is_once=True) is ExitCode.DONE
    with pytest.raises(LinuxError):
        watch(world, verifier=Reports(world, LinuxError("no permission")), is_once=True)
