"""Borrowed addresses, as a VPP tells of them."""

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.model.features import DELETED


def test_an_interface_knows_whose_addresses_it_borrows() -> None:
    stub = StubVpp()
    stub.add_interface(1, "port")
    stub.add_interface(2, "loop0", interface_dev_type="Loopback")
    stub.tell("ip_unnumbered_dump", "ip_unnumbered_details", {"sw_if_index": 1, "ip_sw_if_index": 2})
    found = observed(stub).interfaces
    assert {name: one.unnumbered for name, one in found.items()} == {"port": "loop0", "loop0": None}


def test_a_donor_that_was_deleted_is_still_one() -> None:
    """What VPP makes next may get its index and become the donor: a plan must see that something is to be undone."""
    stub = StubVpp()
    stub.add_interface(1, "port")
    stub.tell("ip_unnumbered_dump", "ip_unnumbered_details", {"sw_if_index": 1, "ip_sw_if_index": 2})
    assert observed(stub).interfaces["port"].unnumbered == DELETED
