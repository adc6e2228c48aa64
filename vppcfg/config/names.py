"""What names may look like: interfaces of VPP, devices and namespaces of Linux, sub-interface ids."""

from __future__ import annotations

import re
from typing import Any

NAME_LENGTH = 63
"""VPP's API keeps 64 bytes of an interface's name, the last one NUL (vnet/interface.api)."""
LINUX_NAME_LENGTH = 15
"""Linux keeps 16 bytes of a device's name, the last one NUL (IFNAMSIZ)."""
MAX_SUB_ID = 0xFFFFFFFF

_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9/._:@+-]*")
_LINUX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LCP = re.compile(r"[a-z][a-z0-9.-]*")
_GLOB = re.compile(r"[!-~]+")


def is_interface_name(value: Any) -> bool:
    """Return whether `value` can be the name of an interface, such as TenGigabitEthernet1/0/0 or eth0."""
    return isinstance(value, str) and len(value) <= NAME_LENGTH and _INTERFACE.fullmatch(value) is not None


def is_linux_name(value: Any, length: int) -> bool:
    """Return whether `value` can name something in Linux's file system, of at most `length` characters."""
    return isinstance(value, str) and len(value) <= length and _LINUX.fullmatch(value) is not None


def is_lcp_name(value: Any) -> bool:
    """Return whether `value` can be the Linux name of an LCP, such as e0 or be0.100."""
    return isinstance(value, str) and len(value) <= LINUX_NAME_LENGTH and _LCP.fullmatch(value) is not None


def is_glob(value: Any) -> bool:
    """Return whether `value` can be a pattern over names of objects."""
    return isinstance(value, str) and _GLOB.fullmatch(value) is not None


def is_sub_id(value: Any) -> bool:
    """Return whether `value` can be the id of a sub-interface."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_SUB_ID
