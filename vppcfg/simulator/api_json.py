"""Renders the definitions as VPP's own JSON, for get_api_json and for clients that read it from files."""

from __future__ import annotations

import json
from collections.abc import Collection

from vppcfg.simulator.api_text import ApiFile, Enumeration, Field, Message

_PLAIN = frozenset({"u8", "u16", "u32", "u64", "i32", "f64", "bool", "string"})

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


def document(file: ApiFile, release: str) -> dict[str, Json]:
    """Return the JSON document of one .api file as vppapigen writes it."""
    version = file.version_in(release)
    return {
        "module": file.module,
        "types": [[item.name, *map(_struct_field, item.fields)] for item in file.structs],
        "messages": [_message(message) for message in file.messages],
        "unions": [[item.name, *map(_struct_field, item.fields)] for item in file.unions],
        "enums": [_enumeration(item) for item in file.enumerations],
        "enumflags": [],
        "services": {m.name: _service(m) for m in file.messages if m.service is not None},
        "options": {"version": version.version},
        "aliases": {name: _alias(target) for name, target in file.aliases.items()},
        "vl_api_version": f"0x{version.crc}",
        "imports": [],
        "counters": [],
        "paths": [],
    }


def text_of(files: Collection[ApiFile], release: str) -> bytes:
    """Return what get_api_json answers: a list of all documents."""
    return json.dumps([document(file, release) for file in files]).encode()


def _type_name(name: str) -> str:
    return name if name in _PLAIN else f"vl_api_{name}_t"


def _alias(target: str) -> dict[str, Json]:
    base, bracket, length = target.rstrip("]").partition("[")
    return {"type": _type_name(base), "length": int(length)} if bracket else {"type": _type_name(base)}


def _enumeration(item: Enumeration) -> Json:
    values: list[Json] = [[name, value] for name, value in item.values]
    return [item.name, *values, {"enumtype": item.type}]


def _field(field: Field) -> list[Json]:
    entry: list[Json] = [_type_name(field.type), field.name]
    if field.length is not None:
        entry.append(field.length)
    if field.counted_by:
        entry.append(field.counted_by)
    if field.default:
        entry.append({"default": int(field.default) if field.default.isdigit() else field.default})
    return entry


def _struct_field(field: Field) -> Json:
    return _field(field)


def _message(message: Message) -> Json:
    fields: list[Json] = [["u16", "_vl_msg_id"], *map(_struct_field, message.fields)]
    return [message.name, *fields, {"crc": f"0x{message.crc}"}]


def _service(message: Message) -> Json:
    service = message.service
    if service is None:
        return {}
    if service.details and service.reply:
        return {"reply": service.reply, "stream": True, "stream_msg": service.details}
    return {"reply": service.details, "stream": True} if service.details else {"reply": service.reply}
