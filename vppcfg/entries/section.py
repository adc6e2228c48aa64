"""The base of the sections of a file: how each is parsed, resolved to a desired state, made of a state, and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

from vppcfg.entries.configuration import Configuration, KeyHolder
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import number_of
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, indented, key_lines, scalar
from vppcfg.model.problem import KeyPath, Problem, ProblemList
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent
from vppcfg.record import record

NamePattern = tuple[str, int | None]
"""A regular expression, and the largest number of characters, for editors."""


class Unmanaged(NamedTuple):
    """Objects of a State that a configuration leaves alone, by kind and name, each with the reason."""

    interfaces: dict[str, str]
    tables: dict[str, dict[str, str]]
    """Objects of the other tables of a State, by the table."""
    keys: dict[KeyPath, str]
    """Sections and keys that own, which are not written, by their paths."""

    @classmethod
    def nothing(cls) -> Self:
        """Return it for a configuration that covers every object."""
        return cls({}, {}, {})

    def of(self, table: str) -> Mapping[str, str]:
        """Return the objects of a table that are left alone, with reasons."""
        return self.tables.get(table, {})

    def leave(self, table: str, name: str, reason: str) -> None:
        """Leave an object alone, for the first reason that is given."""
        self.tables.setdefault(table, {}).setdefault(name, reason)

    def covers(self, name: str, state: State) -> bool:
        """Return whether an interface is left alone, by itself or with its parent."""
        return name in self.interfaces or state.interfaces[name].parent in self.interfaces

    def how_many(self) -> int:
        """Return how many objects there are."""
        return len(self.interfaces) + len(self.keys) + sum(map(len, self.tables.values()))


class Parsing:
    """A file while it is parsed: its data, of the right shape but for what stands at the bad paths."""

    def __init__(self, content: Mapping[Any, Any], bad_paths: frozenset[KeyPath]) -> None:
        self.content = content
        self.bad_paths = bad_paths
        self.parts: dict[str, Any] = {}
        """The outcome of the sections so far, by key."""
        self.problems = ProblemList()
        self.counts: Counter[str] = Counter()
        """What has limits over all entries of a section, by the section or the rule."""
        self.broken: set[str] = set()
        """Names of the interfaces and loopbacks that could not be parsed."""
        self.broken_entries: dict[str, frozenset[str]] = {}
        """The same for the entries of other sections, by section."""
        self.owning_keys: Mapping[str, Any] | None = None
        """The keys of `OwnedSection` and where they stand, once they were looked for."""

    def sound(self, raw: Any, path: KeyPath, depth: int = 1) -> Any:
        """Return the value at a path without its entries of a wrong shape, so that the others can be looked at.

        `depth` is how far below the path entries can be left out. A list has None in their place, so that all others
        keep their positions. Return None where all of the value is of a wrong shape.
        """
        if not self.bad_paths:
            return raw
        below = [bad[len(path) :] for bad in self.bad_paths if bad[: len(path)] == path]
        if () in below or any(path[: len(bad)] == bad for bad in self.bad_paths):
            return None
        return _without(raw, [each[:depth] for each in below])

    def is_bad(self, section: str) -> bool:
        """Return whether a section is of a wrong shape somewhere."""
        return any(path[:1] == (section,) for path in self.bad_paths)


def _without(raw: Any, bad: Sequence[KeyPath]) -> Any:
    """Return a mapping without what stands at paths below it, or a list with None there."""
    if not bad or not isinstance(raw, dict | list):
        return raw
    gone = {path[0] for path in bad if len(path) == 1}
    found = {
        key: None if key in gone else _without(each, [path[1:] for path in bad if path[0] == key])
        for key, each in (raw.items() if isinstance(raw, dict) else enumerate(raw))
    }
    return list(found.values()) if isinstance(raw, list) else {key: found[key] for key in raw if key not in gone}


@record
class YamlEntry:
    """One entry of a file, or a section that has none but itself, with its keys."""

    path: KeyPath
    name: str
    """Of the object in VPP that it is about, that of the section where it is about none."""
    keys: tuple[KeyValue, ...]


class NamedReference(NamedTuple):
    """One place of a file that names another entry of it."""

    referent: Referent
    name: str
    """As the file has it; of a FIB table, that of its VRF."""
    path: KeyPath


class Section:
    """One top-level key of the file. What a section has nothing to do with, it inherits from here."""

    key: str
    attribute: str | None = None
    """The attribute of Configuration that it fills, or adds to."""
    is_optional: ClassVar[bool] = False
    """Whether a file without the section leaves alone what VPP has of it."""
    has_interfaces: ClassVar[bool] = False
    """Whether its entries are interfaces."""
    assumed: ClassVar[Mapping[str, tuple[Any, Any]] | None] = None
    """Two values of keys of its entries, with which the rest of an entry is judged when one is of a wrong shape.

    None where no entry is judged then.
    """

    def name_pattern(self) -> NamePattern | None:
        """Return what its entries are called; None when it has none with names."""
        return None

    def parse(self, parsing: Parsing) -> Any:
        """Return what the section sets, without what is broken or wrong; that is noted in `parsing`."""
        raise NotImplementedError

    def copy_unmanaged(self, desired: DesiredStateBuilder) -> None:
        """Enter unchanged the objects that plans must not touch; foreign interfaces are entered before."""

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter what the section makes, before any interface is entered."""

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Enter what depends on the interfaces, once all of them are entered."""

    def resolve_linux(self, desired: DesiredStateBuilder) -> None:
        """Enter what the section needs on the Linux side, after the interfaces."""

    def references(self, configuration: Configuration) -> Iterator[NamedReference]:
        """Yield what the section names elsewhere in the file: it must be there, and counts as used."""
        yield from ()

    def from_state(self, state: State, unmanaged: Unmanaged) -> Any:
        """Return the section for a State, without what is left alone; None for nothing."""
        return None

    def yaml_entries(self, configuration: Configuration) -> Iterator[YamlEntry]:
        """Yield what the section sets for objects in VPP, entry by entry, defaults too."""
        yield from ()

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the text of the section, nothing when it is empty; `reasons` are those of the `unmanaged` globs."""
        yield from ()


