"""Which plugins VPP loads, and whether a packet may span buffers: both follow from the rest of the file."""

from __future__ import annotations

from vppcfg.common.release import Release
from vppcfg.model.configuration import Configuration
from vppcfg.model.dataplane import DataplaneSection
from vppcfg.model.plugins import needed_plugins
from vppcfg.startup.derive.ledger import Ledger
from vppcfg.startup.settings import Origin

FRAME_OVERHEAD = 26
"""Bytes around a packet on the wire: Ethernet header, two VLAN tags, checksum."""


def choose_plugins(
    configuration: Configuration, section: DataplaneSection, release: Release, has_devices: bool, ledger: Ledger
) -> tuple[str, ...]:
    """Return the names of the plugins, without _plugin.so."""
    if section.plugins is not None:
        ledger.add("plugins", ", ".join(section.plugins) or "none", Origin.FILE, "the file lists them")
        return section.plugins
    reasons = {need.plugin: need.reason for need, _ in needed_plugins(configuration, release)}
    if has_devices:
        reasons["dpdk"] = "there are devices"
    told = "; ".join(f"{name}: {reasons[name]}" for name in sorted(reasons)) or "the file needs none"
    ledger.add("plugins", ", ".join(sorted(reasons)) or "none", Origin.FORMULA, told)
    return tuple(sorted(reasons))


def choose_multi_seg(configuration: Configuration, section: DataplaneSection, ledger: Ledger) -> bool:
    """Return whether a packet may span buffers: where the file leaves it open, when the largest MTU needs it."""
    if section.dpdk.is_multi_seg is not None:
        ledger.add("dpdk.multi-seg", section.dpdk.is_multi_seg, Origin.FILE, "the file says so")
        return section.dpdk.is_multi_seg
    largest = max((port.mtu for port in configuration.interfaces.values() if port.parent is None), default=1500)
    frame, room = largest + FRAME_OVERHEAD, section.buffers.data_size
    reason = f"the largest MTU is {largest}, {frame} bytes as a frame; a buffer holds {room}"
    ledger.add("dpdk.multi-seg", frame > room, Origin.FORMULA, reason)
    return frame > room
