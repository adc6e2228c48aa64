"""Simulates WireGuard interfaces and their peers (plugins/wireguard). No packet travels, so no peer ever speaks."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.model.wireguard import Wireguard, WireguardPeer
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.tunnels import Address, address_of, address_values
from vppcfg.simulator.wire import NONE, Outgoing, Values
from vppcfg.simulator.x25519 import key_lookup, public_key

_HAS_PRESHARED_KEYS = ReleaseQuirk(span="26.06-", text="a preshared key can be typed (191f96a1567)")
_DEVICE_CLASS = "Wireguard Tunnel"
_LAST_NUMBER = 16 * 1024 - 1
_KEY_LETTERS = 44
Prefix = tuple[Address, int]


@dataclass(slots=True, kw_only=True)
class WgInterface:
    """One interface (wg_if_t)."""

    index: int
    number: int
    private_key: bytes
    """b"" where it is unknown, in a state that was loaded."""
    public_key: bytes
    port: int
    source: Address
    sw_if_index: int = NONE


@dataclass(slots=True, kw_only=True)
class WgPeer:
    """One peer (wg_peer_t)."""

    index: int
    sw_if_index: int
    public_key: bytes
    prefixes: tuple[Prefix, ...]
    endpoint: Address
    port: int = 0
    keepalive: int = 0
    table: int = 0
    preshared_key: bytes = bytes(32)


@dataclass(slots=True)
class WireguardMain:
    """All interfaces and all peers."""

    interfaces: Pool[WgInterface] = field(default_factory=Pool)
    peers: Pool[WgPeer] = field(default_factory=Pool)
    by_sw: dict[int, int] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)


def create(tables: Tables, number: int, private_key: bytes, port: int, source: Address) -> SwInterface:
    """Make wgN, which is born down and without an MTU; raise RefusedError when the number is taken or too large."""
    return _register(tables, number, private_key, public_key(private_key), port, source)


def _register(tables: Tables, number: int, private_key: bytes, gives: bytes, port: int, source: Address) -> SwInterface:
    main = tables.part(WireguardMain)
    if number == NONE:
        number = next(free for free in range(_LAST_NUMBER + 2) if free not in main.numbers)
    if number > _LAST_NUMBER or number in main.numbers:
        raise RefusedError(Retval.INVALID_REGISTRATION, "wireguard interface create failed")
    main.numbers.add(number)
    created = main.interfaces.add(
        lambda index: WgInterface(
            index=index, number=number, private_key=private_key, public_key=gives, port=port, source=source
        )
    )
    hardware = HwInterface(
        name=f"wg{number}",
        device_class=_DEVICE_CLASS,
        is_ethernet=False,
        has_gso=False,
    )
    row = interfaces.create_port(tables, hardware, 0)
    created.sw_if_index = row.index
    main.by_sw[row.index] = created.index
    return row


def delete(tables: Tables, row: SwInterface) -> None:
    """Delete an interface and its peers; raise RefusedError for what is none, or is on one (wg_if_delete)."""
    main = tables.part(WireguardMain)
    if tables.hw_of(row).device_class != _DEVICE_CLASS:
        raise RefusedError(Retval.INVALID_VALUE, "wireguard interface delete failed")
    if row.index not in main.by_sw:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX_2, "wireguard interface delete failed")
    to_delete = main.interfaces[main.by_sw.pop(row.index)]
    for peer in [peer for peer in main.peers if peer.sw_if_index == row.index]:
        main.peers.remove(peer.index)
    interfaces.delete_port(tables, tables.hw_of(row).index)
    main.numbers.discard(to_delete.number)
    main.interfaces.remove(to_delete.index)


def add_peer(tables: Tables, sw_if_index: int, key: bytes, **values: Any) -> WgPeer:
    """Add a peer; raise RefusedError when the key has one, anywhere, or the interface is no WireGuard (wg_peer_add)."""
    main = tables.part(WireguardMain)
    if sw_if_index not in main.by_sw:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, "Tunnel is not specified")
    if any(peer.public_key == key for peer in main.peers):
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS, "Peer already exist")
    return main.peers.add(lambda index: WgPeer(index=index, sw_if_index=sw_if_index, public_key=key, **values))


def remove_peer(tables: Tables, index: int) -> None:
    """Remove a peer; raise RefusedError when there is none of that number."""
    main = tables.part(WireguardMain)
    if not main.peers.has(index):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    main.peers.remove(index)


def _masked(address: Address, length: int) -> Prefix:
    return ip_network((address, length), strict=False).network_address, length


def _answer_create(call: Call, values: Values) -> Outgoing:
    key = values["interface.private_key"] if not values["generate_key"] else bytes(range(32))
    source = address_of(values, "interface.src_ip")
    row = create(call.tables, values["interface.user_instance"], key, values["interface.port"], source)
    return call.reply(sw_if_index=row.index)


def _answer_delete(call: Call, values: Values) -> None:
    delete(call.tables, interfaces.require(call.tables, values["sw_if_index"]))


def _answer_add_peer(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["peer.sw_if_index"])
    if not values["peer.allowed_ips"]:
        raise RefusedError(Retval.INVALID_VALUE)
    peer = add_peer(
        call.tables,
        values["peer.sw_if_index"],
        values["peer.public_key"],
        prefixes=tuple(_prefix_of(row) for row in values["peer.allowed_ips"]),
        endpoint=address_of(values, "peer.endpoint"),
        port=values["peer.port"],
        keepalive=values["peer.persistent_keepalive"],
        table=values["peer.table_id"],
        preshared_key=values["peer.preshared_key"] if values.get("peer.preshared_key_set") else bytes(32),
    )
    return call.reply(peer_index=peer.index)


def _prefix_of(row: tuple[int, bytes, int]) -> Prefix:
    family, packed, length = row
    return _masked(address_of({"a.af": family, "a.un": packed}, "a"), length)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for each in call.tables.part(WireguardMain).interfaces:
        if values["sw_if_index"] in (NONE, each.sw_if_index):
            shown = {"interface.private_key": each.private_key} if values["show_private_key"] else {}
            yield call.details(
                {
                    **shown,
                    "interface.user_instance": each.number,
                    "interface.sw_if_index": each.sw_if_index,
                    "interface.public_key": each.public_key,
                    "interface.port": each.port,
                    **address_values("interface.src_ip", each.source),
                }
            )


def _dump_peers(call: Call, values: Values) -> Iterator[Outgoing]:
    for peer in call.tables.part(WireguardMain).peers:
        if values["peer_index"] in (NONE, peer.index):
            yield call.details(
                {
                    "peer.peer_index": peer.index,
                    "peer.preshared_key": peer.preshared_key,
                    "peer.preshared_key_set": any(peer.preshared_key),
                    "peer.public_key": peer.public_key,
                    "peer.port": peer.port,
                    "peer.persistent_keepalive": peer.keepalive,
                    "peer.table_id": peer.table,
                    **address_values("peer.endpoint", peer.endpoint),
                    "peer.sw_if_index": peer.sw_if_index,
                    "peer.allowed_ips": [_row_of(prefix) for prefix in peer.prefixes],
                }
            )


def _row_of(prefix: Prefix) -> tuple[int, bytes, int]:
    address, length = prefix
    return int(address.version == 6), address.packed.ljust(16, b"\0"), length


def _key(text: str | None, what: str) -> bytes:
    """Return a key at the prompt (key_from_base64). Raise RefusedError for what is none."""
    try:
        if text is None or len(text) != _KEY_LETTERS:
            raise ValueError
        return b64decode(text, validate=True)[:32]
    except (binascii.Error, ValueError):
        raise RefusedError(Retval.UNSPECIFIED, f"Error parsing {what}") from None


def _command_create(tables: Tables, rest: Input) -> str:
    """`wireguard create listen-port <port> private-key <key> src <IP> [instance <n>]`."""
    line = rest.line()
    number, port, key, source = NONE, 0, bytes(32), ip_address("0.0.0.0")
    while not line.is_at_end:
        if (found := line.number_after("instance")) is not None:
            number = found
        elif line.take("private-key"):
            key = _key(line.string(), "private key")
        elif (found := line.number_after("listen-port")) is not None or (
            found := line.number_after("port")
        ) is not None:
            port = found & 0xFFFF
        elif (address := line.address_after("src")) is not None:
            source = address
        else:
            raise line.unknown_word("unknown input:")
    return f"{tables.name_of(create(tables, number, key, port, source))}\n"


def _command_delete(tables: Tables, line: Input) -> None:
    """`wireguard delete <interface>`."""
    row = required(line.interface(tables), f"no such interface: {line.shown}")
    delete(tables, row)


def _command_add_peer(tables: Tables, rest: Input) -> None:
    """`wireguard peer add <wg_int> public-key <key> [preshared-key <key>] [endpoint <IP> dst-port <port>] ...`."""
    line = rest.line()
    found: dict[str, Any] = {"endpoint": ip_address("0.0.0.0")}
    prefixes: list[Prefix] = []
    index, key = NONE, bytes(32)
    numbers = {"table-id": "table", "dst-port": "port", "persistent-keepalive": "keepalive"}
    while not line.is_at_end:
        line.skip_space()
        if tables.release.has(_HAS_PRESHARED_KEYS) and line.take("preshared-key"):
            found["preshared_key"] = _key(line.string(), "pre-shared key")
        elif line.take("public-key"):
            key = _key(line.string(), "public key")
        elif line.take_field({"endpoint": "endpoint"}, line.address, found) or line.take_field(
            numbers, line.number, found
        ):
            continue
        elif line.take("allowed-ip"):
            prefixes.append(_prefix_at(line))
        else:
            index = required(line.interface(tables), "Input error").index
    if not prefixes:
        raise RefusedError(Retval.UNSPECIFIED, "Allowed IPs are not specified")
    found |= {field: found[field] & 0xFFFF for field in ("port", "keepalive") if field in found}
    add_peer(tables, index, key, prefixes=tuple(prefixes), **found)


def _prefix_at(line: Input) -> Prefix:
    prefix = required(line.prefix(), "Input error")
    is_ipv6, value, length = prefix
    return _masked(ip_address(value.to_bytes(16 if is_ipv6 else 4)), length)


def _command_remove_peer(tables: Tables, rest: Input) -> None:
    """`wireguard peer remove <index>`, which reports nothing when there is no such peer."""
    number = required(rest.line().number(), "Input error")
    if tables.part(WireguardMain).peers.has(number):
        remove_peer(tables, number)


def _follow_admin_state(tables: Tables, sw_if_index: int) -> None:
    if sw_if_index in tables.part(WireguardMain).by_sw:
        row = tables.sw[sw_if_index]
        tables.hw_of(row).is_link_up = row.is_up


def _create(tables: Tables, tunnel: Wireguard, desired: Interface, number: int) -> SwInterface:
    gives = b64decode(tunnel.public_key)
    return _register(tables, number, key_lookup().get(gives, b""), gives, tunnel.port, ip_address(tunnel.local))


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Add the peers; one with an unknown preshared key gets another one."""
    for name, tunnel in state.virtual_as(Wireguard).items():
        for key, peer in tunnel.peers.items():
            add_peer(tables, rows[name].index, b64decode(key), **_loaded(peer))


