"""The kinds of objects that a file configures. Every central table is made from these lists.

A module of `kinds/` has all that is known of its kind: its section of the file, rules, operations with their messages
and lines of VPP's CLI, and how VPP is asked for what there is. A new kind is such a module and a line here.

CONTRIBUTING.md names models for others.
"""

from __future__ import annotations

from typing import Any

from vppcfg.engine.added import added_kinds
from vppcfg.engine.kind import Kind
from vppcfg.engine.object_kind import AnyObjectKind
from vppcfg.engine.table_kind import AnyTable
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.section import NamedSection, Section
from vppcfg.kinds import (
    acl,
    acl_match,
    address,
    any_interface,
    bridge,
    det44_objects,
    ipfix_settings,
    l2,
    linux_device,
    loopback,
    macip_acl,
    neighbor,
    policy_route,
    proxy_arp_ranges,
    route,
    static_mac,
    sub_interface,
    tunnel_neighbor,
    unnumbered,
    vrf,
    vrf_section,
)
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.lcp import kind as lcp
from vppcfg.kinds.nat44 import kind as nat44
from vppcfg.kinds.owned_list import OWNED, OWNED_KINDS
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACE_CLASSES as VIRTUAL_INTERFACE_CLASSES
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES as VIRTUAL_INTERFACES
from vppcfg.model.vpp_object import VppObject

_OWN_OBJECT_KINDS: tuple[AnyObjectKind, ...] = (
    route.KIND,
    *OWNED_KINDS,
    tunnel_neighbor.KIND,
    *nat44.KINDS,
    *det44_objects.KINDS,
    policy_route.UNATTACHED_POLICIES,
)
ADDED_KINDS: tuple[AnyObjectKind, ...] = added_kinds(_OWN_OBJECT_KINDS)
"""Those of other programs."""
OBJECT_KINDS: tuple[AnyObjectKind, ...] = (*_OWN_OBJECT_KINDS, *ADDED_KINDS)
"""Routes and other objects that are no interfaces."""
OBJECTS: tuple[type[VppObject], ...] = tuple(kind.object_class for kind in OBJECT_KINDS)
"""The classes of these."""
_KIND_OF = {kind.object_class: kind for kind in OBJECT_KINDS}

OWNED_SECTIONS: tuple[OwnedSection[Any], ...] = (*OWNED, tunnel_neighbor.SECTION)
"""The keys that own objects, those of tunnels too."""

TABLES: tuple[AnyTable, ...] = (bridge.KIND, acl.KIND, macip_acl.KIND)
"""Access lists and other objects with names that are tables of `State`, in the order in which they are written."""

KINDS: tuple[Kind, ...] = (
    any_interface.KIND,
    linux_device.KIND,
    loopback.KIND,
    sub_interface.KIND,
    lcp.KIND,
    address.KIND,
    unnumbered.KIND,
    *VIRTUAL_INTERFACES,
    l2.KIND,
    vrf.KIND,
    acl_match.KIND,
    *TABLES,
    *FEATURE_KINDS,
    static_mac.KIND,
    neighbor.KIND,
    ipfix_settings.KIND,
    proxy_arp_ranges.KIND,
    policy_route.KIND,
    *OBJECT_KINDS,
)
"""All of them."""

_NAMED: tuple[NamedSection, ...] = (
    *VIRTUAL_INTERFACES[:1],
    bridge.KIND,
    *VIRTUAL_INTERFACES[1:],
    vrf_section.SECTION,
    acl_match.KIND,
    acl.KIND,
    macip_acl.KIND,
)
SECTIONS_OF_KINDS: tuple[Section, ...] = (
    loopback.KIND,
    *_NAMED,
    *(section for kind in KINDS for section in kind.sections() if section not in (loopback.KIND, *_NAMED)),
)
"""The sections of a file, in the order in which they are written."""


def kind_of(item: VppObject) -> AnyObjectKind:
    """Return the kind of an object that is no interface."""
    return _KIND_OF[type(item)]


def kind_of_class(item: type[VppObject]) -> AnyObjectKind:
    """Return the kind of objects of a class."""
    return _KIND_OF[item]
