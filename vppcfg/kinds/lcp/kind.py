"""The kind of LCP pairs: the key `lcp` of interfaces, and a pair that is deleted with its interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from vppcfg.engine.kind import Kind
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.interface import SetPacketMtu
from vppcfg.kinds.lcp import reading
from vppcfg.kinds.lcp.changes import host_mtu_wanted
from vppcfg.kinds.lcp.entry import LCP, LCP_PLUGIN
from vppcfg.kinds.lcp.operations import HOST, CreateLcpPair, DeleteLcpPair, SetHostMtu
from vppcfg.kinds.linux_device import SetLinuxLink
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.model.kinds import as_created
from vppcfg.model.lcp import LcpPair, host_mtu_as_made
from vppcfg.model.problem import Problem
from vppcfg.operations.carried_in_linux import LISTENER
from vppcfg.operations.change import Action, Change
from vppcfg.operations.request import Known
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.shell import Shown


def pair_steps(transition: Transition, change: Change[LcpPair]) -> Iterator[Step]:
    """Yield the steps that delete the pair as it was and create it as it is to be.

    A pair goes in one of three stages: one that has lost its Linux device goes before anything reaches its old index,
    one whose interface stays goes before the Linux device below it is set down, all others go in between.
    """
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
    its MTUs changes, but not when a pair is made (linux-cp/lcp_interface_sync.c). So the MPLS MTU is changed twice:
    from 0, with which the packet MTU is in force, to the packet MTU itself, and back. VPP copies, and no packet is
    treated otherwise. An MPLS MTU of its own, as scripts set it, is 0 in between: VPP copies only what changes. The
    packet MTU is written along with it: linux-nl may have taken over what Linux gave the new device, a VLAN that of its
    port (lcp_router_link_mtu in linux-cp/lcp_router.c).
    """
    if not transition.observed.facts.lcp.is_sync:
        return
    created = (name for name, change in transition.difference.lcps.items() if change.after is not None)
    for name in created:
        if not _is_left_behind(transition, name):
            continue
        interface = transition.desired.interfaces[name]
        ip4, ip6, mpls = interface.protocol_mtus
        for mpls_mtu in (0 if mpls else transition.desired.packet_mtu(name), mpls):
            poke = SetPacketMtu(interface=name, mtu=interface.packet_mtu, protocol_mtus=(ip4, ip6, mpls_mtu))
            yield Step(stage=Stage.COPY_TO_LINUX, operation=poke, depth=interface.depth)


def _is_left_behind(transition: Transition, name: str) -> bool:
    """Return whether an interface that stays has what linux-cp does not copy with its pair: addresses, a VLAN's MTU."""
    kept, after = transition.kept(name), transition.desired.interfaces[name]
    if kept is None:
        return False
    if kept.addresses & after.addresses or after.unnumbered is not None or after.dhcp_client is not None:
        return True
    packet_mtu = transition.desired.packet_mtu
    return after.parent is not None and packet_mtu(name) != packet_mtu(after.parent)


_TAKEN = frozenset({"lo", "all", "default"})


def lcp_duplicate(index: Index) -> Iterator[Problem]:
    """Find Linux names that more than one LCP or TAP asks for."""
    owners: dict[str, str] = {}
    for interface in index.interfaces:
        if interface.lcp is None:
            continue
        first = owners.setdefault(interface.lcp.host_name, interface.name)
        if first != interface.name:
            yield _problem(
                "lcp-duplicate", interface, f"{first} has the LCP name {interface.lcp.host_name} already; take another"
            )
    for tap in index.configuration.virtual_as(TapConfig).values():
        first = owners.setdefault(tap.host_name, tap.name)
        if first != tap.name:
            text = f"{first} has the Linux name {tap.host_name} already; take another"
            yield Problem(rule="lcp-duplicate", path=(*tap.path, "host", "name"), text=text)


def linux_name(index: Index) -> Iterator[Problem]:
    """Find names that Linux gives to no device, and refuses (net/core/dev.c).

    Every namespace has `lo`; `all` and `default` are folders beside those of devices in /proc/sys/net/ipv4/conf.
    """
    for interface in index.interfaces:
        if interface.lcp is not None and interface.lcp.host_name in _TAKEN:
            yield _problem("linux-name-taken", interface, _taken(interface.lcp.host_name))
    for tap in index.configuration.virtual_as(TapConfig).values():
        names = {"name": tap.host_name, "bridge": tap.host_bridge}
        for key in [key for key, name in names.items() if name in _TAKEN]:
            path = (*tap.path, "host", key)
            yield Problem(rule="linux-name-taken", path=path, text=_taken(str(names[key])))


