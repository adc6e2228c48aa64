"""VPP's .api files: read from the notation in which the kinds write them, and rendered as VPP's own JSON.

The notation has one line per message or type:

version SPAN VERSION CRC                what VPP's own .api file is in those releases
import TYPES                            types that several .api files share, by the name of a text that has them
alias NAME TYPE                         a type with another name, such as u8[6]
enum NAME TYPE NAME=VALUE ...
struct NAME: TYPE FIELD, ...
union NAME: TYPE FIELD CASE, ...
request NAME CRC [SPAN] [streams DETAILS [then REPLY]]: TYPE FIELD, ...
reply NAME CRC [SPAN]: TYPE FIELD, ...
bare NAME CRC [SPAN] [then REPLY]: TYPE FIELD, ...     a message that starts neither like a request nor like a reply

A SPAN names the releases of a line: 23.06, 23.06-24.10, 24.10- or -24.10; without one it is of all. A message whose
fields have changed has a line for each layout.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace
from types import MappingProxyType

from vppcfg.record import record
from vppcfg.simulator.releases import is_within

CONTEXT_FIELD = "context"
_SPAN = re.compile(r"(\d\d\.\d\d)?-?(\d\d\.\d\d)?")
_PLAIN = frozenset({"u8", "u16", "u32", "u64", "i16", "i32", "f64", "bool", "string"})
Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


@record
class Field:
    """One field of a message or type."""

    type: str
    name: str
    length: int | None = None
    """Number of elements, 0 when it varies; None for a single value."""
    counted_by: str = ""
    """Field that holds the number of elements."""
    default: str = ""
    case: str = ""
    """Value of the discriminator for which this member of a union is meant."""


@record
class Service:
    """The messages that answer a request."""

    reply: str = ""
    """Message that ends the answer; '' when details end by themselves."""
    details: str = ""
    """Message that comes once per row; '' when there is none."""


@record
class Message:
    """One message; `fields` leave out the message id."""

    name: str
    crc: str
    fields: tuple[Field, ...]
    span: str = ""
    """The releases that have it so."""
    service: Service | None = None


@record
class Enumeration:
    """A closed set of numbers."""

    name: str
    type: str
    values: tuple[tuple[str, int], ...]


@record
class Aggregate:
    """A struct or a union."""

    name: str
    fields: tuple[Field, ...]


@record
class FileVersion:
    """The version and the checksum of an .api file in one release."""

    version: str
    crc: str


@record
class ApiFile:
    """One .api file."""

    module: str
    versions: Mapping[str, FileVersion]
    """By span of releases."""
    messages: tuple[Message, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)
    enumerations: tuple[Enumeration, ...] = ()
    structs: tuple[Aggregate, ...] = ()
    unions: tuple[Aggregate, ...] = ()

    def version_in(self, release: str) -> FileVersion:
        """Return the version of the file in `release`; raise KeyError when the release has no such file."""
        for span, version in self.versions.items():
            if is_within(release, span):
                return version
        raise KeyError(f"{self.module} in {release}")

    def in_release(self, release: str) -> ApiFile:
        """Return the file with the messages and layouts of `release`."""
        return replace(self, messages=tuple(message for message in self.messages if is_within(release, message.span)))


_REQUEST_START = (Field(type="u32", name="client_index"), Field(type="u32", name=CONTEXT_FIELD))


_REPLY_START = (Field(type="u32", name=CONTEXT_FIELD),)


def parse(module: str, *texts: str, shared: Mapping[str, str] = MappingProxyType({})) -> ApiFile:
    """Return the definitions written in `texts`, which later ones complete; raise ValueError for a bad line.

    `shared` are the texts that they may import.
    """
    versions: dict[str, FileVersion] = {}
    aliases: dict[str, str] = {}
    enumerations: list[Enumeration] = []
    structs: list[Aggregate] = []
    unions: list[Aggregate] = []
    messages: list[Message] = []
    own = list(_statements(texts))
    imported = dict.fromkeys(words[0] for keyword, words, _ in own if keyword == "import")
    for keyword, words, fields in (*_statements(shared[name] for name in imported), *own):
        name = words[0]
        if keyword == "import":
            continue
        if keyword == "version":
            versions[name] = FileVersion(version=words[1], crc=words[2])
        elif keyword == "alias":
            aliases[name] = words[1]
        elif keyword == "enum":
            enumerations.append(Enumeration(name=name, type=words[1], values=tuple(map(_enumerator, words[2:]))))
        elif keyword == "struct":
            structs.append(Aggregate(name=name, fields=fields))
        elif keyword == "union":
            unions.append(Aggregate(name=name, fields=fields))
        else:
            messages.append(_message(keyword, words, fields))
    return ApiFile(
        module=module,
        versions=versions,
        messages=tuple(messages),
        aliases=aliases,
        enumerations=tuple(enumerations),
        structs=tuple(structs),
        unions=tuple(unions),
    )


def _statements(texts: Iterable[str]) -> Iterator[tuple[str, list[str], tuple[Field, ...]]]:
    for text in texts:
        for line in text.splitlines():
            if line.strip():
                head, _, tail = line.partition(":")
                keyword, *words = head.split()
                yield keyword, words, tuple(_field(part) for part in tail.split(",") if part.strip())


def _enumerator(word: str) -> tuple[str, int]:
    name, _, value = word.partition("=")
    return name, int(value)


def _field(text: str) -> Field:
    kind, declared, *case = text.split()
    declared, _, default = declared.partition("=")
    name, bracket, length = declared.rstrip("]").partition("[")
    if not bracket:
        return Field(type=kind, name=name, default=default, case=case[0] if case else "")
    if length.isdigit():
        return Field(type=kind, name=name, length=int(length))
    return Field(type=kind, name=name, length=0, counted_by=length)


def _message(keyword: str, words: list[str], fields: tuple[Field, ...]) -> Message:
    name, crc, *rest = words
    span = rest.pop(0) if rest and _SPAN.fullmatch(rest[0]) else ""
    options = dict(zip(rest[::2], rest[1::2], strict=True))
    if keyword == "reply":
        return Message(name=name, crc=crc, span=span, fields=_REPLY_START + fields)
    if keyword == "bare":
        service = Service(reply=options["then"]) if "then" in options else None
        return Message(name=name, crc=crc, span=span, fields=fields, service=service)
    if keyword != "request":
        raise ValueError(f"unknown definition: {keyword} {name}")
    details = options.get("streams", "")
    service = Service(reply=options.get("then", "" if details else f"{name}_reply"), details=details)
    return Message(name=name, crc=crc, span=span, fields=_REQUEST_START + fields, service=service)


def document(file: ApiFile, release: str) -> dict[str, Json]:
    """Return the JSON document of one .api file as vppapigen writes it."""
    version = file.version_in(release)
    return {
        "module": file.module,
        "types": [[item.name, *map(_field_json, item.fields)] for item in file.structs],
        "messages": [_message_json(message) for message in file.messages],
        "unions": [[item.name, *map(_field_json, item.fields)] for item in file.unions],
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


def _field_json(field: Field) -> Json:
    entry: list[Json] = [_type_name(field.type), field.name]
    if field.length is not None:
        entry.append(field.length)
    if field.counted_by:
        entry.append(field.counted_by)
    if field.default:
        entry.append({"default": int(field.default) if field.default.isdigit() else field.default})
    return entry


def _message_json(message: Message) -> Json:
    fields: list[Json] = [["u16", "_vl_msg_id"], *map(_field_json, message.fields)]
    return [message.name, *fields, {"crc": f"0x{message.crc}"}]


def _service(message: Message) -> Json:
    service = message.service
    if service is None:
        return {}
    if service.details and service.reply:
        return {"reply": service.reply, "stream": True, "stream_msg": service.details}
    return {"reply": service.details, "stream": True} if service.details else {"reply": service.reply}
