"""Reads services of other programs: policy routing, virtual routers, BFD, neighbours of multipoint tunnels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from vppcfg.model.attachment import Attachment, Layer, Values, index_placeholder, stored_call
from vppcfg.model.state import State
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.vpp.unmanaged.routes import PATH, element_of, lookup_table_of, way_of
from vppcfg.vpp.unmanaged.simple import DescribedObject, Fields, simple_reader
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies
from vppcfg.wire.vrrp_peers import RouterKey, read_peers


def _family(is_ipv6: int) -> str:
    return "ip6" if is_ipv6 else "ip4"


def _abf(fields: Fields, name: str) -> DescribedObject:
    policy, priority, family = fields["policy_id"], fields["priority"], _family(fields["is_ipv6"])
    line = f"abf attach {family} policy {policy} priority {priority} {name}"
    return DescribedObject("ABF policy", f"{policy} priority {priority} {family}", line)


def _is_policy_route(fields: Fields, name: str, state: State) -> bool:
    """Return whether a policy is in the state as a policy route of its interface."""
    return any(each.policy_id == fields["policy_id"] for each in state.interfaces[name].policy_routes)


_VRRP_PREEMPT, _VRRP_ACCEPT, _VRRP_UNICAST, _VRRP_V6 = 0x1, 0x2, 0x4, 0x8
_VRRP_MODES = {_VRRP_PREEMPT: "no_preempt", _VRRP_ACCEPT: "accept_mode", _VRRP_UNICAST: "unicast"}
_VRRP_INIT = 0
"""vrrp_vr_flags and vrrp_vr_state (plugins/vrrp/vrrp.api)."""
_VRRP = "vrrp_vr"


def _vrrp_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    every = {"sw_if_index": ALL_INDEXES}
    return [
        connection.request(f"{_VRRP}_dump", every)[1],
        connection.request(f"{_VRRP}_track_if_dump", {"dump_all": 1})[1],
    ]


def _read_vrrp(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield virtual routers, and apart from them their peers, what they track, and that they run.

    VPP deletes one that runs, and leaves its address.
    """
    settings = ("sw_if_index", "vr_id", "priority", "interval", "flags")
    heads = (*(f"config.{each}" for each in settings), "runtime.state")
    tracked = _by_router(connection, replies, f"{_VRRP}_track_if_details", "sw_if_index", "priority")
    rows = connection.lists(replies, f"{_VRRP}_details", heads, "af", "un")
    routers = [(dict(zip(settings, head, strict=True)), state, listed) for (*head, state), listed in rows]
    unicast = [_key_of(fields) for fields, _, _ in routers if fields["flags"] & _VRRP_UNICAST]
    held = [key for key in unicast if scope.names.get(key[0], "") in scope.holders]
    peers = read_peers(connection, held)
    for fields, state, listed in routers:
        key = _key_of(fields)
        name = scope.names.get(fields["sw_if_index"], "")
        known = [(scope.names[index], less) for index, less in tracked.get(key, ()) if index in scope.names]
        if not scope.concerns(name, (other for other, _ in known)):
            continue
        router = _Router(name, *key[1:])
        yield from (router.tracking(other, less) for other, less in known)
        if name not in scope.holders:
            continue
        yield _vrrp_router(name, {**fields, "sw_if_index": index_placeholder(name)}, listed)
        yield from router.with_peers(peers.get(key, ()))
        if state != _VRRP_INIT:
            yield router.running()


def _key_of(fields: Fields) -> RouterKey:
    return fields["sw_if_index"], fields["vr_id"], bool(fields["flags"] & _VRRP_V6)


def _by_router(
    connection: Connection, replies: Replies, message: str, *leaves: str
) -> dict[RouterKey, Sequence[tuple[Any, ...]]]:
    heads = ("sw_if_index", "vr_id", "is_ipv6")
    rows = connection.lists(replies, message, heads, *leaves)
    return {(index, number, bool(is_ipv6)): listed for (index, number, is_ipv6), listed in rows}


