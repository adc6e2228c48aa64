"""Policy routes: packets of an interface that an access list permits go to next hops of their own (plugins/abf)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from dataclasses import field

from vppcfg.model.route import NextHop, RouteEnd
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.record import record

OWN_IDS = range(0x76700000, 0x76710000)
"""The ids of policies that vppcfg creates. Every policy with another id was created by another program."""


MISSING_LIST = "acl:@"
"""How the name of an access list begins that a policy refers to and VPP does not have; its number follows."""


@record
class PolicyRoute:
    """One policy with its place on an interface. Two that are equal forward alike, whatever id the policy has."""

    priority: int
    """The lowest comes first."""
    acl: str
    """The access list by its name in states; packets that it permits are forwarded by the hops."""
    is_ipv6: bool = False
    hops: tuple[NextHop, ...] = ()
    """In the order of `NextHop.order`, those without an interface with the table of their look-up; none where there is
    an end."""
    end: RouteEnd | None = None
    policy_id: int | None = field(default=None, compare=False)
    """VPP's number of the policy; None for one that is to be created."""

    @property
    def family(self) -> str:
        """Return the word of VPP's prompt for the family of its packets."""
        return "ip6" if self.is_ipv6 else "ip4"

    @property
    def is_own(self) -> bool:
        """Return whether vppcfg created the policy."""
        return self.policy_id in OWN_IDS

    @property
    def order(self) -> tuple[object, ...]:
        """Return a key that sorts policy routes alike, whoever lists them."""
        return self.is_ipv6, self.priority, self.acl, self.end.value if self.end else "", repr(self.hops)

    def references(self) -> Iterator[Reference]:
        """Yield the interfaces and tables without which its next hops do not forward."""
        return _references(self.hops, self.is_ipv6)


@record
class UnattachedPolicy(VppObject):
    """A policy that no interface has: between its creation and its place on an interface, or left there."""

    noun = "ABF policy"
    table = "loose_policies"
    carries_traffic = False
    is_always_ours = True

    policy_id: int
    acl: str
    is_ipv6: bool = False
    """The family of its first gateway, and without any that of its packets: VPP knows no other."""
    hops: tuple[NextHop, ...] = ()
    end: RouteEnd | None = None

    @property
    def name(self) -> str:
        return str(self.policy_id)

    @property
    def is_own(self) -> bool:
        """Return whether vppcfg created it."""
        return self.policy_id in OWN_IDS

    def references(self) -> Iterator[Reference]:
        """Yield the interfaces and tables without which its next hops do not forward."""
        return _references(self.hops, self.is_ipv6)


def unattached(route: PolicyRoute, policy_id: int) -> UnattachedPolicy:
    """Return the policy of a policy route without its place on an interface."""
    gateway = next((hop.gateway for hop in route.hops if hop.gateway), "")
    is_ipv6 = ":" in gateway if gateway else route.is_ipv6
    return UnattachedPolicy(policy_id=policy_id, acl=route.acl, is_ipv6=is_ipv6, hops=route.hops, end=route.end)


def in_order(routes: Iterable[PolicyRoute]) -> tuple[PolicyRoute, ...]:
    """Return policy routes in the order in which interfaces have them."""
    return tuple(sorted(routes, key=lambda route: route.order))


def with_route(routes: Iterable[PolicyRoute], route: PolicyRoute) -> tuple[PolicyRoute, ...]:
    """Return policy routes in their order with one more."""
    listed = list(routes)
    insort(listed, route, key=lambda each: each.order)
    return tuple(listed)


def _references(hops: Iterable[NextHop], is_ipv6: bool) -> Iterator[Reference]:
    for hop in hops:
        if hop.interface:
            yield Reference(Referent.INTERFACE, hop.interface)
        elif hop.table_id:
            in_ipv6 = ":" in hop.gateway if hop.gateway else is_ipv6
            yield Reference(Referent.TABLE, table_key(hop.table_id, is_ipv6=in_ipv6))
