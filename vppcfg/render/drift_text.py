"""A difference between VPP and its configuration as a line for people, and as data for programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vppcfg.model.state_document import plain
from vppcfg.plan.diff import Action, AttributeChange
from vppcfg.plan.drift import Drift
from vppcfg.render.diff_view import SIGNS
from vppcfg.render.unsaid import words

_WHOLE = {Action.CREATE: "is missing", Action.DELETE: "is not in the file"}


def difference_line(difference: Drift) -> str:
    """Return one line, such as `~ physical eth0: packet mtu is 9000, not 1500`."""
    text = f"{SIGNS[difference.action]} {difference.kind} {difference.name}"
    if difference.action in _WHOLE:
        return f"{text} {_WHOLE[difference.action]}"
    parts = [part for attribute in difference.attributes for part in _attribute(attribute)]
    if not parts and difference.forced_by:
        parts = [f"to be made anew, because {difference.forced_by}"]
    return f"{text}: {'; '.join(parts)}"


def gone_line(difference: Drift) -> str:
    """Return one line for a difference that is gone."""
    return f"= {difference.kind} {difference.name} is as the file says again"


def difference_data(difference: Drift) -> dict[str, Any]:
    """Return a difference as data for JSON."""
    return {
        "action": difference.action.value,
        "kind": difference.kind,
        "name": difference.name,
        "forced_by": difference.forced_by,
        "attributes": [
            {"name": attribute.name, "observed": plain(attribute.old), "desired": plain(attribute.new)}
            for attribute in difference.attributes
        ],
    }


def _attribute(attribute: AttributeChange) -> Iterable[str]:
    name = attribute.name.replace("_", " ")
    if isinstance(attribute.old, frozenset) and isinstance(attribute.new, frozenset):
        missing, extra = plain(attribute.new - attribute.old), plain(attribute.old - attribute.new)
        yield from (f"{name} lack {member}" for member in missing)
        yield from (f"{name} have {member} too" for member in extra)
    elif isinstance(attribute.old, bool):
        yield _claim(name) if attribute.old else _claim(name, "not ", "no ")
    else:
        yield f"{name} is {words(attribute.old)}, not {words(attribute.new)}"


def _claim(name: str, negation: str = "", absence: str = "") -> str:
    """Return a claim, such as `is not up` or `has no gso`; other booleans are settings that are on or off."""
    verb, _, rest = name.partition(" ")
    if verb == "is":
        return f"is {negation}{rest}"
    if verb == "has":
        return f"has {absence}{rest}"
    return f"{name} is {'off' if negation else 'on'}"
