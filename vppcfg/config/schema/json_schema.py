"""The shape of a configuration as a JSON Schema for editors, made from schema/vppcfg.yaml.

`python -m vppcfg.config.schema.json_schema DOCUMENT...` writes schema/vppcfg.schema.json to standard output, with what
the document has on the keys.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from yamale.validators import Any as AnyOf
from yamale.validators import Boolean, Enum, Include, Integer, List, Map, String

from vppcfg.config.schema.check import shape
from vppcfg.config.section_list import SECTIONS
from vppcfg.entries.names import INTERFACE, NAME_LENGTH
from vppcfg.entries.words import WORDS, JsonSchema, limited, text
from vppcfg.entries.yaml.overlay import EXTENSION
from vppcfg.kinds import sub_interface_entry
from vppcfg.kinds.interface_keys import CHILDREN

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


FILE = "schema/vppcfg.schema.json"
DIALECT = "http://json-schema.org/draft-07/schema#"
"""The newest one that YAML language servers know in full."""

_OF_SECTIONS = {section.key: text(*pattern) for section in SECTIONS if (pattern := section.name_pattern())}
"""What the entries of a section are called, by its key."""
_NESTED = {CHILDREN: text(*sub_interface_entry.NAME_PATTERN), "peers": text(INTERFACE.pattern, NAME_LENGTH)}
"""What the entries of a map inside an entry are called; one that repeats names of a section takes any of them."""


def json_schema() -> JsonSchema:
    """Return the schema of a whole file."""
    known = shape()
    whole = {**_map_of(known.dict, _OF_SECTIONS), "patternProperties": {f"^{EXTENSION}": {}}}
    return {
        "$schema": DIALECT,
        "title": "Configuration of vppcfg",
        **_or_nothing(whole),
        "definitions": {name: _map_of(part.dict, _NESTED) for name, part in sorted(known.includes.items())},
    }


def as_document(documents: Iterable[str]) -> str:
    """Return the text of schema/vppcfg.schema.json, its keys described as documents in Markdown describe them."""
    schema = json_schema()
    describe(schema, documents)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _map_of(keys: dict[str, Any], names: Mapping[str, JsonSchema]) -> JsonSchema:
    required = [key for key, validator in keys.items() if validator.is_required]
    return {
        "type": "object",
        "properties": {key: _value(validator, names.get(key)) for key, validator in keys.items()},
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }


def _value(validator: Any, names: JsonSchema | None = None) -> JsonSchema:
    """Return the schema of a value; one that may be absent may be there with nothing in it."""
    schema = _map(validator, names) if isinstance(validator, Map) else _schema_of(validator)
    return schema if validator.is_required else _or_nothing(schema)


def _map(validator: Any, names: JsonSchema | None) -> JsonSchema:
    (entry,) = validator.validators
    return {
        "type": "object",
        "additionalProperties": _value(entry),
        # Without their type: keys are text in JSON; YAML language servers take 100 for a number, as YAML does.
        **({} if names is None else {"propertyNames": {word: names[word] for word in names if word != "type"}}),
    }


def _schema_of(validator: Any) -> JsonSchema:
    if isinstance(validator, Include):
        return {"$ref": f"#/definitions/{validator.include_name}"}
    if isinstance(validator, AnyOf):
        return {"anyOf": [_schema_of(choice) for choice in validator.validators]}
    if isinstance(validator, List):
        return _list(validator)
    if isinstance(validator, Enum):
        return {"enum": sorted(validator.enums, key=validator.args.index)}
    return _scalar(validator)


def _list(validator: Any) -> JsonSchema:
    least = validator.kwargs.get("min")
    (item,) = validator.validators
    return {"type": "array", "items": _value(item), **({} if least is None else {"minItems": least})}


def _scalar(validator: Any) -> JsonSchema:
    limits = validator.kwargs
    if isinstance(validator, Boolean):
        return {"type": "boolean"}
    if isinstance(validator, Integer):
        return limited(limits.get("min"), limits.get("max"))
    if isinstance(validator, String):
        excluded = limits.get("exclude")
        words = {"pattern": f"^[^{excluded}]*$"} if excluded else {}
        return {"type": "string", **words, **({"maxLength": limits["max"]} if "max" in limits else {})}
    return WORDS[validator.tag].pattern(*validator.args)


def _or_nothing(schema: JsonSchema) -> JsonSchema:
    """Return a schema that takes null as well."""
    if "enum" in schema:
        return {"enum": [*schema["enum"], None]}
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    if "type" in schema:
        return {**schema, "type": [*schema["type"], "null"]}
    choices = schema.get("anyOf", [schema])
    return {"anyOf": [*choices, {"type": "null"}]}


if __name__ == "__main__":
    sys.stdout.write(as_document(Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]))
