"""Operations on policies, by which packets that an access list permits are forwarded (plugins/abf)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from vppcfg.common.numbers import whole_number
from vppcfg.kinds.acl_operations import NOUN as ACL
from vppcfg.kinds.next_hop import NORMAL
from vppcfg.kinds.route_reading import TYPE_OF_END
from vppcfg.model.policy_route import MISSING_LIST, PolicyRoute, UnattachedPolicy, unattached
from vppcfg.model.route import NextHop
from vppcfg.model.route import in_order as hops_in_order
from vppcfg.model.state import State
from vppcfg.model.vrf import LAST_TYPED
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import InterfaceOperation, Predicate
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import family_and_bytes

_POLICY, _ATTACH = "abf_policy_add_del", "abf_itf_attach_add_del"


@record
class CreatePolicy(SetObject):
    """abf_policy_add_del: create a policy with all its paths.

    What has the number of a policy already gets the paths beside its own, so that a new one needs a free number.
    """

    numbered = ACL
    item: UnattachedPolicy
    acl_index: int | None = None
    """VPP's own number for the access list, which its CLI needs; None for one that the same plan creates."""

    def _refusal(self, working: WorkingState) -> str | None:
        if _is_known(self.item.policy_id, working):
            return f"there is a policy {self.item.policy_id}"
        if self.item.acl not in working.acls and _missing_list(self.item) is None:
            return f"there is no access list {self.item.acl}"
        return SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _policy_request(self.item, indexes, is_add=1)

    def cli(self) -> str | None:
        """Return the command, which knows access lists by number, and no next hop without a gateway or table."""
        return _added(self.item, self.acl_index)


@record
class RemovePolicy(RemoveObject):
    """abf_policy_add_del: remove a policy, which goes with its last path. No interface may have it any more."""

    item: UnattachedPolicy

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _policy_request(self.item, indexes, is_add=0)

    def cli(self) -> str | None:
        """Return the command, which does not find a path of the API into a table."""
        return None if leads_to_table(self.item.hops) else _removed(self.item)


