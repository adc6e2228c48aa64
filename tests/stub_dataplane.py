"""A dataplane that tests derive theirs from: it shows a state, knows of nothing else, and does what it is told."""

from collections.abc import Callable, Collection, Mapping, Sequence

from vppcfg.dataplane import Performance
from vppcfg.model.announcement import Announcement
from vppcfg.model.attachment import Attachment
from vppcfg.model.question import AskOutcome, Question
from vppcfg.model.state import State
from vppcfg.model.vpp_object import HiddenObject, VppObject
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.operation import Operation


class StubDataplane:
    """A VPP without sessions, routes or features of others."""

    boot_id = "process 1"
    state = State()

    def observe(self) -> State:
        return self.state

    def look_closer(self, interfaces: Collection[str], expected: State) -> State:
        return self.observe()

    def observe_again(self, done: Sequence[Operation], touched: Collection[str], expected: State) -> State:
        return self.observe()

    def interfaces_up(self) -> frozenset[str]:
        return frozenset(name for name, each in self.observe().interfaces.items() if each.is_up)

    @property
    def left_out(self) -> tuple[str, ...]:
        return ()

    def nat44_sessions(self) -> int:
        return 0

    def unmanaged(self, holders: Collection[str], state: State, in_linux: Collection[str] = ()) -> Sequence[Attachment]:
        return ()

    def ask(self, question: Question) -> AskOutcome:
        return AskOutcome(cannot_ask="this VPP has no wires")

    def foreign_routes(self, tables: Sequence[FibTable]) -> Sequence[ForeignRoutes]:
        return ()

    def hidden(self, items: Sequence[VppObject]) -> Sequence[HiddenObject]:
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
        turn_starts: Collection[int] = (),
    ) -> Performance:
        """Carry all of them out, and report them as done whether or not they are refused."""
        performance = self.carry_out(operations)
        if on_progress:
            on_progress(len(operations))
        return performance

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        return Performance(done=tuple(range(len(operations))))

    def without_link(self) -> frozenset[str]:
        return frozenset()

    def announce(self, announcements: Sequence[Announcement]) -> Mapping[Announcement, str]:
        return {}

    def close(self) -> None:
        """Stay as it is."""
