"""A finding of the tuner: a verdict with its evidence, the change that it proposes, and what to expect from that."""

from __future__ import annotations

from enum import Enum

from vppcfg.record import record


class FindingSeverity(Enum):
    """How much a finding matters, worst first."""

    LOSS = "loss"
    """Packets are being lost."""
    LIMIT = "limit"
    """More is not to be had as things are, though nothing is lost here."""
    RISK = "risk"
    """Nothing is wrong yet."""
    NOTICE = "notice"
    GOOD = "good"


class Basis(Enum):
    """Where an expected effect comes from."""

    MEASURED = "measured"
    COMPUTED = "computed"
    GUESS = "guess"


@record
class Evidence:
    """A measured figure as a sentence, and where it was read."""

    text: str
    source: str


@record
class Setting:
    """One value of the section `dataplane`, and the words that it becomes in startup.conf."""

    path: tuple[str, ...]
    """Keys below `dataplane`."""
    value: int | bool | str | None
    """None takes the key away."""
    former: int | bool | str | None = None
    """What it is now, when that is known."""
    stanza: tuple[str, ...] = ()
    """The sections of startup.conf that the words stand in, outermost first."""
    words: str = ""
    """What stands there then; empty when the words go away."""
    former_words: str = ""
    """What stands there now; empty for nothing, or where it is unknown."""


@record
class Remedy:
    """A change. Without settings it is something to do elsewhere: a cable, a slot, a BIOS."""

    text: str
    settings: tuple[Setting, ...] = ()
    live: tuple[str, ...] = ()
    """Commands that try it on the running VPP, without a restart."""


@record
class Expectation:
    """The effect that the proposal should have, and how that is known."""

    text: str
    basis: Basis
    gain_pps: float | None = None
    """Packets per second more than now, where that is known."""


@record
class Finding:
    """One verdict about one subject."""

    rule: str
    severity: FindingSeverity
    subject: str
    """A port, a thread, or `VPP`."""
    verdict: str
    evidence: tuple[Evidence, ...] = ()
    lost_pps: float = 0.0
    """Packets per second lost to this; what findings rank by."""
    proposal: Remedy | None = None
    expectation: Expectation | None = None
    disproof: str = ""
    """What would show that the verdict is wrong."""
    undecided: str = ""
    """When the verdict is not certain: the measurement that would decide it."""
