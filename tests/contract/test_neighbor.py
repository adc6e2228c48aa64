"""Contract: static neighbours, what is taken, what changes one, and what becomes of them with their interface."""

import struct
from collections.abc import Iterator

import pytest

from tests.contract.raw import Raw
from tests.contract.subject import ALL, PORTS, Subject

STATIC, NO_ROUTE = 1, 2
A, B = "02:00:00:00:00:0a", "02:00:00:00:00:0b"


def enter(vpp: Subject, index: int, address: str, mac: str, flags: int = STATIC, *, is_add: bool = True) -> int:
    neighbor = {"sw_if_index": index, "flags": flags, "mac_address": mac, "ip_address": address}
    return int(vpp.api.ip_neighbor_add_del(is_add=is_add, neighbor=neighbor).retval)


def leave(vpp: Subject, index: int, address: str, mac: str = A) -> int:
    return enter(vpp, index, address, mac, is_add=False)


def known(vpp: Subject) -> set[tuple[int, str, str, int]]:
    rows = [row.neighbor for family in (0, 1) for row in vpp.api.ip_neighbor_dump(sw_if_index=ALL, af=family)]
    return {(row.sw_if_index, str(row.ip_address), str(row.mac_address), int(row.flags)) for row in rows}


@pytest.fixture(autouse=True)
def nobody_left(vpp: Subject) -> Iterator[None]:
    yield
    for index, address, mac, _ in known(vpp):
        assert leave(vpp, index, address, mac) == 0


def test_how_long_ago_a_neighbor_was_heard_of_is_told(vpp: Subject, first: int) -> None:
    assert enter(vpp, first, "192.0.2.5", A) == 0
    (row,) = vpp.api.ip_neighbor_dump(sw_if_index=ALL, af=0)
    assert 0 <= row.age < 60


def test_entering_again_changes_the_mac_and_only_that(vpp: Subject, first: int) -> None:
    assert [enter(vpp, first, address, A) for address in ("192.0.2.5", "2001:db8::5")] == [0, 0]
    assert enter(vpp, first, "192.0.2.5", B) == 0
    assert known(vpp) == {(first, "192.0.2.5", B, STATIC), (first, "2001:db8::5", A, STATIC)}
    assert enter(vpp, first, "192.0.2.6", A, STATIC | NO_ROUTE) == 0
    assert enter(vpp, first, "192.0.2.6", B, STATIC) == 0
    assert (first, "192.0.2.6", B, STATIC | NO_ROUTE) in known(vpp)
    assert enter(vpp, 4711, "192.0.2.5", A) == -2


def test_one_is_taken_out_whatever_mac_is_said(vpp: Subject, first: int) -> None:
    enter(vpp, first, "192.0.2.5", A)
    assert leave(vpp, first, "192.0.2.5", B) == 0
    assert leave(vpp, first, "192.0.2.5", A) == -6
    assert known(vpp) == set()


