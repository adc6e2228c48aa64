"""The keys of interfaces that have types of their own in the file (`EntryKey`), in the order in which it has them.

They stand apart from `kind_list` because sections of interfaces look at them, and rules at these sections.
"""

from __future__ import annotations

from vppcfg.config.entry_key import EntryKey
from vppcfg.kinds import neighbor
from vppcfg.kinds.acl_section import ACLS_KEY
from vppcfg.kinds.policy_route_section import POLICY_ROUTES
from vppcfg.kinds.tag_rewrite import TAG_REWRITE
from vppcfg.kinds.vrf_section import VRF_KEY

EARLY_KEYS: tuple[EntryKey, ...] = (VRF_KEY,)
"""Those that stand before plain values."""
LATE_KEYS: tuple[EntryKey, ...] = (
    TAG_REWRITE,
    neighbor.KIND,
    POLICY_ROUTES,
    ACLS_KEY,
)
"""Those behind them."""
ENTRY_KEYS: tuple[EntryKey, ...] = (*EARLY_KEYS, *LATE_KEYS)


def keys_with(method: str) -> tuple[EntryKey, ...]:
    """Return the keys that have a method of their own: asking the others of every interface takes time."""
    return tuple(each for each in ENTRY_KEYS if getattr(type(each), method) is not getattr(EntryKey, method))
