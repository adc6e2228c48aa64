"""Sub-interfaces: how VPP creates them and reports their tags, and what they depend on in their parent.

See vnet/ethernet/interface.c; the rows of VPP come with those of all interfaces.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import LARGEST_TYPED_ID
from vppcfg.engine.kind import CreatedKind
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.lcp.operations import CreateLcpPair
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch
from vppcfg.model.kinds import sub_interface_as_created
from vppcfg.model.linux import LONGEST_NAME
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.operations.operation import CreateInterface, DeleteInterface
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record


@record
class CreateSubInterface(CreateInterface):
    """create_subif: make `PARENT.ID`, born down, with its parent's packet MTU."""

    parent: str
    sub_id: int
    encapsulation: Encapsulation | OtherMatch

    def _refusal(self, working: WorkingState) -> str | None:
        if self.parent not in working.interfaces:
            return f"{self.parent} does not exist"
        if self.parent in working.bond_of:
            return f"{self.parent} is a member of {working.bond_of[self.parent]}"
        other = working.matches.get((self.parent, self.encapsulation.tags))
        return f"{other} matches the same tags" if other else None

    def apply_to(self, working: WorkingState) -> None:
        """Enter the sub-interface, with the LCP pair that some VPPs make with it."""
        working.create_interface(sub_interface_as_created(self.interface, self.parent, self.sub_id, self.encapsulation))
        if working.is_auto_subint and self.parent in working.lcps:
            _mirror(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "sw_if_index": indexes.interface(self.parent),
            "sub_id": self.sub_id,
            "sub_if_flags": self.encapsulation.flags,
            "outer_vlan_id": self.encapsulation.outer,
            "inner_vlan_id": self.encapsulation.inner or 0,
        }
        return Request("create_subif", values)

    def cli(self) -> str:
        return f"create sub-interfaces {self.parent} {self.sub_id} {self.encapsulation}"


@record
class DeleteSubInterface(DeleteInterface):
    """delete_subif: remove a sub-interface."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("delete_subif", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"delete sub-interface {self.interface}"


def _mirror(created: CreateSubInterface, working: WorkingState) -> None:
    """Make the pair that VPP makes by itself, unless it cannot (linux-cp/lcp_interface_sync.c)."""
    parent = working.lcps[created.parent]
    host_name = f"{parent.host_name}.{created.sub_id}"
    pair = CreateLcpPair(interface=created.interface, host_name=host_name, netns=parent.netns, is_default_netns=False)
    if len(host_name) <= LONGEST_NAME and pair.precondition_error(working) is None:
        pair.apply_to(working)


def sub_misplaced(index: Index) -> Iterator[Problem]:
    """Find sub-interfaces that stand among the ports, by the name that VPP gives them."""
    for interface in index.interfaces:
        if interface.parent is not None or "." not in interface.name:
            continue
        parent, _, number = interface.name.rpartition(".")
        if number.isdecimal() and index.has(parent):
            text = f"this is a sub-interface of {parent}; write it there, below `sub-interfaces`, as `{number}:`"
            yield Problem(rule="sub-misplaced", path=interface.path, text=text)


def encapsulation_duplicate(index: Index) -> Iterator[Problem]:
    """Find sub-interfaces of one parent with the same tags.

    VPP has one slot per parent, type of outer tag, outer and inner VLAN id; exact-match makes no difference
    (vnet/ethernet/node.c, ethernet_sw_interface_get_config).
    """
    for family in index.children.values():
        owners: dict[tuple[bool, int, int | None], InterfaceConfig] = {}
        for interface in family:
            tags = interface.encapsulation
            if tags is None:
                continue
            first = owners.setdefault((tags.is_dot1ad, tags.outer, tags.inner), interface)
            if first is not interface:
                text = f"{first.name} matches {_described(tags)} already; take other tags"
                yield Problem(rule="encap-duplicate", path=(*interface.path, "encapsulation"), text=text)


def up_below_down(index: Index) -> Iterator[Problem]:
    """Find sub-interfaces that are up while their parent is down; VPP refuses that (vnet/interface.c)."""
    for interface in index.sub_interfaces:
        parent = index.find(interface.parent)
        if interface.is_up and parent is not None and not parent.is_up:
            text = f"{interface.name} cannot be up while {parent.name} is down; give both the same `state`"
            yield Problem(rule="sub-up-parent-down", path=(*interface.path, "state"), text=text)


def up_within_outer_that_is_down(index: Index) -> Iterator[Problem]:
    """Find two-tag sub-interfaces that are up in Linux while the device of their outer tag is down.

    Linux refuses to bring up a VLAN device on one that is down (net/8021q/vlan_dev.c, vlan_dev_open).
    """
    for interface in index.sub_interfaces:
        outer = index.one_tag_parent(interface) if interface.is_up and interface.lcp is not None else None
        if outer is None or outer.is_up or outer.lcp is None:
            continue
        text = f"{interface.name} cannot be up in Linux while {outer.name} is down; give both the same `state`"
        yield Problem(rule="qinx-up-outer-down", path=(*interface.path, "state"), text=text)


def mtu_above_parent(index: Index) -> Iterator[Problem]:
    """Find sub-interfaces whose MTU is larger than that of what carries them."""
    for interface in index.sub_interfaces:
        for rule, carrier in (
            ("sub-mtu", index.find(interface.parent)),
            ("qinx-mtu", index.one_tag_parent(interface)),
        ):
            if carrier is not None and interface.mtu > carrier.mtu:
                text = f"an MTU of {interface.mtu} does not fit into {carrier.name}, which has {carrier.mtu}"
                yield Problem(rule=rule, path=(*interface.path, "mtu"), text=text)


def id_beyond_cli(index: Index) -> Iterator[Problem]:
    """Find sub-interfaces that VPP's CLI cannot name."""
    for interface in index.sub_interfaces:
        if interface.sub_id > LARGEST_TYPED_ID:
            text = f"VPP's CLI cannot name {interface.name}; `vppcfg apply` can still make it"
            yield Problem(rule="sub-id-cli", path=interface.path, text=text, severity=Severity.WARNING)


def _described(tags: Encapsulation) -> str:
    inner = "" if tags.inner is None else f" inner-dot1q {tags.inner}"
    return f"{'dot1ad' if tags.is_dot1ad else 'dot1q'} {tags.outer}{inner}"


class SubInterfaceKind(CreatedKind):
    """Sub-interfaces; their entries are part of the section of interfaces (`sub_interface_entry`)."""

    key = "sub-interfaces"
    kind = InterfaceKind.SUB_INTERFACE
    operations = (CreateSubInterface, DeleteSubInterface)
    rules = (
        sub_misplaced,
        encapsulation_duplicate,
        up_below_down,
        up_within_outer_that_is_down,
        mtu_above_parent,
        id_beyond_cli,
    )

    def creation(self, interface: Interface, virtual: VirtualInterface | None) -> Step:
        """Return the step that creates a sub-interface."""
        assert interface.parent is not None
        assert interface.encapsulation is not None
        create = CreateSubInterface(
            interface=interface.name,
            parent=interface.parent,
            sub_id=interface.sub_id,
            encapsulation=interface.encapsulation,
        )
        return Step(stage=Stage.CREATE_SUB_INTERFACE, operation=create, depth=interface.depth)

    def deletion(self, interface: Interface, virtual: VirtualInterface | None) -> Step:
        """Return the step that deletes a sub-interface."""
        delete = DeleteSubInterface(interface=interface.name)
        return Step(stage=Stage.DELETE_SUB_INTERFACE, operation=delete, depth=interface.depth)


KIND = SubInterfaceKind()
