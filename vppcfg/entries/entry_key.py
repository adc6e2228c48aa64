"""The base of the keys of an interface whose value has one type in the file and another one in VPP, such as `lcp`.

A key whose value is the same in both is an `InterfaceKey`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.section import NamedReference
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.interface import Interface
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State


class EntryKey:
    """One key: how it is parsed, resolved into the desired state and dumped."""

    key: str
    """In the file."""
    attribute: str
    """Of `InterfaceConfig`; an attribute of `Interface` with the same name is what the key stands for."""
    is_dispensable: ClassVar[bool] = True
    """Whether the rest of an entry, and what refers to it, can be judged while the key is of a wrong form."""

    plugin: ClassVar[str] = ""
    """The plugin of VPP that has it; '' where it is always there."""
    reason: ClassVar[str] = ""
    """What the file does with the plugin, as a clause."""

    has_meaning_when_absent: ClassVar[bool] = False
    """Whether an interface that has nothing of it may need the key."""

    def parse(self, raw: Any, path: KeyPath) -> Any:
        """Return the attribute that a value of the right shape stands for; `path` is that of the entry."""
        raise NotImplementedError

    def references(self, config: InterfaceConfig) -> Iterator[NamedReference]:
        """Yield what the key, which is there, names elsewhere in the file."""
        yield from ()

    def from_state(self, interface: Interface, state: State, path: KeyPath) -> Any:
        """Return the attribute that stands for what an observed interface has."""
        raise NotImplementedError

    def yaml_keys(self, config: InterfaceConfig) -> Iterable[KeyValue]:
        """Return the key, with its value where it has one."""
        raise NotImplementedError

    def unsupported_key(self, interface: Interface, state: State) -> str | None:
        """Return why no file can set what an observed interface has, None when one can."""
        return None

    def to_desired(self, config: InterfaceConfig, base: Interface, desired: DesiredStateBuilder) -> Mapping[str, Any]:
        """Return the attributes of the interface that follow from the key; `base` is what it starts from."""
        return {}

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter what the keys of all interfaces stand for, once these are entered."""

    def resolve_linux(self, desired: DesiredStateBuilder) -> None:
        """Enter what they need on the Linux side."""

    def without_entry(self, base: Interface) -> Mapping[str, Any]:
        """Return the attributes of an interface that the file creates and has no entry for."""
        return {}
