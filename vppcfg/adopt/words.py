"""Finds among the words behind a command of VPP's CLI the one that stands at a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Words = Sequence[str]
NEIGHBOR_WORDS = frozenset({"del", "delete", "static", "no-fib-entry"})
"""Words of `set ip neighbor` that are neither its interface nor an address."""


def first(words: Words) -> str | None:
    """Return the first word, None where there is none."""
    return words[0] if words else None


def second(words: Words) -> str | None:
    """Return the second word, None where there is none."""
    return words[1] if words[1:] else None


def last(words: Words) -> str | None:
    """Return the last word, None where there is none."""
    return words[-1] if words else None


def beside(keywords: frozenset[str], valued: str = "") -> Callable[[Words], str | None]:
    """Return what finds the first word that is no keyword of a command, whose words come in any order.

    Behind `valued` stands a value, which is no interface either.
    """

    def find(words: Words) -> str | None:
        return next(iter(other_words(words, keywords, valued)), None)

    return find


def other_words(words: Words, keywords: frozenset[str], valued: str) -> list[str]:
    """Return the words of a command but for its keywords, and for `valued` with the value behind it."""
    before = ("", *words)
    return [word for word, former in zip(words, before, strict=False)
            if word not in keywords and word != valued and (not valued or former != valued)]  # fmt: skip


def after(skipped: str) -> Callable[[Words], str | None]:
    """Return what finds the first word that is not `skipped`."""
    return lambda words: next((word for word in words if word != skipped), None)


def behind(word: str) -> Callable[[Words], str | None]:
    """Return what finds the word behind another one."""
    return lambda words: words[words.index(word) + 1] if word in words[:-1] else None


def paired(words: Words) -> str | None:
    """Return the interface in `lcp create`, whose words may come in any order."""
    left = list(words)
    for word in ("host-if", "netns"):
        if word in left:
            del left[left.index(word) : left.index(word) + 2]
    return next((word for word in left if word != "tun"), None)
