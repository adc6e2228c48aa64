"""Packs and unpacks API messages with struct formats compiled from the definitions; it knows no message by name.

A message is a flat tuple of values: nested types and arrays are written out, byte arrays and strings are bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct, error

from vppcfg.record import record
from vppcfg.simulator.definitions.grammar import ApiFile, Enumeration, Field, Message

Value = int | bytes | Sequence[tuple[int | bytes, ...]]

_FORMATS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i", "f64": "8s", "bool": "?"}
"""Of the plain types; a floating-point number stays bytes, for VPP sends it little-endian."""
_ID = Struct(">H")


class MalformedMessageError(ValueError):
    """A message is shorter than its definition, or a part of it runs past the end."""


class Types:
    """The struct format of every type that an API file names."""

    def __init__(self, file: ApiFile) -> None:
        self._aliases = file.aliases
        self._enumerations: dict[str, Enumeration] = {item.name: item for item in file.enumerations}
        self._structs = {item.name: item.fields for item in file.structs}
        self._unions = {item.name: item.fields for item in file.unions}

    def format_of(self, fields: Iterable[Field]) -> str:
        """Return the struct format of fields of fixed length, without byte order."""
        return "".join(map(self._field, fields))

    def _field(self, field: Field) -> str:
        if field.type == "string" or (field.type == "u8" and field.length is not None):
            return f"{field.length}s"
        return self._type(field.type) * (1 if field.length is None else field.length)

    def _type(self, name: str) -> str:
        if name in _FORMATS:
            return _FORMATS[name]
        if name in self._enumerations:
            return _FORMATS[self._enumerations[name].type]
        if name in self._unions:
            return f"{max(Struct('>' + self._type(member.type)).size for member in self._unions[name])}s"
        if name in self._structs:
            return self.format_of(self._structs[name])
        base, bracket, length = self._aliases[name].rstrip("]").partition("[")
        return f"{length}s" if bracket and base == "u8" else self._type(base)


@record
class Layout:
    """How the values of one message lie behind its id."""

    fixed: Struct
    tail: Struct | None = None
    """Of one element of the part of varying length at the end; a string when `tail_is_text`."""
    tail_is_text: bool = False
    count_at: int = -1
    """Where among the fixed values the number of elements of a list stands."""

    def unpack(self, body: bytes) -> tuple[Value, ...]:
        """Return the values in `body`, which starts behind the message id; raise MalformedMessageError."""
        try:
            values: tuple[Value, ...] = self.fixed.unpack_from(body)
        except error as problem:
            raise MalformedMessageError(str(problem)) from None
        if self.tail is None:
            return values
        length, start = values[self.count_at], self.fixed.size
        if not isinstance(length, int):
            raise TypeError("a part of varying length comes after its length")
        end = start + length * self.tail.size
        if end > len(body):
            raise MalformedMessageError(f"a part of {end - start} bytes does not fit into {len(body) - start}")
        if self.tail_is_text:
            return (*values[:-1], body[start:end])
        return (*values, tuple(self.tail.iter_unpack(body[start:end])))

    def pack(self, values: Sequence[Value]) -> bytes:
        """Return the bytes behind the message id."""
        if self.tail is None:
            return self.fixed.pack(*values)
        last = values[-1]
        if isinstance(last, bytes):
            return self.fixed.pack(*values[:-1], len(last)) + last
        if isinstance(last, int):
            raise TypeError("the last value of this message is a list")
        return self.fixed.pack(*values[:-1]) + b"".join(self.tail.pack(*row) for row in last)


def layout_of(message: Message, types: Types) -> Layout:
    """Return the layout of `message`; a part of varying length may stand at its end only."""
    *start, last = message.fields
    if last.length != 0:
        return Layout(fixed=Struct(">" + types.format_of(message.fields)))
    if last.type == "string":
        return Layout(fixed=Struct(f">{types.format_of(start)}I"), tail=Struct(">c"), tail_is_text=True)
    row = types.format_of([Field(type=last.type, name=last.name)])
    names = [field.name for field in start]
    before = Struct(">" + types.format_of(start[: names.index(last.counted_by)]))
    count_at = len(before.unpack(bytes(before.size)))
    return Layout(fixed=Struct(">" + types.format_of(start)), tail=Struct(">" + row), count_at=count_at)


class Codec:
    """The messages of one release, with the ids under which they travel."""

    def __init__(self, layouts: dict[str, Layout], ids: dict[str, int]) -> None:
        self._layouts = layouts
        self._prefixes = {name: _ID.pack(number) for name, number in ids.items()}
        self._names = {number: name for name, number in ids.items()}

    def name_of(self, message: bytes) -> str | None:
        """Return the name of a packed message, None when its id is unknown or missing."""
        return self._names.get(_ID.unpack_from(message)[0]) if len(message) >= _ID.size else None

    def unpack(self, name: str, message: bytes) -> tuple[Value, ...]:
        """Return the values of a packed message; raise MalformedMessageError."""
        return self._layouts[name].unpack(message[_ID.size :])

    def pack(self, name: str, values: Sequence[Value]) -> bytes:
        """Return a message with its id; raise struct.error for a value that does not fit."""
        return self._prefixes[name] + self._layouts[name].pack(values)

    def zeros(self, name: str) -> list[Value]:
        """Return an all-zero value for every field of a message."""
        layout = self._layouts[name]
        values: list[Value] = list(layout.fixed.unpack(bytes(layout.fixed.size)))
        if layout.tail_is_text:
            values[-1] = b""
        elif layout.tail is not None:
            values.append(())
        return values
