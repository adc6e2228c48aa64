"""Keeps VPP's index of every interface and access list while a plan runs: creations add one, deletions free one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vppcfg.errors import DataplaneError
from vppcfg.kinds import macip
from vppcfg.kinds.kind_list import VIRTUAL_INTERFACES
from vppcfg.kinds.policy_route_operations import AddPolicyPaths, CreatePolicy
from vppcfg.kinds.route import RemoveRoute, SetRoute, registered_source
from vppcfg.model.route import SOURCE
from vppcfg.plan.operations import (
    BindAcls,
    CreateAcl,
    CreateInterface,
    CreateMacip,
    DeleteAcl,
    DeleteInterface,
    DeleteMacip,
    Operation,
    ReplaceAcl,
    ReplaceMacip,
    SetDhcpClient,
    SetLinkLocal,
    SetMacip,
)
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages import acl, interface


class NotYetKnown(Exception):
    """An operation names something whose creation VPP has not answered yet."""


class _Numbers:
    """The index of each object of one kind, as operations go by."""

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
        """Take account of a creation that is under way."""
        self._expected.add(name)

    def add(self, name: str, index: int) -> None:
        """Take account of a new object."""
        self._expected.discard(name)
        self._by_name[name] = index

    def remove(self, name: str) -> None:
        """Take account of a deletion that is under way."""
        self._by_name.pop(name, None)


class KnownIndexes:
    """How VPP numbers interfaces, access lists and peers, as operations go by."""

    def __init__(
        self,
        interfaces: dict[str, int],
        acls: dict[str, int],
        macips: dict[str, int],
        peers: dict[str, int],
        macs: dict[str, str],
        sources: Mapping[str, int],
    ) -> None:
        self._interfaces = _Numbers("interface", interfaces)
        self._acls = _Numbers("access list", acls)
        self._macips = _Numbers("MACIP access list", macips)
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

    def acl(self, name: str) -> int:
        """Return the index of an access list; raise NotYetKnown or, where there is none, ValueError."""
        return self._acls.find(name)

    def macip(self, name: str) -> int:
        """Return the index of a MACIP access list; raise NotYetKnown or, where there is none, ValueError."""
        return self._macips.find(name)

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
        elif operation.__class__ in _LISTS:
            self._note_list_sent(operation)

    def _note_list_sent(self, operation: Operation) -> None:
        if isinstance(operation, CreateAcl):
            self._acls.expect(operation.acl)
        elif isinstance(operation, DeleteAcl):
            self._acls.remove(operation.acl)
        elif isinstance(operation, CreateMacip):
            self._macips.expect(operation.macip)
        elif isinstance(operation, DeleteMacip):
            self._macips.remove(operation.macip)

    def note_done(self, operation: Operation, created: Sequence[int]) -> None:
        """Take account of an operation that was carried out, and of the index that VPP told.

        Raise DataplaneError when VPP told none of what it made.
        """
        if isinstance(operation, CreateInterface | CreateAcl | CreateMacip):
            if not created:
                raise DataplaneError(
                    "VPP does not report the index of what it created", "is it the API socket of a VPP?"
                )
            if isinstance(operation, CreateInterface):
                self._interfaces.add(operation.interface, created[0])
            elif isinstance(operation, CreateAcl):
                self._acls.add(operation.acl, created[0])
            else:
                self._macips.add(operation.macip, created[0])


_LISTS = frozenset({CreateAcl, DeleteAcl, CreateMacip, DeleteMacip})


def read_indexes(connection: Connection, operations: Sequence[Operation]) -> KnownIndexes:
    """Ask VPP how it numbers what `operations` may name."""
    kinds = set(map(type, operations))
    names_acls = not kinds.isdisjoint((CreateAcl, ReplaceAcl, DeleteAcl, BindAcls, CreatePolicy, AddPolicyPaths))
    names_macips = not kinds.isdisjoint((CreateMacip, ReplaceMacip, DeleteMacip, SetMacip))
    needs_macs = not kinds.isdisjoint((SetLinkLocal, SetDhcpClient))
    return KnownIndexes(
        interface.read_names(connection),
        acl.read_indexes(connection) if names_acls else {},
        macip.KIND.read_indexes(connection) if names_macips else {},
        {key: number for each in VIRTUAL_INTERFACES for key, number in each.read_peers(connection, kinds).items()},
        interface.read_macs(connection) if needs_macs else {},
        {SOURCE: registered_source(connection)} if kinds & {SetRoute, RemoveRoute} else {},
    )
