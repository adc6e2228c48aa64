"""How a change ends when something goes wrong, on a stand-in dataplane that shows and refuses what a test tells it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.unit.plan.test_carried_in_linux import ADDRESS, STATE, renamed
from vppcfg.app.report import SilentReport
from vppcfg.dataplane import ForeignRoutes, Performance, Refusal
from vppcfg.errors import DataplaneError
from vppcfg.model.attachment import Attachment
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.model.memif import Memif, MemifMode, MemifRole
from vppcfg.model.question import AskOutcome, Question
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Hidden, VppObject
from vppcfg.model.vrf import FibTable
from vppcfg.plan.operations import Operation, RestoreInLinux
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.transaction.session import Session, connected_within
from vppcfg.transaction.transact import Cause, Ending, Outcome, transact

PORT = Interface(name="gi0", kind=InterfaceKind.PHYSICAL, link_mtu=1500, packet_mtu=1500, is_up=True)
OLD = State(interfaces={"gi0": PORT})
NEW = State(interfaces={"gi0": replace(PORT, packet_mtu=1400)})
OTHER = State(interfaces={"gi0": replace(PORT, packet_mtu=1300)})


class Played:
    """Shows one state after another, the last one for ever, and refuses the batches that it is told to."""

    boot_id = "process 1"

    def __init__(self, states: Sequence[State], refused: Sequence[int]) -> None:
        self._states = list(states)
        self._refused = refused
        self.batches = 0

    def observe(self) -> State:
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]

    def nat44_sessions(self) -> int:
        return 0

    def unmanaged(self, holders: Collection[str], state: State) -> Sequence[Attachment]:
        return ()

    def ask(self, question: Question) -> AskOutcome:
        return AskOutcome(cannot_ask="this VPP has no wires")

    def foreign_routes(self, tables: Sequence[FibTable]) -> Sequence[ForeignRoutes]:
        return ()

    def hidden(self, items: Sequence[VppObject]) -> Sequence[Hidden]:
        return ()

    def read_keys(self) -> Mapping[str, bytes]:
        return {}

    def use_keys(self, keys: Mapping[str, bytes]) -> None:
        """Take none."""

    def perform(
        self,
        operations: Sequence[Operation],
        on_progress: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        waits: Collection[int] = (),
    ) -> Performance:
        self.batches += 1
        if self.batches in self._refused:
            return Performance(done=(), refusals=(Refusal(index=0, operation=operations[0], retval=-1, text="no"),))
        return Performance(done=tuple(range(len(operations))))

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.transaction.verify.SETTLE_S", -1.0)


def outcome_of(dataplane: Played) -> Outcome:
    plan: Plan = make_plan(OLD, NEW)
    return transact(
        plan,
        Session(lambda: dataplane),
        watcher=SilentReport(),
        should_stop=lambda: False,
        is_unmanaged=lambda name: False,
        on_bug=lambda outcome: None,
    )


def test_the_new_state_is_the_end() -> None:
    assert outcome_of(Played([NEW], ())).ending is Ending.NEW


def test_what_was_refused_before_it_did_anything_needs_no_way_back() -> None:
    dataplane = Played([OLD], (1,))
    outcome = outcome_of(dataplane)
    assert (outcome.ending, outcome.inverse, dataplane.batches) == (Ending.OLD, 0, 1)


def test_the_way_back_is_tried_again() -> None:
    dataplane = Played([OTHER, OTHER, OLD], (1, 2))
    outcome = outcome_of(dataplane)
    assert (outcome.ending, outcome.inverse, dataplane.batches) == (Ending.OLD, 1, 3)


def test_a_way_back_that_every_step_of_succeeded_is_looked_at_all_the_same() -> None:
    outcome = outcome_of(Played([OTHER], (1,)))
    assert outcome.ending is Ending.BETWEEN
    assert outcome.rollback_plan is not None
    assert outcome.rollback_plan.steps
    assert outcome.trouble == "VPP shows something else after the way back"


def test_what_refuses_the_way_back_is_told() -> None:
    outcome = outcome_of(Played([OTHER], (1, 2, 3)))
    assert outcome.ending is Ending.BETWEEN
    assert outcome.trouble == "VPP refused a step of the way back: no"


def test_a_port_that_is_gone_is_told() -> None:
    outcome = outcome_of(Played([State()], (1,)))
    assert outcome.ending is Ending.BETWEEN
    assert outcome.trouble == "gone since: gi0"


def restoring(observed: State) -> Outcome:
    """Return how a plan ends that brings an address back in Linux, which is refused."""
    plan = make_plan(observed, replace(renamed(), unmanaged=(ADDRESS,)))
    assert type(plan.operations[-1]) is RestoreInLinux
    return transact(
        plan,
        Session(lambda: Picky([plan.desired], ())),
        watcher=SilentReport(),
        should_stop=lambda: False,
        is_unmanaged=lambda name: False,
        on_bug=lambda outcome: None,
    )


class Picky(Played):
    """Refuses to bring anything back in Linux."""

    def perform(
        self,
        operations: Sequence[Operation],
        on_progress: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        waits: Collection[int] = (),
    ) -> Performance:
        refusals = tuple(
            Refusal(index=place, operation=each, retval=0, text="no gateway")
            for place, each in enumerate(operations)
            if isinstance(each, RestoreInLinux)
        )
        return Performance(done=tuple(range(len(operations) - len(refusals))), refusals=refusals)


def test_a_way_to_a_former_state_goes_on_without_what_linux_takes_no_more() -> None:
    assert restoring(STATE).ending is Ending.NEW


def test_a_change_that_cannot_carry_over_what_linux_has_fails() -> None:
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
    outcome = transact(
        make_plan(OLD, NEW),
        Session(lambda: Played(states, (1,))),
        watcher=listener,
        should_stop=lambda: False,
        is_unmanaged=lambda name: False,
        on_bug=lambda outcome: None,
    )
    assert (outcome.ending, listener.ways_back) == (Ending.OLD, ways_back)


class Failing(Played):
    """Goes away during the first batch."""

    def hidden(self, items: Sequence[VppObject]) -> Sequence[Hidden]:
        return ()

    def read_keys(self) -> Mapping[str, bytes]:
        return {}

    def use_keys(self, keys: Mapping[str, bytes]) -> None:
        """Take none."""

    def perform(
        self,
        operations: Sequence[Operation],
        on_progress: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        waits: Collection[int] = (),
    ) -> Performance:
        if self.batches == 0:
            self.batches += 1
            raise DataplaneError("it does not answer")
        return super().perform(operations, on_progress, should_stop, waits)


@pytest.mark.parametrize(
    ("dataplane", "connections"), [(Played([OTHER, OLD], (1,)), 1), (Failing([OTHER, OLD], ()), 2)]
)
def test_only_a_vpp_that_is_in_doubt_is_connected_to_anew(dataplane: Played, connections: int) -> None:
    made = []

    def connect() -> Played:
        made.append(dataplane)
        return dataplane

    outcome = transact(
        make_plan(OLD, NEW),
        Session(connect),
        watcher=SilentReport(),
        should_stop=lambda: False,
        is_unmanaged=lambda name: False,
        on_bug=lambda outcome: None,
    )
    assert (outcome.ending, len(made)) == (Ending.OLD, connections)


@pytest.mark.parametrize(
    ("dataplane", "ending", "cause"),
    [
        (Played([OTHER, OTHER, OLD], ()), Ending.KEPT, Cause.DIFFERENT),
        (Played([OTHER, OLD], (1,)), Ending.OLD, Cause.REFUSED),
    ],
)
def test_only_what_every_step_of_succeeded_is_kept(dataplane: Played, ending: Ending, cause: Cause) -> None:
    outcome = transact(
        make_plan(OLD, NEW),
        Session(lambda: dataplane),
        watcher=SilentReport(),
        should_stop=lambda: False,
        is_unmanaged=lambda name: False,
        on_bug=lambda outcome: None,
        keep=True,
    )
    assert outcome.failure is not None
    assert (outcome.ending, outcome.failure.cause) == (ending, cause)


def test_a_state_that_is_another_one_is_a_failure_and_undone() -> None:
    outcome = outcome_of(Played([OTHER, OTHER, OLD], ()))
    assert outcome.failure is not None
    assert outcome.failure.remaining is not None
    assert (outcome.ending, outcome.failure.cause) == (Ending.OLD, Cause.DIFFERENT)
    assert [change.name for change in outcome.failure.remaining.changes] == ["gi0"]


def test_a_way_back_that_led_elsewhere_is_tried_again_although_every_step_succeeded() -> None:
    dataplane = Played([OTHER, OTHER, OTHER, OLD], (1,))
    outcome = outcome_of(dataplane)
    assert (outcome.ending, outcome.inverse, dataplane.batches) == (Ending.OLD, 2, 3)


class Counter(SilentReport):
    """Counts the steps that it is told of."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def performed(self, performance: Performance) -> None:
        self.told.append(len(performance.done))


