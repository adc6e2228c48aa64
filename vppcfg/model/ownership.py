"""Which objects are vppcfg's own, by the mark in their tags, and the globs that exclude others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from vppcfg.common.printable import masked

MARK = "vppcfg"
CREATED_MARK = "vppcfg:made"
"""The mark of a port that a file makes. Other ports like it are made by startup scripts, and a port that a file only
describes carries MARK, so neither is ever taken for one that a plan may remove."""
_MARKS = (MARK, CREATED_MARK)
TAG_BYTES = 63
"""VPP keeps 64 bytes of an interface's tag, the last one NUL (vnet/interface.api)."""

_UNSAFE = re.compile(r"[{}$#\\]")
"""What would end a word of VPP's CLI, or begin a comment or a macro."""


def tag_for(description: str | None, mark: str = MARK) -> str:
    """Return the tag that marks an object as ours, with its description, at most 63 bytes of UTF-8."""
    if not description:
        return mark
    text = f"{mark} {masked(_UNSAFE.sub('_', description))}"
    return text.encode()[:TAG_BYTES].decode(errors="ignore")


def is_ours(tag: str) -> bool:
    """Return whether `tag` is one of our marks, or that with one space and a description."""
    return tag.partition(" ")[0] in _MARKS


def mark_of(tag: str) -> str:
    """Return the mark in one of our own tags."""
    return tag.partition(" ")[0]


def is_created_by_us(tag: str) -> bool:
    """Return whether `tag` shows that a file made the port that carries it."""
    return tag.partition(" ")[0] == CREATED_MARK


def is_foreign(tag: str) -> bool:
    """Return whether `tag` is that of another program; an object without a tag has no owner."""
    return tag != "" and not is_ours(tag)


def kept_by_vpp(description: str, mark: str = MARK) -> str:
    """Return what a tag holds of a description."""
    return description_of(tag_for(description, mark))


def description_of(tag: str) -> str:
    """Return the description in one of our own tags, '' when it has none."""
    mark, _, description = tag.partition(" ")
    return description if mark in _MARKS else ""


class NameGlobs:
    """The `unmanaged` list: case-sensitive globs over object names, each name looked up once."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(patterns)
        self._exact = frozenset(pattern for pattern in self._patterns if not any(c in pattern for c in "*?["))
        self._globs = tuple(pattern for pattern in self._patterns if pattern not in self._exact)

    def matches(self, name: str) -> bool:
        """Return whether any of the patterns covers `name`."""
        return name in self._exact or any(fnmatchcase(name, pattern) for pattern in self._globs)


def unique_names(tags: Mapping[int, str], kind: str) -> dict[int, str]:
    """Return the name of everything with a tag by its index: ours by the tag, another by its kind and the tag.

    What is not unique in that, or has no tag, has `@` and the index behind it.
    """
    names = {index: description_of(tag) or f"{kind}{tag}" for index, tag in tags.items()}
    times = Counter(names.values())
    return {index: name if times[name] == 1 and name != kind else f"{name}@{index}" for index, name in names.items()}
