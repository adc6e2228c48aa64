"""Makes the layout of a message from its definition: the values that its fields come down to, one by one.

The meaning of messages is elsewhere.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from vppcfg.errors import DataplaneError
from vppcfg.vpp.definitions import Definitions, Field, MessageDefinition
from vppcfg.wire.codec import Leaf, Message, Tail

_CODES = {
    "u8": "B",
    "i8": "b",
    "u16": "H",
    "i16": "h",
    "u32": "I",
    "i32": "i",
    "u64": "Q",
    "i64": "q",
    "f64": "8s",
    "bool": "?",
}
_MALFORMED = "are they the *.api.json files that came with this VPP?"
_DEPTH = 16
"""How deep types may be nested; VPP's own stay below 5."""
_MOST_BYTES = 1 << 16
"""How long a message may be without the list or string that ends it; VPP's own stay below 3,000."""
_MOST_TYPES = 1 << 14
"""How many types and values a message may come down to; VPP's own stay below 300."""


def compile_message(definitions: Definitions, definition: MessageDefinition, index: int) -> Message:
    """Return the message of a `definition` that has the id `index` in a VPP.

    Raise DataplaneError when the definitions lack a type, are malformed, or describe a message beyond measure.
    """
    layout = _Layout(definitions, definition.name)
    leaves: list[Leaf] = []
    tail = None
    for place, field in enumerate(definition.fields, start=1):
        if _is_variable(field):
            if place < len(definition.fields):
                raise DataplaneError(
                    f"the API definition of {definition.name} has {field.name} in its middle", _MALFORMED
                )
            tail = layout.tail(field)
        else:
            leaves.extend(layout.leaves(field, field.name, _DEPTH))
    return Message(definition.name, index, leaves, tail or layout.inner_tail)


def _is_variable(field: Field) -> bool:
    return field.length == 0 or (field.type == "string" and field.length is None)


class _Layout:
    """One message on its way to a layout, with what it has come down to so far."""

    def __init__(self, definitions: Definitions, message: str) -> None:
        self._definitions = definitions
        self._message = message
        self._bytes = 0
        self._types = 0
        self.inner_tail: Tail | None = None
        """What ends the message where that is a list in its last field."""

    def tail(self, field: Field, path: str = "") -> Tail:
        """Return what ends the message; the field that counts it is below `path`."""
        if field.type == "string":
            return Tail(count=None)
        element = Field(name="", type=field.type)
        count = f"{path}.{field.count}".removeprefix(".") if field.count else ""
        return Tail(count=count, leaves=tuple(self.leaves(element, "", _DEPTH)))

    def leaves(self, field: Field, path: str, depth: int) -> Iterator[Leaf]:
        """Yield what `field` comes down to, named from `path`."""
        if depth == 0:
            raise DataplaneError(f"the API definitions nest {field.type} without end", _MALFORMED)
        if self.inner_tail is not None:
            raise DataplaneError(f"the API definition of {self._message} has a list in its middle", _MALFORMED)
        self._measure(types=1)
        if field.type == "string" or (field.length and _CODES.get(field.type) in ("B", "b")):
            size = field.length or 0
            yield self._leaf(path, f"{size}s", size - 1 if field.type == "string" else size)
        elif field.length:
            for number in range(field.length):
                yield from self.leaves(Field(name=field.name, type=field.type), f"{path}.{number}", depth - 1)
        else:
            yield from self._type_leaves(field.type, path, depth)

    def _type_leaves(self, type_name: str, path: str, depth: int) -> Iterator[Leaf]:
        """Yield what one value of a type comes down to; a union is an array of bytes as long as its longest member."""
        definitions = self._definitions
        if type_name in _CODES:
            code = _CODES[type_name]
            yield self._leaf(path, code, struct.calcsize(code) if code.endswith("s") else 0)
        elif type_name in definitions.aliases:
            yield from self.leaves(definitions.aliases[type_name], path, depth - 1)
        elif type_name in definitions.unions:
            members = (self.leaves(member, path, depth - 1) for member in definitions.unions[type_name])
            sizes = (struct.calcsize(">" + "".join(leaf.code for leaf in member)) for member in members)
            size = max(sizes, default=0)
            yield Leaf(path=path, code=f"{size}s", limit=size)
        elif type_name in definitions.structs:
            for field in definitions.structs[type_name]:
                if field.length == 0 and self.inner_tail is None:
                    self.inner_tail = self.tail(field, path)
                else:
                    yield from self.leaves(field, f"{path}.{field.name}".removeprefix("."), depth - 1)
        else:
            raise DataplaneError(f"the API definitions lack the type {type_name}", _MALFORMED)

    def _leaf(self, path: str, code: str, limit: int = 0) -> Leaf:
        self._measure(size_bytes=struct.calcsize(">" + code))
        return Leaf(path=path, code=code, limit=limit)

    def _measure(self, types: int = 0, size_bytes: int = 0) -> None:
        """Take account of a part of the message. Raise DataplaneError when it becomes longer than any is."""
        self._types += types
        self._bytes += size_bytes
        if self._types > _MOST_TYPES or self._bytes > _MOST_BYTES:
            raise DataplaneError(f"the API definition of {self._message} has no end in sight", _MALFORMED)
