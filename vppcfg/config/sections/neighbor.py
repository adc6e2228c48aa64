"""The key `neighbors` of an interface: MAC addresses of hosts on its link, by their IP addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vppcfg.common.addresses import canonical_host, canonical_mac
from vppcfg.config.configuration import NeighborConfig
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.interface import Interface
from vppcfg.model.neighbor import Neighbor, in_order

KEY = "neighbors"


def parse(raw: Mapping[str | int, Any]) -> tuple[NeighborConfig, ...]:
    """Return the entries of a map of the right shape; a key that is no address is kept for a rule to find."""
    return tuple(
        NeighborConfig(key=key, address=canonical_host(key), mac=canonical_mac(mac) or "") for key, mac in raw.items()
    )


def resolve(entries: Iterable[NeighborConfig]) -> tuple[Neighbor, ...]:
    """Return the neighbours that VPP is to have."""
    found = {entry.address: entry.mac for entry in entries if entry.address is not None}
    return in_order(Neighbor(address=address, mac=mac) for address, mac in found.items())


def from_state(interface: Interface) -> tuple[NeighborConfig, ...]:
    """Return the entries that say which neighbours an interface has."""
    return tuple(NeighborConfig(key=each.address, address=each.address, mac=each.mac) for each in interface.neighbors)


def unsupported_reason(interface: Interface) -> str | None:
    """Return why the file cannot say which neighbours an observed interface has, None when it can."""
    odd = next((each.address for each in interface.neighbors if not each.has_route), None)
    return None if odd is None else f"its static neighbour {odd} has no route"


def keys(entries: Iterable[NeighborConfig]) -> list[KeyValue]:
    """Return the key."""
    said = tuple(KeyValue(str(entry.address or entry.key), entry.mac) for entry in entries)
    return [KeyValue(KEY, said, is_block=True)]
