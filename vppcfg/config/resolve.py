"""From a configuration and an observed state to the desired state: what the file leaves open is filled in.

Objects that are not ours are copied as they are, so that no plan can touch them. What the file asks for and this
dataplane cannot give comes out as problems; the desired state then leaves it as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from vppcfg.config.clashes import clashes
from vppcfg.model.configuration import Configuration, InterfaceConfig
from vppcfg.model.device import FIXED_LINK_MTU
from vppcfg.model.interface import Interface, InterfaceKind, OtherMatch, evolve
from vppcfg.model.lcp import LcpPair
from vppcfg.model.ownership import MARK, NameGlobs, is_foreign, is_ours, tag_for
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State

OURS_TO_MAKE = frozenset({InterfaceKind.SUB_INTERFACE})
"""Kinds of interface that a configuration creates and deletes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The desired state, the one it was made for, and what stands in the way."""

    observed: State
    desired: State
    problems: tuple[Problem, ...] = ()
    is_possible: bool = True
    """False when the file wants what objects that are not ours take up: then there is no plan to show."""


def resolve(configuration: Configuration, observed: State, *, adopt: bool = False) -> Resolution:
    """Return what the dataplane should become; with `adopt`, a named interface may carry somebody else's tag."""
    return _Resolver(configuration, observed, adopt=adopt).resolve()


class _Resolver:
    def __init__(self, configuration: Configuration, observed: State, *, adopt: bool) -> None:
        self._configuration = configuration
        self._observed = observed
        self._globs = NameGlobs(configuration.unmanaged)
        self._adopt = adopt
        self._problems: list[Problem] = []
        self._interfaces: dict[str, Interface] = {}
        self._lcps: dict[str, LcpPair] = {}
        self._configured: set[str] = set()

    def resolve(self) -> Resolution:
        self._copy_what_is_not_ours()
        untouched = State(interfaces=dict(self._interfaces), lcps=dict(self._lcps))
        for config in sorted(self._configuration.interfaces.values(), key=lambda config: config.parent is not None):
            if config.name not in untouched.interfaces and self._may_configure(config):
                self._configure(config)
        self._drop_missing_targets()
        found = tuple(clashes(self._configuration, untouched, self._observed, self._interfaces, self._lcps))
        return Resolution(
            observed=self._observed,
            desired=State(interfaces=self._interfaces, lcps=self._lcps, facts=self._observed.facts),
            problems=(*self._problems, *found),
            is_possible=not found,
        )

    def _problem(self, rule: str, path: KeyPath, text: str) -> None:
        self._problems.append(Problem(rule=rule, path=path, text=text))

    # What is not ours

    def _copy_what_is_not_ours(self) -> None:
        """Copy ports before sub-interfaces, which follow theirs."""
        for interface in sorted(self._observed.interfaces.values(), key=lambda interface: interface.parent is not None):
            if not self._is_ours(interface):
                self._copy(interface.name)

    def _copy(self, name: str) -> None:
        self._interfaces[name] = self._observed.interfaces[name]
        if name in self._observed.lcps:
            self._lcps[name] = self._observed.lcps[name]

    def _is_ours(self, interface: Interface) -> bool:
        """Return whether plans may change the interface; say so where the file wants what must not be."""
        config = self._configuration.interfaces.get(interface.name)
        if config is None:
            return self._is_ours_unnamed(interface)
        if is_foreign(interface.tag) and not self._adopt:
            text = (
                f'{interface.name} carries the tag "{interface.tag}" of somebody else; '
                "take it out of the file, list it under unmanaged, or plan with --adopt"
            )
            self._problem("foreign-tag", config.path, text)
            return False
        if interface.tables != (0, 0):
            text = f"{interface.name} is in FIB table {max(interface.tables)}, which the configuration cannot say yet"
            self._problem("vrf-unsupported", config.path, text + "; list it under unmanaged")
            return False
        return config.parent not in self._interfaces

    def _is_ours_unnamed(self, interface: Interface) -> bool:
        if self._globs.matches(interface.name) or is_foreign(interface.tag):
            return False
        if interface.kind is InterfaceKind.PHYSICAL:
            text = (
                f"VPP has an interface {interface.name} that the file does not name; "
                f"add it under interfaces, or `unmanaged: [ {interface.name} ]`"
            )
            self._problem("phy-unlisted", ("interfaces",), text)
            return False
        if interface.kind not in OURS_TO_MAKE or isinstance(interface.encapsulation, OtherMatch):
            return False
        return interface.parent in self._configuration.interfaces and interface.parent not in self._interfaces

    # What the file names

    def _may_configure(self, config: InterfaceConfig) -> bool:
        if config.parent is not None:
            return config.parent in self._configured
        if config.name in self._observed.interfaces:
            return True
        text = f"VPP has no interface {config.name}; check its name with `vppctl show interface`, or take it out"
        self._problem("phy-missing", config.path, text)
        return False

    def _configure(self, config: InterfaceConfig) -> None:
        observed = self._observed.interfaces.get(config.name)
        blank = Interface(
            name=config.name,
            kind=InterfaceKind.SUB_INTERFACE,
            parent=config.parent,
            sub_id=config.sub_id,
            encapsulation=config.encapsulation,
        )
        base = observed or blank
        self._configured.add(config.name)
        self._interfaces[config.name] = evolve(
            base,
            encapsulation=config.encapsulation,
            link_mtu=self._link_mtu(config, base),
            packet_mtu=config.mtu,
            protocol_mtus=(0, 0, 0),
            is_up=config.is_up,
            tag=_tag(config, observed),
            addresses=frozenset(config.addresses),
            l2xc=config.l2xc,
            bridge=None,
            tag_rewrite=None,
        )
        if config.lcp is not None:
            self._configure_lcp(config)

    def _link_mtu(self, config: InterfaceConfig, base: Interface) -> int | None:
        if base.link_mtu is None or config.parent is not None:
            return None
        if base.device_class not in FIXED_LINK_MTU:
            return config.mtu
        if config.mtu > base.link_mtu:
            text = (
                f"mtu {config.mtu} is above the link MTU {base.link_mtu} of {config.name}, "
                f"which its driver ({base.device_class}) cannot change"
            )
            self._problem("link-mtu-fixed", (*config.path, "mtu"), text)
        return base.link_mtu

    def _configure_lcp(self, config: InterfaceConfig) -> None:
        assert config.lcp is not None
        facts = self._observed.facts
        if "linux_cp" not in facts.plugins:
            text = f"{config.name} has an lcp, but this VPP runs without the linux_cp plugin; enable it in startup.conf"
            self._problem("lcp-plugin-missing", (*config.path, "lcp"), text)
            return
        netns = facts.lcp.default_netns if config.lcp.netns is None else config.lcp.netns
        self._lcps[config.name] = LcpPair(host_name=config.lcp.host_name, netns=netns)

    def _drop_missing_targets(self) -> None:
        """Leave out cross-connects to ports that VPP lacks, which is a problem already."""
        for name in self._configured:
            interface = self._interfaces[name]
            if interface.l2xc is not None and interface.l2xc not in self._interfaces:
                self._interfaces[name] = evolve(interface, l2xc=None)


def _tag(config: InterfaceConfig, observed: Interface | None) -> str:
    """Return the tag: what we create is always marked, a port only for its description; a missing mark may stay."""
    if config.description:
        return tag_for(config.description)
    if observed is None:
        return MARK
    if not is_ours(observed.tag):
        return "" if observed.tag == "" or config.parent is None else MARK
    return observed.tag if observed.tag == MARK else MARK if config.parent is not None else ""
