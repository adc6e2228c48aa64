"""Rules about `checks`: what they name must be in the file."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import canonical_host
from vppcfg.entries.index import Index
from vppcfg.model.checks import ArpCheck, PingCheck
from vppcfg.model.problem import Problem


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
