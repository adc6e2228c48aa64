"""Finds, enters and makes network namespaces: a process sees its own, and those in its /run/netns.

A new one is made as `ip netns add` makes it, but where another process looks for it. The system calls for that, which
Python 3.11 lacks, are here too: `setns`, `unshare`, `mount` and `unmount` act on their thread and raise OSError.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from vppcfg.errors import LinuxError
from vppcfg.linux.refusal import no_netns, refusal_of, require_netns_name

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
FOLDER = "/run/netns"
"""Where `ip netns` and VPP (vppinfra/linux/netns.c) look; both call it /var/run/netns."""
_SELF = "thread-self/ns/net"
"""Below /proc, the calling thread's network namespace."""
LOCK_S = 5.0


class Namespaces:
    """The network namespaces that one process sees; '' is its own."""

    def __init__(self, pid: int | None) -> None:
        """Look through the eyes of process `pid`, None for this one."""
        self._pid = pid
        self.process = "/proc/self" if pid is None else f"/proc/{pid}"
        """Its folder in /proc."""

    def names(self) -> frozenset[str]:
        """Return the names of all of them; a file left over from one that is gone is none. Raise LinuxError."""
        folder = f"{self.process}/root{FOLDER}"
        try:
            return frozenset(name for name in os.listdir(folder) if is_namespace(f"{folder}/{name}"))
        except (FileNotFoundError, ProcessLookupError):
            self.require_process()
            return frozenset()
        except OSError as error:
            raise refusal_of("list the network namespaces that VPP sees", error) from error

    def enter(self, name: str) -> None:
        """Move the calling thread into the namespace `name`. Raise LinuxError, also when there is none."""
        if not self.enter_if_there(name):
            raise no_netns(name)

    def enter_if_there(self, name: str) -> bool:
        """Move the calling thread into the namespace `name`, and return whether there is one. Raise LinuxError.

        Where it is already needs no privilege.
        """
        if name:
            require_netns_name(name)
        path = f"{self.process}/root{FOLDER}/{name}" if name else f"{self.process}/ns/net"
        try:
            if is_namespace(path):
                _enter(path)
                return True
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has gone this very moment
        except OSError as error:
            whose = f"the network namespace {name}" if name else "VPP's network namespace"
            raise refusal_of(f"enter {whose}", error) from error
        self.require_process()
        return False

    def require_process(self) -> None:
        """Raise LinuxError when the process is no more; one that has ended and is only listed has no namespaces."""
        try:
            os.lstat(f"{self.process}/ns/net")
        except (FileNotFoundError, ProcessLookupError):
            hint = "see `systemctl status vpp` and `journalctl -u vpp`"
            raise LinuxError(f"VPP's process {self._pid} is gone", hint) from None
        except OSError as error:
            raise refusal_of("look at VPP's process", error) from error


def is_namespace(path: str) -> bool:
    """Return whether a namespace is mounted at `path`; raise OSError when it cannot be looked at."""
    try:
        return os.stat(path).st_dev == os.stat("/proc/self/ns/net").st_dev
    except FileNotFoundError:
        return False


def _enter(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if not os.path.samestat(os.fstat(descriptor), os.stat("/proc/thread-self/ns/net")):
            setns(descriptor, CLONE_NEWNET)
    finally:
        os.close(descriptor)


def add_netns(name: str, process: str) -> None:
    """Make the namespace `name` for the process with the folder `process` in /proc, unless it is there.

    To be called in a thread of its own, which it takes into other namespaces. Raise OSError.
    """
    with ExitStack() as stack:
        folders = ("/proc", f"{process}/root", f"{process}/ns/mnt")
        proc, root, mounts = [stack.enter_context(_opened(path)) for path in folders]
        unshare(CLONE_FS | CLONE_NEWNET)
        setns(mounts, CLONE_NEWNS)
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
        mount(_SELF, path, MS_BIND)
    except OSError:
        if is_new:
            os.unlink(path)
        raise


def _share_mounts(folder: str) -> None:
    """Let mounts below `folder` appear in other mount namespaces; only a mount point can do so. Raise OSError."""
    try:
        mount("", folder, MS_SHARED | MS_REC)
    except OSError:
        mount(folder, folder, MS_BIND | MS_REC)
        mount("", folder, MS_SHARED | MS_REC)


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
    """Hold the lock of `ip netns add` for this context. Raise BlockingIOError when it is not free in some seconds."""
    deadline = time.monotonic() + LOCK_S
    with _opened(folder) as descriptor:
        while not _has_locked(descriptor):
            if time.monotonic() > deadline:
                raise BlockingIOError(0, "another process holds the lock of " + folder)
            time.sleep(0.05)
        yield


def _has_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def setns(descriptor: int, kind: int) -> None:
    """Enter the namespace behind `descriptor`, which is of `kind` (CLONE_NEW...)."""
    _check(_libc().setns(descriptor, kind))


def unshare(flags: int) -> None:
    """Stop sharing with other threads what `flags` (CLONE_...) name."""
    _check(_libc().unshare(flags))


def mount(source: str, target: str, flags: int) -> None:
    """Bind `source` to `target`, or change how `target` is mounted, by `flags` (MS_...)."""
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
