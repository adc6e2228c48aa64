"""A new network namespace with a name, made as `ip netns add` makes one, but where another process looks for it."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from vppcfg.linux import kernel
from vppcfg.linux.netns import FOLDER

_SELF = "thread-self/ns/net"
"""Below /proc, the calling thread's network namespace."""
LOCK_S = 5.0


def add_netns(name: str, process: str) -> None:
    """Make the namespace `name` for the process with the folder `process` in /proc, unless it is there.

    To be called in a thread of its own, which it takes into other namespaces. Raise OSError.
    """
    with ExitStack() as stack:
        folders = ("/proc", f"{process}/root", f"{process}/ns/mnt")
        proc, root, mounts = [stack.enter_context(_opened(path)) for path in folders]
        kernel.unshare(kernel.CLONE_FS | kernel.CLONE_NEWNET)
        kernel.setns(mounts, kernel.CLONE_NEWNS)
        os.fchdir(root)
        os.chroot(".")
        os.fchdir(proc)  # the other process may have no /proc in which this thread can be found
    os.makedirs(FOLDER, mode=0o755, exist_ok=True)
    with _locked(FOLDER):
        _give_name(f"{FOLDER}/{name}")


def _give_name(path: str) -> None:
    """Mount the calling thread's network namespace at `path`, unless there is one. Raise OSError."""
    if os.path.exists(path) and os.stat(path).st_dev == os.stat(_SELF).st_dev:
        return
    _share_mounts(FOLDER)
    is_new = _create(path)
    try:
        kernel.mount(_SELF, path, kernel.MS_BIND)
    except OSError:
        if is_new:
            os.unlink(path)
        raise


def _share_mounts(folder: str) -> None:
    """Let mounts below `folder` appear in other mount namespaces; only a mount point can do so. Raise OSError."""
    try:
        kernel.mount("", folder, kernel.MS_SHARED | kernel.MS_REC)
    except OSError:
        kernel.mount(folder, folder, kernel.MS_BIND | kernel.MS_REC)
        kernel.mount("", folder, kernel.MS_SHARED | kernel.MS_REC)


def _create(path: str) -> bool:
    """Make an empty file to mount on, and return False when one is left over from a namespace that is gone."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0))
    except FileExistsError:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise
        return False
    return True


@contextmanager
def _opened(path: str) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Keep others from adding namespaces, by the lock of `ip netns add`. Raise BlockingIOError after some seconds."""
    deadline = time.monotonic() + LOCK_S
    with _opened(folder) as descriptor:
        while not _has_locked(descriptor):
            if time.monotonic() > deadline:
                raise BlockingIOError(0, "somebody else holds the lock of " + folder)
            time.sleep(0.05)
        yield


def _has_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
