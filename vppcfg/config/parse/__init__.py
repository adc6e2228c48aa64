"""Data of the right shape to a Configuration with canonical values and defaults; no entry is compared with another.

Entries that have problems of their own are left out, and named, so that rules can tell them from missing ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, TypeVar

from vppcfg.config.ip_names import read_ip_names
from vppcfg.config.parse import acl, bond, bridge, prefix_list, tap, vxlan
from vppcfg.config.parse.dataplane import parse_dataplane
from vppcfg.config.parse.entries import Entries, Entry, Naming
from vppcfg.config.parse.section import SECTION, Section
from vppcfg.config.parse.sflow import parse_sflow
from vppcfg.model.configuration import AclConfig, Configuration
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.sflow import SflowSettings
from vppcfg.record import record

_T = TypeVar("_T")


@record
class Parsed:
    """What could be made of a file."""

    configuration: Configuration
    """The sound entries."""
    broken: frozenset[str] = frozenset()
    """Names of the interfaces and loopbacks that the file has but `configuration` lacks."""
    broken_entries: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The same for the entries of other sections, by section."""
    lost_sections: frozenset[str] = frozenset()
    """Sections of which nothing at all is known."""
    problems: tuple[Problem, ...] = ()


def parse(data: Any, bad_paths: Iterable[KeyPath]) -> Parsed:
    """Parse data in which everything is of the right shape but for what stands at `bad_paths`."""
    return _Parser(data if isinstance(data, dict) else {}, frozenset(bad_paths)).parse()


class _Parser:
    """Parses section by section and gathers what is wrong."""

    def __init__(self, content: Mapping[Any, Any], bad_paths: frozenset[KeyPath]) -> None:
        self._content = content
        self._bad = bad_paths
        self._problems: list[Problem] = []
        self._broken: dict[str, frozenset[str]] = {}

    def parse(self) -> Parsed:
        section = Section(self._bad)
        section.parse(self._content.get(SECTION))
        section.parse_loopbacks(self._content.get("loopbacks"))
        dataplane, dataplane_problems = parse_dataplane(self._content.get("dataplane"), self._bad)
        configuration = Configuration(
            interfaces=section.interfaces,
            bonds=self._named(bond.NAMING, bond.parse_bond),
            bridges=self._named(bridge.NAMING, bridge.parse_bridge),
            vxlans=self._named(vxlan.NAMING, vxlan.parse_vxlan),
            taps=self._named(tap.NAMING, tap.parse_tap),
            acls=self._acls(),
            sflow=self._sflow(),
            unmanaged=self._texts("unmanaged"),
            protected=self._texts("protected"),
            dataplane=dataplane,
        )
        return Parsed(
            configuration=configuration,
            broken=frozenset(section.broken),
            broken_entries=self._broken,
            lost_sections=frozenset(str(path[0]) for path in self._bad if len(path) == 1),
            problems=(*section.problems, *self._problems, *dataplane_problems),
        )

    def _named(self, naming: Naming, parse_entry: Callable[[Entry], _T | Problem | list[Problem]]) -> dict[str, _T]:
        """Parse a section of named entries; one that turns out to be a problem, or several, is broken."""
        entries = Entries(naming, self._bad)
        sound: dict[str, _T] = {}
        for entry in entries.of(self._content.get(naming.section)):
            result = parse_entry(entry)
            if isinstance(result, Problem):
                entries.refuse(entry, [result])
            elif isinstance(result, list):
                entries.refuse(entry, result)
            else:
                sound[entry.name] = result
        self._problems += entries.problems
        self._broken[naming.section] = frozenset(entries.broken)
        return sound

    def _acls(self) -> dict[str, AclConfig]:
        lists = self._named(prefix_list.NAMING, prefix_list.parse_prefix_list)
        if not isinstance(self._content.get(acl.NAMING.section), dict):
            return {}
        broken = self._broken[prefix_list.NAMING.section]
        context = acl.AclContext(names=read_ip_names(), lists=lists, broken_lists=broken)
        self._judge_broken_acls(context)
        return self._named(acl.NAMING, lambda entry: acl.parse_acl(entry, context))

    def _judge_broken_acls(self, context: acl.AclContext) -> None:
        """Note what is wrong with the sound terms of ACLs that cannot be parsed as a whole."""
        section = acl.NAMING.section
        bad_terms = {path[:4] for path in self._bad if path[:1] == (section,) and path[2:3] == ("terms",)}
        broken_names = {path[1] for path in bad_terms}
        for name, raw in self._content[section].items():
            if name in broken_names and isinstance(raw, dict):
                is_bad = bad_terms.__contains__
                self._problems += acl.sound_terms_problems(raw, (section, name), context, is_bad)

    def _sflow(self) -> SflowSettings:
        return SflowSettings() if self._is_bad("sflow") else parse_sflow(self._content.get("sflow"))

    def _texts(self, section: str) -> tuple[str, ...]:
        return () if self._is_bad(section) else tuple(self._content.get(section) or ())

    def _is_bad(self, section: str) -> bool:
        return any(path[:1] == (section,) for path in self._bad)
