"""What the entries of interfaces of all kinds share, below `interfaces`, `sub-interfaces` and `loopbacks`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from vppcfg.common.addresses import canonical_address, canonical_mac
from vppcfg.entries import placement
from vppcfg.entries.configuration import DEFAULT_MTU, MAX_MTU, MIN_MTU, InterfaceConfig
from vppcfg.entries.section import described
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds import entry_keys, interface_values
from vppcfg.kinds.owned_list import OWNED_KEYS
from vppcfg.model.interface import FIXED_LINK_MTU, Encapsulation, Interface, InterfaceKind, RxMode
from vppcfg.model.ownership import CREATED_MARK, MARK, description_of, is_foreign, mark_of, tag_for
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State

CHILDREN = "sub-interfaces"
_DISPENSABLE = (
    frozenset(
        {
            "description",
            "device-type",
            "mac",
            "rx-mode",
        }
    )
    | {placement.RX_KEY, placement.TX_KEY}
    | interface_values.KEYS
    | {entry_key.key for entry_key in entry_keys.ENTRY_KEYS if entry_key.is_dispensable}
    | OWNED_KEYS
)
"""Keys without which the rest of an entry, and what refers to it, can still be judged."""

BadKeys = Mapping[KeyPath, set[str | int | None]]
"""By entry: its keys with a wrong shape somewhere below; None is the entry itself."""


def bad_keys_of(bad_paths: Iterable[KeyPath]) -> BadKeys:
    """Return the bad keys of interfaces and sub-interfaces."""
    bad_keys: dict[KeyPath, set[str | int | None]] = {}
    for path in bad_paths:
        entry = path[:4] if len(path) > 3 and path[2] == CHILDREN else path[:2]
        bad_keys.setdefault(entry, set()).add(path[len(entry)] if len(path) > len(entry) else None)
    return bad_keys


def without_bad_keys(raw: Any, path: KeyPath, bad_keys: BadKeys) -> Mapping[str, Any] | None:
    """Return an entry with its bad keys as if absent, None when it cannot be judged without these."""
    bad = bad_keys.get(path)
    if bad is None:
        return cast(Mapping[str, Any], raw)
    return {key: None if key in bad else value for key, value in raw.items()} if bad <= _DISPENSABLE else None


def parse(
    raw: Mapping[str, Any],
    name: str,
    path: KeyPath,
    kind: InterfaceKind,
    *,
    parent: str | None = None,
    sub_id: int = 0,
    encapsulation: Encapsulation | None = None,
    default_mtu: int = DEFAULT_MTU,
) -> InterfaceConfig:
    """Parse an entry of the right shape; what makes it a sub-interface is given."""
    mtu = raw.get("mtu")
    return InterfaceConfig(
        name=name,
        path=path,
        kind=kind,
        parent=parent,
        sub_id=sub_id,
        encapsulation=encapsulation,
        description=raw.get("description") or None,
        device_type=raw.get("device-type"),
        rx_mode=RxMode(raw["rx-mode"]) if raw.get("rx-mode") is not None else None,
        rx_placement=placement.parse(raw[placement.RX_KEY] or {}) if placement.RX_KEY in raw else (),
        tx_placement=placement.parse(raw[placement.TX_KEY] or {}) if placement.TX_KEY in raw else (),
        mac=canonical_mac(raw.get("mac")),
        mtu=default_mtu if mtu is None else mtu,
        sets_mtu=mtu is not None,
        without_length=frozenset(
            found for each in raw.get("addresses") or () if "/" not in str(each) and (found := canonical_address(each))
        ),
        is_up=raw.get("state") != "down",
        **entry_keys.parsed(raw, path),
        **interface_values.parsed(raw),
    )


def from_state(
    interface: Interface, state: State, path: KeyPath, *, mac: str | None = None, device_type: str | None = None
) -> InterfaceConfig:
    """Return the entry of an observed interface; a MAC and a driver are written for some kinds only."""
    return InterfaceConfig(
        name=interface.name,
        path=path,
        kind=interface.kind,
        parent=interface.parent,
        sub_id=interface.sub_id,
        encapsulation=interface.encapsulation if isinstance(interface.encapsulation, Encapsulation) else None,
        description=state.described(interface.name, interface.tag) or None,
        device_type=device_type,
        mac=mac,
        mtu=state.packet_mtu(interface.name),
        is_up=interface.is_up,
        rx_placement=placement.from_state(interface.rx_placement) if interface.rx_placement else (),
        tx_placement=placement.from_state(interface.tx_placement) if interface.tx_placement else (),
        rx_mode=interface.rx_mode if interface.rx_mode is not RxMode.MIXED else None,
        **entry_keys.of_observed(interface, state, path),
        **interface_values.values_of(interface),
    )


def unsupported_ownership(interface: Interface) -> str | None:
    """Return why an entry cannot express the tag of an observed interface."""
    if interface.tag in ("", MARK, CREATED_MARK):
        return None
    if is_foreign(interface.tag):
        return f'its tag marks it as that of another program: "{interface.tag}"'
    description = description_of(interface.tag)
    is_text = not set("'\"") & set(description) and description.isprintable()
    if interface.tag and not (is_text and tag_for(description, mark_of(interface.tag)) == interface.tag):
        return "its tag holds what no description can"
    return None


def unsupported_mtu(interface: Interface, packet_mtu: int) -> str | None:
    """Return why an entry cannot express the MTUs of an observed interface."""
    if not MIN_MTU <= packet_mtu <= MAX_MTU:
        return f"its packet MTU of {packet_mtu} is outside of {MIN_MTU} to {MAX_MTU}"
    if any(interface.protocol_mtus):
        return "it has MTUs of their own for IPv4, IPv6 or MPLS"
    if interface.link_mtu in (None, packet_mtu) or interface.device_class in FIXED_LINK_MTU:
        return None
    alike = f"`set interface mtu {packet_mtu} {interface.name}` makes them alike"
    return f"its link MTU of {interface.link_mtu} differs from its packet MTU of {packet_mtu}; {alike}"


_UP, _DOWN = KeyValue("state", "up", is_default=True), KeyValue("state", "down")


def identity_keys(interface: InterfaceConfig) -> list[KeyValue]:
    """Return the keys about a port itself: description, device type, MAC, receive mode, threads of queues."""
    keys = described(interface.description)
    if interface.device_type:
        keys.append(KeyValue("device-type", interface.device_type))
    if interface.mac is not None:
        keys.append(KeyValue("mac", interface.mac))
    if interface.rx_mode is not None:
        keys.append(KeyValue("rx-mode", interface.rx_mode.value))
    if interface.rx_placement or interface.tx_placement:
        keys.extend(placement.keys(interface))
    return keys


def state_key(interface: InterfaceConfig) -> KeyValue:
    """Return the key `state`; up is its default."""
    return _UP if interface.is_up else _DOWN


def use_keys(interface: InterfaceConfig) -> list[KeyValue]:
    """Return the keys of what an interface is used for, such as addresses and features, in the order of a file."""
    keys: list[KeyValue] = []
    for each in entry_keys.EARLY_KEYS:
        keys += each.yaml_keys(interface)
    keys += interface_values.keys(interface)
    for each in entry_keys.LATE_KEYS:
        keys += each.yaml_keys(interface)
    return keys
