"""Forwarding by access lists (plugins/abf): policies, and interfaces that they are attached to, which they outlive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vppcfg.simulator import arcs
from vppcfg.simulator.api_paths import packed, unpacked
from vppcfg.simulator.fib_entries import FibPath, with_paths, without_paths
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import DiedError, RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_API = """
version 23.06- 1.0.0 f2367b47
import interface_index
import prefix
import fib_path
struct abf_policy: u32 policy_id, u32 acl_index, u8 n_paths, fib_path paths[n_paths]
struct abf_itf_attach: u32 policy_id, interface_index sw_if_index, u32 priority, bool is_ipv6
request abf_policy_add_del c6131197: bool is_add, abf_policy policy
reply abf_policy_add_del_reply e8d4e804: i32 retval
reply abf_policy_details b7487fa4: abf_policy policy
request abf_policy_dump 51077d14 streams abf_policy_details
request abf_itf_attach_add_del 25c8621b: bool is_add, abf_itf_attach attach
reply abf_itf_attach_add_del_reply e8d4e804: i32 retval
reply abf_itf_attach_details 7819523e: abf_itf_attach attach
request abf_itf_attach_dump 51077d14 streams abf_itf_attach_details
"""


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


def _is_first(main: AbfMain, wanted: Attachment) -> bool:
    """Return whether nothing else is attached where VPP keeps it, by index: only then the feature changes."""
    return not any(each[1:] == wanted[1:] for each in main.attached)


def attach(tables: Tables, wanted: Attachment, priority: int) -> None:
    """Attach a policy; VPP does not survive one that it does not know (abf_itf_attach.c)."""
    main = tables.part(AbfMain)
    if wanted.policy_id not in main.policies:
        raise DiedError
    if wanted in main.attached:
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS)
    if _is_first(main, wanted):
        arcs.enable(tables, wanted.sw_if_index, _feature(wanted))
    main.attached[wanted] = priority


def detach(tables: Tables, wanted: Attachment) -> None:
    """Take a policy off an interface; raise RefusedError when it is not there."""
    main = tables.part(AbfMain)
    if main.attached.pop(wanted, None) is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    if _is_first(main, wanted):
        arcs.disable(tables, wanted.sw_if_index, _feature(wanted))


def _feature(attachment: Attachment) -> arcs.Feature:
    return arcs.both("ip{}-unicast", "abf-input-ip{}")[attachment.is_ipv6]


def _answer_policy(call: Call, values: Values) -> Outgoing:
    """Add paths to a policy, which is made if need be, or take them out; it goes with the last one."""
    policies, number, acl = call.tables.part(AbfMain).policies, values["policy.policy_id"], values["policy.acl_index"]
    paths = [unpacked(call.tables, row) for row in values["policy.paths"]]
    known = policies.get(number)
    if known is None and not values["is_add"]:
        raise RefusedError(Retval.INVALID_VALUE)
    if known is not None and values["is_add"] and known[0] != acl:
        raise RefusedError(Retval.INVALID_VALUE)
    old = known[1] if known is not None else ()
    new = with_paths(old, paths) if values["is_add"] else without_paths(old, paths)
    if new:
        policies[number] = acl if known is None else known[0], new
    else:
        policies.pop(number, None)
    return call.reply()


def _answer_attach(call: Call, values: Values) -> Outgoing:
    """Attach a policy or take it off; VPP does not ask whether there is such an interface."""
    wanted = Attachment(values["attach.policy_id"], values["attach.sw_if_index"], bool(values["attach.is_ipv6"]))
    if values["is_add"]:
        attach(call.tables, wanted, values["attach.priority"])
    else:
        detach(call.tables, wanted)
    return call.reply()


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


KIND = Kind(
    plugin="abf",
    api={"abf": _API},
    changes={"abf_policy_add_del": _answer_policy, "abf_itf_attach_add_del": _answer_attach},
    queries={"abf_policy_dump": _dump_policies, "abf_itf_attach_dump": _dump_attached},
)
