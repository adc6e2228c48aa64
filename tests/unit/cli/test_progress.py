"""The progress bar: for people who wait, and for nobody else."""

import io

from tests.unit.cli.conftest import Terminal
from vppcfg.cli.progress import Progress


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(stream: io.StringIO, times: list[float]) -> str:
    """Report one more step at each time, in seconds after the start; return what was written."""
    clock = Clock()
    with Progress("Applying", len(times), stream, clock) as progress:
        for done, time_s in enumerate(times, 1):
            clock.now = 100.0 + time_s
            progress.report(done)
    return stream.getvalue()


def test_nothing_is_shown_within_the_first_second() -> None:
    assert shown(Terminal(), [0.1, 0.5, 0.9]) == ""


def test_a_bar_with_a_count_is_shown_then_and_wiped_at_the_end() -> None:
    text = shown(Terminal(), [0.5, 1.1])
    assert "Applying [" in text
    assert "] 2 of 2 steps" in text
    assert text.endswith("\r\x1b[K")


def test_it_is_drawn_at_most_ten_times_a_second() -> None:
    assert shown(Terminal(), [1.0 + step / 100 for step in range(100)]).count("Applying") <= 10


def test_nothing_is_shown_where_nobody_looks() -> None:
    assert shown(io.StringIO(), [1.5, 2.5]) == ""
