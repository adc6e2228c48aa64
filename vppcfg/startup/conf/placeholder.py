"""Finds what a template's author left to be filled in: `<pci address>`, `${PCI}`, `{{ pci }}`, `0000:xx:yy.z`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from vppcfg.common.bounds import PROBLEMS
from vppcfg.common.printable import printable
from vppcfg.model.problem import Problem

FILLER = "placeholder"
"""The word that stands where a template has something to be filled in."""
_COMMENT = re.compile(r"(?<!\S)#.*")
# Each part has an end within reach: a file of opening brackets is looked through once, and not once for each.
_PLACEHOLDER = re.compile(
    r"\{\{.{,100}?\}\}|\{%.{,100}?%\}"  # Jinja, Helm
    r"|\$\{[^}\s]{,100}\}|\$\([^)\s]{,100}\)|<?\${1,4}[A-Za-z_][A-Za-z0-9_-]*>?"  # shells
    r"|<[A-Za-z][^<>{}\n]*>|@[A-Z][A-Z0-9_]*@|%[A-Z][A-Z0-9_]*%"  # manuals, autoconf
    r"|\{[A-Z][A-Z0-9_]*\}|\b__[A-Z][A-Z0-9_]*__\b"  # Python and Kubernetes; no word of VPP is written so
    r"|\b[0-9a-fA-F]{4}:(?:[xX]{2}:[0-9a-fA-FxXyY]{2}|[0-9a-fA-F]{2}:[xXyY]{2})\.[0-9a-zA-Z]\b"  # PCI addresses
    r"|\b(?:CHANGE_?ME|REPLACE_?ME|FIX_?ME|TODO)\b"
)


def placeholders(text: str) -> tuple[str, tuple[Problem, ...]]:
    """Return a file with a word in each placeholder's place, and a problem for each, up to a bound; comments stay."""
    found = tuple(islice(_found(text), PROBLEMS))
    if not found:
        return text, ()
    return "\n".join(_filled(line) for line in text.split("\n")), found


def _found(text: str) -> Iterator[Problem]:
    for number, line in enumerate(text.split("\n"), 1):
        for match in _PLACEHOLDER.finditer(_COMMENT.sub("", line)):
            words = f"`{printable(match.group())}` is a placeholder; write the value of this router"
            yield Problem(rule="conf-placeholder", path=(), text=words, line=number, column=match.start() + 1)


def _filled(line: str) -> str:
    comment = _COMMENT.search(line)
    end = comment.start() if comment else len(line)
    return _PLACEHOLDER.sub(FILLER, line[:end]) + line[end:]
