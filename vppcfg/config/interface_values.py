"""The keys of an interface whose value VPP gets as the file says it: a field and a row for each.

A row is all that parsing, resolving, restating and writing need. A key that depends on something else, such as `mtu`
or `lcp`, has functions of its own in `sections/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from operator import attrgetter
from typing import Any, NamedTuple

from vppcfg.common.release import Release
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.interface import Interface
from vppcfg.record import record


@record
class InterfaceValues:
    """The plain values of an interface; `Interface` has attributes of the same names."""

    unnumbered: str | None = None
    l2xc: str | None = None
    has_mpls: bool = False
    has_sflow: bool = False
    has_gso: bool = False


class Value(NamedTuple):
    """One key with a plain value."""

    key: str
    """In the file."""
    attribute: str
    """Of InterfaceValues and of Interface."""
    kind: type[Any]
    """str, int, bool, or an Enum whose values are those of the file."""
    plugin: str | None = None
    """The plugin of VPP without which the value stays as by default."""
    since: Release | None = None
    """The first release that can be asked for the value, of which the facts of a VPP then have the key as a part."""

    def in_file(self, value: Any) -> str | int:
        """Return a value as the file says it."""
        said: str | int = value.value if isinstance(value, Enum) else value
        return said


VALUES = (
    Value(key="unnumbered", attribute="unnumbered", kind=str),
    Value(key="l2xc", attribute="l2xc", kind=str),
    Value(key="mpls", attribute="has_mpls", kind=bool),
    Value(key="sflow", attribute="has_sflow", kind=bool, plugin="sflow"),
    Value(key="gso", attribute="has_gso", kind=bool, since=Release(25, 6)),
)
"""In the order in which they are written."""

WITH_PLUGIN = tuple((value, value.plugin) for value in VALUES if value.plugin is not None)
WITH_RELEASE = tuple((value, value.since) for value in VALUES if value.since is not None)
KEYS = frozenset(value.key for value in VALUES)
_ATTRIBUTES = tuple(value.attribute for value in VALUES)
_GET_ALL = attrgetter(*_ATTRIBUTES)
_DEFAULT_OF = {field.name: field.default for field in fields(InterfaceValues)}
DEFAULTS: Mapping[str, Any] = {attribute: _DEFAULT_OF[attribute] for attribute in _ATTRIBUTES}
"""By attribute."""


def parsed(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return by attribute the values that an entry of the right shape has."""
    return {value.attribute: value.kind(given) for value in VALUES if (given := raw.get(value.key)) is not None}


def values_of(holder: InterfaceValues | Interface) -> dict[str, Any]:
    """Return all values of an interface by attribute, as configured or as observed."""
    return dict(zip(_ATTRIBUTES, _GET_ALL(holder), strict=True))


_BY_DEFAULT = tuple(
    None if default is None else KeyValue(value.key, value.in_file(default), is_default=True)
    for value, default in zip(VALUES, DEFAULTS.values(), strict=True)
)


def keys(holder: InterfaceValues) -> list[KeyValue]:
    """Return what a file says of the values; a reference to nothing is not said."""
    found = []
    for value, given, default, by_default in zip(VALUES, _GET_ALL(holder), DEFAULTS.values(), _BY_DEFAULT, strict=True):
        said = by_default if given == default else KeyValue(value.key, value.in_file(given))
        if said is not None:
            found.append(said)
    return found
