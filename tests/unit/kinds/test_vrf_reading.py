"""FIB tables of more interfaces than are asked about one by one, as VPP's prompt shows them."""

from tests.simulated_vpp import connected
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.state import State
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.survey import MOST_EXAMINED

_FILE = (
    "vrfs: { green: { id: 4294967294 } }\nloopbacks:\n"
    "  loop999: { mtu: 1500, vrf: green, addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] }\n"
)


def test_the_highest_number_of_a_table_is_read_of_many_interfaces_too() -> None:
    text = _FILE + "".join(f"  loop{number}: {{ mtu: 1500 }}\n" for number in range(MOST_EXAMINED))
    configuration = parse_text(text, "router.yaml").configuration
    assert configuration is not None
    with connected(SimulatedVpp(state=resolve(configuration, State()).desired)) as dataplane:
        assert dataplane.observe().interfaces["loop999"].tables == (4294967294, 4294967294)
