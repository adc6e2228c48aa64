"""Operations that create and delete TAPs, with the Linux devices at their other end (plugins/tap)."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.model.tap import Tap
from vppcfg.operations.operation import CreateInterface, DeleteInterface
from vppcfg.operations.pause import Pause, PauseContext, of_deleted_tap, of_new_device
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import mac_bytes

_CREATE = ("tap_create_v3", "tap_create_v2")
"""Newest first; v3 is in 22.06 already. They differ in the number of queues."""


@record
class CreateTap(CreateInterface):
    """tap_create_v3: create `tapN` and its Linux device, down."""

    why_unrehearsed = "a port stands in for a TAP"

    instance: int
    tap: Tap

    def _refusal(self, working: WorkingState) -> str | None:
        bridge = (self.tap.host_netns, self.tap.host_bridge)
        if working.has_linux and self.tap.host_bridge and bridge not in working.linux_bridges:
            return f"there is no Linux bridge {self.tap.host_bridge}, and VPP would report nothing"
        holder = working.linux_names.get((self.tap.host_netns, self.tap.host_name))
        return f"the Linux name {self.tap.host_name} is held by {holder}" if holder else None

    def apply_to(self, working: WorkingState) -> None:
        """Enter the TAP, and its Linux device where Linux is known."""
        working.create_interface(as_created(self.interface, InterfaceKind.TAP))
        working.virtual[self.interface] = self.tap
        working.linux_names[self.tap.host_netns, self.tap.host_name] = self.interface
        if working.has_linux:
            working.linux[self.interface] = self.tap.device_as_created()

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        tap = self.tap
        values: dict[str, Value] = {
            "id": self.instance,
            "use_random_mac": 1,
            "num_rx_queues": 1,
            "tx_ring_sz": tap.tx_ring_size,
            "rx_ring_sz": tap.rx_ring_size,
            "host_mtu_set": int(tap.host_mtu != 0),
            "host_mtu_size": tap.host_mtu,
            "host_mac_addr_set": int(tap.host_mac != ""),
            "host_mac_addr": mac_bytes(tap.host_mac),
            "tap_flags": tap.flags,
            "host_namespace_set": int(tap.host_netns != ""),
            "host_namespace": tap.host_netns,
            "host_if_name_set": 1,
            "host_if_name": tap.host_name,
            "host_bridge_set": int(tap.host_bridge != ""),
            "host_bridge": tap.host_bridge,
        }
        message = vpp.newest(_CREATE)
        if vpp.has_field(message, "num_tx_queues"):
            values["num_tx_queues"] = 1
        return Request(message, values)

    def cli(self) -> str | None:
        """Return the command (plugins/tap/cli.c), which has no word for some flags."""
        tap = self.tap
        if tap.flags:
            return None
        words = [f"create tap id {self.instance} host-if-name {tap.host_name}"]
        words += [f"host-ns {tap.host_netns}"] if tap.host_netns else []
        words += [f"host-mac-addr {tap.host_mac}"] if tap.host_mac else []
        words += [f"host-bridge {tap.host_bridge}"] if tap.host_bridge else []
        words += [f"host-mtu-size {tap.host_mtu}"] if tap.host_mtu else []
        return " ".join([*words, f"rx-ring-size {tap.rx_ring_size} tx-ring-size {tap.tx_ring_size}"])

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: Linux makes a device."""
        return of_new_device("it makes {}")


@record
class DeleteTap(DeleteInterface):
    """tap_delete_v2: delete a TAP and its Linux device."""

    why_unrehearsed = "a port stands in for a TAP"

    virtual = Tap

    def apply_to(self, working: WorkingState) -> None:
        """Take the TAP and its Linux device out."""
        tap = working.virtual_of(self.interface, Tap)
        DeleteInterface.apply_to(self, working)
        working.linux.pop(self.interface, None)
        if tap is not None:
            del working.linux_names[tap.host_netns, tap.host_name]

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("tap_delete_v2", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"delete tap {self.interface}"

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: Linux closes its device."""
        return of_deleted_tap(context)
