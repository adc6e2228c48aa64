"""The archive that `vppcfg report` writes, and its members for commands that read such an archive."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

from vppcfg.common.bounds import CAPTURE_BYTES
from vppcfg.common.documents import parse_json
from vppcfg.common.unpacking import content_of, files_in_archive, is_archive
from vppcfg.errors import UsageError

CONTENTS = "report.json"
"""Lists what is in a report; an archive with it is one."""
STATE = "state.json"
STARTUP_CONF = "etc/vpp/startup.conf"
FORMAT_VERSION = 1
KIND = "vppcfg-report"


def pack(folder: str, members: Mapping[str, bytes], at_s: int) -> bytes:
    """Return a tar, compressed by gzip, with the members below a folder; readable by its owner alone."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz", compresslevel=6) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(f"{folder}/{name}")
            info.size, info.mtime, info.mode = len(content), at_s, 0o600
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


def report_in(file_name: str) -> dict[str, bytes] | None:
    """Return the members of a report by name, None when a file is no report. Raise UsageError for a damaged archive."""
    path = Path(file_name)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        if file.read(2) != b"\x1f\x8b":
            return None
    content = content_of(path)
    return members_of(content) if is_archive(content) else None


def members_of(content: bytes) -> dict[str, bytes] | None:
    """Return the members of the report that a tar is, None when it is another one."""
    try:
        files = files_in_archive(content, KIND)
        found = {name.partition("/")[2]: data for name, data in files.items() if "/" in name}
        contents = parse_json(found.get(CONTENTS, b"null"), CONTENTS, CAPTURE_BYTES)
    except (UsageError, ValueError):
        return None
    return found if isinstance(contents, dict) and contents.get("kind") == KIND else None
