"""The section `hooks`: commands that vppcfg runs after a change. Plans and dumps do not look at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.common.clock import seconds_of
from vppcfg.config.command import words_of
from vppcfg.entries.section import Parsing, Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.model.hooks import LEAST_S, MOST_S, HookEvent, Hooks
from vppcfg.model.problem import Problem

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
