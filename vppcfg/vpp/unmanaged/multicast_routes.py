"""Reads multicast routes of other programs through interfaces and FIB tables, path by path, from VPP's CLI.

A path keeps the index of an interface that is deleted, and forwards to the next interface that gets it
(vnet/mfib/mfib_entry.c). The API has a dump, which is not used: it counts the paths of a route in eight bits, and
writes all of them, beyond the end of its message (send_ip_mroute_details, vnet/ip/ip_api.c). VPP's own groups have a
path for each interface with IP in the table, so that with 256 of them the dump destroys VPP's memory.

`show ip mfib table 0` lists the routes with their interfaces::

    (192.0.2.1, 232.1.1.1/32):
      Interfaces:
       loop1: Forward,
       loop0: Accept,
      multicast-ip4-chain
      [@0]: dpo-drop ip4

`show ip mfib table 0 192.0.2.1 232.1.1.1` has the paths of one by source, and their flags behind them::

    (192.0.2.1, 232.1.1.1/32):
     fib:0 index:8 locks:1
      src:CLI flags:none locks:1:
        path-list:[17] locks:2 ...
          path:[21] pl-index:17 ip4 weight=1 pref=0 attached:  oper-flags:resolved,
             loop0
          path:[22] pl-index:17 ip4 weight=1 pref=0 attached:
             loop1
        Extensions:
         path:22 flags:Forward,
         path:21 flags:Accept,
        Interface-Forwarding:
         loop1: Forward,
         loop0: Accept,

      Interfaces:
       loop1: Forward,
       loop0: Accept,
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vppcfg.model.attachment import ApiCall, Attachment, Layer, Values, cli_call, index_placeholder, stored_call
from vppcfg.model.vrf import FibTable
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.codec import family_and_bytes
from vppcfg.wire.reading import Replies
from vppcfg.wire.shell import Commands

_CHANGE = "ip_mroute_add_del"
_KIND_OF_SOURCE = {"CLI": "multicast route of the prompt", "API": "multicast route of the API"}
"""What a route is called by its source in VPP, of those that no other program restores; the prompt is VPP's CLI."""
_FLAGS = {"Negate-Signal": 0x1, "Accept": 0x2, "Forward": 0x4, "Signal-Present": 0x8, "Don't-Preserve": 0x10}
"""mfib_itf_flags_t (vnet/mfib/mfib_types.h), as the CLI takes and shows them, in its order."""
_OF_VRRP = frozenset({"224.0.0.18", "ff02::12"})
"""Groups that a virtual router joins and leaves by itself, as the API would (plugins/vrrp/vrrp.c)."""
_ROUTE = re.compile(r"^\((\S+), (\S+)/(\d+)\):(.*?)(?=^\(|\Z)", re.MULTILINE | re.DOTALL)
_INTERFACE = re.compile(r"^   (\S+): ", re.MULTILINE)
_SOURCE = re.compile(r"^  src:(CLI|API) flags:.*?\n(.*?)(?=^  src:|^  Interfaces:)", re.MULTILINE | re.DOTALL)
_PATH = re.compile(
    r"^ +path:\[(?P<number>\d+)\] .* weight=(?P<weight>\d+) pref=(?P<preference>\d+) attached(?:-nexthop)?: .*\n"
    r" +(?:(?P<hop>[\da-f.:]+) )?(?P<interface>\S+)",
    re.MULTILINE,
)
_PATH_FLAGS = re.compile(r"^ +path:(\d+) flags:(\S*)$", re.MULTILINE)


class _MulticastGroup(NamedTuple):
    """What a multicast route is for."""

    table: FibTable
    source: str
    """`*` for any."""
    address: str
    length: int

    @property
    def prefix(self) -> str:
        """Return source and group, as the CLI takes them."""
        return f"{self.address}/{self.length}" if self.source == "*" else f"{self.source} {self.address}"

    @property
    def shown_by(self) -> str:
        """Return the command that shows its paths by source."""
        return f"{_show(self.table)} {self.prefix}"

    @property
    def values(self) -> Values:
        """Return the route of the message, without its paths."""
        family, group = family_and_bytes(self.address)
        named = {} if self.source == "*" else {"route.prefix.src_address": family_and_bytes(self.source)[1]}
        return {
            "route.table_id": self.table.table_id,
            "route.prefix.af": family,
            # VPP counts the bits of source and group together where both are named: 64 for (S, G) of IPv4.
            "route.prefix.grp_address_length": self.length * (2 if named else 1),
            "route.prefix.grp_address": group,
            **named,
        }


