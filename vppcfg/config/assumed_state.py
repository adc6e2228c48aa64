"""Assumes a VPP with the ports of a configuration and nothing configured: `plan --novpp` plans against its state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vppcfg.common.numbers import whole_number
from vppcfg.entries.configuration import Configuration, InterfaceConfig, QueueConfig
from vppcfg.kinds.entry_keys import ENTRY_KEYS
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.interface_values import WITH_PLUGIN, WITH_RELEASE
from vppcfg.kinds.kind_list import TABLES
from vppcfg.kinds.owned_list import OWNED
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.interface import DEFAULT_DEVICE_TYPE, DEVICE_TYPES, Interface, InterfaceKind, OtherMatch
from vppcfg.model.placement import Placements, QueuePlacement, in_order
from vppcfg.model.state import Facts, State

ALL_PLUGINS = frozenset(
    {key.plugin for key in ENTRY_KEYS if key.plugin}
    | {plugin for _, plugin in WITH_PLUGIN}
    | {plugin.name for section in VIRTUAL_INTERFACES if (plugin := section.asked_plugin)}
    | {part.name for section in VIRTUAL_INTERFACES for part in section.parts}
    | {value.part for value, _ in WITH_RELEASE}
    | {section.plugin for section in OWNED if section.plugin}
    | {part for kind in (*TABLES, *FEATURE_KINDS) for part in kind.capabilities}
)
"""Those that a plan asks VPP for, with the parts of them that came later."""


def assumed_state(configuration: Configuration) -> State:
    """Return a VPP that has just the ports of the file: down, nothing on them, MTUs as their device type is born.

    Interfaces that the file only refers to, as the next hops of its routes do, are there too, but for sub-interfaces of
    what is not made yet.
    """
    ports = (
        config
        for config in configuration.interfaces.values()
        if config.kind is InterfaceKind.PHYSICAL and config.parent is None
    )
    interfaces = {port.name: _port(port) for port in ports}
    for name in _ways_of_others(configuration):
        parent, _, digits = name.rpartition(".")
        number = whole_number(digits)
        if not parent or number is None:
            interfaces[name] = _foreign(name)
        elif parent in interfaces or configuration.path_of(parent) is None:
            interfaces.setdefault(parent, _foreign(parent))
            interfaces[name] = _foreign(name, parent, number)
    return State(interfaces=interfaces, facts=Facts(plugins=ALL_PLUGINS, workers=_workers(configuration)))


def _ways_of_others(configuration: Configuration) -> Iterator[str]:
    """Yield the interfaces that next hops, policy routes and NAT44 name and that the file does not have."""
    hops = [hop for route in configuration.routes for hop in route.hops]
    for config in configuration.interfaces.values():
        hops += [hop for route in config.policy_routes or () for hop in route.hops]
    names = [hop.interface for hop in hops if hop.interface]
    names += [name for name, _ in configuration.nat44.interfaces()] if configuration.nat44 is not None else []
    yield from (name for name in names if name not in configuration.interfaces)


def _foreign(name: str, parent: str | None = None, sub_id: int = 0) -> Interface:
    """Return an interface that another program created: only its name is known, which contains its parent."""
    if parent is None:
        return Interface(name=name, kind=InterfaceKind.PHYSICAL)
    match = OtherMatch(flags=0, outer=sub_id)
    return Interface(name=name, kind=InterfaceKind.SUB_INTERFACE, parent=parent, sub_id=sub_id, encapsulation=match)


def _workers(configuration: Configuration) -> int:
    """Return how many workers there have to be for the queues that the file places, one if it names only `main`."""
    placed = [
        max(1, *each.numbers)
        for config in configuration.interfaces.values()
        for each in (*config.rx_placement, *config.tx_placement)
    ]
    return max(placed, default=0)


def _assumed(entries: Iterable[QueueConfig]) -> Placements:
    """Return the queues that the file names, on unknown threads."""
    return in_order(QueuePlacement(queue=each.queue) for each in entries if each.queue is not None)


def _port(config: InterfaceConfig) -> Interface:
    device = DEVICE_TYPES.get(config.device_type or DEFAULT_DEVICE_TYPE, DEVICE_TYPES[DEFAULT_DEVICE_TYPE])
    return Interface(
        name=config.name,
        kind=InterfaceKind.PHYSICAL,
        device_class=device.device_class,
        link_mtu=device.link_mtu,
        packet_mtu=device.packet_mtu,
        rx_placement=_assumed(config.rx_placement),
        tx_placement=_assumed(config.tx_placement),
    )
