"""Contract: bridge domains and their members."""

from typing import Any

import pytest

from tests.contract.subject import ALL, Subject

NORMAL, BVI, UU_FWD = range(3)


def create(vpp: Subject, bd_id: int, **settings: Any) -> int:
    switches = {"flood": True, "uu_flood": True, "forward": True, "learn": True}
    return int(vpp.api.bridge_domain_add_del_v2(bd_id=bd_id, is_add=True, **{**switches, **settings}).retval)


def delete(vpp: Subject, bd_id: int) -> int:
    return int(vpp.api.bridge_domain_add_del_v2(bd_id=bd_id, is_add=False).retval)


def join(vpp: Subject, index: int, bd_id: int, kind: int = NORMAL, group: int = 0) -> int:
    arguments = {"rx_sw_if_index": index, "bd_id": bd_id, "port_type": kind, "shg": group, "enable": True}
    return int(vpp.api.sw_interface_set_l2_bridge(**arguments).retval)


def domains(vpp: Subject) -> dict[int, Any]:
    return {row.bd_id: row for row in vpp.api.bridge_domain_dump(bd_id=ALL, sw_if_index=ALL)}


def members(vpp: Subject, bd_id: int) -> list[tuple[int, int]]:
    return [(row.sw_if_index, row.shg) for row in domains(vpp)[bd_id].sw_if_details]


def loopback(vpp: Subject, number: int) -> int:
    return int(vpp.api.create_loopback_instance(is_specified=True, user_instance=number).sw_if_index)


@pytest.mark.parametrize(("bd_id", "made", "deleted"), [(10, -119, 0), (0, -119, -121), (1 << 24, -122, -6)])
def test_ids_are_checked(vpp: Subject, bd_id: int, made: int, deleted: int) -> None:
    create(vpp, 10)
    assert [create(vpp, bd_id), delete(vpp, bd_id)] == [made, deleted]


def test_a_bridge_with_members_is_not_deleted(vpp: Subject, first: int) -> None:
    create(vpp, 10)
    join(vpp, first, 10)
    assert delete(vpp, 10) == -120
    vpp.leave_l2(first)
    assert delete(vpp, 10) == 0


def test_joining_makes_a_bridge_that_is_not_there_and_leaves_the_old_one(vpp: Subject, first: int) -> None:
    create(vpp, 10)
    assert [join(vpp, first, 10), join(vpp, first, 20)] == [0, 0]
    assert (members(vpp, 10), members(vpp, 20)) == ([], [(first, 0)])
    assert [join(vpp, first, 1 << 24), join(vpp, 4711, 10), join(vpp, first, 10, 3)] == [-122, -2, -7]


def test_members_are_shown_bvi_first_and_loopbacks_last(vpp: Subject, first: int, second: int) -> None:
    bvi, other = loopback(vpp, 5), loopback(vpp, 6)
    assert [join(vpp, other, 10), join(vpp, first, 10, group=3), join(vpp, bvi, 10, BVI), join(vpp, second, 10)] == [
        0
    ] * 4
    assert members(vpp, 10) == [(bvi, 0), (first, 3), (second, 0), (other, 0)]
    assert domains(vpp)[10].bvi_sw_if_index == bvi


def test_a_second_bvi_is_refused_and_has_left_its_bridge(vpp: Subject) -> None:
    bvi, other = loopback(vpp, 5), loopback(vpp, 6)
    join(vpp, bvi, 10, BVI)
    join(vpp, other, 20)
    assert join(vpp, other, 10, BVI) == -152
    assert (members(vpp, 10), members(vpp, 20)) == ([(bvi, 0)], [])


def test_a_cross_connect_or_the_end_of_an_interface_leaves_a_bridge(vpp: Subject, first: int, second: int) -> None:
    bvi, sub = loopback(vpp, 5), vpp.sub(first, 100)
    for index, kind in ((bvi, BVI), (sub, NORMAL), (second, NORMAL)):
        join(vpp, index, 10, kind)
    vpp.xconnect(second, first)
    vpp.api.delete_loopback(sw_if_index=bvi)
    vpp.api.delete_subif(sw_if_index=sub)
    assert (members(vpp, 10), domains(vpp)[10].bvi_sw_if_index) == ([], ALL)


def test_switches_and_age_are_set_on_bridges_that_exist(vpp: Subject) -> None:
    create(vpp, 10)
    replies = [vpp.api.bridge_flags(bd_id=bd_id, is_set=False, flags=1) for bd_id in (10, 0, 77)]
    assert [reply.retval for reply in replies] == [0, -121, -6]
    assert [vpp.api.bridge_domain_set_mac_age(bd_id=bd_id, mac_age=7).retval for bd_id in (10, 0, 77)] == [0, -121, -6]
    assert (domains(vpp)[10].learn, domains(vpp)[10].mac_age) == (False, 7)


def test_a_bridge_made_by_its_first_member_has_the_age_of_the_one_before(vpp: Subject, first: int) -> None:
    create(vpp, 10, mac_age=9)
    delete(vpp, 10)
    join(vpp, first, 20)
    assert domains(vpp)[20].mac_age == 9


def test_a_rewrite_survives_a_change_of_bridge(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    join(vpp, sub, 10)
    vpp.api.l2_interface_vlan_tag_rewrite(sw_if_index=sub, vtr_op=3)
    join(vpp, sub, 20)
    assert vpp.rewrite(sub)[0] == 3
