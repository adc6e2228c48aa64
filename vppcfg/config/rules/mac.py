"""Rules about MAC addresses: which one an interface can have, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.entries.configuration import Configuration
from vppcfg.entries.index import Index
from vppcfg.kinds.bond.entry import BondConfig
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import KeyPath, Problem

_ZERO = "00:00:00:00:00:00"


def mac_unfit(index: Index) -> Iterator[Problem]:
    """Find MAC addresses that no station may have (IEEE 802)."""
    for mac, path in written_macs(index.configuration):
        if mac == _ZERO:
            yield Problem(rule="mac-zero", path=path, text=f"{mac} is no address; take another one, or remove the key")
        elif int(mac[:2], 16) & 1:
            text = f"{mac} is a group address; the first byte of an interface's own is even"
            yield Problem(rule="mac-multicast", path=path, text=text)


def bond_mac_placement(index: Index) -> Iterator[Problem]:
    """Find the MAC of a bond where its addresses stand."""
    for interface in index.interfaces:
        if interface.mac is not None and interface.kind is InterfaceKind.BOND:
            text = f"the MAC of {interface.name} belongs in `bondethernets`; move it there"
            yield Problem(rule="bond-mac-placement", path=(*interface.path, "mac"), text=text)


def written_macs(configuration: Configuration) -> Iterator[tuple[str, KeyPath]]:
    """Yield every MAC address that a file gives to an interface, and where."""
    for interface in configuration.interfaces.values():
        if interface.mac is not None:
            yield interface.mac, (*interface.path, "mac")
    for bond in configuration.virtual_as(BondConfig).values():
        if bond.mac is not None:
            yield bond.mac, (*bond.path, "mac")
    for tap in configuration.virtual_as(TapConfig).values():
        if tap.host_mac is not None:
            yield tap.host_mac, (*tap.path, "host", "mac")
