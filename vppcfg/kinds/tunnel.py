"""The base of the kinds of tunnels to other routers: two ends, and the VRF that both are in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, NamedTuple, TypeGuard, TypeVar

from vppcfg.common.addresses import canonical_host, is_unicast
from vppcfg.common.names import instance_of
from vppcfg.engine.declared import (
    DESCRIPTION,
    message_values,
    parsed,
    placeholders,
    read_back,
    schema_lines,
    unsupported_value,
    yaml_keys,
)
from vppcfg.engine.virtual_interface_kind import VirtualInterfaceKind
from vppcfg.entries.configuration import Configuration, EncapConfig, TunnelConfig, VirtualInterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import MAX_INSTANCE
from vppcfg.entries.section import NamedReference, Parsing, SectionEntry
from vppcfg.entries.virtual_interface_section import Part
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds import vrf_section
from vppcfg.model.interface import Interface
from vppcfg.model.keys import keys_of
from vppcfg.model.kinds import as_created
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.model.tunnel import NO_REMOTE, Tunnel
from vppcfg.model.vpp_object import Referent
from vppcfg.operations.operation import CreateInterface, DeleteInterface, missing_table
from vppcfg.operations.request import ALL_INDEXES, Value
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import address_values, text_of_address
from vppcfg.wire.reading import Replies, VppReader, malformed
from vppcfg.wire.row import Row

ASSUMED_ENDS = {"local": ("192.0.2.253", "2001:db8::253"), "remote": ("192.0.2.254", "2001:db8::254")}
"""Two values of each end, one of either family, to check the rest of an entry while an end is of a wrong form."""
_NEIGHBORS = ("neighbors: map(any(host(), include('tunnel-next-hop')), required=False)",)
"""Of `kinds/tunnel_neighbor`."""
_SCHEMA = ("local: host()", "remote: host({})", "encap-vrf: vrf_name(required=False)")


T = TypeVar("T", bound=Tunnel)


@record
class CreateTunnel(CreateInterface):
    """Create a tunnel in a FIB table that exists, like no other tunnel of its kind."""

    instance: int
    tunnel: Tunnel

    def _refusal(self, working: WorkingState) -> str | None:
        table = self.tunnel.needed_table
        if table is not None and (missing := missing_table(table, working)):
            return missing
        other = working.virtual_alike(self.tunnel)
        return f"{other} is the same tunnel" if other else None

    def apply_to(self, working: WorkingState) -> None:
        working.create_interface(as_created(self.interface, self.tunnel.kind))
        working.enter_virtual(self.interface, self.tunnel)


@record
class DeleteTunnel(DeleteInterface):
    """Delete a tunnel, which VPP finds by what it was created with."""

    tunnel: Tunnel


class Paths(NamedTuple):
    """Where the messages of a kind have what every tunnel has."""

    local: str
    remote: str
    table: str
    interface: str = "sw_if_index"


def encap_references(entries: Iterable[EncapConfig]) -> Iterator[NamedReference]:
    """Yield the VRFs that the ends of tunnels are in."""
    for entry in entries:
        if entry.encap_vrf is not None:
            yield NamedReference(Referent.TABLE, entry.encap_vrf, (*entry.path, "encap-vrf"))


class TunnelKind(VirtualInterfaceKind[TunnelConfig, T], Generic[T]):
    """One kind of tunnel. Its keys stand at the attributes of its record."""

    config = TunnelConfig
    is_listed = True
    dispensable = frozenset({"description", "neighbors"})
    last = MAX_INSTANCE
    noun = "tunnel"
    paths: ClassVar[Paths]
    """Of both ends and their table, in the messages that create and read back."""
    dumps: ClassVar[Mapping[str, str]]
    """The messages that ask for all tunnels, each with its answer; newest first."""
    also_read: ClassVar[tuple[str, ...]] = ()
    """Fields that decide whether a configuration could have created the tunnel."""
    create_operation: ClassVar[type[CreateTunnel]]
    delete_operation: ClassVar[type[DeleteTunnel]]

    def __init__(self) -> None:
        self.assumed = {**ASSUMED_ENDS, **placeholders(self.virtual)}  # type: ignore[misc] # from the keys, once
        self.parts = tuple(
            Part(name=key.capability, use=key.needs, since=key.since, is_needed_by=_is_set(key.name))
            for key in keys_of(self.virtual)
            if key.since is not None
        )
        self.operations = (self.create_operation, self.delete_operation)  # type: ignore[misc]

    def is_entry(self, entry: VirtualInterfaceConfig | None) -> TypeGuard[TunnelConfig]:
        return isinstance(entry, TunnelConfig) and isinstance(entry.tunnel, self.virtual)

    def references(self, configuration: Configuration) -> Iterator[NamedReference]:
        """Yield the VRFs that the ends are in."""
        return encap_references(self.entries_in(configuration).values())

    def schema_parts(self) -> Mapping[str, Sequence[str]]:
        """Return the lines of schema/vppcfg.yaml about an entry."""
        ends = (line.format("required=False" if self.has_multipoint else "") for line in _SCHEMA)
        neighbors = _NEIGHBORS if self.has_multipoint else ()
        return {self.kind.value: [DESCRIPTION, *ends, *schema_lines(self.virtual), *neighbors]}

    @property
    def has_multipoint(self) -> bool:
        """Return whether a tunnel of the kind can lead to many routers."""
        return any(key.attribute == "is_multipoint" for key in keys_of(self.virtual))

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> TunnelConfig | Problem:
        """Return a tunnel with canonical ends, or that it has no other end, or one and many."""
        local, remote, is_multipoint = (entry.raw.get(key) for key in ("local", "remote", "multipoint"))
        if (remote is None) == (not is_multipoint):
            text = "a tunnel leads to one router or to many; " + (
                "add its `remote`, or `multipoint: true`" if remote is None else "remove `remote` or `multipoint`"
            )
            return Problem(rule=self.rule("remote"), path=entry.path, text=text)
        local = canonical_host(local) or ""
        return TunnelConfig(
            name=entry.name,
            path=entry.path,
            description=entry.description,
            encap_vrf=entry.raw.get("encap-vrf"),
            tunnel=self.virtual(
                local=local,
                remote=NO_REMOTE[":" in local] if is_multipoint else canonical_host(remote) or "",
                **parsed(self.virtual, entry.raw),
            ),
            given=frozenset(key for key, value in entry.raw.items() if value is not None),
        )

    def to_desired(self, config: TunnelConfig, before: T | None, desired: DesiredStateBuilder) -> T:
        """Return the tunnel to create, its VRF as the number of a table."""
        assert isinstance(config.tunnel, self.virtual)
        table = vrf_section.interface_tables(config.encap_vrf, desired.configuration)[":" in config.local]
        return replace(config.tunnel, encap_vrf=table)

    def may_remove(self, virtual: T) -> bool:
        return virtual.is_plain

    def needs_mark(self, virtual: T) -> bool:
        return virtual.is_multipoint

    def unsupported_reason(self, virtual: T) -> str | None:
        if not virtual.is_plain:
            return self.not_plain_reason
        ends = (virtual.local,) if virtual.is_multipoint else (virtual.local, virtual.remote)
        return unsupported_value(virtual) or self.conflict(virtual) or unsupported_ends(*ends)

    not_plain_reason: ClassVar[str]
    """Why no entry can describe a tunnel that is not plain."""

    def conflict(self, virtual: T) -> str | None:
        """Return which values of an observed tunnel no entry can have together."""
        return None

    def virtual_from_state(self, name: str, virtual: T, state: State) -> TunnelConfig:
        encap_vrf = vrf_section.encap_vrf_of(virtual.encap_vrf, is_ipv6=":" in virtual.local, state=state)
        given = frozenset(key.name for key in keys_of(self.virtual) if key.writes(virtual))
        return TunnelConfig(
            name=name, path=(self.key, name), tunnel=replace(virtual, encap_vrf=0), encap_vrf=encap_vrf, given=given
        )

    def to_yaml_keys(self, entry: TunnelConfig) -> Iterator[KeyValue]:
        """Yield the ends of a tunnel, and the keys of its kind."""
        yield KeyValue("local", entry.local)
        if not entry.tunnel.is_multipoint:
            yield KeyValue("remote", entry.remote)
        yield from vrf_section.keys("encap-vrf", entry.encap_vrf)
        yield from yaml_keys(entry.tunnel)

    def create(self, interface: Interface, virtual: T) -> CreateTunnel:
        return self.create_operation(interface=interface.name, instance=instance_of(interface.name), tunnel=virtual)

    def delete(self, name: str, virtual: T) -> DeleteTunnel:
        return self.delete_operation(interface=name, tunnel=virtual)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all tunnels, where VPP has the plugin."""
        if not self._is_offered(connection):
            return []
        return [connection.request(connection.newest(tuple(self.dumps)), {"sw_if_index": ALL_INDEXES})[1]]

    def _is_offered(self, connection: VppReader) -> bool:
        return connection.offers(tuple(self.dumps)[-1])

    def read(self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> dict[str, T]:
        """Return the tunnels by name; `rows` are the interfaces by index."""
        if not self._is_offered(connection):
            return {}
        details = self.dumps[connection.newest(tuple(self.dumps))]
        keys = [key for key in keys_of(self.virtual) if key.path and connection.has_field(details, key.path)]
        at = self.paths
        paths = (at.interface, f"{at.local}.af", f"{at.local}.un", f"{at.remote}.un", at.table)
        found = connection.rows(replies, details, *paths, *(key.path for key in keys), *self.also_read)
        tunnels = {}
        for index, family, source, target, table, *values in found:
            try:
                attributes = read_back(keys, values[: len(keys)])
            except ValueError as error:
                raise malformed(details) from error
            row = rows.get(index)
            if row is None or row.device_class != self.device_class:
                continue
            remote = text_of_address(family, target)
            if "is_multipoint" in attributes:
                attributes["is_multipoint"] &= remote in NO_REMOTE.values()
            tunnels[row.name] = self.virtual(
                local=text_of_address(family, source),
                remote=remote,
                encap_vrf=table,
                **{**attributes, "is_plain": self.is_plain(row, remote, values[len(keys) :])},
            )
        return tunnels

    def is_plain(self, row: Row, remote: str, values: Sequence[Any]) -> bool:
        """Return whether a configuration could create a tunnel with these values of `also_read`."""
        return not any(values)


def end_values(paths: Paths, tunnel: Tunnel) -> dict[str, Value]:
    """Return the values of a message that give both ends of a tunnel and their table."""
    return {
        **address_values(paths.local, tunnel.local),
        **address_values(paths.remote, tunnel.remote),
        paths.table: tunnel.encap_vrf,
    }


def tunnel_values(paths: Paths, tunnel: Tunnel, *, only_set: Sequence[str] = ()) -> dict[str, Value]:
    """Return the values of a message that give a tunnel; those of `only_set` where they differ from the default."""
    return {**end_values(paths, tunnel), **message_values(tunnel, only_set=only_set)}


def _is_set(key: str) -> Any:
    return lambda config: key in config.given


def unsupported_ends(*ends: str) -> str | None:
    """Return why no entry can have the ends of an observed tunnel, None when one can."""
    if not all(canonical_host(end) == end and is_unicast(end) for end in ends):
        return "one of its ends is no address of a host"
    return None
