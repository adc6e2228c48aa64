"""An unconfigured VPP, made up from a configuration: what `plan --novpp` plans against."""

from __future__ import annotations

from vppcfg.config.configuration import Configuration, InterfaceConfig
from vppcfg.config.interface_values import WITH_PLUGIN, WITH_RELEASE
from vppcfg.config.sections import MADE, acl, lcp
from vppcfg.model.interface import DEFAULT_DEVICE_TYPE, DEVICE_TYPES, Interface, InterfaceKind
from vppcfg.model.state import Facts, State

ALL_PLUGINS = frozenset(
    {acl.PLUGIN, lcp.PLUGIN}
    | {plugin for _, plugin in WITH_PLUGIN}
    | {plugin.name for section in MADE if (plugin := section.asked_plugin)}
    | {part.name for section in MADE for part in section.parts}
    | {value.part for value, _ in WITH_RELEASE}
)
"""Those that a plan asks VPP for, with the parts of them that came later."""


def assumed_state(configuration: Configuration) -> State:
    """Return a VPP that has just the ports of the file: down, nothing on them, MTUs as their device type is born."""
    ports = (
        config
        for config in configuration.interfaces.values()
        if config.kind is InterfaceKind.PHYSICAL and config.parent is None
    )
    return State(interfaces={port.name: _port(port) for port in ports}, facts=Facts(plugins=ALL_PLUGINS))


def _port(config: InterfaceConfig) -> Interface:
    device = DEVICE_TYPES.get(config.device_type or DEFAULT_DEVICE_TYPE, DEVICE_TYPES[DEFAULT_DEVICE_TYPE])
    return Interface(
        name=config.name,
        kind=InterfaceKind.PHYSICAL,
        device_class=device.device_class,
        link_mtu=device.link_mtu,
        packet_mtu=device.packet_mtu,
    )
