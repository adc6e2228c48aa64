"""The section `interfaces`: ports, and what bonds, tunnels and TAPs are to be, each with its sub-interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, Protocol

from vppcfg.common.names import natural_key
from vppcfg.entries.configuration import DEFAULT_MTU, Configuration, InterfaceConfig, KeyHolder
from vppcfg.entries.names import INTERFACE, NAME_LENGTH, is_interface_name, word_of
from vppcfg.entries.section import NamedReference, NamePattern, Parsing, Section, Unmanaged, YamlEntry
from vppcfg.entries.virtual_interface_section import VirtualInterfaceSection
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, indented, key_lines, scalar
from vppcfg.kinds import entry_keys, interface_keys, interface_values, loopback
from vppcfg.kinds import sub_interface_entry as sub_interface
from vppcfg.model.interface import DEFAULT_DEVICE_TYPE, DEVICE_TYPES, Interface, InterfaceKind
from vppcfg.model.kinds import is_marked
from vppcfg.model.ownership import is_ours
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State

_TYPES_BY_CLASS = {device.device_class: name for name, device in DEVICE_TYPES.items() if name != DEFAULT_DEVICE_TYPE}
_CREATED_BY_OTHERS = frozenset(
    {
        *("BVI", "GENEVE", "GTPU", "IPSEC Tunnel", "L2TPv3", "L2_LISP_GPE", "Loopback"),
        *("LISP_GPE", "MPLS tunnel device", "NSH", "NSH_LISP_GPE", "PPPoE", "Packet Vectorizer Tunnel", "Pipe"),
        *("VXLAN_GPE", "ip6ip-6rd", "P2P Ethernet"),
    }
)
"""Device classes of ports that must exist before a configuration can name them, beside those of kinds."""


class UsedKind(Protocol):
    """A kind of objects that interfaces use."""

    used_in: ClassVar[tuple[str, ...]]

    def unsupported_use(self, interface: Interface, state: State) -> str | None:
        """Return, as a clause about an interface, why no file can express how it uses them; None when one can."""


class Interfaces(Section):
    """The section `interfaces`, which knows the kinds that are made in sections of their own."""

    key = "interfaces"
    attribute = "interfaces"
    has_interfaces = True
    assumed: ClassVar = {}

    def __init__(self, sections: Sequence[VirtualInterfaceSection[Any, Any]], used: Sequence[UsedKind]) -> None:
        """Take the sections of kinds, and the kinds of what interfaces use."""
        self._used = used
        self._uses = attrgetter(*(attribute for kind in used for attribute in kind.used_in))
        self._uses_nothing = self._uses(Interface(name="", kind=InterfaceKind.PHYSICAL))
        self._section_of = {section.kind: section for section in sections}
        words = {section.word: section.kind for section in sections if section.word}
        self._kinds = dict.fromkeys(loopback.WORDS, InterfaceKind.LOOPBACK) | words
        exclusive = {section.exclusive_class for section in sections if section.exclusive_class}
        self._created_classes = _CREATED_BY_OTHERS | exclusive

    def kind_of(self, name: str) -> InterfaceKind:
        """Return what an interface without a parent is, by its whole name: `tap0x` is a port of another program.

        What is distinguished from a port by its mark alone is a port here.
        """
        return self._kinds.get(word_of(name), InterfaceKind.PHYSICAL)

    def name_pattern(self) -> NamePattern:
        return INTERFACE.pattern, NAME_LENGTH

    def parse(self, parsing: Parsing) -> dict[str, InterfaceConfig]:
        """Return the sound interfaces by VPP's names, sub-interfaces after their parents."""
        bad_keys = interface_keys.bad_keys_of(parsing.bad_paths)
        sound: dict[str, InterfaceConfig] = {}
        for name, config in self._entries(parsing, bad_keys):
            if config is None:
                parsing.broken.add(name)
            elif name in sound:
                text = f"interface {name} is in the file twice: as an interface and as a sub-interface"
                parsing.problems.append(Problem(rule="interface-duplicate", path=config.path, text=text))
            else:
                sound[name] = config
        return sound

    def _entries(
        self, parsing: Parsing, bad_keys: interface_keys.BadKeys
    ) -> Iterator[tuple[str, InterfaceConfig | None]]:
        """Yield the name of each entry with its configuration, None when it is broken."""
        for name, raw in _items(parsing.content.get(self.key)):
            path: KeyPath = (self.key, name)
            problem = self._name_problem(name, path)
            if problem is not None:
                parsing.problems.append(problem)
                continue
            port, entry = str(name), raw or {}
            part = interface_keys.without_bad_keys(entry, path, bad_keys)
            config = None if part is None else self._parse(part, port, path, parsing)
            yield port, config
            for sub_id, child in _items(entry.get(interface_keys.CHILDREN) if isinstance(entry, dict) else None):
                path = (self.key, port, interface_keys.CHILDREN, sub_id)
                part = interface_keys.without_bad_keys(child or {}, path, bad_keys)
                yield sub_interface.name_of(port, sub_id), _child(part, port, config, sub_id, path, parsing)

    def _parse(self, part: Mapping[str, Any], name: str, path: KeyPath, parsing: Parsing) -> InterfaceConfig:
        kind = self._kind_in(name, parsing)
        mtu = self._section_of[kind].default_mtu if kind in self._section_of else DEFAULT_MTU
        return interface_keys.parse(part, name, path, kind, default_mtu=mtu)

    def _kind_in(self, name: str, parsing: Parsing) -> InterfaceKind:
        """Return what an interface is, by its name and whether the file makes it."""
        for kind, section in self._section_of.items():
            entries = parsing.content.get(section.key) if is_marked(kind) else None
            if isinstance(entries, dict) and name in entries:
                return kind
        return self.kind_of(name)

    def _name_problem(self, name: str | int, path: KeyPath) -> Problem | None:
        if not is_interface_name(name):
            hint = "; put it in quotes if it is one" if isinstance(name, int) else ""
            text = f"{shown(name)} cannot be the name of an interface{hint}"
            return Problem(rule="interface-name", path=path, text=text)
        if self.kind_of(str(name)) is InterfaceKind.LOOPBACK:
            text = f"{name} is a loopback; write it below `{loopback.KIND.key}`"
            return Problem(rule="loopback-placement", path=path, text=text)
        return None

    def references(self, configuration: Configuration) -> Iterator[NamedReference]:
        """Yield the VRFs of interfaces, and those that their policy routes lead to."""
        return entry_keys.references(configuration)

    def unsupported_reason(self, name: str, state: State) -> str | None:
        """Return why no file can express an observed interface, None when nothing about itself forbids it."""
        interface = state.interfaces[name]
        parent = state.interfaces.get(interface.parent or "")
        if parent is not None and parent.kind is InterfaceKind.LOOPBACK:
            return "it is a sub-interface of a loopback"
        section = self._section_of.get(interface.kind)
        return (
            self._why_not_named(interface)
            or (section.unsupported_virtual(interface, state) if section is not None else None)
            or interface_keys.unsupported_ownership(interface)
            or sub_interface.unsupported_reason(interface)
            or self._unsupported_use(interface, state)
            or interface_keys.unsupported_mtu(interface, state.packet_mtu(name))
            or entry_keys.unsupported_reason(interface, state)
            or interface_values.unsupported_reason(interface)
        )

    def _unsupported_use(self, interface: Interface, state: State) -> str | None:
        if self._uses(interface) == self._uses_nothing:
            return None
        return next((reason for kind in self._used if (reason := kind.unsupported_use(interface, state))), None)

    def _why_not_named(self, interface: Interface) -> str | None:
        if not is_interface_name(interface.name):
            return "its name is not valid in a configuration"
        if interface.parent is None:
            kind = InterfaceKind.PHYSICAL if is_marked(interface.kind) else interface.kind
            if kind is not self.kind_of(interface.name):
                return "its name is that of another kind"
        is_port = interface.kind is InterfaceKind.PHYSICAL
        if is_port and interface.device_class in self._created_classes and not is_ours(interface.tag):
            return f"it is not created by a configuration ({interface.device_class})"
        return loopback.unsupported_reason(interface) if interface.kind is InterfaceKind.LOOPBACK else None

    def from_state(self, state: State, unmanaged: Unmanaged) -> dict[str, InterfaceConfig]:
        """Return all interfaces that are not left alone, loopbacks too, in natural order."""
        names = sorted((name for name in state.interfaces if not unmanaged.covers(name, state)), key=natural_key)
        return {name: self._entry_from_vpp(state.interfaces[name], state) for name in names}

    def _entry_from_vpp(self, interface: Interface, state: State) -> InterfaceConfig:
        """Return what an interface is; the MAC of a port may be the hardware's, and stays open."""
        if interface.parent is not None:
            return sub_interface.from_state(interface, state, self.key)
        if interface.kind is InterfaceKind.LOOPBACK:
            return loopback.from_state(interface, state)
        is_port = interface.kind is InterfaceKind.PHYSICAL
        device_type = _TYPES_BY_CLASS.get(interface.device_class) if is_port else None
        return interface_keys.from_state(interface, state, (self.key, interface.name), device_type=device_type)

    def yaml_entries(self, configuration: Configuration) -> Iterator[YamlEntry]:
        """Yield what all entries set but those of loopbacks."""
        interfaces = configuration.interfaces
        for config in interfaces.values():
            if config.parent is not None:
                parent = interfaces.get(config.parent)
                keys = sub_interface.keys(config, parent.mtu if parent else DEFAULT_MTU)
                keys += configuration.owned_keys(KeyHolder.INTERFACE, config.name)
                yield YamlEntry(path=config.path, name=config.name, keys=tuple(keys))
            elif config.kind is not InterfaceKind.LOOPBACK:
                yield YamlEntry(path=config.path, name=config.name, keys=tuple(_keys(config, configuration)))

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the text of the section, which is there even when it is empty."""
        children: dict[str, list[InterfaceConfig]] = {}
        ports: list[InterfaceConfig] = []
        for interface in configuration.interfaces.values():
            if interface.parent is not None:
                children.setdefault(interface.parent, []).append(interface)
            elif interface.kind is not InterfaceKind.LOOPBACK:
                ports.append(interface)
        yield f"{self.key}:" if ports else f"{self.key}: {{}}"
        for position, port in enumerate(ports):
            if position:
                yield ""
            yield f"  {scalar(port.name)}:"
            yield from indented(key_lines(_keys(port, configuration)), 2)
            if port.name in children:
                yield f"    {interface_keys.CHILDREN}:"
                for child in children[port.name]:
                    yield f"      {child.sub_id}:"
                    yield from indented(sub_interface.lines(child, port, configuration), 4)


def _items(raw: Any) -> Iterator[tuple[str | int, Any]]:
    return iter(raw.items() if isinstance(raw, dict) else ())


def _child(
    raw: Mapping[str, Any] | None,
    parent: str,
    parent_config: InterfaceConfig | None,
    sub_id: str | int,
    path: KeyPath,
    parsing: Parsing,
) -> InterfaceConfig | None:
    """Return a sub-interface, unless it is wrong, or would inherit from a parent that could not be parsed."""
    if raw is None or (parent_config is None and raw and raw.get("mtu") is None):
        return None
    result = sub_interface.parse(raw, parent, sub_id, path, parent_config.mtu if parent_config else DEFAULT_MTU)
    if isinstance(result, Problem):
        parsing.problems.append(result)
        return None
    return result


def _keys(port: InterfaceConfig, configuration: Configuration) -> list[KeyValue]:
    return [
        *interface_keys.identity_keys(port),
        KeyValue("mtu", port.mtu),
        interface_keys.state_key(port),
        *interface_keys.use_keys(port),
        *configuration.owned_keys(KeyHolder.INTERFACE, port.name),
    ]
