"""Which texts may stand in a line of VPP's CLI: an operation in, whether all of its texts are single words out.

A name in a file is checked when the file is. What VPP itself has was named by whoever could reach its API, and a saved
state by whoever wrote it: names with spaces, line ends or braces would become commands of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache

from vppcfg.plan.operations import Operation

_TAG = "tag"
"""The field that may have spaces: VPP reads it in braces (unformat_vlib_cli_line, vlib/cli.c)."""
_WORD = re.compile(r"[A-Za-z0-9/._:@+=~%^*-]*")
_TAG_TEXT = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029{}$#\\\"']*")
_NUMBERS = frozenset({"int", "float", "bool", "None"})
"""Annotations, which are texts in the modules of the model."""
_OTHER = re.compile(r"[^A-Za-z0-9/._:@+=~%^* -]")


def is_sayable(operation: Operation) -> bool:
    """Return whether every text of an operation is one word, and its tag one that braces hold."""
    kind: type = type(operation)
    for name in _names(kind):
        value = getattr(operation, name)
        if value.__class__ is str:
            if not _is_sayable_as(name, value):
                return False
        elif not all(_is_sayable_as(*text) for text in _texts(value, name)):
            return False
    return True


def _is_sayable_as(name: str, text: str) -> bool:
    return (_TAG_TEXT if name == _TAG else _WORD).fullmatch(text) is not None


def harmless(text: str) -> str:
    """Return a text for a comment, with everything that could end it replaced."""
    return _OTHER.sub("?", text)


def _texts(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Yield every text in a value of the model, with the name of its field."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, tuple | frozenset):
        for item in value:
            yield from _texts(item, name)
    else:
        kind: type = value.__class__
        for field in _names(kind):
            yield from _texts(getattr(value, field), field)


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Return the fields of a kind of value that may have texts: all but numbers; none of what is no data class."""
    if not is_dataclass(kind) or issubclass(kind, Enum):
        return ()
    return tuple(field.name for field in fields(kind) if not _NUMBERS.issuperset(str(field.type).split(" | ")))