def _prefix_in(text: str) -> Prefix:
    address, _, length = text.partition("/")
    return _masked(ip_address(address), int(length))


def _loaded(peer: WireguardPeer) -> dict[str, Any]:
    digest = bytes.fromhex(peer.preshared.removeprefix("sha256:"))
    return {
        "prefixes": tuple(
            _masked(ip_address(text.partition("/")[0]), int(text.partition("/")[2])) for text in peer.allowed_ips
        ),
        "endpoint": ip_address(peer.endpoint or "0.0.0.0"),
        "port": peer.port,
        "keepalive": peer.keepalive_s,
        "table": peer.encap_vrf,
        "preshared_key": key_lookup().get(digest, digest) if digest else bytes(32),
    }


KIND = Kind(
    plugin="wireguard",
    quirks=(_HAS_PRESHARED_KEYS,),
    changes={
        "wireguard_interface_create": _answer_create,
        "wireguard_interface_delete": _answer_delete,
        "wireguard_peer_add": _answer_add_peer,
        "wireguard_peer_add_v2": _answer_add_peer,
        "wireguard_peer_remove": lambda call, values: remove_peer(call.tables, values["peer_index"]),
    },
    queries={
        "wireguard_interface_dump": _dump,
        "wireguard_peers_dump": _dump_peers,
        "wireguard_peers_v2_dump": _dump_peers,
    },
    commands={
        "wireguard create": _command_create,
        "wireguard delete": _command_delete,
        "wireguard peer add": _command_add_peer,
        "wireguard peer remove": _command_remove_peer,
    },
    interface=InterfaceKind.WIREGUARD,
    create=_create,
    load=_load,
    admin_changed=_follow_admin_state,
)
