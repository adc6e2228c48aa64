"""A Configuration as YAML that is pleasant to read: natural order, short lists inline, defaults left out.

The dataplane section, prefix lists and the names of protocols and services are not written: no VPP knows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.config.layout.acl import acl_lines
from vppcfg.config.layout.interface import interface_sections
from vppcfg.config.layout.made import bond_lines, bridge_lines, sflow_lines, tap_lines, vxlan_lines
from vppcfg.config.layout.text import indented, scalar
from vppcfg.model.configuration import Configuration


def laid_out(configuration: Configuration, reasons: Mapping[str, str]) -> str:
    """Return the text of a configuration; `reasons` has the comments for globs of its `unmanaged` list."""
    sections = (
        *interface_sections(configuration.interfaces.values()),
        _named("bondethernets", {name: bond_lines(bond) for name, bond in configuration.bonds.items()}),
        _named("bridgedomains", {name: bridge_lines(bridge) for name, bridge in configuration.bridges.items()}),
        _named("vxlan_tunnels", {name: vxlan_lines(tunnel) for name, tunnel in configuration.vxlans.items()}),
        _named("taps", {name: tap_lines(tap) for name, tap in configuration.taps.items()}),
        _named("acls", {name: acl_lines(acl.rules) for name, acl in configuration.acls.items()}),
        sflow_lines(configuration.sflow),
        _texts("unmanaged", configuration.unmanaged, reasons),
        _texts("protected", configuration.protected, {}),
    )
    texts = ["\n".join(lines) for section in sections if (lines := list(section))]
    return "\n\n".join(texts) + "\n"


def _named(section: str, entries: Mapping[str, list[str]]) -> Iterator[str]:
    """Return a section of entries, an empty one in one line."""
    if entries:
        yield f"{section}:"
    for name, lines in entries.items():
        yield f"  {scalar(name)}:" if lines else f"  {scalar(name)}: {{}}"
        yield from indented(lines, 2)


def _texts(section: str, texts: tuple[str, ...], comments: Mapping[str, str]) -> Iterator[str]:
    if texts:
        yield f"{section}:"
    for text in texts:
        comment = f" # {_printable(comments[text])}" if text in comments else ""
        yield f"  - {scalar(text)}{comment}"


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
