"""What endpoint-dependent NAT44 of a simulated VPP has, and how it changes (plugins/nat/nat44-ed).

It goes off with an interface. What is named by an interface, a pool's address and a mapping, outlives it and takes the
addresses of the next one with the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.simulator import arcs
from vppcfg.simulator.kind import Kind
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE

_LOW, _HIGH = "nat-low", "nat-hi"
"""FIB sources that hold tables: for what NAT has, and for the tables that it is enabled with."""
INSIDE, OUTSIDE, TWICE = 32, 16, 1
"""Flags of messages: NAT_IS_INSIDE, NAT_IS_OUTSIDE, NAT_IS_TWICE_NAT (plugins/nat/lib/nat_types.api)."""
_CLASSIFY = "ip4-unicast", "nat44-ed-classify"
_TO_OUT, _TO_IN = ("ip4-unicast", "nat-pre-in2out"), ("ip4-unicast", "nat-pre-out2in")
_REASSEMBLY = "ip4-unicast", "ip4-sv-reassembly-feature"
_OUTPUT = (
    *(_TO_IN, _REASSEMBLY, ("ip4-output", "nat-pre-in2out-output")),
    ("ip4-output", "ip4-sv-reassembly-output-feature"),
)
"""Arcs and nodes that are turned on for an interface whose output is translated."""
_MOST_ADDRESSES = 1 << 16
"""What a range may have here; VPP has no limit, and is long about it."""
_SESSIONS = 64512
TIMEOUTS = {"udp": 300, "tcp_established": 7440, "tcp_transitory": 240, "icmp": 60}
"""In seconds, until others are set."""


@dataclass(slots=True, kw_only=True)
class StaticMapping:
    """What snat_static_mapping_t has: a mapping in effect, or an identity with the tables that it is for."""

    local: int
    local_port: int
    external: int
    external_port: int
    protocol: int
    vrf_id: int
    flags: int
    tag: bytes
    is_identity: bool = False
    vrfs: list[int] = field(default_factory=list)
    """Of an identity."""


@dataclass(slots=True, kw_only=True)
class MappingRequest:
    """A static mapping as requested; one by interface follows its address (snat_static_mapping_resolve_t)."""

    sw_if_index: int
    local: int
    local_port: int
    external_port: int
    protocol: int
    vrf_id: int
    flags: int
    tag: bytes
    is_identity: bool = False
    is_resolved: bool = False


OuterEnd = tuple[int, int, int]
"""Address, port and protocol, by which VPP finds a mapping from outside (nat44_ed_sm_o2i_lookup)."""
InnerEnd = tuple[int, int, int, int]
"""The same from inside, with the id of the FIB table."""


@dataclass(slots=True, kw_only=True)
class NatMain:
    """What NAT has while it is enabled (snat_main_t)."""

    is_enabled: bool = False
    sessions: int = 0
    inside_vrf: int = 0
    outside_vrf: int = 0
    is_forwarding: bool = False
    mss: int = 0
    timeouts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TIMEOUTS, 0))
    sides: dict[int, int] = field(default_factory=dict)
    """Inside, outside or both, as flags, by sw_if_index."""
    outputs: list[int] = field(default_factory=list)
    pools: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))
    """The VRF id of each address, and of each one for twice-nat."""
    followed: dict[tuple[int, bool], bool] = field(default_factory=dict)
    """Interfaces whose address is in the pool, or in that for twice-nat, and whether it is there."""
    outer: dict[OuterEnd, StaticMapping] = field(default_factory=dict)
    inner: dict[InnerEnd, StaticMapping] = field(default_factory=dict)
    to_resolve: list[MappingRequest] = field(default_factory=list)
    """Mappings by interface."""
    balanced: dict[OuterEnd, dict[str, Any]] = field(default_factory=dict)
    """Mappings to several hosts inside, as they were asked for; affinity is forgotten."""
    leaks: dict[int, list[int]] = field(default_factory=dict)
    users: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Of each host inside: VRF id, address, sessions, and those of mappings; nothing but tests makes any."""


