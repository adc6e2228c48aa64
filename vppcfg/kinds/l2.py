"""The keys `l2xc` and `tag-rewrite`: rules about cross-connects, how VPP reports them, when a plan changes them.

Source: vnet/l2/l2.api.

Bridge domains themselves are a kind of their own, with who is in them: `kinds/bridge.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.common.resemblance import did_you_mean
from vppcfg.engine.kind import Kind
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.kinds import l2_steps
from vppcfg.kinds.l2_operations import JoinBridge, LeaveL2, SetCrossConnect, SetTagRewrite
from vppcfg.kinds.tag_rewrite import carried_tags, tag_rewrites, tags_of
from vppcfg.model.features import DELETED
from vppcfg.model.problem import Problem, Severity
from vppcfg.operations.request import Known
from vppcfg.operations.stages import Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.reading import Replies, VppReader


def l2xc_target(index: Index) -> Iterator[Problem]:
    """Find cross-connects to an interface that is not in the file, and to the interface itself."""
    for target, sources in index.sources.items():
        for source in sources:
            if target == source.name:
                yield _problem("l2xc-self", source, f"{source.name} cannot be cross-connected to itself")
            elif not index.has(target):
                text = f"{target} is not in this file; add it below `interfaces`{did_you_mean(target, index.names)}"
                yield _problem("l2xc-target-missing", source, text)


def l2xc_shared(index: Index) -> Iterator[Problem]:
    """Find interfaces that more than one other is cross-connected to."""
    for target, sources in index.sources.items():
        first, *others = sources
        for source in others if index.has(target) else ():
            text = f"{target} is the target of {first.name} already; a target has one source"
            yield _problem("l2xc-shared", source, text)


def l2xc_mtu(index: Index) -> Iterator[Problem]:
    """Find cross-connects between interfaces with different MTUs; one of a pair is enough."""
    for source, target in _pairs(index):
        if source.mtu != target.mtu and not (target.l2xc == source.name and target.name < source.name):
            text = f"{source.name} has an MTU of {source.mtu} and {target.name} one of {target.mtu}; make them equal"
            yield _problem("l2xc-mtu", source, text)


def l2xc_target_l3(index: Index) -> Iterator[Problem]:
    """Find targets with an LCP or addresses; targets that are sources too are left to the rules about L2 interfaces."""
    for source, target in _pairs(index):
        if target.l2xc is None and target.lcp is not None:
            text = f"the target {target.name} has an LCP; remove that, or the cross-connect"
            yield _problem("l2xc-lcp", source, text)
        if target.l2xc is None and target.addresses:
            text = f"the target {target.name} has addresses; remove these, or the cross-connect"
            yield _problem("l2xc-address", source, text)


def l2xc_one_way(index: Index) -> Iterator[Problem]:
    """Find GSO and outbound access lists on targets that are not cross-connected themselves.

    The first frame that the cross-connect sends there crashes VPP (vnet/l2/l2_in_out_feat_arc.c).
    """
    for source, target in _pairs(index):
        if target.l2xc is None:
            keys = [key for key, is_on in (("gso", target.has_gso), ("acls.output", target.acls.output)) if is_on]
            for key in keys:
                text = (
                    f"the target {target.name} has `{key}` and no `l2xc` of its own; add that, or remove one of the two"
                )
                yield _problem("l2xc-one-way", source, text)


def l2xc_return(index: Index) -> Iterator[Problem]:
    """Find cross-connects whose target hands its frames to nobody, and has nothing to do with them itself."""
    for source, target in _pairs(index):
        has_use = target.lcp or target.addresses or target.unnumbered or target.name in index.bridges
        if target.l2xc is None and not has_use and index.sources[target.name] == [source]:
            text = (
                f"frames that come in by {target.name} go nowhere; give it `l2xc: {source.name}`, unless that is meant"
            )
            yield replace(_problem("l2xc-return", source, text), severity=Severity.NOTICE)


def l2xc_tags(index: Index) -> Iterator[Problem]:
    """Find cross-connects of sub-interfaces whose frames leave with tags that the target does not have."""
    wrong = {
        (source.name, target.name): (source, carried_tags(source, target), own)
        for source, target in _pairs(index)
        if (own := tags_of(target)) and tags_of(source) and carried_tags(source, target) != own
    }
    for (name, other), (source, carried, own) in wrong.items():
        if (other, name) in wrong and other < name:
            continue
        tags = ", ".join(f"{'dot1ad' if is_dot1ad else 'dot1q'} {vlan}" for vlan, is_dot1ad in carried) or "no tag"
        depths = {name: len(tags_of(source)), other: len(own)}
        ends = depths if depths[name] != depths[other] else {"both ends": depths[name]}
        pops = " and ".join(f"`tag-rewrite: {{ pop: {depth} }}` on {end}" for end, depth in ends.items())
        text = f"frames from {name} leave {other} with {tags}; rewrite tags, such as by {pops}"
        yield replace(_problem("l2xc-tags", source, text), severity=Severity.WARNING)


def l2xc_in_bridge(index: Index) -> Iterator[Problem]:
    """Find cross-connects from or to an interface that is part of a bridge domain."""
    for target_name, sources in index.sources.items():
        bridges = index.bridges.get(target_name) or index.bvi_bridges.get(target_name)
        for source in sources:
            if source.name in index.bridges:
                text = f"{source.name} is a member of {index.bridges[source.name][0].name}; remove one of the two"
                yield _problem("l2xc-source-in-bridge", source, text)
            if bridges and target_name != source.name:
                text = f"the target {target_name} belongs to {bridges[0].name}; remove one of the two"
                yield _problem("l2xc-in-bridge", source, text)


def l2xc_with_subs(index: Index) -> Iterator[Problem]:
    """Find cross-connected interfaces that have sub-interfaces."""
    for sources in index.sources.values():
        for source in sources:
            if source.name in index.children:
                text = f"{source.name} has sub-interfaces; cross-connect these, or remove them"
                yield _problem("l2xc-with-subs", source, text)


def _pairs(index: Index) -> Iterator[tuple[InterfaceConfig, InterfaceConfig]]:
    """Yield every source with its target, where that is another sound interface."""
    for target_name, sources in index.sources.items():
        target = index.find(target_name)
        for source in sources:
            if target is not None and target is not source:
                yield source, target


def _problem(rule: str, source: InterfaceConfig, text: str) -> Problem:
    return Problem(rule=rule, path=(*source.path, "l2xc"), text=text)


_RULES = (
    l2xc_target,
    l2xc_shared,
    l2xc_mtu,
    l2xc_target_l3,
    l2xc_one_way,
    l2xc_return,
    l2xc_tags,
    l2xc_in_bridge,
    l2xc_with_subs,
)


class L2Kind(Kind):
    """The keys `l2xc` and `tag-rewrite` of interfaces, and their places in bridge domains in plans."""

    key = "l2xc"
    operations = (SetCrossConnect, JoinBridge, LeaveL2, SetTagRewrite)
    rules = (*_RULES, tag_rewrites)
    on_interfaces = ("l2xc", "bridge", "tag_rewrite")

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request("l2_xconnect_dump")[1]]

    def read_on_interfaces(
        self, connection: VppReader, replies: Replies, known: Known
    ) -> Mapping[str, Mapping[int, Any]]:
        """Return the target of every cross-connected interface; VPP keeps the index of a target that was deleted."""
        rows = connection.rows(replies, "l2_xconnect_details", "rx_sw_if_index", "tx_sw_if_index")
        return {"l2xc": {index: known.names.get(target, DELETED) for index, target in rows}}

    def read_facts(
        self, connection: VppReader, replies: Replies, known: Known, found: Mapping[str, Mapping[int, Any]]
    ) -> dict[str, Any]:
        """Return whether VPP has kept cross-connects of deleted interfaces (l2_input_interface_add_del).

        An interface that is made later gets such an index, and its cross-connect with it.
        """
        return {"has_left_cross_connects": not found["l2xc"].keys() <= known.names.keys()}

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps that take an interface out of L2 mode and put it there."""
        return l2_steps.steps(transition, name)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that take new interfaces out of L2 mode, where they may have a kept cross-connect."""
        if transition.observed.facts.has_left_cross_connects:
            yield from l2_steps.steps_of_new(transition)


KIND = L2Kind()
