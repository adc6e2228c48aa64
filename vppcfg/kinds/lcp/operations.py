"""Operations that create and delete Linux Control Plane pairs (linux-cp/lcp_interface.c)."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.interface import Encapsulation, Interface
from vppcfg.model.lcp import LcpPair, host_mtu_as_made
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.state import State
from vppcfg.operations.operation import InterfaceOperation, Numbering, PairOperation, Predicate
from vppcfg.operations.pause import Pause, PauseContext, of_closed_device, of_new_device
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record

_LCP_PAIR = ("lcp_itf_pair_add_del_v3", "lcp_itf_pair_add_del_v2", "lcp_itf_pair_add_del")
"""Newest first: 24.06, 22.02, before. They differ in what the reply has."""
_INVALID_ARGUMENT = -73
"""VNET_API_ERROR_INVALID_ARGUMENT (vnet/error.h)."""
HOST_TAP, HOST_TUN = 0, 1
"""lcp_itf_host_type (linux-cp/lcp.api)."""
HOST = "LCP host of"
"""What VPP numbers of a pair: its side of the Linux device, an interface that no operation names."""


@record
class CreateLcpPair(PairOperation):
    """lcp_itf_pair_add_del: mirror an interface as a Linux device."""

    is_add = True
    numbered = HOST
    numbering = Numbering.GIVES

    host_name: str
    netns: str
    is_default_netns: bool
    """Whether `netns` is the one that VPP takes unasked."""
    is_tun: bool = False

    def _refusal(self, working: WorkingState) -> str | None:
        if self.interface in working.lcps:
            return f"{self.interface} has an LCP pair"
        holder = working.linux_names.get((self.netns, self.host_name))
        if holder is not None:
            return f"the Linux name {self.host_name} is held by {holder}"
        virtual = working.virtual.get(self.interface)
        if virtual is not None and not virtual.has_ethernet and not self.is_tun:
            return f"{self.interface} has no Ethernet, and only a TUN can mirror it"
        return _missing_carrier(working.interfaces[self.interface], working)

    def apply_to(self, working: WorkingState) -> None:
        """Enter the pair, and its Linux device where Linux is known."""
        host_mtu = host_mtu_as_made(working.interfaces[self.interface])
        pair = LcpPair(host_name=self.host_name, netns=self.netns, is_tun=self.is_tun, host_mtu=host_mtu)
        working.add_pair(self.interface, pair)
        if working.has_linux:
            working.linux[self.interface] = _new_device(self.interface, working)

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return that a Linux device comes, which has the MTU of its interface."""
        return Predicate("gets a new Linux device", "get new Linux devices")

    def reason_of(self, retval: int) -> str:
        """Return what Linux lacks for the device of a sub-interface (lcp_netlink_add_link_vlan)."""
        if retval != _INVALID_ARGUMENT or "." not in self.interface:
            return ""
        return "Linux has made no VLAN device; it needs 802.1Q (`modprobe 8021q`), and VPP's log has its answer"

    def objection(self) -> str:
        """Return why VPP must not get this operation, '' when it may.

        An empty namespace means the default one to linux-cp, and has no other name for VPP's own
        (lcp_itf_pair_create in linux-cp/lcp_interface.c).
        """
        if not self.netns and not self.is_default_netns:
            return "VPP cannot create a pair in its own namespace while it has a default one"
        return ""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Write the namespace out, the default one too, unless it is VPP's own, whose name is empty."""
        message = vpp.newest(_LCP_PAIR)
        values: dict[str, Value] = {
            "is_add": 1,
            "sw_if_index": indexes.interface(self.interface),
            "host_if_name": self.host_name,
            "host_if_type": HOST_TUN if self.is_tun else HOST_TAP,
            "netns" if vpp.has_field(message, "netns") else "namespace": self.netns,
        }
        return Request(message, values)

    def cli(self) -> str:
        netns = "" if self.is_default_netns else f" netns {self.netns}"
        tun = " tun" if self.is_tun else ""
        return f"lcp create {self.interface} host-if {self.host_name}{netns}{tun}"

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: Linux makes a device."""
        return of_new_device("it makes Linux devices for {}")


@record
class DeleteLcpPair(PairOperation):
    """lcp_itf_pair_add_del: remove the Linux device of an interface."""

    is_add = False

    def _refusal(self, working: WorkingState) -> str | None:
        name = self.interface
        if name not in working.lcps:
            return f"{name} has no LCP pair"
        interface = working.interfaces[name]
        if interface.has_mpls and working.lcps[name].has_host:
            return f"{name} has MPLS, which the next interface with the index of its Linux side would inherit"
        left = min(
            (other for other in working.stacking.dependents_of(interface) if other in working.lcps), default=None
        )
        return f"the LCP pair of {left} depends on that of {name}" if left is not None else None

    def apply_to(self, working: WorkingState) -> None:
        working.remove_pair(self.interface)
        working.linux.pop(self.interface, None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(vpp.newest(_LCP_PAIR), {"is_add": 0, "sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"lcp delete {self.interface}"

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: Linux closes its device."""
        return of_closed_device("it removes Linux devices of {}")


@record
class SetHostMtu(InterfaceOperation):
    """sw_interface_set_mtu: set the packet MTU of VPP's side of a Linux device, which linux-cp sets just once."""

    has_host_device = True
    numbered = HOST

    mtu: int

    def _refusal(self, working: WorkingState) -> str | None:
        return None if _has_working_pair(self.interface, working) else f"{self.interface} has no LCP pair"

    def apply_to(self, working: WorkingState) -> None:
        working.lcps[self.interface] = replace(working.lcps[self.interface], host_mtu=self.mtu)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.number(HOST, self.interface), "mtu.0": self.mtu}
        return Request("sw_interface_set_mtu", values)

    def cli(self) -> str | None:
        """Return None: the name of VPP's side is known no sooner than it is there."""
        return None

    def effect(self, observed: State, desired: State) -> Predicate:
        what = f"Linux packets of up to {self.mtu} bytes whole"
        return Predicate(f"hands {what}", f"hand {what}")


def _missing_carrier(interface: Interface, working: WorkingState) -> str | None:
    """Return what a sub-interface lacks for an LCP pair of its own."""
    if interface.parent is None:
        return None
    encapsulation = interface.encapsulation
    if not isinstance(encapsulation, Encapsulation) or not encapsulation.is_exact:
        return f"{interface.name} is not exact-match, so it takes no LCP"
    if not _has_working_pair(interface.parent, working):
        return f"{interface.parent} has no LCP pair"
    if encapsulation.tag_count == 1:
        return None
    carrier = working.stacking.carrier_of(interface)
    if carrier is not None and _has_working_pair(carrier, working):
        return None
    return f"no sub-interface with the outer tag of {interface.name} has an LCP pair"


def _has_working_pair(name: str, working: WorkingState) -> bool:
    return name in working.lcps and working.lcps[name].has_host


def _new_device(name: str, working: WorkingState) -> LinuxDevice:
    """Return the Linux device that linux-cp makes for an interface: it copies MTU and state in that moment."""
    interface = working.interfaces[name]
    parent = working.linux.get(interface.parent or "")
    mtu = parent.mtu if parent is not None else interface.packet_mtu
    return LinuxDevice(mtu=mtu, is_up=interface.is_up)
