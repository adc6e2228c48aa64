"""What a section of the file is: what it is parsed from, resolved to, restated from and written as.

A section of named entries says what names look like; a MadeSection has the entries of one kind of interface that VPP
makes on demand, and all that is generic about such kinds follows from its attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from vppcfg.common.names import natural_key
from vppcfg.common.release import OLDEST, Release
from vppcfg.config.configuration import Configuration, MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.names import number_of
from vppcfg.config.yaml.errors import shown
from vppcfg.config.yaml.text import indented, scalar
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.making import Making
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.record import record

NamePattern = tuple[str, int | None]
"""A regular expression, and the largest number of characters, for editors."""


@dataclass(slots=True)
class Unmanaged:
    """Objects of a State that a configuration leaves alone, by kind and name, each with the reason."""

    interfaces: dict[str, str] = field(default_factory=dict)
    bridges: dict[str, str] = field(default_factory=dict)
    acls: dict[str, str] = field(default_factory=dict)

    def covers(self, name: str, state: State) -> bool:
        """Return whether an interface is left alone, by itself or with its parent."""
        return name in self.interfaces or state.interfaces[name].parent in self.interfaces

    def count(self) -> int:
        """Return how many objects there are."""
        return len(self.interfaces) + len(self.bridges) + len(self.acls)


class Parsing:
    """A file while it is parsed: its data, of the right shape but for what stands at the bad paths."""

    def __init__(self, content: Mapping[Any, Any], bad_paths: frozenset[KeyPath]) -> None:
        self.content = content
        self.bad_paths = bad_paths
        self.parts: dict[str, Any] = {}
        """What came of the sections so far, by key."""
        self.problems: list[Problem] = []
        self.broken: set[str] = set()
        """Names of the interfaces and loopbacks that could not be parsed."""
        self.broken_entries: dict[str, frozenset[str]] = {}
        """The same for the entries of other sections, by section."""

    def is_bad(self, section: str) -> bool:
        """Return whether a section is of a wrong shape somewhere."""
        return any(path[:1] == (section,) for path in self.bad_paths)


class Section:
    """One top-level key of the file. What a section has nothing to do with, it inherits from here."""

    key: str
    attribute: str | None = None
    """The attribute of Configuration that it fills, or adds to."""

    def name_pattern(self) -> NamePattern | None:
        """Return what its entries are called; None when it has none with names."""
        return None

    def parse(self, parsing: Parsing) -> Any:
        """Return what the section says, without what is broken or wrong; that is noted in `parsing`."""
        raise NotImplementedError

    def resolve(self, desired: DesiredState) -> None:
        """Enter what the section makes, before any interface is entered."""

    def resolve_linux(self, desired: DesiredState) -> None:
        """Enter what the section needs on the Linux side, after the interfaces."""

    def restate(self, state: State, unmanaged: Unmanaged) -> Any:
        """Return what the section would say of a State, without what is left alone; None for nothing."""
        return None

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the text of the section, nothing when it is empty; `reasons` are those of the `unmanaged` globs."""
        yield from ()


@record
class Naming:
    """What the entries of a section may be called."""

    is_name: Callable[[Any], bool]
    rule: str
    """Of a name that cannot be."""
    wanted: str
    """What a name looks like, in words."""
    pattern: NamePattern


def numbered(word: str, first: int, last: int, *, thing: str, rule: str) -> Naming:
    """Return how entries are called that are a word with a number."""
    return Naming(
        is_name=lambda value: isinstance(value, str) and 0 <= number_of(value, word) <= last,
        rule=rule,
        wanted=f"a {thing} is called {word}{first} to {word}{last}",
        pattern=(f"{word}(0|[1-9][0-9]*)" if first == 0 else f"{word}[1-9][0-9]*", None),
    )


@record
class Entry:
    """An entry of the right shape with a good name."""

    name: str
    path: KeyPath
    raw: Mapping[str, Any]

    @property
    def description(self) -> str | None:
        """Return the description, None for an empty one too."""
        return self.raw.get("description") or None


