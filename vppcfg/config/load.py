"""Loads a configuration file: reader, schema, parse and rules in a row give a Configuration and its problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NamedTuple

from vppcfg.config.rules.rule_list import check_rules
from vppcfg.config.schema.quick import doubtful_part
from vppcfg.config.section_list import INTERFACES, SECTIONS
from vppcfg.config.sections import dataplane
from vppcfg.engine.feature_kind import SwitchKind
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.index import Parsed, index_of
from vppcfg.entries.section import Parsing, enter
from vppcfg.entries.yaml.document import Document
from vppcfg.entries.yaml.errors import too_many
from vppcfg.entries.yaml.files import SourceFiles, read_source
from vppcfg.entries.yaml.overlay import merged_text, overlaid, without_extensions
from vppcfg.entries.yaml.reader import read_document
from vppcfg.kinds import acl_match, bridge_section, loopback, policy_route_section
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.owned_list import OWNED_KEYS
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.problem import KeyPath, Problem, ProblemList, Severity
from vppcfg.record import record

_ABSENT = object()
_MENDED = frozenset(
    {
        INTERFACES.key,
        loopback.KIND.key,
        bridge_section.KEY,
        acl_match.KEY,
        *(section.key for section in VIRTUAL_INTERFACES),
    },
)
"""Sections whose entries are mended."""
_NESTED = frozenset({("interfaces", "sub-interfaces"), ("acls", "terms")})
"""Maps and lists of entries within an entry."""
_WHOLE = frozenset({"sub-interfaces", "terms"})
_JUDGED_WHOLE = OWNED_KEYS | {policy_route_section.KEY}
"""Keys of an entry with parts that must be there, and for which nothing is assumed; the rest is judged without them."""
_ASSUMED: Mapping[str, tuple[Any, Any]] = {
    "mtu": (1357, 2468),
    "state": ("up", "down"),
    "lcp": (_ABSENT, "assumed-b"),
    "addresses": (_ABSENT, ["203.0.113.253/32"]),
    **{kind.key: (_ABSENT, True) for kind in FEATURE_KINDS if isinstance(kind, SwitchKind)},
    **{key: values for kind in FEATURE_KINDS for key, values in kind.assumed.items()},
    "encapsulation": ({"dot1q": 4093, "exact-match": True}, {"dot1q": 4092, "exact-match": True}),
    "dot1q": (4093, 4092),
    "dot1ad": (4093, 4092),
    "inner-dot1q": (4093, 4092),
    "exact-match": (True, False),
    "name": ("assumed-a", "assumed-b"),
    "netns": ("assumed-a", "assumed-b"),
    "action": ("permit", "deny"),
    "protocol": ("tcp", "icmp"),
    "source": ("192.0.2.0/24", "2001:db8::/32"),
    "destination": ("192.0.2.0/24", "2001:db8::/32"),
}
"""Two values of each key that is worth it; of the others nothing is assumed."""
_ASSUMED_PREFIXES = ("192.0.2.0/24", "2001:db8::/32")
_ASSUMED_OF_KIND: Mapping[str, Mapping[str, tuple[Any, Any]]] = {
    **{section.key: section.assumed for section in VIRTUAL_INTERFACES},
    acl_match.KEY: {"members": ([_ASSUMED_PREFIXES[0]], [_ASSUMED_PREFIXES[1]])},
    dataplane.SECTION.key: {"data-size": (_ABSENT, 65535), "rx-queues": (1, 2)},
}
_DEVICES: tuple[KeyPath, ...] = ((dataplane.SECTION.key, "dpdk", "devices"), (dataplane.SECTION.key, "devices"))
_OF_A_DEVICE_ALONE = frozenset({"rx-queues", "tx-queues", "rx-descriptors", "tx-descriptors", "workers"})
"""Keys of a device on which it does not depend which interface it becomes."""


class Recovered(NamedTuple):
    """A file without the mistakes that could be mended."""

    contents: tuple[Any, Any]
    left: frozenset[KeyPath]
    """Where the mistakes are that could not."""
    positions: Mapping[KeyPath, tuple[int, ...]]
    """By path of a list that lacks items: where in the file each of the others is."""

    def original(self, path: KeyPath) -> KeyPath:
        """Return where in the file something is that was found in the contents."""
        for length in range(len(path)):
            kept, position = self.positions.get(path[:length]), path[length]
            if kept is not None and isinstance(position, int) and position < len(kept):
                return (*path[:length], kept[position], *path[length + 1 :])
        return path


def recovered(content: Any, bad_paths: Iterable[KeyPath], unknown: Iterable[KeyPath]) -> Recovered:
    """Return a file with other values at the bad paths; `unknown` are those of them at which keys are misspelt."""
    bad: list[KeyPath] = sorted(set(bad_paths), key=lambda path: [str(key) for key in path])
    misspelt = set(unknown)
    first, second = _Copy(content), _Copy(content)
    left: set[KeyPath] = set()
    dropped: dict[KeyPath, set[int]] = {}
    for path in bad:
        if path[:1] == (dataplane.SECTION.key,) and len(path) > 1:
            _recover_dataplane(path, (first, second), is_misspelt=path in misspelt)
        elif not _is_in_entry(path):
            left.add(path)
        elif path[0] == acl_match.KEY and isinstance(path[-1], int):
            for copy, prefix in zip((first, second), _ASSUMED_PREFIXES, strict=True):
                copy.put(path, prefix)
        elif isinstance(path[-1], int) and isinstance(first.at(path[:-1]), list):
            dropped.setdefault(path[:-1], set()).add(int(path[-1]))
        else:
            for copy, value in zip((first, second), _values(path), strict=True):
                copy.put(path, value)
            if path in misspelt:
                _put_intended(path, (first, second))
    positions = {path: _without_items(path, lost, (first, second)) for path, lost in dropped.items()}
    return Recovered(contents=(first.content, second.content), left=frozenset(left), positions=positions)


def _recover_dataplane(path: KeyPath, copies: tuple[_Copy, _Copy], *, is_misspelt: bool) -> None:
    """Assume other values at a path of the section; where it may be about which interface a device is, no devices."""
    if isinstance(copies[0].at(path[:-1]), list):  # what the list lacks without the item would be found missing
        path = path[:-1]
    for copy, value in zip(copies, _values(path), strict=True):
        copy.put(path, value)
    if is_misspelt:
        _put_intended(path, copies)
    for above in _DEVICES:
        key = path[len(above) + 1 : len(above) + 2]
        if path[: len(above)] == above and not _OF_A_DEVICE_ALONE.intersection(key):
            copies[1].put(above, _ABSENT)


def _is_in_entry(path: KeyPath) -> bool:
    """Return whether a mistake is at a key of an entry, or below it, so that the rest of the entry can be judged."""
    if len(path) > 3 and (path[0], path[2]) in _NESTED:
        return len(path) > 4 and path[4] not in _JUDGED_WHOLE
    return len(path) > 2 and path[0] in _MENDED and path[2] not in _WHOLE | _JUDGED_WHOLE


def _values(path: KeyPath) -> tuple[Any, Any]:
    key = str(path[-1])
    return _ASSUMED_OF_KIND.get(str(path[0]), {}).get(key) or _ASSUMED.get(key, (_ABSENT, _ABSENT))


def _put_intended(path: KeyPath, copies: tuple[_Copy, _Copy]) -> None:
    """Assume values, too, for the key that a misspelt one resembles most."""
    for copy in copies:
        copy.put(path, _ABSENT)
    known = (*_ASSUMED, *_ASSUMED_OF_KIND.get(str(path[0]), ()))
    from difflib import get_close_matches  # slow to import, and of use only where something is wrong

    meant = get_close_matches(str(path[-1]), known, n=1)
    if meant and meant[0] not in (copies[0].at(path[:-1]) or {}):
        for copy, value in zip(copies, _values((*path[:-1], meant[0])), strict=True):
            copy.put((*path[:-1], meant[0]), value)


def _without_items(path: KeyPath, lost: set[int], copies: tuple[_Copy, _Copy]) -> tuple[int, ...]:
    """Take items out of a list; where none is left, assume what is assumed for the whole."""
    items = copies[0].at(path)
    kept = tuple(position for position in range(len(items)) if position not in lost)
    for copy, value in zip(copies, _values(path), strict=True):
        copy.put(path, [items[position] for position in kept] if kept else value)
    return kept


class _Copy:
    """A copy of plain data of which only those maps and lists are new in which something is put."""

    def __init__(self, content: Any) -> None:
        self.content = dict(content) if isinstance(content, dict) else content
        self._own: set[KeyPath] = {()}

    def at(self, path: KeyPath) -> Any:
        """Return what is at a path, None for nothing."""
        node = self.content
        for key in path:
            try:
                node = node[key]
            except (KeyError, IndexError, TypeError):
                return None
        return node

    def put(self, path: KeyPath, value: Any) -> None:
        """Put a value at a path, or take out what is there; what has no container stays away."""
        node = self.content
        for length in range(1, len(path)):
            key = path[length - 1]
            try:
                below = node[key]
            except (KeyError, IndexError, TypeError):
                return
            if path[:length] not in self._own and isinstance(below, (dict, list)):
                below = node[key] = below.copy()
                self._own.add(path[:length])
            node = below
        if isinstance(node, dict):
            if value is _ABSENT:
                node.pop(path[-1], None)
            else:
                node[path[-1]] = value
        elif isinstance(node, list) and isinstance(path[-1], int) and path[-1] < len(node):
            node[path[-1]] = value


def parse(data: Any, bad_paths: Iterable[KeyPath]) -> Parsed:
    """Parse data in which everything is of the right shape but for what stands at `bad_paths`."""
    parsing = Parsing(data if isinstance(data, dict) else {}, frozenset(bad_paths))
    attributes: dict[str, Any] = {}
    for section in SECTIONS:
        part = parsing.parts[section.key] = section.parse(parsing)
        if section.attribute is not None:
            enter(attributes, section.attribute, part)
    return Parsed(
        configuration=Configuration(**attributes),
        broken=frozenset(parsing.broken),
        broken_entries=parsing.broken_entries,
        lost_sections=frozenset(str(path[0]) for path in parsing.bad_paths if len(path) == 1),
        problems=tuple(parsing.problems),
        is_cut=parsing.problems.is_cut,
    )


_ABOUT_KEYS = frozenset({"schema-unknown-key", "schema-missing-key"})
"""Rules that find a key wrong; all others find what stands at it wrong."""


@record
class Loaded:
    """What a file sets, and what is wrong with it."""

    name: str
    """The file's name, as given; of several, their names."""
    configuration: Configuration | None
    """None when there are errors; warnings do not forbid it."""
    understood: Configuration | None = field(default=None, repr=False, compare=False)
    """Its configuration beside its errors; None when something is of a wrong shape."""
    problems: tuple[Problem, ...] = ()
    """Errors and warnings in the order of the file."""
    source: bytes = field(default=b"", repr=False, compare=False)
    """The file's bytes; of several files, a text with what they set together."""
    document: Document | None = field(default=None, repr=False, compare=False)
    """Knows the places of all keys; None when there is none to know."""
    files: SourceFiles | None = field(default=None, compare=False)
    """What was read; None when that was a text."""
    foreign: str = field(default="", compare=False)
    """Of a text: why others than root and the user can have written it; '' when they cannot."""

    @property
    def to_act_on(self) -> tuple[Problem, ...]:
        """Return the errors and warnings; notices are for who checks the file."""
        return tuple(problem for problem in self.problems if problem.severity is not Severity.NOTICE)

    @property
    def origin(self) -> str:
        """Return where the file is, whatever happens to the working directory; `-` for standard input and a pipe."""
        return (self.files or SourceFiles(names=(self.name,))).origin

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the file, by which the journal recognizes it."""
        from hashlib import sha256

        return sha256(self.source).hexdigest()

    def placed(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return problems that were found later, with their places in the file, in its order."""
        return _in_order(problems if self.document is None else _placed(problems, self.document))


