"""The folders of a VPP's journal and lock: one per API socket, for root and the members of one group alone."""

from __future__ import annotations

import errno
import grp
import hashlib
import os
from pathlib import Path
from urllib.parse import quote

from vppcfg.errors import StorageError
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.safe_open import check_folder

GROUP = "vpp"
"""Its members may drive VPP over its API socket (`unix { gid vpp }`), and so may they keep the journal."""
WHO_MAY = f"run vppcfg as root or as a member of group {GROUP}, or name another folder with --state-dir"
"""What to do when the folder of a journal is closed to whoever asks."""
MODE = 0o2770
"""New files belong to the folder's group."""
_LONGEST_NAME = 200


def folder_name(socket_path: str) -> str:
    """Return the name of a folder or file for a socket: its path with `/` written `%2F`."""
    name = quote(os.path.realpath(socket_path), safe="").removeprefix("%2F")
    return name if len(name) <= _LONGEST_NAME else hashlib.sha256(name.encode()).hexdigest()


def how_to_get_in(reason: str) -> str:
    """Return what to do when the folder of a journal cannot be used, by the system's reason."""
    if reason == os.strerror(errno.EROFS) or (os.geteuid() == 0 and reason == os.strerror(errno.EACCES)):
        return "it must be writable; name another folder with --state-dir"
    return "make room for it there, or name another folder with --state-dir" if os.geteuid() == 0 else WHO_MAY


def create_folder(path: Path) -> Path:
    """Return a folder after making what is missing of it. Raise StorageError or UntrustedFileError."""
    try:
        _create(path)
        check_folder(path, path.stat().st_gid)
    except OSError as error:
        raise StorageError(f"cannot use {path}: {error.strerror}", _hint(error)) from error
    return path


def _hint(error: OSError) -> str:
    """Return what to do when a folder cannot be used."""
    if isinstance(error, NotADirectoryError | FileExistsError):
        return "a file is where it or a folder above it should be; move that, or name another folder with --state-dir"
    return how_to_get_in(error.strerror or "")


def _create(path: Path) -> None:
    if path.is_dir():
        return
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True)
    with Directory.trusted(path.parent, path.parent.stat().st_gid) as above:
        try:
            above.create(path.name, MODE, group_id() if os.geteuid() == 0 else None)
        except FileExistsError:
            if not path.is_dir():  # another process has not made it meanwhile
                raise


def group_id() -> int | None:
    """Return the id of the group vpp, None when there is none."""
    try:
        return grp.getgrnam(GROUP).gr_gid
    except KeyError:
        return None


def why_unusable(path: Path) -> str:
    """Return why no files can be made in a folder, or it cannot be made; '' when they can. Nothing is changed."""
    there = next(each for each in (path, *path.parents) if os.path.lexists(each))
    if not there.is_dir():
        return os.strerror(errno.ENOTDIR)
    if os.access(there, os.W_OK | os.X_OK):
        return ""
    is_read_only = os.statvfs(there).f_flag & os.ST_RDONLY
    return os.strerror(errno.EROFS if is_read_only else errno.EACCES)


def is_usable(path: Path) -> bool:
    """Return whether files can be made in a folder, which is made when it is missing."""
    try:
        create_folder(path)
    except StorageError:
        return False
    return os.access(path, os.W_OK | os.X_OK)
