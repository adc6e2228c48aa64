"""Simulates ABF, forwarding by access lists (plugins/abf): policies, and the interfaces that they outlive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from vppcfg.common.addresses import address_key
from vppcfg.model.policy_route import PolicyRoute, UnattachedPolicy
from vppcfg.model.route import NextHop, RouteEnd
from vppcfg.model.state import State
from vppcfg.simulator import arcs
from vppcfg.simulator.api_paths import packed, unpacked
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import DROP, PROHIBIT, UNREACHABLE, FibPath, ordered, without_paths
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import acl as acls
from vppcfg.simulator.kinds.route_change import hold_paths, read_path, release_paths, survive_stale
from vppcfg.simulator.retval import DiedError, RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values


class Attachment(NamedTuple):
    """A policy on an interface."""

    policy_id: int
    sw_if_index: int
    is_ipv6: bool


@dataclass(slots=True, kw_only=True)
class AbfMain:
    """All policies by id, and the priorities of what they are attached to."""

    policies: dict[int, tuple[int, tuple[FibPath, ...]]] = field(default_factory=dict)
    """The access list and the paths."""
    attached: dict[Attachment, int] = field(default_factory=dict)


_ENDS = {RouteEnd.BLACKHOLE: DROP, RouteEnd.UNREACHABLE: UNREACHABLE, RouteEnd.PROHIBIT: PROHIBIT}


def _is_first(main: AbfMain, requested: Attachment) -> bool:
    """Return whether nothing else is attached where VPP keeps it, by index: only then the feature changes."""
    return not any(each[1:] == requested[1:] for each in main.attached)


def add_paths(tables: Tables, number: int, acl: int, paths: list[FibPath]) -> None:
    """Create a policy, or give it further paths.

    VPP frees the paths of a policy that gets none that it lacks, and goes on with what was there (abf_policy_update):
    the policy has no path then.
    """
    policies = tables.part(AbfMain).policies
    known = policies.get(number)
    if known is None:
        policies[number] = acl, ordered(dict.fromkeys(paths))
        hold_paths(tables, policies[number][1])
        return
    if known[0] != acl:
        raise RefusedError(Retval.INVALID_VALUE, "ACL index must match existing ACL index in policy")
    shapes = {path.shape for path in known[1]}
    fresh = [path for path in paths if path.shape not in shapes]
    if fresh:
        survive_stale(tables, known[1])
    new = ordered((*known[1], *fresh)) if fresh else ()
    policies[number] = acl, new
    if new:
        hold_paths(tables, new)
    release_paths(tables, known[1])


def remove_paths(tables: Tables, number: int, paths: list[FibPath]) -> None:
    """Take paths out of a policy, which goes with its last one, but for interfaces that have it still."""
    main = tables.part(AbfMain)
    known = required(main.policies.get(number), retval=Retval.INVALID_VALUE)
    if not known[1]:
        raise DiedError
    left = without_paths(known[1], paths)
    survive_stale(tables, left)
    if left:
        hold_paths(tables, left)
    release_paths(tables, known[1])
    if left or any(each.policy_id == number for each in main.attached):
        main.policies[number] = known[0], left
    else:
        del main.policies[number]


def attach(tables: Tables, requested: Attachment, priority: int) -> None:
    """Attach a policy, once to an interface whatever the family.

    VPP does not survive one that it does not know (abf_itf_attach.c).
    """
    main = tables.part(AbfMain)
    if requested.policy_id not in main.policies:
        raise DiedError
    if any(each[:2] == requested[:2] for each in main.attached):
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS)
    if _is_first(main, requested):
        arcs.enable(tables, requested.sw_if_index, _feature(requested))
    main.attached[requested] = priority
    tables.part(acls.AclMain).looked_up[main.policies[requested.policy_id][0]] += 1


def detach(tables: Tables, requested: Attachment) -> None:
    """Take a policy off an interface; raise RefusedError when it is not there.

    VPP does not survive the wrong family: it looks for the policy in another list.
    """
    main = tables.part(AbfMain)
    if requested._replace(is_ipv6=not requested.is_ipv6) in main.attached:
        raise DiedError
    if main.attached.pop(requested, None) is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    tables.part(acls.AclMain).looked_up[main.policies[requested.policy_id][0]] -= 1
    if _is_first(main, requested):
        arcs.disable(tables, requested.sw_if_index, _feature(requested))


def _feature(attachment: Attachment) -> arcs.Feature:
    return arcs.both("ip{}-unicast", "abf-input-ip{}")[attachment.is_ipv6]


def _answer_policy(call: Call, values: Values) -> None:
    """Add paths to a policy, which is created if need be, or take them out; it goes with the last one."""
    paths = [unpacked(call.tables, row) for row in values["policy.paths"]]
    if not paths:
        raise RefusedError(Retval.INVALID_VALUE)
    if values["is_add"]:
        add_paths(call.tables, values["policy.policy_id"], values["policy.acl_index"], paths)
    else:
        remove_paths(call.tables, values["policy.policy_id"], paths)


def _answer_attach(call: Call, values: Values) -> None:
    """Attach a policy or take it off; VPP does not ask whether there is such an interface."""
    requested = Attachment(values["attach.policy_id"], values["attach.sw_if_index"], bool(values["attach.is_ipv6"]))
    if values["is_add"]:
        attach(call.tables, requested, values["attach.priority"])
    else:
        detach(call.tables, requested)


def _dump_policies(call: Call, _values: Values) -> Iterator[Outgoing]:
    for number, (acl, paths) in call.tables.part(AbfMain).policies.items():
        shown = {"policy.policy_id": number, "policy.acl_index": acl}
        yield call.details({**shown, "policy.paths": tuple(map(packed, paths))})


def _dump_attached(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show what is attached, to interfaces that are gone too."""
    for each, priority in call.tables.part(AbfMain).attached.items():
        yield call.details(
            {
                "attach.policy_id": each.policy_id,
                "attach.sw_if_index": each.sw_if_index,
                "attach.priority": priority,
                "attach.is_ipv6": each.is_ipv6,
            }
        )


