"""Rules about an interface by itself: where its keys make sense, and what an L2 interface may not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.model.problem import Problem

_CREATED = re.compile(r"(BondEthernet|vxlan_tunnel|tap|loop)[0-9]+")
"""Names of the interfaces that vppcfg creates; the whole name, `tap0x` is somebody's port."""


def device_type_on_created(index: Index) -> Iterator[Problem]:
    """Find a device-type on an interface that is no port."""
    for interface in index.interfaces:
        if interface.device_type is not None and _CREATED.fullmatch(interface.name):
            text = f"{interface.name} is made by VPP and has no driver; remove `device-type`"
            yield Problem(rule="device-type-not-phy", path=(*interface.path, "device-type"), text=text)


def l2_with_l3(index: Index) -> Iterator[Problem]:
    """Find LCPs and addresses on interfaces that switch: they would never see a packet."""
    for interface in index.interfaces:
        if interface.l2xc is None:
            continue
        if interface.lcp is not None:
            text = f"{interface.name} is cross-connected and cannot have an LCP; remove one of them"
            yield Problem(rule="l2-lcp", path=(*interface.path, "lcp"), text=text)
        if interface.addresses:
            text = f"{interface.name} is cross-connected and cannot have addresses; remove one of them"
            yield Problem(rule="l2-address", path=(*interface.path, "addresses"), text=text)
