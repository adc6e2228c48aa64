"""The shape of a configuration as a JSON Schema for editors, made from schema/vppcfg.yaml.

`python -m vppcfg.config.schema.json_schema DOCUMENT...` writes schema/vppcfg.schema.json to standard output, with what
the document has on the keys.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from yamale.validators import Any as AnyOf
from yamale.validators import Boolean, Enum, Include, Integer, List, Map, String

from vppcfg.config.schema.check import shape
from vppcfg.config.schema.key_texts import describe
from vppcfg.config.section_list import SECTIONS
from vppcfg.entries.names import INTERFACE, NAME_LENGTH
from vppcfg.entries.words import WORDS, JsonSchema, limited, text
from vppcfg.entries.yaml.overlay import EXTENSION
from vppcfg.kinds import sub_interface_entry
from vppcfg.kinds.interface_keys import CHILDREN

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
