"""Predicts what happens to a frame by the file: runs stage after stage, until every copy of the frame has ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from vppcfg.probe.ethernet import comes_in, leave
from vppcfg.probe.frame import Frame
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Prediction, UndecidedError
from vppcfg.probe.questions import answer
from vppcfg.probe.routing import find_path, forward, look_up_translated, route
from vppcfg.probe.stages import Asked, ComesIn, Directed, Journey, Leaves, Routed, Stage, Switched, Translated, Wrapped
from vppcfg.probe.switching import switch

_STAGES: dict[type[Stage], Callable[[Journey, Any], None]] = {
    ComesIn: comes_in,
    Asked: answer,
    Switched: switch,
    Routed: route,
    Translated: look_up_translated,
    Wrapped: find_path,
    Directed: forward,
    Leaves: leave,
}
_MOST_STAGES = 200
_MOST_CHOICES = 64
"""So many ways are followed of which VPP takes one."""


def predict(network: Network, port: str, frame: Frame) -> Prediction:
    """Return what happens to a frame that a port receives. Raise UndecidedError where the file leaves it open."""
    journey = Journey(network)
    journey.then(ComesIn(port=port, frame=frame))
    journeys, found = [journey], dict[Prediction, None]()
    while journeys:
        journey = journeys.pop(0)
        found[_followed(journey)] = None
        journeys += journey.others
        if len(found) + len(journeys) > _MOST_CHOICES:
            raise UndecidedError("too many next hops share what goes there")
    first, *others = found
    return replace(first, others=tuple(others))


def _followed(journey: Journey) -> Prediction:
    """Return what happens to the frame of a journey, where VPP takes the first way at each choice still to come."""
    for _ in range(_MOST_STAGES):
        if not journey.ahead:
            return Prediction(steps=tuple(journey.steps), ends=tuple(journey.ends), taker=journey.taker)
        stage = journey.ahead.pop(0)
        _STAGES[type(stage)](journey, stage)
    raise UndecidedError("it goes round in circles")
