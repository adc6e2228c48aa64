"""Fills the tables of a simulated VPP with what it makes itself: loopbacks, bonds, tunnels, TAPs, bridges, lists."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping

from vppcfg.errors import UsageError
from vppcfg.model.acl import Acl, AclAction, AclRule
from vppcfg.model.bond import Bond, BondMode, LoadBalance
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.simulator.handlers.call import to_bytes
from vppcfg.simulator.mains import bond as bond_main
from vppcfg.simulator.mains.acl import AclRow, Rule
from vppcfg.simulator.mains.bridge import Feature
from vppcfg.simulator.mains.mpls import Source
from vppcfg.simulator.port import mac_bytes, made_up_mac
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.vnet import bond, bridge, loopback, mpls, sflow, tap, unnumbered, vxlan

_NUMBER = re.compile(r"\d+$")
_INDEX_IN_NAME = re.compile(r"acl:.*@(\d+)$")
_MODES = {
    BondMode.ROUND_ROBIN: bond_main.Mode.ROUND_ROBIN,
    BondMode.ACTIVE_BACKUP: bond_main.Mode.ACTIVE_BACKUP,
    BondMode.XOR: bond_main.Mode.XOR,
    BondMode.BROADCAST: bond_main.Mode.BROADCAST,
    BondMode.LACP: bond_main.Mode.LACP,
}
_LOAD_BALANCES = {
    LoadBalance.L2: bond_main.LoadBalance.L2,
    LoadBalance.L23: bond_main.LoadBalance.L23,
    LoadBalance.L34: bond_main.LoadBalance.L34,
}
_ACTIONS = {AclAction.DENY: 0, AclAction.PERMIT: 1, AclAction.PERMIT_REFLECT: 2}
_FEATURES = {
    "learn": Feature.LEARN,
    "unicast_flood": Feature.FLOOD,
    "unknown_unicast_flood": Feature.UU_FLOOD,
    "unicast_forward": Feature.FWD,
    "arp_termination": Feature.ARP_TERM,
    "arp_unicast_forward": Feature.ARP_UFWD,
}
_ODD_PORT = 4790
"""Port of a loaded tunnel of which the state only says that it is not a plain one."""
_FIRST_OWN_MAC = 0x20000
"""Where the MAC addresses begin that members of loaded bonds get back when they leave."""


class Maker:
    """Makes the interfaces of a state that VPP makes itself."""

    def __init__(self, tables: Tables, state: State) -> None:
        self._tables = tables
        self._state = state

    def make(self, wanted: Interface) -> SwInterface | None:
        """Make a loopback, bond, tunnel or TAP; return None for any other interface, and for one half described.

        Raise UsageError when VPP refuses it.
        """
        number = _NUMBER.search(wanted.name)
        if number is None:
            return None
        try:
            return self._make(wanted, int(number[0]))
        except RefusedError as refusal:
            raise UsageError(f"VPP cannot have {wanted.name} ({refusal.retval})", refusal.text) from None

    def _make(self, wanted: Interface, number: int) -> SwInterface | None:
        name, kind, state = wanted.name, wanted.kind, self._state
        if kind is InterfaceKind.LOOPBACK:
            return loopback.create(self._tables, number, mac_bytes(wanted.mac))
        if kind is InterfaceKind.BOND and name in state.bonds:
            return bond.create(self._tables, _bond_wish(state.bonds[name], number))
        if kind is InterfaceKind.VXLAN and name in state.vxlans:
            return self._make_tunnel(name, number)
        if kind is InterfaceKind.TAP and name in state.taps:
            return self._make_tap(wanted, number)
        return None

    def _make_tunnel(self, name: str, number: int) -> SwInterface:
        tunnel = self._state.vxlans[name]
        wish = vxlan.Wish(
            number=number,
            source=ipaddress.ip_address(tunnel.local),
            destination=ipaddress.ip_address(tunnel.remote),
            vni=tunnel.vni,
            destination_port=0 if tunnel.is_plain else _ODD_PORT,
        )
        return vxlan.create(self._tables, wish)

    def _make_tap(self, wanted: Interface, number: int) -> SwInterface:
        model = self._state.taps[wanted.name]
        wish = tap.Wish(
            number=number,
            host_name=model.host_name,
            netns=model.host_netns,
            mac=mac_bytes(wanted.mac) if wanted.mac else b"",
            host_mac=mac_bytes(model.host_mac),
            host_mtu=model.host_mtu,
            host_bridge=model.host_bridge,
            rx_ring_size=model.rx_ring_size,
            tx_ring_size=model.tx_ring_size,
            flags=model.flags,
        )
        return tap.create(self._tables, wish)[1]


def _bond_wish(model: Bond, number: int) -> bond.Wish:
    return bond.Wish(
        number=number,
        mode=_MODES[model.mode],
        load_balance=_LOAD_BALANCES[model.load_balance or LoadBalance.L2],
        has_gso=model.has_gso,
        is_numa_only=model.is_numa_only,
    )


def load_members(tables: Tables, state: State, rows: Mapping[str, SwInterface]) -> None:
    """Let members join their bonds; what a state does not say, their own MACs, is the first one's and made up."""
    for name, model in state.bonds.items():
        row = tables.bonds.of_sw(rows[name].index) if name in rows else None
        if row is None:
            continue
        for position, (member, settings) in enumerate(model.members.items()):
            if member not in rows:
                raise UsageError(f"the state has {member} as a member of {name} but no such interface")
            wanted = state.interfaces[member].mac
            is_own = position == 0 or (wanted and wanted != state.interfaces[name].mac)
            own = wanted if is_own and wanted else made_up_mac(_FIRST_OWN_MAC + rows[member].index)
            joined = bond_main.MemberRow(
                sw_if_index=rows[member].index,
                bond=row.index,
                own_mac=mac_bytes(own),
                is_passive=settings.is_passive,
                is_long_timeout=settings.is_long_timeout,
                weight=settings.weight,
            )
            tables.bonds.members[joined.sw_if_index] = joined
            row.members.append(joined.sw_if_index)
            bond.admin_state_changed(tables, joined.sw_if_index)
        row.mac = mac_bytes(state.interfaces[name].mac) if state.interfaces[name].mac else row.mac


