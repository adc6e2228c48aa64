"""A finding about an upgrade: how much it weighs, whom it is about, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from vppcfg.common.release import RELEASES, Release
from vppcfg.record import record

_NAMED = 5
"""Objects that are named in a sentence."""


class Weight(Enum):
    """What a finding means for the upgrade."""

    STOPS = "stops"
    """VPP does not start, or the configuration cannot be applied."""
    CHANGES = "changes"
    """Something works differently afterwards."""
    NOTICE = "notice"
    """Good to know; nothing has to be done."""


@record
class ReleaseChange:
    """From one release to another, older or newer one."""

    old: Release
    """The one that runs."""
    new: Release

    @property
    def is_back(self) -> bool:
        """Return whether the way leads to an older release."""
        return self.new < self.old

    @property
    def ends(self) -> tuple[Release, Release]:
        """Return the older and the newer of the two."""
        return min(self.old, self.new), max(self.old, self.new)

    def crosses(self, since: Release) -> bool:
        """Return whether what began with a release is there on one side and not on the other."""
        older, newer = self.ends
        return older < since <= newer

    def passed(self) -> tuple[Release, ...]:
        """Return the releases on the way, without the first and with the last, in its order."""
        older, newer = self.ends
        between = [release for release in RELEASES if older <= release <= newer and release != self.old]
        return tuple(reversed(between)) if self.is_back else tuple(between)


@record
class UpgradeFinding:
    """One thing that is to be known before the upgrade."""

    rule: str
    weight: Weight
    text: str
    objects: tuple[str, ...] = ()
    """What of this router it is about."""
    since: Release | None = None
    """The release that began it; None when it is this router's own."""
    commits: tuple[str, ...] = ()
    """Those of VPP that did."""
    mend: str = ""
    """What to do."""


def before(release: Release) -> Release:
    """Return the known release before another one."""
    return max((known for known in RELEASES if known < release), default=release)


def listed(names: Sequence[str]) -> str:
    """Return names in words, the first few and how many more there are."""
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
