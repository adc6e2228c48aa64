"""Services of routed interfaces: policy routing, virtual routers, BFD, and who is where behind a multipoint tunnel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.model.attachment import Attachment, Layer, Values, index_of, stored_call
from vppcfg.model.state import State
from vppcfg.plan.request import ALL_INDEXES
from vppcfg.vpp.address_codec import text_of_address
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies
from vppcfg.vpp.unmanaged.reader import Reader, Wanted
from vppcfg.vpp.unmanaged.routes import PATH, element_of, way_of
from vppcfg.vpp.unmanaged.simple import Fields, simple


def _family(is_ipv6: int) -> str:
    return "ip6" if is_ipv6 else "ip4"


def _abf(fields: Fields, name: str) -> tuple[str, str, str]:
    policy, priority, family = fields["policy_id"], fields["priority"], _family(fields["is_ipv6"])
    line = f"abf attach {family} policy {policy} priority {priority} {name}"
    return "ABF policy", f"{policy} priority {priority} {family}", line


def _is_policy_route(fields: Fields, name: str, state: State) -> bool:
    """Return whether a policy is in the state as a policy route of its interface."""
    return any(each.policy_id == fields["policy_id"] for each in state.interfaces[name].policy_routes)


_VRRP_PREEMPT, _VRRP_ACCEPT, _VRRP_UNICAST, _VRRP_V6 = 0x1, 0x2, 0x4, 0x8
_VRRP_MODES = {_VRRP_PREEMPT: "no_preempt", _VRRP_ACCEPT: "accept_mode", _VRRP_UNICAST: "unicast"}
_VRRP_INIT = 0
"""vrrp_vr_flags and vrrp_vr_state (plugins/vrrp/vrrp.api)."""
_VRRP = "vrrp_vr"


def _vrrp_requests(connection: Connection, wanted: Wanted) -> list[bytes]:
    every = {"sw_if_index": ALL_INDEXES}
    return [
        connection.request(f"{_VRRP}_dump", every)[1],
        connection.request(f"{_VRRP}_track_if_dump", {"dump_all": 1})[1],
    ]


def _read_vrrp(connection: Connection, replies: Replies, wanted: Wanted) -> Iterator[Attachment]:
    """Yield virtual routers, and apart from them that they run: VPP deletes one that runs, and leaves its address.

    One with unicast peers or tracked interfaces cannot be brought back by one message, and is not.
    """
    settings = ("sw_if_index", "vr_id", "priority", "interval", "flags")
    heads = (*(f"config.{each}" for each in settings), "runtime.state")
    tracking = ("sw_if_index", "vr_id", "is_ipv6", "n_ifs")
    tracked = {
        (index, number, bool(is_ipv6))
        for index, number, is_ipv6, count in connection.rows(replies, f"{_VRRP}_track_if_details", *tracking)
        if count
    }
    for (*head, state), listed in connection.lists(replies, f"{_VRRP}_details", heads, "af", "un"):
        fields = dict(zip(settings, head, strict=True))
        index, number, is_ipv6 = fields["sw_if_index"], fields["vr_id"], bool(fields["flags"] & _VRRP_V6)
        if name := wanted.name(index):
            is_whole = not fields["flags"] & _VRRP_UNICAST and (index, number, is_ipv6) not in tracked
            yield from _of_vrrp(name, {**fields, "sw_if_index": index_of(name)}, listed, is_whole, state != _VRRP_INIT)


def _of_vrrp(
    name: str, fields: Fields, addresses: Sequence[tuple[int, bytes]], is_whole: bool, runs: bool
) -> Iterator[Attachment]:
    flags = fields["flags"]
    is_ipv6 = bool(flags & _VRRP_V6)
    shared = " ".join(text_of_address(family, raw) for family, raw in addresses)
    words = f"{name} vr_id {fields['vr_id']}" + (" ipv6" if is_ipv6 else "")
    modes = "".join(f" {word}" for bit, word in _VRRP_MODES.items() if bool(flags & bit) == (bit != _VRRP_PREEMPT))
    listed: list[Values] = [{"af": family, "un": raw} for family, raw in addresses]
    change, label = f"{_VRRP}_add_del", f"{fields['vr_id']}{' IPv6' if is_ipv6 else ''}"
    yield Attachment(
        holder=name,
        kind="VRRP router",
        name=f"{label} with {shared}",
        layer=Layer.ROUTED,
        put=stored_call(change, {"is_add": 1, **fields}, "addrs", listed) if is_whole else None,
        take=stored_call(change, {"is_add": 0, **fields}, "addrs", listed),
        outlives=True,
        lines=(f"vrrp vr add {words} priority {fields['priority']} interval {fields['interval']}{modes} {shared}",),
        removal=f"vrrp vr del {words}",
    )
    if runs:
        place = {"sw_if_index": fields["sw_if_index"], "vr_id": fields["vr_id"], "is_ipv6": int(is_ipv6)}
        yield Attachment(
            holder=name,
            kind="VRRP router running",
            name=label,
            layer=Layer.ROUTED,
            put=stored_call(f"{_VRRP}_start_stop", {**place, "is_start": 1}) if is_whole else None,
            take=stored_call(f"{_VRRP}_start_stop", {**place, "is_start": 0}),
            outlives=True,
            lines=(f"vrrp proto start {words}",),
            removal=f"vrrp proto stop {words}",
        )


_BFD = "bfd_udp_session"


def _bfd_requests(connection: Connection, wanted: Wanted) -> list[bytes]:
    return [connection.request(f"{_BFD}_dump")[1]]


def _read_bfd(connection: Connection, replies: Replies, wanted: Wanted) -> Iterator[Attachment]:
    """Yield BFD sessions; the key of one that is authenticated cannot be read, but is known by its number."""
    ends = ("local_addr.af", "local_addr.un", "peer_addr.af", "peer_addr.un")
    auth = ("is_authenticated", "bfd_key_id", "conf_key_id")
    timers = ("required_min_rx", "desired_min_tx", "detect_mult")
    paths = ("sw_if_index", *ends, *auth, *timers)
    for row in connection.rows(replies, f"{_BFD}_details", *paths):
        fields = dict(zip(paths, row, strict=True))
        name = wanted.name(fields["sw_if_index"])
        if name:
            place = {"sw_if_index": index_of(name), **{path: fields[path] for path in ends}}
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


def _teib(fields: Fields, name: str) -> tuple[str, str, str]:
    peer = text_of_address(fields["peer.af"], fields["peer.un"])
    underlay = text_of_address(fields["nh.af"], fields["nh.un"])
    line = f"create teib {name} peer {peer} nh {underlay} nh-table-id {fields['nh_table_id']}"
    return "TEIB neighbour", peer, line


_PUNT, _PUNT_DUMP = "add_del_ip_punt_redirect_v2", "ip_punt_redirect_v2_dump"


def _punt_requests(connection: Connection, wanted: Wanted) -> list[bytes]:
    return [connection.request(_PUNT_DUMP, {"sw_if_index": ALL_INDEXES, "af": family})[1] for family in (0, 1)]


def _read_punts(connection: Connection, replies: Replies, wanted: Wanted) -> Iterator[Attachment]:
    """Yield redirects of interfaces, but for those of linux-cp, which lead to the host side of an LCP pair."""
    heads = ("punt.rx_sw_if_index", "punt.af")
    for (index, family), rows in connection.lists(replies, "ip_punt_redirect_v2_details", heads, *PATH):
        name, paths = wanted.name(index), [dict(zip(PATH, row, strict=True)) for row in rows]
        through = [wanted.names.get(path["sw_if_index"], "") for path in paths]
        if not name or not all(each in wanted.state.interfaces for each in through):
            continue
        ways = " ".join(way_of(path, each) for path, each in zip(paths, through, strict=True))
        command = f"ip{6 if family else ''} punt redirect"
        head: Values = {"punt.rx_sw_if_index": index_of(name), "punt.af": family}
        elements = [element_of(path, each) for path, each in zip(paths, through, strict=True)]
        yield Attachment(
            holder=name,
            kind="punt redirect",
            name=f"of IPv{6 if family else 4} {ways}",
            layer=Layer.ROUTED,
            put=stored_call(_PUNT, {"is_add": 1, **head}, "punt.paths", elements),
            take=stored_call(_PUNT, {"is_add": 0, **head}),
            outlives=True,
            lines=(f"{command} add rx {name} {ways}",),
            removal=f"{command} del rx {name}",
        )


READERS = (
    Reader((_PUNT_DUMP, _PUNT), _punt_requests, _read_punts),
    simple(
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
    simple(
        "teib_dump",
        "teib_details",
        ("sw_if_index", "peer.af", "peer.un", "nh.af", "nh.un", "nh_table_id"),
        ("teib_entry_add_del", "is_add"),
        _teib,
        prefix="entry.",
    ),
)
