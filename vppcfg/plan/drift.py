"""Drift: what differs between a VPP and its configuration, and what of that is news since the last look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.plan.diff import Action, AttributeChange, Change, ObjectKind
from vppcfg.record import record

KINDS = tuple(
    sorted({kind.value for kind in InterfaceKind} | {kind.value for kind in ObjectKind} - {ObjectKind.INTERFACE.value})
)
"""Everything that `kind_of` can return."""


@record
class Drift:
    """One object that is not as the configuration wants it."""

    action: Action
    """What would have to become of it."""
    kind: str
    name: str
    attributes: tuple[AttributeChange, ...] = ()
    """`old` is what VPP has, `new` what the configuration says."""
    forced_by: str | None = None
    """Why it would have to be replaced."""

    @property
    def key(self) -> tuple[str, str]:
        """Return what stays the same while the difference does not: kind and name."""
        return self.kind, self.name


Drifts = Mapping[tuple[str, str], Drift]


@record
class News:
    """What became different, in another way different, or equal since the last look."""

    appeared: tuple[Drift, ...] = ()
    gone: tuple[Drift, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.appeared or self.gone)


def kind_of(change: Change[Any]) -> str:
    """Return the kind of an interface, or of the object that is none."""
    either = change.after if change.after is not None else change.before
    return either.kind.value if isinstance(either, Interface) else change.kind.value


def differences(changes: Iterable[Change[Any]]) -> dict[tuple[str, str], Drift]:
    """Return the differences that a plan's changes would undo, by their keys, in the same order."""
    found = (
        Drift(
            action=change.action,
            kind=kind_of(change),
            name=change.name,
            attributes=change.attributes,
            forced_by=change.forced_by,
        )
        for change in changes
    )
    return {difference.key: difference for difference in found}


def news(before: Drifts, now: Drifts) -> News:
    """Return what is to be said after a look, when `before` has been said."""
    return News(
        appeared=tuple(difference for key, difference in now.items() if before.get(key) != difference),
        gone=tuple(difference for key, difference in before.items() if key not in now),
    )
