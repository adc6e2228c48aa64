"""What the entries of a file must be to each other. A rule takes the index and yields problems; it never raises.

There is one module per kind of object; a new rule is a function there and an entry here and in schema/rules.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vppcfg.config.rules import (
    address,
    bond,
    bridge,
    dataplane,
    gre,
    interface,
    ipip,
    ipv6,
    l2xc,
    lcp,
    lldp,
    mac,
    made,
    memif,
    mirror,
    neighbor,
    sub_interface,
    tap,
    unmanaged,
    unnumbered,
    vrf,
    wireguard,
)
from vppcfg.config.rules.index import Index
from vppcfg.model.problem import Problem, ProblemList

Rule = Callable[[Index], Iterator[Problem]]

RULES: tuple[Rule, ...] = (
    interface.device_type_on_created,
    made.made_elsewhere,
    made.made_alone,
    made.tunnel_ends,
    made.tunnel_remote,
    made.vxlan_vni,
    made.made_without_ethernet,
    memif.memif_interface,
    memif.memif_socket,
    memif.memif_role,
    interface.l2_with_l3,
    interface.l2_with_mpls,
    interface.l2_with_routing,
    interface.tag_rewrites,
    interface.sflow_on_created,
    interface.description_altered,
    mac.mac_unfit,
    mac.bond_mac_placement,
    l2xc.l2xc_target,
    l2xc.l2xc_shared,
    l2xc.l2xc_mtu,
    l2xc.l2xc_target_l3,
    l2xc.l2xc_target_routes,
    l2xc.l2xc_in_bridge,
    l2xc.l2xc_with_subs,
    lcp.lcp_duplicate,
    lcp.linux_name,
    lcp.sub_lcp,
    lcp.sub_lcp_netns,
    lcp.qinx_lcp,
    address.address_host,
    address.address_duplicate,
    address.address_overlap,
    address.address_exact_match,
    unnumbered.unnumbered_target,
    unnumbered.unnumbered_borrower,
    lldp.lldp_ports,
    lldp.lldp_settings,
    mirror.mirror_target,
    mirror.mirror_place,
    ipv6.ra_alone,
    ipv6.ra_times,
    ipv6.ra_prefixes,
    ipv6.link_local_fit,
    neighbor.neighbor_entry,
    neighbor.neighbor_duplicate,
    neighbor.neighbor_switched,
    sub_interface.encapsulation_duplicate,
    sub_interface.up_below_down,
    sub_interface.mtu_above_parent,
    sub_interface.id_beyond_cli,
    bond.bond_interface,
    bond.bond_load_balance,
    bond.bond_options,
    bond.bond_member_place,
    bond.bond_member_keys,
    bond.bond_member_mtu,
    bridge.bridge_member_place,
    bridge.bridge_member_l3,
    bridge.bridge_split_horizon,
    bridge.bridge_macs,
    bridge.bridge_member_mtu,
    bridge.bridge_virtual_interface,
    gre.gre_mode,
    gre.gre_duplicate,
    ipip.ipip_duplicate,
    ipip.ipip_flags,
    wireguard.wireguard_interface,
    wireguard.wireguard_port,
    wireguard.wireguard_key,
    wireguard.wireguard_peer_key,
    wireguard.wireguard_endpoint,
    wireguard.wireguard_allowed_ips,
    wireguard.wireguard_preshared_key,
    vrf.vrf_tables,
    vrf.vrf_undefined,
    vrf.vrf_family,
    vrf.vrf_switched,
    vrf.vrf_borrowed,
    vrf.vrf_without_linux,
    tap.tap_ring,
    tap.tap_create,
    tap.tap_interface,
    interface.acl_applied,
    unmanaged.unmanaged_configured,
    unmanaged.protected_missing,
    dataplane.main_core_is_worker,
    dataplane.poll_sleep_without_workers,
    dataplane.jumbo_without_multi_seg,
    dataplane.device_name_duplicate,
    dataplane.device_without_interface,
    dataplane.interface_without_device,
    dataplane.plugin_missing,
    dataplane.queue_workers,
)


def check_rules(index: Index) -> ProblemList:
    """Return the problems that all rules find, without line and column."""
    found = ProblemList()
    for rule in RULES:
        found.extend(rule(index))
        if found.is_cut:
            break
    return found
