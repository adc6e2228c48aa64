"""The explanations of rules: reads schema/rules.yaml, and writes one for a terminal. It checks no file."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from vppcfg import assets
from vppcfg.errors import UsageError
from vppcfg.kinds.kind_list import ADDED_KINDS
from vppcfg.record import record

TABLE = "schema/rules.yaml"
WIDTH = 80


@record
class Explanation:
    """What one rule means."""

    rule: str
    title: str
    """What must hold."""
    meaning: str
    """What the rule looks at and what to do about it; one paragraph."""
    reason: str
    """Why VPP, Linux or YAML needs it; one paragraph."""
    breaks: str | None
    """A file that breaks the rule."""
    mends: str | None
    """The same file put right."""
    needs_vpp: bool
    """Whether the rule needs a VPP."""
    is_of_startup_conf: bool
    """Whether it is a finding of `startup check`."""
    needs_machine: bool
    """Whether the rule needs the machine."""
    needs_fleet: bool
    """Whether it is about several files beside each other; the examples are several, each below a line `# NAME`."""
    needs_source: bool
    """Whether it is about what `vppcfg adopt` reads."""
    is_of_upgrade: bool
    """Whether it is about another release of VPP."""

    @property
    def finder(self) -> str:
        """Return who finds it when `vppcfg check` does not, as a sentence."""
        if self.is_of_startup_conf:
            return "Found by `vppcfg startup check`, and in a file that `vppcfg startup` would bring up to date."
        if self.needs_fleet:
            return "Found by `vppcfg check --fleet`, which compares the files of many routers."
        if self.needs_source:
            return "Reported by `vppcfg adopt`, not by `vppcfg check`."
        if self.is_of_upgrade:
            return "Found by `vppcfg upgrade`, which judges a router for another release of VPP."
        if self.needs_machine:
            return "Found by `vppcfg startup`, which reads the machine, not by `vppcfg check`."
        return "Found by `vppcfg plan` and `apply`, which ask a VPP, not by `vppcfg check`." if self.needs_vpp else ""


@cache
def explanations() -> Mapping[str, Explanation]:
    """Return the explanation of every rule by its id, in the order of the table."""
    files = (assets.find(TABLE), *(Path(kind.rule_texts) for kind in ADDED_KINDS if kind.rule_texts))
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    tables: list[Mapping[str, Any]] = [yaml.load(file.read_bytes(), Loader=loader) for file in files]
    entries = {rule: entry for table in reversed(tables) for rule, entry in table.items()}
    return MappingProxyType({rule: _explanation(rule, entry) for rule, entry in {**tables[0], **entries}.items()})


def explain(rule: str) -> Explanation:
    """Return the explanation of one rule. Raise UsageError, with the most similar rule as hint, for an unknown one."""
    known = explanations()
    if rule in known:
        return known[rule]
    close = difflib.get_close_matches(rule, known, n=1)
    hint = f"did you mean {close[0]}?" if close else "`vppcfg explain` lists the rules"
    raise UsageError(f"there is no rule {rule}", hint)


def as_text(explanation: Explanation) -> str:
    """Return an explanation as plain text, wrapped for a terminal."""
    parts = [
        _wrapped(f"{explanation.rule}: {explanation.title}"),
        _wrapped(explanation.meaning),
        _wrapped(f"Why: {explanation.reason}"),
    ]
    if explanation.finder:
        parts.append(_wrapped(explanation.finder))
    if explanation.breaks and explanation.mends:
        parts.append("This breaks it:\n\n" + textwrap.indent(explanation.breaks.rstrip(), "    "))
        parts.append("This is valid:\n\n" + textwrap.indent(explanation.mends.rstrip(), "    "))
    return "\n\n".join(parts) + "\n"


def _explanation(rule: str, entry: Mapping[str, str]) -> Explanation:
    return Explanation(
        rule=rule,
        title=entry["title"],
        meaning=entry["means"],
        reason=entry["why"],
        breaks=entry.get("breaks"),
        mends=entry.get("mends"),
        needs_vpp=entry.get("when") == "plan",
        is_of_startup_conf=entry.get("when") == "conf",
        needs_machine=entry.get("when") == "startup",
        needs_fleet=entry.get("when") == "fleet",
        needs_source=entry.get("when") == "adopt",
        is_of_upgrade=entry.get("when") == "upgrade",
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)
