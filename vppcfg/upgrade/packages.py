"""Finds the packages of the target release that this router needs and that are not at hand."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from vppcfg.common.release import Release, release_of
from vppcfg.config.plugins import needed_plugins
from vppcfg.errors import UsageError
from vppcfg.startup.conf.release_table import table_of
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding, Weight
from vppcfg.upgrade.subject import UpgradeSubject

_PACKAGE = re.compile(r"([a-z0-9][a-z0-9+.-]*)_([^_]+)_[a-z0-9]+\.deb")
_MAIN = "vpp"


def packages_in(folder: str, release: Release) -> frozenset[str]:
    """Return the names of the packages of a release in a folder, by the names of their files.

    Raise UsageError when it cannot be read, or has no package vpp of that release.
    """
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error.strerror}", "name the folder with VPP's packages") from error
    found: dict[str, set[Release]] = {}
    for match in filter(None, map(_PACKAGE.fullmatch, names)):
        try:
            found.setdefault(match[1], set()).add(release_of(match[2]))
        except ValueError:
            continue  # another program's
    if release not in found.get(_MAIN, ()):
        have = ", ".join(sorted(map(str, found.get(_MAIN, ())))) or "none"
        raise UsageError(f"{folder} has no package vpp of {release}", f"of vpp it has {have}")
    return frozenset(name for name, releases in found.items() if release in releases)


def package_findings(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    """Yield the packages that the router needs and that are not among those at hand."""
    if subject.packages is None:
        return
    for package, reason in sorted(_needed(subject, change.new).items()):
        if package not in subject.packages:
            yield UpgradeFinding(
                rule="up-package",
                weight=Weight.STOPS,
                text=f"the package {package} of {change.new} is missing: {reason}",
                objects=(package,),
                mend="get it, and install it in one go with vpp",
            )


def _needed(subject: UpgradeSubject, release: Release) -> dict[str, str]:
    """Return why each package is needed."""
    table = table_of(release)
    needed = {other: f"{name} depends on it" for name, other in table.needs if name == _MAIN}
    for need, _ in needed_plugins(subject.configuration, release):
        if need.is_required and need.plugin in table.plugins:
            needed.setdefault(table.plugins[need.plugin], f"{need.reason} (plugin {need.plugin})")
    if any(subject.ports("dpdk")) and subject.loads("dpdk", release):
        needed.setdefault(table.plugins["dpdk"], "ports are driven by DPDK")
    if subject.encrypting and "vpp-crypto-engines" in table.packages:
        needed["vpp-crypto-engines"] = "tunnels are encrypted by them"
    if subject.conf(release).stanza("devices") is not None and "vpp-drivers" in table.packages:
        needed["vpp-drivers"] = "startup.conf has a stanza `devices`"
    return needed
