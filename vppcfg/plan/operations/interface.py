"""State, MTU, MAC and tag of any interface (vnet/interface_api.c)."""

from __future__ import annotations

from vppcfg.model.interface import (
    FIXED_LINK_MTU,
    InterfaceKind,
    RxMode,
    must_be_down_for_link_mtu,
    usual_rx_mode,
)
from vppcfg.model.kinds import is_marked
from vppcfg.model.ownership import is_made_by_us
from vppcfg.model.placement import QueuePlacement, moved_to, thread_name
from vppcfg.plan.operation import InterfaceOperation
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record


@record
class SetAdminState(InterfaceOperation):
    """sw_interface_set_flags: bring an interface up or down."""

    is_up: bool
    bond: str = ""
    """For a member that comes up: the bond that is to use it again before anything else is done."""

    def _refusal(self, draft: WorkingState) -> str | None:
        parent = draft.interfaces[self.interface].parent
        if self.is_up and parent is not None and not draft.interfaces[parent].is_up:
            return f"{self.interface} cannot come up while {parent} is down"
        return None

    def apply_to(self, draft: WorkingState) -> None:
        """Set the state."""
        draft.change(self.interface, is_up=self.is_up)


@record
class SetRxMode(InterfaceOperation):
    """sw_interface_set_rx_mode: say how VPP learns that packets have come to any queue of a port."""

    mode: RxMode

    def _refusal(self, draft: WorkingState) -> str | None:
        kind = draft.interfaces[self.interface].kind
        is_port = kind is InterfaceKind.PHYSICAL or is_marked(kind)
        return None if is_port else f"{self.interface} is no port"

    def apply_to(self, draft: WorkingState) -> None:
        """Set the mode; a port that the plan has made has no class yet, and VPP makes it with interrupts."""
        port = draft.interfaces[self.interface]
        usual = RxMode.INTERRUPT if is_marked(port.kind) else usual_rx_mode(port.device_class)
        draft.change(self.interface, rx_mode=None if self.mode is usual else self.mode)


@record
class SetRxPlacement(InterfaceOperation):
    """sw_interface_set_rx_placement: have a thread look after one receive queue of a port."""

    queue: int
    thread: int
    """0 is the main thread, 1 the first worker."""

    def _refusal(self, draft: WorkingState) -> str | None:
        placements = draft.interfaces[self.interface].rx_placement
        if all(each.queue != self.queue for each in placements):
            return f"{self.interface} has no receive queue {self.queue}"
        return _no_such_thread(draft, (self.thread,))

    def apply_to(self, draft: WorkingState) -> None:
        """Place the queue."""
        placed = QueuePlacement(queue=self.queue, threads=(self.thread,))
        placements = draft.interfaces[self.interface].rx_placement
        draft.change(self.interface, rx_placement=moved_to(placements, placed))


@record
class SetTxPlacement(InterfaceOperation):
    """sw_interface_set_tx_placement: say which threads send by one transmit queue of a port."""

    queue: int
    threads: tuple[int, ...]
    """0 is the main thread, 1 the first worker."""

    def _refusal(self, draft: WorkingState) -> str | None:
        placements = draft.interfaces[self.interface].tx_placement
        if all(each.queue != self.queue for each in placements):
            return f"{self.interface} has no transmit queue {self.queue}"
        return _no_such_thread(draft, self.threads)

    def apply_to(self, draft: WorkingState) -> None:
        """Place the queue."""
        placed = QueuePlacement(queue=self.queue, threads=self.threads)
        placements = draft.interfaces[self.interface].tx_placement
        draft.change(self.interface, tx_placement=moved_to(placements, placed))


def _no_such_thread(draft: WorkingState, threads: tuple[int, ...]) -> str | None:
    missing = next((thread for thread in threads if thread > draft.workers), None)
    return None if missing is None else f"there is no {thread_name(missing)}"


@record
class SetLinkMtu(InterfaceOperation):
    """hw_interface_set_mtu: set a port's link MTU; a change overwrites the packet MTU of it and of all below it."""

    mtu: int

    def _refusal(self, draft: WorkingState) -> str | None:
        interface = draft.interfaces[self.interface]
        if interface.link_mtu is None or interface.device_class in FIXED_LINK_MTU:
            return f"{self.interface} has no link MTU that can be set"
        is_change = interface.link_mtu != self.mtu
        if interface.is_up and is_change and must_be_down_for_link_mtu(interface):
            return f"{self.interface} is up, and its driver may refuse a new link MTU then"
        return None

    def apply_to(self, draft: WorkingState) -> None:
        """Set the link MTU, and with a new one the packet MTUs of the port and of all its sub-interfaces."""
        if draft.interfaces[self.interface].link_mtu == self.mtu:
            return
        draft.change(self.interface, link_mtu=self.mtu)
        for overwritten in (self.interface, *draft.stacking.on_port(self.interface)):
            draft.set_packet_mtu(overwritten, packet_mtu=self.mtu)


@record
class SetPacketMtu(InterfaceOperation):
    """sw_interface_set_mtu: set the packet MTU, and those of IPv4, IPv6 and MPLS, where 0 means the same."""

    mtu: int
    protocol_mtus: tuple[int, int, int] = (0, 0, 0)

    def apply_to(self, draft: WorkingState) -> None:
        """Set all four."""
        draft.set_packet_mtu(self.interface, packet_mtu=self.mtu, protocol_mtus=self.protocol_mtus)


@record
class SetMac(InterfaceOperation):
    """sw_interface_set_mac_address: give an interface another MAC address."""

    mac: str

    def _refusal(self, draft: WorkingState) -> str | None:
        if self.interface in draft.lcps:
            return f"{self.interface} has an LCP pair, whose Linux device would keep the old MAC"
        return None

    def apply_to(self, draft: WorkingState) -> None:
        """Set the MAC."""
        draft.change(self.interface, mac=self.mac)


@record
class SetTag(InterfaceOperation):
    """sw_interface_tag_add_del: write the tag that marks an interface as ours; '' clears it."""

    tag: str

    def apply_to(self, draft: WorkingState) -> None:
        """Write the tag, by which alone some kinds of ports are told from those that somebody else made."""
        made = draft.virtual.get(self.interface)
        if made is None or not made.is_ours_by_mark:
            draft.change(self.interface, tag=self.tag)
        else:
            kind = made.kind if is_made_by_us(self.tag) else InterfaceKind.PHYSICAL
            draft.change(self.interface, tag=self.tag, kind=kind)
