"""Checks plain data against schema/vppcfg.yaml: yamale judges, and its messages become problems with a key path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import yamale
from yamale.validators import Any as AnyOf
from yamale.validators import DefaultValidators, Include, List, Map, Validator

from vppcfg.common.bounds import PROBLEMS
from vppcfg.common.resemblance import did_you_mean
from vppcfg.config.schema.advice import on_choice, on_mask, on_quotes
from vppcfg.config.schema.foreign import foreign_text, is_foreign_key
from vppcfg.config.schema.text import schema_text
from vppcfg.entries.words import WORDS, Word
from vppcfg.entries.yaml.errors import shown
from vppcfg.model.problem import KeyPath, Problem, ProblemList

_ENTRIES_AT_ONCE = 500
_MOST_SEPARATORS = 256
"""Of a message of yamale, in which the path is looked for; a path of ours has five."""
_PATH_END = re.compile(r"(?=(\.| ?: ))")
_MISSING = ": Required field missing"
_NOT_A_MAP = re.compile(r"'.*' is not a map\.?", re.DOTALL)
_NOT_A_LIST = re.compile(r"'.*' is not a list\.", re.DOTALL)
_QUOTED = re.compile(r"'([^']*)'")
_NO_NUMBER = "{value} is not a whole number"
_VLAN_KEYS, _ANY = ("dot1q", "dot1ad", "inner-dot1q"), ("any", "default")
_ONE_TAG = "; one for several tags is made at VPP's prompt, and listed in `unmanaged`"
_NO_TRUTH = "{value} is neither true nor false"
_NONE_OF = "{value} is none of {what}"
_WORDING: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (_NOT_A_MAP, "schema-type", "{value} is not a map, that is `key: value` lines, indented"),
    (_NOT_A_LIST, "schema-type", "{value} is not a list, which is written [ a, b ]"),
    (re.compile(r"'.*' is not a str\.", re.DOTALL), "schema-type", "{value} is not text; put it in quotes"),
    (re.compile(r"'.*' is not a int\.", re.DOTALL), "schema-type", _NO_NUMBER),
    (re.compile(r"'.*' is not a bool\.", re.DOTALL), "schema-type", _NO_TRUTH),
    (re.compile(r"'.*' not in \((?P<what>.*)\)", re.DOTALL), "schema-value", _NONE_OF),
    (
        re.compile(r"Length of .* is greater than (?P<what>\d+)", re.DOTALL),
        "schema-value",
        "longer than {what} characters",
    ),
    (re.compile(r"Length of \[\] is less than 1"), "schema-value", "the list is empty; give it one item at least"),
    (re.compile(r"'.*' contains excluded character .*", re.DOTALL), "schema-value", "no quotes are allowed here"),
)
"""yamale's message, the rule, and our words for it."""


def check_shape(data: Any) -> ProblemList:
    """Return what is wrong with the shape of a configuration, without line and column.

    Where a value may have several forms yamale complains about each; what it reports of the forms not meant is dropped:
    about a map as a whole when it also complains about a key in it, and that something else is no map or list, where
    another message stands for it.
    """
    found = ProblemList()
    for part in _parts(data):
        _check_part(part, found)
        if found.is_cut:
            break
    return found


def _parts(data: Any) -> Iterator[Any]:
    """Yield the sections, those with many entries in several parts, so that what is not shown need not be checked."""
    if not isinstance(data, dict):
        yield data
        return
    for key, section in data.items():
        if not isinstance(section, dict):
            yield {key: section}
            continue
        entries = iter(section.items())
        yield {key: dict(islice(entries, _ENTRIES_AT_ONCE))}
        while part := dict(islice(entries, _ENTRIES_AT_ONCE)):
            yield {key: part}


def _check_part(data: Any, found: ProblemList) -> None:
    schema = shape()
    messages = schema.validate(data, None, True).errors
    is_cut = len(messages) > PROBLEMS
    errors = [_parted(message, data) for message in (sorted(messages)[:PROBLEMS] if is_cut else messages)]
    found.extend(_problem(path, message, data, schema) for path, message in _of_forms_meant(errors))
    found.is_cut |= is_cut


def _of_forms_meant(errors: Sequence[tuple[KeyPath, str]]) -> Iterator[tuple[KeyPath, str]]:
    """Yield the messages without those of forms that are not meant; at least one of each path that has any."""
    above = {path[:length] for path, _ in errors for length in range(len(path))}
    has_another = {path for path, message in errors if not _is_about_form(message)}
    for path, message in errors:
        if path not in above and not (path in has_another and _is_about_form(message)):
            yield path, message
            has_another.add(path)


@lru_cache(maxsize=1)
def shape() -> Any:
    """Return schema/vppcfg.yaml as yamale has it."""
    return yamale.make_schema(content=schema_text(), validators=validators())


def validators() -> dict[str, Any]:
    """Return what judges each word of the schema: yamale's own, and one for each of ours."""
    return {**DefaultValidators, **{name: _validator_of(word) for name, word in WORDS.items()}}


