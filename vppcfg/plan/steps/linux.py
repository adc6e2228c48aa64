"""The steps of a plan in Linux: devices where VPP does not keep them in step, namespaces and bridges for TAPs."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.kinds.linux_device import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink
from vppcfg.model.lcp import SubInterfaceDependencies
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.tap import Tap
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition


def host_steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that make the namespaces and bridges that TAPs need."""
    for netns in sorted(transition.desired.namespaces - transition.observed.namespaces):
        yield Step(stage=Stage.CREATE_NAMESPACE, operation=CreateNamespace(netns=netns))
    for netns, bridge in sorted(transition.desired.linux_bridges - transition.observed.linux_bridges):
        create = CreateLinuxBridge(netns=netns, bridge=bridge)
        yield Step(stage=Stage.CREATE_LINUX_BRIDGE, operation=create)


def device_steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that set MTU, state and bridge of Linux devices that differ, or will once they are made."""
    shaken = _shaken(transition)
    for name, desired in transition.desired.linux.items():
        current = _current(transition, name)
        is_set = current is not None and (current.mtu, current.is_up) == (desired.mtu, desired.is_up)
        if not is_set or name in shaken:
            yield _link(transition, name, desired)
        if (current.bridge if current else "") != desired.bridge:
            yield _bridge(transition, name, desired)


def _shaken(transition: Transition) -> set[str]:
    """Return the interfaces whose Linux device Linux may set up or down with the one below, which changes its state.

    The device below is that of the port, or, of a sub-interface with two tags, that of its outer tag
    (net/8021q/vlan.c, vlan_device_event).
    """
    flapping = [
        transition.desired.interfaces[name]
        for name, desired in transition.desired.linux.items()
        if (current := _current(transition, name)) is None or current.is_up != desired.is_up
    ]
    if not flapping:
        return set()
    stacking = SubInterfaceDependencies(transition.desired.interfaces.values())
    return {name for interface in flapping for name in stacking.dependents_of(interface)}


def _current(transition: Transition, name: str) -> LinuxDevice | None:
    """Return the device as it is before it is set: as observed, as it is made, or None where that is unknown.

    linux-cp copies MTU and state of a port when it makes the pair, which is before they are set
    (linux-cp/lcp_interface.c); what a VLAN device gets is up to Linux.
    """
    tap = transition.desired.virtual_of(name, Tap)
    if tap is not None:
        is_new = name in transition.created or name not in transition.observed.linux
        return tap.device_as_created() if is_new else transition.observed.linux[name]
    change = transition.difference.lcps.get(name)
    if change is None:
        return transition.observed.linux.get(name)
    before = transition.kept(name)
    if before is None or before.parent is not None:
        return None
    return LinuxDevice(mtu=before.packet_mtu, is_up=before.is_up)


def _names(transition: Transition, name: str) -> tuple[str, str]:
    pair = transition.desired.lcps.get(name)
    if pair is not None:
        return pair.netns, pair.host_name
    tap = transition.desired.virtual_of(name, Tap)
    assert tap is not None
    return tap.host_netns, tap.host_name


def _link(transition: Transition, name: str, desired: LinuxDevice) -> Step:
    netns, host_name = _names(transition, name)
    link = SetLinuxLink(interface=name, netns=netns, host_name=host_name, mtu=desired.mtu, is_up=desired.is_up)
    return Step(stage=Stage.SET_LINUX_LINK, operation=link, depth=transition.desired.interfaces[name].depth)


def _bridge(transition: Transition, name: str, desired: LinuxDevice) -> Step:
    netns, host_name = _names(transition, name)
    bridge = SetLinuxBridge(interface=name, netns=netns, host_name=host_name, bridge=desired.bridge)
    return Step(stage=Stage.SET_LINUX_BRIDGE, operation=bridge)
