"""The shape of a configuration as a JSON Schema for editors, made from schema/vppcfg.yaml.

`python -m vppcfg.config.json_schema` writes schema/vppcfg.schema.json to standard output.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import yamale
from yamale.validators import Any as AnyOf
from yamale.validators import Boolean, Enum, Include, Integer, List, Map, String

from vppcfg import assets
from vppcfg.config.acceptance import SCHEMA
from vppcfg.config.json_patterns import WORDS, JsonSchema, text
from vppcfg.config.validators import VALIDATORS

FILE = "schema/vppcfg.schema.json"
DIALECT = "http://json-schema.org/draft-07/schema#"
"""The newest one that YAML language servers know in full."""

_NUMBER = r"(0|[1-9][0-9]*)"
_NAMES = {
    "loopbacks": f"loop{_NUMBER}",
    "bondethernets": f"BondEthernet{_NUMBER}",
    "bridgedomains": "bd[1-9][0-9]*",
    "vxlan_tunnels": f"vxlan_tunnel{_NUMBER}",
    "taps": f"tap{_NUMBER}",
    "sub-interfaces": "[1-9][0-9]*",
}
"""What the entries of a map are called, by its key, where all have the same form."""
_NAME_WORDS = {"interfaces": "interface_name", "acls": "acl_name", "prefixlists": "list_name"}


def json_schema() -> JsonSchema:
    """Return the schema of a whole file."""
    shape = yamale.make_schema(str(assets.find(SCHEMA)), validators=VALIDATORS)
    return {
        "$schema": DIALECT,
        "title": "Configuration of vppcfg",
        **_or_nothing(_map_of(shape.dict)),
        "definitions": {name: _map_of(part.dict) for name, part in sorted(shape.includes.items())},
    }


def as_document() -> str:
    """Return the text of schema/vppcfg.schema.json."""
    return json.dumps(json_schema(), indent=2) + "\n"


def _map_of(keys: dict[str, Any]) -> JsonSchema:
    required = [key for key, validator in keys.items() if validator.is_required]
    return {
        "type": "object",
        "properties": {key: _value(key, validator) for key, validator in keys.items()},
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }


def _value(key: str, validator: Any) -> JsonSchema:
    """Return the schema of a value; one that may be absent may be there with nothing in it."""
    schema = _map(key, validator) if isinstance(validator, Map) else _schema_of(validator)
    return schema if validator.is_required else _or_nothing(schema)


def _map(key: str, validator: Any) -> JsonSchema:
    names = text(_NAMES[key]) if key in _NAMES else WORDS.get(_NAME_WORDS.get(key, ""))
    (entry,) = validator.validators
    return {
        "type": "object",
        "additionalProperties": _value("", entry),
        **({} if names is None else {"propertyNames": names}),
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
    return {"type": "array", "items": _value("", item), **({} if least is None else {"minItems": least})}


def _scalar(validator: Any) -> JsonSchema:
    limits = validator.kwargs
    if isinstance(validator, Boolean):
        return {"type": "boolean"}
    if isinstance(validator, Integer):
        return _limited(limits.get("min"), limits.get("max"))
    if isinstance(validator, String):
        excluded = limits.get("exclude")
        words = {"pattern": f"^[^{excluded}]*$"} if excluded else {}
        return {"type": "string", **words, **({"maxLength": limits["max"]} if "max" in limits else {})}
    if validator.tag == "number_or_auto":
        return {"anyOf": [{"const": "auto"}, _limited(*validator.args)]}
    return dict(WORDS[validator.tag])


def _limited(least: int | None, most: int | None) -> JsonSchema:
    limits = {"minimum": least, "maximum": most}
    return {"type": "integer", **{key: value for key, value in limits.items() if value is not None}}


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
    sys.stdout.write(as_document())
