"""GRE tunnels to one other router each, or to many: section, rules, operations, read back (plugins/gre)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from vppcfg.entries.configuration import InterfaceConfig, TunnelConfig
from vppcfg.entries.index import Index
from vppcfg.entries.virtual_interface_section import Plugin
from vppcfg.kinds.feature_list import output_keys
from vppcfg.kinds.tunnel import CreateTunnel, DeleteTunnel, Paths, TunnelKind, tunnel_values
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.tunnel import Gre, GreMode
from vppcfg.model.vrf import LAST_TYPED
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Vocabulary
from vppcfg.record import record

_ADD_DEL = ("gre_tunnel_add_del_v2", "gre_tunnel_add_del")
"""Newest first; v2 came in 25.10, and takes keys."""
_PATHS = Paths(local="tunnel.src", remote="tunnel.dst", table="tunnel.outer_table_id", interface="tunnel.sw_if_index")


@record
class CreateGre(CreateTunnel):
    """gre_tunnel_add_del_v2: create `greN`, down."""

    tunnel: Gre

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.tunnel, vpp, is_add=1, instance=self.instance)

    def cli(self) -> str | None:
        """Return the command, which takes no higher number of a table than VPP's prompt reads."""
        return f"{_words(self.tunnel)} instance {self.instance}" if self.tunnel.encap_vrf <= LAST_TYPED else None


@record
class DeleteGre(DeleteTunnel):
    """gre_tunnel_add_del_v2: delete a tunnel, which VPP finds by all that it was created with."""

    virtual = Gre

    tunnel: Gre

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.tunnel, vpp, is_add=0, instance=NO_INDEX)

    def cli(self) -> str | None:
        return f"{_words(self.tunnel)} del" if self.tunnel.encap_vrf <= LAST_TYPED else None


def _request(tunnel: Gre, vpp: Vocabulary, is_add: int, instance: int) -> Request:
    values = tunnel_values(_PATHS, tunnel, only_set=("key",))
    return Request(vpp.newest(_ADD_DEL), {**values, "is_add": is_add, "tunnel.instance": instance})


def _words(tunnel: Gre) -> str:
    other = "multipoint" if tunnel.is_multipoint else f"dst {tunnel.remote}"
    words = [f"create gre tunnel src {tunnel.local} {other}"]
    words += ["teb"] if tunnel.mode is GreMode.TEB else []
    words += [f"erspan {tunnel.session}"] if tunnel.mode is GreMode.ERSPAN else []
    words += [f"outer-table-id {tunnel.encap_vrf}"] if tunnel.encap_vrf else []
    return " ".join([*words, f"key {tunnel.key}"] if tunnel.key else words)


def _tunnels(index: Index) -> Iterator[tuple[TunnelConfig, Gre]]:
    for config in index.configuration.virtual_as(TunnelConfig).values():
        if isinstance(config.tunnel, Gre):
            yield config, config.tunnel


def _session_and_key(index: Index) -> Iterator[Problem]:
    """Find sessions and keys with a mode that has none, and ERSPAN tunnels without a session."""
    for config, tunnel in _tunnels(index):
        is_erspan = tunnel.mode is GreMode.ERSPAN
        if is_erspan and "session" not in config.given:
            text = f"{config.name} is an ERSPAN tunnel; add its `session`"
            yield Problem(rule="gre-session", path=(*config.path, "mode"), text=text)
        if not is_erspan and "session" in config.given:
            text = "only an ERSPAN tunnel has a `session`; remove it, or add `mode: erspan`"
            yield Problem(rule="gre-session", path=(*config.path, "session"), text=text)
        if is_erspan and tunnel.key:
            text = f"{config.name} is an ERSPAN tunnel, which has a session instead of a key; remove `key`"
            yield Problem(rule="gre-key", path=(*config.path, "key"), text=text)


def _multipoint(index: Index) -> Iterator[Problem]:
    """Find tunnels to many routers that carry frames, for which VPP looks for no neighbour."""
    for config, tunnel in _tunnels(index):
        if tunnel.is_multipoint and tunnel.has_ethernet:
            text = f"{config.name} leads to many routers, for which it can carry packets alone; remove `mode`"
            yield Problem(rule="gre-multipoint", path=(*config.path, "mode"), text=text)


