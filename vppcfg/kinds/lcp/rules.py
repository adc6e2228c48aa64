"""Rules about LCPs: their names, and which interfaces need one below which."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.model.problem import Problem

_TAKEN = frozenset({"lo", "all", "default"})


def lcp_duplicate(index: Index) -> Iterator[Problem]:
    """Find Linux names that more than one LCP or TAP asks for."""
    owners: dict[str, str] = {}
    for interface in index.interfaces:
        if interface.lcp is None:
            continue
        first = owners.setdefault(interface.lcp.host_name, interface.name)
        if first != interface.name:
            yield _problem(
                "lcp-duplicate", interface, f"{first} has the LCP name {interface.lcp.host_name} already; take another"
            )
    for tap in index.configuration.virtual_as(TapConfig).values():
        first = owners.setdefault(tap.host_name, tap.name)
        if first != tap.name:
            text = f"{first} has the Linux name {tap.host_name} already; take another"
            yield Problem(rule="lcp-duplicate", path=(*tap.path, "host", "name"), text=text)


def linux_name(index: Index) -> Iterator[Problem]:
    """Find names that Linux gives to no device: every namespace has `lo`, the others are folders of settings.

    The kernel refuses them (net/core/dev.c, where the sysctl folders of a device are made).
    """
    for interface in index.interfaces:
        if interface.lcp is not None and interface.lcp.host_name in _TAKEN:
            yield _problem("linux-name-taken", interface, _taken(interface.lcp.host_name))
    for tap in index.configuration.virtual_as(TapConfig).values():
        names = {"name": tap.host_name, "bridge": tap.host_bridge}
        for key in [key for key, name in names.items() if name in _TAKEN]:
            path = (*tap.path, "host", key)
            yield Problem(rule="linux-name-taken", path=path, text=_taken(str(names[key])))


def _taken(name: str) -> str:
    return f"Linux lets no device be called {name}; take another name"


def sub_lcp(index: Index) -> Iterator[Problem]:
    """Find sub-interfaces whose LCP lacks what linux-cp hangs it on (linux-cp/lcp_interface.c)."""
    for interface in index.sub_interfaces:
        if interface.lcp is None:
            continue
        if interface.encapsulation is not None and not interface.encapsulation.is_exact:
            text = f"{interface.name} has an LCP and so must match its tags exactly; add `exact-match: true`"
            yield _problem("lcp-exact-match", interface, text)
        parent = index.find(interface.parent)
        if parent is not None and parent.lcp is None:
            yield _problem("sub-lcp-parent", interface, f"{parent.name} needs an LCP for {interface.name} to have one")


def sub_lcp_netns(index: Index) -> Iterator[Problem]:
    """Find LCPs of sub-interfaces in another namespace than that of the parent's device, which carries them."""
    for interface in index.sub_interfaces:
        parent = index.find(interface.parent)
        if interface.lcp is None or parent is None or parent.lcp is None or parent.lcp.netns == interface.lcp.netns:
            continue
        theirs = "without one" if parent.lcp.netns is None else f"with netns {parent.lcp.netns}"
        text = (
            f"the LCP of {parent.name} is written {theirs}; a Linux VLAN device is where its parent is, write the same"
        )
        yield _problem("sub-lcp-netns", interface, text)


def qinx_lcp(index: Index) -> Iterator[Problem]:
    """Find two-tag sub-interfaces whose LCP lacks the device of the outer tag (linux-cp/lcp_interface.c)."""
    for interface in index.sub_interfaces:
        tags = interface.encapsulation
        if interface.lcp is None or tags is None or tags.inner is None or interface.parent in index.broken_parents:
            continue
        parent = index.one_tag_parent(interface)
        if parent is None:
            outer = f"{'dot1ad' if tags.is_dot1ad else 'dot1q'} {tags.outer}"
            text = f"{interface.parent} needs a sub-interface with the one tag {outer} and an LCP"
            yield _problem("qinx-lcp-parent", interface, text)
        elif parent.lcp is None:
            text = f"{parent.name} needs an LCP for {interface.name} to have one"
            yield _problem("qinx-lcp-parent", interface, text)


def _problem(rule: str, interface: InterfaceConfig, text: str) -> Problem:
    return Problem(rule=rule, path=(*interface.path, "lcp"), text=text)
