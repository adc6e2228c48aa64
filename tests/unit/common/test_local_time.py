"""The time of day with its zone."""

import time
from datetime import UTC, datetime

import pytest

from vppcfg.common.clock import local_time


@pytest.mark.parametrize(("zone", "offset_h"), [("<+05>-5", 5), ("<+99>-99:99", 0), ("<-24>24", 0)])
def test_an_offset_that_python_refuses_gives_utc(monkeypatch: pytest.MonkeyPatch, zone: str, offset_h: int) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        now, offset = local_time(), local_time().utcoffset()
    finally:
        monkeypatch.undo()
        time.tzset()
    assert offset is not None and offset.total_seconds() == offset_h * 3600
    assert abs((datetime.now(UTC) - now).total_seconds()) < 10
