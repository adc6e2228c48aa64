"""Order of names: natural, so that Gi2/0/0 stands before Gi10/0/0."""

from __future__ import annotations

import re
from functools import lru_cache

_NUMBER = re.compile(r"([0-9]+)")


@lru_cache(maxsize=1 << 17)
def natural_key(name: str) -> tuple[tuple[str | int, ...], str]:
    """Return a sort key of `name` in which runs of digits compare as numbers."""
    parts = _NUMBER.split(name)
    return tuple(int(part) if index % 2 else part for index, part in enumerate(parts)), name


def instance_of(name: str) -> int:
    """Return the number at the end of a name that VPP gave, such as loop3 or BondEthernet0."""
    return int(_NUMBER.findall(name)[-1])
