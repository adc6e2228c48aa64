"""The key `lcp` of an interface: the Linux device that mirrors it, in VPP's default namespace or in one of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vppcfg.entries.configuration import InterfaceConfig, LcpConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.entry_key import EntryKey
from vppcfg.entries.names import is_lcp_name, is_netns_name
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.interface import WITHOUT_MTU, Interface
from vppcfg.model.lcp import FIRST_DROPPING_UNICAST, FIRST_SENDING_UNICAST_AGAIN, LcpPair
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State

LCP_PLUGIN = "linux_cp"
_DROPS_UNICAST = "drops what Linux sends to single hosts by an LCP, such as BGP; take another release"


def _report_device(host_name: str, netns: str, path: KeyPath, desired: DesiredStateBuilder) -> None:
    """Note that Linux has the device that a pair is to get: VPP makes a TAP of that name, which Linux would refuse.

    A sub-interface takes over a VLAN that is there (linux-cp/lcp_interface.c, lcp_itf_pair_create).
    """
    place = f" in namespace {netns}" if netns else ""
    text = f"Linux has a device {host_name}{place} that is not VPP's; take another name, or remove the device first"
    desired.problem("lcp-device-exists", path, text)


def _is_tun(name: str, desired: DesiredStateBuilder) -> bool:
    """Return whether a TUN must mirror an interface; that of a port, of which only VPP knows, stays what it is."""
    if name in desired.virtual:
        return not desired.virtual[name].has_ethernet
    pair = desired.observed.lcps.get(name)
    return pair is not None and pair.is_tun


class LcpKey(EntryKey):
    """The key `lcp` of an interface."""

    key = attribute = "lcp"
    plugin = LCP_PLUGIN
    reason = "an interface has an LCP"
    is_dispensable = False  # a sub-interface with `lcp` needs that of its port

    def parse(self, raw: Any, path: KeyPath) -> LcpConfig:
        """Return the pair: its name, or its name and namespace."""
        if isinstance(raw, str):
            return LcpConfig(host_name=raw)
        return LcpConfig(host_name=raw["name"], netns=raw.get("netns"))

    def from_state(self, interface: Interface, state: State, path: KeyPath) -> LcpConfig | None:
        """Return the pair of an interface, None when it has none."""
        pair = state.lcps.get(interface.name)
        if pair is None:
            return None
        is_default = pair.netns == state.facts.lcp.default_netns
        return LcpConfig(host_name=pair.host_name, netns=None if is_default else pair.netns)

    def yaml_keys(self, config: InterfaceConfig) -> Iterable[KeyValue]:
        """Return the key, where there is a pair."""
        lcp = config.lcp
        if lcp is None:
            return ()
        if lcp.netns is None:
            return (KeyValue(self.key, lcp.host_name),)
        return (KeyValue(self.key, (KeyValue("name", lcp.host_name), KeyValue("netns", lcp.netns))),)

    def unsupported_key(self, interface: Interface, state: State) -> str | None:
        """Return why no file can set the pair of an interface, None when one can or there is none."""
        name = interface.name
        pair = state.lcps.get(name)
        if pair is None:
            return None
        if not pair.has_host:
            return f"the Linux device {pair.host_name} of its LCP is gone"
        if pair.is_tun and name in state.virtual and state.virtual[name].has_ethernet:
            return f"the Linux device {pair.host_name} of its LCP is a TUN, which has no Ethernet"
        if not is_lcp_name(pair.host_name):
            return f"its LCP has a name that the configuration does not allow: {pair.host_name}"
        if pair.netns != state.facts.lcp.default_netns and not is_netns_name(pair.netns):
            return f'its LCP is in a network namespace that the configuration cannot name: "{pair.netns}"'
        return None

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the pair of each configured interface that has one in the file."""
        facts = desired.observed.facts
        for name in desired.configured:
            config = desired.configuration.interfaces.get(name)
            if config is None or config.lcp is None:
                continue
            if desired.has_plugin(LCP_PLUGIN, (*config.path, "lcp"), f"{name} has an lcp", rule="lcp-plugin-missing"):
                netns = facts.lcp.default_netns if config.lcp.netns is None else config.lcp.netns
                is_tun = _is_tun(name, desired)
                desired.lcps[name] = LcpPair(host_name=config.lcp.host_name, netns=netns, is_tun=is_tun)
                if config.parent is None and not is_tun:
                    desired.risk(
                        "lcp-unicast",
                        (*config.path, "lcp"),
                        since=FIRST_DROPPING_UNICAST,
                        until=FIRST_SENDING_UNICAST_AGAIN,
                        text=_DROPS_UNICAST,
                    )
                if config.parent is None and (netns, config.lcp.host_name) in facts.linux_others:
                    _report_device(config.lcp.host_name, netns, (*config.path, "lcp"), desired)

    def resolve_linux(self, desired: DesiredStateBuilder) -> None:
        """Enter MTU and state of the pairs' devices, unless lcp-sync lets them follow, or Linux could not be read."""
        facts = desired.observed.facts
        if facts.has_linux and not facts.lcp.is_sync:
            for name in desired.lcps.keys() & desired.configured:
                interface = desired.interfaces[name]
                parent = desired.interfaces.get(interface.parent or "")
                mtu = interface.packet_mtu or (parent.packet_mtu if parent is not None else 0) or WITHOUT_MTU
                desired.linux[name] = LinuxDevice(mtu=mtu, is_up=interface.is_up)


LCP = LcpKey()
