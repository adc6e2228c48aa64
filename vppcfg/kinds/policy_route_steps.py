"""The steps from the policy routes of one state to those of another, without a moment in which packets go astray.

Next hops change in place where VPP can do that: new paths come before old ones go. Anything else that changes is a new
policy, which is attached before the old one is detached and removed. VPP finds policies by the place of their access
list among those of the interface. It refuses to look at a list twice, and then goes on with the places of before
(abf_setup_acl_lc in plugins/abf/abf_itf_attach.c, acl_plugin_set_acl_vec_for_context in plugins/acl/lookup_context.c).
So where a second policy with the same list would shift others, it is attached after the old one is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vppcfg.kinds.policy_route_operations import (
    AddPolicyPaths,
    AttachPolicy,
    CreatePolicy,
    DetachPolicy,
    RemovePolicyPaths,
    leads_to_table,
    removal_of,
    shape,
)
from vppcfg.model.policy_route import OWN_IDS, PolicyRoute, UnattachedPolicy, unattached
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition

_Placed = tuple[str, PolicyRoute]
"""An interface and one of its policy routes."""


class PolicyRouteSteps:
    """Plans the steps from the policy routes of one state to those of another."""

    def __init__(self, transition: Transition, names: Iterable[str]) -> None:
        """Take the interfaces that have any, in the order of their steps."""
        self._transition = transition
        observed, desired = transition.observed, transition.desired
        self._users = Counter(
            each.policy_id or 0 for interface in observed.interfaces.values() for each in interface.policy_routes
        )
        """How many interfaces have each policy."""
        self._unattached = {each.policy_id: each for each in observed.of(UnattachedPolicy).values()}
        self._known = self._users.keys() | self._unattached.keys()
        self._observed = frozenset(self._known)
        self._going: list[_Placed] = []
        self._coming: list[_Placed] = []
        self._edited: list[tuple[str, PolicyRoute, PolicyRoute]] = []
        """The interface, and the policy route before and after."""
        self._late: set[_Placed] = set()
        for name in names:
            self._compare(name, _routes(name, observed), _routes(name, desired))

    def _compare(self, name: str, before: list[PolicyRoute], after: list[PolicyRoute]) -> None:
        going, coming = [], list(after)
        for route in before:
            if route in coming and not self._breaks(name, route):
                coming.remove(route)
                continue
            same = next((each for each in coming if self._is_editable(name, route, each)), None)
            if same is None:
                going.append(route)
            else:
                coming.remove(same)
                self._edited.append((name, route, same))
        self._going += [(name, route) for route in going]
        self._coming += [(name, route) for route in coming]
        if going and coming and not keeps_places(before, coming, going):
            gone = {(route.is_ipv6, route.acl) for route in going}
            self._late |= {(name, route) for route in coming if (route.is_ipv6, route.acl) in gone}

    def _is_editable(self, name: str, before: PolicyRoute, after: PolicyRoute) -> bool:
        """Return whether new next hops can come and old ones go while one of them is there all the time."""
        if before.end or after.end or not before.is_own or self._breaks(name, before):
            return False
        if leads_to_table(before.hops) or leads_to_table(after.hops):
            return False
        if (before.is_ipv6, before.priority, before.acl) != (after.is_ipv6, after.priority, after.acl):
            return False
        old, new = ({shape(hop): hop for hop in route.hops} for route in (before, after))
        return any(old.get(each, hop) == hop for each, hop in new.items())

    def steps(self) -> Iterator[Step]:
        """Yield the steps, in no particular order but for those of one interface in one stage."""
        for name, before, after in self._edited:
            yield from self._edit(name, before, after)
        yield from self._detach()
        for name, route in self._coming:
            yield from self._attach(name, route)

    def _edit(self, name: str, before: PolicyRoute, after: PolicyRoute) -> Iterator[Step]:
        old, new = ({shape(hop): hop for hop in route.hops} for route in (before, after))
        fresh = tuple(hop for hop in after.hops if shape(hop) not in old)
        stale = tuple(hop for hop in before.hops if new.get(shape(hop)) != hop)
        again = tuple(hop for hop in after.hops if old.get(shape(hop), hop) != hop)
        number = self._acl_index(before)
        if fresh:
            add = AddPolicyPaths(interface=name, route=before, hops=fresh, acl_index=number)
            yield Step(stage=Stage.SET_OBJECT, operation=add)
        if stale:
            yield Step(stage=Stage.ATTACH, operation=RemovePolicyPaths(interface=name, route=before, hops=stale))
        if again:
            add = AddPolicyPaths(interface=name, route=before, hops=again, acl_index=number)
            yield Step(stage=Stage.DETACH_REPLACED, operation=add)

    def _detach(self) -> Iterator[Step]:
        """Yield the steps that take policies off, and remove our own that no interface has then.

        One of another program stays, unless it leads to what is deleted.
        """
        early: dict[int, bool] = {}
        routes: dict[int, PolicyRoute] = {}
        for name, route in self._going:
            is_early, number = self._breaks(name, route), route.policy_id or 0
            stage = Stage.DETACH if is_early else Stage.DETACH_REPLACED
            yield Step(stage=stage, operation=DetachPolicy(interface=name, route=route))
            self._users[number] -= 1
            early[number] = early.get(number, True) and is_early
            routes[number] = route
        for number, route in routes.items():
            if not self._users[number] and (route.is_own or self._leads_to_deleted(route)):
                stage = Stage.REMOVE_OBJECT if early[number] else Stage.REMOVE_REPLACED_OBJECT
                yield from (Step(stage=stage, operation=each) for each in removal_of(unattached(route, number)))
                self._known -= {number} if early[number] else set()

    def _attach(self, name: str, route: PolicyRoute) -> Iterator[Step]:
        is_shared = self._is_shared(route)
        if is_shared and any(other == name and each.policy_id == route.policy_id for other, each in self._going):
            self._late.add((name, route))  # VPP attaches a policy to an interface once
        is_early = self._is_early(name, route)
        if not is_shared:
            policy_id = self._number(route, is_early=is_early)
            create = CreatePolicy(item=unattached(route, policy_id), acl_index=self._acl_index(route))
            yield Step(stage=Stage.REPLACE_OBJECT if is_early else Stage.SET_OBJECT, operation=create)
            attach = AttachPolicy(interface=name, route=replace(route, policy_id=policy_id))
        else:
            attach = AttachPolicy(interface=name, route=route)
        stage = Stage.ATTACH_LATE if (name, route) in self._late else Stage.ATTACH
        yield Step(stage=Stage.ATTACH_EARLY if is_early else stage, operation=attach)

    def _number(self, route: PolicyRoute, *, is_early: bool) -> int:
        """Return the number of a new policy: that which it had before, where nothing has it then, or a free one.

        What comes early is made before any policy is removed, so no number that VPP has now is free for it.
        """
        taken = self._known | self._observed if is_early else self._known
        number = route.policy_id
        if number is None or is_early or number in taken:
            number = next(each for each in OWN_IDS if each not in taken)
        self._known |= {number}
        return number

    def _is_shared(self, route: PolicyRoute) -> bool:
        """Return whether the very policy is there all the time: on other interfaces, or as one of another program."""
        number = route.policy_id
        if number is None or self._leads_to_deleted(route):
            return False
        if number in self._unattached and not route.is_own:
            return self._unattached[number] == unattached(route, number)
        if not self._users[number] and (route.is_own or number not in self._known):
            return False
        return all(
            unattached(each, number) == unattached(route, number)
            for interface in self._transition.observed.interfaces.values()
            for each in interface.policy_routes
            if each.policy_id == number
        )

    def _is_early(self, name: str, route: PolicyRoute) -> bool:
        """Return whether a policy route replaces one that must go early, and needs nothing that comes or goes."""
        transition = self._transition
        broken = [each for other, each in self._going if other == name and self._breaks(name, each)]
        if not broken or transition.kept(name) is None or (name, route) in self._late:
            return False
        is_there = route.acl in transition.observed.acls and transition.observed.has_all(route.references())
        return is_there and not self._breaks(name, route)

    def _breaks(self, name: str, route: PolicyRoute) -> bool:
        """Return whether a policy route cannot outlast what is deleted, to come back or not."""
        return name in self._transition.to_delete or self._leads_to_deleted(route)

    def _leads_to_deleted(self, route: PolicyRoute) -> bool:
        transition = self._transition
        to_delete = {Referent.INTERFACE: transition.to_delete, Referent.TABLE: transition.deleted_tables}
        return any(each.name in to_delete[each.referent] for each in route.references())

    def _acl_index(self, route: PolicyRoute) -> int | None:
        acl = self._transition.observed.acls.get(route.acl)
        return None if acl is None else acl.index


def keeps_places(before: Iterable[PolicyRoute], coming: Iterable[PolicyRoute], going: Iterable[PolicyRoute]) -> bool:
    """Return whether VPP finds the right policy all the time when some are attached first and others then detached."""
    for is_ipv6 in (False, True):
        now = [each for each in before if each.is_ipv6 is is_ipv6]
        lists = _lists(now)
        changes = [(each, True) for each in coming] + [(each, False) for each in going]
        for route, is_coming in changes:
            if route.is_ipv6 is not is_ipv6:
                continue
            if is_coming:
                now.append(route)
            else:
                now.remove(route)
            new = _lists(now)
            if len(set(new)) == len(new):
                lists = new
            elif new[: len(lists)] != lists:
                return False
    return True


def _lists(routes: Iterable[PolicyRoute]) -> list[str]:
    """Return the access lists of policy routes of one family in the order in which VPP looks at them."""
    return [each.acl for each in sorted(routes, key=lambda each: each.priority)]


def _routes(name: str, state: State) -> list[PolicyRoute]:
    interface = state.interfaces.get(name)
    return [] if interface is None else list(interface.policy_routes)
