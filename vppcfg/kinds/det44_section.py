"""Deterministic NAT in the file: the section `det44`, which owns all of DET44 where it is there, empty or not.

det44:
  maps: { 100.64.0.0/16: 203.0.113.0/28 }
  timeouts: { udp: 300, tcp-established: 7440, tcp-transitory: 240, icmp: 60 }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.common.addresses import address_key, canonical_address, canonical_prefix
from vppcfg.common.numbers import numbered
from vppcfg.entries.configuration import Configuration, Det44Config
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.section import Parsing, SettingsSection, Unmanaged
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds.det44 import PLUGIN
from vppcfg.model.det44 import DEFAULT_TIMEOUTS, Det44Map, Det44Timeouts
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.vpp_object import all_of
from vppcfg.record import evolve

KEY = "det44"
_TIMEOUTS = {
    "udp": "udp",
    "tcp-established": "tcp_established",
    "tcp-transitory": "tcp_transitory",
    "icmp": "icmp",
}
"""The attribute of each key."""


class Det44Section(SettingsSection):
    """The section `det44`."""

    key = KEY
    attribute = "det44"
    is_optional = True

    def parse(self, parsing: Parsing) -> Det44Config | None:
        """Return maps and timeouts; None without the section, which leaves DET44 alone."""
        raw = parsing.sound(parsing.content.get(KEY), (KEY,), depth=2)
        if not isinstance(raw, dict):
            return None
        maps, timeouts = raw.get("maps") or {}, raw.get("timeouts") or {}
        return Det44Config(maps=tuple(_maps(maps, parsing)), timeouts=_timeouts(timeouts))

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter what the file has, and that DET44 is the file's; note what VPP has of it without a section."""
        config = desired.configuration.det44
        if config is None:
            if count := len(desired.observed.of(Det44Map)):
                text = f"VPP has {numbered(count, 'DET44 map')} that the file leaves alone, since it has no `{KEY}`"
                desired.notice("left-alone", (), text)
            return
        desired.owned |= all_of(Det44Map, Det44Timeouts)
        is_wanted = bool(config.maps) or config.timeouts != DEFAULT_TIMEOUTS
        if is_wanted and desired.has_plugin(PLUGIN, (KEY,), "the file has deterministic NAT"):
            for each in config.maps:
                desired.enter(each)
            if config.timeouts != DEFAULT_TIMEOUTS:
                desired.enter(config.timeouts)

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Leave interfaces on their sides where the file has no section."""
        if desired.configuration.det44 is not None:
            return
        for name, interface in desired.interfaces.items():
            found = desired.observed.interfaces.get(name)
            if found is not None and found.det44 is not interface.det44:
                desired.interfaces[name] = evolve(interface, det44=found.det44)

    def from_state(self, state: State, unmanaged: Unmanaged) -> Det44Config | None:
        """Return maps and timeouts, None where VPP has nothing of DET44."""
        maps = sorted(state.of(Det44Map).values(), key=lambda each: address_key(each.inside))
        timeouts = next(iter(state.of(Det44Timeouts).values()), DEFAULT_TIMEOUTS)
        is_used = maps or timeouts != DEFAULT_TIMEOUTS or any(each.det44 for each in state.interfaces.values())
        return Det44Config(maps=tuple(maps), timeouts=timeouts) if is_used else None

    def setting_keys(self, config: Det44Config) -> Iterator[KeyValue]:
        maps = tuple(KeyValue(each.inside, each.outside) for each in config.maps)
        yield KeyValue("maps", maps, is_default=not maps, is_block=len(maps) > 1)
        seconds = tuple(
            KeyValue(key, value)
            for key, attribute in _TIMEOUTS.items()
            if (value := getattr(config.timeouts, attribute)) != getattr(DEFAULT_TIMEOUTS, attribute)
        )
        yield KeyValue("timeouts", seconds, is_default=not seconds)

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the section; an empty one stands there too, for it owns DET44."""
        lines = list(super().lines(configuration, reasons))
        is_empty = configuration.det44 is not None and not lines
        yield from [f"{KEY}: {{}}"] if is_empty else lines


def _maps(raw: Mapping[Any, Any], parsing: Parsing) -> Iterator[Det44Map]:
    for inside, outside in raw.items():
        path: KeyPath = (KEY, "maps", inside)
        problem = _wrong_prefix(inside, path) or _wrong_prefix(outside, path)
        if problem is None:
            yield Det44Map(inside=str(canonical_prefix(inside)), outside=str(canonical_prefix(outside)))
        else:
            parsing.problems.append(problem)
            parsing.broken_entries[KEY] = parsing.broken_entries.get(KEY, frozenset()) | {str(inside)}


def _wrong_prefix(prefix: Any, path: KeyPath) -> Problem | None:
    canonical = canonical_prefix(prefix)
    if canonical is None or ":" in canonical:
        text = f"{shown(prefix)} is no IPv4 prefix; write an address with its length, such as 100.64.0.0/16"
    elif canonical != (canonical_address(prefix) or f"{prefix}/32"):
        text = f"{prefix} has bits set behind its length; write {canonical}"
    else:
        return None
    return Problem(rule="det44-prefix", path=path, text=text)


def _timeouts(raw: Mapping[str, Any]) -> Det44Timeouts:
    given = {attribute: raw[key] for key, attribute in _TIMEOUTS.items() if raw.get(key) is not None}
    return Det44Timeouts(**given)


SECTION = Det44Section()
