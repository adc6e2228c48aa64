"""Rules about the lists of names: `unmanaged` and `protected`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import translate

from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.index import Index
from vppcfg.kinds.kind_list import TABLES
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.nat44 import MARK
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.vrf import UNMANAGED_VRF

_WILD = frozenset("*?[")
_MEANT: Mapping[str, str] = {
    **{
        name: f"{section.word}*"
        for section in VIRTUAL_INTERFACES
        if section.word
        for name in (section.word.lower(), section.kind.value, section.key)
    },
    **dict.fromkeys(("bond", "bonds"), "BondEthernet*"),
    **dict.fromkeys(("loop", "loopback", "loopbacks"), "loop*"),
    **dict.fromkeys(("memif", "memifs"), "memif*"),
    **dict.fromkeys(("host-interfaces", "host_interfaces"), "host-*"),
    **{word: kind.unmanaged_pattern for kind in TABLES for word in kind.mistaken_patterns},
    **dict.fromkeys(("vrf", "vrfs", "vrf:"), "vrf:*"),
}
"""Patterns to suggest for the beginning of a name, or the name of a section."""


def unmanaged_configured(index: Index) -> Iterator[Problem]:
    """Find globs that cover an interface, a bridge domain or a VRF that the file configures."""
    configuration = index.configuration
    if not configuration.unmanaged:
        return
    names: Mapping[str, object] = {**configuration.interfaces, **configuration.virtual, **configuration.bridges}
    names = {**names, **{f"{UNMANAGED_VRF}{name}": vrf for name, vrf in configuration.vrfs.items()}}
    for position, pattern in enumerate(configuration.unmanaged):
        covered = _first_covered(pattern, names)
        if covered is not None:
            text = f"`{pattern}` covers {covered}, which this file configures; remove one of them"
            yield Problem(rule="unmanaged-configured", path=("unmanaged", position), text=text)


def _first_covered(pattern: str, names: Mapping[str, object]) -> str | None:
    if _WILD.isdisjoint(pattern):
        return pattern if pattern in names else None
    match = re.compile(translate(pattern)).match
    return next((name for name in names if match(name)), None)


def unmanaged_word(index: Index) -> Iterator[Problem]:
    """Find words for a kind of object, which are the name of none."""
    for position, pattern in enumerate(index.configuration.unmanaged):
        meant = _MEANT.get(pattern.lower())
        if meant is not None:
            text = f"`{pattern}` covers only what has exactly this name; did you mean `{meant}`?"
            path = ("unmanaged", position)
            yield Problem(rule="unmanaged-word", path=path, text=text, severity=Severity.WARNING)


def protected_missing(index: Index) -> Iterator[Problem]:
    """Find names that protect nothing but what VPP may have already."""
    configuration = index.configuration
    nat44 = configuration.nat44
    mappings = {f"{MARK}{each.name}" for each in nat44.static} if nat44 is not None else set()
    for position, name in enumerate(configuration.protected):
        is_mapping = name.startswith(MARK)
        is_there = index.has(name) or name in configuration.virtual or name in mappings
        if not is_there and (index.is_whole or not is_mapping):
            what = "mapping" if is_mapping else "interface"
            text = f"this file has no {what} {name}: only one that VPP has is protected; correct it, or remove it"
            text += did_you_mean(name, mappings if is_mapping else index.names)
            path = ("protected", position)
            yield Problem(rule="protected-missing", path=path, text=text, severity=Severity.WARNING)
