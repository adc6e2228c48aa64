"""The whole state of a VPP as its prompt shows it, as text by command and subject, independent of VPP's numbers.

It shares nothing with vppcfg: neither what is asked nor how it is read.
"""

import re
from collections.abc import Iterable, Iterator

from tests.real_vpp import RealVpp

Shown = dict[str, tuple[str, ...]]
"""Sorted lines by command, or by command and subject."""
_ONCE = (
    *("show interface address", "show interface span", "show mode", "show lcp", "show ip table", "show ip6 table"),
    *("show nat44 interfaces", "show nat44 addresses", "show nat44 static mappings", "show nat44 interface address"),
    *("show nat timeouts", "show nat mss-clamping", "show nat44 vrf tables", "show abf policy", "show acl-plugin acl"),
    *("show dhcp proxy", "show dhcpv6 proxy", "show qos record", "show qos store"),
    *("show qos mark", "show qos egress map", "show l3xc", "show ip punt redirect", "show ip6 punt redirect"),
    *("show bfd sessions", "show policer"),
    *("show teib", "show gre tunnel", "show ipip tunnel", "show vrrp vr", "show ip pmtu", "show mpls fib"),
)
_NUMBERS = (
    (re.compile(r"\[@?\d+\]:?"), ""),
    (re.compile(r"\b(?:index|fib_index|fib|pl-index|next|uRPF|uRPF-list|locks|refs|BSN|pid|epoch)[:=]\s*-?\d+"), ""),
    (re.compile(r"\bto:\[\d+:\d+\]|\bvia:\[\d+:\d+\]|locks:\[[^]]*\]"), ""),
    (re.compile(r"\b0x[0-9a-f]{6,}"), ""),
    (re.compile(r"\b(?:itfs|path-list|path|entry|buckets):?\[[^]]*\]"), ""),
    (re.compile(r"\buPRF-list:\d+|\bvia-\d+|via-dpo:\[[^]]*\]|\bentry:\d+"), ""),
    (re.compile(r"\bpolicy:19870\d+"), "policy of a file"),
    (re.compile(r"state (?:Backup|Master)"), "running"),
    (re.compile(r"timers: .*|runtime: .*|last sent .*|\bidx \d+|Last control frame.*|path-list:\s+flags.*"), ""),
    (re.compile(r"\b[cp]ir \d+ tok/period|\bscale \d+"), ""),
    (re.compile(r"used in lookup context.*|conform \d+ packets.*|exceed \d+ packets.*|violate \d+ packets.*"), ""),
    (re.compile(r"cur lim.*|last update.*|uPRF-list: None"), ""),
    (re.compile(r"(?:udp|tcp-established|tcp-transitory|icmp) timeout: (?:0|300|7440|240|60)sec"), ""),
)
"""What differs from one run of VPP to the next."""
_AS_NONE = (["none configured"], ["arp-disabled"])
"""An interface that never had an address, and one that has lost it."""
_TABLE = re.compile(r"table_id:(\d+)")
_PREFIX = re.compile(r"^\S+/\d+$|^\(\S+, \S+\):?$")
_LINK_LOCAL = str(0xFFFFFFFF)
"""The table of each link, which nobody numbers."""
_LEFT_GROUPS = ("(*, 224.0.0.1/32)", "(*, 224.0.0.2/32)", "(*, ff00::/8)")
"""An interface that loses one of two addresses leaves the first two (ip4_add_del_interface_address_internal), one that
loses its last global IPv6 address the last, where linux-nl tells (lcp_router_link_addr_add_del)."""
_BY_ORDER = "linux-cp-punt-l3"
"""What VPP has as often as the pair of a tunnel was the first or the last one (lcp_itf_pair_add, lcp_itf_pair_del)."""
_STATIC = re.compile(r"\bS\b|\bSN\b")


def shown_state(vpp: RealVpp) -> Shown:
    """Return what VPP shows of everything that a file or a prompt configures."""
    states = list(_interfaces(vpp))
    found = dict(_pages(vpp, {index: state[0] for index, state in states}))
    found.update({f"interface {state[0]}": [" ".join(state)] for _, state in states})
    return {key: tuple(sorted(filter(None, lines))) for key, lines in found.items()}


