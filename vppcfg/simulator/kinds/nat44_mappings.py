"""Simulates static mappings, identity mappings and VRF leaks of NAT44 (plugins/nat/nat44-ed).

A mapping is found by its outer address, port and protocol, whatever table it is for, and by its inner ones in its
table. A mapping by interface is kept in `to_resolve`, and adds a static one as long as the interface has an address.
It outlives the interface, and applies to the next one that gets the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address
from typing import Any

from vppcfg.model.nat44 import NatExemption, NatLeaks, NatMapping, NatProtocol, TwiceNat
from vppcfg.model.state import State
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds.nat44_main import (
    MappingRequest,
    NatMain,
    StaticMapping,
    first_address,
    lock_table,
    main_of,
    unlock_table,
)
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_TWICE, _SELF, _OUT_TO_IN, _ADDRESS_ONLY = 1, 2, 4, 8
_PROTOCOLS = {"icmp": 1, "tcp": 6, "udp": 17}


def set_mapping(tables: Tables, requested: MappingRequest, external: int, *, is_add: bool) -> None:
    """Add or delete a mapping or an identity, by interface unless its index is NONE; raise RefusedError."""
    main = main_of(tables)
    _check_flags(requested)
    if requested.sw_if_index == NONE:
        _set_static_mapping(tables, requested, external, is_add=is_add)
        return
    known = next((each for each in main.to_resolve if _is_same(each, requested)), None)
    first = first_address(tables, requested.sw_if_index)
    if not is_add:
        known = required(known, retval=Retval.NO_SUCH_ENTRY)
        main.to_resolve.remove(known)
        if first is not None:
            _set_static_mapping(tables, requested, first, is_add=False)
        return
    if known is not None:
        raise RefusedError(Retval.VALUE_EXIST)
    if first is not None:
        _set_static_mapping(tables, requested, first, is_add=True)
    main.to_resolve.append(replace(requested, is_resolved=first is not None))


def _check_flags(requested: MappingRequest) -> None:
    is_twice = bool(requested.flags & (_TWICE | _SELF))
    if is_twice and (requested.flags & _ADDRESS_ONLY or requested.is_identity):
        raise RefusedError(Retval.UNSUPPORTED)
    if requested.is_identity and requested.flags & _OUT_TO_IN:
        raise RefusedError(Retval.UNSUPPORTED)


def _is_same(each: MappingRequest, requested: MappingRequest) -> bool:
    if (each.sw_if_index, each.vrf_id) != (requested.sw_if_index, requested.vrf_id):
        return False
    is_whole = bool(each.flags & requested.flags & _ADDRESS_ONLY)
    if each.is_identity and requested.is_identity:
        return is_whole or (each.external_port, each.protocol) == (requested.external_port, requested.protocol)
    ports = (each.local_port, each.external_port, each.protocol)
    return each.local == requested.local and (
        is_whole or ports == (requested.local_port, requested.external_port, requested.protocol)
    )


def _set_static_mapping(tables: Tables, requested: MappingRequest, external: int, *, is_add: bool) -> None:
    if requested.flags & _ADDRESS_ONLY:
        requested = replace(requested, local_port=0, external_port=0, protocol=0)
    if requested.is_identity:
        requested = replace(requested, local=external, local_port=requested.external_port)
    main = tables.part(NatMain)
    vrf_id = main.inside_vrf if requested.vrf_id == NONE else requested.vrf_id
    outer = (external, requested.external_port, requested.protocol)
    there = main.outer.get(outer)
    if is_add:
        if there is not None and there.is_identity:
            vrf_id = requested.vrf_id  # a further one, in a table with the number of none where none is named
            tables.fib4.find_or_create(vrf_id)
        _add(main, requested, outer, there, vrf_id)
        lock_table(tables, vrf_id)
    elif there is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    else:
        unlock_table(tables, _delete(main, requested, outer, there, vrf_id))


def _add(
    main: NatMain, requested: MappingRequest, outer: tuple[int, int, int], there: StaticMapping | None, vrf_id: int
) -> None:
    inner = (requested.local, requested.local_port, vrf_id, requested.protocol)
    if there is not None:
        if not there.is_identity or vrf_id in there.vrfs:
            raise RefusedError(Retval.VALUE_EXIST)
        there.vrfs.append(vrf_id)
        main.inner[inner] = there
        return
    is_inner = not requested.flags & _OUT_TO_IN
    if is_inner and not requested.is_identity and inner in main.inner:
        raise RefusedError(Retval.VALUE_EXIST)
    mapping = StaticMapping(
        local=requested.local,
        local_port=requested.local_port,
        external=outer[0],
        external_port=outer[1],
        protocol=outer[2],
        vrf_id=vrf_id,
        flags=requested.flags,
        tag=requested.tag,
        is_identity=requested.is_identity,
        vrfs=[vrf_id] if requested.is_identity else [],
    )
    main.outer[outer] = mapping
    if is_inner:
        main.inner[inner] = mapping


def _delete(
    main: NatMain, requested: MappingRequest, outer: tuple[int, int, int], there: StaticMapping, vrf_id: int
) -> int:
    """Delete a mapping, or an identity for one table; return the table."""
    table = there.vrf_id
    if requested.is_identity:
        if vrf_id not in there.vrfs:
            raise RefusedError(Retval.NO_SUCH_ENTRY)
        there.vrfs.remove(vrf_id)
        table = vrf_id
    if not requested.flags & _OUT_TO_IN:
        main.inner.pop((requested.local, requested.local_port, table, requested.protocol), None)
    if not there.vrfs:
        del main.outer[outer]
    return table


def _address_changed(tables: Tables, sw_if_index: int, address: int, is_add: bool) -> None:
    """Make mappings by interface follow an address that an interface got or lost; each follows one address at most."""
    main = tables.part(NatMain)
    if not main.is_enabled:
        return
    for each in main.to_resolve:
        if each.sw_if_index == sw_if_index and each.is_resolved != is_add:
            try:
                _set_static_mapping(tables, each, address, is_add=is_add)
            except RefusedError:
                continue
            each.is_resolved = is_add


def _answer_mapping(call: Call, values: Values) -> None:
    flags, is_whole = values["flags"], values["flags"] & _ADDRESS_ONLY
    requested = MappingRequest(
        sw_if_index=values["external_sw_if_index"],
        local=int.from_bytes(values["local_ip_address"]),
        local_port=0 if is_whole else values["local_port"],
        external_port=0 if is_whole else values["external_port"],
        protocol=values["protocol"],
        vrf_id=values["vrf_id"],
        flags=flags,
        tag=values["tag"].split(b"\0", 1)[0],
    )
    external = int.from_bytes(values["external_ip_address"])
    set_mapping(call.tables, requested, external, is_add=bool(values["is_add"]))


def _dump_mappings(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show the mappings as they are in effect, then those that follow an interface, without some of their flags."""
    main = call.tables.part(NatMain)
    for each in main.outer.values():
        if not each.is_identity:
            ends = {"local_ip_address": each.local.to_bytes(4), "external_ip_address": each.external.to_bytes(4)}
            ports = _ports(each.flags, each.protocol, each.local_port, each.external_port)
            yield call.details(
                {
                    "flags": each.flags,
                    **ends,
                    **ports,
                    "external_sw_if_index": NONE,
                    "vrf_id": each.vrf_id,
                    "tag": each.tag,
                }
            )
    for row in main.to_resolve:
        if not row.is_identity:
            ports = _ports(row.flags, row.protocol, row.local_port, row.external_port)
            values = {"local_ip_address": row.local.to_bytes(4), "external_sw_if_index": row.sw_if_index}
            flags = row.flags & (_TWICE | _ADDRESS_ONLY)
            yield call.details({"flags": flags, **values, **ports, "vrf_id": row.vrf_id, "tag": row.tag})


