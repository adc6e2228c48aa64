"""How a change ends when something goes wrong, on a stand-in dataplane that shows and refuses what a test tells it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.stub_dataplane import StubDataplane
from tests.unit.plan.test_carried_in_linux import ADDRESS, STATE, renamed
from vppcfg.app.report import SilentReport
from vppcfg.dataplane import Performance, Refusal
from vppcfg.errors import DataplaneError
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.model.memif import Memif, MemifMode, MemifRole
from vppcfg.model.state import State
from vppcfg.operations.attachment import RestoreInLinux
from vppcfg.operations.operation import Operation
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.transaction.session import Session, connected_within
from vppcfg.transaction.transact import Cause, Ending, Outcome, transact

PORT = Interface(name="gi0", kind=InterfaceKind.PHYSICAL, link_mtu=1500, packet_mtu=1500, is_up=True)
OLD = State(interfaces={"gi0": PORT})
NEW = State(interfaces={"gi0": replace(PORT, packet_mtu=1400)})
OTHER = State(interfaces={"gi0": replace(PORT, packet_mtu=1300)})


class Played(StubDataplane):
    """Shows one state after another, the last one for ever, and refuses the batches that it is told to."""

    def __init__(self, states: Sequence[State], refused: Sequence[int]) -> None:
        self._states = list(states)
        self._refused = refused
        self.batches = 0

    def observe(self) -> State:
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        self.batches += 1
        if self.batches in self._refused:
            return Performance(done=(), refusals=(Refusal(index=0, operation=operations[0], retval=-1, text="no"),))
        return Performance(done=tuple(range(len(operations))))


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.transaction.transact.SETTLE_S", -1.0)


def outcome_of(
    vpp: Played | Callable[[], Played],
    plan: Plan | None = None,
    watcher: SilentReport | None = None,
    *,
    should_stop: Callable[[], bool] = lambda: False,
    on_bug: Callable[[Outcome], object] = lambda outcome: None,
    keep: bool = False,
) -> Outcome:
    """Return how a plan ends, from OLD to NEW unless another is given, on a VPP or on those that connections reach."""
    return transact(
        plan or make_plan(OLD, NEW),
        Session(vpp if callable(vpp) else lambda: vpp),
        watcher=watcher or SilentReport(),
        should_stop=should_stop,
        is_unmanaged=lambda name: False,
        on_bug=on_bug,
        keep=keep,
    )


def test_the_new_state_is_the_end() -> None:
    assert outcome_of(Played([NEW], ())).ending is Ending.NEW


@pytest.mark.parametrize(
    ("states", "refused", "ways_back", "batches"),
    [([OLD], (1,), 0, 1), ([OTHER, OTHER, OLD], (1, 2), 1, 3), ([OTHER, OTHER, OTHER, OLD], (1,), 2, 3)],
    ids=["refused before it did anything", "the way back was refused once", "the way back led elsewhere once"],
)
def test_the_way_back_is_tried_again_where_it_is_needed(
    states: Sequence[State], refused: Sequence[int], ways_back: int, batches: int
) -> None:
    dataplane = Played(states, refused)
    outcome = outcome_of(dataplane)
    assert (outcome.ending, outcome.inverse, dataplane.batches) == (Ending.OLD, ways_back, batches)


def test_a_way_back_that_every_step_of_succeeded_is_looked_at_all_the_same() -> None:
    outcome = outcome_of(Played([OTHER], (1,)))
    assert outcome.ending is Ending.BETWEEN
    assert outcome.rollback_plan is not None
    assert outcome.rollback_plan.steps
    assert outcome.trouble == "VPP shows something else after the rollback"


@pytest.mark.parametrize(
    ("state", "refused", "trouble"),
    [(OTHER, (1, 2, 3), "VPP refused a step of the way back: no"), (State(), (1,), "gone since: gi0")],
)
def test_what_stops_the_way_back_is_told(state: State, refused: Sequence[int], trouble: str) -> None:
    outcome = outcome_of(Played([state], refused))
    assert (outcome.ending, outcome.trouble) == (Ending.BETWEEN, trouble)


def restoring(observed: State) -> Outcome:
    """Return how a plan ends that brings an address back in Linux, which is refused."""
    plan = make_plan(observed, replace(renamed(), unmanaged=(ADDRESS,)))
    assert type(plan.operations[-1]) is RestoreInLinux
    return outcome_of(Picky([plan.desired], ()), plan)


class Picky(Played):
    """Refuses to bring anything back in Linux."""

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        refusals = tuple(
            Refusal(index=place, operation=each, retval=0, text="no gateway")
            for place, each in enumerate(operations)
            if isinstance(each, RestoreInLinux)
        )
        return Performance(done=tuple(range(len(operations) - len(refusals))), refusals=refusals)


def test_linux_may_refuse_what_a_former_state_had_and_nothing_that_is_to_be_carried_over() -> None:
    assert restoring(STATE).ending is Ending.NEW
    outcome = restoring(replace(STATE, unmanaged=(ADDRESS,)))
    assert outcome.failure is not None
    assert outcome.failure.cause is Cause.REFUSED


class Listener(SilentReport):
    """Counts the ways back that it is told of."""

    def __init__(self) -> None:
        self.ways_back = 0

    def undoing(self, plan: Plan) -> None:
        self.ways_back += 1


@pytest.mark.parametrize(("states", "ways_back"), [([OLD], 0), ([OTHER, OLD], 1)])
def test_a_way_back_without_a_step_is_none(states: Sequence[State], ways_back: int) -> None:
    listener = Listener()
    outcome = outcome_of(Played(states, (1,)), watcher=listener)
    assert (outcome.ending, listener.ways_back) == (Ending.OLD, ways_back)


class Failing(Played):
    """Goes away during the first batch."""

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        if self.batches == 0:
            self.batches += 1
            raise DataplaneError("it does not answer")
        return super().carry_out(operations)


@pytest.mark.parametrize(
    ("dataplane", "connections"), [(Played([OTHER, OLD], (1,)), 1), (Failing([OTHER, OLD], ()), 2)]
)
def test_only_a_vpp_that_is_in_doubt_is_connected_to_anew(dataplane: Played, connections: int) -> None:
    made = []

    def connect() -> Played:
        made.append(dataplane)
        return dataplane

    outcome = outcome_of(connect)
    assert (outcome.ending, len(made)) == (Ending.OLD, connections)


@pytest.mark.parametrize(
    ("dataplane", "ending", "cause"),
    [
        (Played([OTHER, OTHER, OLD], ()), Ending.KEPT, Cause.DIFFERENT),
        (Played([OTHER, OLD], (1,)), Ending.OLD, Cause.REFUSED),
    ],
)
def test_only_what_every_step_of_succeeded_is_kept(dataplane: Played, ending: Ending, cause: Cause) -> None:
    outcome = outcome_of(dataplane, keep=True)
    assert outcome.failure is not None
    assert (outcome.ending, outcome.failure.cause) == (ending, cause)


def test_a_state_that_is_another_one_is_a_failure_and_undone() -> None:
    outcome = outcome_of(Played([OTHER, OTHER, OLD], ()))
    assert outcome.failure is not None
    assert outcome.failure.remaining is not None
    assert (outcome.ending, outcome.failure.cause) == (Ending.OLD, Cause.DIFFERENT)
    assert [change.name for change in outcome.failure.remaining.changes] == ["gi0"]


class Counter(SilentReport):
    """Counts the steps that it is told of."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def performed(self, performance: Performance) -> None:
        self.told.append(len(performance.done))


