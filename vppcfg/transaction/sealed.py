"""Documents that only vppcfg writes: a kind and plain data in, a file with a seal out, and back, or a refusal.

The seal (a SHA-256 over the content) shows what was cut off or edited; that nobody but those who may drive VPP has
written it is known by the owner and the mode of the file. Nothing here knows what a document means.
"""

from __future__ import annotations

import grp
import hashlib
import json
import os
import pwd
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vppcfg.errors import StorageError, UntrustedFileError

LIMIT_BYTES = 1 << 30
MODE = 0o640
_SEAL = "sha256"


def sealed(kind: str, version: int, content: Mapping[str, Any]) -> bytes:
    """Return the bytes of a document of a kind, in a version of its format: one line with the seal, one of content."""
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    head = {"vppcfg": kind, "format_version": version, _SEAL: hashlib.sha256(body).hexdigest()}
    return json.dumps(head).encode() + b"\n" + body


def unsealed(data: bytes, kind: str, version: int, name: str) -> dict[str, Any]:
    """Return the content of a document. Raise UntrustedFileError when it is not whole, edited, or something else."""
    head, _, body = data.partition(b"\n")
    try:
        seal = json.loads(head)
        found = seal["vppcfg"], seal["format_version"], seal[_SEAL]
    except (ValueError, TypeError, KeyError):
        raise UntrustedFileError(f"{name} is not a {kind} of vppcfg") from None
    if found[0] != kind:
        raise UntrustedFileError(f"{name} is not a {kind} of vppcfg")
    if found[1] != version:
        raise UntrustedFileError(
            f"{name} was written by another version of vppcfg (format_version {found[1]!r}, {version} is known)"
        )
    if found[2] != hashlib.sha256(body).hexdigest():
        raise UntrustedFileError(f"{name} was cut off or edited: its content does not match its seal")
    content: dict[str, Any] = json.loads(body)
    return content


def read_trusted(path: Path, group: int | None = None) -> bytes:
    """Return the bytes of a file of root, of the user, or of a member of `group` (a group id), that nobody else writes.

    Raise UntrustedFileError when it is anybody else's, or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise UntrustedFileError(f"cannot read {path}: {error.strerror}") from error
    with os.fdopen(descriptor, "rb") as stream:
        _check_owner(os.fstat(descriptor), str(path), group)
        return stream.read(LIMIT_BYTES)


def check_folder(path: Path, group: int | None = None) -> None:
    """Raise UntrustedFileError unless a folder is of root, the user or a member of `group`, and not for everybody."""
    status = os.stat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise UntrustedFileError(f"{path} is not a folder")
    _check_owner(status, str(path), group)


def _check_owner(status: os.stat_result, name: str, group: int | None) -> None:
    if status.st_mode & stat.S_IWOTH:
        raise UntrustedFileError(f"everybody may write {name}, so nothing in it can be trusted", f"chmod o-w {name}")
    if status.st_uid not in {0, os.geteuid()} and not _is_member(status.st_uid, group):
        raise UntrustedFileError(f"{name} belongs to {_user(status.st_uid)}, whose hand is not trusted here")


def _is_member(user: int, group: int | None) -> bool:
    if group is None:
        return False
    try:
        entry = pwd.getpwuid(user)
        return entry.pw_gid == group or entry.pw_name in grp.getgrgid(group).gr_mem
    except KeyError:
        return False


def _user(user: int) -> str:
    try:
        return f"user {pwd.getpwuid(user).pw_name}"
    except KeyError:
        return f"user id {user}"


def write_durably(path: Path, data: bytes, mode: int = MODE) -> None:
    """Put a file in the place of `path` in one step, on the disk before this returns. Raise StorageError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "xb") as stream:
            os.fchmod(stream.fileno(), mode)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def sync_folder(path: Path) -> None:
    """Wait until the entries of a folder are on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
