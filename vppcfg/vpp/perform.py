"""Sends the operations of a plan to VPP, up to 500 at a time, and collects the replies."""

from __future__ import annotations

import itertools
import struct
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from vppcfg.dataplane import Performance, Refusal
from vppcfg.errors import DataplaneError
from vppcfg.kinds.bond.reading import active_members
from vppcfg.kinds.dhcp_client import SetDhcpClient
from vppcfg.kinds.interface import SetAdminState
from vppcfg.kinds.ra_operations import RenewIpv6
from vppcfg.operations.attachment import RemoveAttachment, RestoreInVpp
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import NO_MAC
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.indexes import NotYetKnown, read_indexes
from vppcfg.vpp.renewing import renew_ipv6
from vppcfg.vpp.retval import describe
from vppcfg.wire.codec import HEAD, Reader
from vppcfg.wire.reading import malformed

LONGEST_WAIT_S = 30.0
"""How long a member of a bond may take to be used again after it came up; LACP sends once a second at first."""
INTERVAL_S = 0.05
WINDOW = 500
"""Operations under way at a time: enough to keep VPP busy, few enough for a refusal to stop early."""


_NEW_INDEXES = ("sw_if_index", "host_sw_if_index", "acl_index", "policer_index", "new_table_index")
"""What replies call the index of what was made."""


class Run:
    """Sends one sequence of operations to a VPP, and collects the replies."""

    def __init__(
        self,
        connection: Connection,
        operations: Sequence[Operation],
        should_stop: Callable[[], bool] | None,
        waits: Collection[int],
    ) -> None:
        self._connection = connection
        self._operations = operations
        self._waits = waits
        """Positions of the operations that are sent only when nothing is under way."""
        self._indexes = read_indexes(connection, operations)
        self._expected: set[str] = set()
        """Messages whose replies can be read."""
        self._readers: dict[int, tuple[str, Reader]] = {}
        """The name of each reply that may come and how to read it, by message id."""
        self._next = 0
        self._under_way: dict[int, int] = {}
        """Positions of the operations that VPP has not answered, by context."""
        self._done: list[int] = []
        self._refusals: list[Refusal] = []
        self._heard_at = 0.0
        """When VPP last answered, or was sent something while it had nothing to do."""
        self._longest_answer_s = 0.0
        self._should_stop = should_stop or (lambda: False)

    def go(self, on_progress: Callable[[int], None] | None) -> Performance:
        """Send and receive until everything is answered, or everything that was sent before a refusal or a stop."""
        self._send_more()
        deadline = time.monotonic() + self._connection.patience_s
        while self._under_way:
            before = len(self._under_way)
            received = self._receive()
            now = time.monotonic()
            if received and now - self._heard_at > self._longest_answer_s:
                self._longest_answer_s = now - self._heard_at
            for data in received:
                self._take(data)
            if received:
                self._heard_at = now
            if len(self._under_way) < before:
                deadline = now + self._connection.patience_s
            elif now > deadline:
                raise self._with_count(self._connection.unanswered())
            if on_progress and not self._refusals:
                on_progress(len(self._done))
            self._send_more()
        self._refusals.sort(key=lambda refusal: refusal.index)
        return Performance(
            done=tuple(sorted(self._done)), refusals=tuple(self._refusals), longest_answer_s=self._longest_answer_s
        )

    def _receive(self) -> list[bytes]:
        try:
            return self._connection.receive()
        except DataplaneError as error:
            raise self._with_count(error) from error

    def _with_count(self, error: DataplaneError) -> DataplaneError:
        answered = f"{len(self._done) + len(self._refusals)} of {len(self._operations)} operations were answered"
        return DataplaneError(f"{error.message}; {answered}", error.hint)

    def _send_more(self) -> None:
        """Fill the window again once half of it is answered, unless there was a refusal or a stop was asked for."""
        if len(self._under_way) > WINDOW // 2 or self._should_stop():
            return
        if not self._under_way:
            self._heard_at = time.monotonic()
        requests = []
        while self._next < len(self._operations) and len(self._under_way) < WINDOW and not self._refusals:
            if self._under_way and self._next in self._waits:
                break
            try:
                requests.append(self._request(self._next))
            except NotYetKnown:
                break
            except ValueError as error:
                self._refuse(self._next, 0, f"not sent: {error}")
            self._next += 1
        self._connection.send(b"".join(requests))

    def _request(self, position: int) -> bytes:
        operation = self._operations[position]
        if reason := operation.objection():
            raise ValueError(reason)
        request = operation.request(self._indexes, self._connection)
        context, data = self._connection.request(request.message, request.values, request.text, request.elements)
        if request.message not in self._expected:
            self._expect(request.message)
        self._indexes.note_sent(operation)
        self._under_way[context] = position
        return data

    def _expect(self, name: str) -> None:
        """Learn to read the reply to the message `name`; that to a creation has the index of what is new."""
        reply = self._connection.message(f"{name}_reply")
        created = [path for path in _NEW_INDEXES if reply.has(path)]
        self._readers[reply.index] = reply.name, reply.reader("retval", *created)
        self._expected.add(name)

    def _take(self, data: bytes) -> None:
        """Take one reply; what answers no operation is none of our business."""
        message, context = HEAD.unpack_from(data)
        if message not in self._readers or context not in self._under_way:
            return
        name, read = self._readers[message]
        try:
            retval, *created = read(data)
        except struct.error as error:
            raise malformed(name) from error
        position = self._under_way.pop(context)
        if retval and not self._was_done_already(position, retval):
            parts = (describe(retval), self._operations[position].reason_of(retval))
            self._refuse(position, retval, ": ".join(filter(None, parts)))
            return
        self._done.append(position)
        self._indexes.note_done(self._operations[position], created)

    def _was_done_already(self, position: int, retval: int) -> bool:
        return retval in self._operations[position].done_already

    def _refuse(self, position: int, retval: int, text: str) -> None:
        operation = self._operations[position]
        self._refusals.append(Refusal(index=position, operation=operation, retval=retval, text=text))


