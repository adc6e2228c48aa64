"""Simulates virtual routers (plugins/vrrp), which outlive their interface; without peers, each that runs is master.

The master that accepts packets has the virtual addresses on its interface.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from vppcfg.model.state import State as RouterState
from vppcfg.model.virtual_router import VirtualRouter
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import LOCAL, FibPath
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import address, gre, mroute
from vppcfg.simulator.retval import DiedError, RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.tunnels import Address
from vppcfg.simulator.wire import NONE, Outgoing, Values

_PREEMPT, _ACCEPT, _UNICAST, _IPV6 = 1, 2, 4, 8
"""Flags of a virtual router."""
_OWNER = 255
"""The priority of who has the addresses anyway."""
_GROUPS = {False: "224.0.0.18", True: "ff02::12"}
Key = tuple[int, int, bool]
"""Interface, id, and whether it is of IPv6."""


class State(IntEnum):
    """vrrp_vr_state."""

    INIT = 0
    BACKUP = 1
    MASTER = 2
    INTERFACE_DOWN = 3


def _is_up(tables: Tables, sw_if_index: int, is_ipv6: bool) -> bool:
    """Return whether an interface counts as up to a router of a family, of which it needs an address."""
    row, book = tables.sw.get(sw_if_index), tables.ip6 if is_ipv6 else tables.ip4
    return row is not None and row.is_up and tables.hw_of(row).is_link_up and any(book.of(sw_if_index))


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

    def priority_now(self, tables: Tables) -> int:
        """Return the priority without what tracked interfaces that are down take off, at least 1."""
        is_ipv6 = bool(self.flags & _IPV6)
        lost = sum(less for index, less in self.tracked.items() if not _is_up(tables, index, is_ipv6))
        return max(self.priority - lost, 1)


@dataclass(slots=True, kw_only=True)
class VrrpMain:
    """All virtual routers."""

    routers: dict[Key, Router] = field(default_factory=dict)


def _require(tables: Tables, key: Key) -> Router:
    return required(tables.part(VrrpMain).routers.get(key), retval=Retval.NO_SUCH_ENTRY)


def start(tables: Tables, key: Key) -> None:
    """Start a virtual router, which is master at once where its interface is up and has an address."""
    router = _require(tables, key)
    if router.flags & _UNICAST and not router.peers:
        raise RefusedError(Retval.INIT_FAILED, "Cannot start unicast VR without peers")
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
    router = tables.part(VrrpMain).routers[key]
    if is_able and router.priority < _OWNER and router.flags & _UNICAST:
        return State.BACKUP
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
    """Have a virtual router in another state; VPP ends where a master advertises itself on a GRE tunnel for packets."""
    router = tables.part(VrrpMain).routers[key]
    port = tables.hw_of(tables.sw[key[0]]) if tables.sw.has(key[0]) else None
    if state is State.MASTER and port is not None and port.device_class == gre.DEVICE_CLASS and not port.is_ethernet:
        raise DiedError
    old, router.state = router.state, state
    if router.flags & _ACCEPT and (old is State.MASTER) != (state is State.MASTER):
        family = 6 if key[2] else 4
        feature = f"ip{family}-multicast", f"vrrp{family}-accept-owner-input"
        arcs.set_features(tables, key[0], [feature], is_on=state is State.MASTER)
        if state is State.MASTER and router.priority < _OWNER:
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


def create(tables: Tables, key: Key, router: Router) -> None:
    """Create a virtual router, which does not run (vrrp_vr_add_del)."""
    routers = tables.part(VrrpMain).routers
    if key in routers:
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS, "Failed to add VR that already exists")
    if not router.addresses:
        raise RefusedError(Retval.INVALID_SRC_ADDRESS, "Failed to add VR with no IP addresses")
    own = {each.address for each in (tables.ip6 if key[2] else tables.ip4).of(key[0])}
    if router.priority == _OWNER and not {int(each) for each in router.addresses} <= own:
        text = "Failed to add VR with priority 255 - VR IP addresses not configured on interface"
        raise RefusedError(Retval.ADDRESS_NOT_FOUND_FOR_INTERFACE, text)
    others = [known for other, known in routers.items() if (other[0], other[2]) == (key[0], key[2])]
    if any(not set(known.addresses).isdisjoint(router.addresses) for known in others):
        raise RefusedError(Retval.ADDRESS_IN_USE, f"vrrp_vr_add_del returned {int(Retval.ADDRESS_IN_USE)}")
    routers[key] = router


def delete(tables: Tables, key: Key) -> None:
    """Delete a virtual router; the addresses of one that runs stay on the interface (vrrp_vr_del_common)."""
    _require(tables, key)
    del tables.part(VrrpMain).routers[key]


def set_peers(tables: Tables, key: Key, peers: list[Address]) -> None:
    """Set whom a virtual router speaks to (vrrp_vr_set_peers)."""
    router = _require(tables, key)
    if not router.flags & _UNICAST:
        raise RefusedError(Retval.INVALID_ARGUMENT, "Peers can only be set on a unicast VR")
    if router.state is not State.INIT:
        raise RefusedError(Retval.RSRC_IN_USE, "Cannot set peers on a running VR")
    if not peers:
        raise RefusedError(Retval.INVALID_DST_ADDRESS, "No peer addresses provided")
    router.peers = peers


def track(tables: Tables, key: Key, sw_if_index: int, priority: int, *, is_add: bool) -> None:
    """Track an interface or no longer; one that is tracked keeps its priority (vrrp_vr_tracking_if_add_del)."""
    router = required(tables.part(VrrpMain).routers.get(key), retval=Retval.INVALID_VALUE)
    if not tables.sw.has(sw_if_index):
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    if sw_if_index == key[0]:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX_2)
    if is_add:
        router.tracked.setdefault(sw_if_index, priority)
    else:
        router.tracked.pop(sw_if_index, None)


def _answer_add(call: Call, values: Values) -> None:
    """Create or delete a virtual router."""
    interfaces.require(call.tables, values["sw_if_index"])
    is_ipv6 = bool(values["flags"] & _IPV6)
    key = values["sw_if_index"], values["vr_id"], is_ipv6
    if not (values["priority"] and values["interval"] and values["vr_id"]):
        raise RefusedError(Retval.INVALID_VALUE)
    if values["is_add"]:
        hosts = _addresses(values, is_ipv6)
        router = Router(
            priority=values["priority"], interval=values["interval"], flags=values["flags"], addresses=hosts
        )
        create(call.tables, key, router)
    else:
        delete(call.tables, key)


def _answer_peers(call: Call, values: Values) -> None:
    """Set the peers of a virtual router that is stopped and speaks unicast."""
    set_peers(call.tables, _key(values), _addresses(values, bool(values["is_ipv6"])))


def _answer_track(call: Call, values: Values) -> None:
    for sw_if_index, priority in values["ifs"]:
        track(call.tables, _key(values), sw_if_index, priority, is_add=bool(values["is_add"]))


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
                "runtime.tracking.priority": router.priority_now(call.tables),
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


def _described(tables: Tables, line: Input) -> tuple[Key, Router]:
    """Take what a virtual router is called and what it is like; VPP reads all of that of one to delete, too.

    `<interface> vr_id <n> [ipv6] [priority <n>] [interval <n>] [no_preempt] [accept_mode] [unicast] [<address>] ...`
    """
    numbers = {"vr_id": 0, "priority": 100, "interval": 100}
    flags, index = _PREEMPT, None
    hosts: list[Address] = []
    while not line.is_at_end:
        if (host := line.address()) is not None:
            hosts.append(host)
        elif line.take("ipv6"):
            flags |= _IPV6
        elif line.take("no_preempt"):
            flags &= ~_PREEMPT
        elif line.take("accept_mode"):
            flags |= _ACCEPT
        elif line.take("unicast"):
            flags |= _UNICAST
        elif any(line.take_setting(word, numbers) for word in numbers):
            continue
        elif (row := line.interface(tables)) is not None:
            index = row.index
        else:
            break
    index = required(index, "Please specify an interface...")
    if not 1 <= numbers["vr_id"] <= 255:
        raise RefusedError(Retval.UNSPECIFIED, "VR ID must be between 1 and 255...")
    router = Router(priority=numbers["priority"], interval=numbers["interval"], flags=flags, addresses=hosts)
    return (index, numbers["vr_id"], bool(flags & _IPV6)), router


def _command_add(tables: Tables, line: Input) -> None:
    """`vrrp vr add ...`."""
    key, router = _described(tables, line)
    if not 1 <= router.priority <= _OWNER:
        raise RefusedError(Retval.UNSPECIFIED, "priority must be between 1 and 255...")
    if router.interval > 0xFFFF:
        raise RefusedError(Retval.UNSPECIFIED, "interval must be <= 65535...")
    families = {host.version for host in router.addresses}
    if 4 in families and (key[2] or 6 in families):
        raise RefusedError(Retval.UNSPECIFIED, "Mismatched address families")
    if not key[2]:  # without `ipv6` VPP takes the end of an IPv6 address for an IPv4 one
        router.addresses = [ipaddress.IPv4Address(host.packed[-4:]) for host in router.addresses]
    create(tables, key, router)


def _command_del(tables: Tables, line: Input) -> None:
    """`vrrp vr del ...`."""
    delete(tables, _described(tables, line)[0])


def _command_show(tables: Tables, line: Input) -> str:
    """`show vrrp vr`: of what VPP prints of each, the key, its addresses and its peers (vrrp_format.c)."""
    if not line.is_at_end:
        raise line.unknown()
    rows = enumerate(tables.part(VrrpMain).routers.items())
    return "".join(
        f"[{place}] sw_if_index {sw_if_index} VR ID {vr_id} IPv{6 if is_ipv6 else 4}\n"
        f"   addresses {''.join(f'{host} ' for host in router.addresses)}\n"
        f"   peer addresses {''.join(f'{host} ' for host in router.peers)}\n"
        for place, ((sw_if_index, vr_id, is_ipv6), router) in rows
    )


def _named(tables: Tables, line: Input, *words: str) -> tuple[Key, list[str], list[Address]]:
    """Take what names a virtual router, and some words and addresses beside that."""
    numbers, index, is_ipv6 = {"vr_id": 0}, None, False
    found: list[str] = []
    hosts: list[Address] = []
    while not line.is_at_end:
        if (host := line.address()) is not None:
            hosts.append(host)
        elif line.take("ipv6"):
            is_ipv6 = True
        elif line.take_setting("vr_id", numbers):
            continue
        elif (word := next((word for word in words if line.take(word)), None)) is not None:
            found.append(word)
        elif (row := line.interface(tables)) is not None:
            index = row.index
        else:
            break
    index = required(index, "Please specify an interface...")
    if not numbers["vr_id"]:
        raise RefusedError(Retval.UNSPECIFIED, "Invalid VR ID...")
    return (index, numbers["vr_id"], is_ipv6), found, hosts


def _command_proto(tables: Tables, line: Input) -> None:
    """`vrrp proto (start|stop) <interface> vr_id <n> [ipv6]`."""
    key, words, _ = _named(tables, line, "start", "stop")
    if len(words) != 1:
        raise RefusedError(Retval.UNSPECIFIED, "One of start or stop must be specified")
    (start if words[0] == "start" else stop)(tables, key)


def _command_peers(tables: Tables, line: Input) -> None:
    """`vrrp peers <interface> vr_id <n> [ipv6] <address> ...`."""
    key, _, hosts = _named(tables, line)
    set_peers(tables, key, hosts)


def _command_track(tables: Tables, line: Input) -> None:
    """`vrrp vr track-if (add|del) <interface> vr_id <n> [ipv6] track-index <n> priority <n> ...`."""
    key, words, _ = _named(tables, line, "add", "del")
    while (number := line.number_after("track-index")) is not None:
        priority = line.number_after("priority")
        if priority is None:
            break
        router = _require(tables, key)
        if not tables.sw.has(number):
            raise RefusedError(Retval.UNSPECIFIED, f"tracked intf sw_if_index {number} invalid")
        if not 0 < priority < router.priority:
            text = f"tracked intf priority must be less than VR priority ({router.priority})"
            raise RefusedError(Retval.UNSPECIFIED, text)
        track(tables, key, number, priority, is_add=words == ["add"])


def _load(tables: Tables, state: RouterState, rows: Rows) -> None:
    """Put virtual routers into the tables, those that run too."""
    for each in state.of(VirtualRouter).values():
        key = rows[each.interface].index, each.vr_id, each.is_ipv6
        flags = _PREEMPT * each.is_preempting | _ACCEPT * each.is_accepting | _IPV6 * each.is_ipv6
        router = Router(
            priority=each.priority,
            interval=each.interval_cs,
            flags=flags | _UNICAST * bool(each.peers),
            addresses=[ipaddress.ip_address(host) for host in each.addresses],
            peers=[ipaddress.ip_address(host) for host in each.peers],
            tracked={rows[tracked.interface].index: tracked.priority for tracked in each.tracked},
        )
        create(tables, key, router)
        if each.is_running:
            start(tables, key)


KIND = Kind(
    plugin="vrrp",
    changes={
        "vrrp_vr_add_del": _answer_add,
        "vrrp_vr_start_stop": lambda call, values: (start if values["is_start"] else stop)(call.tables, _key(values)),
        "vrrp_vr_set_peers": _answer_peers,
        "vrrp_vr_track_if_add_del": _answer_track,
    },
    commands={
        "show vrrp vr": _command_show,
        "vrrp vr add": _command_add,
        "vrrp vr del": _command_del,
        "vrrp vr track-if": _command_track,
        "vrrp proto": _command_proto,
        "vrrp peers": _command_peers,
    },
    load=_load,
    queries={
        "vrrp_vr_dump": _dump,
        "vrrp_vr_peer_dump": _dump_peers,
        "vrrp_vr_track_if_dump": _dump_tracked,
    },
    admin_changed=_admin_changed,
)
