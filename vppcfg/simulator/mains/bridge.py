"""Bridge domains (vnet/l2/l2_bd.h)."""

from __future__ import annotations

from dataclasses import dataclass, field

LAST_ID = (1 << 24) - 1


class Feature:
    """Bits of a bridge domain's features (vnet/l2/l2_input.h)."""

    FLOOD = 1 << 2
    ARP_UFWD = 1 << 3
    ARP_TERM = 1 << 4
    UU_FLOOD = 1 << 5
    UU_FWD = 1 << 6
    FWD = 1 << 7
    LEARN = 1 << 9


DEFAULT_FEATURES = 0xFFFFFFFF & ~(Feature.ARP_TERM | Feature.ARP_UFWD | Feature.UU_FWD)


@dataclass(slots=True, kw_only=True)
class BridgeDomain:
    """One bridge domain, or the place of one (l2_bridge_domain_t)."""

    bd_id: int | None = None
    """None while nobody uses the place."""
    features: int = 0
    mac_age: int = 0
    """Minutes; it outlives the domain."""
    tag: bytes = b""
    bvi: int | None = None
    uu_fwd: int | None = None
    members: list[int] = field(default_factory=list)
    """In VPP's order: the BVI, ports, tunnels, loopbacks."""
    tunnel_count: int = 0
    loopback_count: int = 0


def _own() -> BridgeDomain:
    """Return VPP's own domain, which takes local0 for its BVI: nobody sets that up."""
    return BridgeDomain(bd_id=0, features=DEFAULT_FEATURES, bvi=0, uu_fwd=0)


@dataclass(slots=True, kw_only=True)
class BridgeMain:
    """All bridge domains by index."""

    domains: list[BridgeDomain] = field(default_factory=lambda: [_own()])
    by_id: dict[int, int] = field(default_factory=lambda: {0: 0})
