"""The result of a load test: what was done, with all that it takes to repeat it, and what was counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from vppcfg.loadtest.engine import Delay, Direction, Generator, Tally
from vppcfg.loadtest.flows.outcome import FlowsOutcome
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.stateful.outcome import StatefulOutcome
from vppcfg.loadtest.watch.outcome import Watched
from vppcfg.record import record

FORMAT_VERSION = 1
"""Grows when a reader of the former one would misread the document."""


class ResultKind(Enum):
    """The command that a result comes from."""

    RAMP = "ramp"
    SEARCH = "search"
    LATENCY = "latency"
    FLOWS = "flows"
    WATCH = "watch"
    ASTF = "astf"


@record
class Offered:
    """The traffic of a test and the path that it took."""

    profile: str
    size: str
    variation: str
    offset: int
    mean_frame_bytes: float
    """With check sequence, without the tags of the path."""
    directions: tuple[Direction, ...]
    link_bps: int
    vlan_tags: int = 0
    crossings: int = 1
    port_rate_pps: float
    """What the generator's ports carry at most, per direction; 100 % of line rate."""
    path_rate_pps: float
    """What the path carries at most per direction, its tags and crossings counted."""
    latency_pps: float = 0.0


@record
class Sample:
    """What was counted in about one second of a test."""

    at_s: float
    """The end of it, since the test began."""
    duration_s: float
    phase: LoadPhase
    load_pps: float
    """What was asked for, per direction."""
    tallies: tuple[Tally, ...]
    """What was counted in it, one per direction."""
    uncertainty_s: float = 0.0
    """See Count."""
    cpu_share: float | None = None
    queue_full: int | None = None
    """How often since the former sample."""


@record
class Total:
    """Everything that one direction sent and got back, counted after the traffic had stopped and settled."""

    direction: Direction
    tally: Tally
    intended: int = 0
    """What should have been sent; 0 when that is not known."""
    loss_ratio: float
    """Lost and never sent packets as a share, 0 to 1."""


@record
class Verdict:
    """Whether a test passed."""

    has_passed: bool
    limit_ratio: float
    """Passes below this share of lost packets, or of failed connections."""
    text: str


@record
class Trial:
    """One measurement of a search, at one load."""

    load_pps: float
    duration_s: float
    totals: tuple[Total, ...]
    cpu_share: float | None = None
    """Load of the generator near its end."""


@record
class Throughput:
    """What a search found for one goal; rates per direction."""

    goal: str
    """Such as NDR or PDR 0.5 %."""
    loss_ratio: float
    exceed_ratio: float
    final_trial_s: float
    duration_sum_s: float
    relative_width: float
    lower_bound_pps: float | None
    """The highest load that passed; None when even the lowest did not."""
    upper_bound_pps: float | None
    """The lowest load that failed above it; None when the highest passed."""
    conditional_pps: float | None
    """The throughput under that loss (RFC 9971)."""


@record
class DelayAtLoad:
    """Latency under one load."""

    load_pps: float
    duration_s: float
    delays: tuple[Delay, ...]
    totals: tuple[Total, ...]


@record
class Baseline:
    """What the generator does without a device, its ports connected to each other."""

    started_at: str
    offered: Offered
    totals: tuple[Total, ...]
    file: str = ""


@record
class Result:
    """Everything that is known of one test."""

    kind: ResultKind
    started_at: str
    """UTC, as in ISO 8601."""
    vppcfg_version: str
    command: tuple[str, ...] = ()
    """The arguments of vppcfg."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Every setting of the test, defaults included."""
    title: str = ""
    generator: Generator | None = None
    offered: Offered | None = None
    samples: tuple[Sample, ...] = ()
    totals: tuple[Total, ...] = ()
    verdict: Verdict | None = None
    loss_begins_pps: float | None = None
    """The load of the first sample of the last unbroken run of samples that lose too much; None when there is none."""
    trials: tuple[Trial, ...] = ()
    throughputs: tuple[Throughput, ...] = ()
    delays: tuple[DelayAtLoad, ...] = ()
    flows: FlowsOutcome | None = None
    stateful: StatefulOutcome | None = None
    watched: tuple[Watched, ...] = ()
    baseline: Baseline | None = None
    tuning: Mapping[str, Any] | None = None
    """What `vppcfg tune --format json` reports of the device in the hold phase."""
    is_complete: bool = True
    """Whether the test ran to its planned end."""
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the title, or what was offered."""
        if self.stateful is not None and not self.title:
            return f"connections {self.stateful.profile}"
        if self.title or self.offered is None:
            return self.title or self.kind.value
        words = (self.offered.profile, self.offered.size, self.offered.variation)
        ways = "bidirectional" if len(self.offered.directions) > 1 else "unidirectional"
        return " ".join((*(word for word in dict.fromkeys(words) if word != "none"), ways))
