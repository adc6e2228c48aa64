"""The section `bridgedomains`: bridge domains, their settings and members, parsed, resolved and dumped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, ClassVar

from vppcfg.common.addresses import canonical_mac
from vppcfg.common.names import natural_key
from vppcfg.entries.configuration import DEFAULT_MTU, BridgeConfig, InterfaceConfig, KeyHolder, StaticMacConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import number_of
from vppcfg.entries.section import NamedSection, Parsing, SectionEntry, Unmanaged, described, numbered
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds.owned_list import OWNED_KEYS
from vppcfg.kinds.static_mac import static_macs
from vppcfg.kinds.tag_rewrite import usual_rewrite
from vppcfg.model.bridge import Bridge, BridgeSettings, bridge_name, macs_in_order
from vppcfg.model.interface import Encapsulation, Interface, OtherMatch
from vppcfg.model.ownership import is_foreign, tag_for
from vppcfg.model.problem import Problem
from vppcfg.model.state import State

MAX_BRIDGE = 0xFFFFFF
"""The id of a bridge domain has 24 bits (vnet/l2/l2_bd.h, L2_BD_ID_MAX)."""
MAX_AGE = 255
"""Minutes."""
KEY = "bridgedomains"
_WORD = "bd"


class BridgeSection(NamedSection):
    """The section `bridgedomains`."""

    key = KEY
    attribute = "bridges"
    assumed: ClassVar = {}
    naming = numbered(_WORD, 1, MAX_BRIDGE, noun="bridge domain", rule="bd-id")
    holder = KeyHolder.BRIDGE
    dispensable = frozenset({"description", "settings", "split-horizon", "static-macs", "filtered-macs"}) | OWNED_KEYS

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> BridgeConfig | Problem:
        """Return a bridge domain, or what is wrong with the one that VPP keeps for itself."""
        bd_id = number_of(entry.name, _WORD)
        if bd_id == 0:
            return Problem(rule="bd-zero", path=entry.path, text="bridge domain 0 is VPP's own; take another number")
        mtu = entry.raw.get("mtu")
        return BridgeConfig(
            name=entry.name,
            path=entry.path,
            bd_id=bd_id,
            description=entry.description,
            mtu=DEFAULT_MTU if mtu is None else mtu,
            bvi=entry.raw.get("bvi"),
            members=tuple(entry.raw.get("interfaces") or ()),
            split_horizon=entry.raw.get("split-horizon"),
            static_macs=tuple(
                StaticMacConfig(key=key, mac=canonical_mac(key), member=member)
                for key, member in (entry.raw.get("static-macs") or {}).items()
            ),
            filtered_macs=tuple(mac for text in entry.raw.get("filtered-macs") or () if (mac := canonical_mac(text))),
            settings=_parse_settings(entry.raw.get("settings") or {}),
        )

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the bridges of the file that belong to no other program. VPP sets a tag only at creation."""
        for name, config in desired.configuration.bridges.items():
            if name not in desired.bridges:
                before = desired.observed.bridges.get(name)
                tag = before.tag if before is not None else tag_for(config.description)
                filtered = tuple(sorted(set(config.filtered_macs)))
                desired.bridges[name] = Bridge(
                    bd_id=config.bd_id, settings=config.settings, tag=tag, filtered_macs=filtered
                )

    def from_state(self, state: State, unmanaged: Unmanaged) -> dict[str, BridgeConfig]:
        """Return the bridge domains that are not left alone, in natural order."""
        members: dict[str, list[Interface]] = {}
        for interface in state.interfaces.values():
            if interface.bridge is not None and not unmanaged.covers(interface.name, state):
                members.setdefault(bridge_name(interface.bridge), []).append(interface)
        names = sorted((name for name in state.bridges if name not in unmanaged.of("bridges")), key=natural_key)
        return {name: self._entry_from_vpp(name, state, members.get(name, [])) for name in names}

    def _entry_from_vpp(self, name: str, state: State, members: list[Interface]) -> BridgeConfig:
        bridge = state.bridges[name]
        text = state.described(name, bridge.tag)
        members = sorted(members, key=lambda member: natural_key(member.name))
        virtual = sorted(member.name for member in members if member.is_bvi)
        return BridgeConfig(
            name=name,
            path=(self.key, name),
            bd_id=bridge.bd_id,
            description=text if text and text.isprintable() and not set("'\"") & set(text) else None,
            mtu=max((state.packet_mtu(member.name) for member in members), default=DEFAULT_MTU),
            bvi=virtual[0] if virtual else None,
            members=tuple(member.name for member in members if not member.is_bvi),
            split_horizon={
                member.name: member.split_horizon_group
                for member in members
                if member.split_horizon_group and not member.is_bvi
            }
            or None,
            static_macs=tuple(
                StaticMacConfig(key=each.mac, mac=each.mac, member=member.name)
                for member in members
                for each in member.static_macs
                if each.bd_id == bridge.bd_id
            ),
            filtered_macs=bridge.filtered_macs,
            settings=bridge.settings,
        )

    def entry_keys(self, entry: BridgeConfig) -> Iterator[KeyValue]:
        """Yield what a bridge domain is, key by key."""
        yield from described(entry.description)
        yield KeyValue("mtu", entry.mtu, is_default=entry.mtu == DEFAULT_MTU)
        if entry.bvi is not None:
            yield KeyValue("bvi", entry.bvi)
        yield KeyValue("interfaces", list(entry.members), is_default=not entry.members)
        if entry.split_horizon:
            groups = tuple(KeyValue(name, group) for name, group in entry.split_horizon.items())
            yield KeyValue("split-horizon", groups)
        if entry.static_macs:
            macs = tuple(KeyValue(each.mac or each.key, each.member) for each in entry.static_macs)
            yield KeyValue("static-macs", macs, is_block=True)
        if entry.filtered_macs:
            yield KeyValue("filtered-macs", list(entry.filtered_macs))
        settings = tuple(_setting_keys(entry.settings))
        yield KeyValue("settings", settings, is_default=all(item.is_default for item in settings), is_block=True)


