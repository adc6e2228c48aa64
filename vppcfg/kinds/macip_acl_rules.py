"""Rules about MACIP ACLs: that interfaces name those of the file, and that VPP asks their terms in the file's order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from ipaddress import ip_network

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.index import Index
from vppcfg.kinds.macip_acl_section import KEY, shape_of
from vppcfg.model.acl import MacipAction, MacipRule
from vppcfg.model.problem import Problem

_Shape = tuple[bool, int, str]
_Key = tuple[int, int]


def macip_applied(index: Index) -> Iterator[Problem]:
    """Find MACIP ACLs that interfaces apply and the file lacks."""
    for interface in index.interfaces:
        name = interface.macip
        if name is not None and not index.has_entry(KEY, name, index.configuration.macips):
            text = f"there is no MACIP ACL {name} in this file; add it to `macip_acls`"
            text += did_you_mean(name, index.configuration.macips)
            yield Problem(rule="macip-undefined", path=(*interface.path, "macip"), text=text)


def macip_order(index: Index) -> Iterator[Problem]:
    """Find terms that VPP asks in another order than the file has them, where that matters."""
    for name, config in index.configuration.macips.items():
        found = overruled(config.rules)
        if found is not None:
            earlier, later = (config.positions[number] for number in found)
            text = (
                f"VPP looks at term {later + 1} of {name} first, and both match the same packets of some hosts; give "
                "the exception more bits of prefix or mask, or write the list without one"
            )
            yield Problem(rule="macip-order", path=(*config.path, "terms", earlier), text=text)


def macip_unused(index: Index) -> Iterator[Problem]:
    """Find lists that no interface applies."""
    used = {each.macip for each in index.interfaces}
    return index.unused("macip-unused", index.configuration.macips, used, "no interface has `macip` for")


def overruled(rules: Sequence[MacipRule]) -> tuple[int, int] | None:
    """Return the positions of a rule, and of a later one with another action that VPP may ask first, None for none.

    VPP sorts rules by their masks, those first that look at more bits or are more, ten bits for each rule; of those
    that look for the same, it keeps the last (macip_create_classify_tables in plugins/acl/acl.c).
    """
    shapes: dict[_Shape, list[int]] = defaultdict(list)
    for position, rule in enumerate(rules):
        shapes[shape_of(rule)].append(position)
    weights = {shape: _weight(shape, len(positions)) for shape, positions in shapes.items()}
    for first, asked_first in shapes.items():
        for second, asked_then in shapes.items():
            if first[0] == second[0] and weights[first] >= weights[second]:
                found = _meeting(rules, (first, asked_first), (second, asked_then))
                if found is not None:
                    return found
    return None


def _weight(shape: _Shape, count: int) -> int:
    is_ipv6, length, mask = shape
    return length + int(mask.replace(":", ""), 16).bit_count() + is_ipv6 + 10 * count


def _meeting(
    rules: Sequence[MacipRule], first: tuple[_Shape, list[int]], second: tuple[_Shape, list[int]]
) -> tuple[int, int] | None:
    """Return a rule of the second shape, and a later one of the first with another action, that match the same."""
    length = min(first[0][1], second[0][1])
    mask = int(first[0][2].replace(":", ""), 16) & int(second[0][2].replace(":", ""), 16)
    earliest: dict[tuple[_Key, MacipAction], int] = {}
    for position in reversed(second[1]):
        earliest[_seen(rules[position], length, mask), rules[position].action] = position
    for position in first[1]:
        rule = rules[position]
        for action in MacipAction:
            earlier = earliest.get((_seen(rule, length, mask), action))
            if action is not rule.action and earlier is not None and earlier < position:
                return earlier, position
    return None


def _seen(rule: MacipRule, length: int, mask: int) -> _Key:
    """Return what is seen of a rule through a shorter prefix and a mask."""
    network = ip_network(rule.source)
    return int(network.network_address) >> (network.max_prefixlen - length), int(rule.mac.replace(":", ""), 16) & mask
