"""The list of kinds whose objects a file owns by a key, such as `dhcp-relay`, in the order of their keys.

They stand apart from `kind_list` because the sections of interfaces, VRFs and bridge domains look at their keys.
"""

from __future__ import annotations

from typing import Any

from vppcfg.engine.object_kind import AnyObjectKind
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.kinds import (
    bridge_arp,
    dhcp_relay,
    l3xc,
    mpls_label,
    nd_proxy,
    neighbor_table,
    osi,
    path_mtu,
    punt_redirect,
    qos,
    rate_limit,
    virtual_router,
)

OWNED_KINDS: tuple[AnyObjectKind, ...] = (
    dhcp_relay.KIND,
    *qos.KINDS,
    *rate_limit.KINDS,
    bridge_arp.KIND,
    path_mtu.KIND,
    l3xc.KIND,
    mpls_label.KIND,
    punt_redirect.KIND,
    nd_proxy.KIND,
    neighbor_table.KIND,
    osi.KIND,
    virtual_router.KIND,
)
"""Those of a kind that has several classes of objects stand together, the one with the section first.

VPP does not record who has configured one: while its key is absent, no plan touches what VPP has of it."""
OWNED: tuple[OwnedSection[Any], ...] = tuple(
    section for kind in OWNED_KINDS for section in kind.sections() if isinstance(section, OwnedSection)
)
OWNED_KEYS = frozenset(section.key for section in OWNED)
