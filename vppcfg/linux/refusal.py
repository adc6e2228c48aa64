"""Errors for what Linux refuses, with what was tried and what to do; and checks of names that it cannot take."""

from __future__ import annotations

import errno
import os

from vppcfg.errors import LinuxError

_NO_PERMISSION = frozenset({errno.EPERM, errno.EACCES})
_NEEDED = "this needs root, or CAP_NET_ADMIN, and CAP_SYS_ADMIN for a namespace other than one's own"
_LONGEST_DEVICE = 15
"""Bytes; IFNAMSIZ without the NUL (linux/if.h)."""
_LONGEST_NETNS = 255
"""Bytes; a file in /run/netns (NAME_MAX)."""


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
    """Return the words for the namespace of something; nothing for VPP's own."""
    return f" in namespace {netns}" if netns else ""


def _option(netns: str) -> str:
    return f"-n {netns} " if netns else ""


def require_device_name(name: str) -> None:
    """Raise LinuxError unless a network device can have this name (dev_valid_name in net/core/dev.c) and no option."""
    if ":" in name or any(character.isspace() for character in name) or not _is_name(name, _LONGEST_DEVICE):
        raise LinuxError(
            f"{name!r} cannot be the name of a Linux device",
            f"such a name has 1 to {_LONGEST_DEVICE} bytes, no '/', ':' or space in it and no '-' at its start",
        )


def require_netns_name(name: str) -> None:
    """Raise LinuxError unless this is a name below /run/netns; VPP also takes paths and `pid:N`, which are none."""
    if name.startswith("pid:") or not _is_name(name, _LONGEST_NETNS):
        raise LinuxError(
            f"{name!r} is not the name of a network namespace",
            f"such a name has 1 to {_LONGEST_NETNS} bytes, no '/' in it, and no '-' or 'pid:' at its start; "
            "`ip netns attach NAME PID` gives one to a namespace that has none",
        )


def _is_name(name: str, longest: int) -> bool:
    if name in ("", ".", "..") or name.startswith("-") or "/" in name or "\0" in name:
        return False
    try:
        return len(name.encode()) <= longest
    except UnicodeEncodeError:
        return False
