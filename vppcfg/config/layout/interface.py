"""The text of the sections `interfaces` and `loopbacks`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vppcfg.config.layout.text import flow_list, flow_map, indented, list_lines, scalar
from vppcfg.config.parse.interface import DEFAULT_MTU
from vppcfg.model.acl import AclBinding
from vppcfg.model.configuration import InterfaceConfig, LcpConfig
from vppcfg.model.interface import Encapsulation, InterfaceKind


def interface_sections(interfaces: Iterable[InterfaceConfig]) -> tuple[Iterator[str], Iterator[str]]:
    """Return the lines of both sections; `interfaces` is there even when it is empty."""
    children: dict[str, list[InterfaceConfig]] = {}
    ports: list[InterfaceConfig] = []
    loopbacks: list[InterfaceConfig] = []
    for interface in interfaces:
        if interface.parent is not None:
            children.setdefault(interface.parent, []).append(interface)
        else:
            (loopbacks if interface.kind is InterfaceKind.LOOPBACK else ports).append(interface)
    return _ports(ports, children), _loopbacks(loopbacks)


def _ports(ports: list[InterfaceConfig], children: dict[str, list[InterfaceConfig]]) -> Iterator[str]:
    yield "interfaces:" if ports else "interfaces: {}"
    for position, port in enumerate(ports):
        if position:
            yield ""
        yield f"  {scalar(port.name)}:"
        yield from indented(_port(port), 2)
        if port.name in children:
            yield "    sub-interfaces:"
            for child in children[port.name]:
                yield f"      {child.sub_id}:"
                yield from indented(_child(child, port), 4)


def _loopbacks(loopbacks: list[InterfaceConfig]) -> Iterator[str]:
    if loopbacks:
        yield "loopbacks:"
    for loopback in loopbacks:
        lines = [*_identity(loopback), *_uses(loopback)]
        if loopback.mtu != DEFAULT_MTU:
            lines.insert(0, f"mtu: {loopback.mtu}")
        yield f"  {scalar(loopback.name)}:" if lines else f"  {scalar(loopback.name)}: {{}}"
        yield from indented(lines, 2)


def _port(port: InterfaceConfig) -> Iterator[str]:
    yield from _identity(port)
    yield f"mtu: {port.mtu}"
    if not port.is_up:
        yield "state: down"
    yield from _uses(port)


def _identity(interface: InterfaceConfig) -> Iterator[str]:
    """Return the lines of what an interface is."""
    if interface.description:
        yield f"description: {scalar(interface.description)}"
    if interface.device_type:
        yield f"device-type: {interface.device_type}"
    if interface.mac is not None:
        yield f"mac: {scalar(interface.mac)}"


def _child(child: InterfaceConfig, port: InterfaceConfig) -> list[str]:
    lines = [f"description: {scalar(child.description)}"] if child.description else []
    tags = child.encapsulation
    if tags is not None and tags != Encapsulation(outer=child.sub_id, is_exact=True):
        lines.append(_encapsulation(tags))
    if child.mtu != port.mtu:
        lines.append(f"mtu: {child.mtu}")
    if not child.is_up:
        lines.append("state: down")
    lines += _uses(child)
    return lines or ["state: up"]


def _encapsulation(tags: Encapsulation) -> str:
    keys = {"dot1ad" if tags.is_dot1ad else "dot1q": str(tags.outer)}
    if tags.inner is not None:
        keys["inner-dot1q"] = str(tags.inner)
    if tags.is_exact:
        keys["exact-match"] = "true"
    return f"encapsulation: {flow_map(keys)}"


def _uses(interface: InterfaceConfig) -> Iterator[str]:
    """Return the lines of what an interface is for."""
    if interface.lcp is not None:
        yield f"lcp: {_lcp(interface.lcp)}"
    if interface.addresses:
        yield from list_lines("addresses", [scalar(address) for address in interface.addresses])
    if interface.unnumbered is not None:
        yield f"unnumbered: {scalar(interface.unnumbered)}"
    if interface.l2xc is not None:
        yield f"l2xc: {scalar(interface.l2xc)}"
    if interface.has_mpls:
        yield "mpls: true"
    if interface.has_sflow:
        yield "sflow: true"
    if interface.acls:
        yield from _acls(interface.acls)


def _acls(acls: AclBinding) -> Iterator[str]:
    yield "acls:"
    for key, names in (("input", acls.input), ("output", acls.output)):
        if names:
            yield f"  {key}: {flow_list(scalar(name) for name in names)}"


def _lcp(lcp: LcpConfig) -> str:
    if lcp.netns is None:
        return scalar(lcp.host_name)
    return flow_map({"name": scalar(lcp.host_name), "netns": scalar(lcp.netns)})
