"""Reads objects of our kinds that no file owns, of FIB tables and bridge domains, such as ARP entries and relays.

The kind of an object has the messages that set and remove it, so that no reader is needed for these. Those that are on
interfaces have readers, which see what no file can set too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from vppcfg.engine.object_kind import AnyObjectKind
from vppcfg.kinds.kind_list import OBJECT_KINDS
from vppcfg.model.attachment import ApiCall, Attachment, Values, index_placeholder, stored_call
from vppcfg.model.vpp_object import Referent, VppObject, is_owned
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.request import Value
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import ReadScope

_HOLDERS = (Referent.TABLE, Referent.BRIDGE)


def read(connection: Connection, scope: ReadScope) -> Iterator[Attachment]:
    """Yield observed objects that no file owns and that refer to a table or bridge domain of the scope."""
    for kind in OBJECT_KINDS:
        for item in scope.state.of(kind.object_class).values():
            if is_owned(item, scope.state.owned):
                continue
            needed = [each.name for each in item.references() if each.referent in _HOLDERS]
            if not scope.holders.isdisjoint(needed) and not _is_read_on_interface(item, scope):
                yield _attachment(connection, kind, item, needed)


def _is_read_on_interface(item: VppObject, scope: ReadScope) -> bool:
    """Return whether the reader of an interface yields it, such as a mapping by the address of the interface."""
    names = (each.name for each in item.references() if each.referent is Referent.INTERFACE)
    return not scope.holders.isdisjoint(names)


def _attachment(connection: Connection, kind: AnyObjectKind, item: VppObject, needed: list[str]) -> Attachment:
    put, take = kind.set(item), kind.remove(item)
    line, removal = put.cli(), take.cli()
    return Attachment(
        holder=needed[0],
        kind=item.noun,
        name=item.name,
        put=_stored(connection, put, needed[1:]),
        take=_stored(connection, take, needed[1:]),
        outlives=True,
        lines=(line,) if line else (),
        removal=removal or "",
    )


def _stored(connection: Connection, operation: SetObject | RemoveObject, needed: list[str]) -> ApiCall | None:
    """Return the message of an operation by names, None where it has a number that is not the one of an interface."""
    try:
        request = operation.request(_ByName(), connection)
    except _NumberedError:
        return None
    if request.text:
        return None
    elements = [_values(each) for each in request.elements]
    call = stored_call(request.message, _values(request.values), request.list_name, elements)
    return replace(call, needs=tuple(needed))


def _values(values: Mapping[str, Value]) -> Values:
    return {
        path: value.encode() if isinstance(value, str) and not isinstance(value, _Name) else value
        for path, value in values.items()
    }


class _Name(str):
    """The name of an interface in place of its number."""


class _NumberedError(Exception):
    """A message has a number that only this run of VPP knows."""


class _ByName:
    """Names in place of VPP's numbers: what is stored outlives them."""

    def interface(self, name: str) -> Value:
        return _Name(index_placeholder(name))

    def mac(self, name: str) -> str:
        raise _NumberedError(name)

    def number(self, noun: str, name: str) -> Value:
        raise _NumberedError(name)

    def peer(self, public_key: str) -> Value:
        raise _NumberedError(public_key)

    def source(self, name: str) -> Value:
        raise _NumberedError(name)