def unsupported_reason(name: str, bridge: Bridge) -> str | None:
    """Return why no file can express an observed bridge domain, None when one can."""
    if not BridgeSection.naming.is_name(name) or bridge_name(bridge.bd_id) != name or bridge.bd_id == 0:
        return "it has a number that the configuration does not allow"
    if is_foreign(bridge.tag):
        return f'its tag marks it as that of another program: "{bridge.tag}"'
    if not 0 <= bridge.settings.mac_age_minutes <= MAX_AGE:
        return f"its addresses are kept for {bridge.settings.mac_age_minutes} minutes"
    if bridge.stray_macs:
        return f"it sends {bridge.stray_macs[0]} to an interface that is gone"
    return None


def _parse_settings(raw: Mapping[str, Any]) -> BridgeSettings:
    given = {field.name: raw.get(_setting_key(field.name)) for field in fields(BridgeSettings)}
    return BridgeSettings(**{name: value for name, value in given.items() if value is not None})


def _setting_keys(settings: BridgeSettings) -> Iterator[KeyValue]:
    for field in fields(BridgeSettings):
        value = getattr(settings, field.name)
        yield KeyValue(_setting_key(field.name), value, is_default=value == field.default)


def _setting_key(attribute: str) -> str:
    """Return the key of the file for an attribute of BridgeSettings."""
    return attribute.replace("_", "-")


_Membership = tuple[int | None, bool, int | None]
_NO_MEMBERSHIP: _Membership = (None, False, 0)


class Switching:
    """What the file makes of interfaces in bridge domains and cross-connects."""

    def __init__(self, desired: DesiredStateBuilder) -> None:
        """Take the bridge domains of the file, which have been entered."""
        self._memberships = _memberships(desired)
        self._static_macs = static_macs(desired)

    def of(
        self,
        name: str,
        match: Encapsulation | OtherMatch | None,
        base: Interface,
        config: InterfaceConfig | None = None,
    ) -> dict[str, Any]:
        """Return the attributes of an interface that matches some tags, with the tag rewrite that its entry names."""
        bridge, is_bvi, group = self._memberships.get(name, _NO_MEMBERSHIP)
        if group is None:
            group = base.split_horizon_group if bridge is not None and base.bridge == bridge else 0
        rewrite = config.tag_rewrite if config is not None and (config.l2xc or name in self._memberships) else None
        return {
            "bridge": bridge,
            "is_bvi": is_bvi,
            "split_horizon_group": group,
            "static_macs": macs_in_order(self._static_macs.get(name, ())) if bridge is not None else (),
            "tag_rewrite": usual_rewrite(match, bridge) if rewrite is None else rewrite.rewrite,
        }


def _memberships(desired: DesiredStateBuilder) -> dict[str, _Membership]:
    """Return of each member that the file names its bridge, whether it is the BVI, and its group; None is any group."""
    found: dict[str, _Membership] = {}
    for name, config in desired.configuration.bridges.items():
        if desired.bridges[name] is desired.observed.bridges.get(name):
            continue  # it is not ours, which is a problem already
        groups = config.split_horizon
        for member in config.members:
            found[member] = (config.bd_id, False, None if groups is None else groups.get(member, 0))
        if config.bvi is not None:
            found[config.bvi] = (config.bd_id, True, None)
    return found
