"""One entry of `taps`, of the right shape, as a TapConfig."""

from __future__ import annotations

from typing import Any

from vppcfg.common.mac import canonical_mac
from vppcfg.config.names import MAX_TAP, is_tap_name
from vppcfg.config.parse.entries import Entry, Naming
from vppcfg.model.configuration import TapConfig

DEFAULT_RING_SIZE = 256
NAMING = Naming(section="taps", is_name=is_tap_name, rule="tap-id", wanted=f"a TAP is called tap0 to tap{MAX_TAP}")


def parse_tap(entry: Entry) -> TapConfig:
    """Parse a TAP."""
    host = entry.raw["host"]
    return TapConfig(
        name=entry.name,
        path=entry.path,
        host_name=host["name"],
        description=entry.raw.get("description") or None,
        host_mac=canonical_mac(host.get("mac")),
        host_mtu=host.get("mtu"),
        host_bridge=host.get("bridge"),
        creates_bridge=host.get("bridge-create") or False,
        host_netns=host.get("namespace"),
        creates_netns=host.get("namespace-create") or False,
        rx_ring_size=_ring_size(entry.raw.get("rx-ring-size")),
        tx_ring_size=_ring_size(entry.raw.get("tx-ring-size")),
    )


def _ring_size(raw: Any) -> int:
    return DEFAULT_RING_SIZE if raw is None else int(raw)