def test_the_steps_of_the_way_back_are_told_too() -> None:
    counter = Counter()
    outcome_of(Played([OTHER, OLD], (1,)), watcher=counter)
    assert counter.told == [0, 1]


def test_a_vpp_that_does_not_answer_is_waited_for_as_long_as_is_said_and_no_longer() -> None:
    now_s, attempts = 0.0, []

    def clock() -> float:
        return now_s

    def sleep(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds

    def connect() -> Played:
        attempts.append(now_s)
        raise DataplaneError("nobody is there")

    with pytest.raises(DataplaneError, match="nobody is there"):
        connected_within(connect, 10.0, clock, sleep)
    assert attempts == sorted(attempts)
    assert 7.0 < attempts[-1] <= 10.0
    assert max(later - former for former, later in pairwise(attempts)) <= 2.0


def test_after_an_error_of_our_own_the_old_state_is_brought_back_and_told() -> None:
    class Broken(SilentReport):
        def performing(self, plan: Plan) -> None:
            raise ZeroDivisionError

    told: list[Outcome] = []
    with pytest.raises(ZeroDivisionError):
        outcome_of(Played([OTHER, OLD], ()), watcher=Broken(), on_bug=told.append)
    (outcome,) = told
    assert outcome.failure is not None
    assert (outcome.ending, outcome.inverse, outcome.failure.cause) == (Ending.OLD, 1, Cause.BUG)


class Stopping(SilentReport):
    """Presses Ctrl-C when the state is read again, or at once."""

    def __init__(self, at_once: bool) -> None:
        self.is_pressed = at_once
        self.looks = 0

    def verifying(self) -> None:
        self.looks += 1
        self.is_pressed = True


@pytest.mark.parametrize(("at_once", "looks"), [(True, 0), (False, 1)], ids=["before the look", "during the look"])
def test_a_stop_goes_back_even_when_all_steps_are_done(at_once: bool, looks: int) -> None:
    watcher = Stopping(at_once)
    outcome = outcome_of(Played([NEW], ()), watcher=watcher, should_stop=lambda: watcher.is_pressed)
    assert outcome.failure is not None
    assert (outcome.failure.cause, watcher.looks) == (Cause.STOPPED, looks)


class Buggy(Played):
    """Meets an error of vppcfg's own in the first batch."""

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        if self.batches == 0:
            self.batches += 1
            raise ZeroDivisionError
        return super().carry_out(operations)


def test_after_an_error_of_vppcfg_the_way_back_is_on_a_connection_on_which_nothing_is_under_way() -> None:
    dataplane, connections, outcomes = Buggy([OTHER, OLD], ()), [0], list[Outcome]()

    def connect() -> Played:
        connections[0] += 1
        return dataplane

    with pytest.raises(ZeroDivisionError):
        outcome_of(connect, on_bug=outcomes.append)
    assert [(outcome.ending, outcome.inverse) for outcome in outcomes] == [(Ending.OLD, 1)]
    assert connections == [2]


def test_a_port_that_was_made_and_bears_no_mark_yet_goes_again() -> None:
    made = Memif(role=MemifRole.SLAVE, socket="/run/a.sock", mode=MemifMode.ETHERNET)
    port = as_created("memif1/0", InterfaceKind.MEMIF, made)
    after = State(interfaces={**OLD.interfaces, port.name: replace(port, tag="vppcfg")}, virtual={port.name: made})
    unmarked = replace(port, kind=InterfaceKind.PHYSICAL, tag="")
    between = State(interfaces={**OLD.interfaces, port.name: unmarked}, virtual={port.name: made})
    outcome = outcome_of(Played([between, OLD], (1,)), make_plan(OLD, after))
    assert outcome.ending is Ending.OLD
    assert outcome.inverse > 0
