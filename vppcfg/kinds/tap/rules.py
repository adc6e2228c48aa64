"""Rules about TAPs: their rings, their Linux side, and what their VPP side may have."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.entries.index import Index
from vppcfg.kinds.tap.entry import MAX_RING, MIN_RING, TapConfig
from vppcfg.model.problem import Problem


def _ring(index: Index) -> Iterator[Problem]:
    """Find ring sizes that are no power of two in range."""
    for tap in index.configuration.virtual_as(TapConfig).values():
        for key, size in (("rx-ring-size", tap.rx_ring_size), ("tx-ring-size", tap.tx_ring_size)):
            if not MIN_RING <= size <= MAX_RING or size & (size - 1):
                text = f"{size} is no power of two from {MIN_RING} to {MAX_RING}"
                yield Problem(rule="tap-ring", path=(*tap.path, key), text=text)


def _create(index: Index) -> Iterator[Problem]:
    """Find TAPs that ask for a bridge or a namespace without a name."""
    for tap in index.configuration.virtual_as(TapConfig).values():
        for key, desired, is_asked, name in (
            ("bridge-create", "bridge", tap.creates_bridge, tap.host_bridge),
            ("namespace-create", "namespace", tap.creates_netns, tap.host_netns),
        ):
            if is_asked and name is None:
                text = f"`{key}` names none; add `{desired}`"
                yield Problem(rule="tap-create-without", path=(*tap.path, "host", key), text=text)


def _interface(index: Index) -> Iterator[Problem]:
    """Find what does not fit between the two sides of a TAP."""
    for tap in index.configuration.virtual_as(TapConfig).values():
        interface = index.find(tap.name)
        if interface is None:
            continue
        if tap.host_mtu is not None and tap.host_mtu != interface.mtu:
            text = f"{tap.name} has an MTU of {interface.mtu} and its host side one of {tap.host_mtu}; make them equal"
            yield Problem(rule="tap-mtu", path=(*interface.path, "mtu"), text=text)
        if interface.lcp is not None:
            text = f"{tap.name} has a device in Linux already and cannot have `lcp`; remove that"
            yield Problem(rule="tap-l3", path=(*interface.path, "lcp"), text=text)


RULES = (_ring, _create, _interface)
