"""Which commands of VPP's prompt have done already what they would do: a table of questions and what VPP shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

Answer = tuple[int, str]
"""VPP's return code and text."""
Ask = Callable[[str], Answer]
"""Runs a command of VPP's prompt."""

_ALREADY = re.compile(
    r"\balready\b|\balready in use\b|(?<!not )(?<!n't )\bexists?\b|\bduplicate\b"
    r"|(?<![-\w])-(81|101|116|119)\b",  # VALUE_EXIST, BFD_EEXIST, ENTRY_ALREADY_EXISTS, BD_ALREADY_EXISTS
    re.IGNORECASE,
)
_MISSING = re.compile(r"\b(not|n't|no)\b.{0,24}\b(exist|found|such)", re.IGNORECASE)
_SAYS_LITTLE = re.compile(r"(nat64|det44) plugin enable\b")
"""Refuse to be enabled twice with `plugin enable failed` (plugins/nat), and do so for no other reason."""


class Family(NamedTuple):
    """Commands whose effect is looked up."""

    pattern: re.Pattern[str]
    """Of the whole command; its groups fill in the other two."""
    question: str
    """What shows the effect."""
    shown: str
    """How the effect looks in the text that is shown, as a regular expression."""
    is_counted: bool = False
    """Whether each such command of a file has an effect of its own, so that there must be as many."""
    within: str = ""
    """The part of the text to look in, as a regular expression; '' for all of it."""


def _family(pattern: str, question: str, shown: str, *, is_counted: bool = False, within: str = "") -> Family:
    return Family(re.compile(pattern), question, shown, is_counted, within)


_ABF = r"^abf:.*policy:{policy} (?:.*\n?)+?(?=^abf:|\Z)"
"""A policy that gets a path which it has is broken: it goes on with a path list that is freed (abf_policy_update)."""


_STACKING = (
    _family(
        r"policer (?P<way>input|output) (?!unapply).*?(?P<interface>\S+)",
        "show interface {interface} features",
        r"^\s+(?:l2-)?policer-{way}\b|\(l2-policer-{way}\)",
    ),
    _family(
        r"set interface reassembly (?P<interface>\S+) on\b.*",
        "show interface {interface} features",
        r"^\s+ip6-full-reassembly-feature[\s\S]*?^\s+ip4-full-reassembly-feature",
    ),
    _family(
        r"set interface reassembly (?P<interface>\S+) ip4\b.*",
        "show interface {interface} features",
        r"^\s+ip4-full-reassembly-feature",
    ),
    _family(
        r"set interface reassembly (?P<interface>\S+) ip6\b.*",
        "show interface {interface} features",
        r"^\s+ip6-full-reassembly-feature",
    ),
    _family(
        r"lb set interface nat(?P<family>[46]) in (?P<interface>\S+)",
        "show interface {interface} features",
        r"^\s+lb-nat{family}-in2out",
    ),
    _family(
        r"set interface feature (?P<interface>\S+) (?P<node>\S+) arc (?P<arc>\S+)",
        "show interface {interface} features",
        r"^\s+{node}\b",
        within=r"^{arc}:\n(?:[ \t]+.*\n?)*",
    ),
    _family(r"qos record ip (?P<interface>\S+)", "show interface {interface} features", r"^\s+ip4-qos-record"),
    _family(r"qos record vlan (?P<interface>\S+)", "show interface {interface} features", r"^\s+vlan-ip4-qos-record"),
    _family(r"qos record mpls (?P<interface>\S+)", "show interface {interface} features", r"^\s+mpls-qos-record"),
    _family(r"qos store ip (?P<interface>\S+) value \S+", "show interface {interface} features", r"^\s+ip4-qos-store"),
    _family(
        r"nat44 add identity mapping (?P<address>\d\S*)(?: (?P<protocol>tcp|udp|icmp) (?P<port>\d+))?(?: vrf \d+)?",
        "show nat44 static mappings",
        r"identity mapping (?:\w+ )?{address}(?::{port})? vrf",
    ),
    _family(r"classify table (?!.*\b(?:del|table)\b).*", "show classify tables", r"^\s+nbuckets ", is_counted=True),
    _family(
        r"set acl-plugin acl (?!.*\bindex\b).*\btag (?P<tag>\S+).*",
        "show acl-plugin acl",
        r"tag \{{{tag}\}}",
        is_counted=True,
    ),
    _family(r"set acl-plugin acl (?!.*\b(?:index|tag)\b).*", "show acl-plugin acl", r"tag \{{cli\}}", is_counted=True),
    _family(
        r"ipsec policy add spd (?P<spd>\d+) .*",
        "show ipsec spd",
        r"^\s+\[\d+\] priority",
        is_counted=True,
        within=r"^spd {spd}\n(?:(?!spd ).*\n?)*",
    ),
    _family(
        r"abf policy (?:add )?id (?P<policy>\d+) acl \d+ via (?P<hop>[0-9a-fA-F.:]+) (?P<interface>\S+).*",
        "show abf policy",
        r"^\s+{hop} {interface}\s*$",
        within=_ABF,
    ),
    _family(r"abf policy (?:add )?id (?P<policy>\d+) acl .*", "show abf policy", "path:", within=_ABF),
    _family(r"ipsec itf create", "show ipsec interface", r"^\[\d+\] ipsec", is_counted=True),
)
"""Commands that would have their effect a second time: VPP is asked before."""
_UNCLEAR = (
    _family(
        r"nat44 add interface address (?P<interface>\S+)(?P<twice> twice-nat)?",
        "show nat44 interface address",
        r"^\s*{interface}{twice}\s*$",
    ),
    _family(
        r"set interface nat44 .*?(?P<interface>\S+) output-feature",
        "show nat44 interfaces",
        r"^\s*{interface} output-feature",
    ),
    _family(
        r"set interface det44 (?:inside|outside) (?P<interface>\S+).*", "show det44 interfaces", r"^\s*{interface} "
    ),
    _family(r"create teib (?P<interface>\S+) peer (?P<peer>\S+) .*", "show teib", r" {interface}:{peer} via"),
    _family(r"pipe create instance (?P<number>\d+)", "show interface pipe{number}", r"^pipe{number}\b"),
    _family(r"ipsec itf create instance (?P<number>\d+)", "show ipsec interface", r"\bipsec{number}\b"),
    _family(r"create loopback interface .*instance (?P<number>\d+)", "show interface loop{number}", r"^loop{number}\b"),
    _family(
        r"set interface ip address (?P<interface>\S+) (?P<address>\S+)",
        "show interface address {interface}",
        r"^\s+L3 {address}\b",
    ),
)
"""Commands whose error does not show whether their effect is there: VPP is asked afterwards."""


