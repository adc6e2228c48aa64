"""JSON Schemas of documents that are records written as they are: docs/host.schema.json, docs/loadtest.schema.json,
docs/top.schema.json.

`make docs` writes them from the records, their types and what is said below each attribute.
"""

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from vppcfg.app.monitoring.rates import InterfaceRates, NodeRates, ReasonRate, WorkerRates
from vppcfg.cli import top_document
from vppcfg.loadtest import result
from vppcfg.loadtest.result import Result
from vppcfg.model import host
from vppcfg.model.host import Host
from vppcfg.model.monitored import MonitoredInterface, QueuePlace
from vppcfg.render.change_metrics import ChangeStatus

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCALARS: Mapping[object, str] = {int: "integer", str: "string", bool: "boolean", float: "number"}


def schema_of(kind: type[Any], title: str, version: int) -> dict[str, Any]:
    """Return the schema of a record at the top of a document, which has a format_version besides."""
    definitions: dict[str, Any] = {}
    return _document(_record(kind, definitions), definitions, title, version)


def top_schema() -> dict[str, Any]:
    """Return the schema of a look of `vppcfg top`, which joins several records."""
    definitions: dict[str, Any] = {}
    interface, rates = (_record(kind, definitions)["properties"] for kind in (MonitoredInterface, InterfaceRates))
    del rates["interface"], definitions[MonitoredInterface.__name__]
    counts = {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}}
    verdict = {"word": {"type": "string"}, "text": {"type": "string"}}
    properties: dict[str, Any] = {
        "taken_at_s": _noted("number", "When the router was read, in Unix seconds."),
        "seconds": _noted("number", "The interval of the rates; null until VPP was read twice.", is_optional=True),
        "is_up": {"type": "boolean"},
        "problem": _noted("string", "Why VPP, or its API, cannot be read; '' without one."),
        "version": {"type": "string"},
        "boot_at_s": _noted("number", "When VPP started, in Unix seconds.", is_optional=True),
        "heartbeat": _noted("integer", "VPP counts it on every 10 s.", is_optional=True),
        "verdict": _object(verdict),
        "changes": _record(ChangeStatus, definitions),
        "differences": _noted("integer", "Entries that differ from the file; null without --drift.", is_optional=True),
        "rx_pps": _noted("number", "Packets that all threads receive from ports.", is_optional=True),
        "interfaces": _list(_object({**interface, **rates, "line_share": _noted("number", "Of 1.", is_optional=True)})),
        "workers": _list(_record(WorkerRates, definitions)),
        "nodes": _list(_record(NodeRates, definitions)),
        "reasons": _list(_record(ReasonRate, definitions)),
        "queues": _list(_record(QueuePlace, definitions)),
        "buffers": {**counts, "description": "By pool: buffers by state."},
        "heaps": {**counts, "description": "By heap: bytes by state."},
    }
    title = "What `vppcfg top --json` writes, one object for each look"
    return _document(_object(properties), definitions, title, top_document.FORMAT_VERSION)


def _noted(kind: str, text: str, *, is_optional: bool = False) -> dict[str, Any]:
    return {"type": ["null", kind] if is_optional else kind, "description": text}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": list(properties), "properties": properties}


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {**item, "required": list(item["properties"])}}


def _document(whole: dict[str, Any], definitions: dict[str, Any], title: str, version: int) -> dict[str, Any]:
    number = {"const": version, "description": "Grows when a reader of the former one would misread it."}
    whole["properties"] = {"format_version": number, **whole["properties"]}
    whole["required"] = ["format_version", *whole["required"]]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return {**head, **whole, "$defs": dict(sorted(definitions.items()))}


def _record(kind: type[Any], definitions: dict[str, Any]) -> dict[str, Any]:
    hints, said = get_type_hints(kind), _said_of_attributes(kind)
    properties = {}
    for field in fields(kind):
        schema = _value(hints[field.name], definitions)
        properties[field.name] = {**schema, **({"description": said[field.name]} if field.name in said else {})}
    required = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def _value(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin = get_origin(hint)
    if hint in SCALARS:
        return {"type": SCALARS[hint]}
    if origin is UnionType:
        kinds = tuple(each for each in get_args(hint) if each is not NoneType)
        return {"oneOf": [{"type": "null"}, *(_value(each, definitions) for each in kinds)]}
    if origin is tuple:
        kinds = get_args(hint)
        if len(kinds) == 2 and kinds[1] is Ellipsis:
            return {"type": "array", "items": _value(kinds[0], definitions)}
        return {"type": "array", "prefixItems": [_value(each, definitions) for each in kinds], "items": False}
    if origin is Mapping:
        return {"type": "object"}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if hint.__name__ not in definitions:
        definitions[hint.__name__] = {}
        definitions[hint.__name__] = _record(hint, definitions)
    return {"$ref": f"#/$defs/{hint.__name__}"}


def _said_of_attributes(kind: type[Any]) -> dict[str, str]:
    """Return what is said below each attribute in the source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    said = {}
    for attribute, text in zip(body.body, body.body[1:], strict=False):
        if isinstance(attribute, ast.AnnAssign) and isinstance(attribute.target, ast.Name):
            match text:
                case ast.Expr(value=ast.Constant(value=str(words))):
                    said[attribute.target.id] = " ".join(words.split())
    return said


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "host": lambda: schema_of(Host, "What `vppcfg host --format json` writes", host.FORMAT_VERSION),
    "top": top_schema,
    "loadtest": lambda: schema_of(Result, "What the commands of `vppcfg loadtest` write", result.FORMAT_VERSION),
}


def text_of(name: str) -> str:
    """Return the file of a schema."""
    return json.dumps(SCHEMAS[name](), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for each in sys.argv[1:] or SCHEMAS:
        (DOCS / f"{each}.schema.json").write_text(text_of(each), encoding="utf-8")
