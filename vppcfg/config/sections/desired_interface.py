"""Resolves the interfaces of a file into the desired state: as in the file, else as observed, or as created."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from vppcfg.common.release import OLDEST, Release
from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries import placement
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder, created_port_tag, marked_tag
from vppcfg.entries.virtual_interface_section import VirtualInterfaceSection
from vppcfg.kinds import entry_keys, interface_values, policy_route_section
from vppcfg.kinds.bridge_section import Switching
from vppcfg.model.bond import Bond
from vppcfg.model.interface import (
    FIXED_LINK_MTU,
    WITHOUT_MTU,
    Interface,
    InterfaceKind,
    RxMode,
    usual_rx_mode,
)
from vppcfg.model.kinds import as_created, is_marked, sub_interface_as_created, values_with_kind
from vppcfg.model.virtual_interface import VIRTUAL_INTERFACE_OF
from vppcfg.record import evolve


def resolve(desired: DesiredStateBuilder, sections: Sequence[VirtualInterfaceSection[Any, Any]]) -> None:
    """Enter every interface of the file that may be configured; the sections have entered what they make."""
    resolver = _Resolver(desired)
    for config in sorted(desired.configuration.interfaces.values(), key=lambda config: config.parent is not None):
        if config.name not in desired.interfaces and resolver.may_configure(config):
            resolver.configure(config)
    for name, kind, description in _without_entry(desired, sections):
        resolver.leave_as_created(name, kind, description)
    resolver.report_missing_mtus()
    resolver.drop_missing_targets()


def _without_entry(
    desired: DesiredStateBuilder, sections: Sequence[VirtualInterfaceSection[Any, Any]]
) -> Iterator[tuple[str, InterfaceKind, str | None]]:
    """Yield the interfaces that stand in the section that makes them alone."""
    for section in sections:
        for name, config in () if section.needs_interface else section.entries_in(desired.configuration).items():
            if isinstance(desired.virtual.get(name), section.virtual) and name not in desired.interfaces:
                yield name, section.kind, config.description


_LISTENER = "linux_nl"
"""The plugin that copies what Linux has on the devices of LCP pairs into VPP."""


class _Resolver:
    def __init__(self, desired: DesiredStateBuilder) -> None:
        self._desired = desired
        self._switching = Switching(desired)
        bonds = [virtual for virtual in desired.virtual.values() if isinstance(virtual, Bond)]
        self._without_mtu: dict[str, list[InterfaceConfig]] = {}
        """Sub-interfaces by port."""
        self._joining = {member for bond in bonds for member in bond.members}
        observed = desired.observed.virtual_as(Bond).values()
        self._members = self._joining | {member for bond in observed for member in bond.members}

    def may_configure(self, config: InterfaceConfig) -> bool:
        desired = self._desired
        if config.parent is not None:
            return config.parent in desired.configured
        if config.kind in VIRTUAL_INTERFACE_OF:
            return isinstance(desired.virtual.get(config.name), VIRTUAL_INTERFACE_OF[config.kind])
        if config.kind is InterfaceKind.LOOPBACK or config.name in desired.observed.interfaces:
            return True
        text = f"VPP has no interface {config.name}; check its name with `vppctl show interface`, or take it out"
        text += did_you_mean(config.name, desired.observed.interfaces)
        desired.lacks(config.name, "phy-missing", config.path, text)
        return False

    def configure(self, config: InterfaceConfig) -> None:
        desired = self._desired
        observed = desired.observed.interfaces.get(config.name)
        base = self._base(config, observed)
        switching = self._switching.of(config.name, config.encapsulation, base, config)
        desired.configured.add(config.name)
        desired.interfaces[config.name] = evolve(
            base,
            encapsulation=config.encapsulation,
            mac=self._mac(config, base) if self._has_ethernet(config.name) else "",
            link_mtu=self._link_mtu(config, base),
            packet_mtu=config.mtu
            if (config.sets_mtu and base.parent is not None) or observed is None or base.packet_mtu
            else self._packet_mtu(config, base, is_routed=switching["bridge"] is None),
            protocol_mtus=(0, 0, 0),
            rx_mode=_rx_mode(config, base),
            **self._placement(config, base),
            is_up=config.is_up,
            tag=self._tag(config, observed),
            **self._values(config, base),
            **entry_keys.wanted(config, base, desired),
            **switching,
        )

    def _base(self, config: InterfaceConfig, observed: Interface | None) -> Interface:
        """Return the interface to start from: as observed, or, before it is made, as VPP creates it."""
        if config.parent is None and self._gets_other_ethernet(config.name):
            return as_created(config.name, config.kind, self._desired.virtual.get(config.name))
        if observed is not None and (config.kind is InterfaceKind.PHYSICAL or observed.kind is config.kind):
            return observed
        if observed is not None and self._is_taken_over(config.name):
            return evolve(observed, **values_with_kind(config.kind))
        if config.parent is not None:
            return sub_interface_as_created(config.name, config.parent, config.sub_id, config.encapsulation)
        return as_created(config.name, config.kind, self._desired.virtual.get(config.name))

    def _gets_other_ethernet(self, name: str) -> bool:
        """Return whether a port is recreated with Ethernet that it had not, or without: its link MTU comes or goes."""
        virtual, found = self._desired.virtual.get(name), self._desired.observed.virtual.get(name)
        if virtual is None or found is None or not virtual.is_owned_by_mark:
            return False
        return virtual.has_ethernet is not found.has_ethernet

    def _is_taken_over(self, name: str) -> bool:
        """Return whether another program created an interface of the file, with the same settings."""
        virtual, found = self._desired.virtual.get(name), self._desired.observed.virtual.get(name)
        return virtual is not None and virtual.is_owned_by_mark and virtual.__class__ is found.__class__

    def leave_as_created(self, name: str, kind: InterfaceKind, description: str | None) -> None:
        """Leave MTUs, state and MAC of a tunnel or TAP alone; what an entry could have put on it is not wanted."""
        desired = self._desired
        observed = desired.observed.interfaces.get(name)
        base = (
            observed
            if observed is not None and observed.kind is kind
            else as_created(name, kind, desired.virtual.get(name))
        )
        if observed is not None and self._is_taken_over(name):
            base = evolve(observed, **values_with_kind(kind))
        found = observed.tag if observed is not None else None
        tag = marked_tag(description, found, is_created_by_us=True)
        if is_marked(kind):
            tag = created_port_tag(description, found, keeps=True)
        elif not description and observed is not None:
            tag = observed.tag
        desired.interfaces[name] = evolve(
            base,
            mac=base.mac if self._has_ethernet(name) else "",
            tag=tag,
            **entry_keys.without_entry(base),
            **interface_values.DEFAULTS,
            **self._switching.of(name, base.encapsulation, base),
        )

    def drop_missing_targets(self) -> None:
        """Leave out references to ports that VPP lacks, which is a problem already."""
        desired = self._desired
        for name in desired.configured:
            interface = desired.interfaces[name]
            if interface.l2xc is not None and interface.l2xc not in desired.interfaces:
                desired.interfaces[name] = interface = evolve(interface, l2xc=None)
            if interface.unnumbered is not None and interface.unnumbered not in desired.interfaces:
                desired.interfaces[name] = interface = evolve(interface, unnumbered=None)
            if interface.policy_routes:
                kept = policy_route_section.without_lost(interface.policy_routes, desired)
                desired.interfaces[name] = interface = evolve(interface, policy_routes=kept)
            if any(each.target not in desired.interfaces for each in interface.mirrors):
                left = tuple(each for each in interface.mirrors if each.target in desired.interfaces)
                desired.interfaces[name] = evolve(interface, mirrors=left)

    def _has_ethernet(self, name: str) -> bool:
        virtual = self._desired.virtual.get(name)
        return virtual is None or virtual.has_ethernet

    def _mac(self, config: InterfaceConfig, base: Interface) -> str:
        """Return the MAC, '' where it is left open: that of a bond and its members is a matter of who joins first."""
        if config.mac is not None and config.name not in self._joining:
            return config.mac
        if config.kind is InterfaceKind.BOND:
            virtual = self._desired.configuration.virtual.get(config.name)
            return (virtual.mac if virtual is not None else None) or ""
        return "" if config.name in self._members else base.mac

    def _packet_mtu(self, config: InterfaceConfig, base: Interface, *, is_routed: bool) -> int:
        """Return the packet MTU where VPP has none: a sub-interface for which the file has none stays without one.

        So does an interface that the file means to have what VPP takes in its place. Where VPP then routes larger
        packets out of a sub-interface than the file means, it is noted.
        """
        if base.parent is None:
            return 0 if config.mtu == WITHOUT_MTU else config.mtu
        if self._is_configured(config, base):
            return config.mtu
        if config.mtu != WITHOUT_MTU and is_routed and config.l2xc is None:
            self._without_mtu.setdefault(base.parent, []).append(config)
        return 0

    def report_missing_mtus(self) -> None:
        """Report for which sub-interfaces larger packets are sent than the file means, once for each port."""
        for parent, found in self._without_mtu.items():
            first, others = found[0], len(found) - 1
            more = f", like {others} other{'s' if others > 1 else ''} of {parent}," if others else ""
            text = (
                f"{first.name}{more} has no MTU of its own in VPP, which routes packets of up to {WITHOUT_MTU} bytes "
                f"out of it and not {first.mtu}; add `mtu: {first.mtu}` to {'each' if others else 'it'}"
            )
            self._desired.warning("sub-mtu-unset", first.path, text)

    def _is_configured(self, config: InterfaceConfig, base: Interface) -> bool:
        """Return whether a sub-interface is given its MTU by what else changes: it comes up, or is recreated.

        One that is down and is to come up routes nothing yet; an apply that was killed leaves such ones.
        """
        if config.is_up and not base.is_up:
            return True
        parent = self._desired.observed.interfaces.get(base.parent or "")
        wanted = self._desired.interfaces.get(base.parent or "")
        is_same = parent is not None and wanted is not None and parent.link_mtu == wanted.link_mtu
        return not is_same or base.encapsulation != config.encapsulation

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
            self._desired.problem("link-mtu-fixed", (*config.path, "mtu"), text)
        return base.link_mtu

    def _tag(self, config: InterfaceConfig, observed: Interface | None) -> str:
        virtual = self._desired.configuration.virtual.get(config.name)
        description = config.description or (virtual.description if virtual is not None else None)
        is_created_by_us = config.kind is not InterfaceKind.PHYSICAL or config.parent is not None
        tag = observed.tag if observed is not None else None
        if config.parent is None and is_marked(config.kind):
            return created_port_tag(description, tag)
        return marked_tag(description, tag, is_created_by_us=is_created_by_us)

    def _values(self, config: InterfaceConfig, base: Interface) -> dict[str, Any]:
        """Return the plain values by attribute, one that VPP cannot have as by default.

        Where linux-nl listens, the link-local address is that of the Linux device (linux-cp/lcp_router.c).
        """
        values = interface_values.values_of(config)
        if config.lcp is not None and base.link_local is not None and _LISTENER in self._desired.observed.facts.plugins:
            values["link_local"] = values["link_local"] or base.link_local
        for value, plugin in interface_values.WITH_PLUGIN:
            default = interface_values.DEFAULTS[value.attribute]
            if values[value.attribute] != default and not self._runs(plugin, config, value.key, value.first_release):
                values[value.attribute] = default
        for value, since in interface_values.WITH_RELEASE:
            default, path = interface_values.DEFAULTS[value.attribute], (*config.path, value.key)
            if values[value.attribute] != default and not self._desired.has_part(
                value.part, since, path, f"{config.name} has {value.key}"
            ):
                values[value.attribute] = default
        return values

    def _runs(self, plugin: str, config: InterfaceConfig, key: str, since: Release = OLDEST) -> bool:
        return self._desired.has_plugin(plugin, (*config.path, key), f"{config.name} has {key}", since=since)

    def _placement(self, config: InterfaceConfig, base: Interface) -> dict[str, Any]:
        """Return where the queues of a port are to be that the file names; the others are left open."""
        if not (config.rx_placement or config.tx_placement) or base.kind is not InterfaceKind.PHYSICAL:
            return {"rx_placement": (), "tx_placement": ()}
        observed, workers = (base.rx_placement, base.tx_placement), self._desired.observed.facts.workers
        rx, tx, found = placement.resolve(config, observed, workers)
        for rule, path, text in found:
            self._desired.problem(rule, (*config.path, *path), text)
        return {"rx_placement": rx, "tx_placement": tx}


def _rx_mode(config: InterfaceConfig, base: Interface) -> RxMode | None:
    """Return the mode that a port is to have, as it is where the file has none."""
    if config.rx_mode is None or config.kind is not InterfaceKind.PHYSICAL or config.parent is not None:
        return base.rx_mode
    return None if config.rx_mode is usual_rx_mode(base.device_class) else config.rx_mode
