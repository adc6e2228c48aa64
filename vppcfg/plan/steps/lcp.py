"""LCP pairs, and the Linux side: devices where VPP does not keep them in step, namespaces and bridges for TAPs.

Whatever changes about a pair, it is recreated, because linux-cp changes nothing in place.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.lcp import LcpPair, Stacking
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.tap import Tap
from vppcfg.plan.change import Change
from vppcfg.plan.operations import (
    CreateLcpPair,
    CreateLinuxBridge,
    CreateNamespace,
    DeleteLcpPair,
    SetLinuxBridge,
    SetLinuxLink,
    SetPacketMtu,
)
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def pair_steps(transition: Transition, change: Change[LcpPair]) -> Iterator[Step]:
    """Yield the steps that delete the pair as it was and create it as it is to be."""
    if change.before is not None:
        depth = transition.observed.interfaces[change.name].depth
        stage = Stage.DELETE_LCP if change.before.has_host else Stage.DELETE_ORPHANED_LCP
        if change.name in transition.parted_early:
            stage = Stage.DELETE_LCP_OF_STAYING
        yield Step(stage=stage, operation=DeleteLcpPair(interface=change.name), depth=depth)
    if change.after is not None:
        depth = transition.desired.interfaces[change.name].depth
        create = CreateLcpPair(
            interface=change.name,
            host_name=change.after.host_name,
            netns=change.after.netns,
            is_default_netns=change.after.netns == transition.observed.facts.lcp.default_netns,
            is_tun=change.after.is_tun,
        )
        yield Step(stage=Stage.CREATE_LCP, operation=create, depth=depth)


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


def shut_device_steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that set Linux devices of doomed interfaces down where linux-nl hears of it.

    Linux tells nobody of the IPv4 routes that it drops with a device. linux-nl drops them in VPP when a device goes
    down whose interface is up (lcp_router_link_add in linux-cp/lcp_router.c).
    """
    for name in transition.shut_in_linux:
        pair = transition.observed.lcps[name]
        down = SetLinuxLink(
            interface=name,
            netns=pair.netns,
            host_name=pair.host_name,
            mtu=transition.observed.linux[name].mtu,
            is_up=False,
            vpp_follows=True,
        )
        depth = transition.observed.interfaces[name].depth
        yield Step(stage=Stage.SHUT_IN_LINUX, operation=down, depth=depth)


def copying_steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that have VPP copy to Linux what an interface had before its pair was made.

    With lcp-sync, linux-cp copies an address to Linux when it is set, and all of an interface when its state or one of
    its MTUs changes, but not when a pair is made (linux-cp/lcp_interface_sync.c). So the MPLS MTU
    is written again, unchanged, which has VPP copy. The packet MTU is written again, too: linux-nl may have taken over
    what Linux gave the new device, a VLAN that of its port (lcp_router_link_mtu in linux-cp/lcp_router.c).
    """
    if not transition.observed.facts.lcp.is_sync:
        return
    created = (name for name, change in transition.difference.lcps.items() if change.after is not None)
    for name in created:
        if not _is_left_behind(transition, name):
            continue
        interface = transition.desired.interfaces[name]
        ip4, ip6, mpls = interface.protocol_mtus
        for each in (mpls or transition.desired.packet_mtu(name), mpls):
            poke = SetPacketMtu(interface=name, mtu=interface.packet_mtu, protocol_mtus=(ip4, ip6, each))
            yield Step(stage=Stage.COPY_TO_LINUX, operation=poke, depth=interface.depth)


def _is_left_behind(transition: Transition, name: str) -> bool:
    """Return whether an interface has what linux-cp does not copy with its pair: addresses, the MTU of a VLAN."""
    kept, after = transition.kept(name), transition.desired.interfaces[name]
    if kept is None:
        return False
    if kept.addresses & after.addresses or after.unnumbered is not None or after.dhcp_client is not None:
        return True
    packet_mtu = transition.desired.packet_mtu
    return after.parent is not None and packet_mtu(name) != packet_mtu(after.parent)


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
    stacking = Stacking(transition.desired.interfaces.values())
    return {name for interface in flapping for name in stacking.hanging_on(interface)}


def _current(transition: Transition, name: str) -> LinuxDevice | None:
    """Return the device as it is before it is set: as observed, as it is made, or None where that cannot be told.

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
