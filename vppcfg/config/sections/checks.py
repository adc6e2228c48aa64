"""The section `checks`: pings, ARP requests and commands that show whether a router works. Plans do not look at it.

checks:
  - { ping: 192.0.2.1, within: 5s }
  - { arp: 192.0.2.9, interface: loop1 }
  - { command: [ vtysh, -c, show bgp summary json ], contains: Established, within: 60s }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.common.addresses import canonical_host
from vppcfg.common.clock import seconds_of
from vppcfg.config.command import words_of
from vppcfg.entries.section import Parsing, Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.model.checks import (
    DEFAULT_WITHIN_S,
    LEAST_WITHIN_S,
    MOST_WITHIN_S,
    ArpCheck,
    Check,
    CommandCheck,
    PingCheck,
)
from vppcfg.model.problem import KeyPath, Problem

KEY = "checks"
_KEYS = {
    "ping": frozenset({"ping", "from", "vrf", "netns", "within", "for"}),
    "arp": frozenset({"arp", "interface", "within", "for"}),
    "command": frozenset({"command", "contains", "netns", "within", "for"}),
}
"""What each kind of check may have; its own key names the kind."""


class _Checks(Section):
    """The section `checks`."""

    key = attribute = KEY

    def parse(self, parsing: Parsing) -> tuple[Check, ...]:
        """Return the checks in the order of the file, without those that could not be run."""
        raw = () if parsing.is_bad(KEY) else parsing.content.get(KEY) or ()
        checks = []
        for place, entry in enumerate(raw):
            result = parse_check(entry, (KEY, place))
            if isinstance(result, list):
                parsing.problems += result
            else:
                checks.append(result)
        return tuple(checks)


SECTION = _Checks()


def parse_check(entry: Mapping[str, Any], path: KeyPath) -> Check | list[Problem]:
    """Return an entry of the right shape as a check, or all that is wrong with it."""
    given = {key: value for key, value in entry.items() if value is not None}
    return list(_problems(given, path)) or _check(given)


def _problems(entry: Mapping[str, Any], path: KeyPath) -> Iterator[Problem]:
    kinds = [kind for kind in _KEYS if kind in entry]
    if len(kinds) != 1:
        text = f"a check has one of ping, arp and command, and this one has {' and '.join(kinds) or 'none of them'}"
        yield Problem(rule="check-kind", path=path, text=text)
        return
    kind = kinds[0]
    for key in (key for key in entry if key not in _KEYS[kind]):
        allowed = ", ".join(sorted(_KEYS[kind] - {kind}))
        text = f"a check by {kind} has no key {key}; remove it, or take one of {allowed}"
        yield Problem(rule="check-key", path=(*path, key), text=text)
    if kind == "arp" and "interface" not in entry:
        yield Problem(rule="check-key", path=path, text="arp needs the interface to ask on; add `interface: NAME`")
    for key in ("within", "for"):
        if key in entry and _seconds(entry, key) is None:
            text = f"{shown(entry[key])} is no time from {LEAST_WITHIN_S}s to {MOST_WITHIN_S // 60}m, such as 10s"
            yield Problem(rule="check-within", path=(*path, key), text=text)
    try:
        words_of(entry.get("command"))
    except ValueError as error:
        yield Problem(rule="check-command", path=(*path, "command"), text=str(error))
    program = next(iter(entry["command"]), "") if isinstance(entry.get("command"), list) else entry.get("command")
    if isinstance(program, str) and "/" in program.split(" ")[0] and not program.startswith("/"):
        text = f"the program {shown(program.split(' ')[0])} is no absolute path; write all of it, or its name alone"
        yield Problem(rule="check-command", path=(*path, "command"), text=text)
    if _differs_in_family(entry):
        text = f"{entry['ping']} cannot be pinged from {entry['from']}: one is IPv4 and the other is IPv6"
        yield Problem(rule="check-source", path=(*path, "from"), text=text)


def _seconds(entry: Mapping[str, Any], key: str) -> int | None:
    return seconds_of(entry.get(key), LEAST_WITHIN_S, MOST_WITHIN_S)


def _differs_in_family(entry: Mapping[str, Any]) -> bool:
    source, address = canonical_host(entry.get("from")), canonical_host(entry.get("ping"))
    return source is not None and address is not None and (":" in source) != (":" in address)


def _check(entry: Mapping[str, Any]) -> Check:
    within_s, for_s = _seconds(entry, "within") or DEFAULT_WITHIN_S, _seconds(entry, "for") or 0
    if "ping" in entry:
        source = entry.get("from") or ""
        return PingCheck(
            address=str(canonical_host(entry["ping"])),
            source=canonical_host(source) or source,
            vrf=entry.get("vrf") or "",
            netns=entry.get("netns") or "",
            within_s=within_s,
            for_s=for_s,
        )
    if "arp" in entry:
        return ArpCheck(
            address=str(canonical_host(entry["arp"])), interface=entry["interface"], within_s=within_s, for_s=for_s
        )
    return CommandCheck(
        command=words_of(entry["command"]),
        contains=entry.get("contains") or "",
        netns=entry.get("netns") or "",
        within_s=within_s,
        for_s=for_s,
    )
