"""`show pci` in, devices and their links out; columns may be empty, so that only tokens with a shape count."""

from __future__ import annotations

import re

from vppcfg.tune.reading import PciDevice
from vppcfg.tune.show.lines import Unread, clean_lines

_ROW = re.compile(r"^([0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]) (?:(\d+) )?([0-9a-f]{4}:[0-9a-f]{4})(.*)$")
_LINK = re.compile(r"^ ?(?:([\d.]+) GT/s x(\d+)|unknown)(?: (\S+))?")


def parse_pci(text: str) -> tuple[tuple[PciDevice, ...], Unread]:
    """Return the devices, and what could not be read (VPP: vlib/pci/pci.c)."""
    devices: list[PciDevice] = []
    unread: list[str] = []
    for line in clean_lines(text):
        match = _ROW.match(line)
        if match:
            devices.append(_device(match))
        elif not line.startswith("Address"):
            unread.append(line)
    return tuple(devices), tuple(unread)


def _device(match: re.Match[str]) -> PciDevice:
    link = _LINK.match(match[4])
    return PciDevice(
        address=match[1],
        socket=int(match[2]) if match[2] else None,
        pci_id=match[3],
        gt_per_s=float(link[1]) if link and link[1] else None,
        width=int(link[2]) if link and link[2] else None,
        driver=(link[3] or "") if link else "",
    )
