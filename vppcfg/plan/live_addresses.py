"""Whether a plan keeps or removes the live addresses of interfaces, those that other programs set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vppcfg.common.names import natural_key
from vppcfg.model.live import LiveAddress, LiveSource
from vppcfg.model.virtual_router import VirtualRouter
from vppcfg.model.vpp_object import is_owned
from vppcfg.plan.plan import Plan


class LiveOutcome(NamedTuple):
    """What happens to one address."""

    interface: str
    live: LiveAddress
    is_kept: bool
    """False when it goes with its interface, or because that routes no longer: its source alone can bring it back."""
    goes_with_router: bool = False
    """Whether its virtual router is stopped, and nothing else happens to it."""


def live_outcomes(plan: Plan) -> Iterator[LiveOutcome]:
    """Yield what happens to each live address of the interfaces that a plan may touch, in natural order."""
    stopped = _of_stopped_routers(plan)
    for name in sorted(plan.observed.interfaces, key=natural_key):
        before, after = plan.observed.interfaces[name], plan.desired.interfaces.get(name)
        for each in before.live if after is not before else ():
            is_leased = each.source is LiveSource.DHCP and after is not None and after.dhcp_client == before.dhcp_client
            is_kept = after is not None and (is_leased or each.address in after.addresses)
            ends = is_kept and each.source is LiveSource.VRRP and (name, each.address.partition("/")[0]) in stopped
            yield LiveOutcome(interface=name, live=each, is_kept=is_kept and not ends, goes_with_router=ends)


def _of_stopped_routers(plan: Plan) -> set[tuple[str, str]]:
    """Return the interface and address of each virtual router that a plan stops for good."""
    running = {name for name, each in plan.desired.of(VirtualRouter).items() if each.is_running}
    ours = (each for each in plan.observed.of(VirtualRouter).values() if is_owned(each, plan.desired.owned))
    stopped = (each for each in ours if each.is_running and each.name not in running)
    return {(router.interface, host) for router in stopped for host in router.addresses}
