"""Sums up a diagnosis, and how sure it is: what was seen, what was not, what would show it.

A finding stands on its own evidence. That all is well has to be shown: by all threads, by the counters of every port
that receives, over a time in which packets came in and none was lost. Where one of these was not seen, the verdict is
open, and names the command that would show most.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from vppcfg.common.numbers import numbered
from vppcfg.record import record
from vppcfg.tune.checks import PAUSE, Check, check_errors, check_load, check_ports, check_threads, thread_count
from vppcfg.tune.finding import Finding, FindingSeverity
from vppcfg.tune.loss_check import LOST_BEFORE, check_losses
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.summary import summaries
from vppcfg.tune.thresholds import IDLE_PPS

_CHECKS = (check_ports, check_threads, check_load, check_losses, check_errors)
_ABOUT_LOSSES = {"port-loss", "not-tuning", "handoff", "nat-exhausted"}


class VerdictWord(Enum):
    """What a diagnosis comes to, best first."""

    HEALTHY = "healthy"
    """Nothing is lost and nothing at its limit, and that was shown."""
    IDLE = "idle"
    """The same, with next to no packets: it shows nothing about load."""
    UNDECIDED = "undecided"
    RISK = "risk"
    LIMIT = "limit"
    LOSS = "loss"

    def is_as_bad_as(self, other: VerdictWord) -> bool:
        """Return whether this is `other` or worse."""
        order = list(VerdictWord)
        return order.index(self) >= order.index(other)


@record
class Scope:
    """What a verdict is about."""

    threads: tuple[str, ...]
    """Names of those that were seen."""
    thread_count: int | None
    """Of all there are; None when unknown."""
    ports: tuple[str, ...]
    """Those whose counters were seen."""
    seconds: float | None
    """What was watched, or the time that an average covers."""


@record
class Judgement:
    """What a diagnosis comes to, how far it reaches, and what would make it surer."""

    word: VerdictWord
    text: str
    scope: Scope
    seen: tuple[str, ...]
    missing: tuple[str, ...]
    next: tuple[str, ...]
    """Commands of VPP, the most informative one first."""


def judge(situation: Situation, findings: Sequence[Finding]) -> Judgement:
    """Return the verdict on a situation in which the rules found `findings`."""
    checks = tuple(look(situation) for look in _CHECKS)
    missing = tuple(check.missing for check in checks if check.missing)
    seen = (*(check.seen for check in checks if check.seen), *summaries(situation.load.reading))
    by_trials = not situation.load.threads and bool(situation.trials)
    word = _worst(findings)
    if word is None and missing and not by_trials:
        word = VerdictWord.UNDECIDED
    if word is None:
        is_idle = situation.load.rx_pps < IDLE_PPS and not by_trials
        word = VerdictWord.IDLE if is_idle else VerdictWord.HEALTHY
    return Judgement(
        word=word,
        text=_text(word, checks, findings, len(seen)),
        scope=_scope(situation),
        seen=seen,
        missing=() if by_trials else missing,
        next=_in_order([check.commands for check in checks if check.missing]),
    )


def _in_order(wanted: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return commands, each once, in an order that has one pause at most, with what has to be seen again behind it."""
    before: dict[str, None] = {}
    after: dict[str, None] = {}
    for commands in wanted:
        pause = commands.index(PAUSE) if PAUSE in commands else len(commands)
        before |= dict.fromkeys(commands[:pause])
        after |= dict.fromkeys(commands[pause + 1 :])
    return (*before, PAUSE, *after) if after else tuple(before)


def _worst(findings: Sequence[Finding]) -> VerdictWord | None:
    """Return the word of the worst finding, None when none of them is more than a notice."""
    severities = {finding.severity for finding in findings}
    words = {
        FindingSeverity.LOSS: VerdictWord.LOSS,
        FindingSeverity.LIMIT: VerdictWord.LIMIT,
        FindingSeverity.RISK: VerdictWord.RISK,
    }
    return next((word for severity, word in words.items() if severity in severities), None)


def _text(word: VerdictWord, checks: Sequence[Check], findings: Sequence[Finding], seen: int) -> str:
    if word is VerdictWord.HEALTHY:
        return "nothing is lost and nothing is at its limit"
    if word is VerdictWord.IDLE:
        return "next to nothing comes in, and none of it is lost; this shows nothing about load"
    if word is VerdictWord.UNDECIDED:
        suspicions = [check.suspicion for check in checks if check.suspicion]
        if any(finding.undecided and finding.rule in _ABOUT_LOSSES for finding in findings):
            suspicions.insert(0, LOST_BEFORE)
        missing = sum(bool(check.missing) and not check.seen for check in checks)
        parts = sum(bool(check.missing and check.seen) for check in checks)
        unseen = f"{missing} of {missing + seen} things were not seen" if missing else ""
        in_part = f"{numbered(parts, 'thing')} in part only" if parts else ""
        return next(iter(suspicions), "") or (
            f"nothing seen is at its limit, but {', and '.join(filter(None, (unseen, in_part)))}"
        )
    worst = next(finding for finding in findings if finding.severity.value == word.value)
    return worst.verdict


def _scope(situation: Situation) -> Scope:
    load = situation.load
    return Scope(
        threads=tuple(thread.name for thread in load.threads),
        thread_count=thread_count(load.reading),
        ports=tuple(port.name for port in load.ports if port.counters is not None),
        seconds=load.duration_s or load.covered_s,
    )
