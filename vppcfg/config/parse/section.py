"""The `interfaces` and `loopbacks` sections: their entries by VPP name, sub-interfaces beside their parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from vppcfg.config.names import MAX_LOOPBACK, is_interface_name, is_loopback_name, kind_of
from vppcfg.config.parse.interface import DEFAULT_MTU, parse_interface
from vppcfg.config.parse.sub_interface import parse_sub_interface, sub_interface_name
from vppcfg.config.yaml.errors import shown
from vppcfg.model.configuration import InterfaceConfig
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import KeyPath, Problem

SECTION = "interfaces"
LOOPBACKS = "loopbacks"
CHILDREN = "sub-interfaces"
_DISPENSABLE = frozenset(
    {"acls", "addresses", "description", "device-type", "l2xc", "mac", "mpls", "sflow", "unnumbered"}
)
"""Keys without which the rest of an entry, and what refers to it, can still be judged."""


class Section:
    """Parses entries one by one and keeps what came of each."""

    def __init__(self, bad_paths: Iterable[KeyPath]) -> None:
        self.interfaces: dict[str, InterfaceConfig] = {}
        self.broken: set[str] = set()
        """Names of the entries that could not be parsed."""
        self.problems: list[Problem] = []
        self._bad_keys: dict[KeyPath, set[str | int | None]] = {}
        """By entry: its keys with a wrong shape somewhere below; None is the entry itself."""
        for path in bad_paths:
            entry = _entry_of(path)
            key = path[len(entry)] if len(path) > len(entry) else None
            self._bad_keys.setdefault(entry, set()).add(key)

    def parse(self, raw: Any) -> None:
        """Parse the value of `interfaces`; it may be of a wrong shape at the bad paths only."""
        for name, entry in _entries(raw):
            if is_interface_name(name):
                self._parse_interface(str(name), entry or {})
            else:
                hint = "; put it in quotes if it is one" if isinstance(name, int) else ""
                text = f"{shown(name)} cannot be the name of an interface{hint}"
                self.problems.append(Problem(rule="interface-name", path=(SECTION, name), text=text))

    def parse_loopbacks(self, raw: Any) -> None:
        """Parse the value of `loopbacks`, like that of `interfaces`."""
        for name, entry in _entries(raw):
            path: KeyPath = (LOOPBACKS, name)
            if is_loopback_name(name):
                sound = self._sound_part(entry or {}, path)
                loopback = None if sound is None else parse_interface(sound, str(name), path, InterfaceKind.LOOPBACK)
                self._keep(str(name), loopback)
            else:
                text = f"{shown(name)} is no name here; a loopback is called loop0 to loop{MAX_LOOPBACK}"
                self.problems.append(Problem(rule="loopback-id", path=path, text=text))

    def _parse_interface(self, name: str, raw: Any) -> None:
        path: KeyPath = (SECTION, name)
        kind = kind_of(name)
        if kind is InterfaceKind.LOOPBACK:
            text = f"{name} is a loopback; write it below `loopbacks`"
            self.problems.append(Problem(rule="loopback-placement", path=path, text=text))
            return
        sound = self._sound_part(raw, path)
        interface = None if sound is None else parse_interface(sound, name, path, kind)
        self._keep(name, interface)
        for sub_id, entry in _entries(raw.get(CHILDREN) if isinstance(raw, dict) else None):
            self._parse_child(name, interface, sub_id, entry)

    def _parse_child(self, parent: str, parent_config: InterfaceConfig | None, sub_id: str | int, raw: Any) -> None:
        """Parse a sub-interface, unless it would inherit from a parent that could not be parsed."""
        path = (SECTION, parent, CHILDREN, sub_id)
        sound = self._sound_part(raw or {}, path)
        result = None
        if sound is not None and (parent_config is not None or not sound or sound.get("mtu") is not None):
            mtu = parent_config.mtu if parent_config else DEFAULT_MTU
            result = parse_sub_interface(sound, parent, sub_id, path, mtu)
        if isinstance(result, Problem):
            self.problems.append(result)
            result = None
        self._keep(sub_interface_name(parent, sub_id), result)

    def _sound_part(self, raw: Any, path: KeyPath) -> Mapping[str, Any] | None:
        """Return an entry with its bad keys as if absent, None when it cannot be judged without these."""
        bad = self._bad_keys.get(path)
        if bad is None:
            return cast(Mapping[str, Any], raw)
        return {key: None if key in bad else value for key, value in raw.items()} if bad <= _DISPENSABLE else None

    def _keep(self, name: str, interface: InterfaceConfig | None) -> None:
        if interface is None:
            self.broken.add(name)
        elif name in self.interfaces:
            text = f"interface {name} is in the file twice: as an interface and as a sub-interface"
            self.problems.append(Problem(rule="interface-duplicate", path=interface.path, text=text))
        else:
            self.interfaces[name] = interface


def _entries(raw: Any) -> Iterable[tuple[str | int, Any]]:
    return raw.items() if isinstance(raw, dict) else ()


def _entry_of(path: KeyPath) -> KeyPath:
    """Return the path of the interface or sub-interface that a path leads into."""
    return path[:4] if len(path) > 3 and path[2] == CHILDREN else path[:2]
