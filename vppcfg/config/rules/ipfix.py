"""Rules about IPFIX: what must be said together, and what VPP would take and not do."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from vppcfg.config.configuration import IpfixConfig
from vppcfg.config.rules.index import Index
from vppcfg.model.ipfix import FlowVariant
from vppcfg.model.problem import Problem, Severity

_SECTION = "ipfix"


def ipfix_settings(index: Index) -> Iterator[Problem]:
    """Find what the section `ipfix` lacks, and timers that VPP refuses."""
    config = index.configuration.ipfix or IpfixConfig()
    exporter, params = config.exporter, config.params
    for key, address in (("collector", exporter.collector), ("source", exporter.source)):
        if address and (":" in address or not int(IPv4Address(address))):
            text = f"{address} is not possible: the exporter of flow records speaks IPv4, to one host"
            yield Problem(rule="ipfix-address", path=(_SECTION, key), text=text)
    if exporter.collector and not exporter.source:
        text = "records need a source address; add `source`"
        yield Problem(rule="ipfix-source", path=(_SECTION, "collector"), text=text)
    if params.passive_s and params.active_s > params.passive_s:
        text = f"a flow would be forgotten after {params.passive_s} s, before it is reported after {params.active_s} s"
        yield Problem(rule="ipfix-timeouts", path=(_SECTION, "active-timeout"), text=text)


def ipfix_interfaces(index: Index) -> Iterator[Problem]:
    """Find interfaces whose flows are recorded, and nobody says what or where to; and what cannot be recorded."""
    config = index.configuration.ipfix
    variants: set[FlowVariant] = set()
    for interface in index.interfaces:
        records, path = interface.flow_records, (*interface.path, _SECTION)
        if records is None:
            continue
        is_known = _SECTION not in index.lost_sections
        if is_known and (config is None or not config.params.layers or not config.exporter.collector):
            text = (
                "the section `ipfix` must say what is recorded, and where that is sent; add `records` and `collector`"
            )
            yield Problem(rule="ipfix-unset", path=path, text=text)
        if records.variant is FlowVariant.L2 and interface.parent is not None:
            text = f"{interface.name} is a sub-interface: VPP records frames of ports only; use ip4 or ip6, or the port"
            yield Problem(rule="ipfix-l2", path=path, text=text)
        if variants - {records.variant}:
            text = "others have another variant; VPP numbers their templates alike, and a collector mixes them up"
            yield Problem(rule="ipfix-variants", path=path, text=text, severity=Severity.WARNING)
        variants.add(records.variant)