def test_they_stay_whatever_becomes_of_their_interface_and_go_with_it_or_outlive_it(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    enter(vpp, sub, "192.0.2.5", A)
    vpp.up(first, sub)
    assert (vpp.add_address(sub, "192.0.2.1/24"), vpp.remove_address(sub, "192.0.2.1/24")) == (0, 0)
    vpp.api.sw_interface_set_flags(sw_if_index=sub, flags=0)
    assert known(vpp) == {(sub, "192.0.2.5", A, STATIC)}
    left = set() if vpp.since("26.02") else known(vpp)
    vpp.api.delete_subif(sw_if_index=sub)
    assert known(vpp) == left
    assert left == set() or leave(vpp, sub, "192.0.2.5") == -2
    assert vpp.sub(first, 200) == sub
    assert known(vpp) == left


def test_vpp_takes_what_no_host_can_be(vpp: Subject, first: int) -> None:
    strange = ("224.0.0.1", "0.0.0.0", "fe80::5")
    assert [enter(vpp, first, address, "01:00:00:00:00:05") for address in strange] == [0, 0, 0]
    assert {address for _, address, _, _ in known(vpp)} == set(strange)


def test_they_are_typed(vpp: Subject, first: int) -> None:
    refusal = (-1, "set ip neighbor: specify interface, IP address and MAC: `missing 192.0.2.5 02:00:00:00:...'\n")
    assert vpp.cli(f"set ip neighbor missing 192.0.2.5 {A}") == refusal
    assert vpp.cli(f"set ip neighbor {PORTS[0]} 192.0.2.5 {A} static") == (0, "")
    assert vpp.cli(f"set ip neighbor {PORTS[0]} 2001:db8::5 {A} static") == (0, "")
    assert known(vpp) == {(first, "192.0.2.5", A, STATIC), (first, "2001:db8::5", A, STATIC)}
    assert vpp.cli(f"set ip neighbor del {PORTS[0]} 192.0.2.5 {B}") == (0, "")
    assert vpp.cli(f"set ip neighbor del {PORTS[0]} 192.0.2.5 {B}") == (0, "")
    assert known(vpp) == {(first, "2001:db8::5", A, STATIC)}


def test_a_mac_is_typed_with_short_numbers_and_in_three_parts(vpp: Subject, first: int) -> None:
    assert vpp.cli(f"set ip neighbor {PORTS[0]} 192.0.2.5 2:0:0:0:0:b static") == (0, "")
    assert vpp.cli(f"set ip neighbor static {PORTS[0]} 192.0.2.6 0200.0.b") == (0, "")
    macs = {address: mac for _, address, mac, _ in known(vpp)}
    assert macs == {"192.0.2.5": "02:00:00:00:00:0b", "192.0.2.6": "02:00:00:00:00:0b"}


def test_several_are_typed_at_once(vpp: Subject, first: int) -> None:
    assert vpp.cli(f"set ip neighbor {PORTS[0]} 192.0.2.254 02:00:00:00:00:ff static count 3") == (0, "")
    assert vpp.cli(f"set ip neighbor del count 2 {PORTS[0]} 192.0.2.253 {B}") == (0, "")
    assert {(address, mac) for _, address, mac, _ in known(vpp)} == {
        ("192.0.2.255", "02:00:00:00:01:00"),
        ("192.0.3.0", "02:00:00:00:01:01"),
    }


LIMITS = (50_000, 0, False)
DYNAMIC = 0


def limit(vpp: Subject, family: int, *values: int) -> int:
    names = ("max_number", "max_age", "recycle")
    return int(vpp.api.ip_neighbor_config(af=family, **dict(zip(names, values, strict=True))).retval)


def limits(vpp: Subject) -> list[tuple[int, int, int, bool]]:
    rows = [vpp.api.ip_neighbor_config_get(af=family) for family in (0, 1)]
    return [(int(row.af), row.max_number, row.max_age, row.recycle) for row in rows]


@pytest.fixture
def limited(vpp: Subject) -> Iterator[Subject]:
    """Return a VPP that reads its limits back, and has its defaults in the end."""
    if not vpp.since("23.10"):
        pytest.skip("this release does not read the limits back")
    yield vpp
    assert [limit(vpp, family, *LIMITS) for family in (0, 1)] == [0, 0]


def test_the_limits_of_each_family_are_read_back_and_typed(limited: Subject) -> None:
    assert limits(limited) == [(0, *LIMITS), (1, *LIMITS)]
    assert limit(limited, 1, 0, 60, 1) == 0
    assert limited.cli("set ip neighbor-config ip4 age 30 recycle") == (0, "")
    assert limits(limited) == [(0, 50_000, 30, True), (1, 0, 60, True)]
    assert limited.cli("set ip neighbor-config ip4 limit 7 norecycle") == (0, "")
    assert limits(limited)[0] == (0, 7, 30, False)
    assert limited.cli("set ip neighbor-config ip5")[0] == limited.cli("set ip neighbor-config ip4 all")[0] == -1


def test_a_full_table_refuses_a_neighbor_and_keeps_those_that_it_has(limited: Subject, first: int) -> None:
    assert [enter(limited, first, f"192.0.2.{host}", A) for host in (5, 6)] == [0, 0]
    assert limit(limited, 0, 1, 0, 0) == 0
    assert enter(limited, first, "192.0.2.7", A) == -162
    assert (enter(limited, first, "192.0.2.5", B), enter(limited, first, "2001:db8::5", A)) == (0, 0)
    assert limited.cli(f"set ip neighbor {PORTS[0]} 192.0.2.7 {A} static") == (0, "")
    assert len(known(limited)) == 3
    assert (leave(limited, first, "192.0.2.5"), leave(limited, first, "192.0.2.6")) == (0, 0)
    assert enter(limited, first, "192.0.2.7", A) == 0


def test_a_full_table_replaces_a_neighbor_that_is_not_static(limited: Subject, first: int) -> None:
    assert limit(limited, 0, 1, 0, 1) == 0
    assert enter(limited, first, "192.0.2.5", A) == 0
    assert enter(limited, first, "192.0.2.6", A) == -162
    assert leave(limited, first, "192.0.2.5") == 0
    assert enter(limited, first, "192.0.2.6", A, DYNAMIC) == 0
    assert enter(limited, first, "192.0.2.7", A) == 0
    assert known(limited) == {(first, "192.0.2.7", A, STATIC)}


def test_an_unknown_family_has_no_limits(limited: Subject) -> None:
    client = Raw(limited.client.transport.server_address)
    head = (client.handle, 7, 77)
    client.send(struct.pack(">HIIBIIB", client.ids["ip_neighbor_config"], *head, 1, 1, 1))
    assert struct.unpack_from(">Ii", client.receive(), 2) == (7, -97)
    client.send(struct.pack(">HIIB", client.ids["ip_neighbor_config_get"], *head))
    assert struct.unpack_from(">IiBIIB", client.receive(), 2) == (7, -97, 0, ALL, ALL, 0)
    client.close()
    assert limits(limited) == [(0, *LIMITS), (1, *LIMITS)]
