"""One YAML scalar to a value, as PyYAML's SafeLoader (YAML 1.1) would have it, each distinct text once."""

from __future__ import annotations

import re
from typing import Any, Protocol

import yaml

from vppcfg.model.problem import Severity

_TAG = "tag:yaml.org,2002:"
_STR = _TAG + "str"
_SCALAR_TAGS = frozenset(_TAG + name for name in ("null", "bool", "int", "float", "binary", "timestamp"))
_SYMBOL_TAGS = frozenset({_TAG + "merge", _TAG + "value"})
_DECEPTIVE = re.compile(r"[-+]?(0[0-7_]+|[1-9][0-9_]*(:[0-5]?[0-9])+)")
"""Octal and sexagesimal integers: digits that do not mean what they look like."""
_LARGEST_BITS = 64
"""Of an integer; there is no use for a larger one, and Python refuses to write very large ones in decimal."""


class Complain(Protocol):
    """Takes a problem with the scalar of an event."""

    def __call__(self, rule: str, event: Any, text: str, severity: Severity = Severity.ERROR) -> None: ...


class Scalars:
    """Values of scalar events; remembers the plain ones, most of which occur often in a file."""

    def __init__(self, loader: Any, complain: Complain) -> None:
        self._loader = loader
        self._complain = complain
        self._plain: dict[str, Any] = {}

    def value(self, event: Any) -> Any:
        """Return what a scalar event means, its text when that cannot be said."""
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
        if tag == _TAG + "int" and _DECEPTIVE.fullmatch(text):
            value = self._constructed(tag, event)
            hint = f"`{text}` means the number {value} here; write that, or put it in quotes"
            self._complain("yaml-number", event, hint, Severity.WARNING)
            return value
        value = text if tag == _STR else self._constructed(tag, event)
        if event.tag is None:
            self._plain[text] = value
        return value

    def _constructed(self, tag: str, event: Any) -> Any:
        text = event.value
        if tag in _SYMBOL_TAGS:
            self._complain("yaml-value", event, f"`{text}` has a meaning of its own in YAML; put it in quotes")
        elif tag not in _SCALAR_TAGS:
            self._complain("yaml-tag", event, f"tag {event.tag} has no meaning here; leave it out")
        else:
            try:
                value = self._loader.yaml_constructors[tag](self._loader, yaml.ScalarNode(tag, text))
                if not isinstance(value, int) or value.bit_length() <= _LARGEST_BITS:
                    return value
            except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, ValueError):
                pass
            kind = tag.removeprefix(_TAG)
            self._complain("yaml-value", event, f"{shown(text)} is no {kind}; put it in quotes if it is text")
        return text


def shown(value: Any) -> str:
    """Return a value as a message shows it: in backquotes, and cut to a length that fits into one."""
    if value is None or value == "":
        return "an empty value"
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    text = str(value)
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"
