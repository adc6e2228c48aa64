"""The Linux side: what pairs and TAPs should look like there, where VPP does not see to it itself."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.tap import Tap


def resolve(wanted: Wanted) -> None:
    """Enter namespaces, bridges and devices; nothing at all where the Linux side could not be read.

    With lcp-sync, VPP lets MTU and state follow by itself.
    """
    wanted.namespaces = wanted.observed.namespaces
    wanted.linux_bridges = wanted.observed.linux_bridges
    _resolve_host(wanted)
    if not wanted.observed.facts.has_linux:
        return
    if not wanted.observed.facts.lcp.is_sync:
        for name in wanted.lcps.keys() & wanted.configured:
            interface = wanted.interfaces[name]
            wanted.linux[name] = LinuxDevice(mtu=interface.packet_mtu, is_up=interface.is_up)
    for name in wanted.configuration.taps:
        tap = wanted.made.get(name)
        if isinstance(tap, Tap):
            wanted.linux[name] = _tap_device(tap, wanted.observed.linux.get(name))


def _tap_device(tap: Tap, before: LinuxDevice | None) -> LinuxDevice:
    device = before or tap.device_as_created()
    return replace(device, mtu=tap.host_mtu or device.mtu, bridge=tap.host_bridge)


def _resolve_host(wanted: Wanted) -> None:
    """Enter what TAPs are to create, and note what they only name and Linux does not have."""
    for name, config in wanted.configuration.taps.items():
        if not isinstance(wanted.made.get(name), Tap):
            continue
        netns, bridge = config.host_netns, config.host_bridge
        if netns is not None and config.creates_netns:
            wanted.namespaces |= {netns}
        if bridge is not None and config.creates_bridge:
            wanted.linux_bridges |= {(netns or "", bridge)}
        if not wanted.observed.facts.has_linux:
            continue
        if netns is not None and netns not in wanted.namespaces:
            text = f"there is no network namespace {netns}; make it, or say `namespace-create: true`"
            wanted.is_possible = False
            wanted.problem("tap-host-missing", (*config.path, "host", "namespace"), text)
        if bridge is not None and (netns or "", bridge) not in wanted.linux_bridges:
            text = f"there is no Linux bridge {bridge}; make it, or say `bridge-create: true`"
            wanted.is_possible = False
            wanted.problem("tap-host-missing", (*config.path, "host", "bridge"), text)
