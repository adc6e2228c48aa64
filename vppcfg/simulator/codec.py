"""Packs and unpacks API messages with struct formats compiled from the definitions; it knows no message by name.

The values of a message are a mapping by field. The fields of nested types and the elements of arrays have names such as
`prefix.len` and `mtu[0]`; byte arrays, strings and unions are bytes. The part of varying length at the end of a message
is bytes or a sequence of rows, and is counted here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from struct import Struct, error
from typing import Any, NamedTuple

from vppcfg.record import record
from vppcfg.simulator.wire import Value, Values

_FORMATS = {
    **{"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f64": "8s"},
    "bool": "?",
}
"""Of the plain types; a floating-point number stays bytes, for VPP sends it little-endian."""
_ID = Struct(">H")
_FIELD = re.compile(r"[.\[]")
"""What stands behind the name of a field in that of a value."""


class MalformedMessageError(ValueError):
    """A message is shorter than its definition, or a part of it runs past the end."""


class Field(NamedTuple):
    """One field of a message or type."""

    type: str
    name: str
    length: int | None = None
    """Number of elements, 0 when it varies; None for a single value."""
    counted_by: str = ""
    """Field that holds the number of elements."""


def _fields(items: Iterable[list[Any]]) -> tuple[Field, ...]:
    """Return the fields of a definition without their defaults and the like."""
    return tuple(Field(*(word for word in item if not isinstance(word, dict))) for item in items)


class Types:
    """The struct format of every type that an API file names."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._aliases = {f"vl_api_{name}_t": alias for name, alias in document["aliases"].items()}
        for name, *_, last in (*document["enums"], *document["enumflags"]):
            self._aliases[f"vl_api_{name}_t"] = {"type": last["enumtype"]}
        self._structs = {f"vl_api_{name}_t": _fields(fields) for name, *fields in document["types"]}
        self._unions = {f"vl_api_{name}_t": _fields(fields) for name, *fields in document["unions"]}

    def format_of(self, fields: Iterable[Field]) -> str:
        """Return the struct format of fields of fixed length, without byte order."""
        return "".join(kind for _, kind in self.values_of(fields))

    def values_of(self, fields: Iterable[Field]) -> Iterator[tuple[str, str]]:
        """Yield name and struct format of each value in fields of fixed length."""
        for one in fields:
            if one.type == "string" or (one.type == "u8" and one.length is not None):
                yield one.name, f"{one.length}s"
            elif one.length is None:
                yield from self._values(one.name, one.type)
            else:
                for position in range(one.length):
                    yield from self._values(f"{one.name}[{position}]", one.type)

    def _values(self, name: str, kind: str) -> Iterator[tuple[str, str]]:
        if kind in _FORMATS:
            yield name, _FORMATS[kind]
        elif kind in self._unions:
            yield name, f"{max(self._size_of(member.type) for member in self._unions[kind])}s"
        elif kind in self._structs:
            yield from ((f"{name}.{inner}", value) for inner, value in self.values_of(self._structs[kind]))
        else:
            alias = self._aliases[kind]
            yield from self.values_of([Field(alias["type"], name, alias.get("length"))])

    def with_open_end(self, fields: tuple[Field, ...]) -> tuple[Field, ...]:
        """Return the fields of a message, the last one in its parts when it is a struct that varies in length."""
        *start, last = fields
        inner = self._structs.get(last.type, ())
        if last.length is not None or not inner or inner[-1].length != 0:
            return fields
        parts = [part._replace(name=f"{last.name}.{part.name}") for part in inner]
        return (*start, *parts[:-1], parts[-1]._replace(counted_by=f"{last.name}.{inner[-1].counted_by}"))

    def _size_of(self, kind: str) -> int:
        return Struct(">" + "".join(value for _, value in self._values("", kind))).size


