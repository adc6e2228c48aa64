"""Which steps a plan takes for Linux's sake when interfaces go."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.lcp import LcpPair
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.state import Facts, State
from vppcfg.plan.operations import SetLinuxLink
from vppcfg.plan.plan import make_plan

PORT = Interface(name="gi0", kind=InterfaceKind.PHYSICAL, packet_mtu=1500, is_up=True)
VLAN = Interface(
    name="gi0.100",
    kind=InterfaceKind.SUB_INTERFACE,
    parent="gi0",
    sub_id=100,
    encapsulation=Encapsulation(outer=100, is_exact=True),
    packet_mtu=1500,
    is_up=True,
)
INNER = replace(
    VLAN, name="gi0.110", sub_id=110, encapsulation=Encapsulation(outer=100, inner=10, is_exact=True), has_mpls=True
)


@pytest.mark.parametrize(("plugins", "is_set_down"), [({"linux_cp"}, False), ({"linux_cp", "linux_nl"}, True)])
def test_a_device_is_set_down_before_it_goes_where_linux_nl_hears_of_it(plugins: set[str], is_set_down: bool) -> None:
    """What is upon the VLAN stays, without a pair: nothing of it is in Linux."""
    device = LinuxDevice(mtu=1500, is_up=True)
    before = State(
        interfaces={each.name: each for each in (PORT, VLAN, INNER)},
        lcps={"gi0": LcpPair(host_name="e0"), "gi0.100": LcpPair(host_name="e0.100")},
        linux={"gi0": device, "gi0.100": device},
        has_mpls_table=True,
        facts=Facts(plugins=frozenset(plugins), has_linux=True),
    )
    after = replace(
        before,
        interfaces={each.name: each for each in (PORT, INNER)},
        lcps={"gi0": before.lcps["gi0"]},
        linux={"gi0": device},
    )
    set_down = [each for each in make_plan(before, after).operations if isinstance(each, SetLinuxLink)]
    assert [(each.interface, each.is_up) for each in set_down] == [("gi0.100", False)] * is_set_down
