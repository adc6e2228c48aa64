"""Whose an object is: the tag that marks our own, and the globs that exclude others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from vppcfg.common.printable import masked

MARK = "vppcfg"
TAG_BYTES = 63
"""VPP keeps 64 bytes of an interface's tag, the last one NUL (vnet/interface.api)."""

_UNSAFE = re.compile(r"[{}$#\\]")
"""What would end a word of VPP's CLI, or begin a comment or a macro."""


def tag_for(description: str | None) -> str:
    """Return the tag that marks an object as ours, with its description, at most 63 bytes of UTF-8."""
    if not description:
        return MARK
    text = f"{MARK} {masked(_UNSAFE.sub('_', description))}"
    return text.encode()[:TAG_BYTES].decode(errors="ignore")


def is_ours(tag: str) -> bool:
    """Return whether `tag` is our mark: `vppcfg`, or `vppcfg` with one space and a description."""
    return tag == MARK or tag.startswith(MARK + " ")


def is_foreign(tag: str) -> bool:
    """Return whether `tag` says that somebody else owns the object; an untagged object is nobody's."""
    return tag != "" and not is_ours(tag)


def kept_by_vpp(description: str) -> str:
    """Return what a tag holds of a description."""
    return description_of(tag_for(description))


def description_of(tag: str) -> str:
    """Return the description in one of our own tags, '' when it has none."""
    return tag[len(MARK) + 1 :] if tag.startswith(MARK + " ") else ""


class NameGlobs:
    """The `unmanaged` list: case-sensitive globs over object names, each name looked up once."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(patterns)
        self._exact = frozenset(pattern for pattern in self._patterns if not any(c in pattern for c in "*?["))
        self._globs = tuple(pattern for pattern in self._patterns if pattern not in self._exact)

    def matches(self, name: str) -> bool:
        """Return whether any of the patterns covers `name`."""
        return name in self._exact or any(fnmatchcase(name, pattern) for pattern in self._globs)
