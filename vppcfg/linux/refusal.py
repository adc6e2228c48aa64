"""Linux's error codes as errors that say what was tried and what to do."""

from __future__ import annotations

import errno
import os

from vppcfg.errors import LinuxError

_NO_PERMISSION = frozenset({errno.EPERM, errno.EACCES})
_NEEDED = "this needs root, or CAP_NET_ADMIN, and CAP_SYS_ADMIN for a namespace other than one's own"


def refusal(what: str, code: int, words: str = "") -> LinuxError:
    """Return the error for `what` (words that follow "to"), which failed with errno `code` and the kernel's `words`."""
    if code in _NO_PERMISSION:
        return LinuxError(f"no permission to {what}", _NEEDED)
    return LinuxError(f"Linux refuses to {what}: {words or os.strerror(code)}")


def refusal_of(what: str, error: OSError) -> LinuxError:
    """Return the error for `what`, which failed with `error`."""
    return refusal(what, error.errno or 0, error.strerror or str(error))


def no_device(netns: str, name: str) -> LinuxError:
    """Return the error for a device that was to be changed and is not there."""
    return LinuxError(f"there is no Linux device {name}{within(netns)}", f"`ip {_option(netns)}link` lists them")


def no_netns(name: str) -> LinuxError:
    """Return the error for a namespace that was to be entered and is not there."""
    return LinuxError(f"there is no network namespace {name}", "`ip netns` lists them, `ip netns add` makes one")


def within(netns: str) -> str:
    """Return the words that say in which namespace something is; nothing for VPP's own."""
    return f" in namespace {netns}" if netns else ""


def _option(netns: str) -> str:
    return f"-n {netns} " if netns else ""
