"""The interface (protocol) to a dataplane: what can be asked of a VPP, real or simulated, and done to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from vppcfg.model.announcement import Announcement
from vppcfg.model.attachment import Attachment
from vppcfg.model.question import AskOutcome, Question
from vppcfg.model.state import State
from vppcfg.model.vpp_object import HiddenObject, VppObject
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.operation import Operation
from vppcfg.record import record


def is_restarted(before: str, now: str) -> bool:
    """Return whether VPP was restarted between two readings of its `boot_id`, perhaps by different users.

    What a user may see decides how the start time is known: from /proc, from VPP's statistics, or not at all. Two that
    were read in different ways cannot be compared; then the process number decides.
    """
    former, later = (each.partition(" since ") for each in (before, now))
    is_comparable = "" not in (former[2], later[2]) and ("/" in former[2]) == ("/" in later[2])
    return former[0] != later[0] or (is_comparable and former[2] != later[2])


def restarted_text(before: str, now: str) -> str:
    """Return the message that another process of VPP answers, given the `boot_id` of both."""
    former, later = (boot_id.partition(" since ")[0] for boot_id in (before, now))
    return "VPP was restarted" if former == later else f"VPP was restarted: it was {former} and is {later}"


@record
class Refusal:
    """VPP's answer to the operation that it did not carry out."""

    index: int
    """Position of the operation in the sequence given to `perform`."""
    operation: Operation
    retval: int
    """VPP's return code, negative (vnet/api_errno.h); 0 when the answer never came."""
    text: str
    """VPP's own words for it."""


@record
class Performance:
    """How far a sequence of operations got."""

    done: tuple[int, ...]
    """Positions of the operations that VPP carried out, ascending; some may stand behind a refusal."""
    refusals: tuple[Refusal, ...] = ()
    """In order of position; empty when everything was carried out."""
    longest_answer_s: float = field(default=0.0, compare=False)
    """For how long VPP answered nothing while steps were under way: it forwarded nothing for about that time at most.

    It answers just before it lets the workers go (vl_socket_api_send, vlibmemory/socket_api.c)."""


class Dataplane(Protocol):
    """A connection to one VPP."""

    @property
    def boot_id(self) -> str:
        """Return what distinguishes this run of VPP from every other one, for one user (`is_restarted` for others)."""

    def observe(self) -> State:
        """Read the whole state. Raise DataplaneError when VPP does not answer in time or answers nonsense."""

    def look_closer(self, interfaces: Collection[str], expected: State) -> State:
        """Return the state that was observed last with every detail of some interfaces. Raise DataplaneError.

        `expected` is where a plan leads: what it has of a kind that is not looked for otherwise is looked for, too.
        """

    def observe_again(self, done: Sequence[Operation], touched: Collection[str], expected: State) -> State:
        """Return the state after operations that touched some interfaces, and led to `expected`. Raise DataplaneError.

        Read again is what they changed, and whatever there was before; not the addresses of other interfaces, nor
        what another client has made meanwhile of a kind of which there was none.
        """

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return what was not looked for since the state was read, because VPP would have stopped its workers."""

    def interfaces_up(self) -> frozenset[str]:
        """Return the names of the interfaces that are up. Raise DataplaneError."""

    def foreign_routes(self, tables: Sequence[FibTable]) -> Sequence[ForeignRoutes]:
        """Return what others have put into these FIB tables. Raise DataplaneError, as `observe` does.

        VPP leaves it, when a table goes, to the next one that is made, or lets the table not go.
        """

    def unmanaged(self, holders: Collection[str], state: State, in_linux: Collection[str] = ()) -> Sequence[Attachment]:
        """Return what others have on interfaces, by name, and in FIB tables, by key. Raise DataplaneError.

        Of the interfaces `in_linux`, what Linux has on their devices is enough. `state` is what was observed; nothing
        is asked of VPP when there are no holders.
        """

    def nat44_sessions(self) -> int:
        """Return how many sessions NAT44 has now. Raise DataplaneError.

        VPP walks all of them with its workers stopped.
        """

    def hidden(self, items: Sequence[VppObject]) -> Sequence[HiddenObject]:
        """Return those of `items` that VPP does not show because another source shadows them. Raise DataplaneError.

        Each comes with what VPP keeps of ours below it.
        """

    def read_keys(self) -> Mapping[str, bytes]:
        """Return the secret keys that are in use, by their names. Raise DataplaneError."""

    def use_keys(self, keys: Mapping[str, bytes]) -> None:
        """Provide keys to operations, which know only their names."""

    def perform(
        self,
        operations: Sequence[Operation],
        on_progress: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        turn_starts: Collection[int] = (),
    ) -> Performance:
        """Carry out the operations in order and stop at the first refusal; nothing unsent is sent after it.

        Operations at the positions in `turn_starts` are sent only when all before them were carried out; others may be
        under way together. `on_progress` is called with the number of operations carried out so far, up to the first
        refusal. Once `should_stop` returns True, nothing more is sent, and what is under way is waited for. Raise
        DataplaneError when VPP goes away.
        """

    def ask(self, question: Question) -> AskOutcome:
        """Ask once, wait about a second, and return what was heard. Raise DataplaneError when VPP goes away."""

    def without_link(self) -> frozenset[str]:
        """Return the names of the interfaces that are up and have no link. Raise DataplaneError."""

    def announce(self, announcements: Sequence[Announcement]) -> Mapping[Announcement, str]:
        """Send each once, and return why those were not sent that VPP refuses. Raise DataplaneError.

        No worker stops for it.
        """

    def close(self) -> None:
        """Disconnect from VPP; safe to call twice."""


class Follower(Protocol):
    """Events of the interfaces of a VPP."""

    def follow(self) -> None:
        """Subscribe to events. Raise DataplaneError."""

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds`, less when something happens, and return whether something did since the last call.

        An interface that appears, disappears, or goes up or down is an event; addresses, MTUs and all else are not.
        Raise DataplaneError when VPP goes away.
        """
