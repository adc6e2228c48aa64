"""The key `policy-routes` of interfaces: packets that an access list permits go to next hops of their own.

policy-routes:
  - { acl: guests, via: 192.0.2.1, priority: 10 }
  - { acl: voice, via: [ { gateway: 2001:db8::1, interface: eth1 }, 2001:db8:1::1 ], priority: 20 }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vppcfg.entries.configuration import Configuration, HopConfig, InterfaceConfig, PolicyRouteConfig, RouteConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.entry_key import EntryKey
from vppcfg.entries.section import NamedReference
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds import acl_section
from vppcfg.kinds.route_section import DEFAULT_VRF, lacks_interface, parse_via, table_id_of, via_as_yaml
from vppcfg.kinds.vrf_section import interface_tables
from vppcfg.model.interface import Interface
from vppcfg.model.policy_route import PolicyRoute, in_order
from vppcfg.model.problem import KeyPath
from vppcfg.model.route import ENDS_SINCE, NextHop
from vppcfg.model.route import in_order as hops_in_order
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Reference, Referent
from vppcfg.model.vrf import table_key
from vppcfg.record import record

KEY = "policy-routes"
PLUGIN = "abf"
_FAMILIES = {"ipv4": False, "ipv6": True}
_ANY = {False: "0.0.0.0/0", True: "::/0"}


@record
class SteeredConfig(RouteConfig):
    """A policy route as the rules of routes look at it: its prefix is all that there is of its family."""


def _entry(given: Mapping[str, Any], path: KeyPath) -> PolicyRouteConfig:
    hops, end = parse_via(given["via"], (*path, "via"))
    family = given.get("family")
    return PolicyRouteConfig(
        path=path,
        acl=given["acl"],
        priority=given.get("priority") or 0,
        is_ipv6=_usual_family(hops) if family is None else _FAMILIES[family],
        hops=hops,
        end=end,
    )


def _usual_family(hops: Iterable[HopConfig | NextHop]) -> bool:
    """Return whether packets are of IPv6 where the file does not determine it: as the first gateway is."""
    return ":" in next((hop.gateway for hop in hops if hop.gateway), "")


def as_routes(interface: InterfaceConfig) -> Iterator[SteeredConfig]:
    """Yield the policy routes of an interface for the rules of routes."""
    for each in interface.policy_routes or ():
        prefix = _ANY[each.is_ipv6]
        yield SteeredConfig(prefix=prefix, vrf=interface.vrf, path=each.path, hops=each.hops, end=each.end)


def of_others(before: Interface) -> tuple[PolicyRoute, ...]:
    """Return the policy routes of an interface that other programs have configured."""
    return tuple(each for each in before.policy_routes if not each.is_own) if before.policy_routes else ()


def _policy_route(entry: PolicyRouteConfig, config: InterfaceConfig, configuration: Configuration) -> PolicyRoute:
    tables = interface_tables(config.vrf, configuration)
    return PolicyRoute(
        priority=entry.priority,
        acl=entry.acl,
        is_ipv6=entry.is_ipv6,
        hops=hops_in_order(_next_hop(hop, tables, configuration) for hop in entry.hops),
        end=entry.end,
    )


def _next_hop(hop: HopConfig, tables: Sequence[int], configuration: Configuration) -> NextHop:
    """Return a next hop; a gateway without interface and VRF is looked up where the interface is."""
    table_id = tables[":" in hop.gateway] if hop.vrf is None else table_id_of(hop.vrf, configuration)
    return NextHop(
        gateway=hop.gateway,
        interface=hop.interface,
        table_id=None if hop.interface else table_id,
        weight=hop.weight,
        preference=hop.preference,
    )


def without_lost(routes: Iterable[PolicyRoute], desired: DesiredStateBuilder) -> tuple[PolicyRoute, ...]:
    """Return the policy routes whose access list, interfaces and tables the desired state has."""
    return tuple(each for each in routes if _lost(each, desired) is None)


def _lost(route: PolicyRoute, desired: DesiredStateBuilder) -> str | None:
    if route.acl not in desired.acls:
        return f"the access list {route.acl}"
    return next((str(each) for each in route.references() if not _has(each, desired)), None)


def _has(reference: Reference, desired: DesiredStateBuilder) -> bool:
    there = desired.interfaces if reference.referent is Referent.INTERFACE else desired.vrfs
    return reference.name in there


def _hop_config(hop: NextHop, route: PolicyRoute, interface: Interface, state: State, path: KeyPath) -> HopConfig:
    is_usual = hop.table_id is None or (hop.gateway and hop.table_id == interface.tables[":" in hop.gateway])
    return HopConfig(
        path=path,
        gateway=hop.gateway,
        interface=hop.interface,
        vrf=None if is_usual else _vrf(hop, route, state),
        weight=hop.weight,
        preference=hop.preference,
    )


def _vrf(hop: NextHop, route: PolicyRoute, state: State) -> str | None:
    """Return the name of the table in which a next hop is looked up; None for one that no file names."""
    if not hop.table_id:
        return DEFAULT_VRF
    is_ipv6 = ":" in hop.gateway if hop.gateway else route.is_ipv6
    table = state.vrfs.get(table_key(hop.table_id, is_ipv6=is_ipv6))
    return None if table is None or table.is_unnamed else table.name


def in_file(interface: Interface, state: State) -> tuple[PolicyRoute, ...]:
    """Return the policy routes of an observed interface that its entry has: all, or none where no key can set them.

    Without the key those of others stay.
    """
    routes = interface.policy_routes
    if not routes:
        return ()
    return routes if all(_reason(each, state) is None for each in routes) else ()


def _reason(route: PolicyRoute, state: State) -> str | None:
    acl = state.acls.get(route.acl)
    if acl is None:
        return f"its policy {route.policy_id} has an access list that VPP does not show"
    if acl_section.unsupported_reason(route.acl, acl) is not None:
        return f"its policy {route.policy_id} has the access list {route.acl}, which no file can set"
    for hop in route.hops:
        if hop.table_id and _vrf(hop, route, state) is None:
            return f"its policy {route.policy_id} looks next hops up in FIB table {hop.table_id}, which has no name"
    return None


def _entry_keys(entry: PolicyRouteConfig) -> Iterator[KeyValue]:
    yield KeyValue("acl", entry.acl)
    yield KeyValue("via", via_as_yaml(entry.hops, entry.end))
    yield from [KeyValue("priority", entry.priority)] if entry.priority else []
    if entry.is_ipv6 is not _usual_family(entry.hops):
        yield KeyValue("family", "ipv6" if entry.is_ipv6 else "ipv4")


_NO_POLICY_ROUTES: Mapping[str, Any] = {"policy_routes": ()}


class PolicyRoutesKey(EntryKey):
    """The key `policy-routes`: parsed, resolved and dumped."""

    key = KEY
    attribute = "policy_routes"
    plugin = PLUGIN
    reason = "an interface has policy routes"

    def parse(self, raw: Iterable[Mapping[str, Any]], path: KeyPath) -> tuple[PolicyRouteConfig, ...]:
        return tuple(_entry(given, (*path, KEY, position)) for position, given in enumerate(raw))

    def references(self, config: InterfaceConfig) -> Iterator[NamedReference]:
        for hop in (hop for each in config.policy_routes or () for hop in each.hops):
            if hop.vrf not in (None, DEFAULT_VRF):
                yield NamedReference(Referent.TABLE, str(hop.vrf), (*hop.path, "vrf"))

    def from_state(self, interface: Interface, state: State, path: KeyPath) -> tuple[PolicyRouteConfig, ...] | None:
        """Return the entries for what an observed interface has; None for nothing."""
        routes = in_file(interface, state)
        if not routes:
            return None
        return tuple(
            PolicyRouteConfig(
                path=(*path, KEY, position),
                acl=each.acl,
                priority=each.priority,
                is_ipv6=each.is_ipv6,
                hops=tuple(_hop_config(hop, each, interface, state, path) for hop in each.hops),
                end=each.end,
            )
            for position, each in enumerate(routes)
        )

    def yaml_keys(self, config: InterfaceConfig) -> Iterable[KeyValue]:
        """Return the key; nothing where it is absent."""
        entries = config.policy_routes
        if entries is None:
            return ()
        return (KeyValue(KEY, [tuple(_entry_keys(each)) for each in entries], is_block=True),)

    def unsupported_key(self, interface: Interface, state: State) -> str | None:
        """Return why no file can set the policy routes of an observed interface, and leave none of them out."""
        if not interface.policy_routes or not any(each.is_own for each in interface.policy_routes):
            return None
        return next((reason for each in interface.policy_routes if (reason := _reason(each, state))), None)

    def to_desired(self, config: InterfaceConfig, base: Interface, desired: DesiredStateBuilder) -> Mapping[str, Any]:
        """Return the policy routes that an interface is to have; without the key, those of others that it has."""
        if config.policy_routes is None:
            return self.without_entry(base)
        path = (*config.path, KEY)
        if config.policy_routes and not desired.has_plugin(PLUGIN, path, f"{config.name} has {KEY}"):
            return {"policy_routes": base.policy_routes}
        routes = (
            _policy_route(each, config, desired.configuration)
            for each in config.policy_routes
            if not lacks_interface(each.hops, desired)
            and (
                each.end is None
                or desired.is_since(
                    ENDS_SINCE, each.path, f"a policy route is {each.end.value}, which must be read again"
                )
            )
        )
        return {"policy_routes": in_order(routes)}

    def without_entry(self, base: Interface) -> Mapping[str, Any]:
        """Return the policy routes that other programs have configured."""
        return {"policy_routes": of_others(base)} if base.policy_routes else _NO_POLICY_ROUTES


POLICY_ROUTES = PolicyRoutesKey()
