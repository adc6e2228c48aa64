"""Simulates IPsec: security associations, protection of tunnels, interfaces, policy databases (vnet/ipsec).

Nothing is encrypted. Policy databases and their bindings outlive interfaces (ipsec_spd.c).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.tunnels import Address, address_of, address_values
from vppcfg.simulator.wire import NONE, Outgoing, Values

_DEVICE_CLASS = "IPSEC Tunnel"
_MTU = 9000
_ANTI_REPLAY, _TUNNEL, _UDP = 2, 4, 16
"""Flags of a security association (ipsec_sad_flags)."""
_CLEANS_UP = ReleaseQuirk(span="24.10-", text="protection goes with its interface (43b6ff39aef)")


@dataclass(slots=True, kw_only=True)
class Association:
    """A security association (ipsec_sa_t)."""

    values: dict[str, Any]
    """The fields of the message that made it."""
    users: int = 0
    is_kept: bool = True
    """Whether it is not deleted yet; one in use goes with its last user."""


@dataclass(slots=True, kw_only=True)
class Protection:
    """What protects one tunnel, or one next hop of a multipoint tunnel (ipsec_tun_protect_t)."""

    sw_if_index: int
    next_hop: Address
    sa_out: int
    sa_in: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class IpsecMain:
    """Everything, by ids and interfaces."""

    associations: dict[int, Association] = field(default_factory=dict)
    protections: list[Protection] = field(default_factory=list)
    stillborn: list[Protection] = field(default_factory=list)
    """Rows of requests that were refused too late: they protect nothing, and are shown for ever."""
    interfaces: dict[int, int] = field(default_factory=dict)
    """The number of each ipsecN by sw_if_index."""

    def find(self, sw_if_index: int, next_hop: Address | None) -> Protection | None:
        """Return what protects an interface, where it is a multipoint tunnel what protects a next hop of it."""
        for each in self.protections:
            if each.sw_if_index == sw_if_index and next_hop in (None, each.next_hop):
                return each
        return None

    def use(self, ids: tuple[int, ...]) -> None:
        """Count users of associations."""
        for number in ids:
            self.associations[number].users += 1

    def release(self, ids: tuple[int, ...]) -> None:
        """Let associations go; those that were deleted meanwhile disappear with the last user."""
        for number in ids:
            known = self.associations[number]
            known.users -= 1
            if not known.users and not known.is_kept:
                del self.associations[number]


def protect(tables: Tables, sw_if_index: int, next_hop: Address, sa_out: int, sa_in: tuple[int, ...]) -> None:
    """Protect a tunnel, or change what does; raise RefusedError. What a refused request locked stays locked."""
    main = tables.part(IpsecMain)
    for number in (*sa_in, sa_out):
        if number not in main.associations:
            raise RefusedError(Retval.INVALID_VALUE)
        main.use((number,))
    port = tables.hw_of(tables.sw[sw_if_index])
    known = main.find(sw_if_index, next_hop if port.is_multipoint else None)
    if known is not None:
        main.release((*known.sa_in, known.sa_out))
        known.sa_out, known.sa_in = sa_out, sa_in
        return
    if not port.is_ip_tunnel:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    row = Protection(sw_if_index=sw_if_index, next_hop=next_hop, sa_out=sa_out, sa_in=sa_in)
    if port.device_class == _DEVICE_CLASS and not main.associations[sa_out].values["entry.flags"] & _TUNNEL:
        main.stillborn.append(row)
        raise RefusedError(Retval.INVALID_DST_ADDRESS)
    main.protections.append(row)


def unprotect(tables: Tables, sw_if_index: int, next_hop: Address) -> None:
    """Take the protection off a tunnel; raise RefusedError when there is none."""
    main = tables.part(IpsecMain)
    port = tables.hw_of(tables.sw[sw_if_index])
    known = required(main.find(sw_if_index, next_hop if port.is_multipoint else None), retval=Retval.NO_SUCH_ENTRY)
    main.protections.remove(known)
    main.release((*known.sa_in, known.sa_out))


def _interface_gone(tables: Tables, sw_if_index: int) -> None:
    main = tables.part(IpsecMain)
    main.interfaces.pop(sw_if_index, None)
    if tables.release.has(_CLEANS_UP):
        for each in [each for each in main.protections if each.sw_if_index == sw_if_index]:
            main.protections.remove(each)
            main.release((*each.sa_in, each.sa_out))


def add_association(tables: Tables, values: Values) -> None:
    """Make a security association of the fields of a message; raise RefusedError when there is one of this id."""
    known = tables.part(IpsecMain).associations
    number = values["entry.sad_id"]
    if number in known:
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS)
    known[number] = Association(values={name: value for name, value in values.items() if name.startswith("entry.")})


def delete_association(tables: Tables, number: int) -> None:
    """Delete a security association, at once or when it is no longer used; raise RefusedError when there is none."""
    known = tables.part(IpsecMain).associations
    if number not in known:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    known[number].is_kept = False
    if not known[number].users:
        del known[number]


def _dumped(values: dict[str, Any]) -> dict[str, Any]:
    """Return an association as in a dump: the bytes of the salt swapped, and zeros where a flag is missing."""
    salt = int.from_bytes(values["entry.salt"].to_bytes(4), "little")
    dumped = {**values, "entry.salt": salt}
    for flag, prefixes in (
        (_TUNNEL, ("entry.tunnel.",)),
        (_UDP, ("entry.udp_",)),
        (_ANTI_REPLAY, ("entry.anti_replay",)),
    ):
        if not values["entry.flags"] & flag:
            dumped = {name: value for name, value in dumped.items() if not name.startswith(prefixes)}
    return dumped


def _answer_add(call: Call, values: Values) -> None:
    add_association(call.tables, values)


def _dump_associations(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show all associations, whatever id was asked for."""
    for known in call.tables.part(IpsecMain).associations.values():
        yield call.details({**_dumped(known.values), "sw_if_index": NONE})


