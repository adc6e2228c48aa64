"""Effects of a change that come later than it, such as the end of a hold time: its checks run until these are over."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vppcfg.app.routing_plan import DaemonChange, daemon_of
from vppcfg.model.live_state import covers
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.model.state import State
from vppcfg.operations.change import Impact
from vppcfg.plan.plan import Plan
from vppcfg.routing_daemons.daemon import FRR_RUN_FOLDER, Adjacency

_SLACK_S = 5.0
"""For the daemon to act after a timer, and for a check to see it."""
_NEIGHBOR_S = 55.0
"""ReachableTime of 30 s, times 1.5 at most, 5 s and three probes: until a host takes an IPv6 neighbour that does not
answer for gone (RFC 4861, 6.3.2 and 10)."""

_USUAL = (
    (RoutingFile(kind=DaemonKind.FRR, path="", startup=""), f"{FRR_RUN_FOLDER}/zebra.vty"),
    (RoutingFile(kind=DaemonKind.BIRD, path="", startup="", socket="/run/bird/bird.ctl"), "/run/bird/bird.ctl"),
)
"""The daemons that a machine usually has, each with a socket that is there while it runs."""


class LateEffect(NamedTuple):
    """What may come of a change, and when."""

    text: str
    after_s: float
    """Seconds after the change; infinite where that is not known, hours perhaps."""


def adjacencies(files: Sequence[RoutingFile]) -> tuple[Adjacency, ...]:
    """Return what the routing daemons of the file, and those that run at their usual places, have with neighbours."""
    known = {(file.kind, file.pathspace) for file in files}
    others = [file for file, socket in _USUAL if (file.kind, "") not in known and os.path.exists(socket)]
    return tuple(each for file in (*files, *others) for each in daemon_of(file).adjacencies())


def late_effects(
    plan: Plan, changes: Sequence[DaemonChange], adjacencies_before: Sequence[Adjacency]
) -> Iterator[LateEffect]:
    """Yield what may come of a change of VPP and daemons."""
    for change in changes:
        delay_s = daemon_of(change.texts.file).delay_s(change.texts.after)
        yield LateEffect(f"{change.texts.file.kind.title} acts by its new configuration", delay_s + _SLACK_S)
    is_concerned = _concerned(plan)
    for each in adjacencies_before:
        if is_concerned(each):
            yield LateEffect(f"{each.text} ends by its hold time of {each.hold_s:g} s", each.hold_s + _SLACK_S)
    for name, impact in plan.impacts.items():
        before, after = plan.observed.interfaces.get(name), plan.desired.interfaces.get(name)
        if before is None or after is None or impact < Impact.POLICY:
            continue
        if any(":" in address for address in after.addresses):
            yield LateEffect(f"hosts on {name} ask again who has its IPv6 address", _NEIGHBOR_S)
        if impact is Impact.POLICY and before.dhcp_client is not None and before.dhcp_client == after.dhcp_client:
            yield LateEffect(f"{name} renews its DHCP lease", math.inf)


def _concerned(plan: Plan) -> Callable[[Adjacency], bool]:
    """Return what tells whether a plan touches what an adjacency runs over.

    What is no interface, such as a route or NAT44, may concern all; so may any interface what is not next to it.
    """
    touched = plan.effects.keys()
    names = plan.observed.interfaces.keys() | plan.desired.interfaces.keys()
    is_any = bool(touched - names)
    states = (plan.observed, plan.desired)

    def concerns(adjacency: Adjacency) -> bool:
        near = {name for state in states for name in _next_to(adjacency, state)}
        return bool(touched) and (is_any or not near or bool(near & touched))

    return concerns


def _next_to(adjacency: Adjacency, state: State) -> Iterator[str]:
    """Yield the interfaces whose device an adjacency has, or whose subnet the neighbour is in."""
    if not adjacency.peer:
        yield from (name for name, pair in state.lcps.items() if pair.host_name == adjacency.device)
        return
    peer = f"{adjacency.peer}/{128 if ':' in adjacency.peer else 32}"
    yield from (name for name, interface in state.interfaces.items() if covers(interface.addresses, peer))
