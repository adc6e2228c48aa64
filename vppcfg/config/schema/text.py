"""The text of schema/vppcfg.yaml, with parts of it made from the keys of kinds."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from vppcfg import assets
from vppcfg.kinds.kind_list import ADDED_KINDS, KINDS

_HEAD = re.compile(r"([\w-]+):")


def declared_parts() -> dict[str, Sequence[str]]:
    """Return the lines of each part that follows from declared keys, by the name that the schema includes it with."""
    return {name: lines for kind in KINDS if kind not in ADDED_KINDS for name, lines in kind.schema_parts().items()}


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


SCHEMA = "schema/vppcfg.yaml"
_END_OF_SECTIONS = "---\n"


@cache
def schema_text() -> str:
    """Return the schema of a file, with the sections that other programs add."""
    text = assets.find(SCHEMA).read_text(encoding="utf-8")
    for kind in ADDED_KINDS:
        sections = "".join(f"{key}: {words}\n" for key, words in kind.schema_sections().items())
        text = with_parts(text.replace(_END_OF_SECTIONS, sections + _END_OF_SECTIONS, 1), kind.schema_parts())
    return text


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(with_parts(file.read_text(encoding="utf-8"), declared_parts()), encoding="utf-8")
