"""Contract: MPLS tables and interfaces, and who inherits what."""

import pytest

from tests.contract.subject import ALL, PORTS, Subject


def enable(vpp: Subject, index: int, is_on: bool = True) -> int:
    return int(vpp.api.sw_interface_set_mpls_enable(sw_if_index=index, enable=is_on).retval)


def enabled(vpp: Subject) -> set[int]:
    return {row.sw_if_index for row in vpp.api.mpls_interface_dump(sw_if_index=ALL)}


@pytest.fixture
def table(vpp: Subject) -> None:
    vpp.api.mpls_table_add_del(mt_is_add=True, mt_table={"mt_table_id": 0})


def test_nothing_is_enabled_before_there_is_a_table() -> None:
    """A table once made cannot be counted on to go, so this needs a VPP of its own."""
    from vppcfg.simulator.kinds import mpls
    from vppcfg.simulator.port import PhysicalPort
    from vppcfg.simulator.retval import RefusedError
    from vppcfg.simulator.vpp import SimulatedVpp

    tables = SimulatedVpp(ports=[PhysicalPort(name=PORTS[0])]).tables
    for is_on in (True, False):
        with pytest.raises(RefusedError) as refusal:
            mpls.set_enabled(tables, 1, is_on)
        assert refusal.value.retval == -3


@pytest.mark.usefixtures("table")
def test_enabling_is_counted_and_disabling_too_often_enables(vpp: Subject, first: int) -> None:
    seen = []
    for is_on in (True, True, False, False, False, True):
        assert enable(vpp, first, is_on) == 0
        seen.append(first in enabled(vpp))
    assert seen == [True, True, True, False, True, False]
    assert enable(vpp, 4711) == -2


@pytest.mark.usefixtures("table")
def test_the_next_interface_with_an_index_inherits_mpls(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    enable(vpp, sub)
    vpp.api.delete_subif(sw_if_index=sub)
    assert vpp.sub(first, 200) == sub
    assert enabled(vpp) == {sub}


@pytest.mark.usefixtures("table")
def test_the_host_interface_of_a_pair_follows_and_its_index_keeps_mpls(vpp: Subject, first: int) -> None:
    enable(vpp, first)
    vpp.add_pair(first, "e1")
    host = int(vpp.pairs()[first].host_sw_if_index)
    assert enabled(vpp) == {first, host}
    enable(vpp, first, False)
    assert enabled(vpp) == set()
    enable(vpp, first)
    vpp.delete_pair(first)
    assert vpp.sub(first, 100) == host
    assert enabled(vpp) == {first, host}
