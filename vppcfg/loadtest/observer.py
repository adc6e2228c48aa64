"""What a running test tells whoever watches it."""

from __future__ import annotations

from typing import Protocol

from vppcfg.loadtest.engine import Tally
from vppcfg.loadtest.result import Phase, Sample
from vppcfg.record import record


@record
class Status:
    """How far a test has got."""

    phase: Phase
    elapsed_s: float
    remaining_s: float
    """At most, as far as it is known."""
    load_pps: float
    """Per direction."""
    sample: Sample
    so_far: Tally
    """All directions, since the test began."""
    loss_ratio: float
    """What is lost of that for certain."""
    is_losing: bool = False
    """Whether this sample lost more than allowed."""


class Observer(Protocol):
    """Is told what happens; must return at once."""

    def begin(self, phase: Phase, load_pps: float, duration_s: float) -> None:
        """Take note that a phase begins."""

    def change(self, load_pps: float) -> None:
        """Take note that the load is another now."""

    def observe(self, status: Status) -> None:
        """Take note of a sample."""


class Silence:
    """An observer that nobody listens to."""

    def begin(self, phase: Phase, load_pps: float, duration_s: float) -> None:
        """Do nothing."""

    def change(self, load_pps: float) -> None:
        """Do nothing."""

    def observe(self, status: Status) -> None:
        """Do nothing."""
