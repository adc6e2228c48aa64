"""What Linux takes as the name of a device or a namespace; anything else is an error before it is used."""

from __future__ import annotations

from vppcfg.errors import LinuxError

_LONGEST_DEVICE = 15
"""Bytes; IFNAMSIZ without the NUL (linux/if.h)."""
_LONGEST_NETNS = 255
"""Bytes; a file in /run/netns (NAME_MAX)."""


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
