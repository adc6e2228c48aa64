"""Checks FRR's configuration by `vtysh -C`; compares and loads it by FRR's frr-reload.py (package frr-pythontools)."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from vppcfg.common.addresses import canonical_host
from vppcfg.common.bounded_command import CommandResult
from vppcfg.model.routing import RoutingFile
from vppcfg.routing_daemons.daemon import (
    KEPT_BYTES,
    Adjacency,
    DaemonRoute,
    RoutingDifference,
    RoutingImpact,
    RunningText,
    SessionImpact,
    pinned_folder,
    run_bounded,
    staged,
    why_failed,
    write_like,
)
from vppcfg.routing_daemons.secrets import hide_in_frr

_NEIGHBOR = re.compile(r"(no )?neighbor (?P<peer>\S+)(?: (?P<what>\S+))?(?: (?P<value>\S+))?")
_HARMLESS = frozenset({"description"})
_SOFT = frozenset(
    {
        *("route-map", "prefix-list", "filter-list", "distribute-list", "unsuppress-map", "advertise-map"),
        *("soft-reconfiguration", "next-hop-self", "send-community", "weight", "default-originate", "as-override"),
        *("allowas-in", "remove-private-AS", "attribute-unchanged", "advertisement-interval"),
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
    if what in _SOFT or (what == "maximum-prefix" and sign == "-"):
        text = f"the BGP session with {peer} {_STAYS}"
        yield RoutingImpact(level=SessionImpact.POLICY, text=text)
    elif what == "maximum-prefix":  # bgpd looks at once at what there is (peer_maximum_prefix_set, bgpd/bgpd.c)
        yield _sessions(f"the BGP session with {peer} ends if the neighbour has sent more (`{what}`)")
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


VTYSH = "vtysh"
RELOAD = "/usr/lib/frr/frr-reload.py"
_QUICK_S = 20.0
"""For what only asks."""
_PROMPT = re.compile(r"(no )?hostname \S+")
"""The name in the prompt: vtysh shows that of the machine whatever is configured, so it would differ for ever."""
_FORWARDING_ON = re.compile(r"(ip|ipv6) forwarding")
_RELOAD_ERROR = re.compile(r"^.*\bERROR\S*:\s*")
_HEADS = {"Lines To Delete": "-", "Lines To Add": "+"}
_NEEDS = tuple(
    (daemon, re.compile(rf"^[ \t]*(?:{commands})", re.MULTILINE))
    for daemon, commands in (
        ("bgpd", r"router bgp\b"),
        ("ospfd", r"router ospf\b|ip ospf "),
        ("ospf6d", r"router ospf6\b|ipv6 ospf6 "),
        ("isisd", r"router isis\b|ip(?:v6)? router isis "),
        ("fabricd", r"router openfabric\b|ip(?:v6)? router openfabric "),
        ("ripd", r"router rip\b|ip rip "),
        ("ripngd", r"router ripng\b|ipv6 ripng "),
        ("eigrpd", r"router eigrp\b"),
        ("babeld", r"router babel\b|babel "),
        ("staticd", r"ip(?:v6)? route "),
        ("bfdd", r"bfd$|(?:neighbor \S+|ip ospf|ipv6 ospf6|isis|ip pim) bfd\b"),
        ("ldpd", r"mpls ldp\b"),
        ("pbrd", r"pbr-map\b|pbr-policy "),
        ("pathd", r"traffic-eng\b"),
        ("vrrpd", r"vrrp \d"),
        ("pimd", r"router pim$|router pim vrf |ip (?:pim|igmp|msdp)\b"),
        ("pim6d", r"router pim6\b|ipv6 (?:pim|mld)\b"),
        ("nhrpd", r"ip(?:v6)? nhrp\b"),
    )
)
"""The daemon of FRR that each part of a configuration needs: vtysh passes over lines for one that does not run."""
_MAIN_TABLE = 254
"""RT_TABLE_MAIN (linux/rtnetlink.h), which is VPP's table 0 (linux-cp/lcp_router.c)."""
_DELAY = re.compile(r"^ *(?:bgp|zebra) route-map delay-timer (\d{1,3})\b", re.MULTILINE)
_ROUTE_MAP_DELAY_S = 5.0
_ISIS_HOLD_S = 30.0
"""By default: three hellos of 10 s (isisd/isis_constants.h); FRR shows only how much of it is left."""
_HEADER = ("Building configuration...", "Current configuration:")