def _duplicate(index: Index) -> Iterator[Problem]:
    """Find tunnels that VPP could not distinguish."""
    owners: dict[tuple[object, ...], str] = {}
    for config, tunnel in _tunnels(index):
        first = owners.setdefault((config.encap_vrf, *tunnel.unique_key), config.name)
        if first != config.name:
            text = f"{first} has the same ends, VRF, mode, session and key; make one of them differ"
            yield Problem(rule="gre-duplicate", path=config.path, text=text)


def _routed_frames(index: Index) -> Iterator[Problem]:
    """Find what VPP does wrong with packets that are routed into a tunnel with frames in it, or out of one."""
    for config, tunnel in _tunnels(index):
        if tunnel.mode is GreMode.TEB:
            for interface in (index.find(config.name), *index.children.get(config.name, ())):
                if interface is not None and index.why_switched(interface.name) is None:
                    yield from _lost_frames(interface)


def _lost_frames(interface: InterfaceConfig) -> Iterator[Problem]:
    """Yield what loses packets of one interface of such a tunnel.

    What leaves by a GRE tunnel behind a feature goes to tunnel-output, which takes the adjacency of the neighbour for
    one of the tunnel (vnet_gre_tunnel_add in plugins/gre/interface.c, adj_midchain_tx_inline in vnet/adj). MACIP ACLs
    look at the start of the buffer (vnet/ip/ip_in_out_acl.c), where the packet around the frame is. Both were tried on
    VPP 26.10.
    """
    is_routed = interface.addresses or interface.unnumbered or interface.dhcp_client
    found = [*output_keys(interface), *([("acls", "output")] if interface.acls.output else [])]
    for path in found if is_routed and interface.parent is None else ():
        key = ".".join(path)
        text = f"while {interface.name} has this and carries frames, VPP loses what is routed into it; remove `{key}`"
        yield Problem(rule="gre-teb-output", path=(*interface.path, *path), text=text, severity=Severity.WARNING)
    if interface.macip is not None:
        text = f"VPP compares the packet around the frame when {interface.name} receives one; remove `macip`"
        at = (*interface.path, "macip")
        yield Problem(rule="gre-teb-macip", path=at, text=text, severity=Severity.WARNING)


class GreKind(TunnelKind[Gre]):
    """The section `gre_tunnels`, and GRE tunnels in VPP."""

    key = "gre_tunnels"
    foreign_keys = ("gre", "gre-tunnel")
    word = "gre"
    ethernet_hint = "; `mode: teb` can"
    virtual = Gre
    plugin = Plugin(name="gre", reason="the file has a GRE tunnel", use="a GRE tunnel")
    rules = (_session_and_key, _multipoint, _duplicate, _routed_frames)
    api_module = "gre"
    device_class = exclusive_class = "GRE tunnel device"
    instance_name = re.compile(r"gre\d+")
    command, number_word = "create gre tunnel", "instance"
    has_link_mtu = False
    capabilities: ClassVar = {"gre": "gre_tunnel_dump", "gre_key": "gre_tunnel_add_del_v2"}
    paths = _PATHS
    dumps: ClassVar = {
        "gre_tunnel_v2_dump": "gre_tunnel_v2_details",
        "gre_tunnel_dump_v2": "gre_tunnel_details_v2",
        "gre_tunnel_dump": "gre_tunnel_details",
    }
    """From 26.06, 25.10 and before. The one in the middle has a name from which clients that compare names cannot see
    that it answers with details; the last one leaves out keys."""
    also_read = ("tunnel.flags",)
    not_plain_reason = "it has flags of its own"
    create_operation = CreateGre
    delete_operation = DeleteGre

    def conflict(self, virtual: Gre) -> str | None:
        """Return which values no entry can have together."""
        if virtual.is_multipoint and virtual.has_ethernet:
            return "it carries frames to more than one other end"
        if virtual.session and virtual.mode is not GreMode.ERSPAN:
            return "it has a session without being an ERSPAN tunnel"
        return "it is an ERSPAN tunnel with a key" if virtual.key and virtual.mode is GreMode.ERSPAN else None


KIND = GreKind()
