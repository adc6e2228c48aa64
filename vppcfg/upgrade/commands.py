"""Finds commands in a router's scripts that another release of VPP lacks, or takes for other commands."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.adopt.grammar import grammar_of
from vppcfg.common.release import Release
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding, Weight
from vppcfg.upgrade.subject import UpgradeSubject


def command_findings(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    """Yield the commands that today's VPP takes and the target does not, or takes for other commands."""
    today, then = grammar_of(change.old), grammar_of(change.new)
    for place, command in subject.commands():
        old, new = today.read(command), then.read(command)
        if not old.command or old.command == new.command:
            continue
        shown = " ".join(command.split())
        if new.command:
            text = f"`{shown}` is `{old.command}` today, and `{new.command}` for VPP {change.new}"
        elif new.choices:
            text = f"`{new.word}` in `{shown}` could be {', '.join(new.choices)} for VPP {change.new}, which takes none"
        else:
            text = f"VPP {change.new} has no command `{old.command}`, and does not run what follows in the script"
        yield UpgradeFinding(
            rule="up-command",
            weight=Weight.CHANGES if new.command else Weight.STOPS,
            text=f"{place}: {text}",
            objects=(place,),
            since=None if change.is_back else _first(command, old.command, change),
            mend="write out every word" if new.command or new.choices else "remove it, or write it differently",
        )


def _first(command: str, meant: str, change: ReleaseChange) -> Release:
    passed = change.passed()
    return next((each for each in passed if grammar_of(each).read(command).command != meant), change.new)
