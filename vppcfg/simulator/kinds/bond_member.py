"""Simulates interfaces in bonds: how they join and leave, and what that does to MAC addresses and links (vnet/bonding).

The tables of bonds stand here too, for bonds are made of members: `bond` builds on this module. The other side of
LACP (plugins/lacp) never answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from vppcfg.errors import UsageError
from vppcfg.model.bond import Bond
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.port import generated_mac, mac_bytes
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import DiedError, RefusedError, Retval, required
from vppcfg.simulator.tables import HwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, fixed

BOND_CLASS = "bond"
"""Device class of a bond."""
IS_ALWAYS_LINKED = ReleaseQuirk(
    span="-26.02", text="a bond has its link from the beginning, whatever its members do (69ec0049fc9)"
)
_LOOKS_FOR_THE_INTERFACE = ReleaseQuirk(
    span="24.02-", text="an index that no interface has is refused as such, not as no member (9c6fd897fda)"
)
_ENDS_ANNOUNCING = ReleaseQuirk(
    span="-24.06",
    text="VPP crashes when a bond gets another active member, where it has IPv4 addresses without routes (3ac2ac53249)",
)
_FIRST_OWN_MAC = 0x20000
"""Where the MAC addresses begin that members of loaded bonds get back when they leave."""


class Mode(IntEnum):
    """bond_mode (vnet/bonding/bond.api)."""

    ROUND_ROBIN = 1
    ACTIVE_BACKUP = 2
    XOR = 3
    BROADCAST = 4
    LACP = 5


class LoadBalance(IntEnum):
    """bond_lb_algo (vnet/bonding/bond.api); the last three belong to modes that leave no choice."""

    L2 = 0
    L34 = 1
    L23 = 2
    ROUND_ROBIN = 3
    BROADCAST = 4
    ACTIVE_BACKUP = 5


@dataclass(slots=True, kw_only=True)
class BondRow:
    """One bond (bond_if_t)."""

    index: int
    number: int
    """The N of BondEthernetN."""
    mode: Mode
    load_balance: LoadBalance
    mac: bytes
    """What new members get; a MAC set on the bond's interface later does not come here."""
    has_custom_mac: bool = False
    has_gso: bool = False
    is_numa_only: bool = False
    hw_index: int = 0
    sw_if_index: int = 0
    members: list[int] = field(default_factory=list)
    """sw_if_index of each, in the order in which they joined."""
    active: list[int] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class MemberRow:
    """An interface in a bond (member_if_t)."""

    sw_if_index: int
    bond: int
    """Index of the bond."""
    own_mac: bytes
    """What its port gets back when it leaves."""
    is_passive: bool = False
    is_long_timeout: bool = False
    is_local_numa: bool = False
    """Known once the member has been in use; here all ports are near."""
    weight: int = 0


@dataclass(slots=True, kw_only=True)
class BondMain:
    """All bonds (bond_main_t)."""

    bonds: Pool[BondRow] = field(default_factory=Pool)
    by_sw: dict[int, int] = field(default_factory=dict)
    """Index of a bond by the sw_if_index of its interface."""
    members: dict[int, MemberRow] = field(default_factory=dict)
    """By sw_if_index."""
    numbers: set[int] = field(default_factory=set)

    def of_sw(self, sw_if_index: int) -> BondRow | None:
        """Return the bond whose interface has `sw_if_index`."""
        index = self.by_sw.get(sw_if_index)
        return None if index is None else self.bonds[index]


