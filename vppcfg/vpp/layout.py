"""Makes the layout of a message from its definition: the values that its fields come down to, one by one.

Nothing here knows what a message is for.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from vppcfg.errors import DataplaneError
from vppcfg.vpp.codec import Leaf, Message, Tail
from vppcfg.vpp.definitions import Definitions, Field, MessageDefinition

_CODES = {
    "u8": "B",
    "i8": "b",
    "u16": "H",
    "i16": "h",
    "u32": "I",
    "i32": "i",
    "u64": "Q",
    "i64": "q",
    "f64": "d",
    "bool": "?",
}
_MALFORMED = "are they the *.api.json files that came with this VPP?"
_DEPTH = 16
"""How deep types may be nested; VPP's own stay below 5."""


def compile_message(definitions: Definitions, definition: MessageDefinition, index: int) -> Message:
    """Return the message of a `definition` that has the id `index` in a VPP.

    Raise DataplaneError when the definitions lack a type or are malformed.
    """
    leaves: list[Leaf] = []
    tail = None
    for place, field in enumerate(definition.fields, start=1):
        if _is_variable(field):
            if place < len(definition.fields):
                raise DataplaneError(
                    f"the API definition of {definition.name} has {field.name} in its middle", _MALFORMED
                )
            tail = _tail(definitions, field)
        else:
            leaves.extend(_leaves(definitions, field, field.name, _DEPTH))
    return Message(definition.name, index, leaves, tail)


def _is_variable(field: Field) -> bool:
    return field.length == 0 or (field.type == "string" and field.length is None)


def _tail(definitions: Definitions, field: Field) -> Tail:
    if field.type == "string":
        return Tail(count=None)
    element = Field(name="", type=field.type)
    leaves = _leaves(definitions, element, "", _DEPTH)
    return Tail(count=field.count or "", leaves=tuple(leaves))


def _leaves(definitions: Definitions, field: Field, path: str, depth: int) -> Iterator[Leaf]:
    """Yield what `field` comes down to, named from `path`."""
    if depth == 0:
        raise DataplaneError(f"the API definitions nest {field.type} without end", _MALFORMED)
    if field.type == "string" or (field.length and _CODES.get(field.type) in ("B", "b")):
        size = field.length or 0
        yield Leaf(path=path, code=f"{size}s", limit=size - 1 if field.type == "string" else size)
    elif field.length:
        for number in range(field.length):
            yield from _leaves(definitions, Field(name=field.name, type=field.type), f"{path}.{number}", depth - 1)
    else:
        yield from _type_leaves(definitions, field.type, path, depth)


def _type_leaves(definitions: Definitions, type_name: str, path: str, depth: int) -> Iterator[Leaf]:
    """Yield what one value of a type comes down to; a union is an array of bytes as long as its longest member."""
    if type_name in _CODES:
        yield Leaf(path=path, code=_CODES[type_name])
    elif type_name in definitions.aliases:
        yield from _leaves(definitions, definitions.aliases[type_name], path, depth - 1)
    elif type_name in definitions.unions:
        members = (_leaves(definitions, member, path, depth - 1) for member in definitions.unions[type_name])
        sizes = (struct.calcsize(">" + "".join(leaf.code for leaf in member)) for member in members)
        size = max(sizes)
        yield Leaf(path=path, code=f"{size}s", limit=size)
    elif type_name in definitions.structs:
        for field in definitions.structs[type_name]:
            yield from _leaves(definitions, field, f"{path}.{field.name}".removeprefix("."), depth - 1)
    else:
        raise DataplaneError(f"the API definitions lack the type {type_name}", _MALFORMED)
