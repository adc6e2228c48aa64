"""Lets the tests of one process learn the API of simulated VPPs once, which takes longer than what most of them try.

A definition that is parsed, or compiled to a layout, never changes, and what follows from it is the same for the same
text: tests/unit/vpp/ has the tests of both.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from vppcfg.vpp import connection, definitions
from vppcfg.vpp.definitions import Definitions, MessageDefinition
from vppcfg.vpp.layout import compile_message
from vppcfg.wire.codec import Message

_parse_served = cache(definitions.parse_served)
_read_bundled = cache(definitions.read_bundled)
_layouts: dict[tuple[int, str, int], tuple[Definitions, Message]] = {}
"""By the id of the definitions, which are kept so that no others get it."""


def _compiled(known: Definitions, definition: MessageDefinition, index: int) -> Message:
    key = (id(known), definition.key, index)
    if key not in _layouts:
        _layouts[key] = known, compile_message(known, definition, index)
    return _layouts[key][1]


@contextmanager
def api_learned_once() -> Iterator[None]:
    """Have no API learned within this context that the process has learned in one before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definitions, "parse_served", _parse_served)
        patch.setattr(definitions, "read_bundled", _read_bundled)
        patch.setattr(connection, "compile_message", _compiled)
        yield
