"""Proposed settings as text: a YAML patch for the section `dataplane`, and what that changes in startup.conf.

Nothing is read or written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from vppcfg.tune.finding import Setting

SECTION = "dataplane"


def merged(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """Return one setting per path in order of appearance; of two numbers the larger one, else the first."""
    chosen: dict[tuple[str, ...], Setting] = {}
    for setting in settings:
        former = chosen.get(setting.path)
        if former is None or _number(setting) > _number(former):
            chosen[setting.path] = setting
    return tuple(chosen.values())


def _number(setting: Setting) -> int:
    """Return the value of a setting that is a number, -1 for any other."""
    return setting.value if isinstance(setting.value, int) and not isinstance(setting.value, bool) else -1


def as_data(settings: Iterable[Setting]) -> dict[str, Any]:
    """Return the settings as nested maps below `dataplane`."""
    root: dict[str, Any] = {}
    for setting in settings:
        place = root
        for key in (SECTION, *setting.path[:-1]):
            place = place.setdefault(key, {})
        place[setting.path[-1]] = setting.value
    return root


def as_yaml(settings: Iterable[Setting]) -> list[str]:
    """Return the settings as lines of YAML, beginning with `dataplane:`; none without settings."""
    return list(_yaml_lines(as_data(settings), ""))


def _yaml_lines(data: dict[str, Any], indent: str) -> Iterator[str]:
    for key, value in data.items():
        name = f'"{key}"' if ":" in key else key
        if isinstance(value, dict):
            yield f"{indent}{name}:"
            yield from _yaml_lines(value, indent + "  ")
        else:
            yield f"{indent}{name}: {_scalar(value)}"


def _scalar(value: int | bool | str | None) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def startup_difference(settings: Iterable[Setting]) -> list[str]:
    """Return what changes in startup.conf, `-` before words that go and `+` before those that come."""
    stanzas: dict[tuple[str, ...], list[Setting]] = {}
    for setting in settings:
        if setting.stanza:
            stanzas.setdefault(setting.stanza, []).append(setting)
    return list(_stanza_lines(stanzas, (), 0))


def _stanza_lines(stanzas: dict[tuple[str, ...], list[Setting]], path: tuple[str, ...], depth: int) -> Iterator[str]:
    """Yield the stanzas below `path`, each once, with their words before the stanzas within."""
    pad = "  " * depth
    for setting in stanzas.get(path, ()):
        if setting.former_words:
            yield f"- {pad}{setting.former_words}"
        if setting.words:
            yield f"+ {pad}{setting.words}"
    children = dict.fromkeys(stanza[depth] for stanza in stanzas if len(stanza) > depth and stanza[:depth] == path)
    for child in children:
        yield f"  {pad}{child} {{"
        yield from _stanza_lines(stanzas, (*path, child), depth + 1)
        yield f"  {pad}}}"
