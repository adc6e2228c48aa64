"""Reads the files that people send, from a folder of any layout or from an archive, compressed or not.

Nothing is unpacked to the disk: what a member of an archive is called is a key in memory and never a path. Links are
passed over, and an archive may neither have more members nor more bytes than a capture ever has.
"""

from __future__ import annotations

import io
import os
import posixpath
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from vppcfg.common.bounds import ARCHIVE_MEMBERS, CAPTURE_BYTES
from vppcfg.common.documents import read_at_most
from vppcfg.common.names import natural_key
from vppcfg.errors import UsageError

Files = Mapping[str, bytes]
"""What files hold, by their names below the top, with `/` between the parts; reading one may raise UsageError."""
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31
"""What zlib calls a stream with the header of gzip."""


def content_of(path: Path) -> bytes:
    """Return what a file holds, decompressed when it is compressed by gzip. Raise UsageError."""
    try:
        content = read_at_most(path, CAPTURE_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > CAPTURE_BYTES:
        raise UsageError(f"{path} is larger than {CAPTURE_BYTES >> 20} MB", "what VPP prints has a few MB at most")
    return decompressed(content, str(path))


def decompressed(content: bytes, name: str) -> bytes:
    """Return what a file called `name` holds, decompressed when it is compressed by gzip. Raise UsageError."""
    if not content.startswith(_GZIP):
        return content
    reader = zlib.decompressobj(_GZIP_WINDOW)
    try:
        plain = reader.decompress(content, CAPTURE_BYTES + 1)
    except zlib.error as error:
        raise UsageError(f"{name} cannot be decompressed: {error}", "it was truncated or damaged in transit") from error
    if len(plain) > CAPTURE_BYTES:
        raise UsageError(
            f"{name} is larger than {CAPTURE_BYTES >> 20} MB when it is decompressed",
            "what VPP prints has a few MB at most",
        )
    if not reader.eof:
        raise UsageError(f"{name} cannot be decompressed: its end is missing", "it was truncated or damaged in transit")
    return plain


def is_archive(content: bytes) -> bool:
    """Return whether a file is a tar."""
    return len(content) >= tarfile.BLOCKSIZE and content[257:262] == b"ustar"


def files_in_archive(content: bytes, name: str) -> Files:
    """Return the files of a tar, compressed ones decompressed. Raise UsageError.

    Links, devices and names that lead out of the archive are passed over; of two with one name the last one counts.
    """
    found: dict[str, bytes] = {}
    size = 0
    for member, packed in _members(content, name):
        plain = decompressed(packed, f"{name}: {member}")
        size += len(plain)
        _refuse_if_large(size, name)
        found[member] = plain
    return found


def files_in_folder(folder: Path) -> Files:
    """Return the files below a folder, in the natural order of their names; each is read when asked for.

    Links are passed over, but one that is asked for by name is followed within the folder. Raise UsageError.
    """
    return _FolderFiles(folder)


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder; what may not be looked into, or is gone meanwhile, is passed over."""
    for below, _, names in os.walk(folder):
        for path in (Path(below, name) for name in names):
            if os.path.isfile(path) and not path.is_symlink():
                yield path


class _FolderFiles(Mapping[str, bytes]):
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        found = list(islice(_files_below(folder), ARCHIVE_MEMBERS + 1))
        if len(found) > ARCHIVE_MEMBERS:
            hint = "name the folder with the capture alone"
            raise UsageError(f"{folder} has more than {ARCHIVE_MEMBERS} files", hint)
        names = (path.relative_to(folder).as_posix() for path in found)
        self._names = dict.fromkeys(sorted(names, key=natural_key))

    def __getitem__(self, name: str) -> bytes:
        path = self._folder / name
        if name not in self._names and not self._leads_to_a_file(path):
            raise KeyError(name)
        return content_of(path)

    def _leads_to_a_file(self, path: Path) -> bool:
        place, folder = os.path.realpath(path), os.path.realpath(self._folder)
        return os.path.commonpath([place, folder]) == folder and os.path.isfile(place)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def files_below(files: Files, folder: str) -> Files:
    """Return the files in a folder of others, by their names below it."""
    return _FilesBelow(files, folder)


class _FilesBelow(Mapping[str, bytes]):
    def __init__(self, files: Files, folder: str) -> None:
        self._files = files
        prefix = f"{folder}/" if folder else ""
        self._names = {name.removeprefix(prefix): name for name in files if name.startswith(prefix)}

    def __getitem__(self, name: str) -> bytes:
        return self._files[self._names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _members(content: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each regular file of a tar. Raise UsageError for a damaged or too large one."""
    size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:", errors="replace") as archive:
            for number, member in enumerate(archive):
                if number >= ARCHIVE_MEMBERS:
                    raise UsageError(f"{name} has more than {ARCHIVE_MEMBERS} members", "pack the capture alone")
                if member.size < 0:
                    raise tarfile.ReadError("a size is negative")
                size += member.size
                _refuse_if_large(size, name)
                opened = archive.extractfile(member) if member.isreg() else None
                place = name_below(member.name)
                if opened is not None and place:
                    yield place, opened.read()
    except (tarfile.TarError, ValueError, OverflowError, RecursionError) as error:  # tarfile believes what headers say
        raise UsageError(f"{name} cannot be unpacked: {error}", "it was truncated or damaged in transit") from error


def name_below(name: str) -> str:
    """Return what a path from outside is called below the top, wherever that is; '' when it leads out of it."""
    place = posixpath.normpath(name.lstrip("/"))
    return "" if place in {".", ".."} or place.startswith("../") or "\0" in place else place


def _refuse_if_large(size: int, name: str) -> None:
    if size > CAPTURE_BYTES:
        raise UsageError(
            f"{name} is larger than {CAPTURE_BYTES >> 20} MB when it is unpacked", "pack the capture alone"
        )
