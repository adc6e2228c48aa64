"""Contract: what bridge domains are told of MAC addresses outlives the interfaces and domains with the index."""

from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject
from tests.contract.test_bridge import BVI, NORMAL, create, delete, join, loopback

MACS = tuple(f"02:00:00:00:00:c{number}" for number in range(4))
STATIC, FILTER, PLAIN = {"static_mac": True}, {"filter_mac": True}, {"static_mac": False}


def tell(vpp: Subject, mac: str, bd_id: int, index: int, *, is_add: bool = True, **flags: bool) -> int:
    reply = vpp.api.l2fib_add_del(mac=mac, bd_id=bd_id, sw_if_index=index, is_add=is_add, **flags)
    return int(reply.retval)


def forget(vpp: Subject, mac: str, bd_id: int, index: int = 0) -> int:
    return tell(vpp, mac, bd_id, index, is_add=False)


def known(vpp: Subject, bd_id: int = ALL) -> list[tuple[Any, ...]]:
    return sorted(
        (row.bd_id, str(row.mac), row.sw_if_index, row.static_mac, row.filter_mac, row.bvi_mac)
        for row in vpp.api.l2_fib_table_dump(bd_id=bd_id)
    )


@pytest.fixture
def sub(vpp: Subject, first: int) -> int:
    """Return a sub-interface in a bridge domain that knows no MAC address, whatever domain had its index before."""
    index = vpp.sub(first, 100)
    assert create(vpp, 10) == 0
    for row in known(vpp, 10):
        assert forget(vpp, row[1], 10) == 0
    assert join(vpp, index, 10) == 0
    return index


def test_entries_are_told_changed_and_forgotten(vpp: Subject, first: int, sub: int) -> None:
    assert join(vpp, first, 10) == 0
    assert [tell(vpp, mac, 10, sub, **flags) for mac, flags in zip(MACS, (STATIC, FILTER, PLAIN), strict=False)] == [
        0
    ] * 3
    expected = [
        (10, MACS[0], sub, True, False, False),
        (10, MACS[1], ALL, True, True, False),
        (10, MACS[2], sub, False, False, False),
    ]
    assert known(vpp, 10) == expected
    assert tell(vpp, MACS[0], 10, first, **STATIC) == 0
    assert known(vpp, 10)[0] == (10, MACS[0], first, True, False, False)
    assert (forget(vpp, MACS[0], 10, sub), forget(vpp, MACS[0], 10, first), forget(vpp, MACS[0], 10)) == (-6, 0, -6)
    assert (forget(vpp, MACS[1], 10, ALL), forget(vpp, MACS[2], 10)) == (0, 0)
    assert known(vpp, 10) == []


def test_what_it_refuses(vpp: Subject, first: int, sub: int) -> None:
    assert tell(vpp, MACS[0], 11, sub, **STATIC) == -6
    assert forget(vpp, MACS[0], 11) == -6
    assert [tell(vpp, MACS[0], 10, index, **STATIC) for index in (first, ALL)] == [-2, -2]
    assert known(vpp, 10) == []


def test_they_outlive_membership_interface_and_domain(vpp: Subject, first: int, sub: int) -> None:
    assert tell(vpp, MACS[0], 10, sub, **STATIC) == tell(vpp, MACS[1], 10, sub, **FILTER) == 0
    entry = (10, MACS[0], sub, True, False, False)
    assert join(vpp, first, 10) == 0
    vpp.api.sw_interface_set_l2_xconnect(rx_sw_if_index=sub, tx_sw_if_index=0, enable=False)
    assert entry in known(vpp, 10)
    vpp.api.delete_subif(sw_if_index=sub)
    assert entry in known(vpp, 10)
    assert vpp.sub(first, 200) == sub
    assert entry in known(vpp, 10)
    vpp.api.sw_interface_set_l2_xconnect(rx_sw_if_index=first, tx_sw_if_index=0, enable=False)
    assert delete(vpp, 10) == 0
    assert (known(vpp, 10), [row[0] for row in known(vpp) if row[1] in MACS]) == ([], [ALL, ALL])
    assert create(vpp, 20) == 0
    assert [row[1] for row in known(vpp, 20)] == [MACS[0], MACS[1]]
    assert [forget(vpp, mac, 20) for mac in MACS[:2]] == [0, 0]


