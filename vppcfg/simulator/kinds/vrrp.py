"""Virtual routers (plugins/vrrp), which outlive their interface; there is nobody else, so each that runs is master.

The master that accepts packets has the virtual addresses on its interface.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.fib_entries import LOCAL, FibPath
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds import address, mroute
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.tunnels import Address
from vppcfg.simulator.wire import NONE, Outgoing, Values

_API = """
version 23.06- 1.1.1 674aea12
import interface_index
import mac_address
import prefix
enum vrrp_vr_flags u32 VRRP_API_VR_PREEMPT=1 VRRP_API_VR_ACCEPT=2 VRRP_API_VR_UNICAST=4 VRRP_API_VR_IPV6=8
struct vrrp_vr_conf: interface_index sw_if_index, u8 vr_id, u8 priority, u16 interval, vrrp_vr_flags flags
enum vrrp_vr_state u32 VRRP_API_VR_STATE_INIT=0 VRRP_API_VR_STATE_BACKUP=1 VRRP_API_VR_STATE_MASTER=2 \
VRRP_API_VR_STATE_INTF_DOWN=3
struct vrrp_vr_tracking: u32 interfaces_dec, u8 priority
struct vrrp_vr_runtime: vrrp_vr_state state, u16 master_adv_int, u16 skew, u16 master_down_int, mac_address mac, \
vrrp_vr_tracking tracking
struct vrrp_vr_track_if: interface_index sw_if_index, u8 priority
request vrrp_vr_add_del c5cf15aa: u8 is_add, interface_index sw_if_index, u8 vr_id, u8 priority, u16 interval, \
vrrp_vr_flags flags, u8 n_addrs, address addrs[n_addrs]
reply vrrp_vr_add_del_reply e8d4e804: i32 retval
request vrrp_vr_dump f9e6675e streams vrrp_vr_details: interface_index sw_if_index
reply vrrp_vr_details 46edcebd: vrrp_vr_conf config, vrrp_vr_runtime runtime, u8 n_addrs, address addrs[n_addrs]
request vrrp_vr_start_stop 0662a3b7: interface_index sw_if_index, u8 vr_id, u8 is_ipv6, u8 is_start
reply vrrp_vr_start_stop_reply e8d4e804: i32 retval
request vrrp_vr_set_peers 20bec71f: interface_index sw_if_index, u8 vr_id, u8 is_ipv6, u8 n_addrs, address \
addrs[n_addrs]
reply vrrp_vr_set_peers_reply e8d4e804: i32 retval
request vrrp_vr_peer_dump 6fa3f7c4 streams vrrp_vr_peer_details: interface_index sw_if_index, u8 is_ipv6, u8 vr_id
bare vrrp_vr_peer_details 3d99c108: u32 client_index, u32 context, interface_index sw_if_index, u8 vr_id, u8 is_ipv6, \
u8 n_peer_addrs, address peer_addrs[n_peer_addrs]
request vrrp_vr_track_if_add_del d67df299: interface_index sw_if_index, u8 is_ipv6, u8 vr_id, u8 is_add, u8 n_ifs, \
vrrp_vr_track_if ifs[n_ifs]
reply vrrp_vr_track_if_add_del_reply e8d4e804: i32 retval
request vrrp_vr_track_if_dump a34dfc6d streams vrrp_vr_track_if_details: interface_index sw_if_index, u8 is_ipv6, u8 \
vr_id, u8 dump_all
bare vrrp_vr_track_if_details 73c36f81: u32 client_index, u32 context, interface_index sw_if_index, u8 vr_id, u8 \
is_ipv6, u8 n_ifs, vrrp_vr_track_if ifs[n_ifs]
"""
_ACCEPT, _UNICAST, _IPV6 = 2, 4, 8
"""Flags of a virtual router."""
_GROUPS = {False: "224.0.0.18", True: "ff02::12"}
Key = tuple[int, int, bool]
"""Interface, id, and whether it is of IPv6."""


class State(IntEnum):
    """vrrp_vr_state."""

    INIT = 0
    BACKUP = 1
    MASTER = 2
    INTERFACE_DOWN = 3


@dataclass(slots=True, kw_only=True)
class Router:
    """One virtual router."""

    priority: int
    interval: int
    flags: int
    addresses: list[Address]
    state: State = State.INIT
    peers: list[Address] = field(default_factory=list)
    tracked: dict[int, int] = field(default_factory=dict)
    """What the priority loses when an interface is down."""
    given: list[tuple[int, int]] = field(default_factory=list)
    """Addresses that its interface has from it, with their lengths."""


@dataclass(slots=True, kw_only=True)
class VrrpMain:
    """All virtual routers."""

    routers: dict[Key, Router] = field(default_factory=dict)


def _require(tables: Tables, key: Key) -> Router:
    router = tables.part(VrrpMain).routers.get(key)
    if router is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    return router


def start(tables: Tables, key: Key) -> None:
    """Start a virtual router, which is master at once where its interface is up and has an address."""
    router = _require(tables, key)
    if router.state is State.INIT:
        _listen(tables, key, is_on=True)
        _enter(tables, key, _possible(tables, key))


def stop(tables: Tables, key: Key) -> None:
    """Stop a virtual router."""
    router = _require(tables, key)
    if router.state is not State.INIT:
        _enter(tables, key, State.INIT)
        _listen(tables, key, is_on=False)


def _possible(tables: Tables, key: Key) -> State:
    row, book = tables.sw.get(key[0]), tables.ip6 if key[2] else tables.ip4
    is_able = row is not None and row.is_up and any(book.of(key[0]))
    return State.MASTER if is_able else State.INTERFACE_DOWN


def _listen(tables: Tables, key: Key, *, is_on: bool) -> None:
    sw_if_index, _, is_ipv6 = key
    feature = ("ip6-local", "vrrp6-nd-input") if is_ipv6 else ("arp", "vrrp4-arp-input")
    arcs.set_features(tables, sw_if_index, [feature], is_on=is_on)
    group = mroute.Group(int(ipaddress.ip_address(_GROUPS[is_ipv6])), 0, 128 if is_ipv6 else 32)
    path = mroute.ACCEPT, FibPath(sw_if_index, is_ipv6=is_ipv6)
    paths = [path, (0, FibPath(kind=LOCAL, is_ipv6=is_ipv6))] if is_on else [path]
    mroute.change(tables, (is_ipv6, 0), group, mroute.API, paths, is_add=is_on)


def _enter(tables: Tables, key: Key, state: State) -> None:
    router = tables.part(VrrpMain).routers[key]
    old, router.state = router.state, state
    if router.flags & _ACCEPT and (old is State.MASTER) != (state is State.MASTER):
        family = 6 if key[2] else 4
        feature = f"ip{family}-multicast", f"vrrp{family}-accept-owner-input"
        arcs.set_features(tables, key[0], [feature], is_on=state is State.MASTER)
        if state is State.MASTER:
            _give(tables, key, router)
        else:
            _take(tables, key, router)


def _give(tables: Tables, key: Key, router: Router) -> None:
    book = tables.ip6 if key[2] else tables.ip4
    for each in router.addresses:
        lengths = [own.length for own in book.of(key[0]) if (own.address ^ int(each)) >> (book.bits - own.length) == 0]
        length = max(lengths, default=book.bits)
        address.add(tables, tables.sw[key[0]], key[2], int(each), length)
        router.given.append((int(each), length))


def _take(tables: Tables, key: Key, router: Router) -> None:
    while router.given:
        value, length = router.given.pop()
        if tables.sw.has(key[0]):
            address.remove(tables, tables.sw[key[0]], key[2], value, length)


def _admin_changed(tables: Tables, sw_if_index: int) -> None:
    for key, router in tables.part(VrrpMain).routers.items():
        if key[0] == sw_if_index and router.state is not State.INIT:
            _enter(tables, key, _possible(tables, key))


def _addresses(values: Values, is_ipv6: bool) -> list[Address]:
    return [ipaddress.IPv6Address(raw) if is_ipv6 else ipaddress.IPv4Address(raw[:4]) for _, raw in values["addrs"]]


def _key(values: Values) -> Key:
    return values["sw_if_index"], values["vr_id"], bool(values["is_ipv6"])


def _answer_add(call: Call, values: Values) -> Outgoing:
    """Make or delete a virtual router."""
    interfaces.require(call.tables, values["sw_if_index"])
    is_ipv6, routers = bool(values["flags"] & _IPV6), call.tables.part(VrrpMain).routers
    key = values["sw_if_index"], values["vr_id"], is_ipv6
    if not values["is_add"]:
        stop(call.tables, key)
        del routers[key]
        return call.reply()
    if key in routers:
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS)
    routers[key] = Router(
        priority=values["priority"],
        interval=values["interval"],
        flags=values["flags"],
        addresses=_addresses(values, is_ipv6),
    )
    return call.reply()


def _answer_start_stop(call: Call, values: Values) -> Outgoing:
    (start if values["is_start"] else stop)(call.tables, _key(values))
    return call.reply()


def _answer_peers(call: Call, values: Values) -> Outgoing:
    """Set the peers of a virtual router that is stopped and speaks unicast."""
    router = _require(call.tables, _key(values))
    if router.state is not State.INIT or not router.flags & _UNICAST:
        raise RefusedError(Retval.INVALID_ARGUMENT)
    router.peers = _addresses(values, bool(values["is_ipv6"]))
    return call.reply()


def _answer_track(call: Call, values: Values) -> Outgoing:
    router = _require(call.tables, _key(values))
    for sw_if_index, priority in values["ifs"]:
        if values["is_add"]:
            router.tracked[sw_if_index] = priority
        else:
            router.tracked.pop(sw_if_index, None)
    return call.reply()


def _packed(addresses: list[Address]) -> tuple[tuple[bool, bytes], ...]:
    return tuple((each.version == 6, each.packed.ljust(16, b"\0")) for each in addresses)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the virtual routers of an interface or all, those of interfaces that are gone too."""
    for (sw_if_index, vr_id, _), router in call.tables.part(VrrpMain).routers.items():
        if values["sw_if_index"] in (NONE, sw_if_index):
            shown: dict[str, Any] = {
                "config.sw_if_index": sw_if_index,
                "config.vr_id": vr_id,
                "config.priority": router.priority,
                "config.interval": router.interval,
                "config.flags": router.flags,
                "runtime.state": router.state,
                "addrs": _packed(router.addresses),
            }
            yield call.details(shown)


