"""Finds ports that another release of VPP names otherwise, and globs that then match other interfaces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from vppcfg.common.release import Release
from vppcfg.startup.conf.tree import Conf
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding, Weight, listed
from vppcfg.upgrade.subject import UpgradeSubject

DOMAINS_SINCE, DOMAINS_COMMIT = Release(26, 6), "5ab0979e83c"
"""From when on the domain of the PCI bus stands in a port's name (plugins/dpdk/device/init.c)."""
HIGH_TAPS_SINCE, HIGH_TAPS_COMMIT = Release(24, 10), "2a5bb3b5ab3"
"""From when on host TAPs of pairs are numbered from 4096 (plugins/linux-cp/lcp_interface.c)."""
_ADDRESS = re.compile(r"([0-9a-fA-F]{1,4}):([0-9a-fA-F]{1,2}):([0-9a-fA-F]{1,2})\.([0-9a-fA-F])")
_LOW_TAPS = tuple(f"tap{number}" for number in range(1024))
_HIGH_TAPS = tuple(f"tap{number}" for number in range(4096, 5120))


def name_findings(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    """Yield ports that get another name, and globs that match other interfaces than before."""
    if change.crosses(DOMAINS_SINCE):
        yield from _ports(subject, change)
    if change.crosses(HIGH_TAPS_SINCE) and subject.desired.lcps:
        yield from _globs(subject, change)


def renamed_ports(subject: UpgradeSubject, change: ReleaseChange) -> dict[str, str]:
    """Return the ports of the file that get another name, with that."""
    if not change.crosses(DOMAINS_SINCE):
        return {}
    renamed = {}
    for _, plain, whole in _unnamed_devices(subject.conf(change.old)):
        old, new = (whole, plain) if change.is_back else (plain, whole)
        for name in subject.configuration.interfaces:
            if _ends_with(name, old):
                renamed[name] = f"{name.removesuffix(old)}{new}"
    return renamed


def _ports(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    renamed = renamed_ports(subject, change)
    for address, plain, whole in _unnamed_devices(subject.conf(change.old)):
        old, new = (whole, plain) if change.is_back else (plain, whole)
        named = [name for name in renamed if _ends_with(name, old)]
        what = listed([f"{name} becomes {renamed[name]}" for name in named])
        yield UpgradeFinding(
            rule="up-port-name",
            weight=Weight.STOPS if named else Weight.NOTICE,
            text=f"{address} has a PCI domain other than 0: {what or f'its name ends in {new}, not in {old}'}",
            objects=tuple(named) or (address,),
            since=DOMAINS_SINCE,
            commits=(DOMAINS_COMMIT,),
            mend=f"write `dev {address} {{ name … }}` in startup.conf, or the new name in the file",
        )


def _unnamed_devices(conf: Conf) -> Iterator[tuple[str, str, str]]:
    """Yield the address of each device in another PCI domain without a name of its own, and the ends of its names."""
    dpdk = conf.stanza("dpdk")
    is_decimal = dpdk is not None and dpdk.find("decimal-interface-names") is not None
    for entry in (dpdk.children if dpdk is not None else None) or ():
        match = _ADDRESS.fullmatch(entry.arguments[0]) if entry.name == "dev" and entry.arguments else None
        if match is None or int(match[1], 16) == 0 or entry.find("name") is not None:
            continue
        domain, *place = (str(int(part, 16)) if is_decimal else f"{int(part, 16):x}" for part in match.groups())
        yield entry.arguments[0], "/".join(place), f"-{domain}/{'/'.join(place)}"


def _ends_with(name: str, end: str) -> bool:
    """Return whether a name is that of a DPDK port: what it is in letters, and a place on the bus."""
    return name.endswith(end) and name.removesuffix(end).isalpha()


def _globs(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    configuration = subject.configuration
    for key, patterns in (("unmanaged", configuration.unmanaged), ("protected", configuration.protected)):
        for pattern in patterns:
            has_low, has_high = (any(fnmatchcase(name, pattern) for name in names) for names in (_LOW_TAPS, _HIGH_TAPS))
            if has_low != has_high:
                matches = "host TAPs of pairs as they are called " + (
                    f"before {HIGH_TAPS_SINCE}" if has_low else "since"
                )
                yield UpgradeFinding(
                    rule="up-glob",
                    weight=Weight.CHANGES,
                    text=f"{key}: `{pattern}` matches {matches}, and none of VPP {change.new}"
                    if has_low != change.is_back
                    else f"{key}: `{pattern}` matches host TAPs of VPP {change.new}, and none of {change.old}",
                    objects=(pattern,),
                    since=HIGH_TAPS_SINCE,
                    commits=(HIGH_TAPS_COMMIT,),
                    mend="correct the pattern",
                )
