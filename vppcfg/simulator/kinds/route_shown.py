"""Simulates what VPP's prompt prints of one prefix: the paths of every source (format_fib_entry, format_fib_path)."""

from __future__ import annotations

import ipaddress

from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import DROP, LOCAL, PROHIBIT, UNREACHABLE, FibPath, Prefix
from vppcfg.simulator.kind import Kind
from vppcfg.simulator.kinds.classifier import classifier_text
from vppcfg.simulator.kinds.route import entries, head_of, main_of, sources
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE

_FLAGS = {DROP: "drop", UNREACHABLE: "icmp-unreach", PROHIBIT: "icmp-prohibit", LOCAL: "local"}


def _show(tables: Tables, line: Input, is_ipv6: bool) -> str:
    """`show ip fib table <id> <prefix>`: the longest prefix that has it, by all its sources, the best one first."""
    table_id = line.number() or 0
    asked = line.prefix()
    table = main_of(tables, is_ipv6).tables.get(table_id)
    if asked is None or table is None:
        return ""
    _, value, length = asked
    bits = 128 if is_ipv6 else 32
    by_prefix: dict[Prefix, dict[int, tuple[FibPath, ...]]] = {}
    for key, (source, paths) in entries(tables, is_ipv6, table_id):
        by_prefix.setdefault(key, {})[source] = paths
    keys = ((value >> (bits - each) << (bits - each), each) for each in range(length, -1, -1))
    key = next(key for key in keys if key in by_prefix)
    known = sources(tables)
    ranked = sorted(by_prefix[key].items(), key=lambda entry: (known[entry[0]][1], entry[0]))
    text = f"{_address(is_ipv6, key[0])}/{key[1]} fib:0 index:1 locks:2"
    for place, (source, paths) in enumerate(ranked):
        flags = "added,contributing,active," if not place else "added,"
        text += f"\n  {known[source][0].decode()} refs:1 src-flags:{flags}\n    path-list:[1] locks:2 uPRF-list:1\n"
        text += "".join(path_text(tables, path, is_ipv6) for path in paths)
    classified = classifier_text(tables, is_ipv6, table_id, value)
    return f"{head_of(tables, is_ipv6, table_id)}\n{text}\n forwarding:   \n{classified}"


def path_text(tables: Tables, path: FibPath, is_ipv6: bool) -> str:
    """Return both lines about a path of a route of a family."""
    kind, rest = _kind_and_rest(tables, path)
    flags = f"  cfg-flags:{_FLAGS[path.kind]}," if path.kind in _FLAGS else ""
    proto = "ip6" if (path.is_ipv6 if any(path.next_hop) else is_ipv6) else "ip4"
    head = f"path:[1] pl-index:1 {proto} weight={path.weight} pref={path.preference} {kind}: {flags}"
    return f"      {head}\n        {rest}\n"


def _kind_and_rest(tables: Tables, path: FibPath) -> tuple[str, str]:
    hop = _address(path.is_ipv6, int.from_bytes(path.next_hop[: 16 if path.is_ipv6 else 4]))
    if path.kind == LOCAL:
        return "receive", f" [@0]: dpo-receive: {hop}"
    if path.kind != 0:
        return "special", "[@0]: dpo-drop"
    if path.sw_if_index != NONE:
        row = tables.sw.get(path.sw_if_index)
        name = tables.name_of(row) if row is not None else f"if_index:{path.sw_if_index}"
        return ("attached-nexthop", f"{hop} {name}") if any(path.next_hop) else ("attached", f" {name}")
    if any(path.next_hop):
        return "recursive", f"via {hop} in fib:0 via-fib:1 via-dpo:[load-balance:1]"
    return "deag", f" fib-index:{main_of(tables, path.is_ipv6).tables[path.table_id].index}"


def _address(is_ipv6: bool, value: int) -> str:
    return str(ipaddress.IPv6Address(value) if is_ipv6 else ipaddress.IPv4Address(value))


KIND = Kind(
    commands={
        "show ip fib table": lambda tables, line: _show(tables, line, is_ipv6=False),
        "show ip6 fib table": lambda tables, line: _show(tables, line, is_ipv6=True),
    },
)
