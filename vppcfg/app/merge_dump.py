"""Updates an existing file with what VPP has (`dump --into`); entries that stay keep their place and their comments."""

from __future__ import annotations

import logging
from collections.abc import Mapping, MutableMapping
from typing import Any

from vppcfg.common.edited_yaml import EditedText, block_map, data_of, flow_map
from vppcfg.common.names import natural_key
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.config.valid_dump import left_out_keys, valid_dump, write
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.yaml.reader import read_document
from vppcfg.errors import ConfigError, PlanRefusedError
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.ownership import NameGlobs, is_foreign
from vppcfg.model.problem import Severity
from vppcfg.model.state import State
from vppcfg.plan.diff import diff

log = logging.getLogger("root.main")

_DATAPLANE, _INTERFACES = "dataplane", "interfaces"
_NEW_FILE = "write a new file with -o, and put both together by hand"


def merged_configuration(text: str, name: str, observed: State, wanted: str | None = None) -> str:
    """Return the text of a configuration, changed so that its plan for a state is empty.

    `wanted` is the configuration that describes the state, with its section `dataplane`; None for what `dump`
    writes, which has none. What the file means on that VPP and what VPP has are both written as `dump`
    would, and what differs between the two is changed in the text. Raise ConfigError when the file is not valid,
    PlanRefusedError when it does not go with the VPP or cannot be made to express what VPP has.
    """
    text = _with_every_port(text, name, observed)
    resolution = _resolved(text, name, observed)
    observed = resolution.observed
    before = read_document(write(resolution.desired).encode()).data or {}
    if wanted is None:
        found = valid_dump(observed)
        for line in left_out_keys(found):
            log.warning("%s", line)
        wanted = found.text
    after = data_of(wanted) or {}
    edited = EditedText(text)
    if _DATAPLANE in after:
        before[_DATAPLANE] = edited.data.get(_DATAPLANE)
    _merge(edited.data, before, after)
    changed = edited.text()
    for change in diff(observed, _resolved(changed, name, observed).desired):
        raise PlanRefusedError(f"{name} cannot be updated with VPP's state of {change.name}", _NEW_FILE)
    return changed


def _with_every_port(text: str, name: str, observed: State) -> str:
    """Return the text with an empty entry for each port of VPP that it does not name."""
    configuration = _configuration(text, name)
    is_unmanaged = NameGlobs(configuration.unmanaged).matches
    ports = [
        interface.name
        for interface in observed.interfaces.values()
        if interface.kind is InterfaceKind.PHYSICAL
        and interface.name not in configuration.interfaces
        and not is_unmanaged(interface.name)
        and not is_foreign(interface.tag)
    ]
    if not ports:
        return text
    edited = EditedText(text)
    if edited.data is None:
        lines = "".join(f"  {port}: {{}}\n" for port in sorted(ports, key=natural_key))
        return f"{text}{_INTERFACES}:\n{lines}"
    if edited.data.get(_INTERFACES) is None:
        edited.data[_INTERFACES] = block_map()
    for port in sorted(ports, key=natural_key):
        edited.data[_INTERFACES][port] = flow_map()
    return edited.text()


def _configuration(text: str, name: str) -> Configuration:
    configuration = parse_text(text, name).configuration
    if configuration is None:
        raise ConfigError(f"{name} is not valid", f"`vppcfg check -c {name}` shows what is wrong; correct it first")
    return configuration


def _resolved(text: str, name: str, observed: State) -> Resolution:
    resolution = resolve(_configuration(text, name), observed)
    errors = [problem for problem in resolution.problems if problem.severity is Severity.ERROR]
    if errors:
        raise PlanRefusedError(f"{name} does not go with this VPP: {errors[0].text}", _NEW_FILE)
    return resolution


def _merge(typed: Any, before: Mapping[Any, Any], after: Any) -> None:
    """Change a map of the file as another one changes from `before` to `after`."""
    for key in before:
        if key not in after:
            typed.pop(key, None)
    for key, value in after.items():
        former, there = before.get(key), typed.get(key)
        if key in before and former == value:
            continue
        if isinstance(value, Mapping) and isinstance(there, MutableMapping):
            _merge(there, former if isinstance(former, Mapping) else {}, value)
        else:
            typed[key] = value
