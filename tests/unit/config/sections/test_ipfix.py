"""What is recorded of flows: when VPP lets it be changed, and whose the exporter is."""

from dataclasses import replace

import pytest

from vppcfg.config.load import parse_text
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.config.valid_dump import write
from vppcfg.kinds.ipfix import SetFlowRecords
from vppcfg.kinds.ipfix_settings import SetFlowParams, SetIpfixExporter
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.ipfix import FlowLayer, FlowParams, FlowRecords, IpfixExporter, IpfixSettings
from vppcfg.model.state import Facts, State
from vppcfg.model.vrf import FibTable
from vppcfg.plan.plan import make_plan

EXPORTER = IpfixExporter(collector="192.0.2.9", source="192.0.2.1")
L3 = FlowParams(layers=(FlowLayer.L3,))
SECTION = "ipfix: { collector: 192.0.2.9, source: 192.0.2.1, records: [ l3, l4 ] }\n"
OWN = "interfaces: { eth0: { ipfix: ip4 }, eth1: {} }\n"
OTHER = "interfaces: { eth0: {} }\nunmanaged: [ eth1 ]\n"


def vpp(params: FlowParams, recorded: str = "", exporter: IpfixExporter = EXPORTER) -> State:
    """Return a VPP with two ports, of which one is recorded."""
    interfaces = {
        name: Interface(
            name=name,
            kind=InterfaceKind.PHYSICAL,
            device_class="dpdk",
            link_mtu=1500,
            packet_mtu=1500,
            is_up=True,
            flow_records=FlowRecords() if name == recorded else None,
        )
        for name in ("eth0", "eth1")
    }
    settings = IpfixSettings(exporter=exporter, params=params)
    return State(interfaces=interfaces, ipfix=settings, facts=Facts(version="26.10", plugins=frozenset({"flowprobe"})))


def wanted(text: str, state: State) -> Resolution:
    loaded = parse_text(text, "file")
    assert loaded.configuration is not None, loaded.problems
    return resolve(loaded.configuration, state)


def operations(text: str, state: State) -> list[type]:
    resolution = wanted(text, state)
    assert resolution.problems == ()
    return [type(operation) for operation in make_plan(state, resolution.desired).operations]


def test_what_is_recorded_stays_while_an_interface_is_recorded_that_is_not_managed() -> None:
    state = vpp(L3, recorded="eth1")
    resolution = wanted(OTHER + SECTION, state)
    (problem,) = resolution.problems
    assert (problem.rule, problem.path) == ("ipfix-frozen", ("ipfix",))
    assert "flows of eth1, which is not managed, are recorded" in problem.text
    assert resolution.desired.ipfix.params == L3


def test_a_file_without_the_section_leaves_it_to_the_unmanaged_interface_that_is_recorded() -> None:
    assert operations(OTHER, vpp(L3, recorded="eth1")) == []


def test_what_is_recorded_changes_while_the_interfaces_of_the_file_are_not() -> None:
    found = operations(OWN + SECTION, vpp(L3, recorded="eth0"))
    assert found == [SetFlowRecords, SetFlowParams, SetFlowRecords]


@pytest.mark.parametrize(
    ("params", "is_refused"),
    [(FlowParams(layers=(FlowLayer.L3,), active_s=0), True), (FlowParams(active_s=0), False), (L3, False)],
)
def test_a_vpp_that_has_told_of_packets_has_no_memory_for_flows(params: FlowParams, *, is_refused: bool) -> None:
    resolution = wanted(OWN + SECTION, vpp(params))
    assert [problem.rule for problem in resolution.problems] == (["ipfix-stateless"] if is_refused else [])
    after = resolution.desired.ipfix.params
    assert after == (params if is_refused else FlowParams(layers=(FlowLayer.L3, FlowLayer.L4)))


@pytest.mark.parametrize(
    ("text", "table", "found"),
    [
        ("", FibTable(table_id=7, is_ipv6=False, name="ipv4-VRF:7"), []),
        ('unmanaged: [ "vrf:red" ]\n', FibTable(table_id=7, is_ipv6=False, name="red"), []),
        ("vrfs: { red: { id: 7 } }\n", FibTable(table_id=7, is_ipv6=False, name="red"), [SetIpfixExporter]),
    ],
    ids=["of nobody", "not managed", "of the file"],
)
def test_an_exporter_stays_in_a_table_that_the_file_cannot_name(text: str, table: FibTable, found: list[type]) -> None:
    tables = {each.key: each for each in (table, replace(table, is_ipv6=True))}
    state = replace(vpp(FlowParams(), exporter=replace(EXPORTER, table_id=7)), vrfs=tables)
    assert operations(f"interfaces: {{ eth0: {{}}, eth1: {{}} }}\n{text}", state) == found


@pytest.mark.parametrize("params", [FlowParams(), FlowParams(active_s=0), L3])
def test_the_plan_of_a_dump_has_nothing_to_do_for_the_exporter(params: FlowParams) -> None:
    state = vpp(params)
    text = write(state)
    assert "collector: 192.0.2.9" in text
    assert operations(text, state) == []