def _validator_of(word: Word) -> type[Any]:
    class OfWord(Validator):  # type: ignore[misc] # yamale has no types
        tag = word.name

        def _is_valid(self, value: Any) -> bool:
            return word.accepts(value, *self.args)

        def fail(self, value: Any) -> str:
            if unquoted := on_quotes(value, self._is_valid):
                return f"{shown(value)} {unquoted}"
            expects = word.expects.format(*self.args)
            if word.is_taken_for_number and isinstance(value, int) and not isinstance(value, bool):
                return f"YAML reads this as the number {value}, which {expects}; put it in quotes"
            return f"{shown(value)} {expects}{on_mask(value, word.name)}"

    return OfWord


def _is_about_form(message: str) -> bool:
    return bool(_NOT_A_MAP.fullmatch(message) or _NOT_A_LIST.fullmatch(message))


def _parted(error: str, data: Any) -> tuple[KeyPath, str]:
    """Part yamale's `PATH: MESSAGE`, at the longest path: keys may hold the dots and colons that it separates with."""
    found = min(_readings(error, data, ()), key=lambda reading: len(reading[1]), default=None)
    if found is not None:
        return found
    return ((), error.lstrip(" :")) if error.startswith((": ", " : ")) else ((), error)


def _readings(text: str, node: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    for end in islice(_PATH_END.finditer(text), _MOST_SEPARATORS):
        key = _key_of(node, text[: end.start()])
        if key is None:
            continue
        rest = text[end.end(1) :]
        if end[1] == ".":
            yield from _readings(rest, node[key], (*path, key))
        else:
            yield (*path, key), rest
    if text.endswith(_MISSING) and isinstance(node, dict):
        yield (*path, text.removesuffix(_MISSING)), _MISSING.lstrip(": ")


def _key_of(node: Any, name: str) -> str | int | None:
    """Return the key or index of a map or list that yamale writes as `name`."""
    if isinstance(node, dict) and name in node:
        return name
    if isinstance(node, (dict, list)) and re.fullmatch(r"-?[0-9]{1,20}", name):
        index = int(name)
        return index if (index in node if isinstance(node, dict) else index < len(node)) else None
    return None


def _problem(path: KeyPath, message: str, data: Any, schema: Any) -> Problem:
    if message == "Unexpected element":
        return Problem(rule="schema-unknown-key", path=path, text=_unknown_key_text(path, schema))
    if message == "Required field missing":
        return Problem(rule="schema-missing-key", path=path, text=f"the key `{path[-1]}` is missing here")
    raw = _value_at(data, path)
    if not path:
        return Problem(
            rule="schema-type", path=path, text=f"{shown(raw)} stands where sections such as `interfaces:` should"
        )
    for pattern, rule, words in _WORDING:
        if match := pattern.fullmatch(message):
            text = words.format(value=shown(raw), **match.groupdict())
            text += _ONE_TAG if raw in _ANY and path[-1] in _VLAN_KEYS else ""
            return Problem(rule=rule, path=path, text=_advised(text, raw, words, match.groupdict().get("what", "")))
    return Problem(rule="schema-value", path=path, text=message)


def _advised(text: str, raw: Any, words: str, choices: str) -> str:
    """Return what is wrong with a value, with what to write in its place where that is known."""
    if words == _NONE_OF:
        return text + on_choice(raw, _QUOTED.findall(choices))
    kinds = {_NO_NUMBER: int, _NO_TRUTH: bool}
    unquoted = on_quotes(raw, lambda value: type(value) is kinds[words]) if words in kinds else None
    return text if unquoted is None else f"{shown(raw)} {unquoted}"


def _unknown_key_text(path: KeyPath, schema: Any) -> str:
    key, shown_key = str(path[-1]), shown(path[-1]) if path[-1] != "" else "``"
    known = sorted(_keys_at(schema, path[:-1]))
    instead = foreign_text(key, known)
    if instead is not None:
        return f"unknown key {shown_key}: it is {instead}"
    if not is_foreign_key(key) and (meant := did_you_mean(key, known)):
        return f"unknown key {shown_key}{meant}"
    return f"unknown key {shown_key}; the keys here are {', '.join(known)}"


def _keys_at(schema: Any, path: KeyPath) -> list[str]:
    """Return the keys that the schema knows for the map at `path`."""
    node = schema.dict
    for key in path:
        is_within = isinstance(node, Map | List)
        node = node.validators[0] if is_within else node.get(key) if isinstance(node, dict) else None
        if isinstance(node, AnyOf):
            node = next(choice for choice in node.validators if isinstance(choice, Include))
        if isinstance(node, Include):
            node = schema.includes[node.include_name].dict
    return list(node) if isinstance(node, dict) else []


def _value_at(data: Any, path: KeyPath) -> Any:
    for key in path:
        data = data[key]
    return data
