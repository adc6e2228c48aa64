"""Policy routes in VPP: policies of the plugin abf, and the interfaces that they are attached to; how both are read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Interface, IPv6Interface, ip_interface, ip_network
from typing import Any, ClassVar

from vppcfg.common.resemblance import did_you_mean
from vppcfg.engine.kind import FatalLeftover, Kind, taking_index
from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.entries.configuration import InterfaceConfig, PolicyRouteConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.next_hop import NORMAL
from vppcfg.kinds.policy_route_operations import (
    AddPolicyPaths,
    AttachPolicy,
    CreatePolicy,
    DetachPolicy,
    ReleaseTypedPolicy,
    RemovePolicy,
    RemovePolicyPaths,
    removal_of,
)
from vppcfg.kinds.policy_route_section import KEY, PLUGIN
from vppcfg.kinds.policy_route_steps import PolicyRouteSteps
from vppcfg.kinds.route_reading import ENDS
from vppcfg.model.acl import AclAction, AclRule
from vppcfg.model.attachment import Attachment, Values, index_placeholder, stored_call
from vppcfg.model.interface import Interface
from vppcfg.model.ownership import unique_names
from vppcfg.model.policy_route import MISSING_LIST, PolicyRoute, UnattachedPolicy, in_order, unattached
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.route import NextHop
from vppcfg.model.route import in_order as hops_in_order
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable
from vppcfg.operations.feature import Feature, SetFeature
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Known
from vppcfg.operations.stages import Step
from vppcfg.operations.transition import Transition
from vppcfg.record import record
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies, VppReader, text_of


def policy_route_acl(index: Index) -> Iterator[Problem]:
    """Find access lists of policy routes that the file lacks, and those that permit none of their packets."""
    acls = index.configuration.acls
    for _, entry in _entries(index):
        path = (*entry.path, "acl")
        if entry.acl not in acls:
            if not index.has_entry("acls", entry.acl, acls):
                text = f"there is no ACL {entry.acl} in this file; add it to `acls`{did_you_mean(entry.acl, acls)}"
                yield Problem(rule="acl-undefined", path=path, text=text)
            continue
        rules = [rule for rule in acls[entry.acl].rules if (":" in rule.source) is entry.is_ipv6]
        if all(rule.action is AclAction.DENY for rule in rules):
            family, other = ("IPv6", "ipv4") if entry.is_ipv6 else ("IPv4", "ipv6")
            text = f"{entry.acl} permits no {family}, so the policy route would forward nothing"
            text += f"; add such a term, or `family: {other}`"
            yield Problem(rule="policy-route-acl", path=path, text=text)


def policy_route_priority(index: Index) -> Iterator[Problem]:
    """Find policy routes of one interface and family with the same priority: which comes first is open."""
    seen: set[tuple[str, bool, int]] = set()
    for interface, entry in _entries(index):
        key = (interface.name, entry.is_ipv6, entry.priority)
        if key in seen:
            text = f"another policy route of {interface.name} has the priority {entry.priority}; give it another one"
            yield Problem(rule="policy-route-priority", path=entry.path, text=text, severity=Severity.WARNING)
        seen.add(key)


def _entries(index: Index) -> Iterator[tuple[InterfaceConfig, PolicyRouteConfig]]:
    for interface in index.interfaces:
        for entry in interface.policy_routes or ():
            yield interface, entry


def policy_route_twice(index: Index) -> Iterator[Problem]:
    """Find access lists that an interface has policy routes for twice, and next hops that one has twice."""
    seen: set[tuple[str, bool, str]] = set()
    for interface, entry in _entries(index):
        key = (interface.name, entry.is_ipv6, entry.acl)
        if key in seen:
            text = (
                f"{interface.name} has a policy route for {entry.acl} and this family already; VPP looks at a list once"
            )
            yield Problem(rule="policy-route-twice", path=(*entry.path, "acl"), text=f"{text}; remove one of both")
        seen.add(key)
        hops = [(hop.gateway, hop.interface, hop.vrf) for hop in entry.hops]
        if len(set(hops)) < len(hops):
            text = "a next hop is given twice; give it once, with its weight"
            yield Problem(rule="policy-route-twice", path=(*entry.path, "via"), text=text)


def policy_route_own(index: Index) -> Iterator[Problem]:
    """Find policy routes that take from the neighbours of an interface what is for the router itself, too."""
    for interface, entry in _entries(index):
        acl = index.configuration.acls.get(entry.acl)
        own = [ip_interface(each) for each in interface.addresses if (":" in each) is entry.is_ipv6]
        taken = next((each for address in own for each in _taken(acl.rules, address)), "") if acl is not None else ""
        if taken:
            text = f"the ACL {entry.acl} permits packets {taken}: the next hop of the policy route gets them, and not "
            text += f"{interface.name} itself; deny them before"
            yield Problem(rule="policy-route-own", path=(*entry.path, "acl"), text=text, severity=Severity.WARNING)


def _taken(rules: Iterable[AclRule], own: IPv4Interface | IPv6Interface) -> Iterator[str]:
    """Yield what rules for all protocols take of the packets to an address from its network, in words."""
    denied = []
    for rule in rules:
        source, destination, network = ip_network(rule.source), ip_network(rule.destination), own.network
        if rule.protocol or own.ip not in destination or not source.overlaps(network):
            continue
        part = max(source, network, key=lambda each: each.prefixlen)
        if rule.action is AclAction.DENY:
            denied.append(part)
        elif not any(part.network_address in each for each in denied if each.prefixlen <= part.prefixlen):
            is_all = own.version == 4 and source.prefixlen == destination.prefixlen == 0
            origin = "" if part == network else f"from {part} "
            yield f"{origin}to {own.ip}{', and of DHCP to 255.255.255.255' if is_all else ''}"


RULES = (policy_route_acl, policy_route_priority, policy_route_twice, policy_route_own)


_POLICIES, _ATTACHED = "abf_policy_dump", "abf_itf_attach_dump"
_PATH = ("type", "sw_if_index", "table_id", "weight", "preference", "proto", "nh.address", "n_labels", "flags")
_ATTACHMENT = tuple(f"attach.{field}" for field in ("policy_id", "sw_if_index", "priority", "is_ipv6"))


@record
class _Policy:
    """A policy as VPP shows it."""

    policy_id: int
    acl: str
    paths: tuple[Mapping[str, Any], ...]
    names: Mapping[int, str]

    def route(self, priority: int, is_ipv6: bool) -> PolicyRoute | None:
        """Return it as a policy route of a family; None for one that no policy route can be."""
        ends = {ENDS.get(path["type"]) for path in self.paths if path["type"] != NORMAL}
        normal = [path for path in self.paths if path["type"] == NORMAL]
        if not self.paths or not self._is_plain(normal, is_ipv6):
            return None
        if ends and (None in ends or len(self.paths) > 1 or bool(self.paths[0]["proto"]) is not is_ipv6):
            return None
        return PolicyRoute(
            priority=priority,
            acl=self.acl,
            is_ipv6=is_ipv6,
            hops=hops_in_order(_hop(path, self.names) for path in normal),
            end=next(iter(ends), None),
            policy_id=self.policy_id,
        )

    def _is_plain(self, paths: Iterable[Mapping[str, Any]], is_ipv6: bool) -> bool:
        """Return whether a file can set all of the paths, for packets of a family."""
        for path in paths:
            is_named = path["sw_if_index"] in self.names
            may_differ = is_named and any(path["nh.address"]) and not is_ipv6
            if path["n_labels"] or path["flags"] or path["proto"] not in (0, 1):
                return False
            if path["sw_if_index"] != _NO_INTERFACE and not is_named:
                return False
            if bool(path["proto"]) is not is_ipv6 and not may_differ:
                return False
        return True

    def unattached(self) -> UnattachedPolicy | None:
        """Return it as a policy without an interface; None for one that no policy route can be."""
        family = next((path["proto"] for path in self.paths if any(path["nh.address"])), None)
        if family is None:
            family = self.paths[0]["proto"] if self.paths else 0
        route = self.route(0, bool(family)) or self.route(0, is_ipv6=False)
        return None if route is None else unattached(route, self.policy_id)


_NO_INTERFACE = 0xFFFFFFFF


def _hop(path: Mapping[str, Any], names: Mapping[int, str]) -> NextHop:
    interface = names.get(path["sw_if_index"], "")
    return NextHop(
        gateway=text_of_address(path["proto"], path["nh.address"]) if any(path["nh.address"]) else "",
        interface=interface,
        table_id=None if interface else path["table_id"],
        weight=path["weight"],
        preference=path["preference"],
    )


def _policies(connection: VppReader, replies: Replies, names: Mapping[int, str]) -> dict[int, _Policy]:
    if not connection.offers(_POLICIES):
        return {}
    heads = ("policy.policy_id", "policy.acl_index")
    found = connection.lists(replies, "abf_policy_details", heads, *_PATH)
    tags = connection.rows(replies, "acl_details", "acl_index", "tag") if found else []
    acls = unique_names({index: text_of(tag) for index, tag in tags}, "acl:")
    return {
        number: _Policy(
            policy_id=number,
            acl=acls.get(acl, f"{MISSING_LIST}{acl}"),
            paths=tuple(dict(zip(_PATH, path, strict=True)) for path in paths),
            names=names,
        )
        for (number, acl), paths in found
    }


def _attachments(connection: VppReader, replies: Replies) -> list[tuple[Any, ...]]:
    if not connection.offers(_ATTACHED):
        return []
    return connection.rows(replies, "abf_itf_attach_details", *_ATTACHMENT)


def _by_steps(name: str, value: object) -> Iterable[SetFeature]:
    """Return nothing: the steps are a matter of several interfaces, `setting_steps`."""
    return ()


class PolicyRouteKind(Kind):
    """The key `policy-routes` of interfaces."""

    nodes = "abf-"
    key = KEY
    operations = (AttachPolicy, DetachPolicy, AddPolicyPaths, RemovePolicyPaths)
    rules = RULES
    api_module = "abf"
    capabilities: ClassVar[Mapping[str, str]] = {PLUGIN: _POLICIES}

    def features(self) -> Mapping[str, Feature]:
        """Return that no interface has steps of its own."""
        return {"policy_routes": Feature(_by_steps)}

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for all policies and where they are attached."""
        return [connection.request(each)[1] for each in (_POLICIES, _ATTACHED) if connection.offers(each)]

    def read_on_interfaces(
        self, connection: VppReader, replies: Replies, known: Known
    ) -> Mapping[str, Mapping[int, Any]]:
        """Return the policy routes by the index of their interface, without those that no file can set."""
        policies = _policies(connection, replies, known.names)
        found: dict[int, list[PolicyRoute]] = {}
        for number, index, priority, is_ipv6 in _attachments(connection, replies):
            policy = policies.get(number)
            route = policy.route(priority, bool(is_ipv6)) if policy is not None else None
            if route is not None:
                found.setdefault(index, []).append(route)
        return {"policy_routes": {index: in_order(routes) for index, routes in found.items()}}

    def read_facts(
        self, connection: VppReader, replies: Replies, known: Known, found: Mapping[str, Mapping[int, Any]]
    ) -> dict[str, Any]:
        if not connection.offers(_POLICIES):
            return {}
        listed = connection.lists(replies, "abf_policy_details", ("policy.policy_id",), "type", "sw_if_index")
        normal = ((number, index) for (number,), paths in listed for kind, index in paths if kind == NORMAL)
        left = {number: index for number, index in normal if index != _NO_INTERFACE and index not in known.names}
        return {"left_policies": tuple(sorted(left.items()))}

    def has_nodes_on(self, interface: Interface) -> bool:
        """Return whether it has policies of files, or of other programs."""
        return bool(interface.policy_routes)

    def lost_of_others(self, observed: State, reached: State, deleted: Collection[str]) -> Iterator[Attachment]:
        """Yield the policies of other programs that go because an interface goes that they are on or lead to.

        A rollback attaches them again: policy routes are part of a state, whoever has made them.
        """
        for name, interface in observed.interfaces.items():
            after = reached.interfaces.get(name)
            for route in interface.policy_routes:
                is_kept = after is not None and route in after.policy_routes
                needed = {name, *(each.name for each in route.references())}
                if route.is_own or is_kept or needed.isdisjoint(deleted):
                    continue
                values: Values = {
                    "attach.policy_id": route.policy_id or 0,
                    "attach.sw_if_index": index_placeholder(name),
                }
                put = stored_call("abf_itf_attach_add_del", {**values, "attach.priority": route.priority})
                label = f"{route.policy_id} priority {route.priority} {route.family}"
                yield Attachment(holder=name, kind=UnattachedPolicy.noun, name=label, put=put)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that attach and detach policies, and create and remove those that this takes."""
        observed, desired = transition.observed.interfaces, transition.desired.interfaces
        names = {name for name, each in observed.items() if each.policy_routes}
        names |= {name for name, each in desired.items() if each.policy_routes}
        if names:
            yield from PolicyRouteSteps(transition, sorted(names)).steps()


class UnattachedPolicyKind(VppObjectKind[UnattachedPolicy]):
    """Policies on no interface: those of other programs, which stay, and of an interrupted plan, which go."""

    key = KEY
    object_class = UnattachedPolicy
    operations = (CreatePolicy, RemovePolicy, ReleaseTypedPolicy)

    def set(self, item: UnattachedPolicy) -> CreatePolicy:
        return CreatePolicy(item=item)

    def remove(self, item: UnattachedPolicy) -> RemovePolicy:
        return RemovePolicy(item=item)

    def removal(self, item: UnattachedPolicy, *, with_table: bool) -> Sequence[RemovePolicy | ReleaseTypedPolicy]:
        return removal_of(item)

    def fatal_leftovers(
        self, operations: Sequence[Operation], observed: State, desired: State
    ) -> Iterator[FatalLeftover]:
        """Yield that next hops come for a policy that has one on a deleted interface.

        VPP resolves all next hops of a policy when one comes or goes (fib_path_list_copy_and_path_add in vnet/fib), and
        ends at one whose interface is gone (ip_pmtu_adj_delegate_adj_created in vnet/ip/ip_path_mtu.c).
        """
        left = dict(observed.facts.left_policies)
        created = (each.item.policy_id for each in operations if left and isinstance(each, CreatePolicy))
        number = next((each for each in created if each in left), None)
        if number is not None:
            yield FatalLeftover(
                f"VPP would end when policy {number} is set, for it has a next hop on a deleted interface, index "
                f"{left[number]}",
                f"{taking_index(left[number])}; then apply again, and delete these loopbacks",
            )

    def is_of_others(self, item: UnattachedPolicy) -> bool:
        """Return whether vppcfg did not create it."""
        return not item.is_own

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[UnattachedPolicy]:
        """Yield the policies without an interface."""
        policies = _policies(connection, replies, names)
        attached = {row[0] for row in _attachments(connection, replies)} if policies else set()
        for number, policy in policies.items():
            found = None if number in attached else policy.unattached()
            if found is not None:
                yield found


KIND = PolicyRouteKind()
UNATTACHED_POLICIES = UnattachedPolicyKind()
