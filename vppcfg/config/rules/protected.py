"""Rules about the `protected` list."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.model.problem import Problem, Severity


def protected_missing(index: Index) -> Iterator[Problem]:
    """Find names that protect nothing."""
    configuration = index.configuration
    for position, name in enumerate(configuration.protected):
        if not index.has(name) and name not in configuration.made:
            text = f"this file has no interface {name}, so nothing is protected; correct the name, or remove it"
            path = ("protected", position)
            yield Problem(rule="protected-missing", path=path, text=text, severity=Severity.WARNING)
