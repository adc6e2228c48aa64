"""Lists of CPUs, sizes, releases and PCI addresses: text to value and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vppcfg.common.numbers import (
    address_of_interface,
    bytes_of,
    canonical_pci,
    cpu_text,
    cpus_of,
    interface_tail,
    round_up,
    size_text,
    whole_number,
)
from vppcfg.common.release import Release, release_of


@settings(deadline=None)
@given(st.sets(st.integers(0, 300)))
def test_a_list_of_cpus_is_read_as_it_was_written(cpus: set[int]) -> None:
    assert set(cpus_of(cpu_text(cpus))) == cpus


@settings(deadline=None)
@given(st.integers(0, 1 << 50))
def test_a_size_is_read_as_it_was_written(size: int) -> None:
    assert bytes_of(size_text(size)) == size


@pytest.mark.parametrize(("text", "cpus"), [("1-3,5", (1, 2, 3, 5)), ("", ()), ("3,1", (1, 3)), (" 0 \n", (0,))])
def test_lists_of_cpus(text: str, cpus: tuple[int, ...]) -> None:
    assert cpus_of(text) == cpus


@pytest.mark.parametrize("text", ["a", "3-1", "1-", "-1", "1--2", "0-99999", "1 2"])
def test_what_is_no_list_of_cpus(text: str) -> None:
    with pytest.raises(ValueError, match="no list of CPUs"):
        cpus_of(text)


@pytest.mark.parametrize(("text", "size"), [("64M", 64 << 20), ("1g", 1 << 30), ("0", 0), ("12", 12), ("2k", 2048)])
def test_sizes(text: str, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "M", "1.5G", "-1", "1MB", "1 M"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="no size"):
        bytes_of(text)


def test_numbers_are_rounded_up_to_a_multiple() -> None:
    assert [round_up(number, 840) for number in (0, 1, 840, 841)] == [0, 840, 840, 1680]


@pytest.mark.parametrize(
    ("text", "release"),
    [("23.06-rc0~35-gaf4046134", Release(23, 6)), ("v24.10", Release(24, 10)), ("26.02-release", Release(26, 2))],
)
def test_releases(text: str, release: Release) -> None:
    assert release_of(text) == release


@pytest.mark.parametrize("text", ["", "latest", "24", "24.13", "24.100", "2024.10"])
def test_what_is_no_release(text: str) -> None:
    with pytest.raises(ValueError, match="no version of VPP"):
        release_of(text)


def test_releases_compare_by_age() -> None:
    assert Release(23, 10) < Release(24, 2) < Release(24, 10)
    assert str(Release(23, 6)) == "23.06"


@pytest.mark.parametrize("address", ["0000:01:00.0", "0000:af:1f.7", "0003:01:00.2"])
def test_a_name_and_its_device_belong_together(address: str) -> None:
    prefix = "TenGigabitEthernet" + ("" if address.startswith("0000") else "-")
    assert address_of_interface(prefix + interface_tail(address)) == address


@pytest.mark.parametrize("text", ["01:00.0", "0000:01:00.8", "0000:01:20.0", "", None, 7, "0000:1:00.0"])
def test_what_is_no_pci_address(text: object) -> None:
    assert canonical_pci(text) is None


def test_pci_addresses_are_written_in_lower_case() -> None:
    assert canonical_pci("0000:AF:00.0") == "0000:af:00.0"


def test_a_number_has_a_bounded_length() -> None:
    assert [whole_number(text) for text in ("0", "007", "9" * 18)] == [0, 7, 10**18 - 1]
    assert [whole_number(text) for text in ("", "-1", "1x", "٣", "9" * 19, "9" * 5000)] == [None] * 6
