"""Lets the tests of one process learn the API of simulated VPPs once, which takes longer than what most of them try.

A definition that is parsed, or compiled to a layout, never changes, and what follows from it is the same for the same
text: tests/unit/vpp/ has the tests of both.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from vppcfg.vpp import connection, definitions
from vppcfg.vpp.codec import Message
from vppcfg.vpp.definitions import Definitions, MessageDefinition
from vppcfg.vpp.layout import compile_message


@contextmanager
def api_learned_once() -> Iterator[None]:
    """Have the definitions and layouts of a VPP's API kept from one connection to the next within this context."""
    layouts: dict[tuple[int, str, int], Message] = {}
    kept: list[Definitions] = []

    def compiled(known: Definitions, definition: MessageDefinition, index: int) -> Message:
        key = (id(known), definition.key, index)
        if key not in layouts:
            kept.append(known)  # so that no other object gets its id
            layouts[key] = compile_message(known, definition, index)
        return layouts[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definitions, "parse_served", cache(definitions.parse_served))
        patch.setattr(definitions, "read_bundled", cache(definitions.read_bundled))
        patch.setattr(connection, "compile_message", compiled)
        yield