def _interfaces(vpp: RealVpp) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Yield the index of each interface with its name, whether it is up, and its MTUs."""
    for line in _lines(vpp, "show interface"):
        words = line.split()
        if not line.startswith(" ") and len(words) > 3 and words[1].isdigit():
            yield int(words[1]), (words[0], words[2], words[3])


def _pages(vpp: RealVpp, names: dict[int, str]) -> Iterator[tuple[str, list[str]]]:
    modes = _lines(vpp, "show mode")
    for name in names.values():
        arcs = _arcs(_lines(vpp, f"show interface {name} features"))
        is_routed = f"l3 {name}" in modes  # its L2 bits are without effect
        yield f"features {name}", _plain([arc for arc in arcs if not (is_routed and arc.startswith("l2-"))], names)
        yield f"abf {name}", _plain(_lines(vpp, f"show abf attach {name}"), names)
    for command in _ONCE:
        yield command, _plain(_lines(vpp, command), names)
    yield "show acl-plugin interface", list(_by_head(_lines(vpp, "show acl-plugin interface"), names))
    for line in _lines(vpp, "show bridge-domain"):
        if (number := line.split()[0]).isdigit():
            yield f"bd{number}", [_without_indexes(each) for each in _lines(vpp, f"show bridge-domain {number} detail")]
    for family in ("ip", "ip6"):
        for table in _TABLE.findall("\n".join(_lines(vpp, f"show {family} table"))):
            for kind in ("fib", "mfib") if table != _LINK_LOCAL else ():
                yield (
                    f"{family} {kind} table {table}",
                    _routes(_lines(vpp, f"show {family} {kind} table {table}"), names),
                )
    for command in ("show inacl type ip4", "show inacl type ip6", "show inacl type l2"):
        yield command, list(map(_without_first, _lines(vpp, command)))
    yield "neighbors", [" ".join(line.split()[1:]) for line in _lines(vpp, "show ip neighbors") if _STATIC.search(line)]


def _lines(vpp: RealVpp, command: str) -> list[str]:
    return [line.rstrip() for line in vpp.cli(command)[1].splitlines() if line.strip()]


def _arcs(lines: Iterable[str]) -> list[str]:
    """Return the nodes of each arc, in their order, as one line."""
    arcs: dict[str, list[str]] = {}
    arc = ""
    for line in lines:
        if not line.startswith(" "):
            arc = line
        elif line.strip() != _BY_ORDER:
            arcs.setdefault(arc, []).append(line.strip())
    return [f"{arc} {' '.join(nodes)}" for arc, nodes in arcs.items() if nodes not in _AS_NONE]


def _by_head(lines: Iterable[str], names: dict[int, str]) -> Iterator[str]:
    """Yield what stands below each line that begins at the margin, with that line."""
    head = ""
    for line in lines:
        if line.startswith(" "):
            yield _without_numbers(f"{head} {line}", names)
        else:
            head = line


def _plain(lines: Iterable[str], names: dict[int, str]) -> list[str]:
    return [_without_numbers(line, names) for line in lines]


def _without_numbers(line: str, names: dict[int, str]) -> str:
    line = re.sub(r"\bsw_if_index:? (\d+)", lambda match: f"on {names.get(int(match[1]), 'what is gone')}", line)
    for pattern, text in _NUMBERS:
        line = pattern.sub(text, line)
    return " ".join(line.split())


def _without_first(line: str) -> str:
    return " ".join(line.split()[1:])


def _without_indexes(line: str) -> str:
    """Return a line of a bridge domain without the numbers of the domain and its members."""
    words = line.split()
    if words[0].isdigit():
        return " ".join([words[0], *words[3:10], *words[11:]])
    if len(words) > 4 and words[1].isdigit():
        return " ".join([words[0], *words[3:]])
    return " ".join(words)


def _routes(lines: Iterable[str], names: dict[int, str]) -> list[str]:
    """Return each route with what packets become, the ways in order of their text."""
    routes: dict[str, list[str]] = {}
    prefix = ""
    for line in lines:
        if not line.startswith(" "):
            prefix = line if _PREFIX.match(line) else "head"
            routes.setdefault(prefix, [])
        elif prefix != "head":
            routes[prefix].append(_without_numbers(line, names))
    kept = {prefix: ways for prefix, ways in routes.items() if prefix != "head" and not prefix.startswith(_LEFT_GROUPS)}
    return [f"{prefix}: {' | '.join(sorted(ways))}" for prefix, ways in kept.items()]


def differences(before: Shown, after: Shown) -> list[tuple[str, str, str]]:
    """Return each line that one of two has and the other one lacks: where, which of both, and the line."""
    found = []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key, ()), after.get(key, ())
        found += [(key, "-", line) for line in old if line not in new]
        found += [(key, "+", line) for line in new if line not in old]
    return found
