"""Reads which FIB tables interfaces are in.

No message reports the tables of all interfaces, and VPP stops its workers for each one that it is asked about. A
command prints those of all that have addresses, for which no worker stops. Tables count the interfaces in them, so that
it is known whether any without addresses are left to be asked about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from vppcfg.model.vrf import LAST_TYPED, FibTable
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.shell import Commands, header_command

_ADDRESSES = "show interface address"
"""Safe for workers in all releases from 23.06 (show_sw_interfaces_command, vnet/interface_cli.c)."""
_NAME = re.compile(r"^(\S+) \((?:up|dn)\):")
_ADDRESS = re.compile(r"^  L3 ([^/]+)/\d+(?: ip[46] table-id (-?\d+) )?")
"""VPP prints the number of an IPv6 table with a sign: -2 for 4294967294."""
_IN_TABLE = re.compile(r"locks:\[[^]]*\binterface:(\d+)")
_MOST_COUNTED = 20
"""Tables whose interfaces are counted: one command for each, for which the workers stop."""
_AT_A_TIME = 50
Place = tuple[bool, int]
"""The family, as is_ipv6, and number of a table."""


class TableQuestions:
    """The requests for the FIB tables of interfaces, and what each asked for; the replies do not name it."""

    def __init__(self, connection: VppReader, indexes: Sequence[int], families: Iterable[bool]) -> None:
        """Prepare one sw_interface_get_table for each of `indexes` and each of `families`."""
        self._asked: dict[int, tuple[int, bool]] = {}
        self.requests: list[bytes] = []
        for family in families:
            for index in indexes:
                values = {"sw_if_index": index, "is_ipv6": int(family)}
                context, request = connection.request("sw_interface_get_table", values)
                self._asked[context] = (index, family)
                self.requests.append(request)

    def read(self, connection: VppReader, replies: Replies) -> dict[int, tuple[int, int]]:
        """Return the IPv4 and IPv6 table of every interface that is not in table 0 for both."""
        tables: dict[int, list[int]] = {}
        for context, retval, table in connection.rows(
            replies, "sw_interface_get_table_reply", "context", "retval", "vrf_id"
        ):
            if context in self._asked and not retval and table:
                index, family = self._asked[context]
                tables.setdefault(index, [0, 0])[family] = table
        return {index: (ip4, ip6) for index, (ip4, ip6) in tables.items()}


class ShownTables:
    """The tables of many interfaces, as VPP's prompt shows them."""

    def __init__(self, connection: VppReader, indexes: Sequence[int], tables: Sequence[FibTable]) -> None:
        """Ask about the interfaces at `indexes`, which are in `tables` or in the default ones."""
        self._indexes = indexes
        self._places = [(each.is_ipv6, each.table_id) for each in tables]
        counted = [each for each in self._places if each[1] <= LAST_TYPED]
        asked = counted if len(counted) <= _MOST_COUNTED else []
        self._counts = {(is_ipv6, number): header_command(number, is_ipv6=is_ipv6) for is_ipv6, number in asked}
        self._commands = Commands(connection, [_ADDRESSES, *self._counts.values()])
        self.requests = self._commands.requests

    def read(self, connection: VppReader, replies: Replies) -> dict[int, tuple[int, int]]:
        """Return the IPv4 and IPv6 table of every interface that is not in table 0 for both."""
        shown = self._commands.read(connection, replies)
        wanted = frozenset(self._indexes)
        found = {
            index: places
            for name, places in _shown(shown[_ADDRESSES][1])
            if (index := connection.survey.index_of(name)) in wanted and index is not None
        }
        left = Counter({place: _count(shown[line][1]) for place, line in self._counts.items()})
        left.subtract(place for places in found.values() for place in places.items())
        uncounted = {is_ipv6 for is_ipv6, number in self._places if (is_ipv6, number) not in self._counts}
        for is_ipv6 in (False, True):
            # whatever is in a VRF of the other family is the most likely one
            rest = sorted(
                (index for index in self._indexes if is_ipv6 not in found.get(index, {})),
                key=lambda index: (not any(found.get(index, {}).values()), index),
            )
            while rest and (is_ipv6 in uncounted or any(n > 0 for place, n in left.items() if place[0] == is_ipv6)):
                asked, rest = rest[:_AT_A_TIME], rest[_AT_A_TIME:]
                questions = TableQuestions(connection, asked, [is_ipv6])
                for index, tables in questions.read(connection, connection.ask(questions.requests)).items():
                    found.setdefault(index, {})[is_ipv6] = tables[is_ipv6]
                    left[is_ipv6, tables[is_ipv6]] -= 1
        pairs = {index: (places.get(False, 0), places.get(True, 0)) for index, places in found.items()}
        return {index: pair for index, pair in pairs.items() if any(pair)}


def _count(text: str) -> int:
    match = _IN_TABLE.search(text)
    return int(match[1]) if match else 0


def _shown(text: str) -> Iterator[tuple[str, dict[bool, int]]]:
    """Yield the tables of each interface by the families of which it has addresses."""
    name, places = "", dict[bool, int]()
    for line in text.splitlines():
        if match := _NAME.match(line):
            yield name, places
            name, places = match[1], {}
        elif match := _ADDRESS.match(line):
            places[":" in match[1]] = int(match[2] or 0) % (1 << 32)
    yield name, places
