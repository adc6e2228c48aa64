"""Contract: cross-connects and tag rewrites."""

import pytest

from tests.contract.subject import Flags, Subject

DISABLED, PUSH_1, PUSH_2, POP_1, POP_2, TRANSLATE_1_1, TRANSLATE_1_2, TRANSLATE_2_1, TRANSLATE_2_2 = range(9)
TWO_TAGS = Flags.TWO_TAGS | Flags.EXACT


def rewrite(vpp: Subject, index: int, operation: int, dot1q: int = 0, tag1: int = 0, tag2: int = 0) -> int:
    values = {"vtr_op": operation, "push_dot1q": dot1q, "tag1": tag1, "tag2": tag2}
    return int(vpp.api.l2_interface_vlan_tag_rewrite(sw_if_index=index, **values).retval)


def test_a_cross_connect_is_redirected_and_may_point_to_itself(vpp: Subject, first: int, second: int) -> None:
    vpp.xconnect(first, second)
    assert vpp.xconnect(first, first) == 0
    assert vpp.xconnects() == {first: first}


def test_two_sources_may_share_a_target(vpp: Subject, first: int, second: int) -> None:
    sub = vpp.sub(first, 100)
    assert [vpp.xconnect(first, second), vpp.xconnect(sub, second)] == [0, 0]


def test_leaving_l2_without_being_there_is_no_error(vpp: Subject, first: int) -> None:
    assert vpp.leave_l2(first) == 0


def test_a_target_must_exist(vpp: Subject, first: int) -> None:
    assert vpp.xconnect(first, 4711) == -2
    assert vpp.xconnects() == {}


def test_addresses_do_not_keep_an_interface_out_of_l2(vpp: Subject, first: int, second: int) -> None:
    vpp.add_address(first, "10.0.0.1/24")
    assert vpp.xconnect(first, second) == 0
    assert vpp.addresses(first) == ["10.0.0.1/24"]
    assert vpp.add_address(second, "10.0.1.1/24") == 0
    assert vpp.add_address(first, "10.0.2.1/24") == 0


def test_an_interface_joins_l2_while_up_and_down(vpp: Subject, first: int, second: int) -> None:
    vpp.up(first)
    assert [vpp.xconnect(first, second), vpp.xconnect(second, first)] == [0, 0]
    assert (vpp.is_up(first), vpp.is_up(second)) == (True, False)


def test_deleting_a_source_returns_its_target_to_l3(vpp: Subject, first: int, second: int) -> None:
    sub = vpp.sub(first, 100)
    vpp.xconnect(sub, second)
    vpp.xconnect(second, first)
    assert rewrite(vpp, second, PUSH_1, 1, 5) == 0
    assert vpp.api.delete_subif(sw_if_index=sub).retval == 0
    assert vpp.xconnects() == {}
    assert vpp.rewrite(second)[0] == DISABLED


def test_deleting_a_target_leaves_a_cross_connect_to_whatever_comes_next(vpp: Subject, first: int, second: int) -> None:
    sub = vpp.sub(first, 100)
    vpp.xconnect(second, sub)
    assert vpp.api.delete_subif(sw_if_index=sub).retval == 0
    assert vpp.xconnects() == {second: sub}
    assert vpp.sub(first, 200) == sub
    assert vpp.xconnects() == {second: sub}


@pytest.mark.parametrize(
    ("operation", "port", "one", "two"),
    [
        (DISABLED, 0, 0, 0),
        (PUSH_1, 0, 0, 0),
        (PUSH_2, 0, 0, 0),
        (POP_1, -72, 0, 0),
        (POP_2, -72, -72, 0),
        (TRANSLATE_1_1, -72, 0, 0),
        (TRANSLATE_1_2, -72, 0, 0),
        (TRANSLATE_2_1, -72, -72, 0),
        (TRANSLATE_2_2, -72, -72, 0),
        (9, -7, -7, -7),
    ],
)
def test_a_rewrite_pops_no_more_tags_than_are_matched(
    vpp: Subject, first: int, operation: int, port: int, one: int, two: int
) -> None:
    subs = [vpp.sub(first, 100), vpp.sub(first, 200, TWO_TAGS, inner_vlan_id=7)]
    assert [rewrite(vpp, index, operation, 1, 5, 6) for index in (first, *subs)] == [port, one, two]


@pytest.mark.parametrize(
    ("operation", "dot1q", "shown"),
    [
        (DISABLED, 1, (0, 0, 0, 0)),
        (PUSH_1, 1, (PUSH_1, 1, 5, 0)),
        (PUSH_1, 0, (PUSH_1, 0, 5, 0)),
        (PUSH_2, 0, (PUSH_2, 0, 5, 6)),
        (POP_1, 1, (POP_1, 0, 0, 0)),
        (POP_2, 1, (POP_2, 0, 0, 0)),
        (TRANSLATE_1_1, 1, (TRANSLATE_1_1, 1, 5, 0)),
        (TRANSLATE_1_2, 1, (TRANSLATE_1_2, 1, 5, 6)),
        (TRANSLATE_2_1, 0, (TRANSLATE_2_1, 0, 5, 0)),
        (TRANSLATE_2_2, 7, (TRANSLATE_2_2, 1, 5, 6)),
    ],
)
def test_a_rewrite_is_shown_without_what_it_does_not_use(
    vpp: Subject, first: int, operation: int, dot1q: int, shown: tuple[int, int, int, int]
) -> None:
    sub = vpp.sub(first, 200, TWO_TAGS, inner_vlan_id=7)
    assert rewrite(vpp, sub, operation, dot1q, 5, 6) == 0
    assert vpp.rewrite(sub) == shown


@pytest.mark.parametrize(
    ("flags", "pop_1", "pop_2"),
    [(Flags.DEFAULT, -72, -72), (Flags.TWO_TAGS | Flags.INNER_ANY, 0, -72), (Flags.ONE_TAG | Flags.DOT1AD, 0, -72)],
)
def test_tags_that_may_be_anything_are_not_popped(vpp: Subject, first: int, flags: int, pop_1: int, pop_2: int) -> None:
    sub = vpp.sub(first, 100, flags)
    assert [rewrite(vpp, sub, POP_1), rewrite(vpp, sub, POP_2)] == [pop_1, pop_2]


def test_a_refused_rewrite_loses_the_tags_of_the_one_before(vpp: Subject, first: int) -> None:
    assert rewrite(vpp, first, PUSH_1, 1, 5) == 0
    assert rewrite(vpp, first, POP_1) == -72
    assert vpp.rewrite(first) == (PUSH_1, 0, 0, 0)


def test_a_rewrite_needs_no_l2_mode_outlives_a_change_of_target_and_ends_with_l2(
    vpp: Subject, first: int, second: int
) -> None:
    assert rewrite(vpp, first, PUSH_1, 1, 5) == 0
    vpp.xconnect(first, second)
    vpp.xconnect(first, first)
    assert vpp.rewrite(first) == (PUSH_1, 1, 5, 0)
    vpp.leave_l2(first)
    assert vpp.rewrite(first) == (DISABLED, 0, 0, 0)


def test_a_rewrite_on_an_l3_interface_is_inherited_by_the_next_with_its_index(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    assert rewrite(vpp, sub, POP_1) == 0
    vpp.api.delete_subif(sw_if_index=sub)
    assert vpp.sub(first, 200) == sub
    assert vpp.rewrite(sub) == (POP_1, 0, 0, 0)


def test_local0_has_no_tags_to_rewrite(vpp: Subject) -> None:
    assert rewrite(vpp, 0, PUSH_1, 1, 5) == -71