_NEEDING = (
    (_family(r"abf attach ip[46] policy (?P<policy>\d+) .*", "show abf policy", r"policy:{policy} "), "ABF policy"),
)
"""Commands that crash VPP 26.10 without what they name (abf_itf_attach, which looks it up in an ASSERT only)."""


class Repetition:
    """What the commands of one file have done already, asked command by command."""

    def __init__(self, ask: Ask) -> None:
        """Ask VPP by `ask`."""
        self._ask = ask
        self._seen: Counter[str] = Counter()

    def is_there(self, line: str) -> bool:
        """Return whether a command must not be run, since it would have an effect a second time."""
        found = _found(line, _STACKING)
        if found is None:
            return False
        family, groups = found
        effect = f"{family.within}{family.shown}".format(**groups)
        self._seen[effect] += 1
        return self._count(family, groups) >= (self._seen[effect] if family.is_counted else 1)

    def missing(self, line: str) -> str:
        """Return what a command must not be run without, '' when it is there."""
        for family, what in _NEEDING:
            found = _found(line, (family,))
            if found is not None and not self._count(*found):
                return f"there is no such {what}, and VPP does not survive the command without"
        return ""

    def is_done(self, line: str, text: str) -> bool:
        """Return whether VPP has refused a command, with this text, because its effect is there."""
        found = _found(line, _UNCLEAR)
        if found is not None:
            return self._count(*found) > 0
        if _SAYS_LITTLE.match(line) and "enable failed" in text:
            return True
        return bool(_ALREADY.search(text)) and not _MISSING.search(text)

    def _count(self, family: Family, groups: dict[str, str]) -> int:
        code, text = self._ask(family.question.format(**groups))
        if code:
            return 0
        escaped = {name: re.escape(value) for name, value in groups.items()}
        if family.within:
            part = re.search(family.within.format(**escaped), text, re.MULTILINE)
            text = part[0] if part is not None else ""
        return len(re.findall(family.shown.format(**escaped), text, re.MULTILINE))


def _found(line: str, families: tuple[Family, ...]) -> tuple[Family, dict[str, str]] | None:
    for family in families:
        if match := family.pattern.fullmatch(line):
            return family, {name: value or "" for name, value in match.groupdict().items()}
    return None
