"""Writes schema/vpp-nodes.txt: the nodes of VPP's graph, the releases that have them, the arcs they are features of.

`python -m tools.vpp_nodes REPOSITORY` reads a clone of VPP's repository: the names in all source files that register
nodes (VLIB_REGISTER_NODE) or features (VNET_FEATURE_INIT). Some of the names are those of other things; what VPP calls
after an interface or a session is not among them.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

from tools.vpp_commands import REVISIONS, lines_of, sources

TARGET = Path(__file__).resolve().parents[1] / "schema" / "vpp-nodes.txt"
HEADER = """\
# Nodes of VPP's graph, the first and the last release that have them where not all do, `trace` where `trace add` takes
# them, and the arcs that they are features of.
# Written by tools/vpp_nodes.py from the source of VPP (Apache License 2.0), {first} to {last}.
"""
_REGISTERS = r"VLIB_REGISTER_NODE|VNET_FEATURE_INIT|vlib_node_registration_t|vlib_register_node|NODE_NAME"
_NAME = re.compile(
    r'\.name\s*=\s*"([a-z][\w.-]*)"'
    r'|vlib_register_node\s*\([^";]*,\s*"([a-z][\w.-]*)"'
    r'|#define\s+\w*NODE_NAME\w*\s+"([a-z][\w.-]*)"'
)
_TRACED = re.compile(r"\bflags\s*=[^,;]*VLIB_NODE_FLAG_TRACE_SUPPORTED")
_NODE = re.compile(r"(?:VLIB_REGISTER_NODE\s*\([^)]*\)|vlib_node_registration_t\s+\w+)\s*=\s*\{(.*?)\}\s*;", re.DOTALL)
_FEATURE = re.compile(r"VNET_FEATURE_INIT\s*\([^)]*\)\s*=\s*\{(.*?)\}\s*;", re.DOTALL)
_FIELD = r'\.{}\s*=\s*"([\w.-]+)"'


def main(repository: str) -> None:
    """Write the table."""
    releases = list(REVISIONS)
    known: dict[str, list[int]] = defaultdict(list)
    arcs: dict[str, set[str]] = defaultdict(set)
    for number, revision in enumerate(REVISIONS.values()):
        for name, found in nodes_of(repository, revision).items():
            known[name].append(number)
            arcs[name] |= found
    table = {name: (numbers, sorted(arcs[name])) for name, numbers in known.items()}
    TARGET.write_text(HEADER.format(first=releases[0], last=releases[-1]) + "".join(lines_of(table)))


def nodes_of(repository: str, revision: str) -> dict[str, set[str]]:
    """Return the names of the nodes in one revision, each with the arcs that it is a feature of."""
    found: dict[str, set[str]] = defaultdict(set)
    for source in sources(repository, revision, _REGISTERS):
        for names in _NAME.findall(source):
            found["".join(names)] |= set()
        for body in _NODE.findall(source):
            if _TRACED.search(body) and (name := _NAME.search(body)):
                found[name[1]].add("trace")
        for body in _FEATURE.findall(source):
            arc, node = (re.search(_FIELD.format(field), body) for field in ("arc_name", "node_name"))
            if arc is not None and node is not None:
                found[node[1]].add(arc[1])
    return found


if __name__ == "__main__":
    main(sys.argv[1])
