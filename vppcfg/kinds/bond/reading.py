"""Reads bonds and their members: VPP is asked for all bonds, then once more for the members of each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vppcfg.kinds.bond.operations import LOAD_BALANCE_NUMBERS, MODE_NUMBERS
from vppcfg.model.bond import Bond, BondMode, Membership
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.wire.reading import Replies, VppReader, malformed, text_of

_MODES = {number: mode for mode, number in MODE_NUMBERS.items()}
_LOAD_BALANCES = {number: load_balance for load_balance, number in LOAD_BALANCE_NUMBERS.items()}
"""Modes without a choice have others of their own."""
_DUMP = "sw_bond_interface_dump"
_DETAILS = "sw_bond_interface_details"
_SHOW = "show bond details"
"""The only place that shows GSO (vnet/bonding/cli.c)."""
_GSO = "  gso enable"
_Shown = Mapping[str, tuple[int, str]]
"""What commands print, with their return value, by command."""
_INDEX = re.compile(r"  sw_if_index: (\d+)\s*")
"""In these lines of a bond, among others::

    BondEthernet5
      gso enable
      sw_if_index: 7
"""


class BondRow(NamedTuple):
    """One bond in sw_bond_interface_details."""

    sw_if_index: int
    mode: int
    load_balance: int
    is_numa_only: bool


def requests(connection: VppReader) -> list[bytes]:
    """Return the request for all bonds, where VPP has such a thing."""
    return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []


def read(connection: VppReader, replies: Replies) -> list[BondRow]:
    """Return the bonds, in VPP's order."""
    if not connection.offers(_DUMP):
        return []
    rows = connection.rows(replies, _DETAILS, "sw_if_index", "mode", "lb", "numa_only")
    return [BondRow._make(row) for row in rows]


def active_members(connection: VppReader) -> dict[str, int]:
    """Return on how many members each bond sends, by its name in VPP; none where VPP has no bonds to ask for."""
    asked = requests(connection)
    if not asked:
        return {}
    rows = connection.rows(connection.ask(asked), _DETAILS, "interface_name", "active_members")
    return {text_of(name): count for name, count in rows}


def commands(bonds: Sequence[BondRow]) -> list[str]:
    """Return the command that shows which of the bonds have GSO."""
    return [_SHOW] if bonds else []


class MemberQuestions:
    """The requests for the members of bonds, and which bond each asked for; the replies do not name it."""

    def __init__(self, connection: VppReader, bonds: Sequence[BondRow]) -> None:
        """Prepare one sw_member_interface_dump for each of `bonds`."""
        self._asked: dict[int, int] = {}
        self.requests: list[bytes] = []
        for bond in bonds:
            context, request = connection.request("sw_member_interface_dump", {"sw_if_index": bond.sw_if_index})
            self._asked[context] = bond.sw_if_index
            self.requests.append(request)

    def read(self, connection: VppReader, replies: Replies) -> dict[int, dict[int, Membership]]:
        """Return the members of every bond, both by index, in the order in which they joined."""
        members: dict[int, dict[int, Membership]] = {bond: {} for bond in self._asked.values()}
        if not members:
            return {}
        paths = ("context", "sw_if_index", "is_passive", "is_long_timeout", "weight")
        for context, index, passive, long, weight in connection.rows(replies, "sw_member_interface_details", *paths):
            if context in self._asked:
                member = Membership(is_passive=passive, is_long_timeout=long, weight=weight)
                members[self._asked[context]][index] = member
        return members


def build(
    bonds: Sequence[BondRow],
    members: Mapping[int, Mapping[int, Membership]],
    shown: _Shown,
    names: Mapping[int, str],
) -> dict[str, Bond]:
    """Return the bonds by name. Raise DataplaneError when one has a mode that VPP does not have."""
    with_gso = _with_gso(shown)
    return {
        names[row.sw_if_index]: Bond(
            mode=(mode := _mode(row)),
            load_balance=_LOAD_BALANCES.get(row.load_balance) if mode.has_load_balance else None,
            members={names[index]: member for index, member in members[row.sw_if_index].items() if index in names},
            has_gso=row.sw_if_index in with_gso,
            is_numa_only=row.is_numa_only,
        )
        for row in bonds
        if row.sw_if_index in names
    }


def _mode(row: BondRow) -> BondMode:
    try:
        return _MODES[row.mode]
    except KeyError as error:
        raise malformed(_DETAILS) from error


def _with_gso(shown: _Shown) -> frozenset[int]:
    """Return the indexes of the bonds that are printed with GSO, which stands before the index of its bond."""
    _, text = shown.get(_SHOW, (0, ""))
    found = set()
    has_gso = False
    for line in text.splitlines():
        if line.startswith(_GSO):
            has_gso = True
        elif match := _INDEX.fullmatch(line):
            found.update([int(match[1])] if has_gso else [])
            has_gso = False
    return frozenset(found)
