"""LCP pairs: whatever changes about one, it is made anew, because linux-cp changes nothing in place."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.lcp import LcpPair
from vppcfg.plan.diff import Change
from vppcfg.plan.operations import CreateLcpPair, DeleteLcpPair
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, change: Change[LcpPair]) -> Iterator[Step]:
    """Yield the steps that delete the pair as it was and create it as it is to be."""
    if change.before is not None:
        depth = transition.observed.interfaces[change.name].depth
        stage = Stage.DELETE_LCP if change.before.has_host else Stage.DELETE_ORPHANED_LCP
        yield Step(stage=stage, operation=DeleteLcpPair(interface=change.name), depth=depth)
    if change.after is not None:
        depth = transition.desired.interfaces[change.name].depth
        create = CreateLcpPair(
            interface=change.name,
            host_name=change.after.host_name,
            netns=change.after.netns,
            is_default_netns=change.after.netns == transition.observed.facts.lcp.default_netns,
        )
        yield Step(stage=Stage.CREATE_LCP, operation=create, depth=depth)
