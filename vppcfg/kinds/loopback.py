"""Loopbacks, the section `loopbacks`: interfaces that need nothing but a number (vnet/ethernet/interface.c).

VPP has two kinds, which a bridge domain takes as BVI alike: `loopN`, and `bviN` of vnet/l2/l2_bvi.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from vppcfg.common.names import instance_of, natural_key
from vppcfg.common.release import Release
from vppcfg.engine.kind import CreatedKind
from vppcfg.entries.configuration import DEFAULT_MTU, Configuration, InterfaceConfig, KeyHolder
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.section import NamePattern, Naming, Parsing, Section, YamlEntry, numbered
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, indented, key_lines, scalar
from vppcfg.kinds import interface_keys
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.kinds import BVI, as_created, is_bvi
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.operations.operation import CreateInterface, DeleteInterface
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import evolve, record
from vppcfg.wire.codec import mac_bytes

MAX_LOOPBACK = 16383
"""Of a loopback (LOOPBACK_MAX_INSTANCE, BVI_MAX_INSTANCE)."""
WORDS = ("loop", BVI)
_BY_WORD = [numbered(word, 0, MAX_LOOPBACK, noun="loopback", rule="loopback-id") for word in WORDS]
_NAMING = Naming(
    is_name=lambda value: any(each.is_name(value) for each in _BY_WORD),
    rule="loopback-id",
    form=f"a loopback is called loop0 to loop{MAX_LOOPBACK}, or bvi0 to bvi{MAX_LOOPBACK}",
    pattern=("(loop|bvi)(0|[1-9][0-9]*)", None),
)
_OWN_NODES = Release(26, 10)
"""The first release in which an interface gets the nodes of a deleted one of its own kind alone (2e217922337)."""
_DEFAULT_MAC = re.compile(r"(de:ad|b0:b0):00:00:00:[0-9a-f]{2}|")
"""What VPP gives to a loopback (vnet_create_loopback_interface, l2_bvi_create)."""


@record
class LoopbackCreation(CreateInterface):
    """Create a loopback, down."""

    instance: int
    mac: str
    """'' for one that VPP derives from the instance."""

    def apply_to(self, working: WorkingState) -> None:
        working.create_interface(evolve(as_created(self.interface, InterfaceKind.LOOPBACK), mac=self.mac))

    def _words(self) -> str:
        mac = f" mac {self.mac}" if self.mac else ""
        return f"{mac} instance {self.instance}"


@record
class CreateLoopback(LoopbackCreation):
    """create_loopback_instance: create `loopN`."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values: dict[str, Value] = {
            "mac_address": mac_bytes(self.mac),
            "is_specified": 1,
            "user_instance": self.instance,
        }
        return Request("create_loopback_instance", values)

    def cli(self) -> str:
        return f"create loopback interface{self._words()}"


@record
class CreateBvi(LoopbackCreation):
    """bvi_create: create `bviN`."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("bvi_create", {"mac": mac_bytes(self.mac), "user_instance": self.instance})

    def cli(self) -> str:
        return f"bvi create{self._words()}"


@record
class DeleteLoopback(DeleteInterface):
    """delete_loopback: delete a loopback."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("delete_loopback", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"delete loopback interface intfc {self.interface}"


