"""Opens files that other users may have written: saved plans, and the journal.

They change a router, so they are read only when none but users who may drive VPP can have written them:
root, the user, and the members of one group. Every folder and symbolic link on the way is looked at as well, each once
and through the descriptor that the next step goes on from, so that nothing can be exchanged between look and use.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from vppcfg.common.path_walk import TooManyLinksError, walk
from vppcfg.errors import UntrustedFileError
from vppcfg.record import record

LIMIT_BYTES = 256 << 20
"""Of a file; the states of 100,000 interfaces have a fifth."""
_LONGEST_SECRET = 1024


@record
class TrustedFile:
    """What a file holds that only root, the user and the members of a group can have written."""

    data: bytes
    foreign: str = ""
    """Why root and the user are not the only ones who can have written it; '' when they are."""


def read_trusted(path: Path, group: int | None = None) -> bytes:
    """Return the bytes of a regular file that only root, the user and the members of `group` can have written.

    The group (a group id, None for none) may own and write files and folders. A symbolic link is followed in a folder's
    name, never at the end. Raise UntrustedFileError when the file belongs to another user, or cannot be read.
    """
    return read_with_origin(path, group).data


def read_with_origin(path: Path, group: int | None = None, most_bytes: int | None = None) -> TrustedFile:
    """Return what `read_trusted` does, with who can have written it. Raise UntrustedFileError."""
    with _owned_file(path, group) as (descriptor, status):
        _check_writers(status, descriptor, group)
        most = LIMIT_BYTES if most_bytes is None else most_bytes
        if status.st_size > most:
            raise UntrustedFileError(f"{path} is larger than {most >> 20} MB, and vppcfg writes none that is")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            data = stream.read(status.st_size)  # Python makes room for all that is asked for
        foreign = ""
        if status.st_uid not in {0, os.geteuid()}:
            foreign = f"{path} belongs to {_user(status.st_uid)}"
        elif status.st_mode & stat.S_IWGRP:
            foreign = f"{_group(status.st_gid)} may write {path}"
        return TrustedFile(data=data, foreign=foreign)


def read_own(path: Path, group: int | None = None) -> bytes:
    """Return the bytes of a regular file of root or of the user that others cannot write, wherever `group` may.

    What was written by another member of the group is refused: a member must not be able to make root run something.
    Raise UntrustedFileError.
    """
    file = read_with_origin(path, group)
    if file.foreign:
        raise UntrustedFileError(f"{file.foreign}, who is not trusted with this")
    return file.data


def read_named(path: Path) -> bytes:
    """Return the bytes of a regular file that only root, the user and who called sudo can have written, and named.

    A link at the end is followed, and must be theirs: who may exchange it chooses the file. Raise UntrustedFileError.
    """
    with _named(path) as place:
        status = os.fstat(place)
        if not stat.S_ISREG(status.st_mode):
            raise UntrustedFileError(f"{path} is no regular file")
        with open(f"/proc/self/fd/{place}", "rb") as stream:
            return stream.read(min(LIMIT_BYTES, status.st_size))


def refuse_foreign_pipe(path: Path) -> None:
    """Raise UntrustedFileError unless a pipe is of root, the user or who called sudo, and only they write to it."""
    with _named(path):
        pass


@contextmanager
def _named(path: Path) -> Iterator[int]:
    """Yield a descriptor of what only root, the user and who called sudo can write, or put in the place of `path`.

    Nothing is opened by it. Raise UntrustedFileError.
    """
    try:
        place = _reached(path.absolute(), None)
        try:
            _check_writers(os.fstat(place), place, None)
            yield place
        finally:
            os.close(place)
    except OSError as error:
        raise UntrustedFileError(f"cannot look at {path}: {error.strerror}") from error


def read_secret(path: Path) -> bytes:
    """Return the bytes of a regular file that only its owner, root or the user, can read or write, and up to 1 KiB.

    Raise UntrustedFileError when others can, or when it cannot be read.
    """
    with _owned_file(path, None) as (descriptor, status):
        if status.st_mode & 0o077:
            raise UntrustedFileError(f"others can read {path}, which holds a key", f"chmod 600 {path}")
        return os.read(descriptor, _LONGEST_SECRET)


@contextmanager
def _owned_file(path: Path, group: int | None) -> Iterator[tuple[int, os.stat_result]]:
    """Yield a regular file of root, the user or `group`, opened, and what it is. Raise UntrustedFileError."""
    try:
        descriptor = _opened_file(path.absolute(), group)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UntrustedFileError(f"{path} is no regular file")
            _check_owner(status, descriptor, group)
            yield descriptor, status
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UntrustedFileError(f"cannot read {path}: {error.strerror}") from error


def check_folder(path: Path, group: int | None = None) -> None:
    """Raise UntrustedFileError unless a folder, and every one on the way to it, is as `read_trusted` requires.

    In the folder itself no other user may create files, not even as in /tmp. Raise OSError when it cannot be looked at.
    """
    descriptor = opened_folder(path.absolute(), group)
    try:
        _check_writers(os.fstat(descriptor), descriptor, group)
    finally:
        os.close(descriptor)


def _opened_file(path: Path, group: int | None) -> int:
    folder = opened_folder(path.parent, group)
    try:
        # Without O_NONBLOCK, a pipe without a writer would block for ever.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(path.name, flags, dir_fd=folder)
    finally:
        os.close(folder)


def opened_folder(path: Path, group: int | None) -> int:
    """Return a descriptor of a folder after a look at each name on the way. Raise OSError, UntrustedFileError."""
    folder = _reached(path, group)
    if stat.S_ISDIR(os.fstat(folder).st_mode):
        return folder
    os.close(folder)
    raise UntrustedFileError(f"{path} is not a folder")


def _reached(path: Path, group: int | None) -> int:
    """Return a descriptor of what a path leads to after a look at each name and link on the way."""
    try:
        return walk(path, lambda place: _check_folder(place, group))
    except TooManyLinksError as error:
        raise UntrustedFileError(f"too many symbolic links in the path {path}") from error


def _check_folder(descriptor: int, group: int | None) -> None:
    """Raise UntrustedFileError when what is below a folder, or behind a link, may be replaced by another user."""
    status = os.fstat(descriptor)
    _check_owner(status, descriptor, group)
    is_sticky = bool(status.st_mode & stat.S_ISVTX)  # as /tmp is: users cannot remove or rename the files of others
    if stat.S_ISDIR(status.st_mode) and not is_sticky:
        _check_writers(status, descriptor, group)


def _check_owner(status: os.stat_result, descriptor: int, group: int | None) -> None:
    if status.st_uid not in oneself() and not _is_member(status.st_uid, group):
        raise UntrustedFileError(f"{_name_of(descriptor)} belongs to {_user(status.st_uid)}, who is not trusted here")


def _check_writers(status: os.stat_result, descriptor: int, group: int | None) -> None:
    if status.st_mode & stat.S_IWOTH:
        who, bit = "everybody", "o"
    elif status.st_mode & stat.S_IWGRP and status.st_gid != group:
        who, bit = _group(status.st_gid), "g"
    else:
        return
    name = _name_of(descriptor)
    raise UntrustedFileError(f"{who} may write {name}, so nothing in it can be trusted", f"chmod {bit}-w {name}")


def _name_of(descriptor: int) -> str:
    return os.readlink(f"/proc/self/fd/{descriptor}")


def oneself(environment: Mapping[str, str] = os.environ) -> set[int]:
    """Return the users whose hand is one's own: root's, and that of who called sudo(8)."""
    user = os.geteuid()
    found = {0, user}
    if user == 0:
        with suppress(KeyError, ValueError):
            found.add(int(environment["SUDO_UID"]))
    return found


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


def _group(group: int) -> str:
    try:
        return f"group {grp.getgrgid(group).gr_name}"
    except KeyError:
        return f"group id {group}"