@record
class Layout:
    """The struct format of the values of one message, and the part of varying length behind them."""

    fixed: Struct
    zeros: Mapping[str, Value]
    """An all-zero value for every field, in order."""
    tail: Struct | None = None
    """Of one element of the part of varying length at the end; a string when `tail_is_text`."""
    tail_name: str = ""
    tail_is_text: bool = False
    count_name: str = ""
    """The field that holds the number of elements; a string has its length before it and no field for that."""

    def unpack(self, message: bytes) -> dict[str, Value]:
        """Return the values of a message, which starts with its id; raise MalformedMessageError."""
        try:
            values = self.fixed.unpack_from(message, _ID.size)
        except error as problem:
            raise MalformedMessageError(str(problem)) from None
        named: dict[str, Value] = dict(zip(self.zeros, values, strict=False))
        if self.tail is not None:
            count = values[-1] if self.tail_is_text else named[self.count_name]
            named[self.tail_name] = self._tail_in(message[_ID.size + self.fixed.size :], count)
        return named

    def _tail_in(self, packed: bytes, count: Value) -> Value:
        """Return the `count` elements of the part of varying length at the start of `packed`."""
        if self.tail is None or not isinstance(count, int):
            raise TypeError("a part of varying length comes after its length")
        size = count * self.tail.size
        if size > len(packed):
            raise MalformedMessageError(f"a part of {size} bytes does not fit into {len(packed)}")
        if self.tail_is_text:
            return packed[:size]
        rows = tuple(self.tail.iter_unpack(packed[:size]))
        return tuple(row[0] for row in rows) if rows and len(rows[0]) == 1 else rows

    def pack(self, values: dict[str, Value]) -> bytes:
        """Return the bytes behind the message id of all values, which stand in order, the part at the end last."""
        tail = self.tail
        if tail is None:
            return self.fixed.pack(*values.values())
        last = values.pop(self.tail_name)
        if isinstance(last, bytes):
            return self.fixed.pack(*values.values(), len(last)) + last
        if isinstance(last, int):
            raise TypeError("the last value of this message is a list")
        values[self.count_name] = len(last)
        rows = (tail.pack(*row) if isinstance(row, tuple) else tail.pack(row) for row in last)
        return self.fixed.pack(*values.values()) + b"".join(rows)


def layout_of(message: list[Any], types: Types) -> Layout:
    """Return the layout of a message of a document; a part of varying length may stand at its end only."""
    _, _id, *described, _crc = message
    fields = types.with_open_end(_fields(described))
    *start, last = fields
    is_open = last.length == 0
    values = dict(types.values_of(start if is_open else fields))
    fixed = Struct(">" + "".join(values.values()))
    zeros: dict[str, Value] = dict(zip(values, fixed.unpack(bytes(fixed.size)), strict=True))
    if not is_open:
        return Layout(fixed=fixed, zeros=zeros)
    if last.type == "string":
        zeros[last.name] = b""
        fixed = Struct(f"{fixed.format}I")
        return Layout(fixed=fixed, zeros=zeros, tail=Struct(">c"), tail_name=last.name, tail_is_text=True)
    zeros[last.name] = ()
    row = Struct(">" + types.format_of([Field(last.type, last.name)]))
    return Layout(fixed=fixed, zeros=zeros, tail=row, tail_name=last.name, count_name=last.counted_by)


class _Layouts(dict[str, Layout]):
    """The layouts of messages by name, each made when it is first asked for."""

    def __init__(self, documents: Iterable[Mapping[str, Any]]) -> None:
        super().__init__()
        self._messages = {message[0]: (message, each) for each in documents for message in each["messages"]}

    def __missing__(self, name: str) -> Layout:
        message, document = self._messages[name]
        layout = self[name] = layout_of(message, Types(document))
        return layout


class Codec:
    """The messages of one release, with the ids under which they travel."""

    def __init__(
        self, documents: Iterable[Mapping[str, Any]], ids: Mapping[str, int], known: Collection[str] = ()
    ) -> None:
        """Speak the messages in `documents`; `known` are the fields that messages have in any release."""
        self._layouts = _Layouts(documents)
        self._prefixes = {name: _ID.pack(number) for name, number in ids.items()}
        self._names = {number: name for name, number in ids.items()}
        self._known = known

    def name_of(self, message: bytes) -> str | None:
        """Return the name of a packed message, None when its id is unknown or missing."""
        return self._names.get(_ID.unpack_from(message)[0]) if len(message) >= _ID.size else None

    def unpack(self, name: str, message: bytes) -> dict[str, Any]:
        """Return the values of a packed message; raise MalformedMessageError."""
        return self._layouts[name].unpack(message)

    def pack(self, name: str, values: Values, context: int | None = None) -> bytes:
        """Return a message with its id, where fields that `values` leaves out are zero; an answer repeats a context.

        Values for which this version of the message has no field are left out. Raise ValueError for a value that does
        not fit, and KeyError for a field that no message has.
        """
        layout = self._layouts[name]
        whole = {**layout.zeros, **values}
        if context is not None:
            whole["context"] = context
        if len(whole) != len(layout.zeros):
            self._check(values)
            whole = {field: whole[field] for field in layout.zeros}
        try:
            return self._prefixes[name] + layout.pack(whole)
        except error as problem:
            raise ValueError(f"{name} cannot hold {values!r}: {problem}") from problem

    def _check(self, values: Values) -> None:
        unknown = [name for name in values if _FIELD.split(name, 1)[0] not in self._known]
        if unknown:
            raise KeyError(f"no message has the fields {unknown}")

    def zeros(self, name: str) -> dict[str, Value]:
        """Return an all-zero value for every field of a message, in order."""
        return dict(self._layouts[name].zeros)
