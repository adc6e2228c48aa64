"""Kinds of objects that other installed programs add, by entry points in the group `vppcfg.kinds` (docs/kinds.md)."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.common.extensions import extensions
from vppcfg.engine.object_kind import AnyObjectKind, VppObjectKind
from vppcfg.errors import UsageError

GROUP = "vppcfg.kinds"


def added_kinds(own: Sequence[AnyObjectKind]) -> tuple[AnyObjectKind, ...]:
    """Return the kinds of other programs beside vppcfg's `own`. Raise UsageError for one that does not fit."""
    fitting: list[AnyObjectKind] = []
    for name, kind in extensions(GROUP):
        reason = _misfit(kind, [*own, *fitting])
        if reason is not None:
            hint = "upgrade or remove the package that has it; docs/kinds.md explains what a kind is"
            raise UsageError(f"{name}, which another program adds as {GROUP}, {reason}", hint)
        fitting.append(kind)
    return tuple(fitting)


def _misfit(kind: object, others: Sequence[AnyObjectKind]) -> str | None:
    """Return why an object cannot be one more kind."""
    if not isinstance(kind, VppObjectKind):
        return "is no VppObjectKind"
    for other in others:
        if kind.key == other.key:
            return f"has the key `{kind.key}`, which another kind has"
        if kind.object_class.table == other.object_class.table:
            return f"has the table `{kind.object_class.table}` of state documents, which another kind has"
        if kind.object_class.noun == other.object_class.noun:
            return f"calls its objects `{kind.object_class.noun}`, as another kind does"
    return None
