"""Contract: sFlow, and its confusion of indexes."""

import pytest

from tests.contract.subject import ALL, Subject


def enable(vpp: Subject, index: int, is_on: bool = True) -> int:
    return int(vpp.api.sflow_enable_disable(hw_if_index=index, enable_disable=is_on).retval)


def sampled(vpp: Subject) -> list[int]:
    return [row.hw_if_index for row in vpp.api.sflow_interface_dump(hw_if_index=ALL)]


def test_ports_are_sampled_once(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    assert [enable(vpp, index) for index in (first, first, sub, 4711)] == [0, -81, -2, -2]
    assert [enable(vpp, first, False), enable(vpp, first, False)] == [0, -81]


def test_a_port_is_named_by_one_index_and_shown_by_another_which_its_successor_inherits(
    vpp: Subject, first: int
) -> None:
    vpp.sub(first, 100)
    loop = vpp.api.create_loopback_instance(is_specified=True, user_instance=1).sw_if_index
    assert enable(vpp, loop) == 0
    (shown,) = sampled(vpp)
    assert shown == loop - 1
    assert "sflow enable loop1\n" in vpp.cli("show sflow")[1]
    vpp.api.delete_loopback(sw_if_index=loop)
    assert "sflow enable (nil)\n" in vpp.cli("show sflow")[1]
    again = vpp.api.create_loopback_instance(is_specified=True, user_instance=2).sw_if_index
    assert (enable(vpp, again), sampled(vpp)) == (-81, [shown])


@pytest.mark.parametrize(("asked", "size"), [(65, 96), (1, 64), (1000, 256), (128, 128)])
def test_header_bytes_are_rounded(vpp: Subject, asked: int, size: int) -> None:
    assert vpp.api.sflow_header_bytes_set(header_B=asked).retval == 0
    assert vpp.api.sflow_header_bytes_get().header_B == size


def test_rates_are_taken_as_they_are(vpp: Subject) -> None:
    assert vpp.api.sflow_sampling_rate_set(sampling_N=5).retval == 0
    assert vpp.api.sflow_polling_interval_set(polling_S=0).retval == 0
    assert vpp.api.sflow_sampling_rate_get().sampling_N == 5
    assert vpp.api.sflow_polling_interval_get().polling_S == 0
