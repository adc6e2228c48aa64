"""Contract: TCP MSS clamping is set for both families at once, and stays behind when an interface goes."""

from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

NONE, RX, TX, BOTH = 0, 1, 2, 3


def clamp(vpp: Subject, index: int, four: tuple[int, int], six: tuple[int, int] = (0, NONE)) -> int:
    answer = vpp.api.mss_clamp_enable_disable(
        sw_if_index=index, ipv4_mss=four[0], ipv4_direction=four[1], ipv6_mss=six[0], ipv6_direction=six[1]
    )
    return int(answer.retval)


def shown(vpp: Subject, index: int = ALL) -> list[tuple[Any, ...]]:
    rows = vpp.pages("mss_clamp_get", sw_if_index=index)
    return [
        (row.sw_if_index, (row.ipv4_mss, int(row.ipv4_direction)), (row.ipv6_mss, int(row.ipv6_direction)))
        for row in rows
    ]


@pytest.fixture
def sub(vpp: Subject, first: int) -> int:
    """Return a sub-interface that clamps nothing, whatever had its index before."""
    index = vpp.sub(first, 100)
    assert clamp(vpp, index, (0, NONE)) == 0
    return index


def test_what_is_set_last_counts_for_both_families(vpp: Subject, sub: int) -> None:
    assert shown(vpp, sub) == []
    assert clamp(vpp, sub, (1360, BOTH), (1220, RX)) == 0
    assert shown(vpp, sub) == [(sub, (1360, BOTH), (1220, RX))]
    assert clamp(vpp, sub, (1400, TX), (1220, NONE)) == 0
    assert shown(vpp, sub) == [(sub, (1400, TX), (0, NONE))]
    assert clamp(vpp, sub, (0, RX)) == 0
    assert shown(vpp, sub) == [(sub, (0, RX), (0, NONE))]
    assert (clamp(vpp, sub, (1400, NONE)), clamp(vpp, sub, (1400, NONE)), clamp(vpp, 4711, (1400, RX))) == (0, 0, -2)
    assert shown(vpp, sub) == []


def test_the_next_interface_with_the_index_is_told_to_have_it(vpp: Subject, first: int, sub: int) -> None:
    assert clamp(vpp, sub, (1360, BOTH)) == 0
    vpp.api.delete_subif(sw_if_index=sub)
    assert shown(vpp) == [(sub, (1360, BOTH), (0, NONE))]
    assert vpp.sub(first, 200) == sub
    assert shown(vpp, sub) == [(sub, (1360, BOTH), (0, NONE))]
    assert clamp(vpp, sub, (0, NONE)) == 0
    assert shown(vpp) == []


def test_it_is_typed(vpp: Subject, sub: int) -> None:
    command = f"set interface tcp-mss-clamp {PORTS[0]}.100"
    assert vpp.cli(f"{command} ip4 enable ip4-mss 1360 ip6 rx ip6-mss 1220") == (0, "")
    assert shown(vpp, sub) == [(sub, (1360, BOTH), (1220, RX))]
    assert vpp.cli(f"{command} ip4 disable ip6 tx ip6-mss 1240") == (0, "")
    assert shown(vpp, sub) == [(sub, (0, NONE), (1240, TX))]
    assert vpp.cli(f"{command} ip4 disable ip6 disable") == (0, "")
    assert shown(vpp, sub) == []
    for words in ("ip4 enable ip4-mss 1360", "ip4 enable ip6 disable", "ip4 rx ip4-mss 65535 ip6 disable"):
        assert vpp.cli(f"{command} {words}")[0] != 0
