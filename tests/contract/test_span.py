"""Contract: mirrors are kept per source, level and target, by indexes, whatever interfaces have these."""

from typing import Any

import pytest

from tests.contract.subject import PORTS, Subject

OFF, RX, TX, BOTH = 0, 1, 2, 3
NONE = 0xFFFFFFFF


def mirror(vpp: Subject, source: int, target: int, state: int, *, l2: bool = False) -> int:
    answer = vpp.api.sw_interface_span_enable_disable(
        sw_if_index_from=source, sw_if_index_to=target, state=state, is_l2=l2
    )
    return int(answer.retval)


def shown(vpp: Subject) -> list[tuple[Any, ...]]:
    return [
        (row.sw_if_index_from, row.sw_if_index_to, int(row.state), bool(row.is_l2))
        for l2 in (False, True)
        for row in vpp.api.sw_interface_span_dump(is_l2=l2)
    ]


@pytest.fixture
def sub(vpp: Subject, first: int) -> int:
    """Return a sub-interface of which nothing is mirrored, whatever had its index before."""
    index = vpp.sub(first, 100)
    for row in shown(vpp):
        assert mirror(vpp, row[0], NONE, OFF, l2=row[3]) == 0
    return index


def test_each_target_has_a_direction_of_its_own_on_each_level(vpp: Subject, first: int, sub: int) -> None:
    other = vpp.index(PORTS[1])
    assert shown(vpp) == []
    for target, state, l2 in ((other, BOTH, False), (first, RX, False), (other, TX, True)):
        assert mirror(vpp, sub, target, state, l2=l2) == 0
    assert shown(vpp) == [(sub, first, RX, False), (sub, other, BOTH, False), (sub, other, TX, True)]
    assert mirror(vpp, sub, other, TX) == mirror(vpp, sub, first, OFF) == mirror(vpp, sub, first, OFF) == 0
    assert shown(vpp) == [(sub, other, TX, False), (sub, other, TX, True)]
    assert mirror(vpp, sub, other, OFF, l2=True) == mirror(vpp, sub, other, OFF) == 0
    assert shown(vpp) == []


def test_without_a_target_all_of_a_level_end(vpp: Subject, first: int, sub: int) -> None:
    other = vpp.index(PORTS[1])
    for target, l2 in ((other, False), (first, False), (other, True)):
        assert mirror(vpp, sub, target, BOTH, l2=l2) == 0
    assert mirror(vpp, sub, NONE, OFF) == 0
    assert shown(vpp) == [(sub, other, BOTH, True)]
    assert mirror(vpp, sub, NONE, OFF, l2=True) == 0
    assert shown(vpp) == []


def test_what_it_refuses(vpp: Subject, first: int, sub: int) -> None:
    assert (mirror(vpp, sub, sub, RX), mirror(vpp, NONE, first, RX), mirror(vpp, sub, NONE, RX)) == (-71, -71, -71)
    assert shown(vpp) == []


def test_the_next_interfaces_with_the_indexes_are_told_to_have_it(vpp: Subject, first: int, sub: int) -> None:
    target = vpp.sub(first, 300)
    assert mirror(vpp, sub, target, BOTH) == 0
    for index in (target, sub):
        vpp.api.delete_subif(sw_if_index=index)
    assert shown(vpp) == [(sub, target, BOTH, False)]
    assert {vpp.sub(first, 200), vpp.sub(first, 201)} == {sub, target}
    assert shown(vpp) == [(sub, target, BOTH, False)]
    assert mirror(vpp, sub, target, OFF) == 0
    assert shown(vpp) == []


def test_it_is_typed(vpp: Subject, first: int, sub: int) -> None:
    command = f"set interface span {PORTS[0]}.100"
    assert vpp.cli(f"{command} destination {PORTS[0]} both") == (0, "")
    assert vpp.cli(f"{command} l2 destination {PORTS[0]} rx") == (0, "")
    assert shown(vpp) == [(sub, first, BOTH, False), (sub, first, RX, True)]
    assert vpp.cli(f"{command} destination {PORTS[0]} disable") == (0, "")
    assert shown(vpp) == [(sub, first, RX, True)]
    assert vpp.cli(f"{command} l2 disable") == (0, "")
    assert shown(vpp) == []
    for words in ("destination nothing both", f"destination {PORTS[0]}.100 rx", f"destination {PORTS[0]} rx tx"):
        assert vpp.cli(f"{command} {words}")[0] != 0
