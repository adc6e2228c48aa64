"""Judges an upgrade, step by step: file, startup.conf, messages, packages, names, behaviour, commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vppcfg.config.for_release import too_new_for
from vppcfg.model.problem import Severity
from vppcfg.startup.conf.release_table import table_of
from vppcfg.upgrade.commands import command_findings
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding, Weight, listed
from vppcfg.upgrade.messages import message_findings
from vppcfg.upgrade.names import name_findings
from vppcfg.upgrade.notes import NOTES
from vppcfg.upgrade.packages import package_findings
from vppcfg.upgrade.startup_changes import startup_findings
from vppcfg.upgrade.subject import UpgradeSubject

_ORDER = {weight: number for number, weight in enumerate(Weight)}


def judge_upgrade(subject: UpgradeSubject, change: ReleaseChange) -> tuple[UpgradeFinding, ...]:
    """Return what is to be known before a router changes its release, the heaviest first."""
    if change.old == change.new:
        return tuple(package_findings(subject, change))
    return in_order(_findings(subject, change))


def in_order(findings: Iterable[UpgradeFinding]) -> tuple[UpgradeFinding, ...]:
    """Return findings, the heaviest first."""
    return tuple(sorted(findings, key=lambda finding: _ORDER[finding.weight]))


def not_looked_at(subject: UpgradeSubject) -> tuple[str, ...]:
    """Return what was not checked, and what the check would need."""
    missing = []
    if subject.startup is None:
        missing.append("startup.conf (give --startup)")
    if subject.packages is None:
        missing.append("packages (give --packages)")
    if not subject.scripts:
        missing.append("scripts for VPP's CLI (give --script)")
    return (*missing, "drivers and the limits of NICs", "programs that read VPP's CLI or counters")


def _findings(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    in_file = list(_file(subject, change))
    yield from in_file
    yield from startup_findings(subject, change)
    if not in_file:  # what the file asks for in vain is reported already
        yield from message_findings(subject, change)
    yield from package_findings(subject, change)
    yield from name_findings(subject, change)
    for note in NOTES:
        yield from note.findings(subject, change)
    yield from _dpdk(subject, change)
    yield from command_findings(subject, change)


def _file(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    known = {(problem.path, problem.rule) for problem in too_new_for(subject.configuration, change.old)}
    for problem in subject.loaded.placed(list(too_new_for(subject.configuration, change.new))):
        if (problem.path, problem.rule) not in known:
            place = f"{problem.file or subject.loaded.name}:{problem.line}"
            yield UpgradeFinding(
                rule="up-file",
                weight=Weight.STOPS if problem.severity is Severity.ERROR else Weight.CHANGES,
                text=f"{place}: {problem.text}",
                objects=(".".join(map(str, problem.path)),),
                mend=f"take it out of the file; `vppcfg check --for {change.new}` finds the same",
            )


def _dpdk(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    """Yield that ports are driven by another DPDK."""
    old, new = table_of(change.old).dpdk, table_of(change.new).dpdk
    ports = tuple(subject.ports("dpdk")) if subject.loads("dpdk", change.old) else ()
    if ports and old != new:
        yield UpgradeFinding(
            rule="up-dpdk",
            weight=Weight.NOTICE,
            text=f"{listed(ports)}: driven by DPDK {new}, today by {old}; limits, `devargs` and firmware may differ",
            objects=ports,
            mend="read the release notes of DPDK for this NIC",
        )
