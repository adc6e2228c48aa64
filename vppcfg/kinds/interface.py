"""Operations on any interface: state, MTUs, MAC, tag, modes and threads of queues (vnet/interface_api.c)."""

from __future__ import annotations

from vppcfg.common.numbers import cpu_text
from vppcfg.model.interface import (
    FIXED_LINK_MTU,
    RX_MODES,
    InterfaceKind,
    RxMode,
    must_be_down_for_link_mtu,
    usual_rx_mode,
)
from vppcfg.model.kinds import is_marked, values_with_kind
from vppcfg.model.ownership import is_created_by_us
from vppcfg.model.placement import QueuePlacement, moved_to, thread_name
from vppcfg.model.state import State
from vppcfg.operations.operation import InterfaceOperation, LinkOperation, Predicate, braced
from vppcfg.operations.pause import Pause, PauseContext, of_state
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import mac_bytes
from vppcfg.wire.row import ADMIN_UP

_RX_MODE_NUMBERS = {mode: number for number, mode in RX_MODES.items()}


@record
class SetAdminState(LinkOperation):
    """sw_interface_set_flags: bring an interface up or down."""

    is_up: bool
    bond: str = ""
    """For a member that comes up: the bond that is to use it again before anything else is done."""

    @property
    def new_state(self) -> bool:
        return self.is_up

    @property
    def awaited_bond(self) -> str:
        return self.bond

    def _refusal(self, working: WorkingState) -> str | None:
        parent = working.interfaces[self.interface].parent
        if self.is_up and parent is not None and not working.interfaces[parent].is_up:
            return f"{self.interface} cannot come up while {parent} is down"
        return None

    def apply_to(self, working: WorkingState) -> None:
        working.change(self.interface, is_up=self.is_up)
        working.follow_in_linux(self.interface, is_up=self.is_up)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "flags": ADMIN_UP if self.is_up else 0}
        return Request("sw_interface_set_flags", values)

    def cli(self) -> str:
        return f"set interface state {self.interface} {'up' if self.is_up else 'down'}"

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return why an interface goes down: to stay so, or for a link MTU that its driver takes only then."""
        after = desired.interfaces.get(self.interface)
        if self.is_up:
            return Predicate("comes up", "come up")
        if after is not None and after.is_up:
            return Predicate(f"goes down for link MTU {after.link_mtu}", f"go down for link MTU {after.link_mtu}")
        return Predicate("is shut down", "are shut down")

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: its addresses and routes come or go."""
        return of_state(self.interface, context, is_up=self.is_up)


@record
class SetRxMode(InterfaceOperation):
    """sw_interface_set_rx_mode: set how VPP learns of packets in any queue of a port."""

    why_unrehearsed = "what stands in for a port has no such queues"

    mode: RxMode

    def _refusal(self, working: WorkingState) -> str | None:
        kind = working.interfaces[self.interface].kind
        is_port = kind is InterfaceKind.PHYSICAL or is_marked(kind)
        return None if is_port else f"{self.interface} is no port"

    def apply_to(self, working: WorkingState) -> None:
        """Set the mode; a port that the plan has made has no class yet, and VPP makes it with interrupts."""
        port = working.interfaces[self.interface]
        usual = RxMode.INTERRUPT if is_marked(port.kind) else usual_rx_mode(port.device_class)
        working.change(self.interface, rx_mode=None if self.mode is usual else self.mode)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "sw_if_index": indexes.interface(self.interface),
            "queue_id_valid": 0,
            "queue_id": 0,
            "mode": _RX_MODE_NUMBERS[self.mode],
        }
        return Request("sw_interface_set_rx_mode", values)

    def cli(self) -> str:
        return f"set interface rx-mode {self.interface} {self.mode.value}"


