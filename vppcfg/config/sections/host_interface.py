"""The section `host_interfaces`: ports on devices that Linux has, through packet sockets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vppcfg.config.configuration import MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.names import LINUX_NAME_LENGTH
from vppcfg.config.sections.made_section import MadeSection, Plugin
from vppcfg.config.sections.section import Naming, Parsing, SectionEntry
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.host_interface import HOST_INTERFACE_PREFIX, HostInterface
from vppcfg.model.ownership import MADE_MARK
from vppcfg.model.state import State
from vppcfg.record import record

_DEVICE = "[A-Za-z0-9][A-Za-z0-9._@+-]*"
_NAME = re.compile(f"{HOST_INTERFACE_PREFIX}{_DEVICE}")


@record
class HostInterfaceConfig(MadeConfig):
    """One entry below `host_interfaces`."""

    @property
    def mark(self) -> str:
        """Return the mark of a port that a file makes."""
        return MADE_MARK


class HostInterfaces(MadeSection[HostInterfaceConfig, HostInterface]):
    """The section `host_interfaces`."""

    key = "host_interfaces"
    thing = "host-interface"
    config = HostInterfaceConfig
    making = HostInterface
    plugin = Plugin(name="af_packet", reason="the file has a host-interface", thing="a host-interface")
    can_join_bond = True
    naming = Naming(
        is_name=lambda value: isinstance(value, str) and is_host_interface_name(value),
        rule="host-interface-name",
        wanted=f"a host-interface is called {HOST_INTERFACE_PREFIX} and its device in Linux",
        pattern=(_NAME.pattern, len(HOST_INTERFACE_PREFIX) + LINUX_NAME_LENGTH),
    )

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> HostInterfaceConfig:
        """Return a host-interface, whose name says all."""
        return HostInterfaceConfig(name=entry.name, path=entry.path, description=entry.description)

    def making_of(
        self, config: HostInterfaceConfig, before: HostInterface | None, desired: DesiredState
    ) -> HostInterface:
        """Return the port that VPP is to make."""
        return HostInterface(device=config.name.removeprefix(HOST_INTERFACE_PREFIX))

    def restate_made(self, name: str, making: HostInterface, state: State) -> HostInterfaceConfig:
        """Return the entry of a host-interface."""
        return HostInterfaceConfig(name=name, path=(self.key, name))

    def made_keys(self, entry: HostInterfaceConfig) -> Iterator[KeyValue]:
        """Yield nothing: the name says all."""
        yield from ()


def is_host_interface_name(name: str) -> bool:
    """Return whether a host-interface can have this name: Linux keeps 15 characters of that of a device."""
    return _NAME.fullmatch(name) is not None and len(name) <= len(HOST_INTERFACE_PREFIX) + LINUX_NAME_LENGTH


SECTION = HostInterfaces()
