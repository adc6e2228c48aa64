"""Tells what must not happen to a frame while a change is under way: neither what did before it, nor what will after.

A frame that passes before and after has to pass at each step, and one that an access list denies before and after must
be denied. Where a change gives a frame another end, both are right until the change is complete.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from vppcfg.probe.forwarding import predict
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameEnd, FrameProbe, Prediction, Reason, UndecidedError
from vppcfg.probe.test_cases import probes_for
from vppcfg.probe.trace import Observation
from vppcfg.probe.tunnels import ANY_PORT
from vppcfg.probe.verdict import comparable, end_text, has_ends_of
from vppcfg.record import record

_PORTS, _PORTS_APART = 0x10000, 3001
"""The source ports of one step are behind those of the step before, which fewer frames have."""


@record
class WatchedFrame:
    """A frame with what becomes of it before a change, which its probe predicts, and after it."""

    probe: FrameProbe
    after: Prediction

    def objects(self) -> frozenset[str]:
        """Return what is on its ways before and after, as it is blamed: `interface NAME`, `route NAME`."""
        names, found = {self.probe.port}, {self.probe.about.subject}
        for prediction in (*self.probe.prediction.choices, *self.after.choices):
            names.add(prediction.taker)
            for step in prediction.steps:
                names.add(step.subject)
                found |= {step.blame.subject} if step.blame is not None else set()
            for end, blame in prediction.ends:
                names.add(end.interface)
                found.add(blame.subject)
        return frozenset(found | {f"interface {name}" for name in names if name})


@record
class Transient:
    """A frame that meets neither its former nor its later end, at one step or several in a row."""

    frame: WatchedFrame
    first: int
    """The step behind which it was seen first, counted from 1."""
    last: int
    """The step behind which it was seen last."""
    text: str
    """How the frame ends instead."""
    is_let_through: bool
    """Whether it leaves by a port, where it is to be dropped before and after."""
    is_announced: bool
    """Whether the impact of the plan names an object on its way."""


def watched_frames(before: Network, after: Network) -> tuple[WatchedFrame, ...]:
    """Return the frames that prove the state before a change and the one after it, as far as both say what they do."""
    found: dict[tuple[object, ...], WatchedFrame] = {}
    for network in (before, after):
        for probe in probes_for(network).probes:
            both = _predictions(probe, before, after)
            if both is not None:
                probe = replace(probe, name=f"frame{len(found) + 1}", prediction=both[0])
                key = probe.port, probe.about, probe.purpose, both
                found.setdefault(key, WatchedFrame(probe=probe, after=both[1]))
    return tuple(found.values())


def _predictions(probe: FrameProbe, before: Network, after: Network) -> tuple[Prediction, Prediction] | None:
    """Return what becomes of a frame in both states, None where one of them leaves that open or has no such port."""
    if not all(probe.port in network.state.interfaces for network in (before, after)):
        return None
    try:
        return predict(before, probe.port, probe.frame), predict(after, probe.port, probe.frame)
    except UndecidedError:
        return None


class Campaign:
    """The frames that are sent behind the steps of a change, with the networks before and after it."""

    def __init__(self, before: Network, after: Network, frames: Sequence[WatchedFrame]) -> None:
        self.frames = frames
        self._before, self._after = before, after
        self._has_sessions = any(
            each.nat44 is not None for network in (before, after) for each in network.state.interfaces.values()
        )

    def renewed(self, frame: WatchedFrame, step: int) -> WatchedFrame:
        """Return a frame that begins another connection: a session of NAT44 goes on as it began, whatever changes.

        The frame stays as it is without NAT44, and where its port matters.
        """
        packet = frame.probe.frame.packet
        if not self._has_sessions or packet.inside is not None or packet.ports[0] < ANY_PORT:
            return frame
        port = ANY_PORT + (packet.ports[0] - ANY_PORT + _PORTS_APART * step) % (_PORTS - ANY_PORT)
        another = replace(frame.probe.frame, packet=replace(packet, ports=(port, packet.ports[1])))
        probe = replace(frame.probe, frame=another)
        is_alike = _predictions(probe, self._before, self._after) == (frame.probe.prediction, frame.after)
        return replace(frame, probe=probe) if is_alike else frame


def is_as_before(frame: WatchedFrame, observation: Observation) -> bool:
    """Return whether a frame ends as before the change, or comes to nothing, as before, for another reason."""
    return _is_one_of(frame.probe.prediction.choices, observation)


def _is_one_of(choices: Iterable[Prediction], observation: Observation) -> bool:
    is_lost = _are_lost(observation.ends)
    return any(has_ends_of(choice, observation) or (is_lost and _are_lost(_ends(choice))) for choice in choices)


def transient_of(
    frame: WatchedFrame, observation: Observation, step: int, announced: Collection[str]
) -> Transient | None:
    """Return what is wrong with a frame behind a step, None where it has its former or its later end.

    `announced` are the objects that the impact of the plan names.
    """
    text = _missed_end(frame, observation)
    if not text:
        return None
    objects = frame.objects()
    return Transient(
        frame=frame,
        first=step,
        last=step,
        text=text,
        is_let_through=_is_let_through(frame, observation),
        is_announced=not objects.isdisjoint(announced),
    )


def _missed_end(frame: WatchedFrame, observation: Observation) -> str:
    """Return how a frame ends where that is neither its former nor its later end, '' where it is one of them.

    What begins to be forwarded by a change may take any way until it is complete: nobody relied on it.
    """
    before, after = (_within_rates(each) for each in (frame.probe.prediction, frame.after))
    choices = (*before, *after)
    is_over = any(end.reason is Reason.RATE for end in observation.ends)
    if is_over and len(choices) < len(frame.probe.prediction.choices) + len(frame.after.choices):
        return ""
    if all(_are_lost(_ends(each)) for each in before) and not all(_are_lost(_ends(each)) for each in after):
        return ""
    if _is_one_of(choices, observation):
        return ""
    has_to_be_encrypted = all(end.is_encrypted for choice in choices for end, _ in choice.ends)
    clear = " in clear text" if has_to_be_encrypted and any(_is_clear(end) for end in observation.ends) else ""
    return "; ".join(sorted(end_text(comparable(end)) + clear for end in observation.ends)) or "it ends nowhere"


def _is_clear(end: FrameEnd) -> bool:
    return end.fate is Fate.SENT and not end.is_encrypted


def _within_rates(prediction: Prediction) -> list[Prediction]:
    """Return what may become of a frame, but for a rate limit that has no room for it: others have used that up."""
    return [each for each in prediction.choices if all(end.reason is not Reason.RATE for end, _ in each.ends)]


def _is_let_through(frame: WatchedFrame, observation: Observation) -> bool:
    choices = (*frame.probe.prediction.choices, *frame.after.choices)
    predicted = {end for choice in choices for end, _ in choice.ends if end.fate is Fate.SENT}
    may_leave = any(_is_clear(end) for end in predicted) or (
        bool(predicted) and not any(map(_is_clear, observation.ends))
    )
    return not may_leave and any(end.fate is Fate.SENT for end in observation.ends)


def chosen(
    frames: Sequence[WatchedFrame], touched: Sequence[str], seen_wrong: Collection[str], place: int, most: int
) -> list[WatchedFrame]:
    """Return the frames to send behind a step: those that went wrong, those on whose way it is, and some others.

    `touched` are the objects of the step, the one that it is about first; `seen_wrong` are names of frames. `most`
    bounds them, and with `place`, which is that of the step, those that are alike take turns.
    """

    def distance(frame: WatchedFrame) -> int:
        if frame.probe.name in seen_wrong:
            return -1
        objects = frame.objects()
        return next((number for number, name in enumerate(touched) if name in objects), len(touched))

    found: list[WatchedFrame] = []
    for _, group in groupby(sorted(frames, key=distance), key=distance):
        some, room = list(group), most - len(found)
        start = place * room % len(some)
        found += (some[start:] + some[:start])[:room]
    return found


def joined(found: Iterable[Transient]) -> Iterator[Transient]:
    """Yield what was seen, that of one frame at steps that follow each other as one."""
    open_ones: dict[tuple[str, str], Transient] = {}
    for each in found:
        key = each.frame.probe.name, each.text
        former = open_ones.get(key)
        if former is not None and each.first <= former.last + 1:
            open_ones[key] = replace(former, last=each.last)
            continue
        if former is not None:
            yield former
        open_ones[key] = each
    yield from open_ones.values()


def _ends(prediction: Prediction) -> frozenset[FrameEnd]:
    """Return the ends of one choice, as far as a trace shows them."""
    return frozenset(comparable(end) for end, _ in prediction.ends)


def _are_lost(ends: Iterable[FrameEnd]) -> bool:
    """Return whether nothing comes of a frame, for whatever reason."""
    return all(end.fate in (Fate.DROPPED, Fate.REFUSED) for end in ends)
