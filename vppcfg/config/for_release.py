"""Checks a file against a release of VPP, without a VPP: finds what only later releases can do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vppcfg.common.release import Release
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.plugins import NEEDS
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.kinds.interface_values import WITH_RELEASE
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.dataplane import DataplaneSection
from vppcfg.model.native_driver import NATIVE_DRIVERS
from vppcfg.model.problem import Problem

TOO_OLD = "vpp-too-old"
_RISKS = ("bond-unannounced", "bvi-nodes", "vrrp-arp-source", "path-mtu-crash", "lcp-unicast")
"""What VPP can do, but older releases with a risk: warnings."""


def _native_devices(section: DataplaneSection | None, release: Release) -> Iterator[Problem]:
    """Yield the devices whose driver a release does not have."""
    for device in ((section.native_devices if section is not None else None) or {}).values():
        if absence := NATIVE_DRIVERS[device.driver or ""].absence(release):
            yield Problem(rule=TOO_OLD, path=(*device.path, "driver"), text=absence)


def too_new_for(configuration: Configuration, release: Release) -> Iterator[Problem]:
    """Yield a problem, without its place, for each thing in a file that VPP can do from a later release on only.

    What it can do with a risk is a warning.
    """
    later = {part.name for section in VIRTUAL_INTERFACES for part in section.parts if part.since > release}
    later |= {value.part for value, since in WITH_RELEASE if since > release}
    later |= {need.plugin for need in NEEDS if need.is_new and need.since > release}
    state = assumed_state(configuration)
    facts = replace(state.facts, version=str(release), plugins=state.facts.plugins - later)
    yield from _native_devices(configuration.dataplane, release)
    resolution = resolve(configuration, replace(state, facts=facts))
    yield from (problem for problem in resolution.problems if problem.rule in (TOO_OLD, *_RISKS))
