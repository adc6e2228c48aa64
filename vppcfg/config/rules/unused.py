"""Rules about what a file has and nothing in it uses: only good to know, for files may share what they have."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.config.section_list import SECTIONS
from vppcfg.model.problem import Problem
from vppcfg.model.vpp_object import Referent


def vrf_unused(index: Index) -> Iterator[Problem]:
    """Find VRFs that nothing is in."""
    configuration = index.configuration
    if not configuration.vrfs:
        return
    references = (each for section in SECTIONS for each in section.references(configuration))
    used = {each.name for each in references if each.referent is Referent.TABLE}
    used |= {each.vrf for each in configuration.routes if each.vrf is not None}
    yield from index.unused("vrf-unused", configuration.vrfs, used, "nothing in this file is in the VRF")
