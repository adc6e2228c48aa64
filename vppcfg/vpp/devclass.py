"""VPP's driver classes by their names in every release, and what an interface of each class is to vppcfg.

Nothing here is read from a VPP.
"""

from __future__ import annotations

import re

from vppcfg.kinds.kind_list import VIRTUAL_INTERFACES
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.ownership import is_created_by_us

_SHARED_TAP_CLASS = "virtio"
"""Class of TAPs up to 25.10 (vnet/devices/tap/tap.c), and of virtio PCI ports in every release."""
_TAP_NAME = re.compile(r"tap\d+")

_KINDS = {
    "Loopback": (InterfaceKind.LOOPBACK, re.compile(r"loop\d+")),
    "BVI": (InterfaceKind.LOOPBACK, re.compile(r"bvi\d+")),
    _SHARED_TAP_CLASS: (InterfaceKind.TAP, _TAP_NAME),
    **{
        kind.device_class: (kind.kind, kind.instance_name)
        for kind in VIRTUAL_INTERFACES
        if not kind.virtual.is_owned_by_mark
    },
}
"""Classes of what vppcfg creates, with the names that it gives; `tap` from 26.02 (plugins/tap/tap.c)."""

_MARKED_KINDS = {
    kind.device_class: (kind.kind, kind.instance_name) for kind in VIRTUAL_INTERFACES if kind.virtual.is_owned_by_mark
}
"""Classes of ports that vppcfg makes, as others do: those of the names that it gives are ours by their mark alone."""

_NO_LINK_MTU = frozenset(
    {
        *(kind.device_class for kind in VIRTUAL_INTERFACES if not kind.has_link_mtu),
        "Adaptive Virtual Function (AVF) interface",
        "BVI",
        "GENEVE",
        "GTPU",
        "Infrastructure Data Path Function (IDPF) interface",
        "L2TPv3",
        "L2_LISP_GPE",
        "Loopback",
        "Marvell PPv2 interface",
        "PPPoE",
        "Pipe",
        "Simulated srp",
        "VMXNET3 interface",
        "VXLAN_GPE",
        "Xcrw",
        "netmap",
        "pg",
    }
)
"""Ethernet classes without a way to change their frame size, from 22.06 to 26.10: VPP answers -126 to every change
(ethernet_set_max_frame_size in vnet/ethernet/interface.c, and who sets eir.cb.set_max_frame_size)."""


def kind_of(device_class: str, name: str, tag: str = "") -> InterfaceKind:
    """Return what an interface of `device_class` is; whatever vppcfg does not create is a physical port to it.

    So is what was renamed, which a configuration could not create again.
    """
    kinds = _MARKED_KINDS if is_created_by_us(tag) and device_class in _MARKED_KINDS else _KINDS
    kind, names = kinds.get(device_class, (InterfaceKind.PHYSICAL, None))
    return kind if names is None or names.fullmatch(name) else InterfaceKind.PHYSICAL


def has_link_mtu(device_class: str, name: str) -> bool:
    """Return whether an Ethernet interface of `device_class` has a link MTU that VPP lets one set."""
    if device_class == _SHARED_TAP_CLASS:
        return _TAP_NAME.fullmatch(name) is not None
    return device_class not in _NO_LINK_MTU
