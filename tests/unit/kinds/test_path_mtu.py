"""Path MTUs of hosts on a link: VPP must be told again when the link comes back, whoever has set them."""

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.simulated_vpp import connected
from tests.unit.plan.test_path_mtu_removal import planned
from vppcfg.kinds.path_mtu import RenewPathMtu
from vppcfg.model.path_mtu import PathMtu
from vppcfg.plan.rollback import reverse_plan
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp

SUB = "{ encapsulation: { dot1q: 101, exact-match: true }, addresses: [ 10.1.1.1/24 ] }"
FILE = f"""\
vrfs: {{ red: {{ id: 10 }} }}
interfaces:
  eth0: {{ addresses: [ 192.0.2.1/24, "2001:db8::1/64" ], sub-interfaces: {{ 101: {SUB} }} }}
path-mtu: {{ 10.1.1.9: 1300, 192.0.2.9: 1301, "2001:db8::9": 1302, 203.0.113.9: 1303 }}
"""
ON_PORT = ["192.0.2.9", "2001:db8::9"]
CHANGES = {
    "recreated": ("dot1q: 101", "dot1q: 1101", ["10.1.1.9"]),
    "replaced": ("{ 101: {", "{ 102: {", ["10.1.1.9"]),
    "other address of the prefix": ("10.1.1.1/24", "10.1.1.2/24", ["10.1.1.9"]),
    "wider prefix": ("192.0.2.1/24", "192.0.2.1/25", ["192.0.2.9"]),
    "new link of a host": ("192.0.2.1/24", "192.0.2.1/24, 203.0.113.1/24", ["203.0.113.9"]),
    "link MTU": ("eth0: {", "eth0: { mtu: 2000,", ON_PORT),
    "shut": ("true }, addresses", "true }, state: down, addresses", []),
    "other table": ("10.1.1.1/24 ]", "10.1.1.1/24 ], vrf: red", []),
    "description": ("eth0: {", "eth0: { description: uplink,", []),
}


@pytest.mark.parametrize("has_key", [True, False])
@pytest.mark.parametrize("change", CHANGES)
def test_path_mtus_of_a_link_that_comes_back_are_set_again(change: str, *, has_key: bool) -> None:
    old, new, hosts = CHANGES[change]
    with connected(SimulatedVpp(ports=[PhysicalPort(name="eth0")])) as vpp:
        apply_to(planned(FILE, vpp), vpp)
        text = FILE if has_key else FILE.partition("path-mtu")[0]
        plan = planned(text.replace(old, new), vpp)
        again = [each.item.address for each in plan.of(RenewPathMtu)]
        assert sorted(again) == sorted(hosts)
        assert "path" not in " ".join(str(each) for each in plan.impacts)
        back = [each.item.address for each in reverse_plan(plan).of(RenewPathMtu)]
        gained = {"shut": ["10.1.1.9"], "other table": ["10.1.1.9"], "new link of a host": []}
        assert sorted(back) == sorted(gained.get(change, hosts))
        apply_to(plan, vpp)
        assert len(vpp.observe().of(PathMtu)) == 4
