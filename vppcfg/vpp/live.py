"""A running VPP behind its API socket: its state can be read, and operations carried out."""

from __future__ import annotations

import logging
import os
import re
import socket
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from vppcfg.common.log_detail import DETAIL
from vppcfg.common.release import NEWEST, Release
from vppcfg.dataplane import Performance
from vppcfg.errors import DataplaneError
from vppcfg.kinds.kind_list import VIRTUAL_INTERFACES
from vppcfg.kinds.nat44.kind import count_sessions
from vppcfg.model.announcement import Announcement
from vppcfg.model.attachment import Attachment
from vppcfg.model.forwarding import RouteEntry, RoutePlace, TableId, VppForwarding
from vppcfg.model.question import AskOutcome, EchoQuestion, NeighborQuestion, Question
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.table_sizes import TableSizes
from vppcfg.model.vpp_object import HiddenObject, VppObject
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.attachment import AttachmentOperation
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Operation
from vppcfg.vpp.answers import Answers
from vppcfg.vpp.boot import read_boot_id
from vppcfg.vpp.channel import Channel
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.counted_routes import CountedRoutes
from vppcfg.vpp.forwarding import (
    MOST_WALKED_NEIGHBORS,
    count_prefixes,
    find_neighbors,
    find_routes,
    read_forwarding,
    read_routes,
)
from vppcfg.vpp.hidden import read_hidden, read_prompt, with_hidden, with_unlisted
from vppcfg.vpp.messages.interface import read_up, read_without_link
from vppcfg.vpp.messages.route import foreign_routes
from vppcfg.vpp.observe import changed_by, details_read, observe, read_with
from vppcfg.vpp.perform import perform
from vppcfg.vpp.table_sizes import read_sizes
from vppcfg.vpp.unixsocket import open_socket, pid_of_peer
from vppcfg.wire.survey import Survey

if TYPE_CHECKING:
    from vppcfg.vpp.nat_sessions import NatSessions
    from vppcfg.vpp.probing import Injection, Numbers

_OLDEST_READ = Release(22, 6)
"""Of an older one it is not known what it answers."""
_LOG = logging.getLogger(__name__)


