"""Reads YAML text into a Document, in one pass over the parser's events.

Values are those that PyYAML's SafeLoader (YAML 1.1) gives. What it would silently bend or drop is a problem: duplicate
keys, keys that are neither text nor integers, further documents, aliases that explode.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol

import yaml
from yaml.reader import ReaderError

from vppcfg.common.bounds import CONFIG_DEPTH, CONFIG_VALUES, NUMBER_CHARACTERS, TEXT_CHARACTERS
from vppcfg.entries.yaml.document import Document, Mark
from vppcfg.entries.yaml.errors import (
    UnreadableError,
    bad_character,
    bad_encoding,
    bad_syntax,
    problem_at,
    shown,
    too_many,
)
from vppcfg.model.problem import ProblemList, Severity

_MERGE = "<<"
_TAG = "tag:yaml.org,2002:"
_MAP_TAGS = (None, "!", _TAG + "map")
_LIST_TAGS = (None, "!", _TAG + "seq")
_STR = _TAG + "str"
_SCALAR_TAGS = frozenset(_TAG + name for name in ("null", "bool", "int", "float", "timestamp"))
_SYMBOL_TAGS = frozenset({_TAG + "merge", _TAG + "value"})
_DECEPTIVE = re.compile(r"[-+]?(0[0-7_]+|[1-9][0-9_]*(:[0-5]?[0-9])+)")
"""Octal and sexagesimal integers: digits that do not mean what they look like."""
_LARGEST_BITS = 64
"""Of an integer; there is no use for a larger one, and Python refuses to write very large ones in decimal."""


def read_document(data: bytes) -> Document:
    """Read YAML. Whatever is wrong with it is among the problems of the document."""
    problem = bad_encoding(data)
    if problem is not None:
        return Document(problems=(problem,), is_readable=False)
    reader = _Reader()
    try:
        content = reader.read(data)
        return Document(data=content, problems=tuple(reader.problems), marks=reader.marks, source=data)
    except UnreadableError as error:
        problem = error.problem
    except ReaderError:
        problem = bad_character(data)
    except yaml.MarkedYAMLError as error:
        problem = bad_syntax(data, error)
    return Document(problems=(*reader.problems, problem), is_readable=False)


class _Reader:
    """Builds maps and lists from events, one method per kind of node."""

    def __init__(self) -> None:
        self.problems = ProblemList()
        self.marks: dict[int, dict[Any, Mark]] = {}
        self._path: list[str | int] = []
        self._anchors: dict[str, tuple[Any, int, int]] = {}
        """Anchor -> its value, how many keys and items that stands for, and how many levels it has."""
        self._open: set[str] = set()
        """Anchors of the maps and lists that are being read."""
        self._count = 0
        """Of keys and items up to here, with what aliases stand for."""
        self._deepest = 0
        """The deepest level within the map or list that is being read."""

    def read(self, data: bytes) -> Any:
        """Return the content of the first document, None without one, and complain about any other."""
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(data)
        self._next: Callable[[], Any] = loader.get_event
        self._scalar = _Scalars(loader, self._report).value
        content = None
        self._next()
        event = self._next()
        if event.__class__ is yaml.DocumentStartEvent:
            content = self._node(self._next())
            self._next()
            event = self._next()
        if event.__class__ is yaml.DocumentStartEvent:
            self._report("yaml-documents", event, "a second document begins here; a configuration is one document")
        return content

    def _node(self, event: Any) -> Any:
        if event.__class__ is yaml.ScalarEvent:
            if len(event.value) > TEXT_CHARACTERS:
                raise self._too_long(event)
            value = self._scalar(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = (value, 1, 0)
            return value
        return self._alias(event) if event.__class__ is yaml.AliasEvent else self._container(event)

    def _container(self, event: Any) -> Any:
        depth = len(self._path) + 1
        if depth > CONFIG_DEPTH:
            raise self._too_deep(event)
        before, anchor, outside, self._deepest = self._count, event.anchor, self._deepest, depth
        if anchor is not None:
            self._open.add(anchor)
        value = self._map(event) if event.__class__ is yaml.MappingStartEvent else self._list(event)
        if anchor is not None:
            self._open.discard(anchor)
            self._anchors[anchor] = (value, self._count - before + 1, self._deepest - depth + 1)
        self._deepest = max(outside, self._deepest)
        return value

    def _list(self, event: Any) -> list[Any]:
        if event.tag not in _LIST_TAGS:
            self._report_tag(event)
        items: list[Any] = []
        marks: dict[int, Mark] = {}
        while (event := self._next()).__class__ is not yaml.SequenceEndEvent:
            self._count += 1
            if self._count > CONFIG_VALUES:
                raise self._too_large(event)
            index = len(items)
            marks[index] = event.start_mark
            self._path.append(index)
            items.append(self._node(event))
            self._path.pop()
        self.marks[id(items)] = marks
        return items

    def _map(self, event: Any) -> dict[str | int, Any]:
        if event.tag not in _MAP_TAGS:
            self._report_tag(event)
        own: dict[str | int, Any] = {}
        marks: dict[str | int, Mark] = {}
        merged: list[dict[str | int, Any]] = []
        while (event := self._next()).__class__ is not yaml.MappingEndEvent:
            if event.__class__ is yaml.ScalarEvent and event.value == _MERGE and event.implicit[0]:
                self._merge(event, merged)
            else:
                self._entry(event, own, marks)
        content = self._with_merged(own, marks, merged) if merged else own
        self.marks[id(content)] = marks  # an empty one too: what is given twice is gone, and its id free again
        return content

    def _entry(self, event: Any, own: dict[str | int, Any], marks: dict[str | int, Mark]) -> None:
        """Read one key and its value; the first of two equal keys counts."""
        self._count += 1
        if self._count > CONFIG_VALUES:
            raise self._too_large(event)
        key = self._node(event) if event.__class__ is yaml.ScalarEvent else self._no_key(event)
        is_key = key.__class__ is str or key.__class__ is int
        self._path.append(key if is_key else "?")
        value = self._node(self._next())
        if not is_key:
            self._report("yaml-key", event, _key_text(event, key))
        elif key in own:
            first = marks[key]
            text = f"key `{key}` is given twice; the first is in line {first.line + 1}"
            self._report("yaml-duplicate-key", event, text)
        else:
            own[key] = value
            marks[key] = event.start_mark
        self._path.pop()

    def _no_key(self, event: Any) -> Any:
        """Read a map, a list or an alias where a key should be: one level down, so that such keys have an end too."""
        self._path.append("?")
        key = self._node(event)
        self._path.pop()
        return key

    def _merge(self, event: Any, merged: list[dict[str | int, Any]]) -> None:
        """Read what stands behind `<<`: a map, or a list of maps of which the first that has a key counts."""
        if merged:
            self._report("yaml-duplicate-key", event, "`<<` is given twice; give it a list of maps")
        self._path.append(_MERGE)
        value = self._node(self._next())
        sources = value if isinstance(value, list) else [value]
        if all(isinstance(source, dict) for source in sources):
            merged.extend(sources)
        else:
            self._report("yaml-merge", event, "`<<` takes a map or a list of maps")
        self._path.pop()

    def _with_merged(
        self, own: dict[str | int, Any], marks: dict[str | int, Mark], merged: list[dict[str | int, Any]]
    ) -> dict[str | int, Any]:
        content: dict[str | int, Any] = {}
        for source in reversed(merged):
            content.update(source)
        for source in merged:
            for key, mark in self.marks.get(id(source), {}).items():
                marks.setdefault(key, mark)
        content.update(own)
        return content

    def _alias(self, event: Any) -> Any:
        name = event.anchor
        if name in self._open:
            raise self._unreadable("yaml-alias", event, f"alias *{name} is inside the value that it names")
        if name not in self._anchors:
            raise self._unreadable("yaml-alias", event, f"alias *{name} names an anchor that is not above it")
        value, weight, levels = self._anchors[name]
        self._count += weight
        if self._count > CONFIG_VALUES:
            text = f"with what aliases stand for, the file has more than {CONFIG_VALUES:,} keys and items"
            raise self._unreadable("yaml-alias", event, text)
        depth = len(self._path) + levels
        if depth > CONFIG_DEPTH:
            raise self._too_deep(event)
        self._deepest = max(self._deepest, depth)
        return value

    def _report_tag(self, event: Any) -> None:
        self._report("yaml-tag", event, _tag_text(event.tag))

    def _report(self, rule: str, event: Any, text: str, severity: Severity = Severity.ERROR) -> None:
        self.problems.append(problem_at(event.start_mark, rule, text, tuple(self._path), severity))
        if self.problems.is_cut:
            raise UnreadableError(too_many(self.problems[-1]))

    def _too_deep(self, event: Any) -> UnreadableError:
        return self._unreadable("yaml-depth", event, f"maps and lists are nested more than {CONFIG_DEPTH} deep")

    def _too_long(self, event: Any) -> UnreadableError:
        text = (
            f"{shown(event.value)} has {len(event.value):,} characters; keys and values have up to {TEXT_CHARACTERS:,}"
        )
        return self._unreadable("yaml-size", event, text)

    def _too_large(self, event: Any) -> UnreadableError:
        text = f"the file has more than {CONFIG_VALUES:,} keys and items; no router needs so many"
        return self._unreadable("yaml-size", event, text)

    def _unreadable(self, rule: str, event: Any, text: str) -> UnreadableError:
        return UnreadableError(problem_at(event.start_mark, rule, text, tuple(self._path)))


def _tag_text(tag: str) -> str:
    """Return what is wrong with a tag, written as in the file."""
    written = f"!!{tag.removeprefix(_TAG)}" if tag.startswith(_TAG) else tag
    return f"the tag {shown(written)} has no meaning here; leave it out"


def _key_text(event: Any, key: Any) -> str:
    if isinstance(key, (dict, list)) or event.__class__ is not yaml.ScalarEvent:
        return "a key is text or a number, not a map or a list"
    meaning = {True: "true", False: "false", None: "nothing"}.get(key, f"a {type(key).__name__}")
    return f"{shown(event.value)} as a key means {meaning} in YAML; put it in quotes"


class _Complain(Protocol):
    """Takes a problem with the scalar of an event."""

    def __call__(self, rule: str, event: Any, text: str, severity: Severity = Severity.ERROR) -> None: ...


class _Scalars:
    """Values of scalar events; remembers the plain ones, most of which occur often in a file."""

    def __init__(self, loader: Any, complain: _Complain) -> None:
        self._loader = loader
        self._report = complain
        self._plain: dict[str, Any] = {}

    def value(self, event: Any) -> Any:
        """Return the value of a scalar event, its text when that cannot be read."""
        if event.tag is None:
            if not event.implicit[0]:
                return event.value
            if event.value in self._plain:
                return self._plain[event.value]
        return self._resolved(event)

    def _resolved(self, event: Any) -> Any:
        text, tag = event.value, event.tag
        if tag is None or tag == "!":
            tag = self._loader.resolve(yaml.ScalarNode, text, event.implicit)
        if tag == _TAG + "int" and len(text) <= NUMBER_CHARACTERS and _DECEPTIVE.fullmatch(text):
            value = self._constructed(tag, event)
            hint = f"{shown(text)} means the number {value} here; write that, or put it in quotes"
            self._report("yaml-number", event, hint, Severity.WARNING)
            return value
        value = text if tag == _STR else self._constructed(tag, event)
        if event.tag is None:
            self._plain[text] = value
        return value

    def _constructed(self, tag: str, event: Any) -> Any:
        text = event.value
        if tag in _SYMBOL_TAGS:
            self._report("yaml-value", event, f"`{text}` has a special meaning in YAML; quote it")
        elif tag not in _SCALAR_TAGS:
            self._report("yaml-tag", event, _tag_text(event.tag))
        else:
            try:
                if len(text) > NUMBER_CHARACTERS:
                    raise ValueError
                value = self._loader.yaml_constructors[tag](self._loader, yaml.ScalarNode(tag, text))
                if not isinstance(value, int) or value.bit_length() <= _LARGEST_BITS:
                    return value
            except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, ValueError):
                pass
            kind = tag.removeprefix(_TAG)
            self._report("yaml-value", event, f"{shown(text)} is no {kind}; put it in quotes if it is text")
        return text
