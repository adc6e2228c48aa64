"""Checks of network devices: that they are there, are free, and stand where they work well."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.host import Nic
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.checks.case import Case


def devices_exist(case: Case) -> Iterator[Problem]:
    """Find devices that the machine does not have."""
    for device in case.settings.devices:
        if device.nic is None:
            have = ", ".join(case.host.nic_by_address) or "none"
            text = f"this machine has no network device {device.address}; it has {have}"
            yield Problem(rule="device-unknown", path=device.path, text=text)


def devices_free(case: Case) -> Iterator[Problem]:
    """Find devices that Linux uses, which VPP passes over (vlib/linux/pci.c)."""
    for device in case.settings.devices:
        nic = device.nic
        if nic is None or not nic.is_admin_up or (device.limits is not None and device.limits.is_bifurcated):
            continue
        names = ", ".join(nic.linux_names)
        text = f"Linux uses {device.address} as {names}, so that VPP passes it over; `ip link set {names} down` first"
        yield Problem(rule="device-in-use", path=device.path, text=text, severity=Severity.WARNING)


def devices_placed(case: Case) -> Iterator[Problem]:
    """Find devices whose NUMA node is not known on a machine that has several."""
    for device in case.settings.devices:
        if device.nic is None or not case.host.has_numa or device.nic.node in case.host.node_ids:
            continue
        says = "no NUMA node" if device.nic.node is None else f"NUMA node {device.nic.node}, which has no memory"
        text = f"the machine tells {says} for {device.address}; VPP and vppcfg take {case.host.node_of(device.nic)}"
        yield Problem(rule="device-node", path=device.path, text=text, severity=Severity.WARNING)


def slots(case: Case) -> Iterator[Problem]:
    """Find devices that the slot makes slower than their link."""
    for device in case.settings.devices:
        nic = device.nic
        if nic is None or nic.link is None or nic.link_max is None or nic.link.rate >= nic.link_max.rate:
            continue
        if nic.speed_mbps is not None and nic.link.rate * _PAYLOAD * 1000 >= nic.speed_mbps * 2 * _HEADROOM:
            continue
        text = (
            f"{device.address} runs at {_text(nic)} and could do {nic.link_max.speed_gts:g} GT/s x{nic.link_max.width}"
            "; another slot may be faster"
        )
        yield Problem(rule="device-slot", path=device.path, text=text, severity=Severity.WARNING)


_PAYLOAD = 0.8
"""Of the bits on a PCI Express lane, at the oldest encoding."""
_HEADROOM = 1.5
"""For descriptors and headers of the bus."""


def _text(nic: Nic) -> str:
    assert nic.link is not None
    slot = f" in a slot of {nic.slot_max.speed_gts:g} GT/s x{nic.slot_max.width}" if nic.slot_max else ""
    return f"{nic.link.speed_gts:g} GT/s x{nic.link.width}{slot}"
