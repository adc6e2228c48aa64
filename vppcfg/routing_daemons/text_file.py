"""Reads the files of a routing daemon as root does it for users of little right, such as frr and bird.

A daemon's user may own its startup file, or the folder with it. What he puts there, a link or an include, must not
have root read for him what he may not read himself: the text goes into a difference, and back into his file.
"""

from __future__ import annotations

import errno
import os
import pwd
import stat
from pathlib import Path

from vppcfg.common.bounds import ROUTING_CHARACTERS, ROUTING_LINES
from vppcfg.common.path_walk import walk


def read_text(path: str, named_by: os.stat_result | None = None) -> tuple[str, os.stat_result]:
    """Return the text of a regular file, and what the file is. Raise OSError, also where a pipe or a device is.

    `named_by` is the file that includes it. Unless that, or a link on the way, belongs to root or to the user, its
    owner must be able to reach and to read what it names.
    """
    place = _reached(path, None if named_by is None or named_by.st_uid in _trusted() else named_by)
    try:
        status = os.fstat(place)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if status.st_size > ROUTING_CHARACTERS:
            raise OSError(errno.EFBIG, f"it is larger than {ROUTING_CHARACTERS >> 20} MB")
        with open(f"/proc/self/fd/{place}", encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(ROUTING_CHARACTERS)
        if text.count("\n") > ROUTING_LINES:
            raise OSError(errno.EFBIG, f"it has more than {ROUTING_LINES:,} lines")
        return text, status
    finally:
        os.close(place)


def text_or_nothing(path: str) -> str:
    """Return the text of a file, '' when it cannot be read."""
    try:
        return read_text(path)[0]
    except OSError:
        return ""


def _reached(path: str, named_by: os.stat_result | None) -> int:
    """Return a descriptor of what a path leads to, each of its folders and links looked at on the way."""

    def look(place: int) -> None:
        nonlocal named_by
        status = os.fstat(place)
        if stat.S_ISLNK(status.st_mode):
            named_by = named_by or (None if status.st_uid in _trusted() else status)
        elif stat.S_ISDIR(status.st_mode) and not _may(named_by, status, stat.S_IXOTH):
            raise OSError(errno.EACCES, "who names it may not reach it")

    place = walk(Path(path).absolute(), look)
    if not _may(named_by, os.fstat(place), stat.S_IROTH):
        os.close(place)
        raise OSError(errno.EACCES, "who names it may not read it")
    return place


def _trusted() -> set[int]:
    return {0, os.geteuid()}


def _may(by: os.stat_result | None, status: os.stat_result, right: int) -> bool:
    """Return whether the owner of a file or a link has a right, as others have it, to a file or a folder."""
    if by is None or by.st_uid == status.st_uid:
        return True
    return bool(status.st_mode & (right << 3 if status.st_gid in _groups(by) else right))


def _groups(by: os.stat_result) -> set[int]:
    try:
        user = pwd.getpwuid(by.st_uid)
    except KeyError:
        return {by.st_gid}
    return {by.st_gid, *os.getgrouplist(user.pw_name, user.pw_gid)}
