"""Operations that make an interface switch rather than route (vnet/l2/l2_input.c, set_int_l2_mode)."""

from __future__ import annotations

from vppcfg.kinds.bridge_operations import missing_bridge
from vppcfg.model.interface import Interface, TagRewrite
from vppcfg.model.state import State
from vppcfg.operations.operation import InterfaceOperation, Predicate
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record

_NORMAL, _BVI = 0, 1
"""l2_port_type (vnet/l2/l2.api)."""


@record
class SetCrossConnect(InterfaceOperation):
    """sw_interface_set_l2_xconnect: send what `interface` receives to `target`."""

    target: str

    def _refusal(self, working: WorkingState) -> str | None:
        return None if self.target in working.interfaces else f"{self.target} does not exist"

    def apply_to(self, working: WorkingState) -> None:
        working.switch(self.interface, l2xc=self.target)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "rx_sw_if_index": indexes.interface(self.interface),
            "tx_sw_if_index": indexes.interface(self.target),
            "enable": 1,
        }
        return Request("sw_interface_set_l2_xconnect", values)

    def cli(self) -> str:
        return f"set interface l2 xconnect {self.interface} {self.target}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("sends to another interface", "send to other interfaces")


@record
class JoinBridge(InterfaceOperation):
    """sw_interface_set_l2_bridge: make an interface a member of a bridge domain, or its BVI."""

    bd_id: int
    is_bvi: bool = False
    split_horizon_group: int = 0

    def _refusal(self, working: WorkingState) -> str | None:
        if missing := missing_bridge(self.bd_id, working):
            return missing
        if not self.is_bvi:
            return None
        others = working.bridge_members.get(self.bd_id, set()) - {self.interface}
        bvi = next((name for name in sorted(others) if working.interfaces[name].is_bvi), None)
        return f"bridge domain {self.bd_id} has the BVI {bvi}" if bvi is not None else None

    def apply_to(self, working: WorkingState) -> None:
        working.switch(
            self.interface, bridge=self.bd_id, is_bvi=self.is_bvi, split_horizon_group=self.split_horizon_group
        )

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "rx_sw_if_index": indexes.interface(self.interface),
            "bd_id": self.bd_id,
            "port_type": _BVI if self.is_bvi else _NORMAL,
            "shg": self.split_horizon_group,
            "enable": 1,
        }
        return Request("sw_interface_set_l2_bridge", values)

    def cli(self) -> str:
        line = f"set interface l2 bridge {self.interface} {self.bd_id}"
        if self.is_bvi:
            return f"{line} bvi"
        return f"{line} {self.split_horizon_group}" if self.split_horizon_group else line

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(f"joins bridge domain {self.bd_id}", f"join bridge domain {self.bd_id}")


@record
class LeaveL2(InterfaceOperation):
    """sw_interface_set_l2_xconnect (disable): return an interface to L3, from a cross-connect or a bridge."""

    is_new: bool = False
    """Whether it may have the cross-connect of a deleted interface that had its index."""

    def _refusal(self, working: WorkingState) -> str | None:
        is_needed = self.is_new or working.interfaces[self.interface].is_l2
        return None if is_needed else f"{self.interface} is not in L2 mode"

    def apply_to(self, working: WorkingState) -> None:
        """Return the interface to L3, without its tag rewrite."""
        working.switch(self.interface, tag_rewrite=None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return what `set interface l3` does: disabling a cross-connect leaves a bridge as well (vnet/l2/l2_api.c)."""
        values = {"rx_sw_if_index": indexes.interface(self.interface), "tx_sw_if_index": 0, "enable": 0}
        return Request("sw_interface_set_l2_xconnect", values)

    def cli(self) -> str:
        return f"set interface l3 {self.interface}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return _out_of_l2(observed.interfaces.get(self.interface), desired.interfaces.get(self.interface))


@record
class SetTagRewrite(InterfaceOperation):
    """l2_interface_vlan_tag_rewrite: how VLAN tags change between an L2 interface and the switch; None disables."""

    tag_rewrite: TagRewrite | None

    def apply_to(self, working: WorkingState) -> None:
        working.change(self.interface, tag_rewrite=self.tag_rewrite)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        rewrite = self.tag_rewrite
        values = {
            "sw_if_index": indexes.interface(self.interface),
            "vtr_op": rewrite.operation if rewrite else 0,
            "push_dot1q": rewrite.push_dot1q if rewrite else 0,
            "tag1": rewrite.tag1 if rewrite else 0,
            "tag2": rewrite.tag2 if rewrite else 0,
        }
        return Request("l2_interface_vlan_tag_rewrite", values)

    def cli(self) -> str:
        return f"set interface l2 tag-rewrite {self.interface} {self.tag_rewrite or 'disable'}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return _out_of_l2(observed.interfaces.get(self.interface), desired.interfaces.get(self.interface))


def _out_of_l2(before: Interface | None, after: Interface | None) -> Predicate:
    """Return what it is to leave L2 mode, or to have another tag rewrite."""
    if before is None or after is None or (before.bridge, before.l2xc) == (after.bridge, after.l2xc):
        if before is not None and after is not None and before.split_horizon_group != after.split_horizon_group:
            return Predicate("gets another split-horizon group", "get other split-horizon groups")
        return Predicate("rewrites VLAN tags differently", "rewrite VLAN tags differently")
    place = f"bridge domain {before.bridge}" if before.bridge is not None else f"its cross-connect to {before.l2xc}"
    return Predicate(f"leaves {place}", f"leave {place}")
