"""The two tables by type of operation that the modules of this package fill: what it demands, and what it does."""

from __future__ import annotations

from functools import singledispatch

from vppcfg.plan.draft import Draft
from vppcfg.plan.operations import Operation


@singledispatch
def refusal_of(operation: Operation, draft: Draft) -> str | None:
    """Return why VPP would refuse the operation, or what it would leave dangling; None when neither."""
    raise NotImplementedError(type(operation).__name__)


@singledispatch
def effect_of(operation: Operation, draft: Draft) -> None:
    """Change the draft as VPP changes."""
    raise NotImplementedError(type(operation).__name__)
