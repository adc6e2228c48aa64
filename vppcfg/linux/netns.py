"""The network namespaces that a process sees: its own, and those with a name in its /run/netns; and new ones.

A new one is made as `ip netns add` makes it, but where another process looks for it.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from vppcfg.errors import LinuxError
from vppcfg.linux import kernel
from vppcfg.linux.refusal import no_netns, refusal_of, require_netns_name

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
            kernel.setns(descriptor, kernel.CLONE_NEWNET)
    finally:
        os.close(descriptor)


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
