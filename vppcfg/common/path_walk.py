"""Follows a path name by name through descriptors: nothing can be exchanged between a look at a place and its use."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

_MOST_LINKS = 40
"""As many as the kernel follows."""


class TooManyLinksError(OSError):
    """A path leads through more symbolic links than the kernel follows."""


def walk(path: Path, look: Callable[[int], None]) -> int:
    """Return a descriptor of what an absolute path leads to, links followed.

    `look` gets a descriptor of each folder and link on the way and of the end, before anything further is looked up;
    behind a link, of the folder from which that leads on once more. Raise OSError, or what `look` raises.
    """
    names, links = list(reversed(path.parts[1:])), 0
    here = _place("/", None)
    try:
        look(here)
        while names:
            below = _place(names.pop(), here)
            try:
                look(below)
                if stat.S_ISLNK(os.fstat(below).st_mode):
                    links += 1
                    if links > _MOST_LINKS:
                        raise TooManyLinksError(errno.ELOOP, os.strerror(errno.ELOOP))
                    target = Path(os.readlink("", dir_fd=below))
                    names += reversed(target.parts[1:] if target.is_absolute() else target.parts)
                    os.close(below)
                    below = _place("/", None) if target.is_absolute() else os.dup(here)
                    look(below)
                here, below = below, here
            finally:
                os.close(below)
    except BaseException:
        os.close(here)
        raise
    return here


def _place(name: str, folder: int | None) -> int:
    """Return a descriptor that only names a place: it takes no right to read, and opening it does nothing."""
    return os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
