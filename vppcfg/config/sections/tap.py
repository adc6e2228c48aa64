"""The section `taps`: TAPs, and the Linux devices at their other ends."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.common.addresses import canonical_mac
from vppcfg.common.release import Release
from vppcfg.config.configuration import MAX_MTU, MIN_MTU, MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.names import is_lcp_name, is_netns_name
from vppcfg.config.sections.made_section import MadeSection, Plugin
from vppcfg.config.sections.section import Parsing, SectionEntry
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.state import State
from vppcfg.model.tap import DEFAULT_HOST_MTU, Tap
from vppcfg.record import record

MAX_TAP = 1024
DEFAULT_RING_SIZE = 256
MIN_RING, MAX_RING = 8, 32768
"""Largest as in plugins/tap/tap.c; below 8 there is no room for a burst."""
TAP_PLUGIN_SINCE = Release(26, 2)
"""Before, TAPs were part of VPP itself."""


@record
class TapConfig(MadeConfig):
    """One entry below `taps`."""

    host_name: str
    host_mac: str | None = None
    """Canonical; None leaves it as it is."""
    host_mtu: int | None = None
    host_bridge: str | None = None
    creates_bridge: bool = False
    host_netns: str | None = None
    creates_netns: bool = False
    rx_ring_size: int = DEFAULT_RING_SIZE
    tx_ring_size: int = DEFAULT_RING_SIZE


class Taps(MadeSection[TapConfig, Tap]):
    """The section `taps`."""

    key = "taps"
    word = "tap"
    last = MAX_TAP
    thing = "TAP"
    config = TapConfig
    making = Tap
    plugin = Plugin(name="tap", reason="the file has a TAP", since=TAP_PLUGIN_SINCE)
    can_join_bond = True
    assumed: ClassVar = {
        "host": ({"name": "assumed-a"}, {"name": "assumed-b"}),
        "namespace": ("assumed-a", "assumed-b"),
        "bridge": ("assumed-a", "assumed-b"),
        "namespace-create": (True, False),
        "bridge-create": (True, False),
        "rx-ring-size": (256, 512),
        "tx-ring-size": (256, 512),
    }

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> TapConfig:
        """Return a TAP."""
        host = entry.raw["host"]
        return TapConfig(
            name=entry.name,
            path=entry.path,
            host_name=host["name"],
            description=entry.description,
            host_mac=canonical_mac(host.get("mac")),
            host_mtu=host.get("mtu"),
            host_bridge=host.get("bridge"),
            creates_bridge=host.get("bridge-create") or False,
            host_netns=host.get("namespace"),
            creates_netns=host.get("namespace-create") or False,
            rx_ring_size=_ring_size(entry.raw.get("rx-ring-size")),
            tx_ring_size=_ring_size(entry.raw.get("tx-ring-size")),
        )

    def making_of(self, config: TapConfig, before: Tap | None, desired: DesiredState) -> Tap:
        """Return the TAP; what the file leaves open of it stays as it is.

        A new one is always made with an MTU for its device: up to 25.10 VPP would otherwise take the one that
        `tap { host-mtu }` names in startup.conf (vnet/devices/tap/tap.c), which no message tells.
        """
        return Tap(
            host_name=config.host_name,
            host_mac=config.host_mac or "",
            host_mtu=_host_mtu(config, before),
            host_bridge=config.host_bridge or "",
            host_netns=config.host_netns or "",
            rx_ring_size=config.rx_ring_size,
            tx_ring_size=config.tx_ring_size,
            flags=before.flags if before else 0,
        )

    def resolve_linux(self, desired: DesiredState) -> None:
        """Enter what TAPs create in Linux, and their devices; note what they only name and Linux does not have."""
        for name, config in desired.configuration.made_as(TapConfig).items():
            tap = desired.made.get(name)
            if not isinstance(tap, Tap):
                continue
            netns, bridge = config.host_netns, config.host_bridge
            if netns is not None and config.creates_netns:
                desired.namespaces |= {netns}
            if bridge is not None and config.creates_bridge:
                desired.linux_bridges |= {(netns or "", bridge)}
            if not desired.observed.facts.has_linux:
                continue
            if netns is not None and netns not in desired.namespaces:
                _lacks(desired, config, "namespace", f"there is no network namespace {netns}")
            if bridge is not None and (netns or "", bridge) not in desired.linux_bridges:
                _lacks(desired, config, "bridge", f"there is no Linux bridge {bridge}")
            desired.linux[name] = _device(tap, config, desired.observed.linux.get(name))

    def why_not(self, making: Tap) -> str | None:
        """Return why no entry can say what a TAP is."""
        if not is_lcp_name(making.host_name):
            return f"its Linux side has a name that the configuration does not allow: {making.host_name}"
        if making.host_bridge and not is_lcp_name(making.host_bridge):
            return f"it is in a Linux bridge with a name that the configuration does not allow: {making.host_bridge}"
        if making.host_netns and not is_netns_name(making.host_netns):
            return f'it is in a network namespace that the configuration cannot name: "{making.host_netns}"'
        if making.host_mtu and not MIN_MTU <= making.host_mtu <= MAX_MTU:
            return f"the MTU of its Linux side is {making.host_mtu}, outside of {MIN_MTU} to {MAX_MTU}"
        for size in (making.rx_ring_size, making.tx_ring_size):
            if not MIN_RING <= size <= MAX_RING:
                return f"it has a ring of {size}"
        return None

    def restate_made(self, name: str, making: Tap, state: State) -> TapConfig:
        """Return the entry of a TAP."""
        return TapConfig(
            name=name,
            path=(self.key, name),
            host_name=making.host_name,
            host_mac=making.host_mac or None,
            host_mtu=_said_host_mtu(name, making, state),
            host_bridge=making.host_bridge or None,
            host_netns=making.host_netns or None,
            rx_ring_size=making.rx_ring_size,
            tx_ring_size=making.tx_ring_size,
        )

    def making_in_linux(
        self, entry: TapConfig, namespaces: Collection[str], bridges: Collection[tuple[str, str]]
    ) -> TapConfig:
        """Return a TAP that also says that the namespace and the bridge of its device are made, where they are."""
        return replace(
            entry,
            creates_netns=entry.host_netns in namespaces,
            creates_bridge=(entry.host_netns or "", entry.host_bridge) in bridges,
        )

    def made_keys(self, entry: TapConfig) -> Iterator[KeyValue]:
        """Yield what a TAP is made with."""
        yield KeyValue("host", tuple(_host_keys(entry)))
        for key, size in (("rx-ring-size", entry.rx_ring_size), ("tx-ring-size", entry.tx_ring_size)):
            yield KeyValue(key, size, is_default=size == DEFAULT_RING_SIZE)


SECTION = Taps()


def _host_keys(entry: TapConfig) -> Iterator[KeyValue]:
    """Yield what the Linux side of a TAP is."""
    yield KeyValue("name", entry.host_name)
    if entry.host_mac is not None:
        yield KeyValue("mac", entry.host_mac)
    if entry.host_mtu is not None:
        yield KeyValue("mtu", entry.host_mtu)
    if entry.host_bridge is not None:
        yield KeyValue("bridge", entry.host_bridge)
        yield KeyValue("bridge-create", entry.creates_bridge, is_default=not entry.creates_bridge)
    if entry.host_netns is not None:
        yield KeyValue("namespace", entry.host_netns)
        yield KeyValue("namespace-create", entry.creates_netns, is_default=not entry.creates_netns)


def _ring_size(raw: Any) -> int:
    return DEFAULT_RING_SIZE if raw is None else int(raw)


def _lacks(desired: DesiredState, config: TapConfig, key: str, text: str) -> None:
    desired.is_possible = False
    path = (*config.path, "host", key)
    desired.problem("tap-host-missing", path, f"{text}; make it, or say `{key}-create: true`")


def _host_mtu(config: TapConfig, before: Tap | None) -> int:
    """Return what a TAP is made with; one that was made without an MTU has the one that Linux gives it."""
    if before is not None and config.host_mtu in {None, before.host_mtu or DEFAULT_HOST_MTU}:
        return before.host_mtu
    return config.host_mtu or DEFAULT_HOST_MTU


def _said_host_mtu(name: str, making: Tap, state: State) -> int | None:
    """Return the MTU that an entry says; the usual one only where both sides of the TAP have it, as a rule demands."""
    if making.host_mtu != DEFAULT_HOST_MTU:
        return making.host_mtu or None
    device = state.linux.get(name)
    is_common = state.packet_mtu(name) == DEFAULT_HOST_MTU and (device is None or device.mtu == DEFAULT_HOST_MTU)
    return DEFAULT_HOST_MTU if is_common else None


def _device(tap: Tap, config: TapConfig, before: LinuxDevice | None) -> LinuxDevice:
    """Return the device; an MTU that the file leaves open stays, whatever the TAP was made with."""
    device = before or tap.device_as_created()
    return replace(device, mtu=config.host_mtu or device.mtu, bridge=tap.host_bridge)