def _ports(flags: int, protocol: int, local: int, external: int) -> dict[str, Any]:
    return {} if flags & _ADDRESS_ONLY else {"protocol": protocol, "local_port": local, "external_port": external}


def _answer_identity(call: Call, values: Values) -> None:
    is_whole = values["flags"] & _ADDRESS_ONLY
    port = 0 if is_whole else values["port"]
    requested = MappingRequest(
        sw_if_index=values["sw_if_index"],
        local=int.from_bytes(values["ip_address"]),
        local_port=port,
        external_port=port,
        protocol=0 if is_whole else values["protocol"],
        vrf_id=values["vrf_id"],
        flags=is_whole,
        tag=values["tag"].split(b"\0", 1)[0],
        is_identity=True,
    )
    set_mapping(call.tables, requested, requested.local, is_add=bool(values["is_add"]))


def _dump_identities(call: Call, _values: Values) -> Iterator[Outgoing]:
    main = call.tables.part(NatMain)
    for each in main.outer.values():
        for vrf_id in each.vrfs:
            values = {"ip_address": each.local.to_bytes(4), "port": each.local_port, "protocol": each.protocol}
            flags = each.flags & _ADDRESS_ONLY
            yield call.details({"flags": flags, **values, "sw_if_index": NONE, "vrf_id": vrf_id, "tag": each.tag})
    for row in main.to_resolve:
        if row.is_identity:
            values = {"sw_if_index": row.sw_if_index, "port": row.local_port, "protocol": row.protocol}
            yield call.details({"flags": row.flags, **values, "vrf_id": row.vrf_id, "tag": row.tag})


