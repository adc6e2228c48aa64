"""VXLAN tunnels to one other router each, their payload going to L2 (plugins/vxlan)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from vppcfg.common.names import instance_of
from vppcfg.entries.configuration import TunnelConfig
from vppcfg.entries.index import Index
from vppcfg.entries.virtual_interface_section import Plugin
from vppcfg.kinds.tunnel import CreateTunnel, DeleteTunnel, Paths, TunnelKind, tunnel_values
from vppcfg.model.problem import Problem
from vppcfg.model.tunnel import VXLAN_PORT, Vxlan
from vppcfg.model.vrf import LAST_TYPED
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Vocabulary
from vppcfg.record import record
from vppcfg.wire.row import Row

_ADD_DEL = ("vxlan_add_del_tunnel_v3", "vxlan_add_del_tunnel_v2", "vxlan_add_del_tunnel")
"""Newest first; v3 is in 22.06 already. The newer ones take UDP ports, where 0 means VXLAN's own, and L3 tunnels."""
_PATHS = Paths(local="src_address", remote="dst_address", table="encap_vrf_id")
_NEXT_IS_L2 = NO_INDEX
"""What vxlan_add_del_tunnel takes for it (plugins/vxlan/vxlan.c)."""
_TO_L2 = 1
"""VXLAN_INPUT_NEXT_L2_INPUT (plugins/vxlan/vxlan.h)."""


@record
class CreateVxlan(CreateTunnel):
    """vxlan_add_del_tunnel: create `vxlan_tunnelN`, up, its payload going to L2."""

    tunnel: Vxlan

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.tunnel, vpp, is_add=1, instance=self.instance)

    def cli(self) -> str | None:
        return f"{_words(self.tunnel, self.instance)} decap-next l2" if self.tunnel.encap_vrf <= LAST_TYPED else None


@record
class DeleteVxlan(DeleteTunnel):
    """vxlan_add_del_tunnel: delete the tunnel between these ends."""

    virtual = Vxlan

    instance: int
    tunnel: Vxlan

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.tunnel, vpp, is_add=0, instance=self.instance)

    def cli(self) -> str | None:
        return f"{_words(self.tunnel, self.instance)} del" if self.tunnel.encap_vrf <= LAST_TYPED else None


def _request(tunnel: Vxlan, vpp: Vocabulary, is_add: int, instance: int) -> Request:
    values = tunnel_values(_PATHS, tunnel, only_set=("source_port", "destination_port"))
    others = {"mcast_sw_if_index": NO_INDEX, "decap_next_index": _NEXT_IS_L2}
    return Request(vpp.newest(_ADD_DEL), {**values, **others, "is_add": is_add, "instance": instance})


def _words(tunnel: Vxlan, instance: int) -> str:
    words = f"create vxlan tunnel src {tunnel.local} dst {tunnel.remote}"
    words += f" instance {instance} vni {tunnel.vni}"
    words += f" encap-vrf-id {tunnel.encap_vrf}" if tunnel.encap_vrf else ""
    words += f" src_port {tunnel.source_port}" if tunnel.source_port != VXLAN_PORT else ""
    return f"{words} dst_port {tunnel.destination_port}" if tunnel.destination_port != VXLAN_PORT else words


def _vni(index: Index) -> Iterator[Problem]:
    """Find VNIs that more than one tunnel of a VRF has on one port of this router."""
    owners: dict[tuple[str | None, int, int], str] = {}
    for config in index.configuration.virtual_as(TunnelConfig).values():
        if not isinstance(tunnel := config.tunnel, Vxlan):
            continue
        first = owners.setdefault((config.encap_vrf, tunnel.vni, tunnel.source_port), config.name)
        if first != config.name:
            text = f"{first} has the VNI {tunnel.vni} already; take another"
            yield Problem(rule="vxlan-vni-duplicate", path=(*config.path, "vni"), text=text)


class VxlanKind(TunnelKind[Vxlan]):
    """The section `vxlan_tunnels`, and VXLAN tunnels in VPP."""

    key = "vxlan_tunnels"
    foreign_keys = ("vxlan", "vxlans", "vxlan-tunnel")
    word = "vxlan_tunnel"
    virtual = Vxlan
    plugin = Plugin(name="vxlan", reason="the file has a VXLAN tunnel", use="a VXLAN tunnel")
    rules = (_vni,)
    api_module = "vxlan"
    device_class = exclusive_class = "VXLAN"
    instance_name = re.compile(r"vxlan_tunnel\d+")
    command, number_word = "create vxlan tunnel", "instance"
    capabilities: ClassVar = {"vxlan": "vxlan_tunnel_v2_dump"}
    paths = _PATHS
    dumps: ClassVar = {"vxlan_tunnel_v2_dump": "vxlan_tunnel_v2_details"}
    """In 22.06 already; its predecessor leaves out UDP ports."""
    also_read = ("mcast_sw_if_index", "decap_next_index")
    not_plain_reason = "it is a multicast tunnel, or has a next node of its own"
    create_operation = CreateVxlan
    delete_operation = DeleteVxlan

    def delete(self, name: str, virtual: Vxlan) -> DeleteVxlan:
        """Return the operation that deletes a tunnel; VPP compares the number, too."""
        return DeleteVxlan(interface=name, instance=instance_of(name), tunnel=virtual)

    def is_plain(self, row: Row, remote: str, values: Sequence[Any]) -> bool:
        """Return whether it is a unicast tunnel to L2; one for L3 packets is known by having no MAC address."""
        group, next_node = values
        return group == NO_INDEX and next_node == _TO_L2 and any(row.mac)


KIND = VxlanKind()