def test_the_steps_of_the_way_back_are_told_too() -> None:
    counter = Counter()
    transact(
        make_plan(OLD, NEW),
        Session(lambda: Played([OTHER, OLD], (1,))),
        watcher=counter,
        should_stop=lambda: False,
        is_unmanaged=lambda name: False,
        on_bug=lambda outcome: None,
    )
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
        transact(
            make_plan(OLD, NEW),
            Session(lambda: Played([OTHER, OLD], ())),
            watcher=Broken(),
            should_stop=lambda: False,
            is_unmanaged=lambda name: False,
            on_bug=told.append,
        )
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
    outcome = transact(
        make_plan(OLD, NEW),
        Session(lambda: Played([NEW], ())),
        watcher=watcher,
        should_stop=lambda: watcher.is_pressed,
        is_unmanaged=lambda name: False,
        on_bug=lambda outcome: None,
    )
    assert outcome.failure is not None
    assert (outcome.failure.cause, watcher.looks) == (Cause.STOPPED, looks)


class Buggy(Played):
    """Meets an error of vppcfg's own in the first batch."""

    def perform(
        self,
        operations: Sequence[Operation],
        on_progress: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        waits: Collection[int] = (),
    ) -> Performance:
        if self.batches == 0:
            self.batches += 1
            raise ZeroDivisionError
        return super().perform(operations, on_progress, should_stop, waits)


