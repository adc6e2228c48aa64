"""All rules that check the entries of a file against each other.

A rule takes the index of the entries and yields problems; it never raises. There is one module per kind of object; a
new rule is a function there and an entry here and in schema/rules.yaml.
"""

from __future__ import annotations

from vppcfg.config.rules import (
    dataplane,
    placement,
    references,
    unmanaged,
)
from vppcfg.engine.kind import Rule
from vppcfg.entries.index import Index
from vppcfg.kinds.kind_list import KINDS
from vppcfg.model.problem import ProblemList

RULES: tuple[Rule, ...] = (
    placement.placement_on_port,
    placement.placement_queue,
    placement.placement_in_dataplane,
    references.check_interface,
    references.check_vrf,
    references.vrf_undefined,
    references.vrf_unused,
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
