"""The steps of a plan about LCP pairs: one that changes is recreated, because linux-cp changes none in place."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.kinds.interface import SetPacketMtu
from vppcfg.kinds.lcp.changes import host_mtu_wanted
from vppcfg.kinds.lcp.operations import CreateLcpPair, DeleteLcpPair, SetHostMtu
from vppcfg.kinds.linux_device import SetLinuxLink
from vppcfg.model.kinds import as_created
from vppcfg.model.lcp import LcpPair, host_mtu_as_made
from vppcfg.operations.change import Action, Change
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition


def pair_steps(transition: Transition, change: Change[LcpPair]) -> Iterator[Step]:
    """Yield the steps that delete the pair as it was and create it as it is to be."""
    if change.action is Action.UPDATE:
        return
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


def host_mtu_steps(transition: Transition, change: Change[LcpPair]) -> Iterator[Step]:
    """Yield the step that sets the MTU of VPP's side of the Linux device, where it is not as it is to be."""
    if change.after is None:
        return
    name, before = change.name, change.before
    if before is not None and change.action is Action.UPDATE:
        current = before.host_mtu
    else:
        current = _host_mtu_of_new(transition, name)
    wanted = host_mtu_wanted(name, current, transition.desired, transition.observed.facts.lcp)
    if wanted is not None and wanted != current:
        yield Step(stage=Stage.SET_HOST_MTU, operation=SetHostMtu(interface=name, mtu=wanted))


def _host_mtu_of_new(transition: Transition, name: str) -> int:
    """Return what linux-cp sets when it makes the pair, which is before the MTUs of the interface are set."""
    after = transition.desired.interfaces[name]
    made = after if after.parent is not None else as_created(name, after.kind, transition.desired.virtual.get(name))
    return host_mtu_as_made(transition.kept(name) or made)


def shut_device_steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that set Linux devices of doomed interfaces down where linux-nl hears of it.

    Linux does not report the IPv4 routes that it drops with a device. linux-nl drops them in VPP when a device goes
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
