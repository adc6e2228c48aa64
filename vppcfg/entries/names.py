"""What names may look like: interfaces of VPP, devices and namespaces of Linux, sub-interface ids."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import yaml

from vppcfg import assets
from vppcfg.record import record

NAME_LENGTH = 63
"""VPP's API keeps 64 bytes of an interface's name, the last one NUL (vnet/interface.api)."""
LINUX_NAME_LENGTH = 15
"""Linux keeps 16 bytes of a device's name, the last one NUL (IFNAMSIZ)."""
NETNS_LENGTH = 31
"""linux-cp keeps 32 bytes of a namespace's name, the last one NUL (linux-cp/lcp.api)."""
MAX_SUB_ID = 0xFFFFFFFF
MAX_INSTANCE = 0xFFFFFFFE
"""Of bonds and tunnels; all ones asks VPP to choose."""
LIST_LENGTH = 64
VRF_LENGTH = 63
"""VPP's API keeps 64 bytes of a table's name, the last one NUL (vnet/ip/ip.api)."""
ACL_LENGTH = 56
"""VPP keeps 64 bytes of an ACL's tag, the last one NUL (plugins/acl/acl.api); `vppcfg ` stands before the name."""

INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9/._:@+-]*")
NETNS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LCP = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
GLOB = re.compile(r"[!-~]+")
_OUTSIDE_GLOB = re.compile(r"[^!-~]")
_WILD = re.compile(r"([*?[])")
VRF = re.compile(r"(?!ipv[46]-VRF:)[A-Za-z0-9][A-Za-z0-9/._:@+-]*")
LIST = re.compile(r"[a-z][a-z0-9-]*")
_NUMBERED = re.compile(r"([A-Za-z_]+)(0|[1-9][0-9]{0,9})")


def is_interface_name(value: Any) -> bool:
    """Return whether `value` can be the name of an interface, such as TenGigabitEthernet1/0/0 or eth0."""
    return isinstance(value, str) and len(value) <= NAME_LENGTH and INTERFACE.fullmatch(value) is not None


DHCP_HOSTNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
DHCP_HOSTNAME_LENGTH = 63
"""Bytes; VPP reports no longer name (plugins/dhcp/dhcp.api)."""


def is_dhcp_hostname(value: Any) -> bool:
    """Return whether `value` can be the hostname that a DHCP client sends."""
    return isinstance(value, str) and len(value) <= DHCP_HOSTNAME_LENGTH and DHCP_HOSTNAME.fullmatch(value) is not None


def is_netns_name(value: Any) -> bool:
    """Return whether `value` can be the name of a network namespace."""
    return isinstance(value, str) and len(value) <= NETNS_LENGTH and NETNS.fullmatch(value) is not None


def is_lcp_name(value: Any) -> bool:
    """Return whether `value` can be the Linux name of an LCP, such as e0 or be0.100."""
    return isinstance(value, str) and len(value) <= LINUX_NAME_LENGTH and LCP.fullmatch(value) is not None


NAT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")
NAT_NAME_LENGTH = 40
"""VPP keeps 64 bytes of the tag of a mapping (nat44_ed.api), and flags stand behind the name."""


def is_nat_name(value: Any) -> bool:
    """Return whether `value` can be what a file calls a mapping of NAT44."""
    return isinstance(value, str) and len(value) <= NAT_NAME_LENGTH and NAT_NAME.fullmatch(value) is not None


def is_glob(value: Any) -> bool:
    """Return whether `value` can be a pattern over names of objects."""
    return isinstance(value, str) and GLOB.fullmatch(value) is not None


def glob_of(name: str) -> str:
    """Return a pattern that matches `name` and, where that has no blanks or the like, nothing else."""
    return _OUTSIDE_GLOB.sub("?", _WILD.sub(r"[\1]", name))


def is_sub_id(value: Any) -> bool:
    """Return whether `value` can be the id of a sub-interface."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_SUB_ID


def is_acl_name(value: Any) -> bool:
    """Return whether `value` can be the name of an ACL."""
    return isinstance(value, str) and len(value) <= ACL_LENGTH and LIST.fullmatch(value) is not None


def is_vrf_name(value: Any) -> bool:
    """Return whether `value` can be the name of a VRF: one word at VPP's prompt, and none of VPP's own."""
    return isinstance(value, str) and len(value) <= VRF_LENGTH and VRF.fullmatch(value) is not None


def is_prefix_list_name(value: Any) -> bool:
    """Return whether `value` can be the name of a prefix list."""
    return isinstance(value, str) and len(value) <= LIST_LENGTH and LIST.fullmatch(value) is not None


def number_of(name: str, word: str) -> int:
    """Return the number that follows `word` in a name, -1 when the name is anything else."""
    match = _NUMBERED.fullmatch(name)
    return int(match[2]) if match is not None and match[1] == word else -1


def word_of(name: str) -> str:
    """Return the word that a name of a word and a number begins with, '' when the name is anything else."""
    match = _NUMBERED.fullmatch(name)
    return "" if match is None else match[1]


_IP_NAMES = "schema/ip_names.yaml"


@record
class IpNames:
    """Numbers by name, in lower case."""

    protocols: Mapping[str, int]
    services: Mapping[str, int]
    """Ports, of TCP and UDP alike."""


@lru_cache(maxsize=1)
def read_ip_names() -> IpNames:
    """Return the names of protocols and services, which are read once."""
    table = yaml.load(assets.find(_IP_NAMES).read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return IpNames(protocols=table["protocols"], services=table["services"])
