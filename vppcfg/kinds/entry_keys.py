"""The keys of interfaces that have types of their own in the file (`EntryKey`), in the order in which it has them.

They stand apart from `kind_list` because sections of interfaces look at them, and rules at these sections.
"""

from __future__ import annotations

from vppcfg.config.entry_key import EntryKey
from vppcfg.kinds import neighbor
from vppcfg.kinds.lcp.entry import LCP
from vppcfg.kinds.policy_route_section import POLICY_ROUTES
from vppcfg.kinds.vrf_section import VRF_KEY

EARLY_KEYS: tuple[EntryKey, ...] = (
    LCP,
    VRF_KEY,
)
"""Those that stand before plain values."""
LATE_KEYS: tuple[EntryKey, ...] = (
    neighbor.KIND,
    POLICY_ROUTES,
)
"""Those behind them."""
ENTRY_KEYS: tuple[EntryKey, ...] = (*EARLY_KEYS, *LATE_KEYS)