def load(files: str | SourceFiles) -> Loaded:
    """Load a file, standard input for `-`, a folder's files, or several files, the later ones laid over the earlier.

    Raise ConfigError only when there is nothing to read.
    """
    files = SourceFiles(names=(files,)) if isinstance(files, str) else files
    names = files.each()
    if len(names) == 1:
        return replace(parse_text(read_source(names[0]), names[0]), files=files)
    document = _together(names)
    return replace(_loaded(document, _text_of(document), str(files)), files=files)


def source_of(files: SourceFiles, read_file: Callable[[str], bytes] = read_source) -> bytes:
    """Return the bytes that a configuration would be loaded from, each file as `read_file` returns it.

    Raise ConfigError when there is nothing to read.
    """
    names = files.each()
    return read_file(names[0]) if len(names) == 1 else _text_of(_together(names, read_file))


def _together(names: Sequence[str], read_file: Callable[[str], bytes] = read_source) -> Document:
    return overlaid([(name, without_extensions(read_document(read_file(name)))) for name in names])


def _text_of(document: Document) -> bytes:
    return merged_text(document).encode(errors="surrogatepass") if document.is_readable else b""


def parse_text(text: str | bytes, name: str) -> Loaded:
    """Load a configuration from its text; `name` is kept for messages."""
    source = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return _loaded(without_extensions(read_document(source)), source, name)


