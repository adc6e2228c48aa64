"""The keys by which a file owns objects that bear no mark, in the order in which they are written.

They stand apart from `kind_list` because the sections of interfaces, VRFs and bridge domains look at them.
"""

from __future__ import annotations

from typing import Any

from vppcfg.config.sections.owned_section import OwnedSection
from vppcfg.kinds import dhcp_relay

OWNED: tuple[OwnedSection[Any], ...] = (dhcp_relay.SECTION,)
"""A key that is absent leaves alone what VPP has of it."""
OWNED_KEYS = frozenset(each.key for each in OWNED)
