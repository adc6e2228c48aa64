"""Carrying plans out on a stand-in dataplane that does what a test tells it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from tests.stub_dataplane import StubDataplane
from vppcfg.dataplane import Performance, Refusal
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.state import Facts, State
from vppcfg.model.table_sizes import TableSizes
from vppcfg.operations.operation import Operation
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.transaction.perform import perform_plan
from vppcfg.transaction.transact import INTERVAL_S, SETTLE_S, still_different

PORT = Interface(name="gi0", kind=InterfaceKind.PHYSICAL, link_mtu=1500, packet_mtu=1500, is_up=True)
OLD = Interface(
    name="gi0.1", kind=InterfaceKind.SUB_INTERFACE, parent="gi0", sub_id=1, encapsulation=Encapsulation(outer=1)
)
NEW = replace(OLD, name="gi0.2", sub_id=2, encapsulation=Encapsulation(outer=2), is_up=True)
BEFORE = State(interfaces={"gi0": PORT, "gi0.1": OLD})
AFTER = State(interfaces={"gi0": PORT, "gi0.2": NEW})


class ScriptedDataplane(StubDataplane):
    """Refuses the operations that it is told to, and shows the states that it is given one after another."""

    def __init__(self, states: Sequence[State] = (), refused: frozenset[str] = frozenset()) -> None:
        self._states = list(states)
        self._refused = refused
        self.batches: list[list[str]] = []
        self.observations = 0

    def observe(self) -> State:
        self.observations += 1
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        names = [type(operation).__name__ for operation in operations]
        self.batches.append(names)
        refusals = [
            Refusal(index=index, operation=operations[index], retval=-1, text="no")
            for index, name in enumerate(names)
            if name in self._refused
        ]
        done = tuple(index for index, name in enumerate(names) if name not in self._refused)
        return Performance(done=done, refusals=tuple(refusals))


def plan() -> Plan:
    return make_plan(BEFORE, AFTER)


def test_each_phase_is_complete_before_the_next_begins() -> None:
    dataplane, progress = ScriptedDataplane(), list[int]()
    performance = perform_plan(plan(), dataplane, progress.append)
    assert dataplane.batches == [["DeleteSubInterface"], ["CreateSubInterface"], ["SetPacketMtu", "SetAdminState"]]
    assert performance == Performance(done=(0, 1, 2, 3))
    assert progress == [1, 2, 4]


def test_what_takes_vpp_long_is_sent_alone_and_the_longest_answer_is_told() -> None:
    names = ("a", "b", "c", "d")
    ports = {name: replace(PORT, name=name, addresses=frozenset({f"192.0.2.{ord(name)}/32"})) for name in names}
    del ports["d"]
    before = State(interfaces={**ports, "d": replace(PORT, name="d")}, facts=Facts(sizes=TableSizes(routes=900_000)))
    after = replace(before, interfaces={name: replace(each, is_up=False) for name, each in before.interfaces.items()})

    class Noting(ScriptedDataplane):
        turn_starts: Collection[int] = ()

        def perform(
            self,
            operations: Sequence[Operation],
            on_progress: Callable[[int], None] | None = None,
            should_stop: Callable[[], bool] | None = None,
            turn_starts: Collection[int] = (),
        ) -> Performance:
            self.turn_starts = turn_starts
            return replace(super().perform(operations, on_progress, should_stop), longest_answer_s=0.5)

    dataplane = Noting()
    assert perform_plan(make_plan(before, after), dataplane, lambda done: None).longest_answer_s == 0.5
    assert sorted(dataplane.turn_starts) == [0, 1, 2, 3], "three of four ports may have routes: each is alone"


def test_nothing_follows_the_phase_with_a_refusal() -> None:
    dataplane = ScriptedDataplane(refused=frozenset({"CreateSubInterface"}))
    performance = perform_plan(plan(), dataplane, lambda done: None)
    assert len(dataplane.batches) == 2
    assert performance.done == (0,)
    assert [(refusal.index, refusal.operation) for refusal in performance.refusals] == [(1, plan().operations[1])]


def test_a_state_that_needs_a_moment_gets_it() -> None:
    dataplane, naps = ScriptedDataplane([BEFORE, BEFORE, AFTER]), list[float]()
    assert still_different(plan(), dataplane, clock=lambda: 0.0, sleep=naps.append).changes == ()
    assert naps == [INTERVAL_S, INTERVAL_S]


def test_what_differs_for_good_is_told() -> None:
    clock = iter([0.0, 0.0, SETTLE_S + 1])
    left = still_different(plan(), ScriptedDataplane([BEFORE]), clock=lambda: next(clock), sleep=lambda nap: None)
    assert [change.name for change in left.changes] == ["gi0.1", "gi0.2"]
