"""The text and the JSON about what a change does to routing daemons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol


class SessionEffect(Protocol):
    """One effect on sessions or routes."""

    @property
    def text(self) -> str:
        """Return it in words."""


def routing_lines(title: str, path: str, lines: Iterable[str], effects: Iterable[SessionEffect]) -> Iterator[str]:
    """Yield the lines about one daemon: its name, the difference, and what that does."""
    yield f"{title} ({path}):"
    for line in lines:
        yield f"  {line}"
    found = list(effects)
    for effect in found:
        yield f"  impact: {effect.text}"
    if not found:
        yield "  impact: none on its sessions"


def routing_document(
    daemon: str, path: str, lines: Iterable[str], impact: str, effects: Iterable[SessionEffect]
) -> Any:
    """Return what programs read about one daemon."""
    return {
        "daemon": daemon,
        "file": path,
        "difference": list(lines),
        "impact": impact,
        "effects": [effect.text for effect in effects],
    }