def _taken(name: str) -> str:
    return f"Linux lets no device be called {name}; take another name"


def sub_lcp(index: Index) -> Iterator[Problem]:
    """Find sub-interfaces whose LCP lacks what linux-cp hangs it on (linux-cp/lcp_interface.c)."""
    for interface in index.sub_interfaces:
        if interface.lcp is None:
            continue
        if interface.encapsulation is not None and not interface.encapsulation.is_exact:
            text = f"{interface.name} has an LCP and so must match its tags exactly; add `exact-match: true`"
            yield _problem("lcp-exact-match", interface, text)
        parent = index.find(interface.parent)
        if parent is not None and parent.lcp is None:
            yield _problem("sub-lcp-parent", interface, f"{parent.name} needs an LCP for {interface.name} to have one")


def sub_lcp_netns(index: Index) -> Iterator[Problem]:
    """Find LCPs of sub-interfaces in another namespace than that of the parent's device, which carries them."""
    for interface in index.sub_interfaces:
        parent = index.find(interface.parent)
        if interface.lcp is None or parent is None or parent.lcp is None or parent.lcp.netns == interface.lcp.netns:
            continue
        theirs = "without one" if parent.lcp.netns is None else f"with netns {parent.lcp.netns}"
        text = (
            f"the LCP of {parent.name} is written {theirs}; a Linux VLAN device is where its parent is, write the same"
        )
        yield _problem("sub-lcp-netns", interface, text)


def qinx_lcp(index: Index) -> Iterator[Problem]:
    """Find two-tag sub-interfaces whose LCP lacks the device of the outer tag (linux-cp/lcp_interface.c)."""
    for interface in index.sub_interfaces:
        tags = interface.encapsulation
        if interface.lcp is None or tags is None or tags.inner is None or interface.parent in index.broken_parents:
            continue
        parent = index.one_tag_parent(interface)
        if parent is None:
            outer = f"{'dot1ad' if tags.is_dot1ad else 'dot1q'} {tags.outer}"
            text = f"{interface.parent} needs a sub-interface with the one tag {outer} and an LCP"
            yield _problem("qinx-lcp-parent", interface, text)
        elif parent.lcp is None:
            text = f"{parent.name} needs an LCP for {interface.name} to have one"
            yield _problem("qinx-lcp-parent", interface, text)


def _problem(rule: str, interface: InterfaceConfig, text: str) -> Problem:
    return Problem(rule=rule, path=(*interface.path, "lcp"), text=text)


class LcpKind(Kind):
    """Pairs; `reading` has what is read of them, for which all interfaces must be known."""

    key = LCP.key
    operations = (CreateLcpPair, DeleteLcpPair, SetHostMtu)
    numbered = HOST
    rules = (lcp_duplicate, linux_name, sub_lcp, sub_lcp_netns, qinx_lcp)
    api_module = "lcp"
    capabilities: ClassVar[Mapping[str, str]] = {LCP_PLUGIN: reading.PAIRS}

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the first page of pairs."""
        return reading.requests(connection)

    def commands(self, connection: VppReader) -> list[str]:
        """Return the commands that show the plugin's switches, and whether its companion linux-nl runs."""
        return reading.commands(connection)

    def parts_present(self, connection: VppReader, shown: Shown) -> Iterable[str]:
        return (*super().parts_present(connection, shown), *([LISTENER] if reading.runs(LISTENER, shown) else []))

    def read_facts(
        self, connection: VppReader, replies: Replies, known: Known, found: Mapping[str, Mapping[int, Any]]
    ) -> dict[str, Any]:
        """Return the plugin's switches."""
        return {"lcp": reading.read_settings(connection, known.shown)}

    def read_indexes(self, connection: VppReader) -> dict[str, int]:
        """Ask VPP for the index of its side of each Linux device, by the name of the interface."""
        return reading.read_hosts(connection)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that create and delete pairs."""
        for change in transition.difference.lcps.values():
            yield from pair_steps(transition, change)
            yield from host_mtu_steps(transition, change)
        yield from shut_device_steps(transition)
        yield from copying_steps(transition)


KIND: Kind = LcpKind()
