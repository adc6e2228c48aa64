"""What a reload of FRR does to its sessions and routes, from the lines that frr-reload.py would delete and add.

Of a neighbour of BGP only what is listed as harmless or soft counts as that; whatever else changes counts as a session
that begins anew. What belongs to nothing that is known here is reported as unknown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from vppcfg.routing_daemons.daemon import RoutingImpact, SessionImpact
from vppcfg.routing_daemons.secrets import hide_in_frr

_NEIGHBOR = re.compile(r"(no )?neighbor (?P<peer>\S+)(?: (?P<what>\S+))?(?: (?P<value>\S+))?")
_HARMLESS = frozenset({"description"})
_SOFT = frozenset(
    {
        *("route-map", "prefix-list", "filter-list", "distribute-list", "unsuppress-map", "advertise-map"),
        *("soft-reconfiguration", "next-hop-self", "send-community", "weight", "default-originate", "as-override"),
        *("allowas-in", "remove-private-AS", "attribute-unchanged", "maximum-prefix", "advertisement-interval"),
    }
)
"""Of BGP: routes are refreshed, the session stays."""
_BGP_RESETS = re.compile(r"(no )?bgp (router-id|cluster-id|confederation|listen range)\b")
_BGP_SOFT = re.compile(
    r"(no )?(network|redistribute|aggregate-address|maximum-paths|distance|table-map|bgp (bestpath|dampening|default "
    r"local-preference|always-compare-med|deterministic-med|ebgp-requires-policy)|"
    r"timers bgp|import|export|label|rd|rt|nexthop|route-map)\b"
)
_IGP = re.compile(r"router (ospf6?|isis|rip|ripng|eigrp|babel)\b")
_IGP_OF_INTERFACE = re.compile(r"(no )?(ip|ipv6) (ospf6?|router isis|rip|eigrp)\b|(no )?isis\b")
_POLICY = re.compile(
    r"(no )?(route-map|(ip|ipv6) (prefix-list|access-list)|access-list|bgp (as-path|community-list|large-community-list"
    r"|extcommunity-list)|match|set|on-match|call|continue)\b"
)
_ROUTE = re.compile(r"(?:no )?(?P<family>ip|ipv6) route (?P<prefix>\S+)")
_NOTHING = re.compile(
    r"(no )?(hostname|log|frr (version|defaults)|service|line|banner|debug|description|domainname|exit|end)\b|!|exit-"
)
_FORWARDING = re.compile(r"(?:no )?(ip|ipv6) forwarding")
_OPENING = re.compile(r"(router |interface |vrf |address-family |key chain |bfd$|pbr-map |mpls ldp$)")
_ENDS, _BEGINS, _STAYS = "ends", "begins, or restarts if it exists", "stays, and its routes are exchanged again"
_SESSION = re.compile(r"the BGP session with (\S+) (.*)")
_SHUTDOWN = re.compile(r"(no )?shutdown\b")


def impacts_of(lines: Iterable[tuple[str, str]]) -> tuple[RoutingImpact, ...]:
    """Return what the lines of a difference do, each as `-` or `+` and the line, the worst first, each once."""
    found: dict[str, SessionImpact] = {}
    context = ""
    for sign, line in lines:
        text = line.strip()
        if not line.startswith(" "):
            context = text
        if is_opening(text):
            continue
        for impact in _impact(sign, text, context if line.startswith(" ") else ""):
            found[impact.text] = max(impact.level, found.get(impact.text, SessionImpact.NONE))
    found = _one_of_each_session(found)
    return tuple(
        RoutingImpact(level=level, text=text)
        for text, level in sorted(found.items(), key=lambda each: (-each[1], each[0]))
        if level is not SessionImpact.NONE
    )


def _one_of_each_session(found: dict[str, SessionImpact]) -> dict[str, SessionImpact]:
    """Return impacts with what outweighs the rest of each BGP session: all lines of a peer that goes are deleted."""
    ends: dict[str, set[str]] = defaultdict(set)
    for peer, end in (match.groups() for text in found if (match := _SESSION.fullmatch(text))):
        ends[peer].add(end)
    joined = {text: level for text, level in found.items() if not _SESSION.fullmatch(text)}
    for peer, of_peer in ends.items():
        if {_ENDS, _BEGINS} <= of_peer:
            of_peer = {"restarts"}
        kept = of_peer & {_ENDS} or of_peer & {_BEGINS} or of_peer - {_STAYS} or of_peer
        for end in kept:
            level = SessionImpact.POLICY if end == _STAYS else SessionImpact.SESSIONS
            joined[f"the BGP session with {peer} {end}"] = level
    return joined


def is_opening(text: str) -> bool:
    """Return whether a line only opens the context of those below it."""
    return _OPENING.match(text) is not None


def _impact(sign: str, text: str, context: str) -> Iterator[RoutingImpact]:
    if text.startswith("no router bgp"):
        yield _sessions(f"all BGP sessions of `{text[3:]}` end")
    elif found := _IGP.match(text.removeprefix("no ")):
        if text.startswith("no "):
            yield _sessions(f"all adjacencies of {found[1]} end")
    elif context.startswith("router bgp") or context.startswith("address-family"):
        yield from _bgp(sign, text)
    elif _IGP.match(context):
        yield _sessions(f"adjacencies and routes of {context.split()[1]} may change (`{hide_in_frr(text)}`)")
    elif found := _ROUTE.match(text):
        yield RoutingImpact(level=SessionImpact.POLICY, text=f"the static route to {found['prefix']} changes")
    elif _FORWARDING.match(text):
        yield RoutingImpact(level=SessionImpact.POLICY, text=f"forwarding by Linux changes (`{text}`)")
    elif _POLICY.match(text) or context.startswith("route-map"):
        yield RoutingImpact(level=SessionImpact.POLICY, text="policy changes: routes are chosen and announced again")
    elif context.startswith("interface"):
        yield from _of_interface(text, context.removeprefix("interface").strip())
    elif not _NOTHING.match(text):
        yield _unknown(text)


def _bgp(sign: str, text: str) -> Iterator[RoutingImpact]:
    found = _NEIGHBOR.match(text)
    if found is None:
        if _BGP_RESETS.match(text):
            yield _sessions(f"all BGP sessions restart (`{text}`)")
        elif _BGP_SOFT.match(text):
            yield RoutingImpact(level=SessionImpact.POLICY, text="BGP routes are chosen and announced again")
        elif not _NOTHING.match(text):
            yield _unknown(text)
        return
    peer, what = found["peer"], found["what"] or ""
    if what in _HARMLESS:
        return
    if what in _SOFT:
        text = f"the BGP session with {peer} {_STAYS}"
        yield RoutingImpact(level=SessionImpact.POLICY, text=text)
    elif what in {"remote-as", "peer-group", "interface", ""}:
        verb = _ENDS if text.startswith("no ") or sign == "-" else _BEGINS
        yield _sessions(f"the BGP session with {peer} {verb}")
    else:
        yield _sessions(f"the BGP session with {peer} restarts (`{what}`)")


def _of_interface(text: str, name: str) -> Iterator[RoutingImpact]:
    if _IGP_OF_INTERFACE.match(text):
        yield _sessions(f"adjacencies on {name} may restart (`{hide_in_frr(text)}`)")
    elif _SHUTDOWN.match(text):
        yield _sessions(f"{name} is set {'up' if text.startswith('no') else 'down'} in Linux")
    elif not _NOTHING.match(text):
        yield _unknown(f"{text} of {name}")


def _sessions(text: str) -> RoutingImpact:
    return RoutingImpact(level=SessionImpact.SESSIONS, text=text)


def _unknown(text: str) -> RoutingImpact:
    level = SessionImpact.UNKNOWN
    return RoutingImpact(level=level, text=f"what `{hide_in_frr(text)}` does to sessions is not known")
