"""Reads MPLS routes of other programs through interfaces and FIB tables, path by path (vnet/mpls/mpls_api.c, mpls.c).

As with routes of IP, a path whose interface is deleted stays and drops, and VPP ends when another path of the route
comes or goes. The dump does not show whose a route is, but the prompt does; the message changes routes of the API
alone, those of the prompt are changed by its own command, path by path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from vppcfg.model.attachment import ApiCall, Attachment, Layer, cli_call, stored_call
from vppcfg.model.vpn_label import LABELS
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.vpp.unmanaged.routes import PATH, element_of, is_stale, labels_of, lookup_table_of, share_of, way_of
from vppcfg.wire.mpls_label import API, PROMPT, ROUTE_OF_PROMPT, label_command, read_label, table_behind
from vppcfg.wire.reading import Replies
from vppcfg.wire.shell import Commands

_TABLES = "mpls_table_dump"
_ROUTES = "mpls_route_dump"
_CHANGE = "mpls_route_add_del"
_HEADS = ("mr_table_id", "mr_label", "mr_eos", "mr_eos_proto", "mr_is_multicast")
_KINDS = {PROMPT: ROUTE_OF_PROMPT, API: "MPLS route of the API"}


class _Path(NamedTuple):
    """A route, and one of its paths through an interface or into a FIB table."""

    route: Mapping[str, Any]
    path: Mapping[str, Any]
    interface: str
    """'' where it leads into a table."""
    holder: str
    """The interface, or the table."""
    bound_to: tuple[_Path, ...] = ()
    """All paths of the route, where VPP ends when one is removed: there is one more over a deleted interface."""
    is_vpn_label: bool = False
    """Whether a file can have it, as the `label` of a VRF: one of the API is read as such."""

    @property
    def label(self) -> str:
        """Return what the route is for, as the prompt takes it."""
        table = self.route["mr_table_id"]
        eos = "eos" if self.route["mr_eos"] else "non-eos"
        return f"{eos} {self.route['mr_label']}" + (f" table {table}" if table else "")

    @property
    def route_values(self) -> dict[str, Any]:
        """Return the route in a message."""
        return {f"mr_route.{key}": value for key, value in self.route.items()}

    @property
    def shown_by(self) -> str:
        """Return the command that shows who configured it."""
        return label_command(self.route["mr_label"], self.route["mr_table_id"])

    @property
    def way(self) -> str:
        """Return where it leads, as the prompt takes it."""
        return way_of(self.path, self.interface) + share_of(self.path) + labels_of(self.path)


def _requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(_TABLES)[1]]


def _read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    tables = connection.rows(replies, "mpls_table_details", "mt_table.mt_table_id")
    if tables and not connection.survey.walks_mpls:
        connection.survey.leave_out("MPLS routes of the prompt and of the API")
        return
    asked = [connection.request(_ROUTES, {"table.mt_table_id": table})[1] for (table,) in tables]
    paths = list(_paths(connection, connection.ask(asked), scope)) if asked else []
    commands = Commands(connection, sorted({each.shown_by for each in paths}))
    shown = commands.read(connection, connection.ask(commands.requests)) if paths else {}
    for each in paths:
        sources = set(read_label(shown[each.shown_by][1], is_last=bool(each.route["mr_eos"])).parts)
        is_read = each.is_vpn_label and sources == {API}
        if sources & _KINDS.keys() and not is_read:
            yield _attachment(each, sources)


def _paths(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[_Path]:
    heads = tuple(f"mr_route.{each}" for each in _HEADS)
    for head, found in connection.lists(replies, "mpls_route_details", heads, *PATH):
        route = dict(zip(_HEADS, head, strict=True))
        paths = [dict(zip(PATH, each, strict=True)) for each in found]
        named = [(path, scope.names.get(path["sw_if_index"], "")) for path in paths if path["type"] == 0]
        is_label = _is_vpn_label(route, paths)
        ways = [_Path(route, path, name, name or lookup_table_of(path), is_vpn_label=is_label) for path, name in named]
        wanted = [each for each in ways if each.holder in scope.holders]
        if any(is_stale(scope, path) for path in paths):
            living = tuple(filter(attrgetter("holder"), ways))
            yield from ({each.holder: each._replace(bound_to=living) for each in wanted}).values()
        else:
            yield from wanted


def _is_vpn_label(route: Mapping[str, Any], paths: Sequence[Mapping[str, Any]]) -> bool:
    is_place = not route["mr_table_id"] and route["mr_label"] in LABELS and route["mr_eos"]
    return bool(is_place and not route["mr_is_multicast"] and table_behind(paths, route["mr_eos_proto"]))


def _attachment(each: _Path, sources: set[str]) -> Attachment:
    """Return a path as an attachment; where both have a route for the label, VPP shows the paths of the API alone."""
    source = API if API in sources else PROMPT
    if each.bound_to:
        return _of_route(each, source)
    words = f"{each.label} {each.way}"
    is_exact = len(sources & _KINDS.keys()) == 1 and not each.route["mr_is_multicast"]
    add, remove = (_change(each, source, words, is_add=is_add) for is_add in (True, False))
    return Attachment(
        holder=each.holder,
        kind=_KINDS[source],
        name=words,
        layer=Layer.ALL,
        put=add if is_exact else None,
        take=remove,
        outlives=True,
        lines=(f"mpls local-label add {words}",) if is_exact else (),
        removal=f"mpls local-label del {words}" if source == PROMPT else "",
    )


def _of_route(each: _Path, source: str) -> Attachment:
    """Return a route with all of its paths, which the API removes; that of the prompt stays in VPP, and drops."""
    is_removed = source == API
    values = {"mr_is_add": 0, "mr_is_multipath": 0, **each.route_values}
    return Attachment(
        holder=each.holder,
        kind=_KINDS[source],
        name=" ".join((each.label, *(path.way for path in each.bound_to))),
        layer=Layer.ALL,
        take=stored_call(_CHANGE, values) if is_removed else None,
        outlives=is_removed,
        lines=tuple(f"mpls local-label add {each.label} {path.way}" for path in each.bound_to) if is_removed else (),
    )


def _change(each: _Path, source: str, words: str, *, is_add: bool) -> ApiCall | None:
    if source == PROMPT:
        return cli_call(f"mpls local-label {'add' if is_add else 'del'} {words}", each.holder)
    values = {"mr_is_add": int(is_add), "mr_is_multipath": 1, **each.route_values}
    return stored_call(_CHANGE, values, "mr_paths", [element_of(each.path, each.interface)])


READERS = (Reader((_TABLES, _ROUTES, _CHANGE), _requests, _read),)