@record
class DeleteBvi(DeleteInterface):
    """bvi_delete: delete a BVI."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("bvi_delete", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"bvi delete {self.interface}"


class LoopbackKind(CreatedKind, Section):
    """Loopbacks; the entries of the section stand among the interfaces of a Configuration."""

    key = "loopbacks"
    attribute = "interfaces"
    has_interfaces = True
    assumed: ClassVar = {}
    kind = InterfaceKind.LOOPBACK
    operations = (CreateLoopback, DeleteLoopback, CreateBvi, DeleteBvi)

    def name_pattern(self) -> NamePattern:
        return _NAMING.pattern

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Warn where an older VPP hands a new loopback the node by which a deleted one of the other kind sent."""
        bvis, there = _bvis(desired.interfaces), _bvis(desired.observed.interfaces)
        for name in sorted(bvis - there, key=natural_key):
            text = f"drops all that {name} sends if a loopN was deleted since VPP was started; restart VPP then"
            desired.risk("bvi-nodes", desired.configuration.path_of(name) or (self.key, name), _OWN_NODES, text)
        for name in sorted(there - bvis, key=natural_key):
            text = f"drops all that a loopN sends that is made once {name} is deleted; restart VPP in between"
            desired.risk("bvi-nodes", (), _OWN_NODES, text)

    def parse(self, parsing: Parsing) -> dict[str, InterfaceConfig]:
        sound: dict[str, InterfaceConfig] = {}
        bad_keys = interface_keys.bad_keys_of(parsing.bad_paths)
        raw = parsing.content.get(self.key)
        for name, entry in raw.items() if isinstance(raw, dict) else ():
            path: KeyPath = (self.key, name)
            if not _NAMING.is_name(name):
                text = f"{shown(name)} is no name here; {_NAMING.form}"
                parsing.problems.append(Problem(rule=_NAMING.rule, path=path, text=text))
            elif (part := interface_keys.without_bad_keys(entry or {}, path, bad_keys)) is None:
                parsing.broken.add(name)
            else:
                sound[name] = interface_keys.parse(part, name, path, InterfaceKind.LOOPBACK)
        return sound

    def yaml_entries(self, configuration: Configuration) -> Iterator[YamlEntry]:
        for config in configuration.interfaces.values():
            if config.kind is InterfaceKind.LOOPBACK and config.parent is None:
                yield YamlEntry(path=config.path, name=config.name, keys=tuple(_keys(config, configuration)))

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        every = configuration.interfaces.values()
        loopbacks = [each for each in every if each.kind is InterfaceKind.LOOPBACK and each.parent is None]
        if loopbacks:
            yield f"{self.key}:"
        for loopback in loopbacks:
            lines = key_lines(_keys(loopback, configuration))
            yield f"  {scalar(loopback.name)}:" if lines else f"  {scalar(loopback.name)}: {{}}"
            yield from indented(lines, 2)

    def creation(self, interface: Interface, virtual: VirtualInterface | None) -> Step:
        """Return the step that creates a loopback."""
        name = interface.name
        operation = CreateBvi if is_bvi(name) else CreateLoopback
        create = operation(interface=name, instance=instance_of(name), mac=interface.mac)
        return Step(stage=Stage.CREATE_INTERFACE, operation=create)

    def deletion(self, interface: Interface, virtual: VirtualInterface | None) -> Step:
        """Return the step that deletes a loopback."""
        operation = DeleteBvi if is_bvi(interface.name) else DeleteLoopback
        return Step(stage=Stage.DELETE_INTERFACE, operation=operation(interface=interface.name))


KIND = LoopbackKind()


def _bvis(interfaces: Mapping[str, Interface]) -> set[str]:
    return {name for name, each in interfaces.items() if each.kind is InterfaceKind.LOOPBACK and is_bvi(name)}


def _keys(loopback: InterfaceConfig, configuration: Configuration) -> list[KeyValue]:
    return [
        KeyValue("mtu", loopback.mtu, is_default=loopback.mtu == DEFAULT_MTU),
        interface_keys.state_key(loopback),
        *interface_keys.identity_keys(loopback),
        *interface_keys.use_keys(loopback),
        *configuration.owned_keys(KeyHolder.INTERFACE, loopback.name),
    ]


def unsupported_reason(loopback: Interface) -> str | None:
    """Return why no file can express an observed loopback, None when nothing particular to one forbids it."""
    if not _NAMING.is_name(loopback.name):
        return "it has a name that VPP gives to no loopback"
    if loopback.macip is not None:
        return "it is a loopback with a MACIP access list"
    if loopback.l2xc is not None:
        return "it is a loopback that is cross-connected"
    return None


def from_state(loopback: Interface, state: State) -> InterfaceConfig:
    """Return the entry of a loopback, with a configured MAC address."""
    mac = None if _DEFAULT_MAC.fullmatch(loopback.mac) else loopback.mac
    return interface_keys.from_state(loopback, state, (KIND.key, loopback.name), mac=mac)