def _answer_protect(call: Call, values: Values) -> None:
    index = values["tunnel.sw_if_index"]
    interfaces.require(call.tables, index)
    hop = address_of(values, "tunnel.nh")
    protect(call.tables, index, hop, values["tunnel.sa_out"], tuple(values["tunnel.sa_in"]))


def _answer_unprotect(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    unprotect(call.tables, values["sw_if_index"], address_of(values, "nh"))


def _dump_protections(call: Call, values: Values) -> Iterator[Outgoing]:
    main, desired = call.tables.part(IpsecMain), values["sw_if_index"]
    rows = [*main.protections, *(main.stillborn if desired == NONE else ())]
    for each in sorted(rows, key=lambda row: row.sw_if_index):
        if desired in (NONE, each.sw_if_index):
            shown = {"tun.sw_if_index": each.sw_if_index, "tun.sa_out": each.sa_out, "tun.sa_in": each.sa_in}
            yield call.details({**shown, **address_values("tun.nh", each.next_hop)})


def create_interface(tables: Tables, number: int) -> SwInterface:
    """Make ipsecN, of the lowest free number when none is named; raise RefusedError when it is taken."""
    taken = tables.part(IpsecMain).interfaces
    free = next(each for each in range(len(taken) + 1) if each not in taken.values()) if number == NONE else number
    if free in taken.values():
        raise RefusedError(Retval.INVALID_REGISTRATION)
    port = HwInterface(
        name=f"ipsec{free}",
        device_class=_DEVICE_CLASS,
        is_ethernet=False,
        is_ip_tunnel=True,
        has_gso=False,
    )
    row = interfaces.create_port(tables, port, _MTU)
    taken[row.index] = free
    return row


def delete_interface(tables: Tables, sw_if_index: int) -> None:
    """Delete ipsecN; raise RefusedError for what is none."""
    if sw_if_index not in tables.part(IpsecMain).interfaces:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    interfaces.delete_port(tables, tables.hw_of(tables.sw[sw_if_index]).index)


def _answer_create(call: Call, values: Values) -> Outgoing:
    return call.reply(sw_if_index=create_interface(call.tables, values["itf.user_instance"]).index)


def _dump_interfaces(call: Call, values: Values) -> Iterator[Outgoing]:
    for index, number in call.tables.part(IpsecMain).interfaces.items():
        if values["sw_if_index"] in (NONE, index):
            yield call.details({"itf.user_instance": number, "itf.sw_if_index": index})


def _follow_admin_state(tables: Tables, sw_if_index: int) -> None:
    if sw_if_index in tables.part(IpsecMain).interfaces:
        row = tables.sw[sw_if_index]
        tables.hw_of(row).is_link_up = row.is_up


_FEATURES = (
    *arcs.both("ip{}-output", "ipsec{}-output-feature"),
    *arcs.both("ip{}-unicast", "ipsec{}-input-feature"),
)


@dataclass(slots=True, kw_only=True)
class SpdMain:
    """The databases by their place, and their places by interface."""

    ids: Pool[tuple[int, int]] = field(default_factory=Pool)
    """Place and id."""
    bound: dict[int, int] = field(default_factory=dict)

    def place_of(self, spd_id: int) -> int | None:
        """Return where a database is."""
        return next((place for place, known in self.ids if known == spd_id), None)


def add_delete_spd(tables: Tables, spd_id: int, *, is_add: bool) -> None:
    """Make a database, or delete one with all that it is bound to; raise RefusedError."""
    main = tables.part(SpdMain)
    place = main.place_of(spd_id)
    if is_add:
        if place is not None:
            raise RefusedError(Retval.ENTRY_ALREADY_EXISTS)
        main.ids.add(lambda index: (index, spd_id))
        return
    place = required(place, retval=Retval.NO_SUCH_ENTRY)
    for sw_if_index in [index for index, known in main.bound.items() if known == place]:
        _unbind_spd(tables, sw_if_index)
    main.ids.remove(place)


def bind_spd(tables: Tables, sw_if_index: int, spd_id: int, *, is_add: bool) -> None:
    """Bind a database to an interface, or take it off; raise RefusedError."""
    main = tables.part(SpdMain)
    place = required(main.place_of(spd_id), retval=Retval.SYSCALL_ERROR_1)
    if (sw_if_index in main.bound) == is_add:
        raise RefusedError(Retval.SYSCALL_ERROR_2)
    if is_add:
        main.bound[sw_if_index] = place
        arcs.enable(tables, sw_if_index, *_FEATURES)
    else:
        _unbind_spd(tables, sw_if_index)


def _unbind_spd(tables: Tables, sw_if_index: int) -> None:
    del tables.part(SpdMain).bound[sw_if_index]
    arcs.disable(tables, sw_if_index, *_FEATURES)


def _answer_bind(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    bind_spd(call.tables, values["sw_if_index"], values["spd_id"], is_add=values["is_add"])


def _dump_spds(call: Call, _values: Values) -> Iterator[Outgoing]:
    for _, spd_id in call.tables.part(SpdMain).ids:
        yield call.details({"spd_id": spd_id})


def _dump_bound_spds(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show what databases are bound to, by their place and not their id, interfaces that are gone too."""
    for sw_if_index, place in call.tables.part(SpdMain).bound.items():
        if not values["spd_index_valid"] or values["spd_index"] == place:
            yield call.details({"spd_index": place, "sw_if_index": sw_if_index})


def _command_spd(tables: Tables, rest: Input) -> None:
    """`ipsec spd add|del <id>`, whose result VPP does not look at."""
    line = rest.line()
    is_add = not line.take("del")
    line.take("add")
    spd_id = line.number()
    if spd_id is None:
        raise line.unknown("parse error")
    with suppress(RefusedError):
        add_delete_spd(tables, spd_id, is_add=is_add)


def _command_bind(tables: Tables, rest: Input) -> None:
    """`set interface ipsec spd <interface> <id> [del]`."""
    line = rest.line()
    row = line.require_interface(tables, "parse error")
    spd_id = line.number()
    if spd_id is None:
        raise line.unknown("parse error")
    bind_spd(tables, row.index, spd_id, is_add=not line.take("del"))


KIND = Kind(
    changes={
        "ipsec_sad_entry_add": _answer_add,
        "ipsec_sad_entry_add_v2": _answer_add,
        "ipsec_sad_entry_del": lambda call, values: delete_association(call.tables, values["id"]),
        "ipsec_tunnel_protect_update": _answer_protect,
        "ipsec_tunnel_protect_del": _answer_unprotect,
        "ipsec_itf_create": _answer_create,
        "ipsec_itf_delete": lambda call, values: delete_interface(call.tables, values["sw_if_index"]),
        "ipsec_spd_add_del": lambda call, values: add_delete_spd(
            call.tables, values["spd_id"], is_add=values["is_add"]
        ),
        "ipsec_interface_add_del_spd": _answer_bind,
    },
    queries={
        "ipsec_sa_v3_dump": _dump_associations,
        "ipsec_sa_v4_dump": _dump_associations,
        "ipsec_sa_v5_dump": _dump_associations,
        "ipsec_tunnel_protect_dump": _dump_protections,
        "ipsec_itf_dump": _dump_interfaces,
        "ipsec_spds_dump": _dump_spds,
        "ipsec_spd_interface_dump": _dump_bound_spds,
    },
    quirks=(_CLEANS_UP,),
    deleted=_interface_gone,
    admin_changed=_follow_admin_state,
    commands={
        "ipsec spd": _command_spd,
        "set interface ipsec spd": _command_bind,
    },
)
