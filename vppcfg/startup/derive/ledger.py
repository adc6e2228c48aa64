"""Keeps the reason of every value while Settings are computed."""

from __future__ import annotations

from collections.abc import Container

from vppcfg.common.numbers import size_text
from vppcfg.model.problem import KeyPath
from vppcfg.startup.settings import Explanation, Origin


class Ledger:
    """Collects explanations in the order in which values are decided."""

    def __init__(self, in_file: Container[KeyPath]) -> None:
        """`in_file` has the paths of the keys that the file sets."""
        self._in_file = in_file
        self._explanations: list[Explanation] = []

    @property
    def explanations(self) -> tuple[Explanation, ...]:
        """Return what was explained so far."""
        return tuple(self._explanations)

    def add(self, key: str, value: object, origin: Origin, reason: str) -> None:
        """Explain one value."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self._explanations.append(Explanation(key=key, value=text, origin=origin, reason=reason))

    def given(self, key: str, value: object, default_reason: str) -> None:
        """Explain a value that is the file's, or its default for the reason given."""
        if tuple(key.split(".")) in self._in_file:
            self.add(key, value, Origin.FILE, "the file says so")
        else:
            self.add(key, value, Origin.DEFAULT, default_reason)

    @staticmethod
    def size(size_bytes: int) -> str:
        """Return a size as it is written."""
        return size_text(size_bytes)
