"""All rules that check the entries of a file against each other.

A rule takes the index of the entries and yields problems; it never raises. There is one module per kind of object; a
new rule is a function there and an entry here and in schema/rules.yaml.
"""

from __future__ import annotations

from vppcfg.config.rules import (
    bond,
    checks,
    dataplane,
    interface,
    mac,
    path_mtu,
    placement,
    references,
    relay,
    unmanaged,
    virtual_interface,
)
from vppcfg.engine.kind import Rule
from vppcfg.entries.index import Index
from vppcfg.kinds.kind_list import KINDS
from vppcfg.model.problem import ProblemList

RULES: tuple[Rule, ...] = (
    interface.device_type_on_created,
    placement.placement_on_port,
    placement.placement_queue,
    placement.placement_in_dataplane,
    virtual_interface.created_elsewhere,
    virtual_interface.created_alone,
    virtual_interface.tunnel_ends,
    virtual_interface.tunnel_remote,
    virtual_interface.tunnel_local,
    virtual_interface.created_without_ethernet,
    interface.l2_with_l3,
    interface.l2_with_mpls,
    interface.l2_with_routing,
    interface.description_altered,
    mac.mac_unfit,
    mac.bond_mac_placement,
    checks.check_interface,
    checks.check_vrf,
    bond.bond_interface,
    bond.bond_load_balance,
    bond.bond_options,
    bond.bond_member_place,
    bond.bond_member_keys,
    bond.bond_member_mtu,
    references.vrf_undefined,
    references.vrf_unused,
    relay.relay_server_unreachable,
    path_mtu.path_mtu_remote,
    unmanaged.unmanaged_configured,
    unmanaged.unmanaged_word,
    unmanaged.protected_missing,
    dataplane.main_core_is_worker,
    dataplane.poll_sleep_without_workers,
    dataplane.jumbo_without_multi_seg,
    dataplane.device_name_duplicate,
    dataplane.device_with_two_drivers,
    dataplane.native_device_bounds,
    dataplane.device_type_of_driver,
    dataplane.device_without_interface,
    dataplane.interface_without_device,
    dataplane.plugin_missing,
    dataplane.queue_workers,
    *(rule for kind in KINDS for rule in kind.rules),
)


def check_rules(index: Index) -> ProblemList:
    """Return the problems that all rules find, without line and column."""
    found = ProblemList()
    for rule in RULES:
        found.extend(rule(index))
        if found.is_cut:
            break
    return found
