"""Operations on the Linux side of pairs and TAPs: carried out through netlink, comments in a plan's text."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.state import State
from vppcfg.operations.operation import InterfaceOperation, Operation, Predicate
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record


@record
class CreateNamespace(Operation):
    """Make a network namespace."""

    needs_vpp = False

    netns: str

    @property
    def subject(self) -> str:
        """Return the name of the namespace."""
        return self.netns

    def _refusal(self, working: WorkingState) -> str | None:
        return f"the namespace {self.netns} exists" if self.netns in working.namespaces else None

    def apply_to(self, working: WorkingState) -> None:
        """Enter the namespace."""
        working.namespaces.add(self.netns)

    def cli(self) -> str:
        return f"comment {{ vppcfg: ip netns add {self.netns} }}"


@record
class CreateLinuxBridge(Operation):
    """Make a Linux bridge, up."""

    needs_vpp = False

    netns: str
    bridge: str

    @property
    def subject(self) -> str:
        """Return the name of the bridge."""
        return self.bridge

    def _refusal(self, working: WorkingState) -> str | None:
        """Return that the namespace is missing, as far as is known: without the Linux side, none is."""
        if working.has_linux and self.netns and self.netns not in working.namespaces:
            return f"the namespace {self.netns} does not exist"
        return None

    def apply_to(self, working: WorkingState) -> None:
        """Enter the bridge."""
        working.linux_bridges.add((self.netns, self.bridge))

    def cli(self) -> str:
        return f"comment {{ vppcfg: {_ip_link(self.netns)} add {self.bridge} up type bridge }}"


@record
class SetLinuxLink(InterfaceOperation):
    """Set MTU and state of the Linux device of an interface."""

    needs_vpp = False

    netns: str
    host_name: str
    mtu: int
    is_up: bool
    vpp_follows: bool = False
    """Whether linux-nl sets the VPP side down with the device, which is waited for."""

    def _refusal(self, working: WorkingState) -> str | None:
        return _missing_device(self.interface, working)

    def apply_to(self, working: WorkingState) -> None:
        """Set MTU and state."""
        device = working.linux[self.interface]
        working.linux[self.interface] = replace(device, mtu=self.mtu, is_up=self.is_up)
        working.set_in_linux(self.interface, is_up=self.is_up, mtu=self.mtu)

    def cli(self) -> str:
        state = "up" if self.is_up else "down"
        return f"comment {{ {_ip_link(self.netns)} set {self.host_name} mtu {self.mtu} {state} }}"

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object."""
        if self.is_up:
            return Predicate(f"gets MTU {self.mtu} in Linux", f"get MTU {self.mtu} in Linux")
        own = "its Linux device goes down", "their Linux devices go down"
        return Predicate("goes down in Linux", "go down in Linux", own)


@record
class SetLinuxBridge(InterfaceOperation):
    """Make the Linux device of a TAP a port of a Linux bridge; '' of none."""

    needs_vpp = False

    netns: str
    host_name: str
    bridge: str

    def _refusal(self, working: WorkingState) -> str | None:
        if self.bridge and (self.netns, self.bridge) not in working.linux_bridges:
            return f"there is no Linux bridge {self.bridge}"
        return _missing_device(self.interface, working)

    def apply_to(self, working: WorkingState) -> None:
        """Set the bridge of the device."""
        working.linux[self.interface] = replace(working.linux[self.interface], bridge=self.bridge)

    def cli(self) -> str:
        master = f"master {self.bridge}" if self.bridge else "nomaster"
        return f"comment {{ {_ip_link(self.netns)} set {self.host_name} {master} }}"

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object."""
        return Predicate(
            "leaves its bridge in Linux",
            "leave their bridges in Linux",
            ("its Linux device leaves its bridge", "their Linux devices leave their bridges"),
        )


def _missing_device(name: str, working: WorkingState) -> str | None:
    return None if name in working.linux else f"{name} has no Linux device"


def _ip_link(netns: str) -> str:
    return f"ip -n {netns} link" if netns else "ip link"
