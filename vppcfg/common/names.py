"""Names of interfaces: in natural order Gi2/0/0 stands before Gi10/0/0, and VPP's CLI does not read all of them."""

from __future__ import annotations

import re
from functools import lru_cache

LARGEST_TYPED_ID = 2**31 - 1
"""VPP's CLI reads sub-interface ids as signed 32-bit numbers (vnet/interface_cli.c); the API takes twice as many."""
_NUMBER = re.compile(r"([0-9]{1,4000})")
"""Of more digits Python makes no number (sys.get_int_max_str_digits): the rest is one of its own."""
_SUB_ID = re.compile(r"\.([0-9]{10})(?![^ ])")
_BRACES = re.compile(r"\{[^}]*\}")


@lru_cache(maxsize=1 << 17)
def natural_key(name: str) -> tuple[tuple[str | int, ...], str]:
    """Return a sort key of `name` in which runs of digits compare as numbers."""
    parts = _NUMBER.split(name)
    return tuple(int(part) if index % 2 else part for index, part in enumerate(parts)), name


def instance_of(name: str) -> int:
    """Return the number at the end of a name that VPP gave, such as loop3 or BondEthernet0."""
    return int(_NUMBER.findall(name)[-1])


def is_typable(line: str) -> bool:
    """Return whether VPP's CLI can read all names of interfaces in a line; those in braces are plain text to it."""
    if _SUB_ID.search(line) is None:
        return True
    return all(int(sub_id) <= LARGEST_TYPED_ID for sub_id in _SUB_ID.findall(_BRACES.sub("", line)))
