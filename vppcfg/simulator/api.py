"""The binary API of one release: its definitions from schema/vpp-api.json, the ids of messages, how they are packed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from vppcfg import assets
from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.simulator.codec import Codec
from vppcfg.simulator.kind import Kind
from vppcfg.simulator.kinds import KINDS, PLUGINS
from vppcfg.simulator.kinds.session import MESSAGE_IDS
from vppcfg.simulator.releases import Release, is_within, release_named

Document = Mapping[str, Any]
"""The JSON document of one .api file as vppapigen writes it."""
_PARTS = ("types", "messages", "unions", "enums", "enumflags", "services", "aliases")
_FIRST_FREE_ID = 100


@record
class Api:
    """The codec, the table of messages and the definitions of a VPP of one release with certain plugins."""

    codec: Codec
    message_table: tuple[tuple[int, bytes], ...]
    """Id and NAME_CRC of every message."""
    json: bytes
    """What get_api_json answers."""


def present(release: Release, plugins: Collection[str]) -> frozenset[str]:
    """Return which optional parts a VPP of `release` has when it may load `plugins`."""
    return frozenset(
        kind.plugin
        for kind in KINDS
        if kind.plugin
        and release.is_in(kind.releases)
        and (kind.plugin in plugins or not release.is_in(kind.plugin_releases))
    )


def kinds_of(plugins: Collection[str]) -> tuple[Kind, ...]:
    """Return the kinds of objects that there are with these parts."""
    return tuple(kind for kind in KINDS if not kind.plugin or kind.plugin in plugins)


def documents(release: Release, plugins: Collection[str] = PLUGINS) -> tuple[Document, ...]:
    """Return the definitions that a VPP of `release` with these plugins speaks.

    They have the messages that its kinds answer, and what answers these. Raise UsageError when the file of this
    installation cannot be read.
    """
    answered = {name for kind in kinds_of(present(release, plugins)) for name in (*kind.changes, *kind.queries)}
    whole = (_document(module, release.name) for module in _definitions())
    return tuple(_with_messages(each, answered) for each in whole if not answered.isdisjoint(each["services"]))


def _with_messages(document: Document, answered: Collection[str]) -> Document:
    services = {name: service for name, service in document["services"].items() if name in answered}
    spoken = set(services)
    for service in services.values():
        spoken |= {service["reply"], service.get("stream_msg"), *service.get("events", ())}
    return {**document, "services": services, "messages": [each for each in document["messages"] if each[0] in spoken]}


@cache
def _document(module: str, release: str) -> Document:
    """Return the document of an .api file in a release, without definitions where that has no such file."""
    parts: dict[str, list[Any]] = {name: [] for name in _PARTS}
    for span, definitions in _definitions()[module].items():
        if is_within(release, span):
            for name, items in definitions.items():
                parts[name] += items
    return {"module": module, **parts, "services": dict(parts["services"]), "aliases": dict(parts["aliases"])}


@cache
def _definitions() -> Mapping[str, Mapping[str, Mapping[str, list[Any]]]]:
    """Return all definitions by .api file, span of releases, and part of the document."""
    path = assets.find("schema/vpp-api.json")
    try:
        return cast(Mapping[str, Mapping[str, Mapping[str, list[Any]]]], json.loads(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "install vppcfg again") from error


def fields_of(release: str) -> Mapping[str, frozenset[str]]:
    """Return the names of the fields of all messages that VPP has in a release, simulated or not, by message."""
    messages = (message for module in _definitions() for message in _document(module, release)["messages"])
    return {name: frozenset(field[1] for field in fields) for name, *fields, _ in messages}


@cache
def _all_fields() -> frozenset[str]:
    """Return the names of all fields that any message of VPP has in any release."""
    spans = (span for module in _definitions().values() for span in module.values())
    return frozenset(field[1] for parts in spans for message in parts.get("messages", ()) for field in message[1:-1])


def message_ids(spoken: Iterable[Document]) -> dict[str, int]:
    """Return the id of every message by its name: the fixed ones, then one after the other."""
    ids = dict(MESSAGE_IDS)
    names = [message[0] for document in spoken for message in document["messages"]]
    for number, name in enumerate((name for name in names if name not in ids), _FIRST_FREE_ID):
        ids[name] = number
    return {name: ids[name] for name in names}


@lru_cache(maxsize=16)
def api_of(release: Release, plugins: frozenset[str]) -> Api:
    """Return the API of a VPP of `release` with these plugins; it is made once per process."""
    spoken = documents(release, plugins)
    ids = message_ids(spoken)
    crcs = {message[0]: message[-1]["crc"] for document in spoken for message in document["messages"]}
    return Api(
        codec=Codec(spoken, ids, _all_fields()),
        message_table=tuple(
            (number, f"{name}_{crcs[name].removeprefix('0x')}".encode()) for name, number in ids.items()
        ),
        json=json.dumps(spoken).encode(),
    )


def write_api_dir(directory: Path, release: str, plugins: Collection[str] = PLUGINS) -> None:
    """Write one NAME.api.json per .api file below `directory`, for a client's --vpp-json-dir.

    Raise UsageError when the release is unknown or the directory cannot be written.
    """
    for document in documents(release_named(release), plugins):
        path = directory / f"{document['module']}.api.json"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(document), encoding="utf-8")
        except OSError as problem:
            raise UsageError(f"cannot write {path}: {problem.strerror}") from problem
