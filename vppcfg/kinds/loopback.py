"""Loopbacks as VPP has them (vnet/ethernet/interface.c); their section is `config/sections/loopback`."""

from __future__ import annotations

from vppcfg.kinds.kind import Kind
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.plan.operation import CreateInterface, DeleteInterface
from vppcfg.plan.request import Indexes, Request, Value, Vocabulary
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import evolve, record
from vppcfg.vpp.address_codec import mac_bytes


@record
class CreateLoopback(CreateInterface):
    """create_loopback_instance: create `loopN`, down."""

    instance: int
    mac: str
    """'' for one that VPP derives from the instance."""

    def apply_to(self, working: WorkingState) -> None:
        """Enter the loopback."""
        working.add_interface(evolve(as_created(self.interface, InterfaceKind.LOOPBACK), mac=self.mac))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        values: dict[str, Value] = {
            "mac_address": mac_bytes(self.mac),
            "is_specified": 1,
            "user_instance": self.instance,
        }
        return Request("create_loopback_instance", values)

    def cli(self) -> str:
        """Return the command."""
        mac = f" mac {self.mac}" if self.mac else ""
        return f"create loopback interface{mac} instance {self.instance}"


@record
class DeleteLoopback(DeleteInterface):
    """delete_loopback: delete a loopback."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return Request("delete_loopback", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        """Return the command."""
        return f"delete loopback interface intfc {self.interface}"


class LoopbackKind(Kind):
    """Loopbacks in VPP; all that one is created with stands in `Interface`."""

    key = "loopbacks"
    operations = (CreateLoopback, DeleteLoopback)


KIND = LoopbackKind()
