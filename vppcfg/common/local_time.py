"""The time of day with its zone, wherever that is set to."""

from __future__ import annotations

from datetime import UTC, datetime


def local_time() -> datetime:
    """Return the time of day in the zone of the process; in UTC where Python takes its offset for impossible.

    TZ may name any offset of up to 24 hours and more; a datetime has less than 24 hours.
    """
    now = datetime.now(UTC)
    try:
        return now.astimezone()
    except ValueError:
        return now