def _answer_balanced(call: Call, values: Values) -> None:
    """Add or delete a mapping to several hosts; VPP requires two of them at least."""
    main = main_of(call.tables)
    end = (int.from_bytes(values["external_addr"]), values["external_port"], values["protocol"])
    if values["is_add"]:
        if end in main.balanced or end in main.outer:
            raise RefusedError(Retval.VALUE_EXIST)
        if len(values["locals"]) < 2:
            raise RefusedError(Retval.INVALID_VALUE)
        names = ("external_addr", "external_port", "protocol", "flags", "tag", "locals")
        main.balanced[end] = {name: values[name] for name in names}
        for *_, vrf_id in values["locals"]:
            lock_table(call.tables, vrf_id)
    elif (gone := main.balanced.pop(end, None)) is not None:
        for *_, vrf_id in gone["locals"]:
            unlock_table(call.tables, vrf_id)
    else:
        raise RefusedError(Retval.NO_SUCH_ENTRY)


def _dump_balanced(call: Call, _values: Values) -> Iterator[Outgoing]:
    for values in call.tables.part(NatMain).balanced.values():
        yield call.details({**values, "local_num": len(values["locals"])})


def set_leaks(tables: Tables, table_id: int, *, is_add: bool) -> None:
    """Add or delete the list of tables that a table leaks into, while NAT is disabled too; raise RefusedError."""
    main = tables.part(NatMain)
    if is_add == (table_id in main.leaks):
        raise RefusedError(Retval.VALUE_EXIST if is_add else Retval.NO_SUCH_ENTRY)
    if is_add:
        main.leaks[table_id] = []
        lock_table(tables, table_id)
    else:
        for each in (*main.leaks.pop(table_id), table_id):
            unlock_table(tables, each)


def set_leak(tables: Tables, table_id: int, target: int, *, is_add: bool) -> None:
    """Add a table to that list, or remove it; raise RefusedError."""
    leaks = required(tables.part(NatMain).leaks.get(table_id), retval=Retval.NO_SUCH_ENTRY)
    if is_add == (target in leaks):
        raise RefusedError(Retval.VALUE_EXIST if is_add else Retval.NO_SUCH_ENTRY)
    if is_add:
        leaks.append(target)
        lock_table(tables, target)
    else:
        leaks.remove(target)
        unlock_table(tables, target)


def _answer_leaks(call: Call, values: Values) -> None:
    set_leaks(call.tables, values["table_vrf_id"], is_add=bool(values["is_add"]))


def _answer_leak(call: Call, values: Values) -> None:
    set_leak(call.tables, values["table_vrf_id"], values["vrf_id"], is_add=bool(values["is_add"]))


