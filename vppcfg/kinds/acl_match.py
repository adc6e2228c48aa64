"""Parses what terms of ACLs match with: prefix lists, addresses, protocols, ports, ICMP types and codes.

The section `prefixlists` is parsed here; it is no part of a Configuration, for VPP knows no such lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from vppcfg.common.addresses import canonical_address, canonical_prefix
from vppcfg.common.bounds import RANGE_CHARACTERS
from vppcfg.engine.kind import Kind
from vppcfg.entries.names import LIST, LIST_LENGTH, is_prefix_list_name
from vppcfg.entries.section import NamedSection, Naming, Parsing, SectionEntry
from vppcfg.model.acl import TCP_FLAGS
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.record import record

KEY = "prefixlists"
ANY = "any"
MAX_PROTOCOL = 255
Range = tuple[int, int]
_NO_NAMES: Mapping[str, int] = {}


@record
class PrefixList:
    """Canonical prefixes."""

    ipv4: tuple[str, ...] = ()
    ipv6: tuple[str, ...] = ()

    @classmethod
    def of(cls, prefixes: Iterable[str]) -> PrefixList:
        """Return a list of canonical prefixes, each once."""
        distinct = tuple(dict.fromkeys(prefixes))
        return cls(
            ipv4=tuple(prefix for prefix in distinct if ":" not in prefix),
            ipv6=tuple(prefix for prefix in distinct if ":" in prefix),
        )


EVERYWHERE = PrefixList(ipv4=("0.0.0.0/0",), ipv6=("::/0",))


class PrefixLists(Kind, NamedSection):
    """The section `prefixlists`: prefixes by family, in the order of the file, each once."""

    key = KEY
    naming = Naming(
        is_name=is_prefix_list_name,
        rule="prefixlist-name",
        form=f"a prefix list has a lower case letter, then up to {LIST_LENGTH - 1} of a-z, 0-9 and `-`",
        pattern=(LIST.pattern, LIST_LENGTH),
    )
    assumed: ClassVar = {"members": (["192.0.2.0/24"], ["2001:db8::/32"])}

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> PrefixList | Problem:
        """Return a prefix list, or what is wrong with its name when that means something else."""
        if entry.name == ANY:
            text = "`any` stands for all addresses in ACLs; give the list another name"
            return Problem(rule="prefixlist-any", path=entry.path, text=text)
        members = entry.raw.get("members") or ()
        for position, member in enumerate(members):
            if remark := host_bits("prefixlist-host-bits", (*entry.path, "members", position), member):
                parsing.problems.append(remark)
        return PrefixList.of(prefix for member in members if (prefix := canonical_prefix(member)))

    def parse(self, parsing: Parsing) -> dict[str, PrefixList]:
        """Return the sound lists; those that no term names are noted."""
        lists = super().parse(parsing)
        named = _named_in_terms(parsing.content) if lists and not parsing.bad_paths else lists.keys()
        for name in lists.keys() - named:
            text = f"no term of this file names {name}"
            path = (self.key, name)
            problem = Problem(rule="prefixlist-unused", path=path, text=text, severity=Severity.NOTICE)
            parsing.problems.append(problem)
        return lists


KIND = PrefixLists()


def _named_in_terms(content: Mapping[Any, Any]) -> set[Any]:
    """Return what the terms of all access lists have as source and destination, in content of the right shape."""
    lists = (raw for key in ("acls", "macip_acls") for raw in (content.get(key) or {}).values())
    return {term.get(end) for raw in lists for term in raw["terms"] for end in ("source", "destination")}


def host_bits(rule: str, path: KeyPath, raw: Any) -> Problem | None:
    """Return a warning about a prefix that is written with an address in it."""
    prefix = canonical_prefix(raw)
    if prefix is None or prefix == canonical_address(raw):
        return None
    text = f"{raw} is an address in the prefix {prefix}, which is what is matched; write that, or the address alone"
    return Problem(rule=rule, path=path, text=text, severity=Severity.WARNING)


def parse_endpoint(raw: str | None, lists: Mapping[str, PrefixList]) -> PrefixList | None:
    """Parse `source` or `destination`; None when it names no list that there is."""
    if raw is None or raw == ANY:
        return EVERYWHERE
    prefix = canonical_prefix(raw)
    return lists.get(raw) if prefix is None else PrefixList.of((prefix,))


def parse_protocol(raw: int | str | None, names: Mapping[str, int]) -> int | None:
    """Parse `protocol`, 0 for any; None when there is no such protocol."""
    if raw is None or raw == ANY:
        return 0
    number = names.get(raw.lower()) if isinstance(raw, str) else raw
    if number is None and isinstance(raw, str):
        number = _number(raw)
    return number if number is not None and 0 <= number <= MAX_PROTOCOL else None


def parse_range(raw: Any, largest: int, names: Mapping[str, int] = _NO_NAMES) -> Range | None:
    """Parse a number, a name, `a-b`, `a-` or `-b`, of which YAML reads the last as a number; None when out of range."""
    if raw is None or raw == ANY:
        return 0, largest
    if isinstance(raw, int):
        first, last = (raw, raw) if raw >= 0 else (0, -raw)
        return _within(first, last, largest)
    if len(raw) > RANGE_CHARACTERS:
        return None
    text = raw.lower().replace(" ", "")
    single = _bound(text, names)
    if single is not None:
        return _within(single, single, largest)
    for position in (index for index, sign in enumerate(text) if sign == "-"):
        left, right = text[:position], text[position + 1 :]
        first_bound = 0 if left == "" else _bound(left, names)
        last_bound = largest if right == "" else _bound(right, names)
        if (left or right) and first_bound is not None and last_bound is not None:
            return _within(first_bound, last_bound, largest)
    return None


_NOT = "not-"


def parse_tcp_flags(words: Iterable[str]) -> tuple[int, int] | None:
    """Parse `tcp-flags` into the flags that are looked at and those that must be set; None when one must be both."""
    given = set(words)
    is_set = sum(bit for flag, bit in TCP_FLAGS.items() if flag in given)
    is_unset = sum(bit for flag, bit in TCP_FLAGS.items() if f"{_NOT}{flag}" in given)
    return None if is_set & is_unset else (is_set | is_unset, is_set)


def tcp_flag_words(mask: int, value: int) -> list[str]:
    """Return mask and value of `tcp-flags`."""
    return [flag if value & bit else f"{_NOT}{flag}" for flag, bit in TCP_FLAGS.items() if mask & bit]


def _bound(text: str, names: Mapping[str, int]) -> int | None:
    return names[text] if text in names else _number(text)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None


def _within(first: int, last: int, largest: int) -> Range | None:
    return (first, last) if first <= last <= largest else None
