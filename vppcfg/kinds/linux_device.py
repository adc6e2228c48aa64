"""The Linux side of pairs and TAPs: namespaces, bridges, and devices that VPP does not keep in step itself.

Its operations are carried out through netlink, and are comments in a plan's text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vppcfg.engine.kind import Kind
from vppcfg.model.lcp import SubInterfaceDependencies
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.operations.operation import InterfaceOperation, LinkOperation, Operation, Predicate
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record


@record
class CreateNamespace(Operation):
    """Make a network namespace."""

    needs_vpp = False

    netns: str

    @property
    def subject(self) -> str:
        return self.netns

    def _refusal(self, working: WorkingState) -> str | None:
        return f"the namespace {self.netns} exists" if self.netns in working.namespaces else None

    def apply_to(self, working: WorkingState) -> None:
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
        return self.bridge

    def _refusal(self, working: WorkingState) -> str | None:
        """Return that the namespace is missing, as far as is known: without the Linux side, none is."""
        if working.has_linux and self.netns and self.netns not in working.namespaces:
            return f"the namespace {self.netns} does not exist"
        return None

    def apply_to(self, working: WorkingState) -> None:
        working.linux_bridges.add((self.netns, self.bridge))

    def cli(self) -> str:
        return f"comment {{ vppcfg: {_ip_link(self.netns)} add {self.bridge} up type bridge }}"


@record
class SetLinuxLink(LinkOperation):
    """Set MTU and state of the Linux device of an interface."""

    needs_vpp = False

    netns: str
    host_name: str
    mtu: int
    is_up: bool
    vpp_follows: bool = False
    """Whether linux-nl sets the VPP side down with the device, which is waited for."""

    @property
    def new_state(self) -> bool:
        return self.is_up

    @property
    def new_mtu(self) -> int:
        return self.mtu

    def _refusal(self, working: WorkingState) -> str | None:
        return _missing_device(self.interface, working)

    def apply_to(self, working: WorkingState) -> None:
        device = working.linux[self.interface]
        working.linux[self.interface] = replace(device, mtu=self.mtu, is_up=self.is_up)
        working.set_in_linux(self.interface, is_up=self.is_up, mtu=self.mtu)

    def cli(self) -> str:
        state = "up" if self.is_up else "down"
        return f"comment {{ {_ip_link(self.netns)} set {self.host_name} mtu {self.mtu} {state} }}"

    def effect(self, observed: State, desired: State) -> Predicate:
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
        working.linux[self.interface] = replace(working.linux[self.interface], bridge=self.bridge)

    def cli(self) -> str:
        master = f"master {self.bridge}" if self.bridge else "nomaster"
        return f"comment {{ {_ip_link(self.netns)} set {self.host_name} {master} }}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(
            "leaves its bridge in Linux",
            "leave their bridges in Linux",
            ("its Linux device leaves its bridge", "their Linux devices leave their bridges"),
        )


def _missing_device(name: str, working: WorkingState) -> str | None:
    return None if name in working.linux else f"{name} has no Linux device"


def _ip_link(netns: str) -> str:
    return f"ip -n {netns} link" if netns else "ip link"


def _host_steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that make the namespaces and bridges that TAPs need."""
    for netns in sorted(transition.desired.namespaces - transition.observed.namespaces):
        yield Step(stage=Stage.CREATE_NAMESPACE, operation=CreateNamespace(netns=netns))
    for netns, bridge in sorted(transition.desired.linux_bridges - transition.observed.linux_bridges):
        create = CreateLinuxBridge(netns=netns, bridge=bridge)
        yield Step(stage=Stage.CREATE_LINUX_BRIDGE, operation=create)


def _device_steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that set MTU, state and bridge of Linux devices that differ, or will once they are made."""
    shaken = _shaken(transition)
    for name, desired in transition.desired.linux.items():
        current = _current(transition, name)
        is_set = current is not None and (current.mtu, current.is_up) == (desired.mtu, desired.is_up)
        if not is_set or name in shaken:
            yield _link(transition, name, desired)
        if (current.bridge if current else "") != desired.bridge:
            yield _bridge(transition, name, desired)


def _shaken(transition: Transition) -> set[str]:
    """Return the interfaces whose Linux device Linux may set up or down because the plan sets the one below it so.

    The device below is that of the port, or, of a sub-interface with two tags, that of its outer tag
    (net/8021q/vlan.c, vlan_device_event).
    """
    flapping = [
        transition.desired.interfaces[name]
        for name, desired in transition.desired.linux.items()
        if (current := _current(transition, name)) is None or current.is_up != desired.is_up
    ]
    if not flapping:
        return set()
    stacking = SubInterfaceDependencies(transition.desired.interfaces.values())
    return {name for interface in flapping for name in stacking.dependents_of(interface)}


def _current(transition: Transition, name: str) -> LinuxDevice | None:
    """Return the device as it is before the plan sets it: as observed, or as it is made; None where that is unknown.

    The device of a new pair has the MTU and the state that its port has in VPP before the plan changes them
    (linux-cp/lcp_interface.c). Unknown is the device of an interface that the plan makes or recreates, and what Linux
    gives the VLAN device of a sub-interface.
    """
    tap = transition.desired.virtual_of(name, Tap)
    if tap is not None:
        is_new = name in transition.created or name not in transition.observed.linux
        return tap.device_as_created() if is_new else transition.observed.linux[name]
    change = transition.difference.lcps.get(name)
    if change is None:
        return transition.observed.linux.get(name)
    before = transition.kept(name)
    if before is None or before.parent is not None:
        return None
    return LinuxDevice(mtu=before.packet_mtu, is_up=before.is_up)


def _names(transition: Transition, name: str) -> tuple[str, str]:
    """Return namespace and name of the Linux device of an interface, which has a pair or is a TAP."""
    pair = transition.desired.lcps.get(name)
    if pair is not None:
        return pair.netns, pair.host_name
    tap = transition.desired.virtual_of(name, Tap)
    assert tap is not None
    return tap.host_netns, tap.host_name


def _link(transition: Transition, name: str, desired: LinuxDevice) -> Step:
    netns, host_name = _names(transition, name)
    link = SetLinuxLink(interface=name, netns=netns, host_name=host_name, mtu=desired.mtu, is_up=desired.is_up)
    return Step(stage=Stage.SET_LINUX_LINK, operation=link, depth=transition.desired.interfaces[name].depth)


def _bridge(transition: Transition, name: str, desired: LinuxDevice) -> Step:
    netns, host_name = _names(transition, name)
    bridge = SetLinuxBridge(interface=name, netns=netns, host_name=host_name, bridge=desired.bridge)
    return Step(stage=Stage.SET_LINUX_BRIDGE, operation=bridge)


class LinuxDevices(Kind):
    """Devices of pairs and TAPs in Linux."""

    key = "lcp"
    operations = (CreateNamespace, CreateLinuxBridge, SetLinuxLink, SetLinuxBridge)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that make namespaces and bridges, and set devices."""
        yield from _host_steps(transition)
        yield from _device_steps(transition)


KIND = LinuxDevices()
