"""API definitions of a VPP, parsed from its JSON documents (*.api.json): messages and types by name.

They are kept per connection, never in a process-wide registry, so that VPPs of different releases can be spoken to
side by side. Nothing here opens a socket or knows how a message is laid out in bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from vppcfg.errors import DataplaneError
from vppcfg.kinds.kind_list import KINDS
from vppcfg.record import record

USUAL_DIRECTORIES = ("/usr/share/vpp/api", "/usr/local/share/vpp/api")
MODULES = (
    *("memclnt", "vlib", "vpe", "interface", "fib", "feature"),
    "lacp",
    *(kind.api_module for kind in KINDS if kind.api_module),
    *(
        "arping",
        "bfd",
        "classify",
        "det44",
        "ikev2",
        "ipsec",
        "l3xc",
        "ping",
        "sr",
        "nat44_ei",
        "nat64",
        "nat66",
        "policer",
        "qos",
        "teib",
    ),
)
"""The definition files that hold the messages in use; plugins that are added here are read where they exist."""
_LONGEST_ARRAY = 1 << 16
_LONGEST_SERVED = 6 << 20
"""Bytes; those of 26.10 with all plugins are 1.5 MB, and as objects 20 times as much."""


@record
class Field:
    """One field of a message, type or union."""

    name: str
    type: str
    length: int | None = None
    """Number of elements of an array; 0 when the message says how many there are; None for a single value."""
    count: str | None = None
    """The field that says how many elements an array of length 0 has; a string carries its own length."""


@record
class MessageDefinition:
    """A message: its fields in order, and the checksum that tells its versions apart."""

    name: str
    crc: str
    fields: tuple[Field, ...]

    @property
    def key(self) -> str:
        """Return the name in a VPP's message table, such as show_version_51077d14."""
        return f"{self.name}_{self.crc.removeprefix('0x')}"


@record
class Definitions:
    """Everything that one set of API documents defines."""

    messages: Mapping[str, MessageDefinition]
    structs: Mapping[str, tuple[Field, ...]]
    unions: Mapping[str, tuple[Field, ...]]
    aliases: Mapping[str, Field]
    """Other names of types: the field says which type, and how many of it."""


def parse(documents: Iterable[Mapping[str, Any]]) -> Definitions:
    """Return what the API `documents` define. Raise DataplaneError when they are not API definitions."""
    messages: dict[str, MessageDefinition] = {}
    structs: dict[str, tuple[Field, ...]] = {}
    unions: dict[str, tuple[Field, ...]] = {}
    aliases: dict[str, Field] = {}
    try:
        for document in documents:
            for item in document.get("messages", ()):
                name, crc = _text(item[0]), _text(item[-1]["crc"])
                messages[name] = MessageDefinition(name=name, crc=crc, fields=_fields(item[1:-1]))
            structs.update((_type_name(item[0]), _fields(item[1:])) for item in document.get("types", ()))
            unions.update((_type_name(item[0]), _fields(item[1:])) for item in document.get("unions", ()))
            for item in (*document.get("enums", ()), *document.get("enumflags", ())):
                aliases[_type_name(item[0])] = Field(name=item[0], type=_text(item[-1]["enumtype"]))
            for name, item in document.get("aliases", {}).items():
                aliases[_type_name(name)] = Field(
                    name=name, type=_text(item["type"]), length=_length(item.get("length"))
                )
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise DataplaneError(
            f"the API definitions cannot be understood ({_reason(error)})",
            "were they made by another program than VPP's build?",
        ) from error
    return Definitions(messages=messages, structs=structs, unions=unions, aliases=aliases)


def _type_name(name: str) -> str:
    return f"vl_api_{name}_t"


def _fields(items: Iterable[Any]) -> tuple[Field, ...]:
    return tuple(_field(item) for item in items if isinstance(item, list))


def _field(item: list[Any]) -> Field:
    length = _length(item[2]) if len(item) > 2 and isinstance(item[2], int) else None
    count = item[3] if len(item) > 3 and isinstance(item[3], str) else None
    return Field(name=_text(item[1]), type=_text(item[0]), length=length, count=count)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.80} stands where a name should")
    return value


def _length(value: object) -> int | None:
    """Return the number of elements of an array, of which no message of VPP has more than some hundreds."""
    if value is None or (isinstance(value, int) and 0 <= value <= _LONGEST_ARRAY):
        return value
    raise ValueError(f"{value!r:.80} stands where the length of an array should")


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"{error!r:.200}"


def parse_served(text: bytes) -> Definitions:
    """Return what a VPP's get_api_json_reply defines: a list of documents, maybe with a NUL behind it."""
    if len(text) > _LONGEST_SERVED:
        raise DataplaneError(
            f"VPP's own API definitions cannot be read (they are {len(text) >> 20} MB long)", "name --vpp-json-dir"
        )
    try:
        return parse(json.loads(text.rstrip(b"\0")))
    except (ValueError, RecursionError) as error:
        raise DataplaneError(f"VPP's own API definitions cannot be read ({error})", "name --vpp-json-dir") from error


def read_bundled() -> Definitions:
    """Return the definitions that vpp_papi carries (memclnt.api.json): enough to say hello and ask for the others.

    The file alone is read: importing vpp_papi takes more time than everything else that a connection needs.
    Raise DataplaneError when vpp_papi is not installed or too old to carry them.
    """
    spec = find_spec("vpp_papi")
    if spec is None or not spec.submodule_search_locations:
        raise DataplaneError(
            "the Python package vpp_papi is not installed",
            "pip install vpp_papi, or apt install python3-vpp-api from VPP's own repository",
        )
    path = Path(spec.submodule_search_locations[0]) / "data" / "memclnt.api.json"
    if not path.is_file():
        raise DataplaneError(
            "the Python package vpp_papi is too old: it lacks memclnt.api.json", "pip install -U vpp_papi"
        )
    return parse([_document(path)])


def find_directory(json_dir: str | None) -> Path:
    """Return the directory with a VPP's definition files: the one given, else $VPP_API_DIR, else the usual places.

    Raise DataplaneError when there is none.
    """
    named = json_dir or os.environ.get("VPP_API_DIR")
    for candidate in [named] if named else USUAL_DIRECTORIES:
        if os.path.isdir(candidate):
            return Path(candidate)
    raise DataplaneError(
        f"{named} is not a directory with VPP's API definitions"
        if named
        else "this VPP does not serve its API definitions, and they are not in /usr/share/vpp/api",
        "name the directory with *.api.json files that came with this VPP: --vpp-json-dir DIR or VPP_API_DIR",
    )


def read_directory(directory: Path) -> Definitions:
    """Return what the definition files below `directory` define, of the modules in use.

    Raise DataplaneError when a file cannot be read or there are none.
    """
    paths = [path for path in sorted(directory.rglob("*.api.json")) if path.name.split(".")[0] in MODULES]
    if not paths:
        raise DataplaneError(
            f"{directory} has no API definitions of VPP", "it should hold files such as interface.api.json"
        )
    return parse(_document(path) for path in paths)


def _document(path: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataplaneError(f"{path} cannot be read: {error}", "is it the file that came with VPP?") from error
    if not isinstance(document, dict):
        raise DataplaneError(f"{path} is not an API definition of VPP", "is it the file that came with VPP?")
    return document
