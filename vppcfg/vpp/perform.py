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
from vppcfg.kinds.kind_list import KINDS, VIRTUAL_INTERFACES
from vppcfg.kinds.ra_operations import RenewIpv6
from vppcfg.model.route import SOURCE
from vppcfg.operations.attachment import RemoveAttachment, RestoreInVpp
from vppcfg.operations.operation import CreateInterface, DeleteInterface, LinkOperation, Numbering, Operation
from vppcfg.operations.request import NO_MAC
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages import interface
from vppcfg.vpp.messages.interface import read_names
from vppcfg.vpp.retval import describe
from vppcfg.wire.codec import HEAD, Reader
from vppcfg.wire.fib_source import registered_source
from vppcfg.wire.reading import malformed

_MESSAGE = "sw_interface_ip6_enable_disable"
_NOT_ENABLED = -62
"""VNET_API_ERROR_IP6_NOT_ENABLED (vnet/error.h): it was off already."""
_MOST = 1 << 12
"""More often than that IPv6 is not on for any good reason."""


def renew_ipv6(connection: Connection, name: str) -> int:
    """Turn IPv6 off and on again; return 0, or VPP's return code. Raise DataplaneError."""
    index = read_names(connection).get(name)
    if index is None:
        raise DataplaneError(f"VPP has no interface {name} any more", "was it deleted meanwhile?")
    times = 1
    while times <= _MOST:
        answers = _still_set(connection, index, [0] * times + [1] * times)
        surplus = answers[:times].count(_NOT_ENABLED)
        if surplus:
            _still_set(connection, index, [0] * surplus)
        if wrong := next((each for each in answers[:times] if each not in (0, _NOT_ENABLED)), 0):
            return wrong
        if answers[times] == 0:  # else IPv6 was on still
            return 0
        times *= 2
    raise DataplaneError(f"IPv6 cannot be turned off on {name}", "see `vppctl show ip6 interface`")


def _still_set(connection: Connection, index: int, switches: list[int]) -> list[int]:
    """Turn IPv6 on and off as `switches` sets, sent as one piece, and return VPP's return codes in order."""
    requests = [connection.request(_MESSAGE, {"sw_if_index": index, "enable": enable}) for enable in switches]
    replies = connection.ask([request for _, request in requests])
    codes = dict(connection.rows(replies, f"{_MESSAGE}_reply", "context", "retval"))
    if len(codes) < len(requests):
        raise connection.unanswered()
    return [codes[context] for context, _ in requests]


class NotYetKnown(Exception):
    """An operation names something whose creation VPP has not answered yet."""


class _Numbers:
    """The index of each object of one kind, for operations."""

    def __init__(self, kind: str, by_name: dict[str, int]) -> None:
        self._kind = kind
        self._by_name = by_name
        self._expected: set[str] = set()

    def find(self, name: str) -> int:
        """Return the index of `name`; raise NotYetKnown or, where there is none, ValueError."""
        if name in self._by_name:
            return self._by_name[name]
        if name in self._expected:
            raise NotYetKnown
        raise ValueError(f"VPP has no {self._kind} {name}")

    def expect(self, name: str) -> None:
        """Take account of a creation that is under way; another object of the name is gone."""
        self._by_name.pop(name, None)
        self._expected.add(name)

    def add(self, name: str, index: int) -> None:
        """Take account of a new object."""
        self._expected.discard(name)
        self._by_name[name] = index

    def remove(self, name: str) -> None:
        """Take account of a deletion that is under way."""
        self._by_name.pop(name, None)


