"""Contract: borrowed addresses."""

from tests.contract.subject import ALL, Subject


def borrow(vpp: Subject, borrower: int, donor: int, is_add: bool = True) -> int:
    arguments = {"sw_if_index": donor, "unnumbered_sw_if_index": borrower, "is_add": is_add}
    return int(vpp.api.sw_interface_set_unnumbered(**arguments).retval)


def borrowers(vpp: Subject) -> dict[int, int]:
    return {row.sw_if_index: row.ip_sw_if_index for row in vpp.api.ip_unnumbered_dump(sw_if_index=ALL)}


def loopback(vpp: Subject, number: int) -> int:
    return int(vpp.api.create_loopback_instance(is_specified=True, user_instance=number).sw_if_index)


def test_addresses_are_borrowed_and_not_shown(vpp: Subject, first: int) -> None:
    donor = loopback(vpp, 1)
    vpp.add_address(donor, "10.0.0.1/24")
    assert borrow(vpp, first, donor) == 0
    assert (borrowers(vpp), vpp.addresses(first)) == ({first: donor}, [])
    assert borrow(vpp, first, 4711, is_add=False) == 0
    assert borrowers(vpp) == {}


def test_both_interfaces_must_exist_and_may_be_one(vpp: Subject, first: int) -> None:
    assert [borrow(vpp, first, 4711), borrow(vpp, 4711, first), borrow(vpp, first, first)] == [-10, -2, 0]


def test_an_address_added_to_a_borrower_lands_on_the_donor(vpp: Subject, first: int) -> None:
    donor = loopback(vpp, 1)
    vpp.add_address(donor, "10.0.0.1/24")
    borrow(vpp, first, donor)
    assert vpp.add_address(first, "10.2.0.1/24") == 0
    assert vpp.addresses(donor) == ["10.0.0.1/24", "10.2.0.1/24"]
    assert [vpp.remove_address(donor, "10.2.0.1/24"), vpp.remove_address(first, "10.2.0.1/24")] == [-60, 0]
    assert vpp.addresses(donor) == ["10.0.0.1/24"]


def test_addresses_that_a_borrower_had_are_not_shown_and_still_taken(vpp: Subject, first: int, second: int) -> None:
    donor = loopback(vpp, 1)
    vpp.add_address(donor, "10.0.0.1/24")
    vpp.add_address(first, "10.1.0.1/24")
    borrow(vpp, first, donor)
    assert vpp.add_address(second, "10.1.0.1/24") == -127
    assert vpp.add_address(second, "10.1.0.2/24") == 0
    borrow(vpp, first, donor, is_add=False)
    assert vpp.addresses(first) == []
    assert vpp.remove_address(first, "10.1.0.1/24") == 0


def test_a_donor_that_goes_leaves_its_index(vpp: Subject, first: int) -> None:
    donor = loopback(vpp, 1)
    borrow(vpp, first, donor)
    vpp.api.delete_loopback(sw_if_index=donor)
    assert borrowers(vpp) == {first: donor}
