"""System calls that Python 3.11 lacks: setns, unshare, mount, umount. Each acts on its thread; all raise OSError."""

from __future__ import annotations

import ctypes
import os

CLONE_FS = 0x200
CLONE_NEWNS = 0x20000
CLONE_NEWNET = 0x40000000
"""linux/sched.h"""
MS_BIND = 0x1000
MS_REC = 0x4000
MS_SHARED = 0x100000
"""linux/mount.h"""
_MNT_DETACH = 2
"""linux/fs.h"""


def setns(descriptor: int, kind: int) -> None:
    """Enter the namespace behind `descriptor`, which is of `kind` (CLONE_NEW...)."""
    _check(_libc().setns(descriptor, kind))


def unshare(flags: int) -> None:
    """Stop sharing with other threads what `flags` (CLONE_...) name."""
    _check(_libc().unshare(flags))


def mount(source: str, target: str, flags: int) -> None:
    """Bind `source` to `target`, or change how `target` is mounted, as `flags` (MS_...) say."""
    _check(_libc().mount(os.fsencode(source), os.fsencode(target), b"none", ctypes.c_ulong(flags), None), target)


def unmount(target: str) -> None:
    """Take away what is mounted at `target`, at once for whoever looks and for others when they let go of it."""
    _check(_libc().umount2(os.fsencode(target), _MNT_DETACH), target)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, name: str | None = None) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)
