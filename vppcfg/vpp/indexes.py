"""Keeps VPP's index of every interface and numbered object while a plan runs: creations add one, deletions free one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vppcfg.errors import DataplaneError
from vppcfg.kinds.dhcp_client import SetDhcpClient
from vppcfg.kinds.fib_source import registered_source
from vppcfg.kinds.kind_list import KINDS, VIRTUAL_INTERFACES
from vppcfg.kinds.link_local import SetLinkLocal
from vppcfg.kinds.nd_proxy import SetNdProxy
from vppcfg.kinds.route import RemoveRoute, SetRoute
from vppcfg.model.route import SOURCE
from vppcfg.operations.operation import CreateInterface, DeleteInterface, Numbering, Operation
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages import interface


class NotYetKnown(Exception):
    """An operation names something whose creation VPP has not answered yet."""


class _Numbers:
    """The index of each object of one kind, for operations."""

    def __init__(self, kind: str, by_name: dict[str, int]) -> None:
        self._kind = kind
        self._by_name = by_name
        self._expected: set[str] = set()

    def find(self, name: str) -> int:
        """Return the index of `name`; raise NotYetKnown or, where there is none, ValueError."""
        if name in self._by_name:
            return self._by_name[name]
        if name in self._expected:
            raise NotYetKnown
        raise ValueError(f"VPP has no {self._kind} {name}")

    def expect(self, name: str) -> None:
        """Take account of a creation that is under way; another object of the name is gone."""
        self._by_name.pop(name, None)
        self._expected.add(name)

    def add(self, name: str, index: int) -> None:
        """Take account of a new object."""
        self._expected.discard(name)
        self._by_name[name] = index

    def remove(self, name: str) -> None:
        """Take account of a deletion that is under way."""
        self._by_name.pop(name, None)


class KnownIndexes:
    """The indexes of interfaces, peers and other objects in VPP, for operations."""

    def __init__(
        self,
        interfaces: dict[str, int],
        numbered: Mapping[str, dict[str, int]],
        peers: dict[str, int],
        macs: dict[str, str],
        sources: Mapping[str, int],
    ) -> None:
        self._interfaces = _Numbers("interface", interfaces)
        self._numbered = {noun: _Numbers(noun, numbers) for noun, numbers in numbered.items()}
        self._peers = _Numbers("peer", peers)
        self._macs = macs
        self._sources = sources

    def interface(self, name: str) -> int:
        """Return the sw_if_index of an interface; raise NotYetKnown or, where there is none, ValueError."""
        return self._interfaces.find(name)

    def mac(self, name: str) -> str:
        """Return the MAC address that an interface had before the operations; raise ValueError where there is none."""
        mac = self._macs.get(name)
        if mac is None:
            raise ValueError(f"VPP has no MAC address of {name}")
        return mac

    def number(self, noun: str, name: str) -> int:
        """Return the number of an object of a kind; raise NotYetKnown or, where there is none, ValueError."""
        return self._numbered[noun].find(name)

    def peer(self, public_key: str) -> int:
        """Return VPP's number of a peer that was there before the operations; raise ValueError where there is none."""
        return self._peers.find(public_key)

    def source(self, name: str) -> int:
        """Return VPP's number of a FIB source; raise ValueError where there is none."""
        number = self._sources.get(name)
        if number is None:
            raise ValueError(f"VPP has no FIB source {name}")
        return number

    def note_sent(self, operation: Operation) -> None:
        """Take account of an operation that is under way."""
        if isinstance(operation, CreateInterface):
            self._interfaces.expect(operation.interface)
        elif isinstance(operation, DeleteInterface):
            self._interfaces.remove(operation.interface)
        elif operation.numbering is Numbering.GIVES:
            self._numbered[operation.numbered].expect(operation.subject)
        elif operation.numbering is Numbering.FREES:
            self._numbered[operation.numbered].remove(operation.subject)

    def note_done(self, operation: Operation, created: Sequence[int]) -> None:
        """Take account of an operation that was carried out, and of the index that VPP reported.

        Raise DataplaneError when VPP reported none of what it made.
        """
        is_interface = isinstance(operation, CreateInterface)
        if not is_interface and operation.numbering is not Numbering.GIVES:
            return
        if not created:
            raise DataplaneError("VPP does not report the index of what it created", "is it the API socket of a VPP?")
        numbers = self._interfaces if is_interface else self._numbered[operation.numbered]
        numbers.add(operation.subject, created[0])


def read_indexes(connection: Connection, operations: Sequence[Operation]) -> KnownIndexes:
    """Ask VPP how it numbers what `operations` may name."""
    kinds = {type(each) for each in operations}
    numbered = {each.numbered for each in kinds}
    used = {each.numbered for each in kinds if each.numbering is not Numbering.GIVES}
    needs_macs = not kinds.isdisjoint((SetLinkLocal, SetDhcpClient))
    return KnownIndexes(
        interface.read_names(connection),
        {
            kind.numbered: kind.read_indexes(connection) if kind.numbered in used else {}
            for kind in KINDS
            if kind.numbered and kind.numbered in numbered
        },
        {key: number for each in VIRTUAL_INTERFACES for key, number in each.read_peers(connection, kinds).items()},
        interface.read_macs(connection) if needs_macs else {},
        {SOURCE: registered_source(connection)} if kinds & {SetRoute, RemoveRoute, SetNdProxy} else {},
    )
