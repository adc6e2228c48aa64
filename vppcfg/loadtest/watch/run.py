"""Sends probes at a steady pace, and counts each answer in the interval in which its probe was sent."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from vppcfg.loadtest.watch.outcome import Moment, Watched, watched_of
from vppcfg.loadtest.watch.probe import Probe
from vppcfg.record import record

_NS = 10**9


@record
class WatchTarget:
    """A target and the probe that is sent to it."""

    name: str
    """As the operator wrote it."""
    address: str
    kind: str
    probe: Probe


@record
class WatchPlan:
    """The pace, the duration and the patience of a watch, in seconds."""

    interval_s: float
    duration_s: float | None
    """None for no end."""
    timeout_s: float
    moment_s: float
    """How much time is one point of the result."""


@dataclass(slots=True, kw_only=True)
class _Track:
    """One target's probes so far."""

    target: WatchTarget
    sent_ns: list[int] = field(default_factory=list)
    rtts_us: dict[int, float] = field(default_factory=dict)
    duplicates: int = 0
    refused: int = 0


class LoadWatch:
    """A running watch. `recent` and `outcome` may be called at any time."""

    def __init__(
        self, targets: Sequence[WatchTarget], plan: WatchPlan, on_second: Callable[[LoadWatch, float], None]
    ) -> None:
        self._plan = plan
        self._tracks = [_Track(target=target) for target in targets]
        self._on_second = on_second
        self._began_ns = time.monotonic_ns()

    def run(self) -> None:
        """Probe until the time is over and the last probe has had its time to come back."""
        self._began_ns = time.monotonic_ns()
        with selectors.DefaultSelector() as selector:
            for track in self._tracks:
                selector.register(track.target.probe, selectors.EVENT_READ, track)
            self._send_and_receive(selector)

    def recent(self, window_s: float) -> list[tuple[str, int, list[float]]]:
        """Return name, probes sent and round-trip times of the last seconds that have had time to come back."""
        until = time.monotonic_ns() - round(min(self._plan.timeout_s, window_s) * _NS)
        since = until - round(window_s * _NS)
        found = []
        for track in self._tracks:
            numbers = [number for number, sent in _tail(track.sent_ns, since) if sent <= until]
            rtts = [track.rtts_us[number] for number in numbers if number in track.rtts_us]
            found.append((track.target.name, len(numbers), rtts))
        return found

    def outcome(self) -> tuple[Watched, ...]:
        """Return what was seen of each target; probes that may still come back are left out."""
        deadline = time.monotonic_ns() - round(self._plan.timeout_s * _NS)
        return tuple(self._watched(track, deadline) for track in self._tracks)

    def _send_and_receive(self, selector: selectors.BaseSelector) -> None:
        plan = self._plan
        step_ns, turn, second = round(plan.interval_s * _NS), 0, 1
        end_ns = None if plan.duration_s is None else self._began_ns + round(plan.duration_s * _NS)
        while True:
            due_ns = self._began_ns + turn * step_ns
            is_over = end_ns is not None and due_ns >= end_ns
            if is_over and end_ns is not None:
                due_ns = end_ns + round(plan.timeout_s * _NS)
            self._receive_until(selector, due_ns, stops_when_all_is_back=is_over)
            if is_over:
                return
            self._send(turn)
            turn += 1
            if time.monotonic_ns() - self._began_ns >= second * _NS:
                self._on_second(self, (time.monotonic_ns() - self._began_ns) / _NS)
                second = (time.monotonic_ns() - self._began_ns) // _NS + 1

    def _send(self, number: int) -> None:
        for track in self._tracks:
            track.sent_ns.append(time.monotonic_ns())
            try:
                track.target.probe.send(number)
            except OSError:
                track.refused += 1  # an answer to an earlier probe, or no route: this one is lost

    def _receive_until(self, selector: selectors.BaseSelector, due_ns: int, *, stops_when_all_is_back: bool) -> None:
        while (left_ns := due_ns - time.monotonic_ns()) > 0:
            if stops_when_all_is_back and all(len(track.rtts_us) == len(track.sent_ns) for track in self._tracks):
                return
            for key, _ in selector.select(left_ns / _NS):
                self._receive(key.data)

    def _receive(self, track: _Track) -> None:
        """Take everything that waits."""
        with suppress(BlockingIOError):
            while True:
                try:
                    answer = track.target.probe.receive()
                except BlockingIOError:
                    raise
                except OSError:
                    track.refused += 1
                    continue
                if answer is None or answer.number >= len(track.sent_ns):
                    continue
                if answer.number in track.rtts_us:
                    track.duplicates += 1
                    continue
                took_ns = time.monotonic_ns() - answer.waited_ns - track.sent_ns[answer.number]
                if 0 <= took_ns <= self._plan.timeout_s * _NS:
                    track.rtts_us[answer.number] = took_ns / 1000

    def _watched(self, track: _Track, deadline_ns: int) -> Watched:
        numbers = [
            number for number, sent in enumerate(track.sent_ns) if sent <= deadline_ns or number in track.rtts_us
        ]
        moments: dict[int, list[int]] = {}
        for number in numbers:
            place = int((track.sent_ns[number] - self._began_ns) / _NS / self._plan.moment_s)
            moments.setdefault(place, []).append(number)
        return watched_of(
            target=track.target.name,
            address=track.target.address,
            probe=track.target.kind,
            interval_s=self._plan.interval_s,
            rtts_us=[track.rtts_us.get(number) for number in numbers],
            moments=tuple(
                Moment(
                    at_s=(place + 1) * self._plan.moment_s,
                    sent=len(inside),
                    rtts_us=tuple(sorted(round(track.rtts_us[n], 1) for n in inside if n in track.rtts_us)),
                )
                for place, inside in sorted(moments.items())
            ),
            duplicates=track.duplicates,
            refused=track.refused,
        )


def _tail(sent_ns: list[int], since_ns: int) -> list[tuple[int, int]]:
    """Return number and time of the probes sent since a moment, without a look at all others."""
    first = len(sent_ns)
    while first and sent_ns[first - 1] > since_ns:
        first -= 1
    return list(enumerate(sent_ns[first:], start=first))
