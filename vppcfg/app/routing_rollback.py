"""What brings routing daemons back to what they ran before a change and all those in force after it."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.app.routing_plan import DaemonChange, RoutingPlan, daemon_of
from vppcfg.model.routing import DaemonKind, RoutingTexts
from vppcfg.routing_daemons.daemon import RoutingDifference
from vppcfg.routing_daemons.text_file import text_or_nothing
from vppcfg.transaction.entry import IN_FORCE, Record
from vppcfg.transaction.journal import Journal


def daemon_rollback(change: Record, records: Sequence[Record], journal: Journal) -> RoutingPlan:
    """Return what brings the daemons back to what they ran before a change and all those in force after it.

    A daemon that does not answer is an error when it comes to loading. Raise PlanRefusedError when the journal cannot
    be read.
    """
    oldest: dict[tuple[DaemonKind, str, str], RoutingTexts] = {}
    for other in records:
        if other.entry.number < change.entry.number or other.status not in IN_FORCE:
            continue
        for texts in journal.routing(other.entry.number).texts:
            oldest.setdefault((texts.file.kind, texts.file.pathspace, texts.file.socket), texts)
    return RoutingPlan(changes=tuple(map(_back_to, oldest.values())))


def _back_to(texts: RoutingTexts) -> DaemonChange:
    daemon = daemon_of(texts.file)
    running = daemon.running()
    difference = daemon.difference(texts.before) if running.text else running.trouble
    if isinstance(difference, str):
        difference = RoutingDifference(trouble=difference)
    return DaemonChange(
        texts=RoutingTexts(
            file=texts.file,
            before=running.text,
            after=texts.before,
            startup_before=text_or_nothing(texts.file.startup),
            startup_after=texts.startup_before,
        ),
        difference=difference,
    )
