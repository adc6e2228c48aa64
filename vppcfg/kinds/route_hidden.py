"""Reads routes of files that VPP's API does not list, because a better source has the same prefix: the CLI shows all.

What each source has is printed alike in all releases (format_fib_entry in vnet/fib/fib_entry.c, format_fib_path in
vnet/fib/fib_path.c). Tables are numbers of VPP's own there, so that those of the route in question are taken for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from vppcfg.common.addresses import canonical_host
from vppcfg.kinds.route_reading import LOOKUP, looked_up
from vppcfg.model.route import SOURCE, SOURCE_PRIORITY, NextHop, Route, RouteEnd, in_order
from vppcfg.model.vpp_object import HiddenObject
from vppcfg.model.vrf import LAST_TYPED, FibTable
from vppcfg.wire.fib_source import SOURCES, own_source
from vppcfg.wire.reading import Replies, VppReader, text_of
from vppcfg.wire.shell import Commands, prefix_command

_PARTS = re.compile(r"^  (?=\S)|^ (?=forwarding:)", re.MULTILINE)
"""Where the part of a source begins, or ends."""
_PATH = re.compile(r"path:\[\d+\] .*?weight=(\d+) pref=(\d+) ([a-z-]+): (.*)\n *(.*)")
"""Both lines of a path::

          path:[24] pl-index:22 ip4 weight=1 pref=0 attached:  oper-flags:resolved, cfg-flags:glean,
             loop0
"""
_ENDS = {"drop": RouteEnd.BLACKHOLE, "icmp-unreach": RouteEnd.UNREACHABLE, "icmp-prohibit": RouteEnd.PROHIBIT}
_INDEX = "if_index:"
"""Stands for the name of an interface that is down or gone."""


def hidden_routes(connection: VppReader, desired: Sequence[Route], names: Mapping[int, str]) -> Iterator[HiddenObject]:
    """Yield those of `desired` that VPP has, or keeps below a better source, with what it has of files there.

    `names` are the interfaces by index. VPP is asked about these prefixes alone.
    """
    if not (desired and connection.offers(LOOKUP) and connection.offers(SOURCES)):
        return
    replies = connection.ask([connection.request(SOURCES)[1]])
    better, above = _better_sources(connection, replies), []
    for each in looked_up(connection, own_source(connection, replies), desired, names):
        if each.of_files is not None:
            table = FibTable(table_id=each.route.table_id, is_ipv6=each.route.is_ipv6)
            if not connection.survey.walks([table]):  # otherwise it was listed
                yield HiddenObject(item=each.route, by="", found=each.of_files)
        elif each.source in better:
            above.append((each.route, better[each.source]))
    typed = (route for route, _ in above if route.table_id <= LAST_TYPED)
    lines = {route.name: prefix_command(route.table_id, route.prefix) for route in typed}
    commands = Commands(connection, list(lines.values()))
    shown = commands.read(connection, connection.ask(commands.requests)) if lines else {}
    for route, by in above:
        text = shown[lines[route.name]][1] if route.name in lines else ""
        yield HiddenObject(item=route, by=by, found=_found(route, text, names))


def _better_sources(connection: VppReader, replies: Replies) -> dict[int, str]:
    """Return the names of the sources that win over files, by number; the lower priority wins."""
    rows = connection.rows(replies, "fib_source_details", "src.id", "src.priority", "src.name")
    return {
        number: text_of(name)
        for number, priority, name in rows
        if priority <= SOURCE_PRIORITY and text_of(name) != SOURCE
    }


def _found(route: Route, text: str, names: Mapping[int, str]) -> Route | None:
    """Return what the source of files has for a prefix, None for nothing."""
    paths = _paths_of(text, SOURCE)
    if paths is None:
        return None
    ends = [
        end for *_, flags, _ in paths for word, end in _ENDS.items() if f"{word}," in flags.partition("cfg-flags:")[2]
    ]
    if ends:
        return Route(prefix=route.prefix, table_id=route.table_id, end=ends[0])
    bare = {replace(hop, table_id=None): hop for hop in route.hops}
    hops = [_hop(*path, names=names) for path in paths]
    return replace(route, end=None, hops=in_order(bare.get(hop, hop) for hop in hops))


def hops_of_source(text: str, source: str, names: Mapping[int, str]) -> list[NextHop]:
    """Return the next hops that one source has for the prefix of which the prompt printed `text`."""
    return [_hop(*path, names=names) for path in _paths_of(text, source) or ()]


def _paths_of(text: str, source: str) -> list[tuple[str, ...]] | None:
    """Return weight, preference, kind, flags and the rest of each path of a source, None where it has no entry."""
    part = next((part for part in _PARTS.split(text) if part.startswith(f"{source} refs:")), None)
    return None if part is None else _PATH.findall(part)


def _hop(weight: str, preference: str, kind: str, _flags: str, rest: str, *, names: Mapping[int, str]) -> NextHop:
    words = rest.split()
    gateway = interface = ""
    if kind == "attached-nexthop":
        gateway, interface = words[0], words[1]
    elif kind == "attached":
        interface = words[0]
    elif kind == "recursive":
        gateway = words[1]
    if interface.startswith(_INDEX):
        interface = names.get(int(interface.removeprefix(_INDEX)), "")
    return NextHop(
        gateway=canonical_host(gateway) or "",
        interface=interface,
        weight=int(weight),
        preference=int(preference),
    )
