"""Access lists, and which of them interfaces apply (plugins/acl/acl.h)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from vppcfg.simulator.pool import Pool

Rule = tuple[int | bytes, ...]
"""A rule as it stands in the API message: action, two prefixes, protocol, two ranges, TCP flags."""


@dataclass(slots=True, kw_only=True)
class AclRow:
    """One access list (acl_list_t)."""

    index: int
    tag: bytes = b""
    rules: Sequence[Rule] = ()


class Bindings:
    """The access lists that interfaces apply in one direction, in order, and how many apply each list."""

    def __init__(self) -> None:
        self._by_sw: dict[int, list[int]] = {}
        self._users: Counter[int] = Counter()

    def of(self, sw_if_index: int) -> list[int]:
        """Return the lists of an interface."""
        return self._by_sw.get(sw_if_index, [])

    def set(self, sw_if_index: int, lists: Sequence[int]) -> None:
        """Set the lists of an interface."""
        self._users.subtract(self._by_sw.pop(sw_if_index, ()))
        self._users.update(lists)
        if lists:
            self._by_sw[sw_if_index] = list(lists)

    def is_used(self, index: int) -> bool:
        """Return whether any interface applies a list."""
        return self._users[index] > 0


@dataclass(slots=True, kw_only=True)
class AclMain:
    """All access lists, and those that interfaces apply."""

    lists: Pool[AclRow] = field(default_factory=Pool)
    inputs: Bindings = field(default_factory=Bindings)
    outputs: Bindings = field(default_factory=Bindings)
