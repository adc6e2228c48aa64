"""Reads the files of a routing daemon as root does it for users of little right, such as frr and bird.

A daemon's user may own its startup file, or the folder with it. What he puts there, a link or an include, must not
have root read for him what he may not read himself: the text goes into a difference, and back into his file.
"""

from __future__ import annotations

import errno
import os
import stat

from vppcfg.common.bounds import ROUTING_CHARACTERS

_MOST_LINKS = 40


def read_text(path: str, named_by: os.stat_result | None = None, links: int = 0) -> tuple[str, os.stat_result]:
    """Return the text of a regular file, and what the file is. Raise OSError, also where a pipe or a device is.

    `named_by` is the file that includes it, or the link to it: unless that belongs to root or to the user, its owner
    must be able to read what it names.
    """
    place = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(place)
        if stat.S_ISLNK(status.st_mode):
            if links >= _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            target = os.path.join(os.path.dirname(path), os.readlink("", dir_fd=place))
            by = status if named_by is None or named_by.st_uid in _trusted() else named_by
            return read_text(target, by, links + 1)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if status.st_size > ROUTING_CHARACTERS:
            raise OSError(errno.EFBIG, f"it is larger than {ROUTING_CHARACTERS >> 20} MB")
        if named_by is not None and not _may_name(named_by, status):
            raise OSError(errno.EACCES, "who names it may not read it")
        with open(f"/proc/self/fd/{place}", encoding="utf-8", errors="surrogateescape") as file:
            return file.read(ROUTING_CHARACTERS), status
    finally:
        os.close(place)


def _trusted() -> set[int]:
    return {0, os.geteuid()}


def _may_name(by: os.stat_result, status: os.stat_result) -> bool:
    """Return whether the owner of a file or a link may read what it names."""
    if by.st_uid in {*_trusted(), status.st_uid}:
        return True
    is_of_group = by.st_gid == status.st_gid and bool(status.st_mode & stat.S_IRGRP)
    return is_of_group or bool(status.st_mode & stat.S_IROTH)