class LiveDataplane:
    """One VPP behind its API socket; a context manager that closes its session."""

    version: str
    """VPP's own version text, such as 23.06-rc0~35-gaf4046134."""
    boot_id: str
    """What distinguishes this run of VPP from every other one."""

    def __init__(
        self,
        connection: Connection,
        peer: int | None = None,
        stats_socket: str = "",
        formerly: Callable[[], Iterable[State]] = tuple,
        *,
        reads_all: bool = False,
    ) -> None:
        """Take over `connection` and ask for the version; with an error, the connection is closed.

        `peer` is the process id of this VPP, None when it cannot be seen from here; then `stats_socket` knows when it
        began. It knows how large its tables are, too. `formerly` returns the states before and after the last change;
        with `reads_all`, tables are walked however large they are.
        """
        self._connection = connection
        self._stats_socket = stats_socket
        self._formerly = formerly
        self._former: tuple[State, ...] | None = None
        self._reads_all = reads_all
        self._answers = Answers()
        self._counts = CountedRoutes(connection)
        self._closely: frozenset[str] = frozenset()
        """The interfaces that are read in every detail, however many there are."""
        self._expected: State | None = None
        self._seen: State | None = None
        """What was read last: a table that was listed may be too large for that by now."""
        self._set: dict[tuple[type[VppObject], str], VppObject] = {}
        """Objects that were set over this connection: VPP does not show all of them."""
        self._begin_survey(None)
        try:
            self.version = _read_version(connection)
            self.boot_id = read_boot_id(connection, peer, stats_socket)
        except BaseException:
            connection.close()
            raise
        _LOG.info("VPP version is %s", self.version, extra=DETAIL)
        _warn_of_unknown(self.version)

    @classmethod
    def over(
        cls,
        sock: socket.socket,
        *,
        json_dir: str | None = None,
        timeout_s: float = 10.0,
        peer: str = "VPP",
        formerly: Callable[[], Iterable[State]] = tuple,
        reads_all: bool = False,
    ) -> LiveDataplane:
        """Return the VPP at the other end of the connected socket `sock`, which is closed with it.

        `json_dir` has the API definitions of a VPP that does not serve them; `timeout_s` bounds every silence; `peer`
        names the other side in errors; `formerly` and `reads_all` are as in `LiveDataplane`. Raise DataplaneError.
        """
        pid = pid_of_peer(sock)
        stats_socket = os.path.join(os.path.dirname(sock.getpeername() or ""), "stats.sock")
        connection = Connection(Channel(sock, timeout_s, peer), json_dir)
        return cls(connection, pid, stats_socket, formerly, reads_all=reads_all)

    def observe(self) -> State:
        """Read the state, as far as that stops no packets. Raise DataplaneError when VPP stops answering.

        What is left out for that is in `Facts.left_out`.
        """
        self._answers, self._closely, self._expected, self._seen = Answers(), frozenset(), None, None
        self._counts = CountedRoutes(self._connection)
        self._former = None
        return self._read()

    def look_closer(self, interfaces: Collection[str], expected: State) -> State:
        """Return the state that was observed last with every detail of some interfaces. Raise DataplaneError.

        `expected` is where a plan leads: what it has of a kind that is not looked for otherwise is looked for, too.
        """
        self._closely, self._expected = self._closely | frozenset(interfaces), expected
        self._answers.forget(details_read())
        return self._read()

    def observe_again(self, done: Sequence[Operation], touched: Collection[str], expected: State) -> State:
        """Return the state after operations that touched some interfaces, and led to `expected`. Raise DataplaneError.

        Read again is what they changed, and whatever there was before; not the addresses of other interfaces, nor
        what another client has made meanwhile of kinds that are read together and of which there was none.
        """
        self._closely, self._expected = self._closely | frozenset(touched), expected
        if any(isinstance(each, AttachmentOperation) for each in done):  # what others had may be of any kind
            self._answers = Answers()
        self._answers.forget(read_with(self._answers.forget_what_there_is(self._connection.is_reply)))
        self._answers.forget(changed_by(done))
        self._answers.forget_interfaces(touched)
        return self._read()

    def interfaces_up(self) -> frozenset[str]:
        """Return the names of the interfaces that are up, for which no worker stops. Raise DataplaneError."""
        return read_up(self._connection)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return what was not looked for since the state was read, because VPP would have stopped its workers."""
        return self._connection.survey.left_out

    def _read(self) -> State:
        connection, sizes = self._connection, read_sizes(self._stats_socket)
        survey = self._begin_survey(sizes)
        state = with_hidden(connection, observe(connection, self.version, self._answers), survey.known_objects)
        self._seen = replace(state, facts=replace(state.facts, sizes=sizes, left_out=survey.left_out))
        return self._seen

    def _states_before(self) -> tuple[State, ...]:
        """Return the states around the last change as they were written when the state was observed."""
        if self._former is None:
            self._former = tuple(self._formerly())
        return self._former

    def _begin_survey(self, sizes: TableSizes | None) -> Survey:
        self._connection.survey = Survey(
            sizes,
            self._counts,
            self._states_before,
            self._set.values(),
            self._closely,
            self._expected,
            self._seen,
            is_whole=self._reads_all,
        )
        return self._connection.survey

    def hidden(self, items: Sequence[VppObject]) -> Sequence[HiddenObject]:
        """Return those of `items` that VPP does not show because another source shadows them. Raise DataplaneError."""
        return read_hidden(self._connection, items)

    def foreign_routes(self, tables: Sequence[FibTable]) -> Sequence[ForeignRoutes]:
        """Return the routes of other programs in these FIB tables. Raise DataplaneError."""
        return foreign_routes(self._connection, tables)

    def unmanaged(self, holders: Collection[str], state: State, in_linux: Collection[str] = ()) -> Sequence[Attachment]:
        """Return what other programs have configured in VPP on interfaces and in FIB tables. Raise DataplaneError."""
        from vppcfg.vpp.unmanaged import read_unmanaged

        return read_unmanaged(self._connection, holders, state, self._answers)

    def nat44_sessions(self) -> int:
        """Return how many sessions NAT44 has now. Raise DataplaneError."""
        return count_sessions(self._connection)

    def standalone(self, state: State) -> Sequence[Attachment]:
        """Return what other programs have configured that is on no interface. Raise DataplaneError."""
        from vppcfg.vpp.unmanaged import read_standalone

        return read_standalone(self._connection, state)

    def nat(self) -> NatSessions:
        """Return what asks for the sessions of NAT."""
        from vppcfg.vpp.nat_sessions import NatSessions

        return NatSessions(self._connection, self._stats_socket)

    def observe_nat(self) -> State:
        """Return a state that has interfaces with their addresses, and the objects of NAT. Raise DataplaneError."""
        from vppcfg.vpp.nat_state import read_nat_state

        return read_nat_state(self._connection, self.version)

    def read_forwarding(self, *, is_all: bool = True) -> VppForwarding:
        """Return what VPP forwards by on the interfaces of LCP pairs, but for the routes. Raise DataplaneError.

        Without `is_all`, neighbours are left out where there may be so many that VPP would take long.
        """
        sizes = None if is_all else read_sizes(self._stats_socket)
        has_few = sizes is not None and sizes.adjacencies <= MOST_WALKED_NEIGHBORS
        return read_forwarding(self._connection, with_tables=is_all, with_neighbors=is_all or has_few)

    def read_routes(self, table: TableId, around: VppForwarding) -> Iterator[tuple[bytes, RouteEntry]]:
        """Yield the routes of a table as they come, by prefix. Take them at once: VPP keeps what is not taken.

        Raise DataplaneError.
        """
        return read_routes(self._connection, table, around.names, around.sources)

    def find_routes(
        self, places: Iterable[RoutePlace], around: VppForwarding, rest: Callable[[float], bool]
    ) -> Iterator[tuple[RoutePlace, RouteEntry | None]]:
        """Yield the routes of single prefixes, None for what is not there, as long as `rest` wants it.

        It is called with the seconds that VPP took to answer a batch. Raise DataplaneError.
        """
        return find_routes(self._connection, places, around, rest)

    def find_neighbors(
        self, asked: Collection[tuple[str, str]], around: VppForwarding, rest: Callable[[float], bool]
    ) -> Mapping[tuple[str, str], bool]:
        """Return whether VPP has a neighbour for each of `asked`, interfaces and addresses. Raise DataplaneError."""
        return find_neighbors(self._connection, asked, around, rest)

    def count_prefixes(self, table: TableId) -> Mapping[int, int]:
        """Return how many prefixes of each length a table has, nothing where VPP cannot tell. Raise DataplaneError."""
        return count_prefixes(self._connection, table)

    def read_numbers(self) -> Numbers:
        """Return the names behind the numbers that VPP's tracer prints. Raise DataplaneError."""
        from vppcfg.vpp.probing import read_numbers

        return read_numbers(self._connection)

    def require_injection(self) -> None:
        """Raise DataplaneError for a VPP of a release that frames cannot be sent into in the name of a port."""
        from vppcfg.vpp.probing import require_release

        require_release(self.version)

    def inject(self, injections: Sequence[Injection], *, is_in_service: bool = False) -> dict[int, str]:
        """Send frames into VPP as if they came in by its ports, and return what its tracer shows of each, by place.

        The trace is emptied. With `is_in_service`, captures of other users are left alone; call `withdraw` in the end.
        Raise DataplaneError.
        """
        from vppcfg.vpp.probing import inject

        return inject(self._connection, injections, is_in_service=is_in_service)

    def foreign_traces(self) -> str:
        """Return what another user traces or captures, '' for nothing. Raise DataplaneError."""
        from vppcfg.vpp.probing import foreign_traces

        return foreign_traces(self._connection)

    def read_ways(self, asked: Iterable[tuple[int, str]]) -> dict[tuple[int, str], str]:
        """Return by which prefix VPP finds addresses in tables, '' where it drops. Raise DataplaneError."""
        from vppcfg.vpp.probing import read_ways

        return read_ways(self._connection, asked)

    def withdraw(self, stations: Iterable[tuple[str, int]] = ()) -> None:
        """Remove what frames were sent by, and what is known of their senders. Raise DataplaneError."""
        from vppcfg.vpp.probing import withdraw

        withdraw(self._connection, stations)

    def run_at_prompt(self, line: str) -> tuple[int, str]:
        """Run a CLI command, and return VPP's return code and text. Raise DataplaneError."""
        from vppcfg.wire.shell import show

        return show(self._connection, line)

    def run_line(self, line: str) -> str:
        """Return what a CLI command prints. Raise DataplaneError when VPP refuses it."""
        code, text = self.run_at_prompt(line)
        if code:
            raise DataplaneError(f"VPP refuses `{line}`: {text.strip() or code}")
        return text

    def routes_of_prompt(self, state: State) -> Sequence[Route]:
        """Return the routes of the prompt that a file can have. Raise DataplaneError."""
        return read_prompt(self._connection, state)

    def with_unlisted(self, state: State) -> State:
        """Return a state with the objects that VPP only has in its FIB, whoever set them. Raise DataplaneError.

        VPP walks all IPv6 routes for them, with its workers stopped.
        """
        return with_unlisted(self._connection, state)

    def read_keys(self) -> dict[str, bytes]:
        """Return the secret keys that this VPP has, by their names. Raise DataplaneError."""
        return {name: key for kind in VIRTUAL_INTERFACES for name, key in kind.read_keys(self._connection).items()}

    def use_keys(self, keys: Mapping[str, bytes]) -> None:
        """Have keys at hand for operations that need them."""
        self._connection.keep_secrets(keys)

    def perform(
        self,
        operations: Sequence[Operation],
        on_progress: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        turn_starts: Collection[int] = (),
    ) -> Performance:
        """Carry out the operations in order and stop at the first refusal; nothing unsent is sent after it.

        Up to 500 operations are under way at a time, and those behind a refusal may have been carried out, but for
        those at the positions in `turn_starts` and what comes after them.
        `on_progress` is called with the number of operations carried out so far, up to the first refusal; once
        `should_stop` returns True, nothing more is sent. Raise DataplaneError when VPP goes away, or lacks a message.
        """
        performance = perform(self._connection, operations, on_progress, should_stop, turn_starts)
        for operation in (operations[place] for place in performance.done):
            if isinstance(operation, SetObject):
                self._set[type(operation.item), operation.item.name] = operation.item
            elif isinstance(operation, RemoveObject):
                self._set.pop((type(operation.item), operation.item.name), None)
        return performance

    def ask(self, question: Question) -> AskOutcome:
        """Ask once on VPP's wires and return what was heard. Raise DataplaneError."""
        from vppcfg.vpp.reachability import ask_echo, ask_neighbor

        match question:
            case EchoQuestion():
                return ask_echo(self._connection, question, self.version)
            case NeighborQuestion():
                return ask_neighbor(self._connection, question)
            case _:
                return AskOutcome(cannot_ask="the Linux around this VPP cannot be reached from here")

    def without_link(self) -> frozenset[str]:
        """Return the names of the interfaces that are up and have no link. Raise DataplaneError."""
        return read_without_link(self._connection)

    def announce(self, announcements: Sequence[Announcement]) -> Mapping[Announcement, str]:
        """Send each once, and return why those were not sent that VPP refuses. Raise DataplaneError."""
        from vppcfg.vpp.announcing import announce

        return announce(self._connection, announcements)

    def follow(self) -> None:
        """Have VPP report when an interface changes, for `wait` to notice. Raise DataplaneError."""
        self._connection.follow_interfaces()

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` and return whether VPP reported a change. Raise DataplaneError when it goes away."""
        return self._connection.wait_for_event(seconds)

    def close(self) -> None:
        """Disconnect from VPP; safe to call twice."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(
    socket_path: str, *, json_dir: str | None = None, timeout_s: float = 10.0, reads_all: bool = False
) -> LiveDataplane:
    """Return the VPP whose API socket is at `socket_path`.

    `json_dir` has the API definitions of a VPP that does not serve them (before 24.06); `timeout_s` bounds every
    silence; with `reads_all`, tables are walked however large they are. Raise DataplaneError when there is no VPP, or
    none that can be spoken to.
    """
    sock = open_socket(socket_path, timeout_s)
    peer = f"VPP at {socket_path}"
    return LiveDataplane.over(sock, json_dir=json_dir, timeout_s=timeout_s, peer=peer, reads_all=reads_all)


def _read_version(connection: Connection) -> str:
    replies = connection.ask([connection.request("show_version")[1]])
    for (version,) in connection.rows(replies, "show_version_reply", "version"):
        return text_of(version).removeprefix("v")
    raise DataplaneError("VPP does not report its version", "is it the API socket of a VPP?")


def _warn_of_unknown(version: str) -> None:
    match = re.match(r"(\d+)\.(\d+)", version)
    release = Release(int(match[1]), int(match[2])) if match else None
    if release is None or release > NEWEST:
        _LOG.warning("VPP %s is newer than the newest that vppcfg knows, %s", version, NEWEST)
    elif release < _OLDEST_READ:
        _LOG.warning("VPP %s is older than the oldest that vppcfg knows, %s", version, _OLDEST_READ)