class Frr:
    """One instance of FRR."""

    def __init__(self, file: RoutingFile, *, reload_program: str = RELOAD) -> None:
        self._file = file
        self._reload = reload_program
        self._space = ("-N", file.pathspace) if file.pathspace else ()

    def check(self, text: str) -> list[str]:
        """Return the lines that vtysh does not know; no daemon has to run."""
        with staged(text, self._file.startup) as (path, trouble):
            if trouble:
                return [trouble]
            ran = run_bounded([VTYSH, *self._space, "-C", "-f", path], self._file.within_s)
        if not ran.trouble:
            return []
        lines = [line.strip() for line in ran.output.decode(errors="replace").splitlines()]
        return [hide_in_frr(line) for line in lines if line.startswith("line ")] or [why_failed(ran)]

    def why_unfit(self, text: str) -> str:
        """Return why FRR cannot load a configuration now: it is down, or lacks a program or daemon; '' when it can."""
        if not os.path.exists(self._reload):
            return f"{self._reload} is missing, which compares and loads it: `apt-get install frr-pythontools`"
        ran = run_bounded([VTYSH, *self._space, "-c", "show daemons"], _QUICK_S)
        if ran.trouble:
            return f"FRR does not answer: {why_failed(ran)}"
        there = set(ran.output.decode(errors="replace").split())
        missing = [daemon for daemon, need in _NEEDS if daemon not in there and need.search(text)]
        if missing:
            folder = os.path.dirname(self._file.startup)
            return f"{', '.join(missing)} does not run; set it to yes in {folder}/daemons and restart FRR"
        return ""

    def running(self) -> RunningText:
        """Return `show running-config`, without what vtysh writes around it."""
        ran = run_bounded([VTYSH, *self._space, "-c", "show running-config"], _QUICK_S, has_errors=False)
        if ran.trouble:
            return RunningText(trouble=f"FRR does not answer: {why_failed(ran)}")
        lines = ran.output.decode(errors="surrogateescape").split("\n")
        kept = [line for line in lines if line.strip() not in (*_HEADER, "end")]
        return RunningText(text="\n".join(kept).strip("\n") + "\n")

    def difference(self, text: str, loaded: str = "") -> RoutingDifference | str:
        """Return what a reload would delete and add, by `frr-reload.py --test`, or why that is not known.

        FRR reports what it runs, so `loaded` has no effect.
        """
        with staged(text, self._file.startup) as (path, trouble):
            if trouble:
                return trouble
            ran = run_bounded([*self._command("--test"), path], self._file.within_s, has_errors=False)
            if ran.trouble:  # once more, with what it prints as errors, which the difference must not have
                again = run_bounded([*self._command("--test"), path], self._file.within_s)
                return f"frr-reload.py cannot compare it: {why_failed(again)}"
        found = list(_effective(_parts(ran.output.decode(errors="replace"))))
        return RoutingDifference(
            lines=tuple(f"{sign} {hide_in_frr(line)}" for sign, line in once_opened(found)), impacts=impacts_of(found)
        )

    def load(self, text: str, confirm_s: float | None) -> str:
        """Reload by frr-reload.py, which sends only what differs; return what went wrong, '' when nothing has.

        FRR does not go back by itself, so `confirm_s` has no effect. frr-reload.py ends with `write`, which changes the
        startup file, unless what it loads is called frr.conf and stands in its --confdir.
        """
        if trouble := self.why_unfit(text):
            return trouble
        startup = self._file.startup
        try:
            with pinned_folder(os.path.dirname(startup)) as folder:
                path = f"{folder}/frr.conf"
                # vtysh complains of a folder without vtysh.conf each time that it is run.
                for name, content in (("vtysh.conf", ""), ("frr.conf", text)):
                    if trouble := write_like(f"{folder}/{name}", content, startup):
                        return trouble
                command = [*self._command("--reload"), "--confdir", folder, "--stdout", path]
                ran = run_bounded(command, self._file.within_s)
        except OSError as error:
            return f"cannot write beside {startup}: {error.strerror}"
        return f"FRR did not take its configuration: {_why_not_loaded(ran)}" if ran.trouble else ""

    def confirm(self) -> str:
        """Return '' and do nothing: what `load` has loaded stays in any case."""
        return ""

    def routes(self) -> list[DaemonRoute] | str:
        """Return what zebra has chosen and put into Linux, or why that is not known.

        Connected and local routes, and those that it has from the kernel, are left out.
        """
        found: list[DaemonRoute] = []
        for family in ("ip", "ipv6"):
            words = [VTYSH, *self._space, "-c", f"show {family} route vrf all json"]
            ran = run_bounded(words, self._file.within_s, has_errors=False)
            if ran.trouble:
                return f"FRR does not answer: {why_failed(ran)}"
            if ran.lost_bytes:
                return f"FRR has so many routes that its list is longer than the {KEPT_BYTES >> 20} MB that are read"
            try:
                found += _installed(json.loads(ran.output or b"{}"))
            except (AttributeError, TypeError, ValueError, RecursionError):
                return "FRR's list of routes is not as zebra writes it"
        return found

    def adjacencies(self) -> list[Adjacency]:
        """Return the BGP sessions that are established, and the OSPF and IS-IS neighbours."""
        found: list[Adjacency] = []
        for command, read in _ADJACENCIES:
            ran = run_bounded([VTYSH, *self._space, "-c", f"{command} json"], _QUICK_S, has_errors=False)
            with suppress(AttributeError, KeyError, TypeError, ValueError, RecursionError):
                found += read(json.loads(ran.output or b"{}"))
        return found

    def delay_s(self, text: str) -> float:
        """Return the longest delay of route-maps, 5 s by default (bgpd/bgp_vty.c, zebra/zebra_routemap.c)."""
        return max([_ROUTE_MAP_DELAY_S, *(float(found[1]) for found in _DELAY.finditer(text))])

    def _command(self, what: str) -> Sequence[str]:
        return [self._reload, what, "--log-level", "error", *self._space]


