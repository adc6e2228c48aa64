"""The sections that list names: `unmanaged`, what vppcfg leaves alone, and `protected`, what no plan may harm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.common.printable import printable
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.section import Parsing, Section
from vppcfg.entries.yaml.text import scalar


class NameList(Section):
    """A section that is a list of names, or of globs over names."""

    def __init__(self, key: str, *, has_reasons: bool = False) -> None:
        self.key = self.attribute = key
        self._has_reasons = has_reasons

    def parse(self, parsing: Parsing) -> tuple[str, ...]:
        """Return the list, nothing when any of it is of a wrong shape."""
        return () if parsing.is_bad(self.key) else tuple(parsing.content.get(self.key) or ())

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the names, each with its reason as a comment when there is one."""
        texts: tuple[str, ...] = getattr(configuration, self.key)
        if texts:
            yield f"{self.key}:"
        for text in texts:
            comment = f" # {printable(reasons[text])}" if self._has_reasons and text in reasons else ""
            yield f"  - {scalar(text)}{comment}"


UNMANAGED = NameList("unmanaged", has_reasons=True)
PROTECTED = NameList("protected")
