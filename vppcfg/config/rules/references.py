"""Rules about names: VRFs that the file lacks, and what nothing in it uses.

The latter is only good to know, for files may share what they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vppcfg.common.resemblance import did_you_mean
from vppcfg.config.configuration import AclConfig, MacipConfig, VrfConfig
from vppcfg.config.rules.index import Index
from vppcfg.config.section_list import SECTIONS
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.vpp_object import Referent


def vrf_undefined(index: Index) -> Iterator[Problem]:
    """Find names of VRFs that the file lacks."""
    vrfs = index.configuration.vrfs
    for section in SECTIONS:
        for each in section.references(index.configuration):
            if each.referent is Referent.TABLE and not index.has_entry("vrfs", each.name, vrfs):
                text = f"there is no VRF {each.name} in this file; add it to `vrfs`{did_you_mean(each.name, vrfs)}"
                yield Problem(rule="vrf-undefined", path=each.path, text=text)


def acl_unused(index: Index) -> Iterator[Problem]:
    """Find ACLs and MACIP ACLs that no interface applies."""
    configuration = index.configuration
    if not index.is_whole or not (configuration.acls or configuration.macips):
        return
    applied = {name for each in index.interfaces for name in (*each.acls.input, *each.acls.output)}
    applied |= {each.acl for interface in index.interfaces for each in interface.policy_routes or ()}
    yield from _unused("acl-unused", configuration.acls, applied, "no interface applies")
    hosts = {each.macip for each in index.interfaces if each.macip is not None}
    yield from _unused("macip-unused", configuration.macips, hosts, "no interface has `macip` for")


def vrf_unused(index: Index) -> Iterator[Problem]:
    """Find VRFs that nothing is in."""
    configuration = index.configuration
    if not index.is_whole or not configuration.vrfs:
        return
    references = (each for section in SECTIONS for each in section.references(configuration))
    used = {each.name for each in references if each.referent is Referent.TABLE}
    used |= {each.vrf for each in configuration.routes if each.vrf is not None}
    yield from _unused("vrf-unused", configuration.vrfs, used, "nothing in this file is in the VRF")


def _unused(
    rule: str, entries: Mapping[str, AclConfig | MacipConfig | VrfConfig], used: Iterable[str | None], words: str
) -> Iterator[Problem]:
    names = set(used)
    for name, entry in entries.items():
        if name not in names:
            yield Problem(rule=rule, path=entry.path, text=f"{words} {name}", severity=Severity.NOTICE)