def _parts(output: str) -> Iterator[tuple[str, str]]:
    """Yield each line that a reload deletes (-) or adds (+), in its order."""
    sign = ""
    for line in output.splitlines():
        if line.strip() in _HEADS:
            sign = _HEADS[line.strip()]
        elif sign and line.strip() and not set(line.strip()) <= {"="}:
            yield sign, line.rstrip()


def _why_not_loaded(ran: CommandResult) -> str:
    """Return the first error of frr-reload.py with the answer of FRR below it; what it prints last may be another."""
    lines = [line.strip() for line in ran.output.decode(errors="replace").splitlines() if line.strip()]
    errors = [place for place, line in enumerate(lines) if _RELOAD_ERROR.search(line)]
    if not errors:
        return why_failed(ran)
    said = (_RELOAD_ERROR.sub("", line) for line in lines[errors[0] : errors[0] + 2])
    return f"{ran.trouble}: {hide_in_frr('; '.join(said))}"


def _effective(parts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a difference without those that would differ for ever.

    That is the name in the prompt, and forwarding that is on already: FRR reports of it only that it is off.
    """
    found = list(parts)
    for sign, line in found:
        is_on = sign == "+" and _FORWARDING_ON.fullmatch(line) and ("-", line) not in found
        if not is_on and not _PROMPT.fullmatch(line):
            yield sign, line


def once_opened(lines: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield lines without those that open again what is open: a reload opens `router bgp` for each of its lines."""
    opened = None
    for sign, line in lines:
        if line.strip().startswith("exit"):
            continue
        if not line.startswith(" "):
            is_open, opened = opened == (sign, line), (sign, line) if is_opening(line) else None
            if is_open:
                continue
        yield sign, line


def _installed(document: Any) -> Iterator[DaemonRoute]:
    """Yield the installed routes in zebra's document: a mapping of prefixes, or one of VRFs to such mappings."""
    for key, value in document.items() if isinstance(document, dict) else ():
        if isinstance(value, dict):
            yield from _installed(value)
            continue
        for route in value if isinstance(value, list) else ():
            is_own = route.get("protocol") in {"connected", "local", "kernel"}
            if route.get("selected") and route.get("installed") and not is_own:
                table = int(route.get("table") or 0)
                hops = [hop for hop in route.get("nexthops", ()) if hop.get("fib")]
                yield DaemonRoute(
                    prefix=str(route.get("prefix", key)),
                    table_id=0 if table == _MAIN_TABLE else table,
                    devices=frozenset(str(hop["interfaceName"]) for hop in hops if "interfaceName" in hop),
                )


def _dictionaries(value: Any, key: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object of a document with its key, those in lists with the key of the list, the outer ones first."""
    if isinstance(value, dict):
        yield key, value
        for name, each in value.items():
            yield from _dictionaries(each, name)
    for each in value if isinstance(value, list) else ():
        yield from _dictionaries(each, key)


def _bgp_sessions(document: Any) -> Iterator[Adjacency]:
    """Yield the sessions of `show bgp vrf all neighbors`; one without an address goes by its device."""
    for name, found in _dictionaries(document):
        if found.get("bgpState") == "Established" and (hold_s := found["bgpTimerHoldTimeMsecs"] / 1000):
            peer = canonical_host(name) or ""
            yield Adjacency(text=f"BGP with {name}", hold_s=hold_s, peer=peer, device="" if peer else name)


def _ospf_neighbors(title: str, key: str, document: Any) -> Iterator[Adjacency]:
    """Yield the interfaces on which a version of OSPF runs, with the time after which a silent neighbour is gone."""
    for name, found in _dictionaries(document):
        if key in found:
            yield Adjacency(text=f"{title} on {name}", hold_s=float(found[key]), device=name)


def _isis_neighbors(document: Any) -> Iterator[Adjacency]:
    for _, found in _dictionaries(document):
        if "expires-in" in found:
            name, left_s = found["interface"]["name"], float(found["expires-in"].removesuffix("s"))
            yield Adjacency(text=f"IS-IS on {name}", hold_s=max(_ISIS_HOLD_S, left_s), device=name)


_ADJACENCIES: Sequence[tuple[str, Callable[[Any], Iterable[Adjacency]]]] = (
    ("show bgp vrf all neighbors", _bgp_sessions),
    ("show ip ospf vrf all interface", partial(_ospf_neighbors, "OSPF", "timerDeadSecs")),
    ("show ipv6 ospf6 vrf all interface", partial(_ospf_neighbors, "OSPFv3", "timerIntervalsConfigDead")),
    ("show isis vrf all neighbor detail", _isis_neighbors),
)
