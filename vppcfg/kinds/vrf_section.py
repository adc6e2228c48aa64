"""The section `vrfs`: routing tables of their own, by VPP's name of them; and the keys that name one.

A VRF is one FIB table for each family, both with the same number. Tables carry no tag: one with a name that the file
lacks is removed, unless something is in it that is not managed; one without a name has no owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.entries.configuration import Configuration, InterfaceConfig, KeyHolder, VrfConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.entry_key import EntryKey
from vppcfg.entries.names import VRF, VRF_LENGTH, is_vrf_name
from vppcfg.entries.section import (
    NamedReference,
    NamedSection,
    Naming,
    Parsing,
    SectionEntry,
    Unmanaged,
    described,
)
from vppcfg.entries.yaml.text import KeyValue, indented, key_lines, scalar
from vppcfg.kinds import route_section
from vppcfg.kinds.owned_list import OWNED_KEYS
from vppcfg.model.interface import Interface
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State, tables_in_use
from vppcfg.model.vpp_object import Referent
from vppcfg.model.vrf import MAX_TABLE, UNMANAGED_VRF, FibTable, is_unnamed, table_key, table_keys


class Vrfs(NamedSection):
    """The section `vrfs`."""

    key = "vrfs"
    attribute = "vrfs"
    holder = KeyHolder.VRF
    dispensable = frozenset({"description"}) | OWNED_KEYS
    naming = Naming(
        is_name=is_vrf_name,
        rule="vrf-name",
        form=f"a VRF is called by letters, digits and /._:@+-, up to {VRF_LENGTH} of them, and not as VPP calls "
        "tables without a name",
        pattern=(VRF.pattern, VRF_LENGTH),
    )

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> VrfConfig:
        return VrfConfig(
            name=entry.name,
            path=entry.path,
            description=entry.description,
            table_id=entry.raw["id"],
            has_ipv4=entry.raw.get("ipv4") is not False,
            has_ipv6=entry.raw.get("ipv6") is not False,
        )

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the tables of the file. One that VPP has without a name stays so: only making it anew gives it one."""
        for config in desired.configuration.vrfs.values():
            for table in config.tables():
                before = desired.observed.vrfs.get(table.key)
                if table.key not in desired.vrfs:
                    desired.vrfs[table.key] = before if before is not None and before.is_unnamed else table

    def copy_unmanaged(self, desired: DesiredStateBuilder) -> None:
        """Enter unchanged the tables that plans must not touch, and report those that the file has otherwise."""
        held = set(tables_in_use(desired.observed, desired.interfaces))
        wanted = {table.key: table for config in desired.configuration.vrfs.values() for table in config.tables()}
        for key, table in desired.observed.vrfs.items():
            is_covered = desired.globs.matches(f"{UNMANAGED_VRF}{table.name}")
            if key in wanted:
                if wanted[key].name != table.name and not table.is_unnamed and (is_covered or key in held):
                    desired.vrfs[key] = table
                    _report_taken_table(desired, wanted[key], table)
            elif table.is_unnamed or is_covered or key in held:
                desired.vrfs[key] = table

    def from_state(self, state: State, unmanaged: Unmanaged) -> dict[str, VrfConfig]:
        """Return the VRFs that are not left alone, in natural order."""
        named: dict[str, list[FibTable]] = {}
        for key, table in state.vrfs.items():
            if key not in unmanaged.of("vrfs") and not table.is_unnamed:
                named.setdefault(table.name, []).append(table)
        return {name: self._entry_from_vpp(name, named[name]) for name in sorted(named, key=natural_key)}

    def _entry_from_vpp(self, name: str, tables: list[FibTable]) -> VrfConfig:
        families = {table.is_ipv6 for table in tables}
        return VrfConfig(
            name=name,
            path=(self.key, name),
            table_id=tables[0].table_id,
            has_ipv4=False in families,
            has_ipv6=True in families,
        )

    def entry_keys(self, entry: VrfConfig) -> Iterator[KeyValue]:
        """Yield what a VRF is, key by key."""
        yield from described(entry.description)
        yield KeyValue("id", entry.table_id)
        yield KeyValue("ipv4", entry.has_ipv4, is_default=entry.has_ipv4)
        yield KeyValue("ipv6", entry.has_ipv6, is_default=entry.has_ipv6)

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the text of the VRFs, each with its routes."""
        if configuration.vrfs:
            yield f"{self.key}:"
        for name, entry in configuration.vrfs.items():
            yield f"  {scalar(name)}:"
            yield from indented(
                [
                    *key_lines(self.keys_in(configuration, name, entry)),
                    *route_section.lines_of_vrf(configuration, name),
                ],
                2,
            )


SECTION = Vrfs()


def interface_tables(name: str | None, configuration: Configuration) -> tuple[int, int]:
    """Return the FIB tables of IPv4 and IPv6 of an interface in a VRF of the file; None is the default one."""
    vrf = configuration.vrfs.get(name) if name is not None else None
    if vrf is None:
        return 0, 0
    return vrf.table_id if vrf.has_ipv4 else 0, vrf.table_id if vrf.has_ipv6 else 0


def _report_taken_table(desired: DesiredStateBuilder, wanted: FibTable, table: FibTable) -> None:
    text = (
        f'VPP has table {table.table_id} by the name "{table.name}", and something in it is not managed, '
        "so that it cannot be recreated; take that name, or another id"
    )
    desired.problem("vrf-taken", desired.configuration.vrfs[wanted.name].path, text)


def unsupported_table(table: FibTable, state: State) -> str | None:
    """Return why no file can express an observed table, None when one can, or the table has no owner."""
    if table.is_unnamed:
        return None
    if not is_vrf_name(table.name):
        return "its name is not valid in a configuration"
    if not 0 < table.table_id <= MAX_TABLE:
        return "it has a number that the configuration does not allow"
    for other in state.vrfs.values():
        if other.name == table.name and other.table_id != table.table_id:
            return f"{other.key} has the same name"
    return None


def vrf_of(interface: Interface, state: State) -> str | None:
    """Return the name of the VRF that an interface is in; None for the default one, and where none is like that."""
    number = max(interface.tables)
    if number == 0 or any(own not in (0, number) for own in interface.tables):
        return None
    inside: set[str] = set()
    outside: set[str] = set()
    for is_ipv6, own in enumerate(interface.tables):
        table = state.vrfs.get(table_key(number, is_ipv6=bool(is_ipv6)))
        if table is not None:
            (inside if own == number else outside).add(table.name)
    name = next(iter(inside), "")
    return name if len(inside) == 1 and name not in outside and not is_unnamed(name) else None


def encap_vrf_of(table_id: int, *, is_ipv6: bool, state: State) -> str | None:
    """Return the name of the table that the ends of a tunnel are in; None for the default one."""
    table = state.vrfs.get(table_key(table_id, is_ipv6=is_ipv6)) if table_id else None
    return table.name if table is not None else None


def keys(key: str, name: str | None) -> list[KeyValue]:
    """Return the key that names a VRF; nothing for the default one."""
    return [] if name is None else [KeyValue(key, name)]


class VrfKey(EntryKey):
    """The key `vrf` of an interface."""

    key = attribute = "vrf"
    is_dispensable = False

    def parse(self, raw: str, path: KeyPath) -> str:
        return raw

    def references(self, config: InterfaceConfig) -> Iterator[NamedReference]:
        yield NamedReference(Referent.TABLE, str(config.vrf), (*config.path, self.key))

    def from_state(self, interface: Interface, state: State, path: KeyPath) -> str | None:
        """Return the name of the VRF that an interface is in."""
        return vrf_of(interface, state)

    def yaml_keys(self, config: InterfaceConfig) -> Iterable[KeyValue]:
        """Return the key; nothing for the default VRF."""
        return keys(self.key, config.vrf)

    def unsupported_key(self, interface: Interface, state: State) -> str | None:
        """Return that an interface is in tables that are no VRF of a file."""
        if interface.tables == (0, 0) or vrf_of(interface, state) is not None:
            return None
        number = max(interface.tables)
        tables = [state.vrfs[key] for key in table_keys(interface.tables) if key in state.vrfs]
        if tables and all(table.is_unnamed and table.table_id == number for table in tables):
            return f"it is in FIB table {number}, which has no name; a VRF with `id: {number}` in the file can have it"
        return f"it is in FIB table {number}, but not as a VRF of the configuration would have it"

    def to_desired(self, config: InterfaceConfig, base: Interface, desired: DesiredStateBuilder) -> Mapping[str, Any]:
        return {"tables": interface_tables(config.vrf, desired.configuration)}

    def without_entry(self, base: Interface) -> Mapping[str, Any]:
        """Return the default tables."""
        return {"tables": (0, 0)}


VRF_KEY = VrfKey()