def _loaded(document: Document, source: bytes, name: str) -> Loaded:
    if not document.is_readable:
        return Loaded(name=name, configuration=None, problems=document.problems, source=source)
    configuration, found = _check(document)
    problems = _in_order([*_from_reader(document, found), *_placed(found, document)])
    if found.is_cut:
        problems = (*problems, too_many(problems[-1] if problems else None))
    has_errors = any(problem.severity is Severity.ERROR for problem in problems)
    valid = None if has_errors else configuration
    return Loaded(
        name=name,
        configuration=valid,
        understood=configuration,
        problems=problems,
        source=source,
        document=document,
    )


def _from_reader(document: Document, found: Iterable[Problem]) -> Iterable[Problem]:
    """Return what the reader found, but for numbers that are refused for what they are."""
    refused = {problem.path for problem in found if problem.severity is Severity.ERROR}
    return (each for each in document.problems if each.rule != "yaml-number" or each.path not in refused)


def _check(document: Document) -> tuple[Configuration | None, ProblemList]:
    """Return what a document has, None when it is of a wrong shape, and what all stages that can still run find.

    A stage can run only when all is known that is wrong with what it is given.
    """
    content = {} if document.data is None else document.data
    unread = {problem.path for problem in document.problems if problem.rule == "yaml-value"}
    shape = _shape_problems(content)
    found = ProblemList(problem for problem in shape if problem.path not in unread)
    found.is_cut = shape.is_cut
    if found.is_cut:
        return None, found
    if found or unread:
        _add_certain_problems(content, found, unread)
        return None, found
    parsed = parse(content, ())
    from_rules = check_rules(index_of(parsed))
    found.extend((*parsed.problems, *from_rules))
    found.is_cut |= parsed.is_cut or from_rules.is_cut
    return parsed.configuration, found


