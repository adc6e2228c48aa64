"""The VPP releases that can be simulated, and spans of them.

What some releases do otherwise is a `ReleaseQuirk` in the module of the kind that differs.
"""

from __future__ import annotations

import re

from vppcfg.errors import UsageError
from vppcfg.record import record


@record
class ReleaseQuirk:
    """Something that VPP does in some releases and not in others."""

    span: str
    """The releases that do it, such as `24.10-`."""
    text: str
    """What they do, with the commit of VPP that began or ended it."""


@record
class Release:
    """One VPP release, such as 26.06."""

    name: str

    def has(self, quirk: ReleaseQuirk) -> bool:
        """Return whether the release has a quirk."""
        return self.is_in(quirk.span)

    def is_in(self, span: str) -> bool:
        """Return whether the release is in a span such as `24.10-`."""
        return is_within(self.name, span)


RELEASES = tuple(Release(name=name) for name in ("23.06", "24.10", "25.06", "25.10", "26.06", "26.10"))
NEWEST = RELEASES[-1].name

_VERSION = re.compile(r"v?(\d\d)\.(\d\d)(?!\d)")


def is_within(release: str, span: str) -> bool:
    """Return whether a release is in a span: `23.06`, `23.06-24.10` (both ends too), `24.10-`, `-24.10`, '' for all."""
    first, dash, last = span.partition("-")
    return release >= first and (not last or release <= last) if dash else span in {"", release}


def release_named(name: str) -> Release:
    """Return the release called `name`; raise UsageError when it cannot be simulated."""
    for release in RELEASES:
        if release.name == name:
            return release
    raise UsageError(f"VPP release {name} cannot be simulated", f"known are {', '.join(r.name for r in RELEASES)}")


def release_of(version: str) -> Release:
    """Return the newest known release that is not newer than `version`, a release or VPP's own version text.

    Raise UsageError when it is no version, or older than all that are known.
    """
    match = _VERSION.match(version)
    if match is None:
        raise UsageError(f"{version} is no VPP version", "write 26.06, or VPP's text: 23.06-rc0~35-gaf4046134")
    wanted = f"{match[1]}.{match[2]}"
    known = [release for release in RELEASES if release.name <= wanted]
    if not known:
        raise UsageError(f"VPP {wanted} cannot be simulated", f"the oldest known release is {RELEASES[0].name}")
    return known[-1]
