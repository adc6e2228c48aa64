"""What a search looks for: NDR, PDR and the goals of RFC 2544 and ETSI TST009, in the terms of MLRsearch (RFC 9971)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vppcfg.common.rates import parse_figure
from vppcfg.errors import UsageError
from vppcfg.record import record

_WORDS: Mapping[str, tuple[str, float]] = {
    "loss": ("loss_ratio", 0.01),
    "exceed": ("exceed_ratio", 0.01),
    "width": ("relative_width", 0.01),
    "initial": ("initial_trial_s", 1.0),
    "final": ("final_trial_s", 1.0),
    "sum": ("duration_sum_s", 1.0),
}
"""Word in a goal -> attribute, and what to multiply with: shares are given in percent."""


@record
class Goal:
    """One goal; the defaults are those of FD.io CSIT."""

    name: str
    loss_ratio: float = 0.0
    """A trial that loses more is a bad one."""
    exceed_ratio: float = 0.5
    """Share of the duration that may consist of bad trials."""
    relative_width: float = 0.005
    """The search ends when the bounds are this close, as a share of the upper one."""
    initial_trial_s: float = 1.0
    final_trial_s: float = 1.0
    duration_sum_s: float = 21.0
    """So much time of trials decides about a load."""


_KNOWN = {
    "ndr": Goal(name="NDR"),
    "pdr": Goal(name="PDR", loss_ratio=0.005),
    "rfc2544": Goal(name="RFC 2544", exceed_ratio=0.0, initial_trial_s=1.0, final_trial_s=60.0, duration_sum_s=60.0),
    "tst009": Goal(name="TST009", initial_trial_s=1.0, final_trial_s=60.0, duration_sum_s=120.0),
}
_GOAL = re.compile(r"([a-z0-9]+)(?:=([0-9.]+)%?)?((?:,[a-z]+=[^,]+)*)")


def goal_of(text: str) -> Goal:
    """Return the goal that `ndr`, `pdr=0.5`, `rfc2544`, `tst009` or one of them with changes says. Raise UsageError.

    Changes follow after commas, shares in percent and times in seconds: `ndr,final=10,sum=30,width=1`.
    """
    match = _GOAL.fullmatch(text.strip().lower())
    known = _KNOWN.get(match[1]) if match else None
    if match is None or known is None:
        raise UsageError(f"{text!r} is no goal", "the goals are: ndr, pdr=PERCENT, rfc2544, tst009")
    if match[2]:
        if match[1] != "pdr":
            raise UsageError(f"{text!r}: only pdr takes a loss", f"write {match[1]}, or pdr={match[2]}")
        known = replace(known, loss_ratio=_figure(match[2]) / 100)
    goal = replace(known, **_changes(match[3]))
    return _checked(replace(goal, name=_name(goal)), text)


def _changes(text: str) -> dict[str, Any]:
    """Return the attributes that `,WORD=VALUE,...` changes. Raise UsageError."""
    changes = {}
    for part in filter(None, text.split(",")):
        word, _, value = part.partition("=")
        if word not in _WORDS:
            raise UsageError(f"a goal has no {word}", "a goal has: " + ", ".join(_WORDS))
        attribute, factor = _WORDS[word]
        changes[attribute] = _figure(value) * factor
    return changes


def _figure(text: str) -> float:
    return parse_figure(text.removesuffix("%").removesuffix("s"))


def _name(goal: Goal) -> str:
    return f"{goal.name} {100 * goal.loss_ratio:g} %" if goal.loss_ratio else goal.name


def _checked(goal: Goal, text: str) -> Goal:
    """Return a goal that can be searched for. Raise UsageError for any other."""
    complaints = (
        (not goal.loss_ratio < 1, "its loss is less than 100 %"),
        (not goal.exceed_ratio < 1, "its exceed ratio is less than 100 %"),
        (not 0 < goal.relative_width < 1, "its width is more than 0 and less than 100 %"),
        (not 0 < goal.initial_trial_s <= goal.final_trial_s, "its final trial is no shorter than its initial one"),
        (not goal.final_trial_s <= goal.duration_sum_s, "its sum is no shorter than its final trial"),
    )
    for is_wrong, complaint in complaints:
        if is_wrong:
            raise UsageError(f"{text!r} is no goal that can be reached: {complaint}")
    return goal


def goals_of(texts: Sequence[str]) -> tuple[Goal, ...]:
    """Return the goals of several texts, NDR and PDR at 0.5 % when there are none. Raise UsageError."""
    return tuple(goal_of(text) for text in texts or ("ndr", "pdr=0.5"))