def main_of(tables: Tables) -> NatMain:
    """Return what NAT has; raise RefusedError while it is not enabled."""
    main = tables.part(NatMain)
    if not main.is_enabled:
        raise RefusedError(Retval.UNSUPPORTED)
    return main


def set_side(tables: Tables, sw_if_index: int, side: int, *, is_add: bool) -> None:
    """Have an interface inside or outside, or no longer; raise RefusedError where that cannot be."""
    main = main_of(tables)
    old = main.sides.get(sw_if_index, 0)
    if is_add and sw_if_index in main.outputs:
        raise RefusedError(Retval.VALUE_EXIST)
    if not is_add and not old:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    is_both = old == INSIDE | OUTSIDE
    if is_add and old & side:
        return
    new = old | side if is_add else old & ~side if is_both else 0
    # VPP forgets an interface that is on one side whichever side is named, but turns off the feature of the named one.
    arcs.disable(tables, sw_if_index, *_of_side(old if is_add or is_both else side))
    arcs.enable(tables, sw_if_index, *_of_side(new))
    if new:
        main.sides[sw_if_index] = new
    else:
        main.sides.pop(sw_if_index, None)


def _of_side(flags: int) -> tuple[arcs.Feature, ...]:
    if not flags:
        return ()
    return _REASSEMBLY, _CLASSIFY if flags == INSIDE | OUTSIDE else _TO_OUT if flags == INSIDE else _TO_IN


def set_output(tables: Tables, sw_if_index: int, *, is_add: bool) -> None:
    """Translate what leaves an interface, or no longer; raise RefusedError where that cannot be."""
    main = main_of(tables)
    if is_add and (sw_if_index in main.outputs or sw_if_index in main.sides):
        raise RefusedError(Retval.VALUE_EXIST)
    if not is_add and sw_if_index not in main.outputs:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    arcs.set_features(tables, sw_if_index, _OUTPUT, is_on=is_add)
    if is_add:
        main.outputs.append(sw_if_index)
    else:
        main.outputs.remove(sw_if_index)


def first_address(tables: Tables, sw_if_index: int) -> int | None:
    """Return the first address of an interface, or of the one whose addresses it borrows."""
    row = tables.sw.get(sw_if_index)
    donor = sw_if_index if row is None or row.unnumbered is None else row.unnumbered
    return next((each.address for each in tables.ip4.of(donor)), None)


def follow(tables: Tables, sw_if_index: int, *, is_twice: bool, is_add: bool) -> None:
    """Have the first address of an interface in the pool, now or when it gets one; raise RefusedError.

    One that goes takes the first address along that the interface has then, whoever put it into the pool.
    """
    main, key = main_of(tables), (sw_if_index, is_twice)
    if is_add == (key in main.followed):
        raise RefusedError(Retval.VALUE_EXIST if is_add else Retval.NO_SUCH_ENTRY)
    first = first_address(tables, sw_if_index)
    if not is_add:
        del main.followed[key]
        if first is not None:
            remove_address(tables, first, is_twice=is_twice)
        return
    if first is not None:
        add_address(tables, first, NONE, is_twice=is_twice)
    main.followed[key] = first is not None


def add_address(tables: Tables, address: int, vrf_id: int, *, is_twice: bool) -> None:
    """Put an address into a pool; raise RefusedError where it is there."""
    pool = tables.part(NatMain).pools[is_twice]
    if address in pool:
        raise RefusedError(Retval.VALUE_EXIST)
    pool[address] = vrf_id
    lock_table(tables, vrf_id)


def remove_address(tables: Tables, address: int, *, is_twice: bool) -> None:
    """Take an address out of a pool, whatever mappings use it; raise RefusedError where it is not there."""
    vrf_id = required(tables.part(NatMain).pools[is_twice].pop(address, None), retval=Retval.NO_SUCH_ENTRY)
    unlock_table(tables, vrf_id)


def set_range(tables: Tables, first: int, last: int, vrf_id: int, *, is_twice: bool, is_add: bool) -> None:
    """Add or delete addresses; raise RefusedError at the first one that cannot be."""
    if is_add:
        main_of(tables)
    if last - first >= _MOST_ADDRESSES:
        raise RefusedError(Retval.INVALID_VALUE)
    for address in range(first, last + 1):
        if is_add:
            add_address(tables, address, vrf_id, is_twice=is_twice)
        else:
            remove_address(tables, address, is_twice=is_twice)


