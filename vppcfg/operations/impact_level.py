"""The scale of how badly a change hits traffic."""

from __future__ import annotations

from enum import IntEnum


class Impact(IntEnum):
    """How badly traffic is hit, ascending."""

    NONE = 0
    """Every part of every service that was there is there at every step."""
    DEGRADE = 1
    """Fewer members of a bond, or a smaller MTU, in the end or for a while."""
    POLICY = 2
    """What is let through differs at the end, or at a step."""
    FLAP = 3
    """A part goes away and the same comes back."""
    RECREATE = 4
    """An interface or its LCP pair is recreated: counters, neighbours, and routes of Linux over it, are lost."""
    REMOVE = 5
    """A part that was there is not there at the end: an address, a path, the LCP pair, the link, the interface."""

    @property
    def label(self) -> str:
        """Return the word that commands use for it."""
        return self.name.lower()
