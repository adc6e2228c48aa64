"""What routing daemons run once a change is accepted: confirmed, in their startup files, watched, loaded at boot."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import datetime

from vppcfg.app.routing_plan import DaemonChange, daemon_of, unsaved_text, wanted_text
from vppcfg.errors import PlanRefusedError, StorageError
from vppcfg.model.routing import DaemonKind, JournalledRouting, RoutingTexts
from vppcfg.routing_daemons.daemon import NOTHING_WAITS, RoutingDifference, write_like
from vppcfg.routing_daemons.text_file import text_or_nothing
from vppcfg.transaction.entry import ACCEPTED, Origin, Record, Status
from vppcfg.transaction.journal import NO_ROUTING, Journal

log = logging.getLogger("root.main")


def persist_running(number: int, journal: Journal, unloaded: Collection[DaemonChange] = ()) -> None:
    """Have the daemons confirm what an accepted change has loaded, and start with it; report it when that fails.

    Those that are `unloaded` do not run it, but start with it.
    """
    not_loaded = {change.texts.file for change in unloaded}
    for texts in _journalled(number, journal).texts:
        change, trouble = journal.record(number), ""
        if texts.is_changing and texts.file not in not_loaded:
            trouble = _confirm_or_load(texts, has_waited=change.timer is not None)
        if trouble:
            log.error("%s does not confirm its configuration: %s", texts.file.kind.title, trouble)
        _start_with(texts, change, is_read=not trouble and texts.file not in not_loaded)


def _start_with(texts: RoutingTexts, change: Record, *, is_read: bool) -> None:
    """Write a startup file, and let its time show whether BIRD has read it, since BIRD does not report what it runs."""
    path, title = texts.file.startup, texts.file.kind.title
    if starts_otherwise(texts):
        if trouble := write_like(path, texts.startup_after, path):
            log.error("%s would start with its previous configuration: %s", title, trouble)
            return
        log.info("%s starts with the configuration of change %d: %s", title, change.entry.number, path)
    elif is_read:
        return
    with suppress(OSError, ValueError):
        began_s = datetime.fromisoformat(change.entry.made_at).timestamp()
        os.utime(path, (began_s, began_s) if is_read else None)


def starts_otherwise(texts: RoutingTexts) -> bool:
    """Return whether a daemon starts with something else than it is to once the change is accepted."""
    return bool(texts.startup_after) and text_or_nothing(texts.file.startup) != texts.startup_after


def refuse_old_startup(change: Record, journal: Journal) -> None:
    """Raise StorageError when a change was accepted just now and a daemon would start with another configuration."""
    for texts in _journalled(change.entry.number, journal).texts if change.status in ACCEPTED else ():
        if starts_otherwise(texts):
            raise StorageError(
                f"change {change.entry.number} is {change.status.value}, but {texts.file.kind.title} would start with "
                f"another configuration: {texts.file.startup} could not be written",
                f"see whether {os.path.dirname(texts.file.startup)} can be written to, and apply the same again",
            )


def is_corrected(number: int, journal: Journal) -> bool:
    """Return whether a file of a routing daemon asks for something else by now than for a change."""
    return any(wanted_text(texts.file) != texts.after for texts in _journalled(number, journal).texts)


def _confirm_or_load(texts: RoutingTexts, *, has_waited: bool) -> str:
    """Confirm what a daemon runs, or load it again where the daemon has gone back; return why that failed."""
    daemon = daemon_of(texts.file)
    trouble = daemon.confirm()
    if trouble != NOTHING_WAITS:
        return trouble
    return daemon.load(texts.after, None) if has_waited and texts.file.kind is DaemonKind.BIRD else ""


def confirm_running(number: int, journal: Journal) -> None:
    """Confirm to the daemons what a waiting change has loaded: vppcfg's own timer brings them back."""
    for texts in _journalled(number, journal).texts:
        trouble = daemon_of(texts.file).confirm() if texts.is_changing else ""
        if trouble not in {"", NOTHING_WAITS}:
            log.warning("%s does not confirm its configuration: %s", texts.file.kind.title, trouble)


def accepted_routing(newest_first: Iterable[Record], journal: Journal) -> JournalledRouting:
    """Return what the daemons run by the last change that was accepted; nothing after a file without daemons.

    A boot, a reconcile and the rollback of a change without daemons leave them as they are.
    """
    for other in newest_first:
        if other.status in ACCEPTED:
            routing = _journalled(other.entry.number, journal)
            if routing.texts or other.entry.origin is Origin.APPLY:
                return routing
    return NO_ROUTING


def loaded_texts(newest_first: Iterable[Record], journal: Journal) -> tuple[RoutingTexts, ...]:
    """Return what daemons were to load since and by the last change that was accepted, the newest first.

    A change that failed has brought the daemons back, and so has a boot after those that were not accepted before it.
    """
    found: list[RoutingTexts] = []
    is_booted = False
    for other in newest_first:
        is_accepted = other.status in ACCEPTED
        if other.status is Status.REVERTED or (is_booted and not is_accepted):
            continue
        texts = _journalled(other.entry.number, journal).texts
        found += texts
        if is_accepted and (texts or other.entry.origin is Origin.APPLY):
            break
        is_booted = is_booted or (is_accepted and other.entry.origin is Origin.BOOT)
    return tuple(found)


def drift_of(newest_first: Iterable[Record], journal: Journal) -> Iterator[tuple[str, str]]:
    """Yield each daemon that does not run what was accepted, and how, or that does not start with it."""
    for texts, difference in _differences(newest_first, journal):
        title = texts.file.kind.title
        if isinstance(difference, str):
            yield title, difference
        elif difference.lines:
            more = f" and {len(difference.lines) - 1} more" if len(difference.lines) > 1 else ""
            yield title, f"{title} does not run what was accepted: {difference.lines[0]}{more}"
        elif starts_otherwise(texts):
            yield title, f"{texts.file.startup} is not what was accepted, and {title} would start with it"


def bring_back_accepted_routing(newest_first: Iterable[Record], journal: Journal) -> None:
    """Have the daemons run what was accepted last, where a change was under way when VPP went; report what fails."""
    for texts, difference in _differences(newest_first, journal):
        title = texts.file.kind.title
        if isinstance(difference, str):
            log.warning("%s; it starts with %s", difference, texts.file.startup)
        elif difference.lines:
            log.warning("%s does not run what was accepted last: that is loaded again", title)
            if trouble := daemon_of(texts.file).load(texts.after, None):
                log.error("%s", trouble)


def _differences(
    newest_first: Iterable[Record], journal: Journal
) -> Iterator[tuple[RoutingTexts, RoutingDifference | str]]:
    """Yield what each daemon is to run by the last accepted change, and how it differs, or why that is not known."""
    records = tuple(newest_first)
    loaded = loaded_texts(records, journal)
    for texts in accepted_routing(records, journal).texts:
        unsaved = unsaved_text(texts.file, texts.after, loaded)
        yield texts, daemon_of(texts.file).difference(texts.after, unsaved)


def _journalled(number: int, journal: Journal) -> JournalledRouting:
    if not number:
        return NO_ROUTING
    try:
        return journal.routing(number)
    except PlanRefusedError as error:
        log.error("What the routing daemons ran around change %d is not known: %s", number, error.message)
        return NO_ROUTING
