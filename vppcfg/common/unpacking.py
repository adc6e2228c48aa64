"""Finds the texts in what people send: a folder of any layout, an archive, compressed files in either.

Nothing is written but below a folder that goes away, links are passed over, and an archive may neither have more
members nor more bytes than a capture ever has.
"""

from __future__ import annotations

import io
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from vppcfg.common.bounds import ARCHIVE_MEMBERS, CAPTURE_BYTES
from vppcfg.common.documents import read_at_most
from vppcfg.common.names import natural_key
from vppcfg.errors import UsageError

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


def unpack(content: bytes, name: str, folder: Path) -> None:
    """Write the files of a tar below a folder, compressed ones decompressed. Raise UsageError.

    Links, devices and names that lead out of the folder are passed over.
    """
    size = 0
    for member, packed in files_in(content, name):
        plain = decompressed(packed, f"{name}: {member}")
        size += len(plain)
        _refuse_if_large(size, name)
        _write(folder, member, plain)


def files_in(content: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each regular file of a tar. Raise UsageError for a damaged or too large one."""
    size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for number, member in enumerate(archive):
                if number >= ARCHIVE_MEMBERS:
                    raise UsageError(f"{name} has more than {ARCHIVE_MEMBERS} members", "pack the capture alone")
                if member.size < 0:
                    raise tarfile.ReadError("a size is negative")
                size += member.size
                _refuse_if_large(size, name)
                opened = archive.extractfile(member) if member.isreg() else None
                if opened is not None:
                    yield member.name, opened.read()
    except (tarfile.TarError, ValueError, OverflowError, RecursionError) as error:  # tarfile believes what headers say
        raise UsageError(f"{name} cannot be unpacked: {error}", "it was truncated or damaged in transit") from error


def _refuse_if_large(size: int, name: str) -> None:
    if size > CAPTURE_BYTES:
        raise UsageError(
            f"{name} is larger than {CAPTURE_BYTES >> 20} MB when it is unpacked", "pack the capture alone"
        )


def _write(folder: Path, name: str, content: bytes) -> None:
    parts = [part for part in PurePosixPath(name).parts if part != "/"]
    if not parts or ".." in parts:
        return
    path = folder.joinpath(*parts)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:  # a name too long, or a folder of the name of a file
        raise UsageError(f"cannot unpack {name}: {error.strerror}") from error
    except ValueError as error:  # a NUL in a name
        raise UsageError(f"cannot unpack {name!r}: {error}") from error


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, in the natural order of their names. Raise UsageError.

    Links are passed over.
    """
    found = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    if len(found) > ARCHIVE_MEMBERS:
        raise UsageError(f"{folder} has more than {ARCHIVE_MEMBERS} files", "name the folder with the capture alone")
    yield from sorted(found, key=lambda path: natural_key(str(path)))