class NamedSection(Section):
    """A section whose entries have names."""

    naming: Naming
    dispensable: frozenset[str] = frozenset({"description"})
    """Keys without which the rest of an entry, and what refers to it, can still be judged."""

    def name_pattern(self) -> NamePattern:
        """Return what entries are called."""
        return self.naming.pattern

    def parse_entry(self, entry: Entry, parsing: Parsing) -> Any:
        """Return what a sound entry says, or the Problem or list of Problems for which it says nothing."""
        raise NotImplementedError

    def parse(self, parsing: Parsing) -> dict[str, Any]:
        """Return what the sound entries say, by name."""
        sound: dict[str, Any] = {}
        broken: set[str] = set()
        for entry in self._entries(parsing, broken):
            result = self.parse_entry(entry, parsing)
            problems = [result] if isinstance(result, Problem) else result if isinstance(result, list) else None
            if problems is None:
                sound[entry.name] = result
            else:
                broken.add(entry.name)
                parsing.problems += problems
        parsing.broken_entries[self.key] = frozenset(broken)
        return sound

    def _entries(self, parsing: Parsing, broken: set[str]) -> Iterator[Entry]:
        """Yield the entries with a good name that can be judged; the names of those that cannot are `broken`."""
        raw = parsing.content.get(self.key)
        bad = self._bad_keys(parsing.bad_paths)
        for name, content in raw.items() if isinstance(raw, dict) else ():
            lost = bad.get(name, set())
            if not self.naming.is_name(name):
                text = f"{shown(name)} is no name here; {self.naming.wanted}"
                parsing.problems.append(Problem(rule=self.naming.rule, path=(self.key, name), text=text))
            elif not lost <= self.dispensable:
                broken.add(name)
            else:
                sound = {key: value for key, value in (content or {}).items() if key not in lost}
                yield Entry(name=name, path=(self.key, name), raw=sound)

    def _bad_keys(self, bad_paths: Iterable[KeyPath]) -> dict[str | int, set[str | int | None]]:
        """Return the keys with a wrong shape by the entry that they stand in; None is the entry itself."""
        keys: dict[str | int, set[str | int | None]] = {}
        for path in bad_paths:
            if len(path) > 1 and path[0] == self.key:
                keys.setdefault(path[1], set()).add(path[2] if len(path) > 2 else None)
        return keys

    def entry_lines(self, entry: Any) -> list[str]:
        """Return the text of one entry."""
        raise NotImplementedError

    def entries_in(self, configuration: Configuration) -> Mapping[str, Any]:
        """Return the entries of this section."""
        return {} if self.attribute is None else getattr(configuration, self.attribute)

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the text of the entries, an empty one in one line."""
        entries = self.entries_in(configuration)
        if entries:
            yield f"{self.key}:"
        for name, entry in entries.items():
            lines = self.entry_lines(entry)
            yield f"  {scalar(name)}:" if lines else f"  {scalar(name)}: {{}}"
            yield from indented(lines, 2)


def described(description: str | None) -> list[str]:
    """Return the line of a description."""
    return [f"description: {scalar(description)}"] if description else []


_Config = TypeVar("_Config", bound=MadeConfig)
_Making = TypeVar("_Making", bound=Making)


@record
class Plugin:
    """The plugin of VPP that has the objects of a section."""

    name: str
    """Without _plugin.so."""
    reason: str
    """Why a file needs it."""
    thing: str | None = None
    """What an object is that needs it, as `NAME is ...`; None when VPP is not asked for the plugin before a plan."""
    is_needed_by: Callable[[Any], bool] = lambda config: True
    """Tells whether an entry needs it."""
    since: Release = OLDEST
    """Before, what it does was part of VPP itself."""


@dataclass(frozen=True, kw_only=True)
class MadeSection(NamedSection, Generic[_Config, _Making]):
    """The section of one kind of interface that VPP makes on demand; `model/kinds` lists the kinds."""

    key: str
    word: str
    """An interface of the kind is called this and a number."""
    last: int
    """The largest number."""
    thing: str
    """What an operator calls one, without the article."""
    config: type[_Config]
    making: type[_Making]
    plugin: Plugin | None = None
    dispensable: frozenset[str] = frozenset({"description"})
    needs_interface: bool = False
    """Whether an entry makes no sense without one below `interfaces`; otherwise it is made and left as it is."""
    can_join_bond: bool = False
    attribute = "made"

    parse_made: Callable[[Entry], _Config]
    """Returns what an entry of the right shape says."""
    resolve_made: Callable[[_Config, _Making | None, State], _Making]
    """Returns what VPP is to make, given what it has made as that name and the observed state."""
    why_not: Callable[[_Making], str | None] = lambda making: None
    """Tells why no entry can say what VPP has made, None when one can."""
    may_remove: Callable[[_Making], bool] = lambda making: True
    """Tells whether a plan may remove one that the file does not name; if not, it is left as it is."""
    restate_made: Callable[[str, _Making, State], _Config]
    """Returns the entry that says what VPP has made."""
    made_lines: Callable[[_Config], Iterable[str]]
    """Returns the lines of an entry but for its description."""
    linux: Callable[[DesiredState], None] = lambda desired: None
    """Enters what the kind needs on the Linux side."""

    @property
    def kind(self) -> InterfaceKind:
        """Return what an interface of this section is."""
        return self.making.kind

    @cached_property
    def naming(self) -> Naming:  # type: ignore[override]  # from the attributes
        """Return what entries are called."""
        return numbered(self.word, 0, self.last, thing=self.thing, rule=self.rule("id"))

    def rule(self, what: str) -> str:
        """Return the name of a rule about the kind, such as vxlan-undefined."""
        return f"{self.kind.value}-{what}"

    @property
    def asked_plugin(self) -> Plugin | None:
        """Return the plugin that VPP is asked for before a plan."""
        return self.plugin if self.plugin is not None and self.plugin.thing is not None else None

    def parse_entry(self, entry: Entry, parsing: Parsing) -> _Config:
        """Return what an entry says."""
        return self.parse_made(entry)

    def resolve(self, desired: DesiredState) -> None:
        """Enter the objects of the file that are not somebody else's and whose plugin VPP runs."""
        for name, config in self.entries_in(desired.configuration).items():
            if name not in desired.interfaces and self._has_plugin(config, desired):
                before = desired.observed.making(name, self.making)
                desired.made[name] = self.resolve_made(config, before, desired.observed)

    def _has_plugin(self, config: _Config, desired: DesiredState) -> bool:
        plugin = self.asked_plugin
        if plugin is None or not plugin.is_needed_by(config):
            return True
        return desired.has_plugin(plugin.name, config.path, f"{config.name} is {plugin.thing}")

    def resolve_linux(self, desired: DesiredState) -> None:
        """Enter what the kind needs on the Linux side."""
        self.linux(desired)

    def why_not_made(self, interface: Interface, state: State) -> str | None:
        """Return why what an observed interface of this kind was made with cannot be said."""
        making = state.making(interface.name, self.making)
        if making is None or not self.naming.is_name(interface.name):
            return f"VPP does not show how this {self.thing} is made"
        return self.why_not(making)

    def restate(self, state: State, unmanaged: Unmanaged) -> dict[str, _Config]:
        """Return the entries that say what VPP has made, in natural order."""
        made = state.made_as(self.making)
        names = sorted((name for name in made if not unmanaged.covers(name, state)), key=natural_key)
        return {name: self.restate_made(name, made[name], state) for name in names}

    def entry_lines(self, entry: _Config) -> list[str]:
        """Return the text of one entry."""
        return [*described(entry.description), *self.made_lines(entry)]

    def entries_in(self, configuration: Configuration) -> dict[str, _Config]:
        """Return the entries of this kind."""
        return configuration.made_as(self.config)


def enter(attributes: dict[str, Any], attribute: str, part: Any) -> None:
    """Enter what a section says into the attributes of a Configuration, some of which are filled by several."""
    is_added_to = isinstance(part, dict) and attribute in attributes
    attributes[attribute] = {**attributes[attribute], **part} if is_added_to else part
