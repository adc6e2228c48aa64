"""What a command of VPP's CLI sets: of two that set the same, the later one counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vppcfg.adopt.words import NEIGHBOR_WORDS, Words, after, behind, beside, first, other_words, paired, second
from vppcfg.common.addresses import is_link_local
from vppcfg.common.numbers import whole_number
from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.placement import RX_KEY, TX_KEY
from vppcfg.kinds.feature_list import FEATURE_KINDS

Place = tuple[str, ...]
"""What a command sets."""
PLACING = {"set interface rx-placement": RX_KEY, "set interface tx-queue": TX_KEY}
"""Commands that place a queue of a port, and its key."""


def place_of(command: str, words: Words) -> Place | None:
    """Return what a command sets, None for one that is never overtaken by another."""
    if command in _OF_ALL:
        return (command,)
    find = _PLACES.get(command)
    return None if find is None else find(words)


def also_set_by(place: Place) -> Place | None:
    """Return what a command sets beside a place: the MTU of an interface is that of its packets too."""
    return ("packet mtu", *place[1:]) if place[0] == "mtu" else None


def placed_port(words: Words) -> str | None:
    """Return the port among the words of a command that places a queue, which come in any order."""
    rest = iter(words)
    for word in rest:
        if word in {"queue", "worker", "threads"}:
            next(rest, None)
        elif word != "main":
            return word
    return None


def queue_in(words: Words) -> int:
    """Return the queue that a command places: the first one where it names none."""
    given = words[words.index("queue") + 1] if "queue" in words[:-1] else "0"
    return whole_number(given) or 0


def _queue(key: str) -> Callable[[Words], Place | None]:
    def place(words: Words) -> Place | None:
        name = placed_port(words)
        return None if name is None else (key, name, str(queue_in(words)))

    return place


def _on(attribute: str, find: Callable[[Words], str | None]) -> Callable[[Words], Place | None]:
    """Return what names one attribute of the interface that a command names."""

    def place(words: Words) -> Place | None:
        name = find(words)
        return None if name is None else (attribute, name)

    return place


def _mtu(words: Words) -> Place | None:
    return ("mtu" if len(words) == 2 else f"{words[0]} mtu", words[-1]) if len(words) > 1 else None


def _address(words: Words) -> Place | None:
    left = [word for word in words if word != "del"]
    if len(left) == 2 and is_link_local(left[1]):
        return "link-local", left[0]
    return ("address", left[0], left[1]) if len(left) == 2 and left[1] != "all" else None


def _neighbor(words: Words) -> Place | None:
    left = other_words(words, NEIGHBOR_WORDS, "count")
    return ("neighbor", left[0], left[1]) if len(left) > 1 else None


def _given_mac(words: Words) -> Place | None:
    return ("mac", words[0], words[1]) if len(words) > 1 else None


def _of_domain(attribute: str) -> Callable[[Words], Place | None]:
    return lambda words: ("bridge-domain", attribute, words[0]) if words else None


def _same_words(command: str) -> Callable[[Words], Place | None]:
    """Return what names what a command sets by its words, whatever the numbers behind them are."""
    return lambda words: (command, *(word for word in words if not word.isdecimal()))


def _switched(command: str) -> Callable[[Words], Place | None]:
    """Return what names what a command switches on or off, or adds and takes away again."""
    return lambda words: (command, *(word for word in words if word not in _SWITCHING))


def _rx_mode(words: Words) -> Place | None:
    return ("rx-mode", words[0], *(words[1:3] if words[1:2] == ["queue"] else ())) if words else None


def _mirror(words: Words) -> Place | None:
    target = behind("destination")(words)
    return None if target is None else ("mirror", *sorted({"l2"}.intersection(words)), words[0], target)


def _feature(kind: FeatureKind[Any], apart: frozenset[str]) -> Callable[[Words], Place | None]:
    """Return what names a feature of an interface, with the words by which its command sets something else."""
    interface = beside(kind.command_words, kind.valued_word)

    def place(words: Words) -> Place | None:
        name = interface(words)
        return None if name is None else (kind.command, name, *sorted(apart.intersection(words)))

    return place


_SWITCHING = frozenset({"add", "del", "delete", "disable", "enable"})
_SWITCHES = (
    *("abf attach", "nat44 forwarding", "set acl-plugin interface", "set arp proxy", "set interface nat44"),
    "set ip6 nd proxy",
)
_BY_THEIR_WORDS = ("set nat timeout", "set det44 timeouts", "nat mss-clamping", "ip6 nd")
_OF_ALL = frozenset(
    {
        *("flowprobe params", "lcp default", "lcp lcp-auto-subint", "lcp lcp-sync", "set ipfix exporter"),
        *("sflow direction", "sflow header-bytes", "sflow polling-interval", "sflow sampling-rate"),
    }
)
"""Commands that set one thing of all of VPP."""
_LLDP_WORDS = frozenset({"system-name", "tx-hold", "tx-interval"})
_PLACES: Mapping[str, Callable[[Words], Place | None]] = {
    **{command: _same_words(command) for command in _BY_THEIR_WORDS},
    **{command: _switched(command) for command in _SWITCHES},
    **{kind.command: _feature(kind, kind.command_apart) for kind in FEATURE_KINDS if kind.command_apart is not None},
    "ip punt redirect": _on("ip punt", behind("rx")),
    "ip6 punt redirect": _on("ip6 punt", behind("rx")),
    "qos egress map": lambda words: ("qos egress map", *(word.partition("=")[0] for word in words)),
    "set interface rx-mode": _rx_mode,
    "set interface span": _mirror,
    "set lldp": lambda words: ("set lldp", *sorted(_LLDP_WORDS.intersection(words))),
    "qos store": lambda words: ("qos store", *words[:2]),
    "qos mark": lambda words: ("qos mark", *words[:2]),
    "set interface state": _on("state", first),
    "set interface mtu": _mtu,
    "set interface mac address": _on("mac", first),
    "set interface tag": _on("tag", first),
    "clear interface tag": _on("tag", first),
    "set interface ip address": _address,
    "set interface ip table": _on("table", first),
    "set interface ip6 table": _on("table6", first),
    "set interface unnumbered": _on("unnumbered", after("del")),
    "set interface l2 bridge": _on("mode", first),
    "set interface l2 xconnect": _on("mode", first),
    "set interface l3": _on("mode", first),
    "set interface l2 tag-rewrite": _on("rewrite", first),
    **{command: _queue(key) for command, key in PLACING.items()},
    "set interface bond": _on("weight", first),
    "set ip neighbor": _neighbor,
    "l2fib add": _given_mac,
    "l2fib del": _given_mac,
    "set bridge-domain learn": _of_domain("learn"),
    "set bridge-domain forward": _of_domain("forward"),
    "set bridge-domain flood": _of_domain("flood"),
    "set bridge-domain uu-flood": _of_domain("uu-flood"),
    "set bridge-domain arp term": _of_domain("arp term"),
    "set bridge-domain arp-ufwd": _of_domain("arp-ufwd"),
    "set bridge-domain mac-age": _of_domain("mac-age"),
    "lcp create": _on("lcp", paired),
    "lcp delete": _on("lcp", first),
    "bond add": _on("member", second),
    "bond del": _on("member", first),
}
"""Finds among the words behind a command what it sets."""
