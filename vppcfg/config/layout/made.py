"""The text of bonds, bridge domains, tunnels, TAPs and sFlow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from vppcfg.config.layout.text import flow_map, list_lines, scalar
from vppcfg.config.parse.bridge import setting_key
from vppcfg.config.parse.interface import DEFAULT_MTU
from vppcfg.config.parse.tap import DEFAULT_RING_SIZE
from vppcfg.model.bond import BondMode, LoadBalance
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.configuration import BondConfig, BridgeConfig, TapConfig, VxlanConfig
from vppcfg.model.sflow import SflowSettings


def bond_lines(bond: BondConfig) -> list[str]:
    """Return the lines of a bond."""
    lines = _described(bond.description)
    if bond.mac is not None:
        lines.append(f"mac: {scalar(bond.mac)}")
    if bond.members:
        lines += list_lines("interfaces", [scalar(member) for member in bond.members])
    if bond.mode is not BondMode.LACP:
        lines.append(f"mode: {bond.mode.value}")
    if bond.load_balance not in (None, LoadBalance.L34):
        lines.append(f"load-balance: {bond.load_balance.value}")
    return lines


def bridge_lines(bridge: BridgeConfig) -> list[str]:
    """Return the lines of a bridge domain."""
    lines = _described(bridge.description)
    if bridge.mtu != DEFAULT_MTU:
        lines.append(f"mtu: {bridge.mtu}")
    if bridge.bvi is not None:
        lines.append(f"bvi: {scalar(bridge.bvi)}")
    if bridge.members:
        lines += list_lines("interfaces", [scalar(member) for member in bridge.members])
    if settings := list(_settings(bridge.settings)):
        lines += ["settings:", *(f"  {line}" for line in settings)]
    return lines


def vxlan_lines(tunnel: VxlanConfig) -> list[str]:
    """Return the lines of a tunnel."""
    ends = [f"local: {scalar(tunnel.local)}", f"remote: {scalar(tunnel.remote)}", f"vni: {tunnel.vni}"]
    return [*_described(tunnel.description), *ends]


def tap_lines(tap: TapConfig) -> list[str]:
    """Return the lines of a TAP."""
    host = {"name": scalar(tap.host_name)}
    if tap.host_mac is not None:
        host["mac"] = scalar(tap.host_mac)
    if tap.host_mtu is not None:
        host["mtu"] = str(tap.host_mtu)
    if tap.host_bridge is not None:
        host["bridge"] = scalar(tap.host_bridge)
    if tap.creates_bridge:
        host["bridge-create"] = "true"
    if tap.host_netns is not None:
        host["namespace"] = scalar(tap.host_netns)
    if tap.creates_netns:
        host["namespace-create"] = "true"
    lines = [*_described(tap.description), f"host: {flow_map(host)}"]
    for key, size in (("rx-ring-size", tap.rx_ring_size), ("tx-ring-size", tap.tx_ring_size)):
        if size != DEFAULT_RING_SIZE:
            lines.append(f"{key}: {size}")
    return lines


def sflow_lines(sflow: SflowSettings) -> Iterator[str]:
    """Return the section `sflow`, nothing when all is as by default."""
    default = SflowSettings()
    if sflow == default:
        return
    yield "sflow:"
    if sflow.sampling_rate != default.sampling_rate:
        yield f"  sampling-rate: {sflow.sampling_rate}"
    if sflow.polling_interval_s != default.polling_interval_s:
        yield f"  polling-interval: {sflow.polling_interval_s}"
    if sflow.header_bytes != default.header_bytes:
        yield f"  header-bytes: {sflow.header_bytes}"


def _settings(settings: BridgeSettings) -> Iterator[str]:
    for field in fields(BridgeSettings):
        value = getattr(settings, field.name)
        if value != field.default:
            yield f"{setting_key(field.name)}: {str(value).lower()}"


def _described(description: str | None) -> list[str]:
    return [f"description: {scalar(description)}"] if description else []
