"""The network namespaces that a process sees: its own, and those with a name in its /run/netns."""

from __future__ import annotations

import os

from vppcfg.errors import LinuxError
from vppcfg.linux import kernel
from vppcfg.linux.names import require_netns_name
from vppcfg.linux.refusal import no_netns, refusal_of

FOLDER = "/run/netns"
"""Where `ip netns` and VPP (vppinfra/linux/netns.c) look; both call it /var/run/netns."""


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
