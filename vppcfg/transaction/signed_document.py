"""Documents that only vppcfg writes: a kind and plain data in, a file with a seal out, and back, or a refusal.

The seal (a SHA-256 over the content) shows what was cut off or edited; who may have written it, `safe_open` finds out.
The content is not interpreted here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vppcfg.common.printable import json_text
from vppcfg.errors import StorageError, UntrustedFileError
from vppcfg.transaction.directory import Directory

MODE = 0o640
_SEAL = "sha256"
_PLACE = "place"
"""Where the document belongs, for one that means something else in another place."""


def sealed(kind: str, version: int, content: Mapping[str, Any], *, length: int = 0, place: str = "") -> bytes:
    """Return the bytes of a document of a kind, in a version of its format: one line with the seal, one of content.

    A document that is shorter than `length` bytes is filled up to it with blanks. One that has a `place` is good in
    that place only.
    """
    body = json_text(content, separators=(",", ":")).encode()
    missing = length - len(_head(kind, version, b"", place)) - len(body) - 1
    body += b" " * missing + b"\n"
    return _head(kind, version, body, place) + body


def _head(kind: str, version: int, body: bytes, place: str) -> bytes:
    head = {"vppcfg": kind, "format_version": version, _SEAL: hashlib.sha256(body).hexdigest()}
    return json.dumps({**head, _PLACE: place} if place else head).encode() + b"\n"


def place_of(data: bytes) -> str:
    """Return where a document belongs, '' where it names none, such as one of a former version."""
    try:
        return str(json.loads(data.partition(b"\n")[0]).get(_PLACE, ""))
    except (ValueError, AttributeError, RecursionError):
        return ""


def unsealed(data: bytes, kind: str, version: int, name: str) -> dict[str, Any]:
    """Return the content of a document. Raise UntrustedFileError when it is not whole, edited, or something else."""
    head, _, body = data.partition(b"\n")
    try:
        seal = json.loads(head)
        found = seal["vppcfg"], seal["format_version"], seal[_SEAL]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UntrustedFileError(f"{name} is not a {kind} of vppcfg") from None
    if found[0] != kind:
        raise UntrustedFileError(f"{name} is not a {kind} of vppcfg")
    if found[1] != version:
        raise UntrustedFileError(
            f"{name} was written by another version of vppcfg (format_version {found[1]!r}, {version} is known)"
        )
    if found[2] != hashlib.sha256(body).hexdigest():
        raise UntrustedFileError(f"{name} was cut off or edited: its content does not match its seal")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise UntrustedFileError(f"{name} is not a {kind} of vppcfg: its content is no object")
    return content


def write_durably(path: Path, data: bytes, mode: int = MODE) -> None:
    """Put a file in the place of `path` in one step, on the disk before this returns. Raise StorageError."""
    try:
        with Directory.at(path.parent) as folder:
            folder.replace(path.name, data, mode)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