def add(tables: Tables, bond_index: int, joining: int, *, is_passive: bool, is_long_timeout: bool) -> None:
    """Let an interface join a bond; raise RefusedError with VPP's code.

    The first member gives the bond its MAC, unless the bond has a custom one; the other members get the bond's. VPP
    ends at a member without a MAC.
    """
    main = tables.part(BondMain)
    bond = required(main.of_sw(bond_index), "bond interface not found", Retval.INVALID_INTERFACE)
    if joining in main.members:
        raise RefusedError(Retval.VALUE_EXIST, "interface was already added as member")
    row = interfaces.require(tables, joining)
    port = tables.hw_of(row)
    if port.device_class == BOND_CLASS:
        raise RefusedError(Retval.INVALID_INTERFACE, "bond interface cannot be added as member")
    if bond.has_gso and not port.has_gso:
        raise RefusedError(Retval.INVALID_INTERFACE, "member interface is not gso capable")
    if not port.is_ethernet:
        raise DiedError
    member = MemberRow(sw_if_index=joining, bond=bond.index, own_mac=port.mac)
    member.is_passive, member.is_long_timeout = is_passive, is_long_timeout
    main.members[joining] = member
    bond.members.append(joining)
    _share_mac(tables, bond, port)
    _follow_state(tables, bond, member)


def _share_mac(tables: Tables, bond: BondRow, port: HwInterface) -> None:
    if len(bond.members) == 1 and not bond.has_custom_mac:
        bond.mac = tables.hw[bond.hw_index].mac = port.mac
    else:
        port.mac = bond.mac


def detach(tables: Tables, sw_if_index: int) -> None:
    """Take an interface out of its bond; it gets its own MAC back. Raise RefusedError when it is in none."""
    main = tables.part(BondMain)
    member = required(main.members.pop(sw_if_index, None), "interface was not a member", Retval.INVALID_INTERFACE)
    bond = main.bonds[member.bond]
    _remove(bond.members, sw_if_index)
    _deactivate(tables, bond, member)
    row = tables.sw.get(sw_if_index)
    if row is not None:
        tables.hw_of(row).mac = member.own_mac


def set_weight(tables: Tables, sw_if_index: int, weight: int) -> None:
    """Set how much a member is preferred; raise RefusedError in any mode but active-backup."""
    main = tables.part(BondMain)
    member = required(main.members.get(sw_if_index), "Interface not a member", Retval.INVALID_INTERFACE)
    bond = main.bonds[member.bond]
    if bond.mode is not Mode.ACTIVE_BACKUP:
        raise RefusedError(Retval.INVALID_ARGUMENT, "Weight valid for active-backup only")
    member.weight = weight
    former = list(bond.active)
    _sort(main, bond)
    _announce(tables, bond, former)


def _sort(main: BondMain, bond: BondRow) -> None:
    """Put the preferred member first: by weight, then the one in use, then the lowest index (bond_member_sort)."""
    first = bond.active[0] if bond.active else NONE
    bond.active.sort(key=lambda index: (-main.members[index].weight, index != first, index))


def _announce(tables: Tables, bond: BondRow, former: Sequence[int]) -> None:
    """Tell neighbours of the addresses of a bond and its sub-interfaces when it has another active member.

    A real VPP does so a moment later, when the CLI or the API have nothing more to do.
    """
    if bond.mode is not Mode.ACTIVE_BACKUP or not bond.active or bond.active[0] in former[:1]:
        return
    for row in tables.sw if tables.release.has(_ENDS_ANNOUNCING) else ():
        if tables.parent_of(row).index == bond.sw_if_index:
            owner = tables.sw.get(row.index if row.unnumbered is None else row.unnumbered)
            lengths = [] if owner is None else [each.length for each in tables.ip4.of(owner.index)]
            if owner is not None and lengths and (not owner.is_up or min(lengths) == tables.ip4.bits):
                raise DiedError


def _admin_state_changed(tables: Tables, sw_if_index: int) -> None:
    """Let a bond know that one of its members, or its own interface, went up or down."""
    main = tables.part(BondMain)
    member = main.members.get(sw_if_index)
    if member is not None:
        _follow_state(tables, main.bonds[member.bond], member)
    bond = main.of_sw(sw_if_index)
    if bond is not None:
        _set_link(tables, bond)