def lock_table(tables: Tables, table_id: int, source: str = _LOW) -> None:
    """Lock a FIB table, created where there is none (fib_table_find_or_create_and_lock); NONE is no table."""
    if table_id != NONE:
        tables.fib4.find_or_create(table_id)
        fib.lock_for_lookup(tables, False, table_id, source)


def unlock_table(tables: Tables, table_id: int) -> None:
    """Remove a lock of NAT from a FIB table."""
    if table_id != NONE:
        fib.unlock_for_lookup(tables, False, table_id, _LOW)


def _address_changed(tables: Tables, sw_if_index: int, address: int, is_add: bool) -> None:
    """Let the pool follow an address that an interface has got or lost: one at a time, and no other takes its place.

    Where the interface is in both pools, that for twice-nat does not follow.
    """
    main = tables.part(NatMain)
    key = next((each for each in ((sw_if_index, False), (sw_if_index, True)) if each in main.followed), None)
    if not main.is_enabled or key is None or main.followed[key] == is_add:
        return
    is_twice = key[1]
    if is_add and address not in main.pools[is_twice]:
        add_address(tables, address, NONE, is_twice=is_twice)
        main.followed[key] = True
    elif not is_add and address in main.pools[is_twice]:
        remove_address(tables, address, is_twice=is_twice)
        main.followed[key] = False


def _interface_gone(tables: Tables, sw_if_index: int) -> None:
    main = tables.part(NatMain)
    main.sides.pop(sw_if_index, None)
    if sw_if_index in main.outputs:
        main.outputs.remove(sw_if_index)


def switch(tables: Tables, *, is_on: bool, sessions: int = 0, inside_vrf: int = 0, outside_vrf: int = 0) -> None:
    """Enable NAT, or disable it and forget everything; raise RefusedError where it is so already.

    Timeouts and MSS stay until it is enabled again, and so does the hold on both tables, for ever.
    """
    main = tables.part(NatMain)
    if main.is_enabled == is_on:
        raise RefusedError(Retval.FEATURE_ALREADY_ENABLED if is_on else Retval.FEATURE_ALREADY_DISABLED)
    if not is_on:
        _forget(tables, main)
        return
    main.is_enabled, main.sessions = True, sessions or _SESSIONS
    main.inside_vrf, main.outside_vrf = inside_vrf, outside_vrf
    for table_id in (inside_vrf, outside_vrf):
        lock_table(tables, table_id, _HIGH)
    main.is_forwarding, main.mss = False, 0
    main.timeouts = dict(TIMEOUTS)


def _forget(tables: Tables, main: NatMain) -> None:
    """Disable NAT; raise RefusedError, when all is done, for identities in other tables than the default one."""
    for sw_if_index, flags in list(main.sides.items()):
        for side in (INSIDE, OUTSIDE):
            if flags & side:
                set_side(tables, sw_if_index, side, is_add=False)
    for sw_if_index in list(main.outputs):
        set_output(tables, sw_if_index, is_add=False)
    for table_id in list(_held(main)):
        unlock_table(tables, table_id)
    is_stray = any(each.is_identity and 0 not in each.vrfs for each in main.outer.values())
    for each in (
        *main.pools,
        main.followed,
        main.outer,
        main.inner,
        main.to_resolve,
        main.leaks,
        main.balanced,
        main.users,
    ):
        each.clear()
    main.is_enabled = main.is_forwarding = False
    main.sessions = main.inside_vrf = main.outside_vrf = 0
    if is_stray:
        raise RefusedError(Retval.BUG)


def _held(main: NatMain) -> Iterator[int]:
    """Yield the tables that are let go when NAT is disabled: not those of identities and of mappings to several."""
    for pool in main.pools:
        yield from pool.values()
    yield from (mapping.vrf_id for mapping in main.outer.values() if not mapping.is_identity)
    for table_id, targets in main.leaks.items():
        yield from (table_id, *targets)


KIND = Kind(plugin="nat", deleted=_interface_gone, address_changed=_address_changed)
