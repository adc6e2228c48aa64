"""Rules about proxy ARP: ranges that are some, and interfaces and ranges that need each other."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import address_key
from vppcfg.config.configuration import InterfaceConfig
from vppcfg.config.rules.index import Index
from vppcfg.model.problem import Problem, Severity

_SECTION = "proxy_arp"


def proxy_arp_ranges(index: Index) -> Iterator[Problem]:
    """Find ranges that end before they begin, and those that stand in a VRF twice."""
    seen = set()
    for each in index.configuration.proxy_arps:
        if address_key(f"{each.first}/32") > address_key(f"{each.last}/32"):
            text = f"{each.last} comes before {each.first}, so that this range has no address; exchange them"
            yield Problem(rule="proxy-arp-range", path=each.path, text=text)
        elif (each.vrf, each.first, each.last) in seen:
            text = f"{each.first} to {each.last} is here a second time; remove one"
            yield Problem(rule="proxy-arp-duplicate", path=each.path, text=text)
        seen.add((each.vrf, each.first, each.last))


def proxy_arp_address(index: Index) -> Iterator[Problem]:
    """Find interfaces that are to answer for others and have no IPv4 address, without which VPP answers no ARP."""
    for interface in index.interfaces:
        if interface.has_proxy_arp and _lacks_ipv4(interface, index):
            text = f"{interface.name} has no IPv4 address, so VPP answers no ARP there; add one to `addresses`"
            yield Problem(rule="proxy-arp-address", path=(*interface.path, "proxy-arp"), text=text)


def proxy_arp_unused(index: Index) -> Iterator[Problem]:
    """Find interfaces without a range in their VRF, and ranges without an interface in theirs."""
    if index.broken or index.lost_sections or any(index.broken_entries.values()):
        return
    with_ranges = {each.vrf for each in index.configuration.proxy_arps}
    answering = {interface.vrf for interface in index.interfaces if interface.has_proxy_arp}
    for interface in index.interfaces:
        if interface.has_proxy_arp and interface.vrf not in with_ranges:
            text = f"no range of `{_SECTION}` is in {_words(interface.vrf)}, so {interface.name} answers for nobody"
            path = (*interface.path, "proxy-arp")
            yield Problem(rule="proxy-arp-unused", path=path, text=text, severity=Severity.WARNING)
    for vrf in sorted(with_ranges - answering, key=lambda vrf: vrf or ""):
        path = next(each.path for each in index.configuration.proxy_arps if each.vrf == vrf)
        text = f"no interface in {_words(vrf)} has `proxy-arp`, so nobody answers for these addresses"
        yield Problem(rule="proxy-arp-unused", path=path[:-1], text=text, severity=Severity.WARNING)


def _lacks_ipv4(interface: InterfaceConfig, index: Index) -> bool:
    """Return whether neither an interface nor the one whose addresses it borrows has an IPv4 address."""
    if interface.dhcp_client is not None:
        return False
    donor = index.find(interface.unnumbered)
    addresses = interface.addresses if interface.unnumbered is None else donor.addresses if donor else ("unknown",)
    return all(":" in address for address in addresses)


def _words(vrf: str | None) -> str:
    return "the default VRF" if vrf is None else f"the VRF {vrf}"
