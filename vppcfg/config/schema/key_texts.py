"""The documents' text on each key of a configuration, for editors that show it beside the key.

docs/configuration.md and docs/tuning.md have a table for each map: its keys, their values, and what it means when a
key is absent. A table belongs to the definition of the JSON Schema with the same keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Rows = Mapping[str, str]
"""Descriptions of keys, by the key."""

_CELL_ENDS = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_BELOW = re.compile(r",? (?:\[below\]\([^)]*\)|see below)")
"""Means nothing beside the key."""
_OF_INTERFACES = "as for interfaces"
_LIKE_INTERFACES = ("loopback", "sub-interface")
"""Definitions most of whose keys are those of an interface."""


def tables_in(text: str) -> Iterator[Rows]:
    """Yield the tables of keys, and that of sections, of a document in Markdown."""
    title: list[str] = []
    rows: dict[str, str] = {}
    for line in [*text.split("\n"), ""]:
        if not line.startswith("|"):
            if rows and title[0].partition(" ")[0] in {"key", "section"} and title[1] != "here":
                yield rows
            title, rows = [], {}
        elif not title:
            title = _cells(line)
        elif set(line) - set("|-: "):
            names, *others = _cells(line)
            rows |= dict.fromkeys(_CODE.findall(names), _sentence([*others]))


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL_ENDS.split(line)[1:-1]]


def _sentence(cells: list[str]) -> str:
    """Return a row, without the key, as an editor shows it: in plain text."""
    value, *absent = (_LINK.sub(r"\1", _BELOW.sub("", cell)).replace("`", "") for cell in cells)
    return f"{value}; absent: {absent[0]}" if absent and absent[0] else value


def describe(schema: dict[str, Any], documents: Iterable[str]) -> None:
    """Write the documents' text on keys into a JSON Schema of the configuration, as `description`."""
    tables = [table for text in documents for table in tables_in(text)]
    definitions = schema["definitions"]
    of_interfaces = _table_of(definitions["interface"]["properties"], tables)
    _write(schema["properties"], _table_of(schema["properties"], tables))
    for name, definition in definitions.items():
        rows = _table_of(definition["properties"], tables)
        if name in _LIKE_INTERFACES:
            own = {key: others for key, others in rows.items() if not others.startswith(_OF_INTERFACES)}
            rows = {**of_interfaces, **own}
        _write(definition["properties"], rows)


def _table_of(properties: Mapping[str, Any], tables: Iterable[Rows]) -> Rows:
    """Return the table that is about these keys: most of them are in it, and it has hardly any other; else none."""

    def is_fitting(table: Rows) -> bool:
        return 2 * len(properties.keys() & table.keys()) > max(len(properties), len(table))

    def likeness(table: Rows) -> int:
        return 2 * len(properties.keys() & table.keys()) - len(table.keys() - properties.keys())

    return max(filter(is_fitting, tables), key=likeness, default={})


def _write(properties: dict[str, Any], rows: Rows) -> None:
    for key, part in properties.items():
        if key in rows:
            properties[key] = {"description": rows[key], **part}
