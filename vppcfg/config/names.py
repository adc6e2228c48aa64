"""What names may look like: interfaces of VPP, devices and namespaces of Linux, sub-interface ids."""

from __future__ import annotations

import re
from typing import Any

NAME_LENGTH = 63
"""VPP's API keeps 64 bytes of an interface's name, the last one NUL (vnet/interface.api)."""
LINUX_NAME_LENGTH = 15
"""Linux keeps 16 bytes of a device's name, the last one NUL (IFNAMSIZ)."""
NETNS_LENGTH = 31
"""linux-cp keeps 32 bytes of a namespace's name, the last one NUL (linux-cp/lcp.api)."""
MAX_SUB_ID = 0xFFFFFFFF

_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9/._:@+-]*")
_NETNS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LCP = re.compile(r"[a-z][a-z0-9.-]*")
_GLOB = re.compile(r"[!-~]+")
_OUTSIDE_GLOB = re.compile(r"[^!-~]")
_WILD = re.compile(r"([*?[])")


def is_interface_name(value: Any) -> bool:
    """Return whether `value` can be the name of an interface, such as TenGigabitEthernet1/0/0 or eth0."""
    return isinstance(value, str) and len(value) <= NAME_LENGTH and _INTERFACE.fullmatch(value) is not None


def is_netns_name(value: Any) -> bool:
    """Return whether `value` can be the name of a network namespace."""
    return isinstance(value, str) and len(value) <= NETNS_LENGTH and _NETNS.fullmatch(value) is not None


def is_lcp_name(value: Any) -> bool:
    """Return whether `value` can be the Linux name of an LCP, such as e0 or be0.100."""
    return isinstance(value, str) and len(value) <= LINUX_NAME_LENGTH and _LCP.fullmatch(value) is not None


def is_glob(value: Any) -> bool:
    """Return whether `value` can be a pattern over names of objects."""
    return isinstance(value, str) and _GLOB.fullmatch(value) is not None


def glob_of(name: str) -> str:
    """Return a pattern that matches `name`, and for a decent name nothing else."""
    return _OUTSIDE_GLOB.sub("?", _WILD.sub(r"[\1]", name))


def is_sub_id(value: Any) -> bool:
    """Return whether `value` can be the id of a sub-interface."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_SUB_ID