class _MulticastPath(NamedTuple):
    """One path of a group: of which source, through which interface, and what is done there."""

    source: str
    interface: str
    hop: str
    weight: int
    preference: int
    flags: tuple[str, ...]


def _show(table: FibTable) -> str:
    return f"show ip{'6' if table.is_ipv6 else ''} mfib table {table.table_id}"


def _read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield the paths of multicast routes.

    The message changes routes of the API alone; those of the CLI are changed by its own command.
    """
    routed = sum(bool(each.addresses) for each in scope.state.interfaces.values())
    # The budget for costly readings (wire/survey.py): VPP's own groups have a path for each of these interfaces.
    if not connection.survey.examines_all(routed):
        connection.survey.leave_out("multicast routes of the prompt and of the API")
        return
    tables = _texts(connection, [_show(table) for table in scope.tables])
    groups = [group for table, text in zip(scope.tables, tables, strict=True) for group in _groups(table, text, scope)]
    names = set(scope.names.values())
    for group, text in zip(groups, _texts(connection, [each.shown_by for each in groups]), strict=True):
        key = _table_key(group.table)
        for path in _paths(text):
            holder = key if key in scope.holders else path.interface
            if path.interface in names and holder in scope.holders:
                yield _attachment(group, path, holder)


def _texts(connection: Connection, lines: Sequence[str]) -> list[str]:
    commands = Commands(connection, lines)
    shown = commands.read(connection, connection.ask(commands.requests)) if lines else {}
    return [shown[line][1] for line in lines]


def _groups(table: FibTable, text: str, scope: ReadScope) -> Iterator[_MulticastGroup]:
    """Yield the groups of a table that may have a path that is asked for."""
    for source, address, length, body in _ROUTE.findall(text):
        if address not in _OF_VRRP and (
            _table_key(table) in scope.holders or not scope.holders.isdisjoint(_INTERFACE.findall(body))
        ):
            yield _MulticastGroup(table, source, address, int(length))


def _table_key(table: FibTable) -> str:
    """Return the key of a FIB table; '' for the default one, which stays."""
    return table.key if table.table_id else ""


def _paths(text: str) -> Iterator[_MulticastPath]:
    """Yield the paths of the CLI and of the API through interfaces, those of the API first."""
    for source, body in sorted(_SOURCE.findall(text)):
        flags = {number: tuple(filter(None, words.split(","))) for number, words in _PATH_FLAGS.findall(body)}
        for found in _PATH.finditer(body):
            yield _MulticastPath(
                source,
                interface=found["interface"],
                hop=found["hop"] or "",
                weight=int(found["weight"]),
                preference=int(found["preference"]),
                flags=flags.get(found["number"], ()),
            )


def _attachment(group: _MulticastGroup, path: _MulticastPath, holder: str) -> Attachment:
    table = f" table {group.table.table_id}" if group.table.table_id else ""
    words = f"{group.prefix}{table} via {path.interface} {' '.join(path.flags)}"
    add, remove = f"ip mroute add {words}", f"ip mroute del {words}"
    return Attachment(
        holder=holder,
        kind=_KIND_OF_SOURCE[path.source],
        name=f"{group.prefix}{table} {' '.join(path.flags)}",
        layer=Layer.ROUTED,
        # Without the flags, where VPP does not show them, another path would come back.
        put=_change(group, path, add, is_add=True) if path.flags else None,
        take=_change(group, path, remove, is_add=False),
        outlives=True,
        lines=(add,),
        removal=remove,
    )


def _change(group: _MulticastGroup, path: _MulticastPath, line: str, *, is_add: bool) -> ApiCall | None:
    if path.source == "CLI":
        return cli_call(line, path.interface)
    element: dict[str, int | str | bytes] = {
        "itf_flags": sum(_FLAGS.get(word, 0) for word in path.flags),
        "path.sw_if_index": index_placeholder(path.interface),
        "path.weight": path.weight,
        "path.preference": path.preference,
        "path.proto": int(group.table.is_ipv6),
    }
    if path.hop:
        element["path.nh.address"] = family_and_bytes(path.hop)[1]
    values = {"is_add": int(is_add), "is_multipath": 1, **group.values}
    return stored_call(_CHANGE, values, "paths", [{key: value for key, value in element.items() if value}])


READERS = (Reader((_CHANGE,), lambda connection, scope: (), _read),)
