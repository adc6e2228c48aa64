"""Gateways of routes and the like on links between two routers of the fleet: one of both must have them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vppcfg.common.prefix_table import PrefixTable
from vppcfg.config.fleet.finding import FleetFinding, finding
from vppcfg.config.fleet.member import Member
from vppcfg.config.fleet.settings import FleetSettings
from vppcfg.model.problem import Severity

_LINK_BITS = 2
"""Host bits of a link that has room for two routers and no more; in larger networks others may be gateways."""


def found_on_gateways(members: Sequence[Member], settings: FleetSettings) -> Iterator[FleetFinding]:
    """Yield the gateways on such links that no router has. All files must be known."""
    links: dict[str, PrefixTable[set[str]]] = defaultdict(PrefixTable)
    hosts = set()
    for member in members:
        for address in member.addresses:
            hosts.add((address.end.vrf, address.host))
            if address.key.width - address.key.length <= _LINK_BITS:
                table = links[address.end.vrf]
                table[address.text] = (table.get(address.text) or set()) | {address.end.router}
    for member in members:
        for gateway in member.gateways:
            link = links[gateway.vrf].of_host(gateway.host)
            others = sorted(link.value - {member.router}) if link is not None else []
            is_known = (gateway.vrf, gateway.host) in hosts or settings.is_external(gateway.host)
            if others and not is_known and not settings.is_anycast(gateway.host):
                text = f"{gateway.what} leads to {gateway.host}, which no router has; {others[0]} is on that link"
                yield finding("fleet-gateway", gateway.place, text, gateway.host, Severity.WARNING)
