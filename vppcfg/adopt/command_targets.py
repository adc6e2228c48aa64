"""Which commands of VPP's CLI a file can express, why not the others, and which interfaces each names.

A port that a command names must exist before it runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from vppcfg.adopt.places import placed_port
from vppcfg.adopt.unmanaged_interfaces import is_made
from vppcfg.adopt.words import NEIGHBOR_WORDS, Words, after, behind, beside, first, last, paired, second
from vppcfg.config.section_list import INTERFACES
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.vpn_label import LABELS

_READING = frozenset(
    {
        *("?", "api", "choices", "clear", "echo", "elog", "event-logger", "help", "monitor", "pcap", "perfmon"),
        *("ping", "show", "test", "trace", "traceroute", "wait"),
    }
)
"""First words of commands that only look, count, send or wait; what they do is gone with the VPP that did it."""
_SETTING = frozenset(
    {
        *("clear igmp", "clear interface tag", "clear ioam rewrite", "clear ioam-trace profile", "clear l2fib"),
        *("clear pot profile", "clear vxlan-gpe-ioam rewrite", "test cnat scanner", "test frame-queue nelts"),
        *("test frame-queue threshold", "test l2fib", "test l2patch", "test lcp"),
        *("test one nsh add-placeholder-decap-node", "test sfdp expiry disable", "test sfdp expiry enable"),
    }
)
"""Commands that begin so and set something all the same: `test l2patch` hands on all frames of a port to another."""
_INTERACTIVE = frozenset(
    {
        *("exit", "history", "q", "quit"),
        *("set terminal ansi", "set terminal history", "set terminal pager", "show terminal"),
    }
)
"""Commands that VPP refuses outside of a session at its prompt (unix_cli_file_if_exists in vlib/unix/cli.c)."""
_ON_SESSIONS = ("det44 close session", "det44 forward", "det44 reverse", "nat44 del session", "nat44 ei del ")
"""How commands begin that look at connections of NAT, or end some."""
_LOGGING = frozenset({"comment", "vpplog"})
NO_DET44 = "vppcfg has DET44 in the default FIB table alone"
LIMIT_COMMANDS = frozenset(
    {"classify session", "classify table", "configure policer", "policer add", "policer del", "set policer classify"}
)
"""Commands that make rate limits together: what one of them makes, the others name by its number or name."""
DET44_COMMANDS = frozenset({"det44 plugin", "det44 add", "set interface det44", "set det44 timeouts"})
INEXPRESSIBLE = {
    "ip6 nd address autoconfig": "vppcfg has no addresses that routers announce (SLAAC)",
    "ip route": "routes belong to Linux and a routing daemon, from where `linux-nl` brings them into VPP",
    "ip mroute": "routes belong to Linux and a routing daemon, from where `linux-nl` brings them into VPP",
    "mpls local-label": "MPLS routes belong to Linux and a routing daemon, from where `linux-nl` brings them into VPP",
}
"""Commands that a simulated VPP may carry out and no configuration can express, each with the reason."""
_VPN_LABEL = re.compile(
    r"(?:\w+ )?(?:eos (?P<first>\d{1,7})|(?P<second>\d{1,7}) eos) via ip[46]-lookup-in-table [1-9]\d*"
)
"""The words of `mpls local-label` that are the `label` of a VRF, which a file can have."""
_WHY_NOT = (
    ("nat", "vppcfg has NAT44 (endpoint-dependent), and no other NAT"),
    ("det44", NO_DET44),
    ("ipsec", "vppcfg has no IPsec"),
    ("ikev2", "vppcfg has no IPsec"),
    ("pppoe", "vppcfg has no PPPoE"),
    ("dhcp", "vppcfg has DHCPv4 clients and relays, and nothing else of DHCP"),
    ("ip6 ra", "vppcfg has no router advertisements"),
    ("ip6 nd", "vppcfg has router advertisements that are sent, with prefixes that do not run out"),
    ("ip6 interface", "vppcfg has IPv6 where an interface has an IPv6 address"),
    ("policer input", "VPP does not report it; `police` limits alike, by packets from the IP header on"),
    ("policer output", "VPP does not report it, and a file limits what comes in alone"),
    ("policer", "vppcfg has policers of its own alone, by `police`"),
    ("qos", "vppcfg has the maps, records, stores and marks of QoS that VPP lists"),
    ("classify", "vppcfg has tables of its own alone, by `police`"),
    ("span", "vppcfg mirrors to ports"),
    ("sr ", "vppcfg has no segment routing"),
    ("lb ", "vppcfg has no load balancer"),
)
"""Why no file has the effect of a command: the first row counts whose text is in the command."""


def is_interactive(command: str) -> bool:
    """Return whether VPP takes a command at its prompt and in no script that it runs at its start."""
    return command in _INTERACTIVE


def is_forgotten(command: str, words: Words) -> bool:
    """Return whether a command adds a neighbour that is not `static`, which VPP forgets and no file has."""
    return command == "set ip neighbor" and not {"static", "del", "delete"} & set(words)


def is_reading(command: str) -> bool:
    """Return whether a command leaves the configuration of VPP as it is."""
    if command.startswith(_ON_SESSIONS):
        return True
    return command.partition(" ")[0] in _READING and command not in _SETTING


def turns_det44_off(command: str, words: Words) -> bool:
    """Return whether a command does what vppcfg does with each interface that DET44 leaves: it needs no script."""
    return (
        command == "set interface feature" and "disable" in words and any(word.startswith("det44-") for word in words)
    )


def det44_elsewhere(command: str, words: Words) -> bool:
    """Return whether a command enables DET44 in another FIB table than the default one, which no file can express."""
    tables = {number for word, number in pairwise(words) if word == "vrf"}
    return command == "det44 plugin" and not tables <= {"0"}


def is_log(line: str) -> bool:
    """Return whether a line is a comment, or a text for VPP's log, that VPP reads as one.

    It reads a word, or braces with all in them, of which the end of the line closes those that are open
    (`comment %v` in vlib/cli.c, unformat_string; so in 23.06 to 26.10).
    """
    text = next((line.removeprefix(word).lstrip() for word in _LOGGING if line.startswith(word)), "")
    if text.startswith("{"):
        return not text[_end_of_braces(text) :].strip()
    return bool(text) and len(text.split()) == 1


def leaves_braces_open(line: str) -> bool:
    """Return whether a line is a comment whose braces a later line was meant to close: VPP runs what is between."""
    text = line.removeprefix("comment").lstrip()
    return line.startswith("comment") and text.startswith("{") and text.count("{") > text.count("}")


def _end_of_braces(text: str) -> int:
    """Return where the braces end that a text begins with."""
    depth = 0
    for position, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return position + 1
    return len(text)


def is_inexpressible(command: str, words: Words) -> bool:
    """Return whether no configuration can express a command that a simulated VPP carries out."""
    match = _VPN_LABEL.fullmatch(" ".join(words)) if command == "mpls local-label" else None
    return command in INEXPRESSIBLE and (match is None or int(match["first"] or match["second"]) not in LABELS)


def unsupported_reason(command: str) -> str:
    """Return why no configuration can express what a command does."""
    if command in INEXPRESSIBLE:
        return INEXPRESSIBLE[command]
    found = next((why for word, why in _WHY_NOT if word in f"{command} "), None)
    return found or f"vppcfg has no key for `{command}`"


def interfaces_in(command: str, words: Words) -> list[str]:
    """Return the interfaces that a command names and that must exist before it runs."""
    finders = (_INTERFACES.get(command), _SECOND_INTERFACES.get(command))
    found = [find(words) for find in finders if find is not None]
    found += _hops(words) if command in _WITH_PATHS else ()
    return [name for name in found if name is not None and not name.isdecimal()]


def is_port(name: str) -> bool:
    """Return whether a name can be that of a port, which no command makes; `all` stands for no port in VPP."""
    return name != "all" and not is_made(name) and INTERFACES.kind_of(name) is InterfaceKind.PHYSICAL


UNSUPPORTED_PATH_WORDS = frozenset(
    {"l2-input-on", "mpls-lookup-in-table", "pop-pw-cw", "rx-ip4", "rx-ip6", "src-lookup", "udp-encap", "via-label"}
)
"""Words of a path that VPP takes and that no file can express."""
_MROUTE_FLAGS = frozenset(
    {
        *("Accept-all-itf", "Connected", "Don't-Preserve", "Drop", "Exclusive", "Inherit-Accept", "Negate-Signal"),
        *("Signal", "Signal-Present", "A", "AA", "C", "D", "DP", "E", "F", "IA", "NS", "S", "SP"),
    }
)
"""Flags of multicast routes and their interfaces that are not simulated (vnet/mfib/mfib_types.h)."""
_UNSUPPORTED_WORDS: Mapping[str, frozenset[str]] = {
    "abf policy": UNSUPPORTED_PATH_WORDS,
    **dict.fromkeys(("configure policer", "policer add"), frozenset({"color-aware", "eb", "eir", "index"})),
    "set policer classify": frozenset({"l2-table"}),
    "ip mroute": UNSUPPORTED_PATH_WORDS | _MROUTE_FLAGS | {"gcount", "rpf-id", "scount"},
    "ip route": UNSUPPORTED_PATH_WORDS | {"classify", "null"},
    "nat44 add static mapping": frozenset({"exact"}),
    "set acl-plugin acl": frozenset({"count"}),
    "set ip neighbor": frozenset({"flush"}),
    **{kind.command: kind.unsupported_words for kind in VIRTUAL_INTERFACES if kind.command},
}
"""Words that VPP takes in a command and that are neither simulated nor in any file."""


_COUNTED = re.compile(r"\bcount (?P<last>\d{1,20})")
_MANY = {
    **dict.fromkeys(("ip route", "set ip neighbor"), _COUNTED),
    "create sub-interfaces": re.compile(r"(?<= )(?P<first>\d{1,20}) ?- ?(?P<last>\d{1,20})"),
}
_MOST_AT_ONCE = 10_000
"""Routes, neighbours or sub-interfaces of one line that are simulated, which takes some 10 s."""


def first_unsupported_word(command: str, words: Words) -> str | None:
    """Return the first word of a command that VPP takes and that no file can express, None when there is none."""
    if command == "mpls local-label":  # of a prefix, of which VPP reports nothing
        is_of_prefix = next((word for word in words if "/" in word and _is_address(word)), None)
        return is_of_prefix or next((word for word in words if word in UNSUPPORTED_PATH_WORDS), None)
    many = _MANY[command].search(" ".join(words)) if command in _MANY else None
    if many is not None and int(many["last"]) - int(many.groupdict().get("first", 0)) > _MOST_AT_ONCE:
        return many[0].strip()
    if command in _KNOWN_WORDS:
        text = " ".join(words)
        known = _KNOWN_WORDS[command].match(text)
        rest = text[known.end() if known is not None else 0 :].split()
        return next((word for word in rest if word not in {"mask", "match"}), None)
    return next((word for word in words if word in _UNSUPPORTED_WORDS.get(command, ())), None)


_TYPED_BITS = r"(?:hex [0-9a-f]+|l3 ip[46] (?:src|dst))"
_KNOWN_WORDS = {
    "classify session": re.compile(
        r"(?:(?:del|(?:policer-hit-next|table-index) \S+|(?:conform|exceed)-color|"
        rf"match {_TYPED_BITS}(?: [0-9a-f]*[.:][0-9a-f.:]*)?)(?: |$))*"
    ),
    "classify table": re.compile(rf"(?:(?:mask {_TYPED_BITS}|(?:buckets|next-table) \d+|memory-size \d+[MG])(?: |$))*"),
}
"""What of a command is simulated, of those with many words that no file can express."""

_REQUIRED_WORDS: Mapping[str, tuple[str, ...]] = {
    "packet-generator new": ("data", "pcap"),
    "set interface feature": ("arc",),
}
"""Words without one of which VPP refuses a command (new_stream, set_interface_features_command_fn)."""


def lacking_word(command: str, words: Words) -> str | None:
    """Return the word that a command which is not simulated needs and lacks, None when it lacks none."""
    needed = _REQUIRED_WORDS.get(command, ())
    return needed[0] if needed and not set(needed) & set(words) else None


_UNREPORTED: Mapping[str, Mapping[str, str]] = {
    kind.command: kind.unreported_words for kind in VIRTUAL_INTERFACES if kind.command
}
"""Words of commands that make ports, which no file can express because VPP does not report them, and their defaults."""


def exceeds_file(command: str, text: str) -> bool:
    """Return whether a command makes a port with something that no file can express."""
    defaults = _UNREPORTED.get(command, {})
    return any(
        word in defaults and following != (defaults[word] or None) for word, following in pairwise((*text.split(), ""))
    )


def unreported_reason(command: str, text: str) -> str | None:
    """Return why no file can express what a command sets beside what VPP reports, None where it sets nothing more."""
    if command == "set interface state" and text.split()[-1] == "punt":
        return "VPP does not report that a port punts, so no file can express it"
    if exceeds_file(command, text):
        return "it creates the port with settings that VPP does not report, so no file can express it"
    return None


def interface_created_by(command: str, words: Words) -> str | None:
    """Return the name of the port that a command makes without printing it, None for any other command."""
    if command != "create interface memif":
        return None
    numbers = [words[words.index(word) + 1] if word in words[:-1] else "0" for word in ("socket-id", "id")]
    return f"memif{numbers[0]}/{numbers[1]}"


def _outer_interface(words: Words) -> str | None:
    """Return the interface whose address a mapping of NAT44 has outside."""
    name = behind("external")(words)
    return None if name is None or _is_address(name) else name


_HOP_WORDS = frozenset(
    {
        *("blackhole", "classify", "drop", "dvr", "interface-rx", "ip4", "ip4-lookup-in-table", "ip6"),
        *("ip6-lookup-in-table", "l2-input-on", "local", "lookup", "mpls", "mpls-lookup-in-table", "next-hop-table"),
        *("null-send-prohibit", "null-send-unreach", "out-labels", "pop-pw-cw", "preference", "prohibit", "punt"),
        *("receive", "resolve-via-attached", "resolve-via-host", "rx-ip4", "rx-ip6", "special", "src-lookup"),
        *("table", "udp-encap", "unreachable", "via-label", "weight"),
    }
)
"""Words of a path of a route (unformat_fib_route_path in vnet/fib/fib_types.c)."""


_WITH_PATHS = frozenset(
    {
        *("abf policy", "ip mroute", "ip punt redirect", "ip route", "ip6 punt redirect", "l3xc", "mpls local-label"),
        "mpls tunnel",
    }
)
"""Commands with paths, each behind `via`."""


def _hops(words: Words) -> Iterator[str]:
    """Yield the interfaces of paths, by themselves or behind the address of the next hop."""
    for place in (place for place, word in enumerate(words) if word == "via"):
        path = list(words[place + 1 : place + 3])
        if path and _is_address(path[0]):
            path = path[1:]
        if path and path[0] not in _HOP_WORDS and path[0] != "via" and not _is_address(path[0]):
            yield path[0]


def _is_address(word: str) -> bool:
    return word[:1].isdecimal() or ":" in word


_VXLAN_WORDS = frozenset(
    {"decap-next", "del", "dst", "dst_port", "encap-vrf-id", "group", "instance", "l3", "src", "src_port", "vni"}
)
"""Words of `create vxlan tunnel` (vxlan_add_del_tunnel_command_fn)."""


def _group_port(words: Words) -> str | None:
    """Return the interface behind the multicast group of a VXLAN tunnel."""
    name = next(iter(words[words.index("group") + 2 :]), None) if "group" in words else None
    return None if name in _VXLAN_WORDS else name


_INTERFACES: Mapping[str, Callable[[Words], str | None]] = {
    "set interface state": first,
    "set interface mtu": last,
    "set interface mac address": first,
    "set interface name": first,
    "set interface tag": first,
    "set interface ip address": after("del"),
    "set interface ip table": first,
    "set interface ip6 table": first,
    "set interface unnumbered": after("del"),
    "set interface l2 bridge": first,
    "set interface l2 xconnect": first,
    "set interface l2 tag-rewrite": first,
    "l2fib add": lambda words: words[2] if words[2:] and words[2] != "filter" else None,
    "set interface l3": first,
    "ip6 nd": first,
    "enable ip6 interface": first,
    "ip6 nd address autoconfig": first,
    "disable ip6 interface": first,
    "set interface bond": first,
    "set acl-plugin interface": first,
    "set acl-plugin macip interface": first,
    "set ip neighbor": beside(NEIGHBOR_WORDS, "count"),
    "create vxlan tunnel": _group_port,
    "abf attach": last,
    "ip punt redirect": behind("rx"),
    "ip6 punt redirect": behind("rx"),
    "l3xc": beside(frozenset({"add", "del", "ip4", "ip6"})),
    "nat44 add identity mapping": _outer_interface,
    "nat44 add static mapping": _outer_interface,
    "qos mark": second,
    "qos record": second,
    "qos store": second,
    "set interface ipsec spd": first,
    "set interface l2 flood": first,
    "set interface l2 forward": first,
    "set interface l2 learn": first,
    "set ip6 nd proxy": first,
    "set ip classify": behind("intfc"),
    "set ip6 classify": behind("intfc"),
    "set policer classify": behind("interface"),
    "clear interface tag": first,
    "test l2patch": behind("rx"),
    "nat44 add interface address": first,
    "set interface det44": behind("inside"),
    "set interface nat44": behind("in"),
    "vrrp vr add": first,
    "set interface rx-mode": first,
    "set interface rx-placement": placed_port,
    "set interface tx-queue": placed_port,
    "set dhcp client": behind("intfc"),
    "create sub-interfaces": first,
    "bond add": second,
    "bond del": first,
    "lcp create": paired,
    **{kind.command: beside(kind.command_words, kind.valued_word) for kind in FEATURE_KINDS if kind.command},
}
"""Finds among the words behind a command the interface that must be there before; None where none is named."""


_SECOND_INTERFACES: Mapping[str, Callable[[Words], str | None]] = {
    "set interface l2 xconnect": lambda words: words[1] if words[1:] else None,
    "set interface nat44": behind("out"),
    "set interface det44": behind("outside"),
    "set interface span": behind("destination"),
    "test l2patch": behind("tx"),
    "set interface unnumbered": behind("use"),
}
"""Where commands have the other one of two interfaces."""
