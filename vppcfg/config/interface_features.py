"""Keys of interfaces that are more than a plain value: what the file says of each, and what that is in the model."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.common.addresses import canonical_prefix


def unmanaged_addresses_of(raw: Sequence[str]) -> tuple[str, ...]:
    """Return the prefixes that `unmanaged-addresses` lists, a host as one that has it alone."""
    return tuple(prefix for text in raw if (prefix := canonical_prefix(text)))