def _interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Take an interface that goes away out of its bond."""
    if sw_if_index in tables.part(BondMain).members:
        detach(tables, sw_if_index)


def _follow_state(tables: Tables, bond: BondRow, member: MemberRow) -> None:
    """Use a member while it is up. With LACP the other side would decide, which is not simulated."""
    row = tables.sw.get(member.sw_if_index)
    if bond.mode is Mode.LACP or row is None:
        return
    if not row.is_up or not tables.hw_of(row).is_link_up:
        _deactivate(tables, bond, member)
    elif member.sw_if_index not in bond.active:
        former = list(bond.active)
        bond.active.append(member.sw_if_index)
        member.is_local_numa = True
        if bond.mode is Mode.ACTIVE_BACKUP:
            _sort(tables.part(BondMain), bond)
        _set_link(tables, bond)
        _announce(tables, bond, former)


def _deactivate(tables: Tables, bond: BondRow, member: MemberRow) -> None:
    if member.sw_if_index in bond.active:
        former = list(bond.active)
        _remove(bond.active, member.sw_if_index)
        _set_link(tables, bond)
        _announce(tables, bond, former)


def _remove(members: list[int], sw_if_index: int) -> None:
    """Take one out; the last one comes to its place (vec_del1)."""
    last = members.pop()
    if last != sw_if_index:
        members[members.index(sw_if_index)] = last


def _set_link(tables: Tables, bond: BondRow) -> None:
    row = tables.sw.get(bond.sw_if_index)
    if row is not None and not tables.release.has(IS_ALWAYS_LINKED):
        interfaces.set_link(tables, tables.hw[bond.hw_index], row.is_up and bool(bond.active))


def _answer_add(call: Call, values: Values) -> None:
    """Let an interface join a bond."""
    interfaces.require(call.tables, values["sw_if_index"])
    add(
        call.tables,
        values["bond_sw_if_index"],
        values["sw_if_index"],
        is_passive=values["is_passive"],
        is_long_timeout=values["is_long_timeout"],
    )


def _answer_detach(call: Call, values: Values) -> None:
    _require(call.tables, values["sw_if_index"])
    detach(call.tables, values["sw_if_index"])


def _answer_weight(call: Call, values: Values) -> None:
    _require(call.tables, values["sw_if_index"])
    set_weight(call.tables, values["sw_if_index"], values["weight"])


def _require(tables: Tables, sw_if_index: int) -> None:
    if tables.release.has(_LOOKS_FOR_THE_INTERFACE):
        interfaces.require(tables, sw_if_index)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the members of a bond; a sub-interface has the name of port 0."""
    tables, main = call.tables, call.tables.part(BondMain)
    row = main.of_sw(values["sw_if_index"])
    for index in row.members if row is not None else ():
        member = main.members[index]
        yield call.details(
            {
                "sw_if_index": index,
                "interface_name": fixed(tables.hw[tables.sw[index].hw_index].name, 64),
                "is_passive": member.is_passive,
                "is_long_timeout": member.is_long_timeout,
                "is_local_numa": member.is_local_numa,
                "weight": member.weight,
            }
        )


_MISSING = "Missing required arguments."


def _unknown() -> RefusedError:
    """Return VPP's refusal, which repeats the rest of the line; nothing is left of it."""
    return RefusedError(Retval.UNSPECIFIED, "unknown input `'")


def _command_add(tables: Tables, rest: Input) -> None:
    """`bond add <bond> <interface> [passive] [long-timeout]`."""
    line = rest.line_with(_MISSING)
    group, joining = line.interface(tables), line.interface(tables)
    if group is None or joining is None:
        raise _unknown()
    options = {"passive": False, "long-timeout": False}
    while not line.is_at_end:
        word = next((word for word in options if line.take(word)), None)
        if word is None:
            raise _unknown()
        options[word] = True
    add(tables, group.index, joining.index, is_passive=options["passive"], is_long_timeout=options["long-timeout"])


def _command_detach(tables: Tables, rest: Input) -> None:
    """`bond del <interface>`; of several the last counts, as in `bond del <bond> <member>`."""
    line = rest.line_with(_MISSING)
    member = -1
    while not line.is_at_end:
        row = line.interface(tables)
        if row is None:
            raise _unknown()
        member = row.index
    detach(tables, member)


