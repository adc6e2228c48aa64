"""Writes the reference of rules in docs/, for `make docs`: an index, and a page for each group.

`python -m tools.rule_pages DIRECTORY` writes `rules.md` and the folder `rules` there.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from vppcfg import assets
from vppcfg.config.explain import Explanation, explanations
from vppcfg.record import record

TABLE = "schema/rule_groups.yaml"

_INTRODUCTION = """\
# Rules

Every problem that vppcfg finds names a rule. `vppcfg explain RULE` explains it, with a file that breaks it and the same
file put right; `vppcfg explain` lists all rules with their titles. The pages below have the same text, generated from
`schema/rules.yaml` by `make docs`; lines with `-` break the rule, and lines with `+` replace them. A rule is an error
unless its title names a warning or a notice.

## Groups
"""


@record
class RuleGroup:
    """Rules about one thing, which share a page."""

    page: str
    """The name of the page without its ending."""
    title: str
    about: str
    """What the rules of the group look at, as one sentence."""
    prefixes: tuple[str, ...]
    """How the names of its rules begin; of several that fit, the longest one decides."""
    when: str
    """The `when` of rules.yaml that all of its rules share; empty where names decide."""
    takes_others: bool
    """Whether rules that fit nowhere are here."""


@cache
def rule_groups() -> tuple[RuleGroup, ...]:
    """Return the groups in their order."""
    table: Mapping[str, Any] = yaml.safe_load(assets.find(TABLE).read_bytes())
    return tuple(
        RuleGroup(
            page=page,
            title=row["title"],
            about=row["about"],
            prefixes=tuple(row.get("prefixes", ())),
            when=row.get("when", ""),
            takes_others=row.get("others", False),
        )
        for page, row in table.items()
    )


def group_of(entry: Explanation) -> RuleGroup:
    """Return the group of a rule: by when it is found, then by its name, else the group for all other rules."""
    groups = rule_groups()
    when = _when(entry)
    for group in groups:
        if when and group.when == when:
            return group
    fitting = [
        (len(prefix), group.page, group)
        for group in groups
        for prefix in group.prefixes
        if f"{entry.rule}-".startswith(prefix)
    ]
    others = next(group for group in groups if group.takes_others)
    return max(fitting, key=lambda found: found[:2])[2] if fitting else others


def _when(entry: Explanation) -> str:
    """Return when a rule is found, where `vppcfg check` does not find it."""
    found = {
        "conf": entry.is_of_startup_conf,
        "fleet": entry.needs_fleet,
        "adopt": entry.needs_source,
        "upgrade": entry.is_of_upgrade,
        "startup": entry.needs_machine,
        "plan": entry.needs_vpp,
    }
    return next((when for when, is_so in found.items() if is_so), "")


def as_documents() -> dict[str, str]:
    """Return the text of every page by its path below docs/."""
    entries = list(explanations().values())
    groups = {entry.rule: group_of(entry) for entry in entries}
    pages = {
        f"rules/{group.page}.md": _page(group, [entry for entry in entries if groups[entry.rule] is group])
        for group in rule_groups()
    }
    return {"rules.md": _index(entries, groups), **pages}


def _index(entries: Sequence[Explanation], groups: Mapping[str, RuleGroup]) -> str:
    listed = [f"- [{group.title}](rules/{group.page}.md)" for group in rule_groups()]
    rules = [_linked(group, [entry for entry in entries if groups[entry.rule] is group]) for group in rule_groups()]
    return "\n".join([_INTRODUCTION, *listed, "", "## Rules of each group", "", *rules])


def _linked(group: RuleGroup, entries: Iterable[Explanation]) -> str:
    """Return a paragraph with links to the rules of a group, sorted by name; one a line, so that changes merge."""
    names = sorted(entry.rule for entry in entries)
    links = ",\n".join(f"[{name}](rules/{group.page}.md#{name})" for name in names)
    return f"**{group.title}**:\n{links}\n"


def _page(group: RuleGroup, entries: Sequence[Explanation]) -> str:
    """Return the page of a group. If one command finds all of its rules, the head of the page names the command."""
    finders = {entry.finder for entry in entries}
    shared = finders.pop() if len(finders) == 1 else ""
    about = " ".join(filter(None, (group.about, shared, "The [index](../rules.md) lists the rules of all groups.")))
    return "\n".join([f"# {group.title}\n\n{about}\n", *(_section(entry, shared) for entry in entries)])


def _section(entry: Explanation, shared_finder: str) -> str:
    parts = [f"## {entry.rule}", f"**{entry.title}.** {entry.meaning}", f"Why: {entry.reason}"]
    if entry.finder != shared_finder:
        parts.append(entry.finder)
    if entry.breaks and entry.mends:
        parts.append(f"```diff\n{_difference(entry.breaks, entry.mends)}\n```")
    return "\n\n".join(parts) + "\n"


def _difference(before: str, after: str) -> str:
    """Return the lines of both texts once: `-` marks those of the first alone, and `+` those of the second alone."""
    compared = difflib.Differ().compare(before.splitlines(), after.splitlines())
    return "\n".join(line[0] + line[2:] for line in compared if not line.startswith("?"))


def write(directory: Path) -> None:
    """Write all pages below a folder, and remove the pages of groups that are no more."""
    documents = as_documents()
    for stale in (directory / "rules").glob("*.md"):
        if f"rules/{stale.name}" not in documents:
            stale.unlink()
    for name, text in documents.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