class KnownIndexes:
    """The indexes of interfaces, peers and other objects in VPP, for operations."""

    def __init__(
        self,
        interfaces: dict[str, int],
        numbered: Mapping[str, dict[str, int]],
        peers: dict[str, int],
        macs: dict[str, str],
        sources: Mapping[str, int],
    ) -> None:
        self._interfaces = _Numbers("interface", interfaces)
        self._numbered = {noun: _Numbers(noun, numbers) for noun, numbers in numbered.items()}
        self._peers = _Numbers("peer", peers)
        self._macs = macs
        self._sources = sources

    def interface(self, name: str) -> int:
        """Return the sw_if_index of an interface; raise NotYetKnown or, where there is none, ValueError."""
        return self._interfaces.find(name)

    def mac(self, name: str) -> str:
        """Return the MAC address that an interface had before the operations; raise ValueError where there is none."""
        mac = self._macs.get(name)
        if mac is None:
            raise ValueError(f"VPP has no MAC address of {name}")
        return mac

    def number(self, noun: str, name: str) -> int:
        """Return the number of an object of a kind; raise NotYetKnown or, where there is none, ValueError."""
        return self._numbered[noun].find(name)

    def peer(self, public_key: str) -> int:
        """Return VPP's number of a peer that was there before the operations; raise ValueError where there is none."""
        return self._peers.find(public_key)

    def source(self, name: str) -> int:
        """Return VPP's number of a FIB source; raise ValueError where there is none."""
        number = self._sources.get(name)
        if number is None:
            raise ValueError(f"VPP has no FIB source {name}")
        return number

    def note_sent(self, operation: Operation) -> None:
        """Take account of an operation that is under way."""
        if isinstance(operation, CreateInterface):
            self._interfaces.expect(operation.interface)
        elif isinstance(operation, DeleteInterface):
            self._interfaces.remove(operation.interface)
        elif operation.numbering is Numbering.GIVES:
            self._numbered[operation.numbered].expect(operation.subject)
        elif operation.numbering is Numbering.FREES:
            self._numbered[operation.numbered].remove(operation.subject)

    def note_done(self, operation: Operation, created: Sequence[int]) -> None:
        """Take account of an operation that was carried out, and of the index that VPP reported.

        Raise DataplaneError when VPP reported none of what it made.
        """
        is_interface = isinstance(operation, CreateInterface)
        if not is_interface and operation.numbering is not Numbering.GIVES:
            return
        if not created:
            raise DataplaneError("VPP does not report the index of what it created", "is it the API socket of a VPP?")
        numbers = self._interfaces if is_interface else self._numbered[operation.numbered]
        numbers.add(operation.subject, created[0])


def read_indexes(connection: Connection, operations: Sequence[Operation]) -> KnownIndexes:
    """Ask VPP how it numbers what `operations` may name."""
    kinds = {type(each) for each in operations}
    numbered = {each.numbered for each in kinds}
    used = {each.numbered for each in kinds if each.numbering is not Numbering.GIVES}
    return KnownIndexes(
        interface.read_names(connection),
        {
            kind.numbered: kind.read_indexes(connection) if kind.numbered in used else {}
            for kind in KINDS
            if kind.numbered and kind.numbered in numbered
        },
        {key: number for each in VIRTUAL_INTERFACES for key, number in each.read_peers(connection, kinds).items()},
        interface.read_macs(connection) if any(each.takes_mac for each in kinds) else {},
        {SOURCE: registered_source(connection)} if any(each.needs_fib_source for each in kinds) else {},
    )


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
        turn_starts: Collection[int],
    ) -> None:
        self._connection = connection
        self._operations = operations
        self._turn_starts = turn_starts
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
            if self._under_way and self._next in self._turn_starts:
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
    turn_starts: Collection[int] = (),
) -> Performance:
    """Carry out `operations` in order on the VPP behind `connection`, as Dataplane.perform promises.

    Most sequences are one `Run`. One is cut into several where something has to happen in between: the bond of a member
    that was shut for a new link MTU must use that member again before the next one goes down, a DHCP client asks by a
    MAC address and a `Run` knows only those that interfaces had when it began, and `RenewIpv6` is no single message.
    """
    _check_messages(connection, operations)
    turns, asking, renewed = _turns(operations), _first_that_asks(operations), _renewed(operations)
    if not turns and not asking and not renewed:
        return Run(connection, operations, should_stop, frozenset(turn_starts)).go(on_progress)
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
            performed = Run(connection, part, should_stop, {place - start for place in turn_starts}).go(report)
        done += (start + index for index in performed.done)
        longest = max(longest, performed.longest_answer_s)
        if performed.refusals:
            refusals = tuple(replace(refusal, index=start + refusal.index) for refusal in performed.refusals)
            return Performance(done=tuple(done), refusals=refusals, longest_answer_s=longest)
        if len(performed.done) < len(part):
            break
        last = part[-1]
        bond = last.awaited_bond if isinstance(last, LinkOperation) else ""
        if bond and not _is_whole_again(bond, before, connection, should_stop or (lambda: False)):
            text = f"{bond} does not use {last.subject} again after {LONGEST_WAIT_S:g} seconds"
            refusal = Refusal(index=end - 1, operation=last, retval=0, text=text)
            return Performance(done=tuple(done[:-1]), refusals=(refusal,), longest_answer_s=longest)
    return Performance(done=tuple(done), longest_answer_s=longest)


def _turns(operations: Sequence[Operation]) -> dict[int, int]:
    """Return the parts of a sequence in which a member of a bond is shut, changed and brought up again.

    The key is the position behind the operation that brings the member up, the value that of the one that shuts it.
    """
    shut: dict[str, int] = {}
    turns: dict[int, int] = {}
    for position, operation in enumerate(operations):
        if isinstance(operation, LinkOperation):
            if operation.new_state is False:
                shut[operation.interface] = position
            elif operation.awaited_bond:
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
