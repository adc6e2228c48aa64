"""What the operations on ports that a file makes have alike, and those of host-interfaces and vhost-user ports."""

from __future__ import annotations

from vppcfg.model.host_interface import HostInterface
from vppcfg.model.kinds import as_created
from vppcfg.model.making import Making
from vppcfg.model.vhost_user import VhostUser, vhost_user_number
from vppcfg.plan.draft import Draft
from vppcfg.plan.operation import CreateInterface, DeleteInterface
from vppcfg.record import record


@record
class CreatePort(CreateInterface):
    """Make a port like no other of its kind. It is nobody's until it bears the mark of a made port."""

    port: Making

    def _refusal(self, draft: Draft) -> str | None:
        other = draft.made_alike(self.port)
        return f"{other} is the same {self.port.noun}" if other else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the port."""
        draft.add_interface(as_created(self.interface, self.port.kind, self.port))
        draft.enter_made(self.interface, self.port)


@record
class DeletePort(DeleteInterface):
    """Remove a port, which VPP finds by its interface or by what it was made with."""

    port: Making


@record
class CreateHostInterface(CreatePort):
    """af_packet_create_v3: make `host-DEVICE`, born down, on a device that Linux has."""

    port: HostInterface


@record
class DeleteHostInterface(DeletePort):
    """af_packet_delete: remove the port on a device, which stays."""

    making = HostInterface

    port: HostInterface


@record
class CreateVhostUser(CreatePort):
    """create_vhost_user_if_v2: make `VirtualEthernet0/0/N`, born down, at a socket that no other one is at."""

    port: VhostUser

    def _refusal(self, draft: Draft) -> str | None:
        if vhost_user_number(self.interface) is None:
            return f"{self.interface} is no name of a vhost-user port"
        return CreatePort._refusal(self, draft)


@record
class DeleteVhostUser(DeletePort):
    """delete_vhost_user_if: remove a port and the file of its socket, if VPP made that."""

    making = VhostUser

    port: VhostUser
