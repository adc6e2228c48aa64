"""Rules about names: VRFs and interfaces that the file lacks, and what nothing in it uses.

The latter is only good to know, for files may share what they have.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import canonical_host
from vppcfg.common.resemblance import did_you_mean
from vppcfg.config.section_list import SECTIONS
from vppcfg.entries.index import Index
from vppcfg.model.checks import ArpCheck, PingCheck
from vppcfg.model.problem import Problem
from vppcfg.model.vpp_object import Referent


def vrf_undefined(index: Index) -> Iterator[Problem]:
    """Find names of VRFs that the file lacks."""
    vrfs = index.configuration.vrfs
    for section in SECTIONS:
        for each in section.references(index.configuration):
            if each.referent is Referent.TABLE and not index.has_entry("vrfs", each.name, vrfs):
                text = f"there is no VRF {each.name} in this file; add it to `vrfs`{did_you_mean(each.name, vrfs)}"
                yield Problem(rule="vrf-undefined", path=each.path, text=text)


def vrf_unused(index: Index) -> Iterator[Problem]:
    """Find VRFs that nothing is in."""
    configuration = index.configuration
    if not configuration.vrfs:
        return
    references = (each for section in SECTIONS for each in section.references(configuration))
    used = {each.name for each in references if each.referent is Referent.TABLE}
    used |= {each.vrf for each in configuration.routes if each.vrf is not None}
    yield from index.unused("vrf-unused", configuration.vrfs, used, "nothing in this file is in the VRF")


def check_interface(index: Index) -> Iterator[Problem]:
    """Find checks on interfaces, and from interfaces, that the file does not have."""
    for place, check in enumerate(index.configuration.checks):
        key, name = "", ""
        if isinstance(check, ArpCheck):
            key, name = "interface", check.interface
        elif isinstance(check, PingCheck) and canonical_host(check.source) is None:
            key, name = "from", check.source
        if name and not index.has(name) and name not in index.configuration.virtual and index.is_whole:
            text = f"{name} is no interface of this file; name one, or add it"
            yield Problem(rule="check-interface", path=("checks", place, key), text=text)


def check_vrf(index: Index) -> Iterator[Problem]:
    """Find checks in VRFs that the file does not have."""
    for place, check in enumerate(index.configuration.checks):
        if isinstance(check, PingCheck) and check.vrf and not _has_vrf(index, check.vrf):
            text = f"VRF {check.vrf} is not in this file; add it below `vrfs`, or remove `vrf`"
            yield Problem(rule="check-vrf", path=("checks", place, "vrf"), text=text)


def _has_vrf(index: Index, name: str) -> bool:
    return index.has_entry("vrfs", name, index.configuration.vrfs)
