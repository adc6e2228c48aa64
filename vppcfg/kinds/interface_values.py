"""The keys of an interface whose value VPP has as the file gives it: those of its features, and a few more.

A key that depends on something else, such as `mtu` or `lcp`, has functions of its own in `sections/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from vppcfg.entries.interface_key import InterfaceKey, PlainKey
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds import unnumbered
from vppcfg.kinds.address import UNMANAGED_ADDRESSES
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.model.interface import Interface, InterfaceValues

VALUES: tuple[InterfaceKey, ...] = (
    UNMANAGED_ADDRESSES,
    unnumbered.KIND,
    PlainKey(key="l2xc", attribute="l2xc", parse=str),
    *FEATURE_KINDS,
)
"""In the order in which they are written."""

WITH_PLUGIN = tuple((value, value.plugin) for value in VALUES if value.plugin is not None)
WITH_RELEASE = tuple((value, value.since) for value in VALUES if value.since is not None)
_BY_KEY = {value.key: value for value in VALUES}
KEYS = frozenset(_BY_KEY)
_ATTRIBUTES = tuple(value.attribute for value in VALUES)
_GET_ALL = attrgetter(*_ATTRIBUTES)
_DEFAULT_OF = {field.name: field.default for field in fields(InterfaceValues)}
DEFAULTS: Mapping[str, Any] = {attribute: _DEFAULT_OF[attribute] for attribute in _ATTRIBUTES}
"""By attribute."""
_ALL_DEFAULTS = tuple(DEFAULTS.values())


def parsed(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return by attribute the values that an entry of the right shape has."""
    shown = ((_BY_KEY[key], given) for key, given in raw.items() if key in _BY_KEY and given is not None)
    return {value.attribute: value.parse(given) for value, given in shown}


def values_set(holder: InterfaceValues | Interface) -> Iterator[tuple[InterfaceKey, Any]]:
    """Yield the keys whose values are not as by default, with these."""
    values = _GET_ALL(holder)
    if values != _ALL_DEFAULTS:
        rows = zip(VALUES, values, _ALL_DEFAULTS, strict=True)
        yield from ((value, given) for value, given, default in rows if given != default)


def unsupported_reason(interface: Interface) -> str | None:
    """Return why no file can express the values of an observed interface, None when one can."""
    if _GET_ALL(interface) == _ALL_DEFAULTS:
        return None
    return next((reason for value, given in values_set(interface) if (reason := value.unsupported_reason(given))), None)


def values_of(holder: InterfaceValues | Interface) -> dict[str, Any]:
    """Return all values of an interface by attribute, as configured or as observed."""
    return dict(zip(_ATTRIBUTES, _GET_ALL(holder), strict=True))


_BY_DEFAULT = tuple(
    None if default is None else KeyValue(value.key, value.as_yaml(default), is_default=True, is_block=value.is_block)
    for value, default in zip(VALUES, DEFAULTS.values(), strict=True)
)

_SHOWN_BY_DEFAULT = [key for key in _BY_DEFAULT if key is not None]


def keys(holder: InterfaceValues) -> list[KeyValue]:
    """Return the values for a file; a reference to nothing is left out."""
    values = _GET_ALL(holder)
    if values == _ALL_DEFAULTS:
        return list(_SHOWN_BY_DEFAULT)
    found = []
    for value, given, default, by_default in zip(VALUES, values, DEFAULTS.values(), _BY_DEFAULT, strict=True):
        shown = by_default if given == default else KeyValue(value.key, value.as_yaml(given), is_block=value.is_block)
        if shown is not None:
            found.append(shown)
    return found