def _vrrp_router(name: str, fields: Fields, addresses: Sequence[tuple[int, bytes]]) -> Attachment:
    flags = fields["flags"]
    router = _Router(name, fields["vr_id"], bool(flags & _VRRP_V6))
    shared = _words_of(addresses)
    modes = "".join(f" {word}" for bit, word in _VRRP_MODES.items() if bool(flags & bit) == (bit != _VRRP_PREEMPT))
    times = f"priority {fields['priority']} interval {fields['interval']}"
    change, listed = f"{_VRRP}_add_del", _elements_of(addresses)
    return Attachment(
        holder=name,
        kind="VRRP router",
        name=f"{router.label} with {shared}",
        layer=Layer.ROUTED,
        put=stored_call(change, {"is_add": 1, **fields}, "addrs", listed),
        take=stored_call(change, {"is_add": 0, **fields}, "addrs", listed),
        outlives=True,
        lines=(f"vrrp vr add {router.words} {times}{modes} {shared}",),
        removal=f"vrrp vr del {router.words}",
    )


class _Router(NamedTuple):
    """Which virtual router it is; the kinds of what it has are sorted as VPP has to get them."""

    interface: str
    number: int
    is_ipv6: bool

    @property
    def label(self) -> str:
        return f"{self.number}{' IPv6' if self.is_ipv6 else ''}"

    @property
    def words(self) -> str:
        return f"{self.interface} vr_id {self.number}{' ipv6' if self.is_ipv6 else ''}"

    @property
    def _place(self) -> Values:
        return {"sw_if_index": index_placeholder(self.interface), "vr_id": self.number, "is_ipv6": int(self.is_ipv6)}

    def with_peers(self, peers: Sequence[tuple[int, bytes]]) -> Iterator[Attachment]:
        """Yield its peers, which go with it."""
        if peers:
            yield Attachment(
                holder=self.interface,
                kind="VRRP router peers",
                name=f"{self.label} {_words_of(peers)}",
                layer=Layer.ROUTED,
                put=stored_call(f"{_VRRP}_set_peers", self._place, "addrs", _elements_of(peers)),
                lines=(f"vrrp peers {self.words} {_words_of(peers)}",),
            )

    def running(self) -> Attachment:
        """Return that it runs."""
        return Attachment(
            holder=self.interface,
            kind="VRRP router running",
            name=self.label,
            layer=Layer.ROUTED,
            put=stored_call(f"{_VRRP}_start_stop", {**self._place, "is_start": 1}),
            take=stored_call(f"{_VRRP}_start_stop", {**self._place, "is_start": 0}),
            outlives=True,
            lines=(f"vrrp proto start {self.words}",),
            removal=f"vrrp proto stop {self.words}",
        )

    def tracking(self, other: str, less: int) -> Attachment:
        """Return that it tracks an interface; at the prompt, that needs a number which is not kept."""
        change = f"{_VRRP}_track_if_add_del"
        listed: list[Values] = [{"sw_if_index": index_placeholder(other), "priority": less}]
        return Attachment(
            holder=self.interface,
            kind="VRRP router tracking",
            name=f"{self.label} {other}",
            layer=Layer.ROUTED,
            put=stored_call(change, {**self._place, "is_add": 1}, "ifs", listed),
            take=stored_call(change, {**self._place, "is_add": 0}, "ifs", listed),
            outlives=True,
        )


def _words_of(addresses: Sequence[tuple[int, bytes]]) -> str:
    return " ".join(text_of_address(family, raw) for family, raw in addresses)


def _elements_of(addresses: Sequence[tuple[int, bytes]]) -> list[Values]:
    return [{"af": family, "un": raw} for family, raw in addresses]


_BFD = "bfd_udp_session"


def _bfd_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_BFD}_dump")[1]]