def _command_policy(tables: Tables, line: Input) -> str:
    """`abf policy [add|del] id <index> acl <index> via ...`; what VPP refuses to delete it passes over in silence."""
    number, acl, is_add = None, None, True
    paths: list[FibPath] = []
    while not line.is_at_end:
        if (found := line.number_after("acl")) is not None:
            acl = found
        elif (found := line.number_after("id")) is not None:
            number = found
        elif line.take("via"):
            paths.append(read_path(tables, line, is_ipv6=False))
        elif line.take("del"):
            is_add = False
        elif not line.take("add"):
            raise line.unknown("unknown input")
    if number is None:
        return "Specify a Policy ID"
    if not paths:
        return "Hop path must not be empty"
    if not is_add:
        with suppress(RefusedError):
            remove_paths(tables, number, paths)
        return ""
    if acl is None:
        return "ACL index must be set"
    try:
        add_paths(tables, number, acl, paths)
    except RefusedError as refusal:
        return refusal.text
    return ""


def _command_attach(tables: Tables, line: Input) -> None:
    """`abf attach <ip4|ip6> [del] policy <value> [priority <value>] <interface>`; refusals are passed over."""
    number, priority, is_ipv6, is_add, index = None, 0, None, True, None
    while not line.is_at_end:
        if line.take("del"):
            is_add = False
        elif line.take("ip4"):
            is_ipv6 = False
        elif line.take("ip6"):
            is_ipv6 = True
        elif (found := line.number_after("policy")) is not None:
            number = found
        elif (found := line.number_after("priority")) is not None:
            priority = found
        elif (row := line.interface(tables)) is not None:
            index = row.index
        elif not line.take("add"):
            raise line.unknown("unknown input")
    index = required(index, "invalid interface name")
    is_ipv6 = required(is_ipv6, "Specify either ip4 or ip6")
    if number is None or number not in tables.part(AbfMain).policies:
        raise RefusedError(Retval.UNSPECIFIED, f"invalid policy ID:{-1 if number is None else number}")
    with suppress(RefusedError):
        requested = Attachment(number, index, is_ipv6)
        if is_add:
            attach(tables, requested, priority)
        else:
            detach(tables, requested)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Put policies and their places on interfaces into the tables."""
    policies = tables.part(AbfMain).policies
    for policy in state.of(UnattachedPolicy).values():
        _add(tables, rows, state, policy, policy.policy_id)
    for name, row in rows.items():
        for route in state.interfaces[name].policy_routes:
            number = max(policies, default=0) + 1 if route.policy_id is None else route.policy_id
            if number not in policies:
                _add(tables, rows, state, route, number)
            attach(tables, Attachment(number, row.index, route.is_ipv6), route.priority)


def _add(tables: Tables, rows: Rows, state: State, policy: UnattachedPolicy | PolicyRoute, number: int) -> None:
    indexes = acls.numbered_as(state.acls, "acl")
    paths = [_path(hop, policy, rows) for hop in policy.hops]
    if policy.end is not None:
        paths.append(FibPath(kind=_ENDS[policy.end], is_ipv6=policy.is_ipv6))
    add_paths(tables, number, indexes.get(policy.acl, 0), paths)


def _path(hop: NextHop, policy: UnattachedPolicy | PolicyRoute, rows: Rows) -> FibPath:
    key = address_key(f"{hop.gateway}/0") if hop.gateway else None
    path = FibPath(
        next_hop=b"" if key is None else key.value.to_bytes(key.width // 8),
        weight=hop.weight,
        preference=hop.preference,
        is_ipv6=policy.is_ipv6 if key is None else key.family == 6,
        table_id=hop.table_id or 0,
    )
    return path._replace(sw_if_index=rows[hop.interface].index) if hop.interface else path


KIND = Kind(
    plugin="abf",
    changes={"abf_policy_add_del": _answer_policy, "abf_itf_attach_add_del": _answer_attach},
    commands={"abf policy": _command_policy, "abf attach": _command_attach},
    load=_load,
    queries={"abf_policy_dump": _dump_policies, "abf_itf_attach_dump": _dump_attached},
)
