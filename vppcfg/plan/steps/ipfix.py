"""What is set of IPFIX before interfaces are recorded, and which of them are not meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.ipfix import IpfixExporter
from vppcfg.model.vrf import table_key
from vppcfg.plan.operations import SetFlowParams, SetIpfixExporter
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def setting_steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that set the exporter and what is recorded.

    An exporter in a FIB table that goes is turned off before: VPP would look its collector up in the next table.
    """
    before, after = transition.observed.ipfix, transition.desired.ipfix
    table_id = before.exporter.table_id
    is_left = bool(table_id) and table_key(table_id, is_ipv6=False) in transition.doomed_tables
    if is_left:
        yield Step(stage=Stage.TURN_OFF, operation=SetIpfixExporter(exporter=IpfixExporter()))
    if after.exporter != (IpfixExporter() if is_left else before.exporter):
        yield Step(stage=Stage.SET_IPFIX, operation=SetIpfixExporter(exporter=after.exporter))
    if transition.has_other_flow_params:
        yield Step(stage=Stage.SET_IPFIX, operation=SetFlowParams(params=after.params))
