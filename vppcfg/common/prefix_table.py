"""Values by prefix, found as routers find routes: by the longest prefix that covers an address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

from vppcfg.common.addresses import address_key

T = TypeVar("T")


class Covering(NamedTuple, Generic[T]):
    """A prefix that covers another one, and its value."""

    length: int
    value: T


class PrefixTable(Generic[T]):
    """One table of both families. A look-up takes as many steps as there are lengths in the table."""

    def __init__(self) -> None:
        self._networks: dict[int, dict[int, dict[int, T]]] = {}
        """By family, by length with the longest first, by the leading bits."""

    def __setitem__(self, prefix: str, value: T) -> None:
        """Enter a value for a canonical `address/length`, whose host bits do not count."""
        key = address_key(prefix)
        lengths = self._networks.setdefault(key.family, {})
        if key.length not in lengths:
            lengths[key.length] = {}
            self._networks[key.family] = dict(sorted(lengths.items(), reverse=True))
        self._networks[key.family][key.length][key.network] = value

    def __delitem__(self, prefix: str) -> None:
        """Take out the value of a prefix. Raise KeyError when there is none."""
        key = address_key(prefix)
        del self._networks[key.family][key.length][key.network]

    def get(self, prefix: str) -> T | None:
        """Return the value of this very prefix, None for none."""
        key = address_key(prefix)
        return self._networks.get(key.family, {}).get(key.length, {}).get(key.network)

    def covering(self, prefix: str) -> Iterator[Covering[T]]:
        """Yield the prefixes that cover one, itself included, the longest first."""
        key = address_key(prefix)
        for length, networks in self._networks.get(key.family, {}).items():
            if length <= key.length:
                network = key.value >> (key.width - length)
                if network in networks:
                    yield Covering(length, networks[network])

    def longest(self, prefix: str) -> Covering[T] | None:
        """Return the longest prefix that covers one, None where none does."""
        return next(self.covering(prefix), None)

    def of_host(self, host: str) -> Covering[T] | None:
        """Return the longest prefix that covers an address without a length, None where none does."""
        return self.longest(f"{host}/{128 if ':' in host else 32}")
