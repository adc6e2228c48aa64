"""Rules about rate limits."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.index import Index
from vppcfg.kinds.rate_limit_section import POLICE, POLICERS, rates_in
from vppcfg.model.problem import Problem, Severity

_USUAL_MTU = 1500
_HEADER_BYTES = 22
"""Of a frame with two tags: VPP counts them on frames in L2 mode, and from the IP header on elsewhere."""


def police_missing(index: Index) -> Iterator[Problem]:
    """Find rates that interfaces name and the file lacks, and marks on tagged sub-interfaces."""
    rates = rates_in(index.configuration)
    if POLICERS in index.lost_sections or POLICERS in index.broken_entries:
        return
    for name, entry in index.configuration.owned.get(POLICE, {}).items():
        rate, interface = rates.get(entry.value), index.find(name)
        if rate is None:
            text = f"there is no policer {entry.value} in `{POLICERS}`{did_you_mean(entry.value, rates)}"
            yield Problem(rule="police-missing", path=entry.path, text=text)
        elif interface is not None and interface.encapsulation is not None and rate.dscp is not None:
            text = f"{name} has VLAN tags, and VPP marks frames without any alone; drop what is above {entry.value}"
            yield Problem(rule="police-mark-tagged", path=entry.path, text=text)


def policer_burst(index: Index) -> Iterator[Problem]:
    """Find bursts that hold no packet of the largest size of an interface."""
    rates = rates_in(index.configuration)
    for name, entry in index.configuration.owned.get(POLICE, {}).items():
        rate, interface = rates.get(entry.value), index.find(name)
        largest = ((interface.mtu if interface is not None else None) or _USUAL_MTU) + _HEADER_BYTES
        if rate is not None and rate.burst_bytes < largest:
            text = f"{rate.name} lets {rate.burst_bytes} bytes pass at once, and packets of {name} have up to {largest}"
            yield Problem(rule="policer-burst", path=(POLICERS, rate.name, "burst"), text=f"{text}: they never pass")


def policer_unused(index: Index) -> Iterator[Problem]:
    """Find rates that no interface has."""
    used = {entry.value for entry in index.configuration.owned.get(POLICE, {}).values()}
    for name in rates_in(index.configuration) if index.is_whole else ():
        if name not in used:
            text = f"no interface has the policer {name}"
            yield Problem(rule="policer-unused", path=(POLICERS, name), text=text, severity=Severity.NOTICE)


RULES = (police_missing, policer_burst, policer_unused)