def _dump_leaks_v1(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show the lists without their tables, in the byte order of the machine."""
    for targets in call.tables.part(NatMain).leaks.values():
        swapped = [int.from_bytes(target.to_bytes(4, "little")) for target in targets]
        yield call.details({"n_vrf_ids": len(targets), "vrf_ids": swapped})


def _dump_leaks(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show the lists, in messages of the first version."""
    for table_id, targets in call.tables.part(NatMain).leaks.items():
        values = {"table_vrf_id": table_id, "n_vrf_ids": len(targets)}
        yield "nat44_ed_vrf_tables_details", {**values, "vrf_ids": targets}


def _command_mapping(tables: Tables, line: Input) -> None:
    """`nat44 add static mapping [tcp|udp|icmp] local <addr> [<port>] external <addr|interface> [<port>] ...`."""
    local, external, sw_if_index = None, 0, NONE
    ports = {"local": 0, "external": 0}
    protocol, vrf_id, flags, is_add = 0, NONE, _ADDRESS_ONLY, True
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        if (found := rest.address4_after("local")) is not None:
            local = int(found)
            ports["local"], flags = _port(rest, flags)
        elif (found := rest.address4_after("external")) is not None:
            external = int(found)
            ports["external"], flags = _port(rest, flags)
        elif (row := rest.interface_after(tables, "external")) is not None:
            sw_if_index = row.index
            ports["external"], flags = _port(rest, flags)
        elif (number := rest.number_after("vrf")) is not None:
            vrf_id = number
        elif (known := rest.choice_after("", _PROTOCOLS)) is not None:
            protocol = known
        elif rest.take("self-twice-nat"):
            flags |= _SELF
        elif rest.take("twice-nat"):
            flags |= _TWICE
        elif rest.take("out2in-only"):
            flags |= _OUT_TO_IN
        elif rest.take("del"):
            is_add = False
        else:
            raise rest.unknown()
    local = required(local, "unexpected missing local address")
    requested = MappingRequest(
        sw_if_index=sw_if_index,
        local=local,
        local_port=ports["local"],
        external_port=ports["external"],
        protocol=protocol,
        vrf_id=vrf_id,
        flags=flags,
        tag=b"",
    )
    _set_by_command(tables, requested, external, is_add=is_add)


def _port(rest: Input, flags: int) -> tuple[int, int]:
    """Return the port that comes next, and the flags with it."""
    number = rest.number()
    return (0, flags) if number is None else (number & 0xFFFF, flags & ~_ADDRESS_ONLY)


def _set_by_command(tables: Tables, requested: MappingRequest, external: int, *, is_add: bool) -> None:
    try:
        set_mapping(tables, requested, external, is_add=is_add)
    except RefusedError as refusal:
        words = "mapping already exists" if refusal.retval is Retval.VALUE_EXIST else "mapping failed"
        raise RefusedError(Retval.UNSPECIFIED, words) from refusal


def _command_identity(tables: Tables, line: Input) -> None:
    """`nat44 add identity mapping <addr>|external <interface> [<protocol> <port>] [vrf <id>] [del]`."""
    address, sw_if_index, port, protocol, vrf_id, is_add = 0, NONE, 0, 0, NONE, True
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        if (found := rest.address4()) is not None:
            address = int(found)
        elif (row := rest.interface_after(tables, "external")) is not None:
            sw_if_index = row.index
        elif (number := rest.number_after("vrf")) is not None:
            vrf_id = number
        elif (known := rest.choice_after("", _PROTOCOLS)) is not None and (number := rest.number()) is not None:
            protocol, port = known, number & 0xFFFF
        elif rest.take("del"):
            is_add = False
        else:
            raise rest.unknown()
    requested = MappingRequest(
        sw_if_index=sw_if_index,
        local=address,
        local_port=port,
        external_port=port,
        protocol=protocol,
        vrf_id=vrf_id,
        flags=0 if protocol else _ADDRESS_ONLY,
        tag=b"",
        is_identity=True,
    )
    _set_by_command(tables, requested, address, is_add=is_add)


def _command_leaks(tables: Tables, line: Input) -> None:
    """`nat44 vrf table [add|del] <id>`."""
    is_add, table_id = True, None
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        if (number := rest.number()) is not None:
            table_id = number
        elif (word := rest.choice_after("", {"add": True, "del": False})) is not None:
            is_add = word
        else:
            raise rest.unknown()
    table_id = required(table_id, "vrf id required")
    set_leaks(tables, table_id, is_add=is_add)


def _command_leak(tables: Tables, line: Input) -> None:
    """`nat44 vrf route [add|del] table <id> <id>`."""
    is_add, numbers = True, dict[str, int]()
    rest = line.line_with("expected required argument(s)")
    while not rest.is_at_end:
        if rest.take_setting("table", numbers):
            continue
        if (number := rest.number()) is not None:
            numbers["target"] = number
        elif (word := rest.choice_after("", {"add": True, "del": False})) is not None:
            is_add = word
        else:
            raise rest.unknown()
    if len(numbers) < 2:
        raise RefusedError(Retval.UNSPECIFIED, "vrf id required")
    set_leak(tables, numbers["table"], numbers["target"], is_add=is_add)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    numbers = {None: 0, NatProtocol.ICMP: 1, NatProtocol.TCP: 6, NatProtocol.UDP: 17}
    for each in state.of(NatMapping).values():
        twice = {TwiceNat.NO: 0, TwiceNat.YES: _TWICE, TwiceNat.SELF: _SELF}[each.twice]
        flags = twice | (_OUT_TO_IN if each.is_out_to_in_only else 0) | (0 if each.protocol else _ADDRESS_ONLY)
        lost = flags if each.interface else 0
        tag = each.tag + ("|out2in" if lost & _OUT_TO_IN else "") + ("|self" if lost & _SELF else "")
        requested = MappingRequest(
            sw_if_index=rows[each.interface].index if each.interface else NONE,
            local=int(IPv4Address(each.local)),
            local_port=each.local_port,
            external_port=each.external_port,
            protocol=numbers[each.protocol],
            vrf_id=each.table_id,
            flags=flags,
            tag=tag.encode(),
        )
        set_mapping(tables, requested, int(IPv4Address(each.external or 0)), is_add=True)
    for exempt in state.of(NatExemption).values():
        address = int(IPv4Address(exempt.address or 0))
        requested = MappingRequest(
            sw_if_index=rows[exempt.interface].index if exempt.interface else NONE,
            local=address,
            local_port=exempt.port,
            external_port=exempt.port,
            protocol=numbers[exempt.protocol],
            vrf_id=exempt.table_id,
            flags=0 if exempt.protocol else _ADDRESS_ONLY,
            tag=exempt.tag.encode(),
            is_identity=True,
        )
        set_mapping(tables, requested, address, is_add=True)
    for leaks in state.of(NatLeaks).values():
        set_leaks(tables, leaks.table_id, is_add=True)
        for target in leaks.targets:
            set_leak(tables, leaks.table_id, target, is_add=True)


KIND = Kind(
    plugin="nat",
    changes={
        "nat44_add_del_static_mapping_v2": _answer_mapping,
        "nat44_add_del_identity_mapping": _answer_identity,
        "nat44_add_del_lb_static_mapping": _answer_balanced,
        "nat44_ed_add_del_vrf_table": _answer_leaks,
        "nat44_ed_add_del_vrf_route": _answer_leak,
    },
    queries={
        "nat44_static_mapping_dump": _dump_mappings,
        "nat44_identity_mapping_dump": _dump_identities,
        "nat44_lb_static_mapping_dump": _dump_balanced,
        "nat44_ed_vrf_tables_dump": _dump_leaks_v1,
        "nat44_ed_vrf_tables_v2_dump": _dump_leaks,
    },
    commands={
        "nat44 add static mapping": _command_mapping,
        "nat44 add identity mapping": _command_identity,
        "nat44 vrf table": _command_leaks,
        "nat44 vrf route": _command_leak,
    },
    address_changed=_address_changed,
    load=_load,
)