def _read_bfd(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield BFD sessions; the key of one that is authenticated cannot be read, but is known by its number."""
    ends = ("local_addr.af", "local_addr.un", "peer_addr.af", "peer_addr.un")
    auth = ("is_authenticated", "bfd_key_id", "conf_key_id")
    timers = ("required_min_rx", "desired_min_tx", "detect_mult")
    paths = ("sw_if_index", *ends, *auth, *timers)
    for row in connection.rows(replies, f"{_BFD}_details", *paths):
        fields = dict(zip(paths, row, strict=True))
        name = scope.name(fields["sw_if_index"])
        if name:
            place = {"sw_if_index": index_placeholder(name), **{path: fields[path] for path in ends}}
            local = text_of_address(fields[ends[0]], fields[ends[1]])
            peer = text_of_address(fields[ends[2]], fields[ends[3]])
            rates = f"desired-min-tx {fields['desired_min_tx']} required-min-rx {fields['required_min_rx']}"
            line = f"bfd udp session add interface {name} local-addr {local} peer-addr {peer} {rates}"
            yield Attachment(
                holder=name,
                kind="BFD session",
                name=f"with {peer}",
                layer=Layer.ROUTED,
                put=stored_call("bfd_udp_add", {**place, **{path: fields[path] for path in (*auth, *timers)}}),
                take=stored_call("bfd_udp_del", place),
                outlives=True,
                lines=(f"{line} detect-mult {fields['detect_mult']}",),
                removal=f"bfd udp session del interface {name} local-addr {local} peer-addr {peer}",
            )


def _teib(fields: Fields, name: str) -> DescribedObject:
    peer = text_of_address(fields["peer.af"], fields["peer.un"])
    underlay = text_of_address(fields["nh.af"], fields["nh.un"])
    line = f"create teib {name} peer {peer} nh {underlay} nh-table-id {fields['nh_table_id']}"
    return DescribedObject("TEIB neighbour", peer, line)


_OF_ALL = NO_INDEX
"""In place of the interface that packets come in by: any that has no redirect of its own."""
_PUNT, _PUNT_DUMP = "add_del_ip_punt_redirect_v2", "ip_punt_redirect_v2_dump"


def _punt_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(_PUNT_DUMP, {"sw_if_index": ALL_INDEXES, "af": family})[1] for family in (0, 1)]


def _read_punts(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield redirects but for those of linux-cp, which lead to the host side of an LCP pair.

    That of all interfaces is held by the one that it leads to.
    """
    heads = ("punt.rx_sw_if_index", "punt.af")
    for (index, family), rows in connection.lists(replies, "ip_punt_redirect_v2_details", heads, *PATH):
        paths = [dict(zip(PATH, row, strict=True)) for row in rows]
        through = [scope.names.get(path["sw_if_index"], "") for path in paths]
        tables = tuple(filter(None, map(lookup_table_of, paths)))
        is_of_all = index == NO_INDEX
        name = (*tables, *through)[0] if is_of_all else scope.names.get(index, "")
        if not scope.concerns(name, (*through, *tables)):
            continue
        if not tables and not all(each in scope.state.interfaces for each in through):
            continue
        ways = " ".join(way_of(path, each) for path, each in zip(paths, through, strict=True))
        command, rx = f"ip{6 if family else ''} punt redirect", "all" if is_of_all else name
        head: Values = {
            "punt.rx_sw_if_index": NO_INDEX if is_of_all else index_placeholder(name),
            "punt.af": family,
        }
        elements = [element_of(path, each) for path, each in zip(paths, through, strict=True)]
        yield Attachment(
            holder=name,
            kind="punt redirect of all" if is_of_all else "punt redirect",
            name=f"of IPv{6 if family else 4} {ways}",
            layer=Layer.ROUTED,
            put=replace(stored_call(_PUNT, {"is_add": 1, **head}, "punt.paths", elements), needs=tables),
            take=stored_call(_PUNT, {"is_add": 0, **head}),
            outlives=True,
            lines=(f"{command} add rx {rx} {ways}",),
            removal=f"{command} del rx {rx}",
        )


READERS = (
    Reader((_PUNT_DUMP, _PUNT), _punt_requests, _read_punts),
    simple_reader(
        "abf_itf_attach_dump",
        "abf_itf_attach_details",
        ("policy_id", "sw_if_index", "priority", "is_ipv6"),
        ("abf_itf_attach_add_del", "is_add"),
        _abf,
        prefix="attach.",
        removal="del",
        is_managed=_is_policy_route,
    ),
    Reader((f"{_VRRP}_dump", f"{_VRRP}_add_del"), _vrrp_requests, _read_vrrp),
    Reader((f"{_BFD}_dump", "bfd_udp_add"), _bfd_requests, _read_bfd),
    simple_reader(
        "teib_dump",
        "teib_details",
        ("sw_if_index", "peer.af", "peer.un", "nh.af", "nh.un", "nh_table_id"),
        ("teib_entry_add_del", "is_add"),
        _teib,
        prefix="entry.",
    ),
)
