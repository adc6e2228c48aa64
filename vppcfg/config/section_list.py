"""The sections of a configuration file, in the order in which they are written; those of kinds follow from `KINDS`.

Parsing, resolving, writing, the rules about names and the JSON Schema go through these lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.config.sections import (
    checks,
    dataplane,
    hooks,
    interface,
    routing,
    unmanaged,
)
from vppcfg.entries.configuration import VirtualInterfaceConfig
from vppcfg.entries.section import NamedSection, Section
from vppcfg.entries.virtual_interface_section import VirtualInterfaceSection
from vppcfg.kinds import acl, acl_match, bridge, loopback, macip_acl, vrf_section
from vppcfg.kinds.kind_list import KINDS, TABLES, VIRTUAL_INTERFACES
from vppcfg.model.virtual_interface import VirtualInterface

_NAMED: tuple[NamedSection, ...] = (
    *VIRTUAL_INTERFACES[:1],
    bridge.KIND,
    *VIRTUAL_INTERFACES[1:],
    vrf_section.SECTION,
    acl_match.KIND,
    acl.KIND,
    macip_acl.KIND,
)
VIRTUAL_SECTIONS: tuple[VirtualInterfaceSection[Any, Any], ...] = tuple(
    section for section in _NAMED if isinstance(section, VirtualInterfaceSection)
)
"""Those of interfaces that VPP makes on demand, a kind each."""
VIRTUAL_SECTION_OF: Mapping[type[VirtualInterface], VirtualInterfaceSection[Any, Any]] = {
    section.virtual: section for section in VIRTUAL_SECTIONS
}
INTERFACES = interface.Interfaces(VIRTUAL_SECTIONS, TABLES)
SECTIONS: tuple[Section, ...] = (
    INTERFACES,
    loopback.KIND,
    *_NAMED,
    *(section for kind in KINDS for section in kind.sections() if section not in (loopback.KIND, *_NAMED)),
    unmanaged.UNMANAGED,
    unmanaged.PROTECTED,
    routing.SECTION,
    checks.SECTION,
    hooks.SECTION,
    dataplane.SECTION,
)


def section_of(entry: VirtualInterfaceConfig) -> VirtualInterfaceSection[Any, Any]:
    """Return the section of an entry."""
    return next(section for section in VIRTUAL_SECTIONS if section.is_entry(entry))
