"""The kinds of objects that a file configures. Every central table is made from these lists.

A module of `kinds/` has all that is known of its kind: its section of the file, rules, operations with their messages
and lines of VPP's CLI, and how VPP is asked for what there is. A new kind is such a module and a line here.

CONTRIBUTING.md names models for others.
"""

from __future__ import annotations

from vppcfg.kinds import (
    address,
    det44_objects,
    gre,
    host_interface,
    ipfix_settings,
    ipip,
    loopback,
    memif,
    neighbor,
    policy_route,
    proxy_arp_ranges,
    route,
    sub_interface,
    tunnel_neighbor,
    unnumbered,
    vhost_user,
    vrf,
    vxlan,
)
from vppcfg.kinds.added import added_kinds
from vppcfg.kinds.bond import kind as bond
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.kind import Kind
from vppcfg.kinds.lcp import kind as lcp
from vppcfg.kinds.nat44 import kind as nat44
from vppcfg.kinds.object_kind import AnyObjectKind
from vppcfg.kinds.owned_list import OWNED_KINDS
from vppcfg.kinds.tap import kind as tap
from vppcfg.kinds.virtual_interface import AnyVirtualInterface
from vppcfg.kinds.wireguard import kind as wireguard
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.model.vpp_object import VppObject

VIRTUAL_INTERFACES: tuple[AnyVirtualInterface, ...] = (
    bond.KIND,
    vxlan.KIND,
    gre.KIND,
    ipip.KIND,
    wireguard.KIND,
    tap.KIND,
    host_interface.KIND,
    memif.KIND,
    vhost_user.KIND,
)
"""Interfaces that VPP creates on demand."""
VIRTUAL_INTERFACE_CLASSES: tuple[type[VirtualInterface], ...] = tuple(kind.virtual for kind in VIRTUAL_INTERFACES)
"""The classes of what these are made with."""

_OWN_OBJECT_KINDS: tuple[AnyObjectKind, ...] = (
    route.KIND,
    *OWNED_KINDS,
    tunnel_neighbor.KIND,
    *nat44.KINDS,
    *det44_objects.KINDS,
    policy_route.LOOSE_POLICIES,
)
ADDED_KINDS: tuple[AnyObjectKind, ...] = added_kinds(_OWN_OBJECT_KINDS)
"""Those of other programs."""
OBJECT_KINDS: tuple[AnyObjectKind, ...] = (*_OWN_OBJECT_KINDS, *ADDED_KINDS)
"""Routes and other objects that are no interfaces."""
OBJECTS: tuple[type[VppObject], ...] = tuple(kind.object_class for kind in OBJECT_KINDS)
"""The classes of these."""
_KIND_OF = {kind.object_class: kind for kind in OBJECT_KINDS}

KINDS: tuple[Kind, ...] = (
    loopback.KIND,
    sub_interface.KIND,
    lcp.KIND,
    vrf.KIND,
    address.KIND,
    unnumbered.KIND,
    neighbor.KIND,
    *VIRTUAL_INTERFACES,
    *FEATURE_KINDS,
    ipfix_settings.KIND,
    proxy_arp_ranges.KIND,
    policy_route.KIND,
    *OBJECT_KINDS,
)
"""All of them."""


def kind_of(item: VppObject) -> AnyObjectKind:
    """Return the kind of an object that is no interface."""
    return _KIND_OF[type(item)]


def kind_of_class(item: type[VppObject]) -> AnyObjectKind:
    """Return the kind of objects of a class."""
    return _KIND_OF[item]
