"""Checks of everything else that the machine and the release have to offer."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.plugins import NEEDS, needed_plugins
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.checks.case import Case, at


def group_exists(case: Case) -> Iterator[Problem]:
    """Find a group that the machine does not have: VPP does not start then (vlib/unix/main.c)."""
    if case.host.groups and case.settings.gid not in case.host.groups:
        text = (
            f"this machine has no group {case.settings.gid}, without which VPP does not start; "
            f"`groupadd --system {case.settings.gid}`, or name another one"
        )
        yield Problem(rule="group-missing", path=at("unix", "gid"), text=text)


def plugins_of_release(case: Case) -> Iterator[Problem]:
    """Find plugins that the file needs in this release and does not list, and those that came later."""
    release, plugins = case.settings.release, case.settings.plugins
    for need, _ in needed_plugins(case.configuration, release):
        if need.is_required and need.plugin not in plugins:
            text = f"VPP {release} needs the plugin {need.plugin} because {need.reason}; add it to the list"
            yield Problem(rule="plugin-missing", path=at("plugins"), text=text)
    for need in NEEDS:
        place = next(need.users(case.configuration), None)
        if need.is_new and release < need.since and place is not None:
            text = f"VPP {release} has no plugin {need.plugin}, which came with {need.since}"
            yield Problem(rule="plugin-release", path=place, text=text)


def inside_container(case: Case) -> Iterator[Problem]:
    """Find out that this is a container, whose kernel is set up elsewhere."""
    online = {cpu.id for cpu in case.host.cpus if cpu.is_online}
    allowed = {cpu.id for cpu in case.host.usable_cpus}
    if allowed < online:
        text = (
            f"{len(allowed)} of {len(online)} CPUs may be used here, as in a container: kernel command line and sysctl "
            "are those of the machine outside, and so is the isolation of CPUs"
        )
        yield Problem(rule="host-container", path=at("cpu"), text=text, severity=Severity.WARNING)