def _dump_peers(call: Call, values: Values) -> Iterator[Outgoing]:
    router = call.tables.part(VrrpMain).routers.get(_key(values))
    if router is not None:
        shown = {name: values[name] for name in ("sw_if_index", "vr_id", "is_ipv6")}
        yield call.details({**shown, "peer_addrs": _packed(router.peers)})


def _dump_tracked(call: Call, values: Values) -> Iterator[Outgoing]:
    for (sw_if_index, vr_id, is_ipv6), router in call.tables.part(VrrpMain).routers.items():
        if values["dump_all"] or (sw_if_index, vr_id, is_ipv6) == _key(values):
            shown = {"sw_if_index": sw_if_index, "vr_id": vr_id, "is_ipv6": is_ipv6}
            yield call.details({**shown, "ifs": tuple(router.tracked.items())})


KIND = Kind(
    plugin="vrrp",
    api={"vrrp": _API},
    changes={
        "vrrp_vr_add_del": _answer_add,
        "vrrp_vr_start_stop": _answer_start_stop,
        "vrrp_vr_set_peers": _answer_peers,
        "vrrp_vr_track_if_add_del": _answer_track,
    },
    queries={
        "vrrp_vr_dump": _dump,
        "vrrp_vr_peer_dump": _dump_peers,
        "vrrp_vr_track_if_dump": _dump_tracked,
    },
    admin_changed=_admin_changed,
)
