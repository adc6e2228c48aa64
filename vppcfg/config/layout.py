"""A Configuration as YAML that is pleasant to read: natural order, short lists inline, defaults left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import yaml

from vppcfg.model.configuration import Configuration, InterfaceConfig, LcpConfig
from vppcfg.model.interface import Encapsulation

_WIDTH = 100
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*[0-9/][A-Za-z0-9/._]*|[0-9a-f][0-9a-f.:]*/[0-9]{1,3}")
"""Texts that mean themselves without quotes everywhere: a word with a digit in it, such as e0 or eth1/0/0.100, and
addresses. For all others PyYAML is asked."""


def laid_out(configuration: Configuration, reasons: Mapping[str, str]) -> str:
    """Return the text of a configuration; `reasons` has the comments for globs of its `unmanaged` list."""
    lines = list(_interfaces(configuration)) + list(_unmanaged(configuration.unmanaged, reasons))
    return "\n".join(lines) + "\n"


def _interfaces(configuration: Configuration) -> Iterator[str]:
    children: dict[str, list[InterfaceConfig]] = {}
    ports: list[InterfaceConfig] = []
    for interface in configuration.interfaces.values():
        (ports if interface.parent is None else children.setdefault(interface.parent, [])).append(interface)
    yield "interfaces:" if ports else "interfaces: {}"
    for position, port in enumerate(ports):
        if position:
            yield ""
        yield f"  {scalar(port.name)}:"
        yield from (f"    {line}" for line in _port(port))
        if port.name in children:
            yield "    sub-interfaces:"
            for child in children[port.name]:
                yield f"      {child.sub_id}:"
                yield from (f"        {line}" for line in _child(child, port))


def _port(port: InterfaceConfig) -> Iterator[str]:
    if port.description:
        yield f"description: {scalar(port.description)}"
    if port.device_type:
        yield f"device-type: {port.device_type}"
    yield f"mtu: {port.mtu}"
    if not port.is_up:
        yield "state: down"
    yield from _uses(port)


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
    keys = [f"{'dot1ad' if tags.is_dot1ad else 'dot1q'}: {tags.outer}"]
    if tags.inner is not None:
        keys.append(f"inner-dot1q: {tags.inner}")
    if tags.is_exact:
        keys.append("exact-match: true")
    return f"encapsulation: {{ {', '.join(keys)} }}"


def _uses(interface: InterfaceConfig) -> Iterator[str]:
    """Return the lines of what an interface is for."""
    if interface.lcp is not None:
        yield f"lcp: {_lcp(interface.lcp)}"
    if interface.addresses:
        yield from _list("addresses", [scalar(address) for address in interface.addresses])
    if interface.l2xc is not None:
        yield f"l2xc: {scalar(interface.l2xc)}"


def _lcp(lcp: LcpConfig) -> str:
    if lcp.netns is None:
        return scalar(lcp.host_name)
    return f"{{ name: {scalar(lcp.host_name)}, netns: {scalar(lcp.netns)} }}"


def _list(key: str, items: list[str]) -> Iterator[str]:
    inline = f"{key}: [ {', '.join(items)} ]"
    if len(inline) <= _WIDTH:
        yield inline
    else:
        yield f"{key}:"
        yield from (f"  - {item}" for item in items)


def _unmanaged(globs: Iterable[str], reasons: Mapping[str, str]) -> Iterator[str]:
    if not globs:
        return
    yield ""
    yield "unmanaged:"
    for glob in globs:
        comment = f" # {_printable(reasons[glob])}" if glob in reasons else ""
        yield f"  - {scalar(glob)}{comment}"


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)


@lru_cache(maxsize=1 << 12)
def _quoted(text: str) -> str:
    """Return `text` as PyYAML writes it inside of a flow list, quoted where it would mean something else."""
    line: str = yaml.safe_dump([text], default_flow_style=True, allow_unicode=True, width=1 << 20)
    return line.strip().removeprefix("[").removesuffix("]")


def scalar(text: str) -> str:
    """Return `text` as a YAML scalar, for block and flow alike."""
    return text if _PLAIN.fullmatch(text) else _quoted(text)
