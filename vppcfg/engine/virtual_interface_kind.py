"""The base of the kinds of interfaces that VPP creates on demand; `VirtualInterfaceSection` is the side of the file."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from vppcfg.engine.kind import CreatedKind
from vppcfg.entries.configuration import VirtualInterfaceConfig
from vppcfg.entries.virtual_interface_section import VirtualInterfaceSection
from vppcfg.model.interface import Interface
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.operations.operation import CreateInterface, DeleteInterface, Operation
from vppcfg.operations.stages import Stage, Step
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.row import Row

C = TypeVar("C", bound=VirtualInterfaceConfig)
M = TypeVar("M", bound=VirtualInterface)


class VirtualInterfaceKind(CreatedKind, VirtualInterfaceSection[C, M], Generic[C, M]):
    """One kind of interface that VPP creates on demand."""

    device_class: ClassVar[str]
    """VPP's name of the class of devices."""
    instance_name: ClassVar[re.Pattern[str]]
    """The names that VPP gives; an interface of the class with another name was not created by a configuration."""
    command: ClassVar[str] = ""
    """The command of VPP's prompt that creates one, where adoption has to know it."""
    number_word: ClassVar[str] = ""
    """The word of the command before the number of the interface, which VPP chooses otherwise."""
    unsupported_words: ClassVar[frozenset[str]] = frozenset()
    """Words of the command that VPP takes, and neither a file nor the simulator does."""
    unreported_words: ClassVar[Mapping[str, str]] = {}
    """Words of the command that set what VPP does not report, so that no file can express it.

    Each with the value that VPP takes without the word, '' where it has none.
    """
    unlisted_class: ClassVar[str] = ""
    """The device class of an adopted one that the simulator does not have, where VPP would list it: not that of the
    kind, because the list lacks it."""
    is_listed: ClassVar[bool] = False
    """Whether VPP with the plugin named as the kind has a list of all of them; that of TAPs lacks some, for LCPs."""
    has_link_mtu: ClassVar[bool] = True
    """Whether VPP sets a link MTU on one."""

    @abstractmethod
    def create(self, interface: Interface, virtual: M) -> CreateInterface:
        """Return the operation that creates an interface as it is to be."""

    @abstractmethod
    def delete(self, name: str, virtual: M) -> DeleteInterface:
        """Return the operation that deletes an interface."""

    def creation(self, interface: Interface, virtual: M) -> Step:
        """Return the step that creates an interface."""
        return Step(stage=Stage.CREATE_INTERFACE, operation=self.create(interface, virtual))

    def deletion(self, interface: Interface, virtual: M) -> Step:
        """Return the step that deletes an interface."""
        return Step(stage=Stage.DELETE_INTERFACE, operation=self.delete(interface.name, virtual))

    def update_steps(self, name: str, before: M | None, after: M) -> Iterator[Step]:
        """Yield the steps that change what VPP changes in place; `before` is None of a new interface."""
        yield from ()

    @abstractmethod
    def read(self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> dict[str, M]:
        """Return what VPP has created, by name; `rows` are the interfaces by index."""

    def read_peers(self, connection: VppReader, operations: Collection[type[Operation]]) -> dict[str, int]:
        """Ask VPP for the numbers of peers, by their keys, where operations of these types name some."""
        return {}

    def read_keys(self, connection: VppReader) -> dict[str, bytes]:
        """Return the secret keys that VPP has, by their names. Raise DataplaneError."""
        return {}


AnyVirtualInterface = VirtualInterfaceKind[Any, Any]
