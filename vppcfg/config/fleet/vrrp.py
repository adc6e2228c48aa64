"""Virtual routers of several routers on a subnet: of one number they are one router, and must agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vppcfg.config.fleet.finding import FleetFinding, finding
from vppcfg.config.fleet.member import FleetRouter, Member
from vppcfg.model.problem import Severity


def found_on_virtual_routers(members: Sequence[Member]) -> Iterator[FleetFinding]:
    """Yield what differs between the virtual routers of a number on a subnet, and priorities that do not."""
    found: dict[tuple[str, str, int], list[FleetRouter]] = defaultdict(list)
    for router in (each for member in members for each in member.virtual_routers):
        found[router.vrf, router.subnet, router.vr_id].append(router)
    for routers in found.values():
        yield from _differences(routers)


def _differences(routers: Sequence[FleetRouter]) -> Iterator[FleetFinding]:
    first = routers[0]
    for position, router in enumerate(routers):
        if router.router == first.router:
            continue
        text = f"{_named(first)} has {', '.join(first.addresses)} as virtual router {router.vr_id} of {router.subnet}"
        if router.addresses != first.addresses:
            yield finding("fleet-vrrp", router.place, text, router.subnet)
        if router.interval_cs != first.interval_cs:
            text = f"the interval is {router.interval_cs}, that of {_named(first)} is {first.interval_cs}"
            yield finding("fleet-vrrp-interval", router.place, text, router.subnet, Severity.WARNING)
        rivals = (each for each in routers[:position] if each.router != router.router)
        rival = next((each for each in rivals if each.priority == router.priority), None)
        if rival is not None:
            text = f"the priority is {router.priority}, as that of {_named(rival)}"
            yield finding("fleet-vrrp-priority", router.place, text, router.subnet, Severity.WARNING)


def _named(router: FleetRouter) -> str:
    return f"{router.router} {router.interface} ({router.place.short})"
