"""The exporter of flow records and what is recorded, as VPP tells them."""

import pytest

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.model.ipfix import GONE_TABLE, FlowLayer, FlowParams, IpfixExporter, IpfixSettings
from vppcfg.operations.request import Value

COLLECTOR = bytes([192, 0, 2, 9]) + bytes(12)
EXPORTER: dict[str, Value] = {
    "collector_address.un": COLLECTOR,
    "src_address.un": bytes([192, 0, 2, 1]) + bytes(12),
    "collector_port": 4739,
    "vrf_id": 0xFFFFFFFF,
    "path_mtu": 512,
    "template_interval": 20,
}


def settings(exporter: dict[str, Value], params: dict[str, Value] | None = None) -> IpfixSettings:
    stub = StubVpp(plugins=("flowprobe",))
    stub.tell("ip_table_dump", "ip_table_details", {}, {"table.table_id": 7})
    stub.tell("ipfix_exporter_dump", "ipfix_exporter_details", exporter)
    stub.tell("flowprobe_get_params", "flowprobe_get_params_reply", params or {"active_timer": 15})
    return observed(stub).ipfix


@pytest.mark.parametrize(("table_id", "told"), [(0xFFFFFFFF, 0), (0, 0), (7, 7), (8, GONE_TABLE)])
def test_the_table_of_the_exporter_is_one_that_there_is(table_id: int, told: int) -> None:
    exporter = settings(EXPORTER | {"vrf_id": table_id}).exporter
    assert exporter == IpfixExporter(collector="192.0.2.9", source="192.0.2.1", table_id=told)


def test_an_exporter_that_sends_nowhere_is_none_whatever_else_it_has() -> None:
    off = EXPORTER | {"collector_address.un": bytes(16), "collector_port": 9, "vrf_id": 8, "path_mtu": 1400}
    assert settings(off).exporter == IpfixExporter()


def test_all_of_the_exporter_and_of_what_is_recorded_is_read() -> None:
    more: dict[str, Value] = {"collector_port": 9, "path_mtu": 1400, "template_interval": 3, "udp_checksum": 1}
    found = settings(EXPORTER | more, {"record_flags": 6, "active_timer": 5, "passive_timer": 0})
    assert found.params == FlowParams(layers=(FlowLayer.L3, FlowLayer.L4), active_s=5, passive_s=0)
    assert (found.exporter.port, found.exporter.path_mtu, found.exporter.template_interval_s) == (9, 1400, 3)
    assert found.exporter.has_udp_checksum
