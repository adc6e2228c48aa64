"""The sections of a configuration file, in the order in which they are written; those of kinds follow from `KINDS`.

Parsing, resolving, writing, the rules about names and the JSON Schema go through these lists.
"""

from __future__ import annotations

from vppcfg.config.sections import (
    checks,
    dataplane,
    hooks,
    interface,
    routing,
    unmanaged,
)
from vppcfg.entries.section import Section
from vppcfg.kinds.kind_list import SECTIONS_OF_KINDS, TABLES, VIRTUAL_INTERFACES

INTERFACES = interface.Interfaces(VIRTUAL_INTERFACES, TABLES)
SECTIONS: tuple[Section, ...] = (
    INTERFACES,
    *SECTIONS_OF_KINDS,
    unmanaged.UNMANAGED,
    unmanaged.PROTECTED,
    routing.SECTION,
    checks.SECTION,
    hooks.SECTION,
    dataplane.SECTION,
)
