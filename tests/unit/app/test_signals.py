"""Signals while a change is under way: noted, not obeyed at once; what was ignored stays ignored."""

import signal
from collections.abc import Iterator

import pytest

from vppcfg.app.signals import deferring


@pytest.fixture
def ignored_sigint() -> Iterator[None]:
    """Ignore SIGINT, as a shell does for what it starts in the background."""
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_noted_and_asked_for_once(number: signal.Signals) -> None:
    asked: list[str] = []
    with deferring(lambda: asked.append("stop")) as stop:
        assert not stop()
        signal.raise_signal(number)
        signal.raise_signal(signal.SIGTERM)
        assert (stop(), stop.number, asked) == (True, number, ["stop"])


@pytest.mark.usefixtures("ignored_sigint")
def test_an_ignored_interruption_does_not_end_a_change_and_sigterm_does() -> None:
    with deferring(lambda: None) as stop:
        signal.raise_signal(signal.SIGINT)
        assert not stop()
        signal.raise_signal(signal.SIGTERM)
        assert stop.number is signal.SIGTERM
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
