"""Sections of named entries: which of their entries can be parsed, and what is wrong with names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vppcfg.config.yaml.errors import shown
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.record import record


@record
class Naming:
    """What the entries of a section may be called."""

    section: str
    is_name: Callable[[Any], bool]
    rule: str
    """Of a name that cannot be."""
    wanted: str
    """What a name looks like, in words."""
    dispensable: frozenset[str] = frozenset({"description"})
    """Keys without which the rest of an entry can still be judged."""


@record
class Entry:
    """An entry of the right shape with a good name."""

    name: str
    path: KeyPath
    raw: Mapping[str, Any]


@dataclass(slots=True)
class Entries:
    """Hands out the sound entries of one section, and keeps what is said of the others."""

    naming: Naming
    bad_paths: Iterable[KeyPath]
    broken: set[str] = field(default_factory=set)
    """Names of the entries that the file has and nothing else is known about."""
    problems: list[Problem] = field(default_factory=list)

    def of(self, raw: Any) -> Iterator[Entry]:
        """Yield the sound entries of the section's value."""
        bad = self._bad_keys()
        for name, entry in raw.items() if isinstance(raw, dict) else ():
            if not self.naming.is_name(name):
                text = f"{shown(name)} is no name here; {self.naming.wanted}"
                self.problems.append(Problem(rule=self.naming.rule, path=(self.naming.section, name), text=text))
            elif not bad.get(name, set()) <= self.naming.dispensable:
                self.broken.add(name)
            else:
                lost = bad.get(name, set())
                sound = {key: value for key, value in (entry or {}).items() if key not in lost}
                yield Entry(name=name, path=(self.naming.section, name), raw=sound)

    def refuse(self, entry: Entry, problems: Iterable[Problem]) -> None:
        """Note that a sound entry turned out to be none."""
        self.broken.add(entry.name)
        self.problems += problems

    def _bad_keys(self) -> dict[str | int, set[str | int | None]]:
        """Return the keys with a wrong shape by the entry that they stand in; None is the entry itself."""
        keys: dict[str | int, set[str | int | None]] = {}
        for path in self.bad_paths:
            if len(path) > 1 and path[0] == self.naming.section:
                keys.setdefault(path[1], set()).add(path[2] if len(path) > 2 else None)
        return keys
