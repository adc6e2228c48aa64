"""Reads network devices from /sys/bus/pci/devices, and asks their drivers for queues as `ethtool -l` does."""

from __future__ import annotations

import array
import fcntl
import re
import socket
import struct
from collections.abc import Callable
from dataclasses import replace

from vppcfg.host.files import Files
from vppcfg.model.host import Nic, PcieLink

QueueProbe = Callable[[str], tuple[int, int] | None]
"""Takes the name of a Linux interface and returns how many RX and TX queues it can have."""
_DEVICES = "sys/bus/pci/devices"
_NETWORK_CLASS = 0x02
_IFF_UP = 0x1
_GTS = re.compile(r"([0-9]*\.?[0-9]+) *GT/s.*")
_SIOCETHTOOL = 0x8946
_ETHTOOL_GCHANNELS = 0x3C
_IFREQ = struct.Struct("@16sP")
_CHANNELS = struct.Struct("@9I")
"""struct ethtool_channels: the command, then the maxima of rx, tx, other and combined, then the counts."""


def read_nics(files: Files, probe: QueueProbe) -> tuple[Nic, ...]:
    """Return the network devices in the order of their addresses."""
    nics = (_nic(files, address) for address in files.names(_DEVICES))
    return tuple(_with_queues(nic, probe) for nic in nics if nic is not None)


def _nic(files: Files, address: str) -> Nic | None:
    directory = f"{_DEVICES}/{address}"
    kind = files.number(f"{directory}/class", 16)
    if kind is None or kind >> 16 != _NETWORK_CLASS:
        return None
    vendor, device = files.number(f"{directory}/vendor", 16), files.number(f"{directory}/device", 16)
    if vendor is None or device is None:
        files.note(f"the network device {address} vanished while it was read")
        return None
    above = files.parent_of(directory)
    names = _linux_names(files, directory)
    return Nic(
        address=address,
        vendor=vendor,
        device=device,
        node=_node(files, address),
        driver=files.link_name(f"{directory}/driver"),
        linux_names=tuple(name.rpartition("/")[2] for name in names),
        is_admin_up=any(_flags(files, name) & _IFF_UP for name in names),
        speed_mbps=max((speed for name in names if (speed := _speed(files, name)) > 0), default=None),
        link=read_link(files, directory, "current"),
        link_max=read_link(files, directory, "max"),
        slot_max=None if above is None else read_link(files, above, "max"),
        mac=next((mac for name in names if (mac := files.text(f"{name}/address"))), None),
    )


def _node(files: Files, address: str) -> int | None:
    """Return the NUMA node, None for -1, with which firmware reports that it does not know."""
    node = files.number(f"{_DEVICES}/{address}/numa_node")
    if node is not None and node < -1:
        files.note(f"the network device {address} claims to be on NUMA node {node}")
    return None if node is None or node < 0 else node


def _linux_names(files: Files, directory: str) -> list[str]:
    """Return the directories of a device's Linux interfaces; virtio has a bus of its own in between."""
    between = [directory, *(f"{directory}/{name}" for name in files.names(directory) if name.startswith("virtio"))]
    return [f"{parent}/net/{name}" for parent in between for name in files.names(f"{parent}/net")]


def _flags(files: Files, interface: str) -> int:
    return files.number(f"{interface}/flags", 16) or 0


def _speed(files: Files, interface: str) -> int:
    return files.number(f"{interface}/speed") or 0


def read_link(files: Files, directory: str, which: str) -> PcieLink | None:
    """Return the PCIe link of the device below `directory`, `which` being current or max; None when it has none."""
    speed = _GTS.fullmatch(files.text(f"{directory}/{which}_link_speed") or "")
    width = files.text(f"{directory}/{which}_link_width") or ""
    if speed is None or not width.isdigit() or width in ("0", "255"):
        return None
    return PcieLink(speed_gts=float(speed[1]), width=int(width))


def _with_queues(nic: Nic, probe: QueueProbe) -> Nic:
    for name in nic.linux_names:
        if (queues := probe(name)) is not None:
            return replace(nic, rx_queues_max=queues[0], tx_queues_max=queues[1])
    return nic


def max_queues(interface: str) -> tuple[int, int] | None:
    """Return the most RX and TX queues of an interface of this machine, None when its driver does not show it."""
    buffer = array.array("B", _CHANNELS.pack(_ETHTOOL_GCHANNELS, *[0] * 8))
    request = _IFREQ.pack(interface.encode()[:15], buffer.buffer_info()[0])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            fcntl.ioctl(sock, _SIOCETHTOOL, request)
    except OSError:
        return None
    _, rx, tx, _, combined, *_ = _CHANNELS.unpack(buffer)
    return (rx + combined, tx + combined) if rx + tx + combined else None
