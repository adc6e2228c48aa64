"""Drivers differ in what they do with a link MTU, and releases in how they refuse a second pair."""

import pytest

from vppcfg.simulator import interfaces
from vppcfg.simulator.kinds import lcp, sub_interface
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Flag
from vppcfg.simulator.vpp import SimulatedVpp

PORT = 1


def refusal_of_link_mtu(port: PhysicalPort, mtu: int, is_up: bool = False) -> Retval | None:
    tables = SimulatedVpp(ports=[port]).tables
    interfaces.set_admin_state(tables, tables.sw[PORT], is_up)
    try:
        interfaces.set_link_mtu(tables, tables.hw[PORT], mtu)
    except RefusedError as refusal:
        assert tables.hw[PORT].link_mtu == port.link_mtu
        return refusal.retval
    assert (tables.hw[PORT].link_mtu, tables.sw[PORT].mtus[0]) == (mtu, mtu)
    return None


@pytest.mark.parametrize(
    ("port", "mtu", "is_up", "refusal"),
    [
        (PhysicalPort(name="p"), 1500, True, None),
        (PhysicalPort(name="p", max_link_mtu=9216), 9216, True, None),
        (PhysicalPort(name="p", max_link_mtu=9216), 9217, True, Retval.INVALID_VALUE),
        (PhysicalPort(name="p", is_mtu_fixed_while_up=True), 1500, True, Retval.BUSY),
        (PhysicalPort(name="p", is_mtu_fixed_while_up=True), 1500, False, None),
        (PhysicalPort(name="p", device_class="rdma"), 1500, False, Retval.UNSUPPORTED),
        (PhysicalPort(name="p", device_class="Loopback"), 1500, False, Retval.UNSUPPORTED),
        (PhysicalPort(name="p", device_class="bond"), 1500, False, Retval.UNSUPPORTED),
        (PhysicalPort(name="p", device_class="af-packet"), 23, False, Retval.SYSCALL_ERROR_1),
        (PhysicalPort(name="p", device_class="tap"), 1, False, None),
    ],
)
def test_a_driver_decides_on_the_link_mtu(port: PhysicalPort, mtu: int, is_up: bool, refusal: Retval | None) -> None:
    assert refusal_of_link_mtu(port, mtu, is_up) == refusal


def test_a_driver_is_not_asked_for_what_is_set_already() -> None:
    tables = SimulatedVpp(ports=[PhysicalPort(name="p", device_class="rdma", packet_mtu=1500)]).tables
    interfaces.set_link_mtu(tables, tables.hw[PORT], 9000)
    assert tables.sw[PORT].mtus[0] == 1500


@pytest.mark.parametrize(
    ("release", "on_port", "on_sub"),
    [
        ("23.06", Retval.INVALID_INTERFACE, Retval.INVALID_ARGUMENT),
        ("24.10", Retval.VALUE_EXIST, Retval.VALUE_EXIST),
        ("26.10", Retval.VALUE_EXIST, Retval.VALUE_EXIST),
    ],
)
def test_a_second_pair_is_refused_in_the_words_of_the_release(release: str, on_port: Retval, on_sub: Retval) -> None:
    tables = SimulatedVpp(ports=[PhysicalPort(name="p")], release=release).tables
    exact = Flag.ONE_TAG | Flag.EXACT_MATCH
    sub = sub_interface.create(tables, sub_interface.template_for(PORT, 100, exact, 100, 0))
    for index, name in ((PORT, "e1"), (sub.index, "e1.100")):
        lcp.create(tables, index, lcp.PairRequest(host_name=name))
    refusals = []
    for index, name in ((PORT, "other"), (sub.index, "other.100")):
        with pytest.raises(RefusedError) as caught:
            lcp.create(tables, index, lcp.PairRequest(host_name=name))
        refusals.append(caught.value.retval)
    assert refusals == [on_port, on_sub]
