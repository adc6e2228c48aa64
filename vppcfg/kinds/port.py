"""The base of the kinds of ports that a file creates, such as memifs. Other programs may create such ports too."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from vppcfg.engine.declared import DESCRIPTION, parsed, placeholders, schema_lines, yaml_keys
from vppcfg.engine.virtual_interface_kind import VirtualInterfaceKind
from vppcfg.entries.configuration import VirtualInterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.section import Parsing, SectionEntry
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.interface import Interface
from vppcfg.model.kinds import as_created
from vppcfg.model.ownership import CREATED_MARK
from vppcfg.model.state import State
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.operations.operation import CreateInterface, DeleteInterface
from vppcfg.operations.request import Value
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.row import Row

MAX_SOCKET_PATH = 107
"""Bytes; Linux keeps 108 of the path of a socket, the last one NUL (sockaddr_un)."""


@record
class PortConfig(VirtualInterfaceConfig):
    """One entry of a section of ports."""

    port: VirtualInterface
    """As in the file."""

    @property
    def has_ethernet(self) -> bool:
        """Return whether frames go through, and not packets."""
        return self.port.has_ethernet

    @property
    def mark(self) -> str:
        """Return the mark of a port that a file creates."""
        return CREATED_MARK


@record
class CreatePort(CreateInterface):
    """Create a port like no other of its kind. It has no owner until its tag marks it."""

    port: VirtualInterface

    def _refusal(self, working: WorkingState) -> str | None:
        other = working.virtual_alike(self.port)
        return f"{other} is the same {self.port.noun}" if other else None

    def apply_to(self, working: WorkingState) -> None:
        working.create_interface(as_created(self.interface, self.port.kind, self.port))
        working.enter_virtual(self.interface, self.port)


@record
class DeletePort(DeleteInterface):
    """Delete a port, which VPP finds by its interface or by what it was created with."""

    port: VirtualInterface


C = TypeVar("C", bound=PortConfig)
P = TypeVar("P", bound=VirtualInterface)


class PortKind(VirtualInterfaceKind[C, P], Generic[C, P]):
    """One kind of port. Its keys stand at the attributes of its record."""

    can_join_bond = True
    dumps: ClassVar[Mapping[str, Mapping[str, Value]]]
    """The messages that ask for all ports and what belongs to them, with their values; the first shows the plugin."""
    create_operation: ClassVar[type[CreatePort]]
    delete_operation: ClassVar[type[DeletePort]]

    def __init__(self) -> None:
        self.assumed = placeholders(self.virtual)  # type: ignore[misc] # from the keys, once
        self.operations = (self.create_operation, self.delete_operation)  # type: ignore[misc]

    def schema_parts(self) -> Mapping[str, Sequence[str]]:
        """Return the lines of schema/vppcfg.yaml about an entry."""
        return {self.kind.value: [DESCRIPTION, *schema_lines(self.virtual)]}

    def named_values(self, name: str) -> Mapping[str, str]:
        """Return the attributes of a port that its name gives."""
        return {}

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> C:
        port = self.virtual(**self.named_values(entry.name), **parsed(self.virtual, entry.raw))
        return self.config(name=entry.name, path=entry.path, description=entry.description, port=port)

    def to_desired(self, config: C, before: P | None, desired: DesiredStateBuilder) -> P:
        assert isinstance(config.port, self.virtual)
        return config.port

    def virtual_from_state(self, name: str, virtual: P, state: State) -> C:
        return self.config(name=name, path=(self.key, name), port=virtual)

    def to_yaml_keys(self, entry: C) -> Iterator[KeyValue]:
        yield from yaml_keys(entry.port)

    def create(self, interface: Interface, virtual: P) -> CreatePort:
        return self.create_operation(interface=interface.name, port=virtual)

    def delete(self, name: str, virtual: P) -> DeletePort:
        return self.delete_operation(interface=name, port=virtual)

    def is_offered(self, connection: VppReader) -> bool:
        """Return whether VPP has the plugin."""
        return connection.offers(next(iter(self.dumps)))

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for all ports, where VPP has the plugin."""
        if not self.is_offered(connection):
            return []
        return [connection.request(dump, values)[1] for dump, values in self.dumps.items()]

    def read(self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> dict[str, P]:
        """Return the ports by name, without those that were renamed; `rows` are by index."""
        if not self.is_offered(connection):
            return {}
        return dict(self.ports(connection, replies, rows))

    @abstractmethod
    def ports(self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> Iterator[tuple[str, P]]:
        """Yield the ports that have the name that VPP gave them, with that name."""


def is_long(socket: str) -> str | None:
    """Return that the path of a socket is longer than Linux keeps it; None when it is not."""
    size = len(socket.encode())
    if size <= MAX_SOCKET_PATH:
        return None
    return f"the path of a socket has up to {MAX_SOCKET_PATH} bytes, and this one {size}"
