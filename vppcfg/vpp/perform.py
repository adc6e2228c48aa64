"""Operations carried out on a VPP: operations in, how far they got out. What an operation says is known elsewhere."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from vppcfg.dataplane import Performance, Refusal
from vppcfg.errors import DataplaneError
from vppcfg.plan.operations import (
    BindAcls,
    CreateAcl,
    CreateBond,
    CreateLoopback,
    CreateSubInterface,
    CreateTap,
    CreateVxlan,
    DeleteAcl,
    DeleteBond,
    DeleteLoopback,
    DeleteSubInterface,
    DeleteTap,
    DeleteVxlan,
    Operation,
    ReplaceAcl,
)
from vppcfg.vpp.codec import HEAD, Reader
from vppcfg.vpp.connection import Connection, malformed
from vppcfg.vpp.encode import encode, objection
from vppcfg.vpp.observe.acl import read_indexes
from vppcfg.vpp.observe.interface import read_names
from vppcfg.vpp.retval import describe

WINDOW = 500
"""Operations under way at a time: enough to keep VPP busy, few enough for a refusal to stop early."""

INTERFACE_CREATIONS = (CreateSubInterface, CreateLoopback, CreateBond, CreateVxlan, CreateTap)
INTERFACE_DELETIONS = (DeleteSubInterface, DeleteLoopback, DeleteBond, DeleteVxlan, DeleteTap)


class NotYetKnown(Exception):
    """An operation names something whose creation VPP has not answered yet."""


class _Numbers:
    """The index of each object of one kind, as operations go by."""

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
        """Take account of a creation that is under way."""
        self._expected.add(name)

    def add(self, name: str, index: int) -> None:
        """Take account of a new object."""
        self._expected.discard(name)
        self._by_name[name] = index

    def remove(self, name: str) -> None:
        """Take account of a deletion that is under way."""
        del self._by_name[name]


class Indexes:
    """How VPP numbers interfaces and access lists, as operations go by."""

    def __init__(self, interfaces: dict[str, int], acls: dict[str, int]) -> None:
        self._interfaces = _Numbers("interface", interfaces)
        self._acls = _Numbers("access list", acls)

    def interface(self, name: str) -> int:
        """Return the sw_if_index of an interface; raise NotYetKnown or, where there is none, ValueError."""
        return self._interfaces.find(name)

    def acl(self, name: str) -> int:
        """Return the index of an access list; raise NotYetKnown or, where there is none, ValueError."""
        return self._acls.find(name)

    def note_sent(self, operation: Operation) -> None:
        """Take account of an operation that is under way."""
        if isinstance(operation, INTERFACE_CREATIONS):
            self._interfaces.expect(operation.interface)
        elif isinstance(operation, INTERFACE_DELETIONS):
            self._interfaces.remove(operation.interface)
        elif isinstance(operation, CreateAcl):
            self._acls.expect(operation.acl)
        elif isinstance(operation, DeleteAcl):
            self._acls.remove(operation.acl)

    def note_done(self, operation: Operation, created: Sequence[int]) -> None:
        """Take account of an operation that was carried out, and of the index that VPP told."""
        if isinstance(operation, INTERFACE_CREATIONS):
            self._interfaces.add(operation.interface, created[0])
        elif isinstance(operation, CreateAcl):
            self._acls.add(operation.acl, created[0])


class Run:
    """One sequence of operations on its way through a VPP."""

    def __init__(self, connection: Connection, operations: Sequence[Operation]) -> None:
        self._connection = connection
        self._operations = operations
        self._indexes = _read_indexes(connection, operations)
        self._expected: set[str] = set()
        """Messages whose replies can be read."""
        self._readers: dict[int, tuple[str, Reader]] = {}
        """The name of each reply that may come and how to read it, by message id."""
        self._next = 0
        self._under_way: dict[int, int] = {}
        """Positions of the operations that VPP has not answered, by context."""
        self._done: list[int] = []
        self._refusals: list[Refusal] = []

    def go(self, on_progress: Callable[[int], None] | None) -> Performance:
        """Send and receive until everything is answered, or everything that was sent before a refusal."""
        self._send_more()
        while self._under_way:
            for data in self._receive():
                self._take(data)
            if on_progress:
                on_progress(len(self._done) + len(self._refusals))
            self._send_more()
        self._refusals.sort(key=lambda refusal: refusal.index)
        return Performance(done=tuple(sorted(self._done)), refusals=tuple(self._refusals))

    def _receive(self) -> list[bytes]:
        try:
            return self._connection.receive()
        except DataplaneError as error:
            answered = f"{len(self._done) + len(self._refusals)} of {len(self._operations)} operations were answered"
            raise DataplaneError(f"{error.message}; {answered}", error.hint) from error

    def _send_more(self) -> None:
        """Fill the window again once half of it is answered, unless there was a refusal."""
        if len(self._under_way) > WINDOW // 2:
            return
        requests = []
        while self._next < len(self._operations) and len(self._under_way) < WINDOW and not self._refusals:
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
        if reason := objection(operation):
            raise ValueError(reason)
        request = encode(operation, self._indexes, self._connection)
        context, data = self._connection.request(request.message, request.values, elements=request.elements)
        if request.message not in self._expected:
            self._expect(request.message)
        self._indexes.note_sent(operation)
        self._under_way[context] = position
        return data

    def _expect(self, name: str) -> None:
        """Learn to read the reply to the message `name`; that to a creation tells the index of what is new."""
        reply = self._connection.message(f"{name}_reply")
        created = [path for path in ("sw_if_index", "acl_index") if reply.has(path)]
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
        if retval:
            self._refuse(position, retval, describe(retval))
            return
        self._done.append(position)
        self._indexes.note_done(self._operations[position], created)

    def _refuse(self, position: int, retval: int, text: str) -> None:
        operation = self._operations[position]
        self._refusals.append(Refusal(index=position, operation=operation, retval=retval, text=text))


def perform(
    connection: Connection, operations: Sequence[Operation], on_progress: Callable[[int], None] | None
) -> Performance:
    """Carry out `operations` in order on the VPP behind `connection`, as Dataplane.perform promises."""
    _check_messages(connection, operations)
    return Run(connection, operations).go(on_progress)


def _read_indexes(connection: Connection, operations: Sequence[Operation]) -> Indexes:
    """Ask VPP how it numbers what `operations` may name."""
    names_acls = any(isinstance(operation, CreateAcl | ReplaceAcl | DeleteAcl | BindAcls) for operation in operations)
    return Indexes(read_names(connection), read_indexes(connection) if names_acls else {})


class _AnyIndex:
    """Indexes of whatever is named."""

    def interface(self, name: str) -> int:
        """Return a number."""
        return 0

    def acl(self, name: str) -> int:
        """Return a number."""
        return 0


def _check_messages(connection: Connection, operations: Sequence[Operation]) -> None:
    """Raise DataplaneError when VPP lacks a message that any of the operations needs, before anything is sent."""
    for operation in {type(operation): operation for operation in operations}.values():
        name = encode(operation, _AnyIndex(), connection).message
        connection.message(name)
        connection.message(f"{name}_reply")
