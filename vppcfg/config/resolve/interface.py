"""Interfaces of every kind: what the file says, and what it leaves open as observed or as VPP makes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.config.resolve.wanted import Wanted, marked_tag
from vppcfg.model.acl import AclBinding
from vppcfg.model.bond import Bond
from vppcfg.model.configuration import InterfaceConfig, TapConfig, VxlanConfig
from vppcfg.model.device import FIXED_LINK_MTU
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite, evolve
from vppcfg.model.kinds import MAKING_OF, as_created, sub_interface_as_created
from vppcfg.model.making import Making
from vppcfg.model.tap import Tap
from vppcfg.model.vxlan import Vxlan

_POP = {1: TagRewrite(operation=3), 2: TagRewrite(operation=4)}
"""What a bridge does to the tags of a sub-interface, by their number (vnet/l2/l2_vtr.h)."""


def resolve(wanted: Wanted) -> None:
    """Enter every interface of the file that may be configured."""
    resolver = _Resolver(wanted)
    for config in sorted(wanted.configuration.interfaces.values(), key=lambda config: config.parent is not None):
        if config.name not in wanted.interfaces and resolver.may_configure(config):
            resolver.configure(config)
    for name, kind, description in _without_entry(wanted):
        resolver.leave_as_made(name, kind, description)
    resolver.drop_missing_targets()


def _without_entry(wanted: Wanted) -> Iterator[tuple[str, InterfaceKind, str | None]]:
    """Yield the tunnels and TAPs that stand in their own section alone."""
    sections: tuple[tuple[Mapping[str, VxlanConfig | TapConfig], type[Making]], ...] = (
        (wanted.configuration.vxlans, Vxlan),
        (wanted.configuration.taps, Tap),
    )
    for section, making in sections:
        for name, config in section.items():
            if isinstance(wanted.made.get(name), making) and name not in wanted.interfaces:
                yield name, making.kind, config.description


class _Resolver:
    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._memberships = _memberships(wanted)
        bonds = [made for made in wanted.made.values() if isinstance(made, Bond)]
        self._joining = {member for bond in bonds for member in bond.members}
        observed = wanted.observed.made_as(Bond).values()
        self._members = self._joining | {member for bond in observed for member in bond.members}

    def may_configure(self, config: InterfaceConfig) -> bool:
        wanted = self._wanted
        if config.parent is not None:
            return config.parent in wanted.configured
        if config.kind in MAKING_OF:
            return isinstance(wanted.made.get(config.name), MAKING_OF[config.kind])
        if config.kind is InterfaceKind.LOOPBACK or config.name in wanted.observed.interfaces:
            return True
        text = f"VPP has no interface {config.name}; check its name with `vppctl show interface`, or take it out"
        wanted.problem("phy-missing", config.path, text)
        return False

    def configure(self, config: InterfaceConfig) -> None:
        wanted = self._wanted
        observed = wanted.observed.interfaces.get(config.name)
        base = self._base(config, observed)
        wanted.configured.add(config.name)
        wanted.interfaces[config.name] = evolve(
            base,
            encapsulation=config.encapsulation,
            mac=self._mac(config, base),
            link_mtu=self._link_mtu(config, base),
            packet_mtu=config.mtu,
            protocol_mtus=(0, 0, 0),
            is_up=config.is_up,
            tag=self._tag(config, observed),
            addresses=frozenset(config.addresses),
            unnumbered=config.unnumbered,
            l2xc=config.l2xc,
            has_mpls=config.has_mpls,
            has_sflow=self._has_sflow(config),
            acls=self._acls(config, base),
            **self._bridging(config.name, config.encapsulation, base),
        )

    def _base(self, config: InterfaceConfig, observed: Interface | None) -> Interface:
        """Return the interface to start from: as observed, or, before it is made, as VPP makes it."""
        if observed is not None and (config.kind is InterfaceKind.PHYSICAL or observed.kind is config.kind):
            return observed
        if config.parent is not None:
            return sub_interface_as_created(config.name, config.parent, config.sub_id, config.encapsulation)
        return as_created(config.name, config.kind)

    def leave_as_made(self, name: str, kind: InterfaceKind, description: str | None) -> None:
        """Leave MTUs, state and MAC of a tunnel or TAP alone; what an entry could have put on it is not wanted."""
        wanted = self._wanted
        observed = wanted.observed.interfaces.get(name)
        base = observed if observed is not None and observed.kind is kind else as_created(name, kind)
        tag = marked_tag(description, observed.tag if observed else None, is_made_by_us=True)
        if not description and observed is not None:
            tag = observed.tag
        wanted.interfaces[name] = evolve(
            base,
            tag=tag,
            addresses=frozenset(),
            unnumbered=None,
            l2xc=None,
            has_mpls=False,
            has_sflow=False,
            acls=AclBinding(),
            **self._bridging(name, base.encapsulation, base),
        )

    def drop_missing_targets(self) -> None:
        """Leave out references to ports that VPP lacks, which is a problem already."""
        wanted = self._wanted
        for name in wanted.configured:
            interface = wanted.interfaces[name]
            if interface.l2xc is not None and interface.l2xc not in wanted.interfaces:
                wanted.interfaces[name] = interface = evolve(interface, l2xc=None)
            if interface.unnumbered is not None and interface.unnumbered not in wanted.interfaces:
                wanted.interfaces[name] = evolve(interface, unnumbered=None)

    def _bridging(self, name: str, match: Encapsulation | OtherMatch | None, base: Interface) -> dict[str, Any]:
        """Return the attributes of an interface in the bridge that the file puts it into, with its tag rewrite."""
        bridge, is_bvi = self._memberships.get(name, (None, False))
        is_same = bridge is not None and base.bridge == bridge
        return {
            "bridge": bridge,
            "is_bvi": is_bvi,
            "split_horizon_group": base.split_horizon_group if is_same else 0,
            "tag_rewrite": _POP[match.tag_count] if bridge is not None and isinstance(match, Encapsulation) else None,
        }

    def _mac(self, config: InterfaceConfig, base: Interface) -> str:
        """Return the MAC, '' where it is left open: that of a bond and its members is a matter of who joins first."""
        if config.mac is not None and config.name not in self._joining:
            return config.mac
        if config.kind is InterfaceKind.BOND:
            return self._wanted.configuration.bonds[config.name].mac or ""
        return "" if config.name in self._members else base.mac

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
            self._wanted.problem("link-mtu-fixed", (*config.path, "mtu"), text)
        return base.link_mtu

    def _tag(self, config: InterfaceConfig, observed: Interface | None) -> str:
        description = config.description or self._description_in_section(config.name)
        is_made_by_us = config.kind is not InterfaceKind.PHYSICAL or config.parent is not None
        tag = observed.tag if observed is not None else None
        return marked_tag(description, tag, is_made_by_us=is_made_by_us)

    def _description_in_section(self, name: str) -> str | None:
        configuration = self._wanted.configuration
        for section in (configuration.bonds, configuration.vxlans, configuration.taps):
            if name in section:
                return section[name].description
        return None

    def _has_sflow(self, config: InterfaceConfig) -> bool:
        path = (*config.path, "sflow")
        return config.has_sflow and self._wanted.has_plugin("sflow", "plugin-missing", path, f"{config.name} has sflow")

    def _acls(self, config: InterfaceConfig, base: Interface) -> AclBinding:
        if not config.acls:
            return AclBinding()
        path = (*config.path, "acls")
        has_plugin = self._wanted.has_plugin("acl", "plugin-missing", path, f"{config.name} has acls")
        return config.acls if has_plugin else base.acls


def _memberships(wanted: Wanted) -> dict[str, tuple[int, bool]]:
    """Return the bridge of each member that the file names, and whether the member is its BVI."""
    found: dict[str, tuple[int, bool]] = {}
    for name, config in wanted.configuration.bridges.items():
        if wanted.bridges[name] is wanted.observed.bridges.get(name):
            continue  # it is not ours, which is a problem already
        found.update(dict.fromkeys(config.members, (config.bd_id, False)))
        if config.bvi is not None:
            found[config.bvi] = (config.bd_id, True)
    return found