def load_bridges(tables: Tables, state: State) -> None:
    """Make the bridge domains, without members."""
    for model in sorted(state.bridges.values(), key=lambda model: model.bd_id):
        wish = bridge.Wish(
            bd_id=model.bd_id,
            features=_features(model.settings),
            mac_age=model.settings.mac_age_minutes,
            tag=to_bytes(model.tag),
        )
        try:
            bridge.create(tables, wish)
        except RefusedError as refusal:
            raise UsageError(f"VPP cannot have bridge domain {model.bd_id} ({refusal.retval})", refusal.text) from None


def _features(settings: BridgeSettings) -> int:
    return sum(feature for name, feature in _FEATURES.items() if getattr(settings, name))


def load_fib_tables(tables: Tables, state: State) -> None:
    """Make the FIB tables that interfaces are in."""
    for wanted in state.interfaces.values():
        for main, table in zip((tables.fib4, tables.fib6), wanted.tables, strict=True):
            if table:
                main.make(table, b"")


def load_borrowers(tables: Tables, state: State, rows: Mapping[str, SwInterface]) -> None:
    """Let interfaces borrow addresses; a donor that is gone leaves its index behind."""
    for name, row in rows.items():
        donor = state.interfaces[name].unnumbered
        if donor is not None:
            index = rows[donor].index if donor in rows else tables.sw.end
            unnumbered.borrow(tables, row, index)


def load_mpls(tables: Tables, state: State, rows: Mapping[str, SwInterface]) -> None:
    """Make the default MPLS table and enable MPLS."""
    takers = [row for name, row in rows.items() if state.interfaces[name].has_mpls]
    if state.has_mpls_table or takers:
        mpls.create_table(tables, 0, Source.API, b"")
    for row in takers:
        mpls.set_enabled(tables, row.index, True)


def load_sflow(tables: Tables, state: State, rows: Mapping[str, SwInterface]) -> None:
    """Set how packets are sampled, and on which ports."""
    tables.sflow.sampling_rate = state.sflow.sampling_rate
    tables.sflow.polling_interval_s = state.sflow.polling_interval_s
    tables.sflow.header_bytes = state.sflow.header_bytes
    for name, row in rows.items():
        if state.interfaces[name].has_sflow and not row.is_sub:
            sflow.set_enabled(tables, row.index, True)


def load_acls(tables: Tables, state: State, rows: Mapping[str, SwInterface]) -> None:
    """Make the access lists at the indexes that the state gives them, and have interfaces apply them."""
    indexes = _load_lists(tables, state.acls)
    for name, row in rows.items():
        binding = state.interfaces[name].acls
        unknown = sorted({*binding.input, *binding.output} - indexes.keys())
        if unknown:
            raise UsageError(f"the state has the access list {unknown[0]} on {name} but no such list")
        tables.acl.inputs.set(row.index, [indexes[acl] for acl in binding.input])
        tables.acl.outputs.set(row.index, [indexes[acl] for acl in binding.output])


def _load_lists(tables: Tables, acls: Mapping[str, Acl]) -> dict[str, int]:
    """Make the lists; a name that ends in an index tells it better than the list, whose index is no part of it."""
    named = {name: int(match[1]) for name in acls if (match := _INDEX_IN_NAME.match(name))}
    wanted = {name: named.get(name, acl.index) for name, acl in acls.items()}
    free = (index for index in range(2 * len(acls)) if index not in set(wanted.values()))
    taken = set(named.values())
    indexes = {}
    for name, index in wanted.items():
        is_free = index is not None and (name in named or index not in taken)
        indexes[name] = index if is_free and index is not None else next(free)
        taken.add(indexes[name])
    by_index = {index: acls[name] for name, index in indexes.items()}
    for index in range(max(by_index, default=-1) + 1):
        tables.acl.lists.add(lambda index: AclRow(index=index))
        if index in by_index:
            row = tables.acl.lists[index]
            row.tag, row.rules = to_bytes(by_index[index].tag), [_rule(rule) for rule in by_index[index].rules]
    for index in reversed(range(tables.acl.lists.end)):
        if index not in by_index:
            tables.acl.lists.remove(index)
    return indexes


def _rule(rule: AclRule) -> Rule:
    source, destination = ipaddress.ip_network(rule.source), ipaddress.ip_network(rule.destination)
    family = int(source.version == 6)
    ends = (
        family,
        source.network_address.packed.ljust(16, b"\0"),
        source.prefixlen,
        family,
        destination.network_address.packed.ljust(16, b"\0"),
        destination.prefixlen,
    )
    return _ACTIONS[rule.action], *ends, rule.protocol, *rule.source_ports, *rule.destination_ports, *rule.tcp_flags
