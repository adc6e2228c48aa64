"""Reads and writes the sysctls of network devices in the namespace that the calling thread is in."""

from __future__ import annotations

import errno
import os
import re

from vppcfg.linux.device import Answer
from vppcfg.linux.refusal import require_device_name
from vppcfg.model.iproute2 import sysctl_folder
from vppcfg.model.linux_setting import LinuxSetting

_FOLDER = "/proc/sys"
_OWN_KEYS = frozenset({"mtu", "mc_forwarding"})
"""What follows from the device, and what a multicast routing daemon alone can set."""
_OF_KERNEL = frozenset({"accept_dad=-1", "addr_gen_mode=2", "addr_gen_mode=3", "use_tempaddr=-1"})
"""What the kernel chooses for devices without MAC addresses, or with a secret (net/ipv6/addrconf.c, ipv6_add_dev)."""
_SETTING = re.compile(r"([a-z0-9_]+)=(-?[0-9]+)")


def special_values(family: int, device: str) -> list[str]:
    """Return, as `key=value`, the numbers of a device that are not those by which a new one begins."""
    usual, own = (_values(f"{_FOLDER}/{sysctl_folder(family, each)}") for each in ("default", device))
    special = (
        f"{key}={value}" for key, value in own.items() if key not in _OWN_KEYS and usual.get(key, value) != value
    )
    return [text for text in special if text not in _OF_KERNEL]


def write_sysctl(setting: LinuxSetting) -> Answer:
    """Write a sysctl, and return an error code and words, 0 and '' where it was taken. Raise LinuxError.

    A setting may come from a file that somebody has written, and leads nowhere else.
    """
    match = _SETTING.fullmatch(setting.sysctl)
    if match is None:
        return errno.EPROTO, f"{setting.sysctl!r} is no key with a number"
    require_device_name(setting.device)
    try:
        path = f"{_FOLDER}/{sysctl_folder(setting.family, setting.device)}/{match[1]}"
        with open(path, "w", encoding="ascii") as file:
            file.write(match[2])
    except OSError as error:
        return error.errno or errno.EIO, ""
    return 0, ""


def _values(folder: str) -> dict[str, str]:
    """Return the numbers in a folder by their keys, nothing where it is not there: a device without IPv6, say."""
    found = {}
    for key in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        try:
            with open(f"{folder}/{key}", encoding="ascii") as file:
                value = file.read().strip()
        except OSError:
            continue  # a secret that was never set, or a device that has gone since
        if _SETTING.fullmatch(f"{key}={value}"):
            found[key] = value
    return found
