"""Which address NAT44 takes of an interface: VPP takes the first one, of the donor where the interface borrows."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.interface import Interface


def own_addresses(interfaces: Mapping[str, Interface], name: str) -> list[str]:
    """Return the IPv4 addresses of an interface, or of the one whose addresses it borrows, leased ones too."""
    interface = interfaces.get(name)
    if interface is not None and interface.unnumbered is not None:
        interface = interfaces.get(interface.unnumbered)
    if interface is None:
        return []
    found = {*interface.addresses, *(each.address for each in interface.live)}
    return sorted(address.partition("/")[0] for address in found if ":" not in address)