@record
class ReleaseTypedPolicy(RemoveObject):
    """cli_inband: remove a policy with paths into tables that VPP's prompt has made.

    It comes after `RemovePolicy`, which does not find such a path: the prompt gives it the number 0 for the source
    check, and the API none (fib_path_cmp_i in vnet/fib/fib_path.c). VPP does not show which of both a path has.
    """

    item: UnattachedPolicy

    def _refusal(self, working: WorkingState) -> None:
        """Return None: VPP takes the command for a policy that is not there too."""

    def apply_to(self, working: WorkingState) -> None:
        """Change nothing: what is removed over the API counts as removed."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("cli_inband", {}, text=self.cli() or "")

    def cli(self) -> str | None:
        return _removed(self.item)


def removal_of(policy: UnattachedPolicy) -> tuple[RemovePolicy | ReleaseTypedPolicy, ...]:
    """Return what removes a policy, whoever has made it."""
    remove, release = RemovePolicy(item=policy), ReleaseTypedPolicy(item=policy)
    return (remove, release) if leads_to_table(policy.hops) and release.cli() is not None else (remove,)


@record
class _PolicyOperation(InterfaceOperation):
    """What changes where packets of an interface go."""

    route: PolicyRoute

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("gets other policy routes", "get other policy routes")


@record
class AttachPolicy(_PolicyOperation):
    """abf_itf_attach_add_del: forward packets of an interface by a policy.

    VPP does not survive a policy that is not there, and takes one for an interface once, whatever its family.
    """

    def _refusal(self, working: WorkingState) -> str | None:
        number = self.route.policy_id
        if number is None or not _is_known(number, working):
            return f"there is no policy {number}"
        if self.interface in working.policy_holders.get(number, ()):
            return f"{self.interface} has the policy {number} already"
        return None

    def apply_to(self, working: WorkingState) -> None:
        working.objects.get(UnattachedPolicy, {}).pop(str(self.route.policy_id), None)
        working.attach_policy(self.interface, self.route)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _attach_request(self.interface, self.route, indexes, is_add=1)

    def cli(self) -> str:
        route = self.route
        return f"abf attach {route.family} policy {route.policy_id} priority {route.priority} {self.interface}"


@record
class DetachPolicy(_PolicyOperation):
    """abf_itf_attach_add_del: forward packets of an interface by a policy no longer."""

    def _refusal(self, working: WorkingState) -> str | None:
        has_it = self.interface in working.policy_holders.get(self.route.policy_id or 0, ())
        return None if has_it else f"{self.interface} does not have the policy {self.route.policy_id}"

    def apply_to(self, working: WorkingState) -> None:
        """Take the policy off the interface; without any interface it stays as it is."""
        number = self.route.policy_id or 0
        working.detach_policy(self.interface, _attached(self.interface, number, working))
        if not working.policy_holders[number]:
            working.set_object(unattached(self.route, number))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _attach_request(self.interface, self.route, indexes, is_add=0)

    def cli(self) -> str:
        return f"abf attach {self.route.family} del policy {self.route.policy_id} {self.interface}"


@record
class _PathOperation(_PolicyOperation):
    """abf_policy_add_del on some of the paths of a policy that one interface alone has."""

    route: PolicyRoute
    """As it is before, with its number."""
    hops: tuple[NextHop, ...]
    """Those that come or go."""
    acl_index: int | None = None
    """VPP's own number for the access list, which its CLI needs."""

    def _refusal(self, working: WorkingState) -> str | None:
        number = self.route.policy_id or 0
        if working.policy_holders.get(number, set()) != {self.interface}:
            return f"{self.interface} is not the only one with the policy {number}"
        return self._hop_refusal(self._now(working))

    def _hop_refusal(self, now: PolicyRoute) -> str | None:
        raise NotImplementedError(type(self).__name__)

    def _now(self, working: WorkingState) -> PolicyRoute:
        return _attached(self.interface, self.route.policy_id, working)

    def _set_hops(self, working: WorkingState, hops: Iterable[NextHop]) -> None:
        now = self._now(working)
        working.detach_policy(self.interface, now)
        working.attach_policy(self.interface, replace(now, hops=hops_in_order(iter(hops))))

    def _policy(self) -> UnattachedPolicy:
        return replace(unattached(self.route, self.route.policy_id or 0), is_ipv6=self.route.is_ipv6, hops=self.hops)


@record
class AddPolicyPaths(_PathOperation):
    """abf_policy_add_del: give a policy further paths.

    VPP frees the paths of a policy that gets one that it has, whatever its weight, and goes on with them
    (abf_policy_update in plugins/abf/abf_policy.c).
    """

    numbered = ACL

    def _hop_refusal(self, now: PolicyRoute) -> str | None:
        twice = {shape(hop) for hop in now.hops} & {shape(hop) for hop in self.hops}
        return f"the policy {now.policy_id} has this path already, which VPP does not survive" if twice else None

    def apply_to(self, working: WorkingState) -> None:
        self._set_hops(working, (*self._now(working).hops, *self.hops))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _policy_request(self._policy(), indexes, is_add=1)

    def cli(self) -> str | None:
        return _added(self._policy(), self.acl_index)


@record
class RemovePolicyPaths(_PathOperation):
    """abf_policy_add_del: take paths out of a policy, never the last one: an interface would go on with none."""

    def _hop_refusal(self, now: PolicyRoute) -> str | None:
        left = set(now.hops) - set(self.hops)
        return None if left and len(left) < len(now.hops) else f"the policy {now.policy_id} would have no path"

    def apply_to(self, working: WorkingState) -> None:
        self._set_hops(working, (hop for hop in self._now(working).hops if hop not in self.hops))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _policy_request(self._policy(), indexes, is_add=0)

    def cli(self) -> str | None:
        return _removed(self._policy())


def leads_to_table(hops: Iterable[NextHop]) -> bool:
    """Return whether a next hop is a look-up in a table."""
    return any(not hop.gateway and not hop.interface for hop in hops)


