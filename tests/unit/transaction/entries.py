"""Entries of the journal, of which a test says only what it is about."""

from dataclasses import replace

from vppcfg.transaction.entry import Entry, Origin

NOW = "2026-01-02T03:04:05+00:00"
_BLANK = Entry(
    number=0,
    origin=Origin.APPLY,
    made_at=NOW,
    made_by="root",
    made_with="1",
    boot_id="run 1",
    version="26.10",
    impact="none",
    steps=1,
    summary="1 change",
)


def entry(number: int = 0, origin: Origin = Origin.APPLY, **attributes: object) -> Entry:
    """Return an entry with some attributes, made by root at NOW."""
    return replace(_BLANK, number=number, origin=origin, **attributes)  # type: ignore[arg-type]
