"""The base of the keys of an interface whose value is the same in the file and in VPP, such as `mpls`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, ClassVar

from vppcfg.common.release import OLDEST, Release
from vppcfg.entries.yaml.text import Value


class InterfaceKey:
    """What parsing, resolving, dumping and checks need of one key, for an attribute of `InterfaceValues`."""

    key: str
    """In the file."""
    attribute: str
    """Of InterfaceValues, and so of Interface and InterfaceConfig."""
    is_block: bool = False
    """Whether the file has it on lines of its own, below the key."""
    plugin: str | None = None
    """The plugin of VPP without which the value stays as by default."""
    reason: str = ""
    """Why a file with the key needs the plugin."""
    plugin_since: Release = OLDEST
    """The release that the plugin came with."""
    since: Release | None = None
    """The first release whose value can be read back; the facts of such a VPP have `part`."""
    shown_by: str = ""
    """The name of that part, the key where it is empty."""
    assumed: ClassVar[Mapping[str, tuple[Any, Any]]] = {}
    """Two values of keys within its value, with which the rest is judged when one is of a wrong shape."""
    is_of_bond: bool = False
    """Whether it belongs to the bond where the interface is a member of one."""
    is_routing: bool = False
    """Whether it does nothing on an interface that hands frames on as they are, because it is about routed packets."""
    may_be_idle: bool = False
    """Whether a file may set it there, because VPP takes it and anything else goes on as before."""

    def parse(self, raw: Any) -> Any:
        """Return the attribute that a value of the right shape stands for."""
        raise NotImplementedError

    def as_yaml(self, value: Any) -> Value:
        """Return the value in the file that an attribute stands for."""
        plain: str | int = value.value if isinstance(value, Enum) else value
        return plain

    def unsupported_reason(self, value: Any) -> str | None:
        """Return why no file can set an observed value, as the end of a sentence; None when one can."""
        return None

    @property
    def first_release(self) -> Release:
        """Return the first release that can have the value, whatever plugins it runs."""
        return max(self.plugin_since, self.since or OLDEST)

    @property
    def part(self) -> str:
        """Return the part of VPP that shows it, among those of its facts."""
        return self.shown_by or self.key


class PlainKey(InterfaceKey):
    """A key that has no module of its own."""

    def __init__(
        self,
        key: str,
        attribute: str,
        parse: Callable[[Any], Any],
        as_yaml: Callable[[Any], Value] | None = None,
        unsupported_reason: Callable[[Any], str | None] | None = None,
        **settings: Any,
    ) -> None:
        """Take the functions in place of the methods, and other attributes by name."""
        self.key, self.attribute, self._parse, self._as_yaml = key, attribute, parse, as_yaml
        self._unsupported_reason = unsupported_reason
        for name, setting in settings.items():
            setattr(self, name, setting)

    def parse(self, raw: Any) -> Any:
        """Return the attribute that a value of the right shape stands for."""
        return self._parse(raw)

    def as_yaml(self, value: Any) -> Value:
        """Return the value in the file that an attribute stands for."""
        return InterfaceKey.as_yaml(self, value) if self._as_yaml is None else self._as_yaml(value)

    def unsupported_reason(self, value: Any) -> str | None:
        """Return why no file can set an observed value, as the end of a sentence; None when one can."""
        return None if self._unsupported_reason is None else self._unsupported_reason(value)