def perform(
    connection: Connection,
    operations: Sequence[Operation],
    on_progress: Callable[[int], None] | None,
    should_stop: Callable[[], bool] | None = None,
    waits: Collection[int] = (),
) -> Performance:
    """Carry out `operations` in order on the VPP behind `connection`, as Dataplane.perform promises.

    Most sequences are one `Run`. One is cut into several where something has to happen in between: the bond of a member
    that was shut for a new link MTU must use that member again before the next one goes down, a DHCP client asks by a
    MAC address and a `Run` knows only those that interfaces had when it began, and `RenewIpv6` is no single message.
    """
    _check_messages(connection, operations)
    turns, asking, renewed = _turns(operations), _first_that_asks(operations), _renewed(operations)
    if not turns and not asking and not renewed:
        return Run(connection, operations, should_stop, frozenset(waits)).go(on_progress)
    before: Mapping[str, int] = {}
    done: list[int] = []
    longest = 0.0
    for start, end in itertools.pairwise(sorted({0, asking, *turns.values(), *turns, *renewed, len(operations)})):
        if start in turns.values():  # not once for all: an earlier step may have taken a member away
            before = active_members(connection)
        part, report = operations[start:end], _counting_from(start, on_progress)
        if isinstance(part[0], RenewIpv6):
            performed = _performed_at_once(connection, part[0], report, should_stop)
        else:
            performed = Run(connection, part, should_stop, {wait - start for wait in waits}).go(report)
        done += (start + index for index in performed.done)
        longest = max(longest, performed.longest_answer_s)
        if performed.refusals:
            refusals = tuple(replace(refusal, index=start + refusal.index) for refusal in performed.refusals)
            return Performance(done=tuple(done), refusals=refusals, longest_answer_s=longest)
        if len(performed.done) < len(part):
            break
        bond = _bond_to_await(part[-1])
        if bond and not _is_whole_again(bond, before, connection, should_stop or (lambda: False)):
            text = f"{bond} does not use {part[-1].subject} again after {LONGEST_WAIT_S:g} seconds"
            refusal = Refusal(index=end - 1, operation=part[-1], retval=0, text=text)
            return Performance(done=tuple(done[:-1]), refusals=(refusal,), longest_answer_s=longest)
    return Performance(done=tuple(done), longest_answer_s=longest)


