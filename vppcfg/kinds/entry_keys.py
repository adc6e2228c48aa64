"""The keys of interfaces that have types of their own in the file (`EntryKey`), in the order in which it has them."""

from __future__ import annotations

from vppcfg.config.entry_key import EntryKey
from vppcfg.kinds import neighbor, policy_route_section

LATE_KEYS: tuple[EntryKey, ...] = (neighbor.KIND, policy_route_section.POLICY_ROUTES)
"""Those behind plain values."""
ENTRY_KEYS: tuple[EntryKey, ...] = LATE_KEYS
