"""Checks quickly, without yamale, which sections of a file fit schema/vppcfg.yaml; its answer is yes or no.

What is not accepted here may still be right; yamale judges it and reports what is wrong. What is accepted here, yamale
accepts too. Only what a file uses of the schema is compiled.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from vppcfg.config.schema.text import schema_text
from vppcfg.entries.words import WORDS

Predicate = Callable[[Any], bool]

_LINE = re.compile(r"(?P<indent> *)(?P<key>[\w-]+): *(?P<words>.*)")
_OPTIONAL = "required=False)"
"""How the words of a key that can be absent end."""
_TOP = ""
"""The name under which the first part of the schema is kept; the others are named by themselves."""


def doubtful_part(data: Any) -> Any:
    """Return the sections of a file that are not certainly right, None when there are none.

    Sections have nothing to do with each other as far as their shape goes.
    """
    if not isinstance(data, dict):
        return data
    acceptance = _acceptance(schema_text())
    return {key: value for key, value in data.items() if not acceptance.accepts(key, value)} or None


@lru_cache(maxsize=1)
def _acceptance(schema: str) -> Acceptance:
    """Return the schema of this text, with what earlier files have needed of it already compiled."""
    return Acceptance(schema)


class UnknownWordError(Exception):
    """The schema uses something that only yamale checks."""


class Acceptance:
    """A schema, compiled part by part as it is needed."""

    def __init__(self, schema: str) -> None:
        """Take the text of a schema, in which every key has a line of its own."""
        self._parts = _parts_of(schema)
        self._maps: dict[str, Predicate] = {}

    def accepts(self, key: str, value: Any) -> bool:
        """Return whether `value` is certainly right for the top-level `key`."""
        words = self._parts[_TOP].get(key)
        if words is None:
            return False
        try:
            return self._compiled(ast.parse(words, mode="eval").body)(value)
        except UnknownWordError:
            return False

    def keys(self) -> dict[str, list[str]]:
        """Return the keys of each part of the schema; those of the first part stand under ''."""
        return {name: list(part) for name, part in self._parts.items()}

    def unknown_words(self) -> list[str]:
        """Return what of the schema is always left to yamale."""
        unknown = []
        for words in (words for part in self._parts.values() for words in part.values()):
            try:
                self._compiled(ast.parse(words, mode="eval").body)
            except UnknownWordError as error:
                unknown.append(str(error))
        return unknown

    def _compiled(self, node: ast.expr) -> Predicate:
        """Return what accepts the values that a word of the schema, with its arguments, stands for."""
        word, arguments, settings = _called(node)
        is_required = settings.pop("required", True)
        accepts = self._meaning(word, arguments, settings)
        return accepts if is_required else lambda value: value is None or accepts(value)

    def _meaning(self, word: str, arguments: list[ast.expr], settings: dict[str, Any]) -> Predicate:
        compound = _COMPOUNDS.get(word)
        if compound is not None:
            return compound([self._compiled(argument) for argument in arguments], **settings)
        constants = [_constant(argument) for argument in arguments]
        if word == "include" and not settings:
            return lambda value: self._map(constants[0])(value)
        if word in WORDS and not settings:
            accepts = WORDS[word].accepts
            return (lambda value: accepts(value, *constants)) if constants else accepts
        if word not in _PLAIN:
            raise UnknownWordError(word)
        try:
            return _PLAIN[word](*constants, **settings)
        except TypeError as error:
            raise UnknownWordError(f"{word}: {error}") from error

    def _map(self, name: str) -> Predicate:
        accepts = self._maps.get(name)
        if accepts is None:
            accepts = self._maps[name] = self._compiled_map(self._parts[name])
        return accepts

    def _compiled_map(self, part: Mapping[str, str]) -> Predicate:
        required = {key for key, words in part.items() if not words.endswith(_OPTIONAL)}
        compiled: dict[str, Predicate] = {}

        def accepts(value: Any) -> bool:
            if value.__class__ is not dict:
                return False
            for key, item in value.items():
                is_right = compiled.get(key)
                if is_right is None:
                    if key not in part:
                        return False
                    is_right = compiled[key] = self._compiled(ast.parse(part[key], mode="eval").body)
                if not is_right(item):
                    return False
            return required <= value.keys()

        return accepts


def _parts_of(schema: str) -> dict[str, dict[str, str]]:
    """Return the words of each key, by the name of the part that the key belongs to."""
    parts: dict[str, dict[str, str]] = {_TOP: {}}
    part = parts[_TOP]
    for line in schema.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        if not match["words"]:
            part = parts[match["key"]] = {}
        else:
            part[match["key"]] = match["words"]
    return parts


def _called(node: ast.expr) -> tuple[str, list[ast.expr], dict[str, Any]]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise UnknownWordError(ast.unparse(node))
    return node.func.id, node.args, {str(keyword.arg): _constant(keyword.value) for keyword in node.keywords}


def _constant(node: ast.expr) -> Any:
    if not isinstance(node, ast.Constant):
        raise UnknownWordError(ast.unparse(node))
    return node.value


def _map_of(inner: list[Predicate]) -> Predicate:
    (accepts,) = inner
    return lambda value: value.__class__ is dict and all(map(accepts, value.values()))


def _list_of(inner: list[Predicate], *, min: int = 0) -> Predicate:
    (accepts,) = inner
    return lambda value: value.__class__ is list and len(value) >= min and all(map(accepts, value))


def _any_of(inner: list[Predicate]) -> Predicate:
    return lambda value: any(accepts(value) for accepts in inner)


def _text(*, exclude: str = "") -> Predicate:
    return lambda value: value.__class__ is str and not any(c in value for c in exclude)


def _whole(*, min: int | None = None, max: int | None = None) -> Predicate:
    return lambda value: value.__class__ is int and (min is None or value >= min) and (max is None or value <= max)


def _truth() -> Predicate:
    return lambda value: value.__class__ is bool


def _one_of(*choices: str) -> Predicate:
    return lambda value: value.__class__ is str and value in choices


_COMPOUNDS: dict[str, Callable[..., Predicate]] = {"map": _map_of, "list": _list_of, "any": _any_of}
_PLAIN: dict[str, Callable[..., Predicate]] = {"str": _text, "int": _whole, "bool": _truth, "enum": _one_of}
