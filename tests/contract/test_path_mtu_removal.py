"""Contract: a path MTU that is lifted before it is removed leaves nothing in the FIB."""

from __future__ import annotations

from tests.contract.subject import Subject
from vppcfg.kinds.path_mtu import KIND
from vppcfg.model.path_mtu import PathMtu
from vppcfg.vpp.live import connect

HOST = "203.0.113.7"


def test_nothing_is_left_of_a_path_mtu_where_a_route_leads_to_the_host(vpp: Subject, first: int) -> None:
    assert vpp.add_address(first, "192.0.2.1/24") == 0
    assert vpp.api.sw_interface_set_flags(sw_if_index=first, flags=1).retval == 0
    assert vpp.cli("ip route add 203.0.113.0/24 via 192.0.2.9")[0] == 0
    item = PathMtu(address=HOST, mtu=1400)
    last = KIND.before_removal(item)
    with connect(vpp.client.server_address, json_dir=str(vpp.client.apidir)) as plane:
        assert plane.perform([KIND.set(item)]).refusals == ()
        assert plane.perform([KIND.set(last), KIND.remove(last)]).refusals == ()
        assert plane.observe().of(PathMtu) == {}
    assert "pmtu" not in vpp.cli(f"show ip fib {HOST}/32")[1]
    assert vpp.cli("ip route del 203.0.113.0/24 via 192.0.2.9")[0] == 0
