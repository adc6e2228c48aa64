"""From a State to the text of a configuration that means just that: loading it and planning gives nothing to do.

What the language cannot say is listed under `unmanaged`, with the reason; sub-interfaces follow their parent there.
"""

from __future__ import annotations

from vppcfg.config.layout import laid_out
from vppcfg.config.names import glob_of
from vppcfg.config.parse import Parsed
from vppcfg.config.resolve import resolve
from vppcfg.config.rules import check_rules
from vppcfg.config.rules.index import index_of
from vppcfg.config.sayable import why_unsayable
from vppcfg.model.address import address_key
from vppcfg.model.configuration import Configuration, InterfaceConfig, LcpConfig
from vppcfg.model.device import DEFAULT_DEVICE_TYPE, DEVICE_TYPES
from vppcfg.model.interface import Encapsulation
from vppcfg.model.naming import natural_key
from vppcfg.model.ownership import description_of
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import State

_TYPES_BY_CLASS = {device.device_class: name for name, device in DEVICE_TYPES.items() if name != DEFAULT_DEVICE_TYPE}


def write(state: State) -> str:
    """Return the YAML text of `state`."""
    configuration, reasons = said(state)
    return laid_out(configuration, {glob_of(name): reason for name, reason in reasons.items()})


def said(state: State) -> tuple[Configuration, dict[str, str]]:
    """Return a configuration that means `state`, and why each of the interfaces that it leaves alone is left alone.

    What the rules or the resolver object to is left alone too, and all is tried again, until nothing is objected to.
    """
    reasons = {name: reason for name in state.interfaces if (reason := why_unsayable(name, state))}
    while True:
        _follow_cross_connects(state, reasons)
        configuration = _configuration(state, reasons)
        objections = _objections(configuration, state)
        if not objections:
            return configuration, reasons
        reasons |= objections


def _follow_cross_connects(state: State, reasons: dict[str, str]) -> None:
    """Leave alone what sends to an interface that is left alone."""
    sources: dict[str, list[str]] = {}
    for interface in state.interfaces.values():
        if interface.l2xc is not None:
            sources.setdefault(interface.l2xc, []).append(interface.name)
    pending = [name for name in state.interfaces if _is_left_alone(name, state, reasons)]
    children = state.sub_interfaces_by_parent()
    while pending:
        target = pending.pop()
        for source in sources.get(target, ()):
            if not _is_left_alone(source, state, reasons):
                reasons[source] = f"it is cross-connected to {target}, which is unmanaged"
                pending += [source, *children.get(source, ())]


def _is_left_alone(name: str, state: State, reasons: dict[str, str]) -> bool:
    return name in reasons or state.interfaces[name].parent in reasons


def _configuration(state: State, reasons: dict[str, str]) -> Configuration:
    names = [name for name in state.interfaces if not _is_left_alone(name, state, reasons)]
    unmanaged = [name for name in reasons if state.interfaces[name].parent not in reasons]
    return Configuration(
        interfaces={name: _interface(name, state) for name in sorted(names, key=natural_key)},
        unmanaged=tuple(glob_of(name) for name in sorted(unmanaged, key=natural_key)),
    )


def _interface(name: str, state: State) -> InterfaceConfig:
    interface, pair = state.interfaces[name], state.lcps.get(name)
    path: KeyPath = ("interfaces", name)
    if interface.parent is not None:
        path = ("interfaces", interface.parent, "sub-interfaces", interface.sub_id)
    lcp = None
    if pair is not None:
        is_default = pair.netns == state.facts.lcp.default_netns
        lcp = LcpConfig(host_name=pair.host_name, netns=None if is_default else pair.netns)
    return InterfaceConfig(
        name=name,
        path=path,
        parent=interface.parent,
        sub_id=interface.sub_id,
        encapsulation=interface.encapsulation if isinstance(interface.encapsulation, Encapsulation) else None,
        description=description_of(interface.tag) or None,
        device_type=_TYPES_BY_CLASS.get(interface.device_class) if interface.parent is None else None,
        mtu=state.packet_mtu(name),
        is_up=interface.is_up,
        addresses=tuple(sorted(interface.addresses, key=address_key)),
        lcp=lcp,
        l2xc=interface.l2xc,
    )


def _objections(configuration: Configuration, state: State) -> dict[str, str]:
    """Return why interfaces of `configuration` cannot stay in it."""
    resolution = resolve(configuration, state)
    objections: dict[str, str] = {}
    for problem in (*check_rules(index_of(Parsed(configuration=configuration))), *resolution.problems):
        name = _name_at(problem)
        if problem.severity is Severity.ERROR and name in configuration.interfaces:
            objections.setdefault(name, problem.text)
    desired, observed = resolution.desired.with_explicit_mtus(), state.with_explicit_mtus()
    for name in configuration.interfaces:
        wanted, found = desired.interfaces.get(name), observed.interfaces[name]
        if wanted != found or desired.lcps.get(name) != observed.lcps.get(name):
            objections.setdefault(name, "it is set up in a way that the configuration cannot say")
    return objections


def _name_at(problem: Problem) -> str:
    keys = problem.path
    if len(keys) < 2 or keys[0] != "interfaces":
        return ""
    return f"{keys[1]}.{keys[3]}" if len(keys) > 3 and keys[2] == "sub-interfaces" else str(keys[1])
