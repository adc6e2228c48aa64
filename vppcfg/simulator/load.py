"""Fills the tables of a simulated VPP: local0, ports, and a whole State as it stands."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterator, Sequence

from vppcfg.common.names import natural_key
from vppcfg.errors import UsageError
from vppcfg.model.device import DEVICE_TYPES
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import State
from vppcfg.simulator.addresses import Assigned
from vppcfg.simulator.handlers.call import to_bytes
from vppcfg.simulator.load_objects import (
    Maker,
    load_acls,
    load_borrowers,
    load_bridges,
    load_fib_tables,
    load_members,
    load_mpls,
    load_sflow,
)
from vppcfg.simulator.port import PhysicalPort, mac_bytes, made_up_mac
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.vnet import bridge, interface, l2, lcp, sub_interface
from vppcfg.simulator.vnet.sub_interface import Flag

_NOT_ETHERNET = frozenset({"local"})
_PORT_CLASSES = frozenset({"", *(kind.device_class for kind in DEVICE_TYPES.values())})
_FIRST_MADE_UP = 0x10000
"""Where the MAC addresses of ports that a state names without one begin."""


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


def ports_of(state: State, known: Collection[PhysicalPort]) -> Iterator[PhysicalPort]:
    """Yield the ports that a state has besides those that are known, as a VPP finds them that has just started."""
    names = {port.name for port in known}
    for name in _in_order(state):
        wanted = state.interfaces[name]
        if wanted.kind is InterfaceKind.PHYSICAL and wanted.device_class in _PORT_CLASSES and name not in names:
            yield PhysicalPort(name=name, device_class=wanted.device_class or "dpdk", mac=wanted.mac)


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
    """Put everything that `state` has into the tables.

    Raise UsageError for a state that no VPP can be in.
    """
    maker = Maker(tables, state)
    rows = {name: _load_interface(tables, state.interfaces[name], maker) for name in _in_order(state)}
    load_members(tables, state, rows)
    load_bridges(tables, state)
    load_fib_tables(tables, state)
    for name, row in rows.items():
        _load_settings(tables, state.interfaces[name], row)
    load_borrowers(tables, state, rows)
    load_mpls(tables, state, rows)
    load_sflow(tables, state, rows)
    load_acls(tables, state, rows)
    strangers = sorted(state.lcps.keys() - rows.keys())
    if strangers:
        raise UsageError(f"the state has an LCP pair on {strangers[0]} but no such interface")
    for name in sorted(state.lcps, key=lambda name: _order_of_pair(name, state.lcps[name], rows[name])):
        _load_pair(tables, rows[name], state.lcps[name])
    load_lcp_settings(tables, state)


def load_lcp_settings(tables: Tables, state: State) -> None:
    """Set what linux-cp does by itself, as its section of startup.conf would."""
    tables.lcp.default_netns = state.facts.lcp.default_netns
    tables.lcp.is_sync = state.facts.lcp.is_sync
    tables.lcp.is_auto_subint = state.facts.lcp.is_auto_subint


def _order_of_pair(name: str, pair: LcpPair, row: SwInterface) -> tuple[object, ...]:
    """Return a key that puts pairs behind those that they hang on, and those that lost their host last of all.

    A lost host then leaves an index that is free: one that something else has got meanwhile is another matter.
    """
    return not pair.has_host, row.is_sub, row.inner_vlan > 0, natural_key(name)


def _in_order(state: State) -> list[str]:
    return sorted(state.interfaces, key=lambda name: state.interfaces[name].kind is InterfaceKind.SUB_INTERFACE)


def _load_interface(tables: Tables, wanted: Interface, maker: Maker) -> SwInterface:
    known = tables.named(wanted.name)
    if known is not None:
        return known
    if wanted.parent is not None:
        return _load_sub_interface(tables, wanted, wanted.parent)
    made = maker.make(wanted)
    if made is not None:
        return made
    port = PhysicalPort(name=wanted.name, device_class=wanted.device_class or "dpdk", link_mtu=wanted.link_mtu or 9000)
    mac = mac_bytes(wanted.mac or made_up_mac(_FIRST_MADE_UP + tables.hw.end))
    row = _add_port(tables, port, mac)
    tables.hw_of(row).is_ethernet = tables.hw_of(row).is_ethernet and (bool(wanted.mac) or _is_ethernet(wanted))
    return row


def _is_ethernet(wanted: Interface) -> bool:
    """Return whether an interface without a MAC is a port that leaves it open, not a tunnel that has none."""
    return wanted.link_mtu is not None or wanted.device_class in _PORT_CLASSES


def _load_sub_interface(tables: Tables, wanted: Interface, parent_name: str) -> SwInterface:
    """Make a sub-interface, with an encapsulation that another one has if need be: VPP can be brought to that."""
    parent = tables.named(parent_name)
    if parent is None:
        raise UsageError(f"the state has {wanted.name} but not its parent {parent_name}")
    template = sub_interface.template_for(parent.index, wanted.sub_id, *_match(wanted))
    for _ in range(2):
        try:
            return sub_interface.create(tables, template)
        except RefusedError as refusal:
            reason = refusal.text
    raise UsageError(f"VPP cannot have {wanted.name}: {reason}")


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
        if wanted.kind is not InterfaceKind.BOND:
            port.is_link_up = wanted.is_up
        port.mac = mac_bytes(wanted.mac) if wanted.mac else port.mac
        port.link_mtu = wanted.link_mtu or port.link_mtu
    for book, table in zip((tables.ip4, tables.ip6), wanted.tables, strict=True):
        if table:
            book.bind(row.index, table)
    for text in sorted(wanted.addresses):
        address = ipaddress.ip_interface(text)
        book = tables.ip6 if address.version == 6 else tables.ip4
        if book.find(book.table_of(row.index), int(address.ip)) is not None:
            raise UsageError(f"the state has the address {address.ip} twice, on {wanted.name} and before")
        book.add(Assigned(sw_if_index=row.index, address=int(address.ip), length=address.network.prefixlen))
    _load_l2(tables, wanted, row)


def _load_l2(tables: Tables, wanted: Interface, row: SwInterface) -> None:
    target = tables.named(wanted.l2xc) if wanted.l2xc is not None else None
    if target is not None:
        l2.set_xconnect(tables, row, target)
    if wanted.bridge is not None:
        port_type = l2.PortType.BVI if wanted.is_bvi else l2.PortType.NORMAL
        l2.set_bridge(tables, row, bridge.find_or_add(tables, wanted.bridge), port_type, wanted.split_horizon_group)
    if wanted.tag_rewrite is not None:
        _load_rewrite(tables, wanted.tag_rewrite, row)


def _load_rewrite(tables: Tables, rewrite: TagRewrite, row: SwInterface) -> None:
    operation = l2.Rewrite(rewrite.operation)
    l2.set_rewrite(tables, row, operation, bool(rewrite.push_dot1q), rewrite.tag1, rewrite.tag2)


def _load_pair(tables: Tables, row: SwInterface, pair: LcpPair) -> None:
    """Make a pair; one without a host keeps its name, and its host's index is free."""
    if not pair.has_host:
        lcp.create_orphan(tables, row.index, pair.host_name, pair.netns)
        return
    default, tables.lcp.default_netns = tables.lcp.default_netns, ""
    try:
        lcp.create(tables, row.index, lcp.Wish(host_name=pair.host_name, netns=pair.netns))
    except RefusedError as refusal:
        text = f"VPP cannot have the LCP pair {pair.host_name} on {tables.name_of(row)} ({refusal.retval})"
        raise UsageError(text, "its parent needs a pair, Linux needs the namespace, and a name is used once") from None
    tables.lcp.default_netns = default
