"""From a State to the text of a configuration that means just that: loading it and planning gives nothing to do.

What the language cannot say is listed under `unmanaged`, with the reason; sub-interfaces follow their parent there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from vppcfg.config.layout import laid_out
from vppcfg.config.left_alone import LeftAlone, follow, unsayable
from vppcfg.config.parse import Parsed
from vppcfg.config.resolve import resolve
from vppcfg.config.restate import restated, unmanaged_globs
from vppcfg.config.rules import check_rules
from vppcfg.config.rules.index import index_of
from vppcfg.model.configuration import Configuration
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import State

_ODD = "it is set up in a way that the configuration cannot say"


def write(state: State) -> str:
    """Return the YAML text of `state`."""
    configuration, left = said(state)
    return laid_out(configuration, unmanaged_globs(state, left))


def said(state: State) -> tuple[Configuration, LeftAlone]:
    """Return a configuration that means `state`, and what it leaves alone with the reasons.

    What the rules or the resolver object to is left alone too, and all is tried again, until nothing is objected to.
    """
    left = unsayable(state)
    while True:
        follow(left, state)
        configuration = restated(state, left)
        before = left.count()
        _object(configuration, state, left)
        if left.count() == before:
            return configuration, left


def _object(configuration: Configuration, state: State, left: LeftAlone) -> None:
    """Add what cannot stay in a configuration to what is left alone."""
    resolution = resolve(configuration, state)
    for problem in (*check_rules(index_of(Parsed(configuration=configuration))), *resolution.problems):
        if problem.severity is Severity.ERROR:
            _object_to(problem, configuration, left)
    desired, observed = resolution.desired.with_explicit_mtus(), state.with_explicit_mtus()
    for name in _changed_interfaces(configuration, desired, observed):
        left.interfaces.setdefault(name, _ODD)
    for name in _changed(configuration.bridges, desired.bridges, observed.bridges):
        left.bridges.setdefault(name, _ODD)
    for name in _changed(configuration.acls, desired.acls, observed.acls):
        left.acls.setdefault(name, _ODD)


def _object_to(problem: Problem, configuration: Configuration, left: LeftAlone) -> None:
    section, name = (str(key) for key in (*problem.path, "", "")[:2])
    if section == "bridgedomains" and name in configuration.bridges:
        left.bridges.setdefault(name, problem.text)
    elif section == "acls" and name in configuration.acls:
        left.acls.setdefault(name, problem.text)
    else:
        if problem.path[2:3] == ("sub-interfaces",) and len(problem.path) > 3:
            name = f"{name}.{problem.path[3]}"
        if name in configuration.interfaces:
            left.interfaces.setdefault(name, problem.text)


def _changed_interfaces(configuration: Configuration, desired: State, observed: State) -> Iterator[str]:
    """Yield what a plan would change; an empty MAC in the desired state means any."""
    for name in configuration.interfaces:
        wanted, found = desired.interfaces.get(name), observed.interfaces[name]
        if wanted is not None and not wanted.mac:
            found = replace(found, mac="")
        is_same = (
            wanted == found
            and desired.lcps.get(name) == observed.lcps.get(name)
            and desired.made.get(name) == observed.made.get(name)
        )
        if not is_same:
            yield name


def _changed(said: Mapping[str, object], desired: Mapping[str, object], observed: Mapping[str, object]) -> list[str]:
    return [name for name in said if desired.get(name) != observed.get(name)]
