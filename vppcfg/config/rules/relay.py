"""Rules about DHCP relays and the routes to their servers."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.entries.index import Index
from vppcfg.kinds.dhcp_relay import KEY, relay_entries
from vppcfg.kinds.route_rules import LeadingTables
from vppcfg.kinds.route_section import DEFAULT_VRF
from vppcfg.model.problem import Problem, Severity


def relay_server_unreachable(index: Index) -> Iterator[Problem]:
    """Find servers to which nothing of the file leads, in VRFs into which no LCP pair can bring a route.

    Where an interface of the VRF has an LCP pair, Linux may have one.
    """
    if not (index.configuration.owned.get(KEY) and index.is_whole):
        return
    tables = LeadingTables(index)
    of_linux = {interface.vrf for interface in index.interfaces if interface.lcp is not None}
    for entry, _, relay, path in relay_entries(index):
        for at, server in enumerate(relay.servers):
            name = entry.name if server.vrf is None else server.vrf
            vrf = None if name in ("", DEFAULT_VRF) else name
            if vrf not in of_linux and not tables.lead_to(server.address, vrf):
                where = "the default table" if vrf is None else f"the VRF {vrf}"
                text = f"{where} has no network and no route with {server.address}, so VPP drops requests"
                yield Problem(
                    rule="dhcp-relay-server", path=(*path, "servers", at), text=text, severity=Severity.WARNING
                )