def _add_certain_problems(content: Any, found: ProblemList, unread: Iterable[KeyPath]) -> None:
    """Add what else is wrong with a file, whatever the values of a wrong shape were meant to be."""
    misspelt = [problem.path for problem in found if problem.rule == "schema-unknown-key"]
    without = recovered(content, {*unread, *(problem.path for problem in found)}, misspelt)
    both: list[dict[Problem, None]] = []
    for meant in without.contents:
        parsed = parse(meant, without.left)
        from_rules = check_rules(index_of(parsed, is_mended=True))
        found.is_cut |= parsed.is_cut or from_rules.is_cut
        both.append(dict.fromkeys((*parsed.problems, *from_rules)))
    in_both = (each for each in both[0] if each in both[1] and each.severity is not Severity.NOTICE)
    found.extend(replace(problem, path=without.original(problem.path)) for problem in in_both)


def _shape_problems(content: Any) -> ProblemList:
    doubtful = doubtful_part(content)
    if doubtful is None:
        return ProblemList()
    from vppcfg.config.schema.check import check_shape

    return check_shape(doubtful)


def _placed(problems: Iterable[Problem], document: Document) -> Iterable[Problem]:
    for problem in problems:
        locate = document.locate if problem.rule in _ABOUT_KEYS else document.locate_value
        line, column = locate(problem.path)
        yield replace(problem, line=line, column=column, file=document.file_of(problem.path) if document.files else "")


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: problem.order))
