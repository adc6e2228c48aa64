"""Fills the tables of a simulated VPP: local0, ports, and a whole State, each part of which its kind loads.

A kind makes its interfaces with `create`, puts its objects into the tables with `load`, and sets with `configure` what
startup.conf would set.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from vppcfg.errors import UsageError
from vppcfg.model.interface import DEVICE_TYPES, Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.simulator import interfaces
from vppcfg.simulator.kind import Kind, Maker
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.port import PhysicalPort, generated_mac, mac_bytes
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.tables import FibSource, HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import to_bytes

_NUMBER = re.compile(r"\d+$")
_NOT_ETHERNET = frozenset({"local"})
_PORT_CLASSES = frozenset({"", *(kind.device_class for kind in DEVICE_TYPES.values())})
"""Device classes of ports in a State; '' where it leaves the class open."""
_MADE_OF_NOTHING = frozenset({InterfaceKind.LOOPBACK, InterfaceKind.SUB_INTERFACE})
"""The kinds of interfaces that a state describes by their name alone."""
_RENAMED = 9000
"""Where the numbers of renamed interfaces begin: the name of one no longer shows the number that it was made with."""
_FIRST_GENERATED_MAC = 0x10000
"""Where the MAC addresses of ports that a state names without one begin."""


def load_local0(tables: Tables) -> None:
    """Make local0, which has index 0 in every VPP."""
    port = HwInterface(name=interfaces.LOCAL0, device_class="local", is_ethernet=False)
    interfaces.create_port(tables, port, packet_mtu=0)


def load_ports(tables: Tables, ports: Sequence[PhysicalPort]) -> None:
    """Make ports; their interfaces get indexes in the order given."""
    for position, port in enumerate(ports, 1):
        _add_port(tables, port, mac_bytes(port.mac or generated_mac(position)))


def ports_of(state: State, known: Collection[PhysicalPort]) -> Iterator[PhysicalPort]:
    """Yield the ports of a state that are not among those known, as a VPP that has just started finds them."""
    names = {port.name for port in known}
    for name in _in_order(state):
        interface = state.interfaces[name]
        is_found = interface.kind is InterfaceKind.PHYSICAL and name not in state.virtual
        if is_found and interface.device_class in _PORT_CLASSES and name not in names:
            rx_queues, tx_queues = _queues_of(interface)
            yield PhysicalPort(
                name=name,
                device_class=interface.device_class or "dpdk",
                mac=interface.mac,
                rx_queues=rx_queues,
                tx_queues=tx_queues,
            )


def _queues_of(interface: Interface) -> tuple[int, int]:
    """Return how many receive and transmit queues a port of a state has, as far as it shows."""
    return len(interface.rx_placement) or 1, len(interface.tx_placement) or 1


def _add_port(tables: Tables, port: PhysicalPort, mac: bytes) -> SwInterface:
    hardware = HwInterface(
        name=port.name,
        device_class=port.device_class,
        is_ethernet=port.device_class not in _NOT_ETHERNET,
        mac=mac,
        link_mtu=port.link_mtu,
        max_link_mtu=port.max_link_mtu,
        is_mtu_fixed_while_up=port.is_mtu_fixed_while_up,
        rx_queues=port.rx_queues,
        tx_queues=port.tx_queues,
    )
    return interfaces.create_port(tables, hardware, port.packet_mtu)


def load_state(tables: Tables, state: State, kinds: Sequence[Kind]) -> None:
    """Put everything that `state` has into the tables.

    Raise UsageError for a state that no VPP can be in.
    """
    for table in state.vrfs.values():
        fib.hold(tables, table.is_ipv6, table.table_id, FibSource.API, to_bytes(table.name))
    makers = {kind.interface: kind.create for kind in kinds if kind.create is not None}
    rows = {name: _load_interface(tables, state, state.interfaces[name], makers) for name in _in_order(state)}
    for name, row in rows.items():
        _load_settings(tables, state.interfaces[name], row)
    for kind in kinds:
        if kind.load is not None:
            kind.load(tables, state, rows)
    configure(tables, state, kinds)


def configure(tables: Tables, state: State, kinds: Sequence[Kind]) -> None:
    """Set what startup.conf would set."""
    for kind in kinds:
        if kind.configure is not None:
            kind.configure(tables, state)


def _in_order(state: State) -> list[str]:
    """Return the names of all interfaces, sub-interfaces last: each needs its port."""
    return sorted(state.interfaces, key=lambda name: state.interfaces[name].kind is InterfaceKind.SUB_INTERFACE)


def _load_interface(
    tables: Tables, state: State, interface: Interface, makers: Mapping[InterfaceKind | None, Maker]
) -> SwInterface:
    known = tables.named(interface.name)
    if known is not None:
        return known
    virtual = state.virtual.get(interface.name)
    maker = makers.get(interface.kind if virtual is None else virtual.kind)
    created = _create(tables, virtual, interface, maker)
    if created is not None:
        return created
    rx_queues, tx_queues = _queues_of(interface)
    port = PhysicalPort(
        name=interface.name,
        device_class=interface.device_class or "dpdk",
        link_mtu=interface.link_mtu or 9000,
        rx_queues=rx_queues,
        tx_queues=tx_queues,
    )
    mac = mac_bytes(interface.mac or generated_mac(_FIRST_GENERATED_MAC + tables.hw.end))
    row = _add_port(tables, port, mac)
    tables.hw_of(row).is_ethernet = tables.hw_of(row).is_ethernet and (bool(interface.mac) or _is_ethernet(interface))
    return row


def _create(
    tables: Tables, virtual: VirtualInterface | None, interface: Interface, maker: Maker | None
) -> SwInterface | None:
    """Make an interface of a state by its kind, and give it its name.

    Return None for a port, and for one that only a `virtual` would describe, which the state does not have.
    """
    found = _NUMBER.search(interface.name)
    if maker is None or (virtual is None and (found is None or interface.kind not in _MADE_OF_NOTHING)):
        return None
    is_own = interface.kind is not InterfaceKind.PHYSICAL
    number = int(found[0]) if found is not None and is_own else _RENAMED + tables.hw.end
    try:
        row = maker(tables, virtual, interface, number)
    except RefusedError as refusal:
        raise UsageError(f"VPP cannot have {interface.name} ({refusal.retval})", refusal.text) from None
    if row is not None and tables.name_of(row) != interface.name:
        interfaces.rename(tables, tables.hw_of(row), interface.name)
    return row


def _is_ethernet(interface: Interface) -> bool:
    """Return whether an interface without a MAC is a port that leaves it open, not a tunnel that has none."""
    return interface.link_mtu is not None or interface.device_class in _PORT_CLASSES


def _load_settings(tables: Tables, interface: Interface, row: SwInterface) -> None:
    row.mtus = [interface.packet_mtu, *interface.protocol_mtus]
    row.is_up = interface.is_up
    if row.is_up:
        tables.extend_l2_config(row.index)  # VPP grows this vector when it sets an interface up
    row.tag = to_bytes(interface.tag)
    if not row.is_sub:
        port = tables.hw_of(row)
        if interface.kind is not InterfaceKind.BOND and not port.has_link_of_its_own:
            port.is_link_up = interface.is_up
        port.mac = mac_bytes(interface.mac) if interface.mac else port.mac
        port.link_mtu = interface.link_mtu or port.link_mtu
