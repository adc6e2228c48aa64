"""IPIP tunnels, IP packets inside of IP packets: section, rules, operations, read back (plugins/ipip)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from vppcfg.common.release import Release
from vppcfg.entries.configuration import TunnelConfig
from vppcfg.entries.index import Index
from vppcfg.entries.virtual_interface_section import Plugin
from vppcfg.kinds.tunnel import CreateTunnel, DeleteTunnel, Paths, TunnelKind, tunnel_values
from vppcfg.model.keys import words_of
from vppcfg.model.problem import Problem
from vppcfg.model.tunnel import FLAGS, Ipip
from vppcfg.model.vrf import LAST_TYPED
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.record import record

_PATHS = Paths(local="tunnel.src", remote="tunnel.dst", table="tunnel.table_id", interface="tunnel.sw_if_index")


@record
class CreateIpip(CreateTunnel):
    """ipip_add_tunnel: create `ipipN`, down."""

    tunnel: Ipip

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("ipip_add_tunnel", {**tunnel_values(_PATHS, self.tunnel), "tunnel.instance": self.instance})

    def cli(self) -> str | None:
        """Return the command (ipip_cli.c), which creates tunnels without a DSCP alone."""
        tunnel = self.tunnel
        if tunnel.dscp or tunnel.encap_vrf > LAST_TYPED:
            return None
        other = "p2mp" if tunnel.is_multipoint else f"dst {tunnel.remote}"
        words = [f"create ipip tunnel src {tunnel.local} {other} instance {self.instance}"]
        words += [f"outer-table-id {tunnel.encap_vrf}"] if tunnel.encap_vrf else []
        return " ".join([*words, *(f"flags {word}" for word in words_of(tunnel.flags, FLAGS))])


@record
class DeleteIpip(DeleteTunnel):
    """ipip_del_tunnel: delete a tunnel, which VPP finds by the index of its interface."""

    virtual = Ipip

    tunnel: Ipip

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("ipip_del_tunnel", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> None:
        """Return None: the prompt deletes tunnels by their index."""


def _tunnels(index: Index) -> Iterator[tuple[TunnelConfig, Ipip]]:
    for config in index.configuration.virtual_as(TunnelConfig).values():
        if isinstance(config.tunnel, Ipip):
            yield config, config.tunnel


def _duplicate(index: Index) -> Iterator[Problem]:
    """Find tunnels that VPP could not distinguish."""
    owners: dict[tuple[object, ...], str] = {}
    for config, tunnel in _tunnels(index):
        first = owners.setdefault((config.encap_vrf, *tunnel.unique_key), config.name)
        if first != config.name:
            text = f"{first} has the same ends and VRF; make one of them differ"
            yield Problem(rule="ipip-duplicate", path=config.path, text=text)


def _flags(index: Index) -> Iterator[Problem]:
    """Find flags of which one makes the other, or the DSCP, mean nothing."""
    for config, tunnel in _tunnels(index):
        flags = words_of(tunnel.flags, FLAGS)
        if tunnel.dscp and "encap-copy-dscp" in flags:
            text = "with `encap-copy-dscp` the outer header has the DSCP of the inner one; remove it, or `dscp`"
            yield Problem(rule="ipip-flags", path=(*config.path, "dscp"), text=text)
        if {"encap-copy-df", "encap-set-df"} <= set(flags):
            text = "`encap-set-df` sets the bit that `encap-copy-df` would copy; remove one of them"
            yield Problem(rule="ipip-flags", path=(*config.path, "flags"), text=text)


class IpipKind(TunnelKind[Ipip]):
    """The section `ipip_tunnels`, and IPIP tunnels in VPP."""

    key = "ipip_tunnels"
    foreign_keys = ("ipip", "ipip-tunnel", "sit")
    word = "ipip"
    virtual = Ipip
    plugin = Plugin(name="ipip", reason="the file has an IPIP tunnel", use="an IPIP tunnel", since=Release(26, 10))
    rules = (_duplicate, _flags)
    api_module = "ipip"
    device_class = exclusive_class = "IPIP tunnel device"
    """That of 6rd tunnels, which VPP lists among these, is another one."""
    instance_name = re.compile(r"ipip\d+")
    command, number_word = "create ipip tunnel", "instance"
    capabilities: ClassVar = {"ipip": "ipip_tunnel_dump"}
    paths = _PATHS
    dumps: ClassVar = {"ipip_tunnel_dump": "ipip_tunnel_details"}
    not_plain_reason = "it leads nowhere"
    create_operation = CreateIpip
    delete_operation = DeleteIpip


KIND = IpipKind()