def _turns(operations: Sequence[Operation]) -> dict[int, int]:
    """Return the parts of a sequence in which a member of a bond is shut, changed and brought up again.

    The key is the position behind the operation that brings the member up, the value that of the one that shuts it.
    """
    shut: dict[str, int] = {}
    turns: dict[int, int] = {}
    for position, operation in enumerate(operations):
        if isinstance(operation, SetAdminState):
            if not operation.is_up:
                shut[operation.interface] = position
            elif _bond_to_await(operation):
                turns[position + 1] = shut.get(operation.interface, 0)
    return turns


def _first_that_asks(operations: Sequence[Operation]) -> int:
    """Return where the first interface begins to ask for an address, 0 where none does.

    It does so by its MAC address, which an operation before may have given to it, or have made it with.
    """
    for position, each in enumerate(operations):
        if type(each) is SetDhcpClient and each.client is not None:
            return position
    return 0


def _renewed(operations: Sequence[Operation]) -> set[int]:
    """Return where the operations that take many messages begin and end: each is carried out by itself."""
    if RenewIpv6 not in {operation.__class__ for operation in operations}:
        return set()
    places = [position for position, operation in enumerate(operations) if isinstance(operation, RenewIpv6)]
    return {edge for position in places for edge in (position, position + 1)}


def _performed_at_once(
    connection: Connection,
    operation: RenewIpv6,
    on_progress: Callable[[int], None] | None,
    should_stop: Callable[[], bool] | None,
) -> Performance:
    """Carry out an operation that takes many messages."""
    if should_stop is not None and should_stop():
        return Performance(done=())
    retval = renew_ipv6(connection, operation.interface)
    if retval:
        refusal = Refusal(index=0, operation=operation, retval=retval, text=describe(retval))
        return Performance(done=(), refusals=(refusal,))
    if on_progress is not None:
        on_progress(1)
    return Performance(done=(0,))


def _bond_to_await(operation: Operation) -> str:
    """Return the bond that must use a member again before anything else is done, '' for most operations."""
    return operation.bond if isinstance(operation, SetAdminState) else ""


def _counting_from(start: int, on_progress: Callable[[int], None] | None) -> Callable[[int], None] | None:
    return None if on_progress is None else lambda count: on_progress(start + count)


def _is_whole_again(
    bond: str, before: Mapping[str, int], connection: Connection, should_stop: Callable[[], bool]
) -> bool:
    """Wait until a bond sends on as many members as before one went down; LACP has to talk with the other side."""
    deadline = time.monotonic() + LONGEST_WAIT_S
    while active_members(connection).get(bond, 0) < before.get(bond, 0):
        if time.monotonic() > deadline:
            return False
        if should_stop():
            return True
        time.sleep(INTERVAL_S)
    return True


class AnyIndex:
    """Indexes of whatever is named."""

    def interface(self, name: str) -> int:
        """Return a number."""
        return 0

    def mac(self, name: str) -> str:
        """Return a MAC address."""
        return NO_MAC

    def number(self, noun: str, name: str) -> int:
        """Return a number."""
        return 0

    def peer(self, public_key: str) -> int:
        """Return a number."""
        return 0

    def source(self, name: str) -> int:
        """Return a number."""
        return 0


def _check_messages(connection: Connection, operations: Sequence[Operation]) -> None:
    """Raise DataplaneError when VPP lacks a message that any of the operations needs, before anything is sent.

    One operation stands for all of its type, but for those whose message is that of the attachment that they carry.
    """
    kinds = {type(each): each for each in operations}
    carried = [each for each in operations if type(each) in (RestoreInVpp, RemoveAttachment)]
    for name in {each.request(AnyIndex(), connection).message for each in (*kinds.values(), *carried)}:
        connection.message(name)
        connection.message(f"{name}_reply")
