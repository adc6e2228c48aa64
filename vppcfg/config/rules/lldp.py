"""Rules about LLDP: who can speak it, and what fits into its frames."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.interface_features import is_lldp_text
from vppcfg.config.rules.index import Index
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import KeyPath, Problem, Severity


def lldp_ports(index: Index) -> Iterator[Problem]:
    """Find what speaks LLDP and is no port, and management addresses of the other family."""
    for interface in index.interfaces:
        lldp, path = interface.lldp, (*interface.path, "lldp")
        if lldp is None:
            continue
        if interface.kind is not InterfaceKind.PHYSICAL:
            text = f"{interface.name} is made by VPP, and only ports that are there by themselves speak LLDP; remove it"
            yield Problem(rule="lldp-not-port", path=path, text=text)
        for key, address, is_ipv6 in (("management-ipv4", lldp.ipv4, False), ("management-ipv6", lldp.ipv6, True)):
            if address and (":" in address) != is_ipv6:
                text = f"{address} is no IPv{6 if is_ipv6 else 4} address"
                yield Problem(rule="lldp-address", path=(*path, key), text=text)
        yield from _texts((*path, "description"), lldp.description)


def lldp_settings(index: Index) -> Iterator[Problem]:
    """Find a name that no frame can have, and settings that nobody uses."""
    settings = index.configuration.lldp
    yield from _texts(("lldp", "system-name"), settings.system_name or "")
    is_said = any(value is not None for value in (settings.system_name, settings.hold, settings.interval_s))
    if is_said and not index.broken and not any(interface.lldp is not None for interface in index.interfaces):
        text = "no interface has `lldp`, so this section does nothing"
        yield Problem(rule="lldp-unused", path=("lldp",), text=text, severity=Severity.WARNING)


def _texts(path: KeyPath, text: str) -> Iterator[Problem]:
    if not is_lldp_text(text):
        words = "a text of LLDP has up to 255 printable ASCII characters, and no spaces around it"
        yield Problem(rule="lldp-text", path=path, text=words)
