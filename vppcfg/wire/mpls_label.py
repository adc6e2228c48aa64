"""Reads routes for MPLS labels: which lead into a FIB table, and by VPP's prompt, who set them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vppcfg.operations.request import NO_INDEX
from vppcfg.record import record
from vppcfg.wire.reading import VppReader
from vppcfg.wire.shell import Commands

API, PROMPT = "API", "CLI"
"""The sources of routes that a message or a command sets; the former have precedence (vnet/fib/fib_source.h)."""
ROUTE_OF_PROMPT = "MPLS route of the prompt"
"""What those of the prompt are called among the attachments of other programs."""
_NORMAL = 0
"""fib_path_type (vnet/fib/fib_types.api)."""


def table_behind(paths: Sequence[Mapping[str, Any]], payload: int) -> int:
    """Return the number of the FIB table that a route with `paths` looks up all its packets in.

    `payload` is the family that VPP takes them for. It is 0 for any other route, and for one into a default table.
    """
    if len(paths) != 1 or payload not in (0, 1):
        return 0
    (path,) = paths
    is_look_up = path["type"] == _NORMAL and path["sw_if_index"] == NO_INDEX and path["proto"] == payload
    has_more = any(path["nh.address"]) or path["n_labels"] or path["preference"] or path["weight"] > 1
    return int(path["table_id"]) if is_look_up and not has_more else 0


_ENTRY = re.compile(r"^\S+:(eos|neos)/21 ", re.MULTILINE)
"""Where the routes for a label as the last one of a packet begin, or as another one::

    100:eos/21 fib:0 index:27 locks:2
      API refs:1 src-flags:added,contributing,active,
        path-list:[45] locks:2 flags:shared,
          path:[45] pl-index:45 ip4 weight=1 pref=0 deag:  oper-flags:resolved,
             fib-index:1

     forwarding:   mpls-eos-chain
      [@0]: dpo-load-balance: [proto:mpls index:30 buckets:1 to:[0:0]]
        [0] [@6]: mpls-disposition:[0]:[ip4, pipe]
            [@7]: dst-address,unicast lookup in v10
"""
_SOURCE = re.compile(r"^  (?P<source>\S+) refs:.*?(?P<active>active,)?$", re.MULTILINE)
_LOOK_UP = re.compile(r"pl-index:\d+ ip(?P<version>[46]) weight=1 pref=0 deag:.*\n *fib-index:(?P<index>\d+)")
_DISPOSITION = re.compile(r"mpls-disposition:\[\d+\]:\[.*?\bip(?P<version>[46])\b")


@record
class ShownLabel:
    """What VPP's prompt shows of a label (format_fib_entry, vnet/fib/fib_entry.c)."""

    parts: Mapping[str, str]
    """The text about the paths of each source."""
    in_effect: str = ""
    """The source by which VPP forwards; '' without a route."""
    payload: str = ""
    """The version of IP that VPP takes the packets for, where it looks them up in a FIB table."""

    @property
    def own_table(self) -> tuple[str, str] | None:
        """Return version and index of the only FIB table that the route of the API leads to; None for another route."""
        part = self.parts.get(API, "")
        match = _LOOK_UP.search(part)
        if match is None or part.count("path:[") != 1:
            return None
        is_sound = self.in_effect != API or self.payload == match["version"]
        return (match["version"], match["index"]) if is_sound else None


def read_label(text: str, *, is_last: bool = True) -> ShownLabel:
    """Return what the prompt shows of a label as the last one of a packet, or as another one."""
    _, *pieces = _ENTRY.split(text)
    entries = dict(zip(pieces[::2], pieces[1::2], strict=True))
    routes, _, forwarding = entries.get("eos" if is_last else "neos", "").partition("\n forwarding:")
    sources = list(_SOURCE.finditer(routes))
    ends = [*(each.start() for each in sources), len(routes)][1:]
    payload = _DISPOSITION.search(forwarding)
    return ShownLabel(
        parts={each["source"]: routes[each.end() : end] for each, end in zip(sources, ends, strict=True)},
        in_effect=next((each["source"] for each in sources if each["active"]), ""),
        payload=payload["version"] if payload is not None else "",
    )


def label_command(number: int, table_id: int = 0) -> str:
    """Return the command that shows who has a route for a label; VPP walks nothing for it."""
    return f"show mpls fib table {table_id} {number}"


def shown_labels(connection: VppReader, numbers: Iterable[int]) -> Mapping[int, ShownLabel]:
    """Return what VPP's prompt shows of labels as the last ones of a packet, by number."""
    lines = {number: label_command(number) for number in numbers}
    commands = Commands(connection, list(lines.values()))
    shown = commands.read(connection, connection.ask(commands.requests)) if lines else {}
    return {number: read_label(shown[line][1]) for number, line in lines.items()}