def _command_weight(tables: Tables, rest: Input) -> None:
    """`set interface bond <interface> weight <number>`; what is missing counts as none."""
    line = rest.line_with(_MISSING)
    row = line.interface(tables)
    weight = line.number_after("weight")
    row = required(row, "Interface not a member", Retval.INVALID_INTERFACE)
    set_weight(tables, row.index, weight or 0)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Let members join their bonds.

    A member's own MAC is that of its interface in the state where it is the first member or its MAC is not the bond's;
    else it is made up.
    """
    main = tables.part(BondMain)
    for name, model in state.virtual_as(Bond).items():
        bond = main.of_sw(rows[name].index) if name in rows else None
        if bond is None:
            continue
        for position, (member, settings) in enumerate(model.members.items()):
            if member not in rows:
                raise UsageError(f"the state has {member} as a member of {name} but no such interface")
            desired = state.interfaces[member].mac
            is_own = position == 0 or (desired and desired != state.interfaces[name].mac)
            own = desired if is_own and desired else generated_mac(_FIRST_OWN_MAC + rows[member].index)
            joined = MemberRow(
                sw_if_index=rows[member].index,
                bond=bond.index,
                own_mac=mac_bytes(own),
                is_passive=settings.is_passive,
                is_long_timeout=settings.is_long_timeout,
                weight=settings.weight,
            )
            main.members[joined.sw_if_index] = joined
            bond.members.append(joined.sw_if_index)
        bond.mac = mac_bytes(state.interfaces[name].mac) if state.interfaces[name].mac else bond.mac


_DEFAULTED = 2
"""State of a member's receiving side without a partner (plugins/lacp/rx_machine.h)."""
_ACTOR_STATE, _PARTNER_STATE = 199, 2
_SYSTEM_PRIORITY, _PORT_PRIORITY = 0xFFFF, 255


def _dump_lacp(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show the members of LACP bonds."""
    for row in call.tables.part(BondMain).bonds:
        for position, index in enumerate(row.members if row.mode is Mode.LACP else (), 1):
            yield call.details(_lacp_details(call.tables, row, index, position))


def _lacp_details(tables: Tables, bond: BondRow, sw_if_index: int, position: int) -> Values:
    key = bond.sw_if_index & 0xFFFF
    return {
        "sw_if_index": sw_if_index,
        "interface_name": fixed(tables.hw[tables.sw[sw_if_index].hw_index].name, 64),
        "rx_state": _DEFAULTED,
        "bond_interface_name": fixed(tables.hw[bond.hw_index].name, 64),
        "actor_system_priority": _SYSTEM_PRIORITY,
        "actor_system": bond.mac,
        "actor_key": key,
        "actor_port_priority": _PORT_PRIORITY,
        "actor_port_number": position,
        "actor_state": _ACTOR_STATE,
        "partner_system_priority": _SYSTEM_PRIORITY,
        "partner_key": key,
        "partner_port_priority": _PORT_PRIORITY,
        "partner_port_number": position,
        "partner_state": _PARTNER_STATE,
    }


KIND = Kind(
    quirks=(IS_ALWAYS_LINKED, _LOOKS_FOR_THE_INTERFACE, _ENDS_ANNOUNCING),
    changes={
        "bond_add_member": _answer_add,
        "bond_enslave": _answer_add,
        "bond_detach_member": _answer_detach,
        "bond_detach_slave": _answer_detach,
        "sw_interface_set_bond_weight": _answer_weight,
    },
    queries={"sw_interface_slave_dump": _dump, "sw_member_interface_dump": _dump},
    commands={"bond add": _command_add, "bond del": _command_detach, "set interface bond": _command_weight},
    load=_load,
    deleted=_interface_deleted,
    admin_changed=_admin_state_changed,
)

LACP = Kind(
    plugin="lacp",
    queries={"sw_interface_lacp_dump": _dump_lacp},
)
