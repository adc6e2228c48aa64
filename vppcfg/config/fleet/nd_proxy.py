"""IPv6 hosts for which more than one router of the fleet answers neighbour solicitations: only one may."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.common.prefix_table import PrefixTable
from vppcfg.config.fleet.finding import FleetFinding, finding
from vppcfg.config.fleet.member import FleetProxy, Member
from vppcfg.config.fleet.settings import FleetSettings
from vppcfg.model.problem import Severity


def found_on_nd_proxies(members: Sequence[Member], settings: FleetSettings) -> Iterator[FleetFinding]:
    """Yield the hosts for which two routers answer on one prefix.

    That another router has such an address is no finding: it may be the host behind the one that answers, and files do
    not show which of the links of the prefix it is on.
    """
    first: dict[tuple[str, str, str], FleetProxy] = {}
    for member in members:
        for proxy in member.nd_proxies:
            link = _links(member, proxy.vrf).of_host(proxy.host)
            if link is None or settings.is_anycast(proxy.host):
                continue
            other = first.setdefault((proxy.vrf, link.value, proxy.host), proxy)
            if other.router != proxy.router:
                text = (
                    f"{other.router} {other.interface} ({other.place.short}) has {proxy.host} too: both answer for it"
                )
                yield finding("fleet-nd-proxy", proxy.place, text, proxy.host, Severity.WARNING)


def _links(member: Member, vrf: str) -> PrefixTable[str]:
    """Return the IPv6 prefixes of a router in a VRF, each with itself."""
    found: PrefixTable[str] = PrefixTable()
    for address in member.addresses:
        if address.end.vrf == vrf and ":" in address.host:
            found[address.text] = address.network
    return found
