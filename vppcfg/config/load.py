"""Loads a configuration file: reader, schema, parse and rules in a row give a Configuration and its problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import Any

from vppcfg.config.error_recovery import recovered
from vppcfg.config.rules.rule_list import check_rules
from vppcfg.config.schema.quick import doubtful_part
from vppcfg.config.section_list import SECTIONS
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.index import Parsed, index_of
from vppcfg.entries.section import Parsing, enter
from vppcfg.entries.yaml.document import Document
from vppcfg.entries.yaml.errors import too_many
from vppcfg.entries.yaml.files import SourceFiles, read_source
from vppcfg.entries.yaml.overlay import merged_text, overlaid, without_extensions
from vppcfg.entries.yaml.reader import read_document
from vppcfg.model.problem import KeyPath, Problem, ProblemList, Severity
from vppcfg.record import record


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
