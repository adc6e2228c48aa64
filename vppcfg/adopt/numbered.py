"""Keeps things together that a file and a rest cannot share: what VPP numbers as it is made, and NAT44.

A file and a rest that both make some of a kind would number them otherwise than the script did, and the rest would bind
another one than was meant. So one of the two has all of the kind.
"""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.adopt.classify import tag_in
from vppcfg.adopt.command_targets import LIMIT_COMMANDS
from vppcfg.adopt.excluded_lines import Key, key_of
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.record import record

OF_REST = "the rest makes it"
_WHY = "what is left names {} by numbers or names, which hold only where one script makes them all"
_TAKING_ALONG = frozenset({"set acl-plugin macip interface"})
_TAKEN = frozenset({LineOutcome.FILE, LineOutcome.UNMANAGED})


@record
class _Numbered:
    noun: str
    creates: frozenset[str]
    """Commands that create one, which a file can express, too."""
    refers: frozenset[str]
    """Commands that refer to one by its number."""


_NUMBERED = (
    _Numbered(
        noun="access lists",
        creates=frozenset({"set acl-plugin acl"}),
        refers=frozenset({"abf policy", "delete acl-plugin acl", "set acl-plugin interface"}),
    ),
    _Numbered(
        noun="MACIP lists",
        creates=frozenset({"set acl-plugin macip acl"}),
        refers=frozenset({"delete acl-plugin macip acl", "set acl-plugin macip interface"}),
    ),
    _Numbered(
        noun="classifier tables, of which MACIP lists are made,",
        creates=frozenset({"set acl-plugin macip acl"}),
        refers=frozenset(
            {
                *("classify session", "set acl-plugin macip interface", "set interface input acl"),
                *("set interface l2 input classify", "set interface l2 output classify", "set interface output acl"),
                *("set ip classify", "set ip6 classify"),
            }
        ),
    ),
    _Numbered(noun="policies", creates=frozenset({"abf policy"}), refers=frozenset({"abf attach"})),
    _Numbered(
        noun="policers and tables",
        creates=LIMIT_COMMANDS,
        refers=LIMIT_COMMANDS | {"policer bind", "policer input", "policer output", "policer reset"},
    ),
)

_NAT44 = ("nat mss-clamping", "nat44 ", "set interface nat44", "set nat timeout")
"""How commands begin that set up NAT44, as a file does: all of it, or nothing."""
_NOT_OF_NAT44 = ("nat44 ei ", "set interface nat44 ei")
_MAPPINGS = ("nat44 add load-balancing", "nat44 add static mapping")
_NAT44_WHY = "the rest has a mapping beside which no file can have NAT44"


def nat44_with_left_mappings(lines: Sequence[SourceLine]) -> dict[Key, str]:
    """Return the lines of NAT44 that have to be left because a mapping is left that no file can express."""
    if not any(line.outcome is LineOutcome.UNMANAGED and line.command.startswith(_MAPPINGS) for line in lines):
        return {}
    of_nat = (line for line in lines if line.outcome is LineOutcome.FILE and line.command.startswith(_NAT44))
    return {key_of(line): _NAT44_WHY for line in of_nat if not line.command.startswith(_NOT_OF_NAT44)}


def lists_of_rest(lines: Sequence[SourceLine]) -> list[str]:
    """Return the access lists that the rest makes, as a file names those of others."""
    makes = (line for line in lines if line.is_left and line.command == "set acl-plugin acl")
    return [f"acl:{tag_in(line.text)}" for line in makes]


def named_by_number(lines: Sequence[SourceLine]) -> dict[Key, str]:
    """Return the lines of the file that have to be left, because what is left names things of their kind by numbers."""
    found: dict[Key, str] = {}
    for kind in _NUMBERED:
        if any(line.is_left and line.command in kind.refers for line in lines):
            of_kind = [line for line in lines if line.command in kind.creates | kind.refers and line.outcome in _TAKEN]
            if any(line.outcome is LineOutcome.FILE and line.command in kind.creates for line in of_kind):
                # An interface with a MACIP list of others cannot be in a file.
                held = {name for line in of_kind if line.command in _TAKING_ALONG for name in line.subjects}
                along = (line for line in lines if line.outcome in _TAKEN and not held.isdisjoint(line.subjects))
                why = _WHY.format(kind.noun)
                found |= {key_of(line): line.why if line.is_left else why for line in (*of_kind, *along)}
    return found