def shape(hop: NextHop) -> tuple[object, ...]:
    """Return what VPP compares of two paths: neither weight nor preference (fib_path_cmp_i in vnet/fib/fib_path.c)."""
    return hop.gateway, hop.interface, hop.table_id


def _is_known(policy_id: int, working: WorkingState) -> bool:
    return bool(working.policy_holders.get(policy_id)) or str(policy_id) in working.objects.get(UnattachedPolicy, {})


def _attached(interface: str, policy_id: int | None, working: WorkingState) -> PolicyRoute:
    return next(each for each in working.interfaces[interface].policy_routes if each.policy_id == policy_id)


def _policy_request(policy: UnattachedPolicy, indexes: Indexes, is_add: int) -> Request:
    values: dict[str, Value] = {
        "is_add": is_add,
        "policy.policy_id": policy.policy_id,
        "policy.acl_index": _acl_index(policy, indexes) if is_add else NO_INDEX,
    }
    return Request(_POLICY, values, "paths", list(_paths(policy, indexes)))


def _acl_index(policy: UnattachedPolicy, indexes: Indexes) -> Value:
    missing = _missing_list(policy)
    return indexes.number(ACL, policy.acl) if missing is None else missing


def _missing_list(policy: UnattachedPolicy) -> int | None:
    """Return the number of an access list that VPP does not have: it takes any (abf_policy_update)."""
    prefix, _, number = policy.acl.partition(MISSING_LIST)
    return None if prefix else whole_number(number)


def _paths(policy: UnattachedPolicy, indexes: Indexes) -> Iterator[dict[str, Value]]:
    if policy.end is not None:
        yield {"type": TYPE_OF_END[policy.end], "sw_if_index": NO_INDEX, "proto": int(policy.is_ipv6), "weight": 1}
    for hop in policy.hops:
        proto, raw = family_and_bytes(hop.gateway) if hop.gateway else (int(policy.is_ipv6), b"")
        yield {
            "type": NORMAL,
            "sw_if_index": indexes.interface(hop.interface) if hop.interface else NO_INDEX,
            "table_id": hop.table_id or 0,
            "weight": hop.weight,
            "preference": hop.preference,
            "proto": proto,
            "nh.address": raw.ljust(16, b"\0"),
        }


def _attach_request(interface: str, route: PolicyRoute, indexes: Indexes, is_add: int) -> Request:
    values: dict[str, Value] = {
        "is_add": is_add,
        "attach.policy_id": route.policy_id or 0,
        "attach.sw_if_index": indexes.interface(interface),
        "attach.priority": route.priority,
        "attach.is_ipv6": int(route.is_ipv6),
    }
    return Request(_ATTACH, values)


def _added(policy: UnattachedPolicy, acl_index: int | None) -> str | None:
    ways = [_way(hop, is_ipv6=policy.is_ipv6) for hop in policy.hops]
    if acl_index is None or not ways or "" in ways:
        return None
    return f"abf policy add id {policy.policy_id} acl {acl_index} {' '.join(ways)}"


def _removed(policy: UnattachedPolicy) -> str | None:
    ways = [_way(hop, is_ipv6=policy.is_ipv6) for hop in policy.hops]
    return None if not ways or "" in ways else f"abf policy del id {policy.policy_id} {' '.join(ways)}"


def _way(hop: NextHop, *, is_ipv6: bool) -> str:
    """Return a next hop as VPP's prompt takes it (unformat_fib_route_path), '' where it does not."""
    if (hop.table_id or 0) > LAST_TYPED:
        return ""
    if hop.gateway and hop.interface:
        way = f"{hop.gateway} {hop.interface}"
    elif hop.gateway:
        way = f"{hop.gateway} next-hop-table {hop.table_id}" if hop.table_id else hop.gateway
    elif hop.table_id is not None:
        way = f"ip{6 if is_ipv6 else 4}-lookup-in-table {hop.table_id}"
    else:
        return ""
    weight = f" weight {hop.weight}" if hop.weight != 1 else ""
    return f"via {way}{weight}" + (f" preference {hop.preference}" if hop.preference else "")
