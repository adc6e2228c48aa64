"""Fills the tables of a simulated VPP: local0, ports, and a whole State as it stands."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite
from vppcfg.model.lcp import LcpPair
from vppcfg.model.naming import natural_key
from vppcfg.model.state import State
from vppcfg.simulator.addresses import Assigned
from vppcfg.simulator.handlers.call import to_bytes
from vppcfg.simulator.port import PhysicalPort, mac_bytes, made_up_mac
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.vnet import interface, l2, lcp, sub_interface
from vppcfg.simulator.vnet.sub_interface import Flag

_NOT_ETHERNET = frozenset({"local"})


def load_local0(tables: Tables) -> None:
    """Make local0, which has index 0 in every VPP."""
    port = tables.hw.add(
        lambda index: HwInterface(index=index, name=interface.LOCAL0, device_class="local", is_ethernet=False)
    )
    interface.create_port(tables, port, packet_mtu=0)


def load_ports(tables: Tables, ports: Sequence[PhysicalPort]) -> None:
    """Make ports in the order given."""
    for position, port in enumerate(ports, 1):
        _add_port(tables, port, mac_bytes(port.mac or made_up_mac(position)))


def _add_port(tables: Tables, port: PhysicalPort, mac: bytes) -> SwInterface:
    def port_at(index: int) -> HwInterface:
        return HwInterface(
            index=index,
            name=port.name,
            device_class=port.device_class,
            is_ethernet=port.device_class not in _NOT_ETHERNET,
            mac=mac,
            link_mtu=port.link_mtu,
            max_link_mtu=port.max_link_mtu,
            is_mtu_fixed_while_up=port.is_mtu_fixed_while_up,
        )

    return interface.create_port(tables, tables.hw.add(port_at), port.packet_mtu)


def load_state(tables: Tables, state: State) -> None:
    """Put interfaces, sub-interfaces, L2 settings, addresses and LCP pairs of `state` into the tables."""
    rows = {name: _load_interface(tables, state.interfaces[name]) for name in _in_order(state)}
    for name, row in rows.items():
        _load_settings(tables, state.interfaces[name], row)
    tables.lcp.default_netns = state.facts.lcp.default_netns
    for name in sorted(state.lcps, key=lambda name: (rows[name].is_sub, rows[name].inner_vlan > 0, natural_key(name))):
        _load_pair(tables, rows[name], state.lcps[name])
    tables.lcp.is_sync = state.facts.lcp.is_sync
    tables.lcp.is_auto_subint = state.facts.lcp.is_auto_subint


def _in_order(state: State) -> list[str]:
    return sorted(state.interfaces, key=lambda name: state.interfaces[name].kind is InterfaceKind.SUB_INTERFACE)


def _load_interface(tables: Tables, wanted: Interface) -> SwInterface:
    parent = tables.named(wanted.parent) if wanted.parent is not None else None
    known = tables.named(wanted.name)
    if known is not None:
        return known
    if parent is not None:
        flags, outer, inner = _match(wanted)
        return sub_interface.create(
            tables, sub_interface.template_for(parent.index, wanted.sub_id, flags, outer, inner)
        )
    port = PhysicalPort(
        name=wanted.name, device_class=wanted.device_class or "dpdk", link_mtu=wanted.link_mtu or 9000
    )
    made_up = "" if wanted.link_mtu is None else made_up_mac(len(tables.hw))
    return _add_port(tables, port, mac_bytes(wanted.mac or made_up))


def _match(wanted: Interface) -> tuple[int, int, int]:
    match wanted.encapsulation:
        case OtherMatch(flags=flags, outer=outer, inner=inner):
            return flags, outer, inner
        case Encapsulation(outer=outer, inner=inner, is_dot1ad=is_dot1ad, is_exact=is_exact):
            flags = Flag.ONE_TAG if inner is None else Flag.TWO_TAGS
            flags |= Flag.DOT1AD if is_dot1ad else 0
            flags |= Flag.EXACT_MATCH if is_exact else 0
            return flags, outer, inner or 0
    return Flag.ONE_TAG | Flag.EXACT_MATCH, wanted.sub_id & 0xFFFF, 0


def _load_settings(tables: Tables, wanted: Interface, row: SwInterface) -> None:
    row.mtus = [wanted.packet_mtu, *wanted.protocol_mtus]
    row.is_up = wanted.is_up
    row.tag = to_bytes(wanted.tag)
    if not row.is_sub:
        port = tables.hw_of(row)
        port.is_link_up = wanted.is_up
        port.link_mtu = wanted.link_mtu or port.link_mtu
    for book, table in zip((tables.ip4, tables.ip6), wanted.tables, strict=True):
        book.bind(row.index, table)
    for text in sorted(wanted.addresses):
        address = ipaddress.ip_interface(text)
        book = tables.ip6 if address.version == 6 else tables.ip4
        book.add(Assigned(sw_if_index=row.index, address=int(address.ip), length=address.network.prefixlen))
    _load_l2(tables, wanted, row)


def _load_l2(tables: Tables, wanted: Interface, row: SwInterface) -> None:
    target = tables.named(wanted.l2xc) if wanted.l2xc is not None else None
    if target is not None:
        l2.set_xconnect(tables, row, target)
    if wanted.bridge is not None:
        tables.l2_of(row.index).bridge = wanted.bridge
    if wanted.tag_rewrite is not None:
        _load_rewrite(tables, wanted.tag_rewrite, row)


def _load_rewrite(tables: Tables, rewrite: TagRewrite, row: SwInterface) -> None:
    operation = l2.Rewrite(rewrite.operation)
    l2.set_rewrite(tables, row, operation, bool(rewrite.push_dot1q), rewrite.tag1, rewrite.tag2)


def _load_pair(tables: Tables, row: SwInterface, pair: LcpPair) -> None:
    """Make a pair; one without a host keeps its name, and its host's index is free."""
    if pair.has_host:
        default, tables.lcp.default_netns = tables.lcp.default_netns, ""
        tables.linux.has(pair.netns)
        lcp.create(tables, row.index, lcp.Wish(host_name=pair.host_name, netns=pair.netns))
        tables.lcp.default_netns = default
    else:
        lcp.create_orphan(tables, row.index, pair.host_name, pair.netns)
