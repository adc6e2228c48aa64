"""FIB tables of more interfaces than are asked about one by one, as VPP's prompt shows them."""

import pytest

from tests.simulated_vpp import connected
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.state import State
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.wire.survey import MOST_EXAMINED

_FILE = (
    "vrfs: {{ green: {{ id: {table_id} }} }}\nloopbacks:\n  loop998: {{ mtu: 1500, vrf: green }}\n"
    "  loop999: {{ mtu: 1500, vrf: green, addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] }}\n"
)


@pytest.mark.parametrize("table_id", [10, 4294967294])
def test_tables_of_many_interfaces_are_read_with_addresses_and_without(table_id: int) -> None:
    others = "".join(f"  loop{number}: {{ mtu: 1500 }}\n" for number in range(MOST_EXAMINED))
    configuration = parse_text(_FILE.format(table_id=table_id) + others, "router.yaml").configuration
    assert configuration is not None
    with connected(SimulatedVpp(state=resolve(configuration, State()).desired)) as dataplane:
        interfaces = dataplane.observe().interfaces
    assert [interfaces[name].tables for name in ("loop998", "loop999")] == [(table_id, table_id)] * 2