class SettingsSection(Section):
    """A section that has settings and no entries."""

    def setting_keys(self, settings: Any) -> Iterator[KeyValue]:
        """Yield the keys that stand for the settings of a configuration."""
        raise NotImplementedError

    def yaml_entries(self, configuration: Configuration) -> Iterator[YamlEntry]:
        settings = getattr(configuration, self.attribute or self.key)
        if settings is not None:
            yield YamlEntry(path=(self.key,), name=self.key, keys=tuple(self.setting_keys(settings)))

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the section, nothing when all is as by default."""
        settings = getattr(configuration, self.attribute or self.key)
        lines = key_lines(self.setting_keys(settings)) if settings is not None else ()
        if lines:
            yield f"{self.key}:"
            yield from indented(lines, 1)


class Naming(NamedTuple):
    """What the entries of a section may be called."""

    is_name: Callable[[Any], bool]
    rule: str
    """Of a name that cannot be."""
    form: str
    """What a name looks like, in words."""
    pattern: NamePattern


def numbered(word: str, first: int, last: int, *, noun: str, rule: str) -> Naming:
    """Return how entries are called that are a word with a number, `first` to `last`.

    A smaller number makes a name too, which is then refused for a reason of its own.
    """
    return Naming(
        is_name=lambda value: isinstance(value, str) and 0 <= number_of(value, word) <= last,
        rule=rule,
        form=f"a {noun} is called {word}{first} to {word}{last}",
        pattern=(f"{word}(0|[1-9][0-9]*)" if first == 0 else f"{word}[1-9][0-9]*", None),
    )


@record
class SectionEntry:
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
    holder: ClassVar[KeyHolder | None] = None
    """What an entry is to the keys below it by which the file owns objects; None where there are none."""

    def name_pattern(self) -> NamePattern:
        return self.naming.pattern

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> Any:
        """Return what a sound entry sets, or the Problem or list of Problems that it has."""
        raise NotImplementedError

    def parse(self, parsing: Parsing) -> dict[str, Any]:
        """Return what the sound entries set, by name."""
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

    def _entries(self, parsing: Parsing, broken: set[str]) -> Iterator[SectionEntry]:
        """Yield the entries with a good name that can be judged; the names of those that cannot are `broken`."""
        raw = parsing.content.get(self.key)
        bad = self._bad_keys(parsing.bad_paths)
        for name, content in raw.items() if isinstance(raw, dict) else ():
            lost = bad.get(name, set())
            if not self.naming.is_name(name):
                text = f"{shown(name)} is no name here; {self.naming.form}"
                parsing.problems.append(Problem(rule=self.naming.rule, path=(self.key, name), text=text))
            elif not lost <= self.dispensable:
                broken.add(name)
            else:
                sound = {key: value for key, value in (content or {}).items() if key not in lost}
                yield SectionEntry(name=name, path=(self.key, name), raw=sound)

    def _bad_keys(self, bad_paths: Iterable[KeyPath]) -> dict[str | int, set[str | int | None]]:
        """Return the keys with a wrong shape by the entry that they stand in; None is the entry itself."""
        keys: dict[str | int, set[str | int | None]] = {}
        for path in bad_paths:
            if len(path) > 1 and path[0] == self.key:
                keys.setdefault(path[1], set()).add(path[2] if len(path) > 2 else None)
        return keys

    def entry_keys(self, entry: Any) -> Iterator[KeyValue]:
        """Yield what one entry sets, key by key; nothing of a section without settings of VPP."""
        yield from ()

    def keys_in(self, configuration: Configuration, name: str, entry: Any) -> list[KeyValue]:
        """Return what one entry sets, with the keys below it by which the file owns objects."""
        owned = [] if self.holder is None else configuration.owned_keys(self.holder, name)
        return [*self.entry_keys(entry), *owned]

    def entries_in(self, configuration: Configuration) -> Mapping[str, Any]:
        """Return the entries of this section."""
        return {} if self.attribute is None else getattr(configuration, self.attribute)

    def yaml_entries(self, configuration: Configuration) -> Iterator[YamlEntry]:
        for name, entry in self.entries_in(configuration).items():
            yield YamlEntry(path=(self.key, name), name=name, keys=tuple(self.keys_in(configuration, name, entry)))

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the text of the entries, an empty one in one line."""
        entries = self.entries_in(configuration)
        if entries:
            yield f"{self.key}:"
        for name, entry in entries.items():
            lines = key_lines(self.keys_in(configuration, name, entry))
            yield f"  {scalar(name)}:" if lines else f"  {scalar(name)}: {{}}"
            yield from indented(lines, 2)


def described(description: str | None) -> list[KeyValue]:
    """Return the key of a description, when there is one."""
    return [KeyValue("description", description)] if description else []


def enter(attributes: dict[str, Any], attribute: str, part: Any) -> None:
    """Enter what a section sets into the attributes of a Configuration, some of which are filled by several."""
    is_added_to = isinstance(part, dict) and attribute in attributes
    attributes[attribute] = {**attributes[attribute], **part} if is_added_to else part
