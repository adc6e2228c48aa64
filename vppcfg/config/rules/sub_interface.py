"""Rules about sub-interfaces: their tags, and what they depend on in their parent."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import LARGEST_TYPED_ID
from vppcfg.config.configuration import InterfaceConfig
from vppcfg.config.rules.index import Index
from vppcfg.model.interface import Encapsulation
from vppcfg.model.problem import Problem, Severity


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
