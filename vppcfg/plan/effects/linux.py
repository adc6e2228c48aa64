"""The Linux side: namespaces, bridges, and the devices of pairs and TAPs."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.linux import LinuxDevice
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.operations import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink


@refusal_of.register
def _(operation: CreateNamespace, draft: Draft) -> str | None:
    return f"the namespace {operation.netns} exists" if operation.netns in draft.namespaces else None


@effect_of.register
def _(operation: CreateNamespace, draft: Draft) -> None:
    draft.namespaces.add(operation.netns)


@refusal_of.register
def _(operation: CreateLinuxBridge, draft: Draft) -> str | None:
    if operation.netns and operation.netns not in draft.namespaces:
        return f"the namespace {operation.netns} does not exist"
    return None


@effect_of.register
def _(operation: CreateLinuxBridge, draft: Draft) -> None:
    draft.linux_bridges.add((operation.netns, operation.bridge))


@refusal_of.register
def _(operation: SetLinuxLink, draft: Draft) -> str | None:
    return None if operation.interface in draft.linux else f"{operation.interface} has no Linux device"


@effect_of.register
def _(operation: SetLinuxLink, draft: Draft) -> None:
    device = draft.linux[operation.interface]
    draft.linux[operation.interface] = replace(device, mtu=operation.mtu, is_up=operation.is_up)


@refusal_of.register
def _(operation: SetLinuxBridge, draft: Draft) -> str | None:
    if operation.bridge and (operation.netns, operation.bridge) not in draft.linux_bridges:
        return f"there is no Linux bridge {operation.bridge}"
    return None if operation.interface in draft.linux else f"{operation.interface} has no Linux device"


@effect_of.register
def _(operation: SetLinuxBridge, draft: Draft) -> None:
    device = draft.linux[operation.interface]
    draft.linux[operation.interface] = replace(device, bridge=operation.bridge)


def born_device(name: str, draft: Draft) -> LinuxDevice:
    """Return the Linux device that linux-cp makes for an interface: it copies MTU and state in that moment."""
    interface = draft.interfaces[name]
    parent = draft.linux.get(interface.parent or "")
    mtu = parent.mtu if parent is not None else interface.packet_mtu
    return LinuxDevice(mtu=mtu, is_up=interface.is_up)
