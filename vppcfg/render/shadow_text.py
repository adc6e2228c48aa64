"""Lines about routes of a plan that VPP will not use, because a preferred source has the same prefix."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import natural_key
from vppcfg.model.route import source_words
from vppcfg.plan.plan import Plan

_MOST = 10
"""So many lines are shown; the rest is counted."""


def shadow_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each route that the plan lets another one shadow; warnings name those that are shadowed now."""
    names = sorted(plan.desired.hidden_by.keys() - plan.observed.hidden_by.keys(), key=natural_key)
    for name in names[:_MOST]:
        yield f"{name} will be shadowed by {source_words(plan.desired.hidden_by[name])}, whose route VPP uses"
    if len(names) > _MOST:
        yield f"{len(names) - _MOST} more such routes; `--format json` has all in `desired.hidden_by`"
