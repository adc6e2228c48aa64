"""Checks virtual routers (VRRP) in a fleet: those of one number on a subnet are one router, and must agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vppcfg.config.fleet.finding import FleetFinding, finding
from vppcfg.config.fleet.member import FleetVirtualRouter, Member
from vppcfg.model.problem import Severity


def found_on_virtual_routers(members: Sequence[Member]) -> Iterator[FleetFinding]:
    """Yield what differs between the virtual routers of a number on a subnet, and priorities that do not."""
    found: dict[tuple[str, str, int], list[FleetVirtualRouter]] = defaultdict(list)
    for router in (each for member in members for each in member.virtual_routers):
        found[router.vrf, router.subnet, router.vr_id].append(router)
    for routers in found.values():
        yield from _differences(routers)
    yield from _numbers([router for routers in found.values() for router in routers])


def _numbers(routers: Sequence[FleetVirtualRouter]) -> Iterator[FleetFinding]:
    """Find an address that routers of different numbers have on a subnet: each has a master that answers for it."""
    first: dict[tuple[str, str, str], FleetVirtualRouter] = {}
    for router in routers:
        for host in router.addresses:
            other = first.setdefault((router.vrf, router.subnet, host), router)
            if other.router != router.router and other.vr_id != router.vr_id:
                text = f"{host} is an address of virtual router {other.vr_id} of {_named(other)}; take one number"
                yield finding("fleet-vrrp-number", router.place, text, router.subnet)
                break


def _differences(routers: Sequence[FleetVirtualRouter]) -> Iterator[FleetFinding]:
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
        if router.is_accepting != first.is_accepting:
            text = f"accept is {_word(router.is_accepting)}, that of {_named(first)} is {_word(first.is_accepting)}"
            yield finding("fleet-vrrp-accept", router.place, text, router.subnet, Severity.WARNING)
        yield from _unheard(router, routers)
        rivals = (each for each in routers[:position] if each.router != router.router)
        rival = next((each for each in rivals if each.priority == router.priority), None)
        if rival is not None:
            text = f"the priority is {router.priority}, as that of {_named(rival)}"
            yield finding("fleet-vrrp-priority", router.place, text, router.subnet, Severity.WARNING)


def _unheard(router: FleetVirtualRouter, routers: Sequence[FleetVirtualRouter]) -> Iterator[FleetFinding]:
    """Find two routers of which one sends its advertisements elsewhere than the other one listens."""
    for other in routers[: routers.index(router)]:
        if other.router == router.router:
            continue
        for sender, listener in ((router, other), (other, router)):
            if sender.peers and listener.host not in sender.peers:
                text = f"{sender.router} sends to {', '.join(sender.peers)}, and {_named(listener)} has {listener.host}"
                yield finding("fleet-vrrp-peers", sender.place, f"{text}; name it in unicast-peers", sender.subnet)
            elif not sender.peers and listener.peers:
                text = f"{sender.router} sends to the group, and {_named(listener)} to {', '.join(listener.peers)}"
                yield finding("fleet-vrrp-peers", sender.place, f"{text}; take unicast-peers on both", sender.subnet)


def _word(is_on: bool) -> str:
    return "true" if is_on else "false"


def _named(router: FleetVirtualRouter) -> str:
    return f"{router.router} {router.interface} ({router.place.short})"