@record
class SetRxPlacement(InterfaceOperation):
    """sw_interface_set_rx_placement: have a thread look after one receive queue of a port."""

    why_unrehearsed = "what stands in for a port has no such queues"

    queue: int
    thread: int
    """0 is the main thread, 1 the first worker."""

    def _refusal(self, working: WorkingState) -> str | None:
        placements = working.interfaces[self.interface].rx_placement
        if all(each.queue != self.queue for each in placements):
            return f"{self.interface} has no receive queue {self.queue}"
        return _no_such_thread(working, (self.thread,))

    def apply_to(self, working: WorkingState) -> None:
        placed = QueuePlacement(queue=self.queue, threads=(self.thread,))
        placements = working.interfaces[self.interface].rx_placement
        working.change(self.interface, rx_placement=moved_to(placements, placed))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message, in which workers are counted, from 0, and not threads."""
        values = {
            "sw_if_index": indexes.interface(self.interface),
            "queue_id": self.queue,
            "worker_id": max(self.thread - 1, 0),
            "is_main": int(self.thread == 0),
        }
        return Request("sw_interface_set_rx_placement", values)

    def cli(self) -> str:
        """Name the thread first: VPP 25.06 forgets the port when a worker is named behind it (fc7b794758f)."""
        thread = f"worker {self.thread - 1}" if self.thread else "main"
        return f"set interface rx-placement {thread} queue {self.queue} {self.interface}"


@record
class SetTxPlacement(InterfaceOperation):
    """sw_interface_set_tx_placement: set which threads send by one transmit queue of a port."""

    why_unrehearsed = "what stands in for a port has no such queues"

    queue: int
    threads: tuple[int, ...]
    """0 is the main thread, 1 the first worker."""

    def _refusal(self, working: WorkingState) -> str | None:
        placements = working.interfaces[self.interface].tx_placement
        if all(each.queue != self.queue for each in placements):
            return f"{self.interface} has no transmit queue {self.queue}"
        return _no_such_thread(working, self.threads)

    def apply_to(self, working: WorkingState) -> None:
        placed = QueuePlacement(queue=self.queue, threads=self.threads)
        placements = working.interfaces[self.interface].tx_placement
        working.change(self.interface, tx_placement=moved_to(placements, placed))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "sw_if_index": indexes.interface(self.interface),
            "queue_id": self.queue,
            "array_size": len(self.threads),
        }
        return Request("sw_interface_set_tx_placement", values, "threads", [{"": thread} for thread in self.threads])

    def cli(self) -> str:
        return f"set interface tx-queue {self.interface} queue {self.queue} threads {cpu_text(self.threads)}"


def _no_such_thread(working: WorkingState, threads: tuple[int, ...]) -> str | None:
    missing = next((thread for thread in threads if thread > working.workers), None)
    return None if missing is None else f"there is no {thread_name(missing)}"


@record
class SetLinkMtu(InterfaceOperation):
    """hw_interface_set_mtu: set a port's link MTU; a change overwrites the packet MTU of it and of all below it."""

    mtu: int

    def _refusal(self, working: WorkingState) -> str | None:
        interface = working.interfaces[self.interface]
        if interface.link_mtu is None or interface.device_class in FIXED_LINK_MTU:
            return f"{self.interface} has no link MTU that can be set"
        is_change = interface.link_mtu != self.mtu
        if interface.is_up and is_change and must_be_down_for_link_mtu(interface):
            return f"{self.interface} is up, and its driver may refuse a new link MTU then"
        return None

    def apply_to(self, working: WorkingState) -> None:
        """Set the link MTU, and with a new one the packet MTUs of the port and of all its sub-interfaces."""
        if working.interfaces[self.interface].link_mtu == self.mtu:
            return
        working.change(self.interface, link_mtu=self.mtu)
        for overwritten in (self.interface, *working.stacking.on_port(self.interface)):
            working.set_packet_mtu(overwritten, packet_mtu=self.mtu)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "mtu": self.mtu}
        return Request("hw_interface_set_mtu", values)

    def cli(self) -> str:
        return f"set interface mtu {self.mtu} {self.interface}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(f"gets link MTU {self.mtu}", f"get link MTU {self.mtu}")


@record
class SetPacketMtu(LinkOperation):
    """sw_interface_set_mtu: set the packet MTU, and those of IPv4, IPv6 and MPLS, where 0 means the same."""

    mtu: int
    protocol_mtus: tuple[int, int, int] = (0, 0, 0)

    @property
    def new_mtu(self) -> int:
        return self.mtu

    def apply_to(self, working: WorkingState) -> None:
        working.set_packet_mtu(self.interface, packet_mtu=self.mtu, protocol_mtus=self.protocol_mtus)
        working.follow_in_linux(self.interface, mtu=self.mtu)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        ip4, ip6, mpls = self.protocol_mtus
        values = {
            "sw_if_index": indexes.interface(self.interface),
            "mtu.0": self.mtu,
            "mtu.1": ip4,
            "mtu.2": ip6,
            "mtu.3": mpls,
        }
        return Request("sw_interface_set_mtu", values)

    def cli(self) -> str | None:
        """Return one line, which zeroes the MTUs of the protocols; it cannot set others too."""
        if any(self.protocol_mtus):
            return None
        return f"set interface mtu packet {self.mtu} {self.interface}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(f"gets MTU {self.mtu}", f"get MTU {self.mtu}")


@record
class SetMac(InterfaceOperation):
    """sw_interface_set_mac_address: give an interface another MAC address."""

    mac: str

    def _refusal(self, working: WorkingState) -> str | None:
        if self.interface in working.lcps:
            return f"{self.interface} has an LCP pair, whose Linux device would keep the old MAC"
        return None

    def apply_to(self, working: WorkingState) -> None:
        working.change(self.interface, mac=self.mac)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "mac_address": mac_bytes(self.mac)}
        return Request("sw_interface_set_mac_address", values)

    def cli(self) -> str:
        return f"set interface mac address {self.interface} {self.mac}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("gets another MAC address", "get other MAC addresses")


@record
class SetTag(InterfaceOperation):
    """sw_interface_tag_add_del: write the tag that marks an interface as ours; '' clears it."""

    tag: str

    def apply_to(self, working: WorkingState) -> None:
        """Write the tag, by which alone some kinds of ports are distinguished from those of other programs."""
        virtual = working.virtual.get(self.interface)
        if virtual is None or not virtual.is_owned_by_mark:
            working.change(self.interface, tag=self.tag)
        else:
            kind = virtual.kind if is_created_by_us(self.tag) else InterfaceKind.PHYSICAL
            working.change(self.interface, tag=self.tag, **values_with_kind(kind))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values: dict[str, Value] = {
            "is_add": int(self.tag != ""),
            "sw_if_index": indexes.interface(self.interface),
            "tag": self.tag,
        }
        return Request("sw_interface_tag_add_del", values)

    def cli(self) -> str:
        if not self.tag:
            return f"clear interface tag {self.interface}"
        return f"set interface tag {self.interface} {braced(self.tag)}"
