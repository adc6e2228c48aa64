"""Releases of VPP: YY.MM, in the order in which they appeared."""

from __future__ import annotations

import re
from dataclasses import dataclass

_VERSION = re.compile(r"v?(\d\d)\.(\d\d)(?!\d).*", re.DOTALL)
_UPSTREAM = re.compile(
    r"v?\d\d\.\d\d(?:\.\d+)?(?:-(?:rc\d+|release))?"
    r"(?:[~-]\d+(?:[~-]g[0-9a-f]+)?)?(?:~b\d+)?(?:[_-]dirty)?"
)
"""A version text as VPP's own build makes it (src/scripts/version)."""


@dataclass(frozen=True, slots=True, order=True)
class Release:
    """One release; two compare by age."""

    year: int
    month: int

    def __str__(self) -> str:
        return f"{self.year:02}.{self.month:02}"


OLDEST = Release(23, 6)
"""The oldest that a startup.conf is written for."""
NEWEST = Release(26, 10)
RELEASES = tuple(
    release
    for release in (Release(year, month) for year in range(OLDEST.year, NEWEST.year + 1) for month in (2, 6, 10))
    if OLDEST <= release <= NEWEST
)
"""All that there are from the oldest to the newest: three a year."""


def release_of(version: str) -> Release:
    """Return the release of a version text such as 23.06-rc0~35-gaf4046134. Raise ValueError when it names none."""
    match = _VERSION.fullmatch(version.strip())
    if match is None or not 1 <= int(match[2]) <= 12:
        raise ValueError(f"{version!r} is no version of VPP such as 24.10")
    return Release(int(match[1]), int(match[2]))


def is_upstream(version: str) -> bool:
    """Return whether a version text is one that VPP's own build makes, not a vendor's such as 24.10-acme."""
    return _UPSTREAM.fullmatch(version.strip()) is not None


def nearest(release: Release) -> Release:
    """Return the newest known release that is not newer than this one, the oldest for one that is older than all."""
    return max((known for known in RELEASES if known <= release), default=OLDEST)


def is_older(version: str, release: Release) -> bool:
    """Return whether a version text is that of a VPP before a release; one that names none is not."""
    try:
        return release_of(version) < release
    except ValueError:
        return False
