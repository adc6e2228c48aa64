"""The sections of a configuration file, in the order in which they are written; those of kinds follow from `KINDS`.

Parsing, resolving, writing, the rules about names and the JSON Schema go through these lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.common.clock import seconds_of
from vppcfg.common.printable import printable
from vppcfg.config.command import words_of
from vppcfg.config.sections import checks, dataplane, interface, routing
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.section import Parsing, Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import scalar
from vppcfg.kinds.kind_list import SECTIONS_OF_KINDS, TABLES, VIRTUAL_INTERFACES
from vppcfg.model.hooks import LEAST_S, MOST_S, HookEvent, Hooks
from vppcfg.model.problem import Problem


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


_WITHIN = "within"


class _Hooks(Section):
    """The section `hooks`."""

    key = "hooks"
    attribute = "hooks"

    def parse(self, parsing: Parsing) -> Hooks:
        """Return the commands as lists of words, without those that could not be run."""
        raw: Mapping[str, Any] = {} if parsing.is_bad(self.key) else parsing.content.get(self.key) or {}
        words: dict[HookEvent, tuple[str, ...]] = dict.fromkeys(HookEvent, ())
        for event in HookEvent:
            try:
                words[event] = _words(raw.get(event.value))
            except ValueError as error:
                path = (self.key, event.value)
                parsing.problems.append(Problem(rule="hook-command", path=path, text=str(error)))
        within_s = _seconds(raw.get(_WITHIN))
        if within_s is None:
            text = f"{shown(raw[_WITHIN])} is no time from {LEAST_S}s to {MOST_S // 60}m, such as 30s"
            parsing.problems.append(Problem(rule="hook-within", path=(self.key, _WITHIN), text=text))
            within_s = Hooks().within_s
        return Hooks(
            after_apply=words[HookEvent.AFTER_APPLY],
            after_boot=words[HookEvent.AFTER_BOOT],
            after_rollback=words[HookEvent.AFTER_ROLLBACK],
            within_s=within_s,
        )


SECTION = _Hooks()


def _words(value: Any) -> tuple[str, ...]:
    """Return the words of a command, which is a text or a list. Raise ValueError when it cannot be run."""
    words = words_of(value)
    if words and not words[0].startswith("/"):
        raise ValueError(f"the program {shown(words[0])} is no absolute path; write all of it, such as /usr/bin/vppcfg")
    return words


def _seconds(value: Any) -> int | None:
    """Return a deadline in seconds, that by default where there is none; None when it is none within the bounds."""
    return Hooks().within_s if value is None else seconds_of(value, LEAST_S, MOST_S)


INTERFACES = interface.Interfaces(VIRTUAL_INTERFACES, TABLES)
SECTIONS: tuple[Section, ...] = (
    INTERFACES,
    *SECTIONS_OF_KINDS,
    UNMANAGED,
    PROTECTED,
    routing.SECTION,
    checks.SECTION,
    SECTION,
    dataplane.SECTION,
)
