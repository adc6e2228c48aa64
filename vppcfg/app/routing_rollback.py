"""What brings routing daemons back to what they ran before a change and all those in force after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vppcfg.app.routing_accepted import loaded_texts
from vppcfg.app.routing_plan import DaemonChange, RoutingPlan, daemon_of, unsaved_text
from vppcfg.errors import ExitCode, VppcfgError
from vppcfg.model.routing import DaemonKind, RoutingTexts
from vppcfg.routing_daemons.daemon import RoutingDifference
from vppcfg.routing_daemons.text_file import text_or_nothing
from vppcfg.transaction.entry import IN_FORCE, Record
from vppcfg.transaction.journal import Journal


class DaemonsNotBackError(VppcfgError):
    """VPP is in the old state, and a routing daemon is not."""

    exit_code = ExitCode.STRANDED


def load_again(changes: Sequence[DaemonChange]) -> None:
    """Load what a rollback could not. Raise DaemonsNotBackError when a daemon still does not take it."""
    troubles = [daemon_of(change.texts.file).load(change.texts.after, None) for change in changes]
    if any(troubles):
        hint = "the daemon's startup file has what it is to run"
        raise DaemonsNotBackError("; ".join(filter(None, troubles)), hint)


def daemon_rollback(change: Record, records: Sequence[Record], journal: Journal) -> RoutingPlan:
    """Return what brings the daemons back to what they ran before a change and all those in force after it.

    A daemon that does not answer is an error when it comes to loading. Raise PlanRefusedError when the journal cannot
    be read.
    """
    oldest: dict[tuple[DaemonKind, str, str], RoutingTexts] = {}
    loaded = loaded_texts(reversed(records), journal)
    for other in records:
        if other.entry.number < change.entry.number or other.status not in IN_FORCE:
            continue
        for texts in journal.routing(other.entry.number).texts:
            oldest.setdefault(texts.file.instance, texts)
    return RoutingPlan(changes=tuple(_back_to(texts, loaded) for texts in oldest.values()))


def _back_to(texts: RoutingTexts, loaded: Sequence[RoutingTexts]) -> DaemonChange:
    daemon, unsaved = daemon_of(texts.file), unsaved_text(texts.file, texts.before, loaded)
    running = daemon.running()
    difference = daemon.difference(texts.before, unsaved) if running.text else running.trouble
    if isinstance(difference, str):
        difference = RoutingDifference(trouble=difference)
    elif running.trouble:
        difference = replace(difference, trouble=running.trouble)
    given = next((each.after for each in loaded if each.file.instance == texts.file.instance), "")
    return DaemonChange(
        texts=RoutingTexts(
            file=texts.file,
            before=unsaved or running.text or given,
            after=texts.before,
            startup_before=text_or_nothing(texts.file.startup),
            startup_after=texts.startup_before,
        ),
        difference=difference,
    )
