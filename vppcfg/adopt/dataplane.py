"""Builds the section `dataplane` of an adopted file, from startup.conf and from the settings of linux-cp."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.entries.yaml.text import KeyValue, key_lines
from vppcfg.model.state import State

Settings = Mapping[str, Any]
"""The section as plain data."""


def lcp_settings(state: State, known: Settings) -> Settings:
    """Return the part about linux-cp, as a state has it after its script; nothing where it is as by default.

    A dataplane section means lcp-sync by default, so it is written out where there are pairs.
    """
    facts, settings = state.facts.lcp, dict(known.get("linux-cp", {}))
    if facts.default_netns:
        settings["netns"] = facts.default_netns
    if facts.is_auto_subint:
        settings["auto-subint"] = True
    if facts.is_sync:
        settings.pop("sync", None)
    elif state.lcps:
        settings["sync"] = False
    return {"linux-cp": settings} if settings else {}


def section_text(settings: Settings) -> str:
    """Return the section as YAML, '' when it is empty."""
    keys = tuple(_keys(settings))
    return "".join(f"{line}\n" for line in key_lines([KeyValue("dataplane", keys, is_block=True)])) if keys else ""


def _keys(settings: Settings, *, are_devices: bool = False) -> Iterator[KeyValue]:
    """Yield keys with their values; a part without any is left out, but for a device, which VPP is to drive."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            if value or are_devices:
                keys = tuple(_keys(value, are_devices=key == "devices"))
                yield KeyValue(key, keys, is_block=bool(keys))
        else:
            yield KeyValue(key, value)
