"""TAPs: what the file leaves open of them stays as it is."""

from __future__ import annotations

from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.configuration import TapConfig
from vppcfg.model.tap import Tap


def resolve(wanted: Wanted) -> None:
    """Enter the TAPs of the file that are not somebody else's."""
    for name, config in wanted.configuration.taps.items():
        if name not in wanted.interfaces:
            wanted.made[name] = _tap(config, wanted.observed.making(name, Tap))


def _tap(config: TapConfig, before: Tap | None) -> Tap:
    return Tap(
        host_name=config.host_name,
        host_mac=config.host_mac or "",
        host_mtu=config.host_mtu if config.host_mtu is not None else before.host_mtu if before else 0,
        host_bridge=config.host_bridge or "",
        host_netns=config.host_netns or "",
        rx_ring_size=config.rx_ring_size,
        tx_ring_size=config.tx_ring_size,
        flags=before.flags if before else 0,
    )
