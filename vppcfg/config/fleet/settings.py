"""Reads fleet.yml, the settings of `check --fleet`: anycast addresses, routers without a file, accepted findings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from vppcfg.common.addresses import address_key, canonical_mac, canonical_prefix
from vppcfg.config.fleet.finding import FleetFinding
from vppcfg.entries.yaml.document import Document
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.files import read_source, refuse_from_elsewhere
from vppcfg.entries.yaml.reader import read_document
from vppcfg.errors import ConfigError
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.record import record

SETTINGS_NAME = "fleet.yml"
_KEYS = ("anycast", "external", "accept")
_ACCEPT_KEYS = ("rule", "for", "why")
_Networks = Mapping[tuple[int, int], frozenset[int]]
"""By family and length: the networks, as numbers."""


@record
class FleetSettings:
    """The settings of fleet.yml."""

    anycast: _Networks = field(default_factory=dict)
    anycast_macs: frozenset[str] = frozenset()
    external: _Networks = field(default_factory=dict)
    accepted: frozenset[tuple[str, str]] = frozenset()
    """Rules, each with what it may be broken by; '' for everything."""

    def is_anycast(self, host: str) -> bool:
        """Return whether several routers may have an address."""
        return _covers(self.anycast, host)

    def is_external(self, host: str) -> bool:
        """Return whether an address belongs to a router without a file."""
        return _covers(self.external, host)

    def accepts(self, finding: FleetFinding) -> bool:
        """Return whether a finding is known and wanted so."""
        rule = finding.problem.rule
        return (rule, "") in self.accepted or (rule, finding.subject) in self.accepted


def _covers(networks: _Networks, host: str) -> bool:
    key = address_key(f"{host}/0")
    return any(
        family == key.family and key.value >> (key.width - length) in known
        for (family, length), known in networks.items()
    )


def read_settings(path: str) -> tuple[FleetSettings, tuple[Problem, ...]]:
    """Return what a file sets, and what is wrong with it; without a file nothing is shared, elsewhere or accepted."""
    if not os.path.lexists(path):
        return FleetSettings(), ()
    try:
        refuse_from_elsewhere(path)
        document = read_document(read_source(path))
    except ConfigError as error:
        return FleetSettings(), (Problem(rule="fleet-settings", path=(), text=error.message, file=path),)
    reader = _SettingsReader(document, path)
    return reader.settings(), tuple(reader.problems)


class _SettingsReader:
    def __init__(self, document: Document, file: str) -> None:
        self._document = document
        self._file = file
        self.problems = [replace(problem, file=file) for problem in document.problems]

    def settings(self) -> FleetSettings:
        """Return what the file sets, as far as it is right."""
        data = {} if self._document.data is None else self._document.data
        if not isinstance(data, dict):
            if self._document.is_readable:
                self._report((), f"this is no map; it has the keys {', '.join(_KEYS)}")
            return FleetSettings()
        for key in data:
            if key not in _KEYS:
                self._report((key,), f"{shown(key)} is not known here; the keys are {', '.join(_KEYS)}")
        macs: set[str] = set()
        return FleetSettings(
            anycast=self._networks(data, "anycast", macs),
            external=self._networks(data, "external", None),
            anycast_macs=frozenset(macs),
            accepted=frozenset(self._accepted(data)),
        )

    def _networks(self, data: Mapping[Any, Any], key: str, macs: set[str] | None) -> _Networks:
        found: dict[tuple[int, int], set[int]] = {}
        for position, text in self._items(data, key):
            mac = canonical_mac(text) if macs is not None else None
            prefix = None if mac else canonical_prefix(text)
            if mac is not None and macs is not None:
                macs.add(mac)
            elif prefix is not None:
                network = address_key(prefix)
                found.setdefault((network.family, network.length), set()).add(network.network)
            else:
                what = "an address, a prefix or a MAC address" if macs is not None else "an address or a prefix"
                self._report((key, position), f"{shown(text)} is not {what}")
        return {size: frozenset(networks) for size, networks in found.items()}

    def _accepted(self, data: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
        for position, entry in self._items(data, "accept"):
            path = ("accept", position)
            if not isinstance(entry, dict) or not isinstance(entry.get("rule"), str):
                self._report(path, "this names no rule; write `rule:`, and `for:` with what it is accepted for")
                continue
            for key in entry:
                if key not in _ACCEPT_KEYS:
                    self._report((*path, key), f"{shown(key)} is not known here; the keys are rule, for and why")
            subject = entry.get("for")
            if subject is not None and not isinstance(subject, str):
                self._report((*path, "for"), f"{shown(subject)} is no text: a subnet, an address, or ROUTER:INTERFACE")
            elif not entry["rule"].startswith("fleet-"):
                text = f"{shown(entry['rule'])} is no rule between files, and no other can be accepted"
                self._report((*path, "rule"), text)
            else:
                yield entry["rule"], subject or ""

    def _items(self, data: Mapping[Any, Any], key: str) -> Iterator[tuple[int, Any]]:
        items = data.get(key)
        if items is not None and not isinstance(items, list):
            self._report((key,), f"{key} is a list")
        elif items:
            yield from enumerate(items)

    def _report(self, path: KeyPath, text: str) -> None:
        line, column = self._document.locate(path)
        self.problems.append(
            Problem(rule="fleet-settings", path=path, text=text, line=line, column=column, file=self._file)
        )
