"""Rules about VRFs: numbers, families, interfaces that may be in one, and those whose routes Linux cannot set."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.entries.configuration import VrfConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.tunnel import EncapConfig
from vppcfg.kinds.vrf_section import tables_of
from vppcfg.model.problem import Problem, Severity

_LARGEST_TYPED = 0x7FFFFFFF
"""VPP's command line reads the number of a table as a signed number of 32 bits (vnet/ip/lookup.c)."""


def vrf_tables(index: Index) -> Iterator[Problem]:
    """Find VRFs without a table, with a table of another one, or with one that VPP's CLI cannot name."""
    owners: dict[str, str] = {}
    for config in index.configuration.vrfs.values():
        tables = list(tables_of(config))
        if not tables:
            text = f"{config.name} has neither IPv4 nor IPv6; let it have one of them, or remove it"
            yield Problem(rule="vrf-no-family", path=config.path, text=text)
        owner = next((owners[table.key] for table in tables if table.key in owners), None)
        if owner is not None:
            text = f"{owner} has the id {config.table_id} already; take another"
            yield Problem(rule="vrf-id-duplicate", path=(*config.path, "id"), text=text)
        owners.update({table.key: owners.get(table.key, config.name) for table in tables})
        if config.table_id > _LARGEST_TYPED:
            text = f"VPP's CLI cannot name table {config.table_id}; `vppcfg apply` can still make it"
            yield Problem(rule="vrf-id-cli", path=(*config.path, "id"), text=text, severity=Severity.WARNING)


def vrf_family(index: Index) -> Iterator[Problem]:
    """Find addresses and ends of tunnels of a family that their VRF does not have."""
    for interface in index.interfaces:
        config = _vrf_of(interface.vrf, index)
        for position, address in enumerate(interface.addresses if config is not None else ()):
            if config is not None and not _has_family(config, address):
                text = f"{address} would be in the default table, because {config.name} has none for its family"
                yield Problem(rule="vrf-family", path=(*interface.path, "addresses", position), text=text)
    for tunnel in index.configuration.virtual_as(EncapConfig).values():
        config = _vrf_of(tunnel.encap_vrf, index)
        if config is not None and not _has_family(config, tunnel.local):
            text = f"{config.name} has no table for the family of {tunnel.local}"
            yield Problem(rule="vrf-family", path=(*tunnel.path, "encap-vrf"), text=text)
    for name in dict.fromkeys(each.vrf for each in index.configuration.proxy_arps):
        config = _vrf_of(name, index)
        if config is not None and not config.has_ipv4:
            text = f"{config.name} has no table for IPv4, to which proxy ARP belongs"
            yield Problem(rule="vrf-family", path=("proxy_arp", "vrfs", config.name), text=text)
    ipfix = index.configuration.ipfix
    config = _vrf_of(ipfix.vrf, index) if ipfix is not None else None
    if config is not None and not config.has_ipv4:
        text = f"{config.name} has no table for IPv4, in which the collector is looked up"
        yield Problem(rule="vrf-family", path=("ipfix", "vrf"), text=text)


def vrf_switched(index: Index) -> Iterator[Problem]:
    """Find VRFs of interfaces that switch: what routes a bridge domain is its BVI."""
    for interface in index.interfaces:
        if interface.vrf is not None and (reason := index.why_switched(interface.name)):
            hint = "give it to the BVI" if interface.name in index.bridges else "remove one of them"
            text = f"{interface.name} {reason} and cannot be in a VRF; {hint}"
            yield Problem(rule="l2-vrf", path=(*interface.path, "vrf"), text=text)


def vrf_borrowed(index: Index) -> Iterator[Problem]:
    """Find interfaces that borrow addresses of one in another VRF."""
    for borrower in index.interfaces:
        donor = index.find(borrower.unnumbered)
        if donor is not None and donor is not borrower and donor.vrf != borrower.vrf:
            text = f"{donor.name} is in {_words(donor.vrf)} and {borrower.name} in {_words(borrower.vrf)}; make it one"
            yield Problem(rule="unnumbered-vrf", path=(*borrower.path, "unnumbered"), text=text)


def vrf_without_linux(index: Index) -> Iterator[Problem]:
    """Find LCPs in a VRF whose namespace linux-nl does not listen in: no route of Linux reaches the VRF from there."""
    section = index.configuration.dataplane
    default = section.linux_cp.netns if section is not None else None
    for interface in index.interfaces:
        lcp = interface.lcp
        if interface.vrf is not None and lcp is not None and lcp.netns not in (None, default):
            text = (
                f"routes and addresses of Linux reach the VRF {interface.vrf} from the default namespace of LCPs only, "
                f"not from {lcp.netns}"
            )
            path = (*interface.path, "lcp")
            yield Problem(rule="vrf-lcp-netns", path=path, text=text, severity=Severity.WARNING)


def _vrf_of(name: str | None, index: Index) -> VrfConfig | None:
    return index.configuration.vrfs.get(name) if name is not None else None


def _has_family(config: VrfConfig, address: str) -> bool:
    return config.has_ipv6 if ":" in address else config.has_ipv4


def _words(name: str | None) -> str:
    return f"the VRF {name}" if name is not None else "no VRF"
