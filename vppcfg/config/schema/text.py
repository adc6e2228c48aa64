"""The text of schema/vppcfg.yaml, with parts of it made from the keys of kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from vppcfg import assets
from vppcfg.kinds.kind_list import ADDED_KINDS

SCHEMA = "schema/vppcfg.yaml"
_HEAD = re.compile(r"([\w-]+):")
_END_OF_SECTIONS = "---\n"


@cache
def schema_text() -> str:
    """Return the schema of a file, with the sections that other programs add."""
    text = assets.find(SCHEMA).read_text(encoding="utf-8")
    for kind in ADDED_KINDS:
        sections = "".join(f"{key}: {words}\n" for key, words in kind.schema_sections().items())
        text = with_parts(text.replace(_END_OF_SECTIONS, sections + _END_OF_SECTIONS, 1), kind.schema_parts())
    return text


def with_parts(schema: str, parts: Mapping[str, Sequence[str]]) -> str:
    """Return the text of a schema with these parts in place of those of their names; new ones at its end."""
    left = dict(parts)
    lines = list(_replaced(schema.splitlines(), left))
    for name in list(left):
        lines += ["", f"{name}:", *(f"  {line}" for line in left.pop(name))]
    return "\n".join(lines) + "\n"


def _replaced(lines: Sequence[str], left: dict[str, Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a schema, those of a part that is `left` anew; it is left no more then."""
    is_left_out = False
    for line in lines:
        head = _HEAD.fullmatch(line)
        if head is not None and head[1] in left:
            is_left_out = True
            yield line
            yield from (f"  {each}" for each in left.pop(head[1]))
        elif not (is_left_out and line.startswith("  ")):
            is_left_out = False
            yield line
