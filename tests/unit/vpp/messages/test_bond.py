"""Bonds and their members, as a VPP tells of them."""

import pytest

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.errors import DataplaneError
from vppcfg.model.bond import Bond
from vppcfg.operations.request import Value

BOND, OTHER_BOND = 7, 8


def stub_with(*bonds: dict[str, Value]) -> StubVpp:
    """Return a VPP with three ports and two interfaces that are `bonds`."""
    stub = StubVpp()
    for index in (1, 2, 3):
        stub.add_interface(index, f"port{index}")
    names = {BOND: "BondEthernet0", OTHER_BOND: "BondEthernet5"}
    for told in (int(bond["sw_if_index"]) for bond in bonds):
        stub.add_interface(told, names[told], interface_dev_type="bond")
    stub.tell("sw_bond_interface_dump", "sw_bond_interface_details", *bonds)
    return stub


SHOWN = """\
BondEthernet0
  mode: lacp
  load balance: l34
  number of active members: 1
    port1
      weight: 0, is_local_numa: 0, sw_if_index: 1
  sw_if_index: 7
  hw_if_index: 7
BondEthernet5
  mode: xor
  load balance: l2
  gso enable
  sw_if_index: 8
  hw_if_index: 8
"""


def test_options_without_a_key_in_the_language_are_read() -> None:
    stub = stub_with({"sw_if_index": BOND, "mode": 5, "numa_only": 1}, {"sw_if_index": OTHER_BOND, "mode": 3, "lb": 0})
    stub.show({"show bond details": SHOWN})
    bonds = observed(stub).virtual_as(Bond)
    assert {name: (bond.has_gso, bond.is_numa_only) for name, bond in bonds.items()} == {
        "BondEthernet0": (False, True),
        "BondEthernet5": (True, False),
    }


def test_a_mode_that_no_vpp_has_is_an_error() -> None:
    with pytest.raises(DataplaneError, match="sw_bond_interface_details"):
        observed(stub_with({"sw_if_index": BOND, "mode": 6}))
