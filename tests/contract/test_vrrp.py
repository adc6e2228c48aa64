"""Contract: virtual routers, as VPP takes, changes and shows them."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

INIT, BACKUP, MASTER, DOWN = range(4)
PREEMPT, ACCEPT, UNICAST, IPV6 = 1, 2, 4, 8


@pytest.fixture
def routed(vpp: Subject, first: int) -> Iterator[int]:
    """Return a sub-interface with an address of each family, without virtual routers in the end."""
    index = vpp.sub(first, 100)
    assert vpp.add_address(index, "192.0.2.1/24") == 0
    assert vpp.add_address(index, "2001:db8::1/64") == 0
    vpp.up(first)
    vpp.up(index)
    yield index
    for row in list(vpp.api.vrrp_vr_dump(sw_if_index=ALL)):
        key = {"vr_id": row.config.vr_id, "is_ipv6": bool(row.config.flags & IPV6)}
        vpp.api.vrrp_vr_start_stop(sw_if_index=row.config.sw_if_index, **key, is_start=False)
        change(vpp, row.config.sw_if_index, row.config.vr_id, list(row.addrs), add=False, flags=row.config.flags)


def change(vpp: Subject, index: int, vr_id: int, addresses: list[Any], *, add: bool = True, **given: Any) -> int:
    values: dict[str, Any] = {"priority": 100, "interval": 100, "flags": PREEMPT, **given}
    head = {"sw_if_index": index, "vr_id": vr_id, "n_addrs": len(addresses), "addrs": addresses}
    return int(vpp.api.vrrp_vr_add_del(is_add=add, **head, **values).retval)


def run(vpp: Subject, index: int, vr_id: int, *, start: bool = True, is_ipv6: bool = False) -> int:
    return int(vpp.api.vrrp_vr_start_stop(sw_if_index=index, vr_id=vr_id, is_ipv6=is_ipv6, is_start=start).retval)


def peers(vpp: Subject, index: int, vr_id: int, addresses: list[str]) -> int:
    head = {"sw_if_index": index, "vr_id": vr_id, "is_ipv6": False}
    return int(vpp.api.vrrp_vr_set_peers(**head, n_addrs=len(addresses), addrs=addresses).retval)


def track(vpp: Subject, index: int, vr_id: int, other: int, priority: int = 50, *, add: bool = True) -> int:
    ifs = [{"sw_if_index": other, "priority": priority}]
    head = {"sw_if_index": index, "vr_id": vr_id, "is_ipv6": False}
    return int(vpp.api.vrrp_vr_track_if_add_del(**head, is_add=add, n_ifs=1, ifs=ifs).retval)


def shown(vpp: Subject, index: int = ALL) -> list[tuple[int, int, int, int, list[str], int]]:
    """Return number, priority, interval, flags, addresses and state of each."""
    rows = ((row.config, row.addrs, row.runtime) for row in vpp.api.vrrp_vr_dump(sw_if_index=index))
    return sorted(
        (config.vr_id, config.priority, config.interval, int(config.flags), list(map(str, hosts)), int(now.state))
        for config, hosts, now in rows
    )


def test_a_virtual_router_is_shown_as_it_was_made_and_once(vpp: Subject, routed: int) -> None:
    flags = PREEMPT | ACCEPT
    assert change(vpp, routed, 5, ["192.0.2.254", "192.0.2.253"], priority=200, interval=30, flags=flags) == 0
    assert change(vpp, routed, 5, ["2001:db8::fe"], flags=IPV6) == 0, "of each family there is one"
    assert shown(vpp, routed) == [
        (5, 100, 100, IPV6, ["2001:db8::fe"], INIT),
        (5, 200, 30, flags, ["192.0.2.254", "192.0.2.253"], INIT),
    ]
    assert change(vpp, routed, 5, ["192.0.2.254"], priority=90) == -116
    assert change(vpp, routed, 6, ["192.0.2.254"]) == -105, "an address is in one of them"
    assert change(vpp, routed, 7, []) == -57
    assert change(vpp, routed, 8, ["192.0.2.9"], priority=255) == -60
    assert change(vpp, routed, 8, ["192.0.2.1"], priority=255) == 0, "its own"
    assert (change(vpp, routed, 9, ["192.0.2.7"], priority=0), change(vpp, routed, 9, ["192.0.2.7"], interval=0)) == (
        -7,
        -7,
    )


def test_what_runs_refuses_peers_and_starts_once(vpp: Subject, routed: int) -> None:
    assert change(vpp, routed, 5, ["192.0.2.254"], flags=UNICAST) == 0
    assert (run(vpp, routed, 5), peers(vpp, routed, 5, [])) == (-144, -58), "unicast without peers"
    assert (peers(vpp, routed, 5, ["192.0.2.3", "192.0.2.4"]), peers(vpp, routed, 6, ["192.0.2.3"])) == (0, -6)
    found = vpp.api.vrrp_vr_peer_dump(sw_if_index=routed, vr_id=5, is_ipv6=False)  # nothing, by VPP's compiler
    assert [list(map(str, row.peer_addrs)) for row in found] in ([["192.0.2.3", "192.0.2.4"]], [])
    assert re.search(
        rf"sw_if_index {routed} VR ID 5 IPv4\n[^\[]*peer addresses 192.0.2.3 192.0.2.4 ?\n", vpp.cli("show vrrp vr")[1]
    )
    assert (run(vpp, routed, 5), run(vpp, routed, 5), peers(vpp, routed, 5, ["192.0.2.5"])) == (0, 0, -155)
    assert shown(vpp)[0][-1] == BACKUP
    assert (run(vpp, routed, 5, start=False), run(vpp, routed, 5, start=False)) == (0, 0)
    assert shown(vpp)[0][-1] == INIT
    assert (run(vpp, routed, 9), change(vpp, routed, 9, ["192.0.2.9"], add=False)) == (-6, -6)
    assert change(vpp, routed, 10, ["192.0.2.8"]) == 0
    assert peers(vpp, routed, 10, ["192.0.2.3"]) == -73, "it speaks to the group"


def test_an_owner_is_master_at_once_and_down_with_its_interface(vpp: Subject, routed: int) -> None:
    assert change(vpp, routed, 5, ["192.0.2.1"], priority=255, flags=PREEMPT | ACCEPT) == 0
    assert run(vpp, routed, 5) == 0
    assert shown(vpp)[0][-1] == MASTER
    vpp.api.sw_interface_set_flags(sw_if_index=routed, flags=0)
    assert shown(vpp)[0][-1] == DOWN
    vpp.up(routed)
    assert shown(vpp)[0][-1] == MASTER


def test_an_interface_is_tracked_with_the_first_priority(vpp: Subject, routed: int) -> None:
    other = vpp.index(PORTS[1])
    assert change(vpp, routed, 5, ["192.0.2.254"]) == 0
    assert (track(vpp, routed, 5, other), track(vpp, routed, 5, other, 70)) == (0, 0)
    (row,) = vpp.api.vrrp_vr_track_if_dump(sw_if_index=routed, vr_id=5, is_ipv6=False, dump_all=False)
    assert [(each.sw_if_index, each.priority) for each in row.ifs] == [(other, 50)]
    assert (track(vpp, routed, 6, other), track(vpp, routed, 5, routed), track(vpp, routed, 5, 4711)) == (-7, -10, -2)
    assert track(vpp, routed, 5, other, add=False) == 0


def test_the_priority_is_lower_while_a_tracked_interface_is_down(vpp: Subject, routed: int) -> None:
    other = vpp.index(PORTS[1])
    vpp.api.sw_interface_set_flags(sw_if_index=other, flags=0)
    assert (change(vpp, routed, 5, ["192.0.2.254"]), track(vpp, routed, 5, other, 30), run(vpp, routed, 5)) == (0, 0, 0)
    (row,) = vpp.api.vrrp_vr_dump(sw_if_index=routed)
    assert (row.config.priority, row.runtime.tracking.priority) == (100, 70)
    vpp.up(other)
    (row,) = vpp.api.vrrp_vr_dump(sw_if_index=routed)
    assert row.runtime.tracking.priority == 70, "it has no address of the family"
    assert vpp.add_address(other, "198.51.100.1/24") == 0
    (row,) = vpp.api.vrrp_vr_dump(sw_if_index=routed)
    assert row.runtime.tracking.priority == 100
