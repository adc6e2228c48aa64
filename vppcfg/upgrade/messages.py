"""Finds the API messages that a file needs and that the target release of an upgrade lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from vppcfg.common.release import Release, nearest
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Indexes
from vppcfg.plan.plan import make_plan
from vppcfg.simulator.api import fields_of
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding, Weight, listed
from vppcfg.upgrade.subject import UpgradeSubject

_KEY_BYTES = 32


class ReleaseVocabulary:
    """The API messages and fields of a release, known without a VPP of it.

    The table of the release has the names of all its messages; fields are known of those that the simulator has.
    """

    def __init__(self, release: Release) -> None:
        self._fields = fields_of(str(nearest(release)))

    def has(self, name: str) -> bool:
        """Return whether the release has a message."""
        return name in self._fields

    def secret(self, name: str) -> bytes:
        """Return zeros instead of a secret: requests are built and never sent."""
        return bytes(_KEY_BYTES)

    def newest(self, names: Sequence[str]) -> str:
        """Return the first of the messages `names` that the release has, or the last when it has none."""
        return next((name for name in names if self.has(name)), names[-1])

    def has_field(self, message: str, path: str) -> bool:
        """Return whether the message has a field."""
        return path.partition(".")[0] in self._fields.get(message, ())


class _IndexOfNothing:
    """Indexes of a VPP that is not there: whatever is asked for has the first one."""

    def mac(self, name: str) -> str:
        return "02:00:00:00:00:01"

    def __getattr__(self, kind: str) -> Callable[..., int]:
        return lambda *names: 0


def message_findings(subject: UpgradeSubject, change: ReleaseChange) -> list[UpgradeFinding]:
    """Return the messages by which the file is carried out today, and which the target lacks in any version."""
    lacking = _lacking(subject, change.new)
    known = _lacking(subject, change.old)
    return [
        UpgradeFinding(
            rule="up-message",
            weight=Weight.STOPS,
            text=f"VPP {change.new} has no message {name}, by which {listed(subjects)} would be set up",
            objects=tuple(subjects),
            since=None if change.is_back else _first_without(name, change),
            mend="take it out of the file, or stay with a release that has it",
        )
        for name, subjects in lacking.items()
        if name not in known
    ]


def operations_of(subject: UpgradeSubject) -> tuple[Operation, ...]:
    """Return what brings a VPP that has just its ports to the file."""
    fresh = assumed_state(subject.configuration)
    return make_plan(fresh, resolve(subject.configuration, fresh).desired).operations


def _lacking(subject: UpgradeSubject, release: Release) -> dict[str, list[str]]:
    """Return what is set up by each message that a release lacks."""
    words, indexes = ReleaseVocabulary(release), cast(Indexes, _IndexOfNothing())
    lacking: dict[str, list[str]] = {}
    for operation in operations_of(subject):
        if operation.needs_vpp:
            name = operation.request(indexes, words).message
            if not words.has(name) and operation.subject not in lacking.setdefault(name, []):
                lacking[name].append(operation.subject)
    return lacking


def _first_without(name: str, change: ReleaseChange) -> Release:
    return next((release for release in change.passed() if not ReleaseVocabulary(release).has(name)), change.new)
