"""Finds which differences between VPP's own tables and the file explain the outcome of frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from vppcfg.model.state import State
from vppcfg.probe.forwarding import predict
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame, Prediction, UndecidedError
from vppcfg.probe.verdict import ProbeFinding, comparable, judge
from vppcfg.record import record


@record
class Deviation:
    """An object that VPP has otherwise than in the file."""

    blame: Blame
    lines: tuple[str, ...]
    """What differs, in words: `-` before what VPP has, `+` before what the file sets."""
    state: State
    """What the file sets, but for this object, which is as VPP has it."""


def explained(
    findings: Iterable[ProbeFinding], deviations: Sequence[Deviation], without_link: frozenset[str]
) -> list[ProbeFinding]:
    """Return the findings, each blamed on the deviations that account for it, where there are any.

    A deviation accounts for a finding when a router with it, and otherwise as in the file, would do with the frame
    what VPP did. Where none is so exact, one counts that has anything to do with the frame's way.
    """
    networks = [(each.blame, Network(each.state, without_link)) for each in deviations]
    return [_explained(finding, networks) if finding.blame is not None else finding for finding in findings]


def _explained(finding: ProbeFinding, networks: Sequence[tuple[Blame, Network]]) -> ProbeFinding:
    exact, near = [], []
    for blame, network in networks:
        prediction = _predicted(network, finding)
        if prediction is None or _is_other(prediction, finding.probe.prediction):
            near.append(blame)
        if prediction is not None and _accounts_for(prediction, finding):
            exact.append(blame)
    if not exact and not near:
        return finding
    assert finding.blame is not None
    first, *others = exact or near
    if not exact:
        others += [each for each in (finding.blame, *finding.others) if each not in near]
    return replace(finding, blame=first, others=tuple(others))


def _predicted(network: Network, finding: ProbeFinding) -> Prediction | None:
    """Return what would become of the frame, None where that is not known or the port is missing."""
    try:
        return predict(network, finding.probe.port, finding.probe.frame)
    except (UndecidedError, KeyError):  # KeyError: something of the file names an interface that VPP lacks
        return None


def _is_other(found: Prediction, other: Prediction) -> bool:
    return _comparable(found) != _comparable(other)


def _comparable(prediction: Prediction) -> tuple[object, ...]:
    return tuple(
        ({comparable(end) for end, _ in choice.ends}, [step.seen for step in choice.steps])
        for choice in prediction.choices
    )


def _accounts_for(prediction: Prediction, finding: ProbeFinding) -> bool:
    return judge(replace(finding.probe, prediction=prediction), finding.observation).blame is None
