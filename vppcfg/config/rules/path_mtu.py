"""The rule that a path MTU is for a neighbour: VPP does not look at that of a host behind a router."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.entries.index import Index
from vppcfg.kinds.path_mtu import KEY
from vppcfg.kinds.route_rules import LeadingTables
from vppcfg.model.problem import Problem, Severity


def path_mtu_remote(index: Index) -> Iterator[Problem]:
    """Find hosts with a path MTU behind a router: VPP looks at the size of packets to neighbours alone."""
    entries = index.configuration.owned.get(KEY, {}) if index.is_whole else {}
    connected = LeadingTables(index).connected if entries else {}
    for name, entry in entries.items():
        for address, _ in entry.value:
            if connected[name or None].of_host(address) is None:
                lost = "is dropped if it may not be fragmented, at which VPP up to 25.10 may crash"
                effect = "gets a fragment header" if ":" in address else lost
                text = f"{address} is in no network of an interface there: each packet to it {effect}"
                yield Problem(rule="path-mtu-remote", path=(*entry.path, address), text=text, severity=Severity.WARNING)