def test_after_an_error_of_vppcfg_the_way_back_is_on_a_connection_on_which_nothing_is_under_way() -> None:
    dataplane, connections, outcomes = Buggy([OTHER, OLD], ()), [0], list[Outcome]()

    def connect() -> Played:
        connections[0] += 1
        return dataplane

    with pytest.raises(ZeroDivisionError):
        transact(
            make_plan(OLD, NEW),
            Session(connect),
            watcher=SilentReport(),
            should_stop=lambda: False,
            is_unmanaged=lambda name: False,
            on_bug=outcomes.append,
        )
    assert [(outcome.ending, outcome.inverse) for outcome in outcomes] == [(Ending.OLD, 1)]
    assert connections == [2]


def test_a_port_that_was_made_and_bears_no_mark_yet_goes_again() -> None:
    made = Memif(role=MemifRole.SLAVE, socket="/run/a.sock", mode=MemifMode.ETHERNET)
    port = as_created("memif1/0", InterfaceKind.MEMIF, made)
    after = State(interfaces={**OLD.interfaces, port.name: replace(port, tag="vppcfg")}, virtual={port.name: made})
    unmarked = replace(port, kind=InterfaceKind.PHYSICAL, tag="")
    between = State(interfaces={**OLD.interfaces, port.name: unmarked}, virtual={port.name: made})
    outcome = transact(
        make_plan(OLD, after),
        Session(lambda: Played([between, OLD], (1,))),
        watcher=SilentReport(),
        should_stop=lambda: False,
        is_unmanaged=lambda name: False,
        on_bug=lambda outcome: None,
    )
    assert outcome.ending is Ending.OLD
    assert outcome.inverse > 0
