"""Contract: what VPP tells about interfaces to who asked, and what it keeps to itself (vnet/interface_api.c)."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.subject import Subject

ADMIN_UP = 1
QUIET_S = 0.3
Told = list[tuple[int, int, bool]]


@pytest.fixture
def told(vpp: Subject) -> Told:
    """Return a list that gets what VPP tells from now on: index, flags, whether it was deleted."""
    seen: Told = []

    def note(_name: str, message: Any) -> None:
        if type(message).__name__ == "sw_interface_event":
            seen.append((int(message.sw_if_index), int(message.flags), bool(message.deleted)))

    vpp.client.register_event_callback(note)
    assert vpp.api.want_interface_events(enable_disable=1, pid=7).retval == 0
    time.sleep(QUIET_S)
    seen.clear()
    return seen


def settled(told: Told, is_enough: Callable[[], bool] = lambda: True) -> Told:
    """Return what was told, once it is enough and nothing has been added for a while."""
    deadline = time.monotonic() + 5
    count = -1
    while (not is_enough() or len(told) != count) and time.monotonic() < deadline:
        count = len(told)
        time.sleep(QUIET_S)
    return list(told)


def test_an_interface_that_goes_up_is_told(vpp: Subject, first: int, told: Told) -> None:
    vpp.up(first)
    seen = settled(told, lambda: bool(told))
    assert {index for index, _, _ in seen} == {first}
    assert any(flags & ADMIN_UP for _, flags, _ in seen)


def test_what_happens_to_one_interface_at_once_is_told_at_once(vpp: Subject, first: int, told: Told) -> None:
    """Up, and the link up with it."""
    vpp.up(first)
    assert settled(told, lambda: bool(told)) == [(first, 3, False)]


def test_an_interface_that_goes_down_is_told(vpp: Subject, first: int, told: Told) -> None:
    vpp.up(first)
    settled(told, lambda: bool(told))
    told.clear()
    vpp.api.sw_interface_set_flags(sw_if_index=first, flags=0)
    seen = settled(told, lambda: bool(told))
    assert {index for index, _, _ in seen} == {first}
    assert not any(flags & ADMIN_UP for _, flags, _ in seen)


def test_what_appears_and_disappears_is_told(vpp: Subject, first: int, told: Told) -> None:
    vpp.up(first)
    sub = vpp.sub(first, 100)
    loop = vpp.api.create_loopback().sw_if_index
    settled(told, lambda: {sub, loop} <= {index for index, _, _ in told})
    told.clear()
    assert vpp.api.delete_subif(sw_if_index=sub).retval == 0
    assert vpp.api.delete_loopback(sw_if_index=loop).retval == 0
    seen = settled(told, lambda: len({index for index, _, _ in told}) > 1)
    assert {index for index, _, is_deleted in seen if is_deleted} == {sub, loop}


def test_the_host_interface_of_a_pair_is_told(vpp: Subject, first: int, told: Told) -> None:
    assert vpp.add_pair(first, "e1") == 0
    host = vpp.pairs()[first].host_sw_if_index
    assert host in {index for index, _, _ in settled(told, lambda: bool(told))}


def _mtu(vpp: Subject, index: int) -> Any:
    return vpp.api.sw_interface_set_mtu(sw_if_index=index, mtu=[1500, 0, 0, 0])


def _link_mtu(vpp: Subject, index: int) -> Any:
    return vpp.api.hw_interface_set_mtu(sw_if_index=index, mtu=1500)


def _address(vpp: Subject, index: int) -> Any:
    return vpp.api.sw_interface_add_del_address(sw_if_index=index, is_add=True, prefix="192.0.2.1/24")


def _tag(vpp: Subject, index: int) -> Any:
    return vpp.api.sw_interface_tag_add_del(sw_if_index=index, is_add=True, tag="mine")


def _xconnect(vpp: Subject, index: int) -> Any:
    return vpp.api.sw_interface_set_l2_xconnect(rx_sw_if_index=index, tx_sw_if_index=index + 1, enable=True)


def _bridge(vpp: Subject, index: int) -> Any:
    return vpp.api.bridge_domain_add_del_v2(bd_id=7, is_add=True)


@pytest.mark.parametrize("change", [_mtu, _link_mtu, _address, _tag, _xconnect, _bridge])
def test_everything_else_is_not_told(
    vpp: Subject, first: int, told: Told, change: Callable[[Subject, int], Any]
) -> None:
    assert change(vpp, first).retval == 0
    assert settled(told) == []