def test_a_bvi_has_an_entry_of_its_own(vpp: Subject, first: int, sub: int) -> None:
    loop = loopback(vpp, 7)
    vpp.api.sw_interface_set_mac_address(sw_if_index=loop, mac_address="02:00:00:00:00:b1")
    assert join(vpp, loop, 10, BVI) == 0
    assert known(vpp, 10) == [(10, "02:00:00:00:00:b1", loop, True, False, True)]
    vpp.api.sw_interface_set_mac_address(sw_if_index=loop, mac_address="02:00:00:00:00:b2")
    assert known(vpp, 10) == [(10, "02:00:00:00:00:b2", loop, True, False, True)]
    assert join(vpp, loop, 10, NORMAL) == 0
    assert known(vpp, 10) == []


def test_a_bvi_that_is_no_loopback_keeps_the_entry_of_its_first_address(vpp: Subject, first: int, sub: int) -> None:
    own = str(vpp.details(first).l2_address)
    assert join(vpp, first, 10, BVI) == 0
    for mac in ("02:00:00:00:00:b3", own):
        assert vpp.api.sw_interface_set_mac_address(sw_if_index=first, mac_address=mac).retval == 0
        assert known(vpp, 10) == [(10, own, first, True, False, True)]
    vpp.api.sw_interface_set_l2_xconnect(rx_sw_if_index=first, tx_sw_if_index=0, enable=False)
    assert known(vpp, 10) == []


def test_they_are_typed(vpp: Subject, first: int, sub: int) -> None:
    name = f"{PORTS[0]}.100"
    for words in (f"{MACS[0]} 10 {name} static", f"{MACS[1]} 10 filter", f"{MACS[2]} 10 {name}"):
        assert vpp.cli(f"l2fib add {words}") == (0, "")
    assert [row[1:5] for row in known(vpp, 10)] == [
        (MACS[0], sub, True, False),
        (MACS[1], ALL, True, True),
        (MACS[2], sub, False, False),
    ]
    for mac in MACS[:3]:
        assert vpp.cli(f"l2fib del {mac} 10") == (0, "")
    for words in (f"del {MACS[0]} 10", f"add {MACS[0]} 11 filter", f"add {MACS[0]} 10 nothing", "add 10 filter"):
        assert vpp.cli(f"l2fib {words}")[0] != 0
    assert known(vpp, 10) == []


@pytest.mark.parametrize("looked_at_by", ["state", "mac", "mirror", "access list"])
def test_they_are_typed_for_whatever_interface_was_looked_at_once(
    vpp: Subject, first: int, sub: int, looked_at_by: str
) -> None:
    loop = loopback(vpp, 7)
    if looked_at_by == "state":
        assert vpp.api.sw_interface_set_flags(sw_if_index=loop, flags=1).retval == 0
    elif looked_at_by == "mac":
        assert vpp.api.sw_interface_set_mac_address(sw_if_index=loop, mac_address=MACS[3]).retval == 0
    elif looked_at_by == "mirror":
        assert vpp.cli(f"set interface span loop7 l2 destination {PORTS[0]} rx") == (0, "")
        assert vpp.cli(f"set interface span loop7 l2 destination {PORTS[0]} disable") == (0, "")
    else:
        made = vpp.api.acl_add_replace(acl_index=ALL, tag="looked", count=1, r=[{"is_permit": 1}]).acl_index
        for count in (1, 0):
            lists = {"acls": [made][:count], "count": count, "n_input": count}
            assert vpp.api.acl_interface_set_acl_list(sw_if_index=loop, **lists).retval == 0
        assert vpp.api.acl_del(acl_index=made).retval == 0
    assert vpp.cli(f"l2fib add {MACS[0]} 10 loop7 static") == (0, "")
    assert (10, MACS[0], loop, True, False, False) in known(vpp, 10)
    assert forget(vpp, MACS[0], 10) == 0
