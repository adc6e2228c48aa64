"""The nodes of VPP's graph that commands name: VPP refuses one that it does not have, or that cannot do it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

_TRACE = "trace"
_OF_INTERFACE = ("-output", "-rx", "-tx")
"""How nodes end that VPP calls after an interface."""
_BEFORE_NODE = frozenset({"input-node", "ip4-node", "ip6-node", "output-node"})
"""Words of classifiers before the node that they send packets to (vnet_classify.c)."""
Nodes = Mapping[str, frozenset[str]]
"""What each node can do: `trace`, and the arcs that it is a feature of."""


def node_refusal(command: str, words: Sequence[str], nodes: Nodes, is_interface: Callable[[str], bool]) -> str:
    """Return why VPP refuses a command because of a node that it names, '' where nothing says so."""
    for name, purpose in _named(command, words):
        if any(name.endswith(end) and is_interface(name.removesuffix(end)) for end in _OF_INTERFACE):
            continue
        if name not in nodes:
            return f"its graph has no node `{name}`"
        if purpose == _TRACE and _TRACE not in nodes[name]:
            return f"no trace can begin at the node `{name}`"
        if purpose and purpose not in nodes[name]:
            return f"the node `{name}` is no feature of `{purpose}`"
    return ""


def _named(command: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the nodes that a command names, with what each must be able to do, '' where that does not matter."""
    if command == "trace add":
        yield from ((name, _TRACE) for name, number in pairwise(words) if number.isdecimal())
    elif command == "set interface feature" and words[2:3] == ["arc"]:
        yield from ((words[1], arc) for arc in words[3:4])
    elif command in {"classify table", "classify session"}:
        yield from ((name, "") for word, name in pairwise(words) if word in _BEFORE_NODE)
