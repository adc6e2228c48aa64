"""The text of schema/vppcfg.yaml, with parts of it made from the keys of kinds."""

from __future__ import annotations

from functools import cache

from vppcfg import assets
from vppcfg.kinds.kind_list import ADDED_KINDS
from vppcfg.kinds.schema_text import with_parts

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
