"""Contract: what VPP has made on demand and somebody has given another name."""

from dataclasses import replace

import pytest

from tests.contract.subject import PORTS, Subject
from tests.contract.test_static_route import plane_of
from vppcfg.config.dump import expressible
from vppcfg.config.resolve import resolve
from vppcfg.kinds.virtual_interface_list import KIND_OF_VIRTUAL
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.kinds import as_created

TUNNELS = {
    "vxlan_tunnel0": "create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 10",
    "gre0": "create gre tunnel src 192.0.2.1 dst 192.0.2.3",
    "ipip0": "create ipip tunnel src 192.0.2.1 dst 192.0.2.4",
}
EXISTS = (-75, -79)
"""TUNNEL_EXIST, IF_ALREADY_EXISTS."""
OTHERS = {"loop0": "create loopback interface", "BondEthernet0": "create bond mode lacp"}


@pytest.mark.parametrize(("name", "line"), {**TUNNELS, **OTHERS}.items())
def test_it_is_no_port_of_a_file(vpp: Subject, name: str, line: str) -> None:
    assert vpp.cli(line)[1].strip() == name
    assert vpp.cli(f"set interface name {name} other") == (0, "")
    with plane_of(vpp) as plane:
        state = plane.observe()
    assert state.interfaces["other"].kind is InterfaceKind.PHYSICAL
    configuration, left = expressible(state)
    assert (set(configuration.interfaces), set(left.interfaces)) == (set(PORTS), {"other"})
    assert left.interfaces["other"].startswith("it is not created by a configuration (")


@pytest.mark.parametrize(("name", "line"), TUNNELS.items())
def test_a_tunnel_is_in_the_way_of_one_like_it(vpp: Subject, name: str, line: str) -> None:
    vpp.cli(line)
    again = name.replace("0", "5")
    with plane_of(vpp) as plane:
        own, _ = expressible(plane.observe())
        vpp.cli(f"set interface name {name} other")
        state = plane.observe()
        (tunnel,) = state.virtual.values()
        wanted = {again: replace(own.virtual[name], name=again)}
        file = replace(own, interfaces={port: own.interfaces[port] for port in PORTS}, virtual=wanted)
        problems = resolve(replace(file, unmanaged=("other",)), state).problems
        assert [each.rule for each in problems] == ["made-taken"]
        kind = KIND_OF_VIRTUAL[type(tunnel)]
        refusals = plane.perform([kind.create(as_created(again, tunnel.kind, tunnel), tunnel)]).refusals
        assert [each.retval in EXISTS for each in refusals] == [True]
