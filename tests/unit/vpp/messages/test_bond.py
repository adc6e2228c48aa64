"""Bonds and their members, as a VPP tells of them."""

import pytest

from tests.unit.vpp.stub_vpp import Request, StubVpp, observed
from vppcfg.errors import DataplaneError
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.interface import InterfaceKind
from vppcfg.plan.request import Value

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


def give_members(stub: StubVpp, members: dict[int, list[dict[str, Value]]]) -> None:
    """Have `members` by bond."""

    def answer(request: Request) -> list[bytes]:
        rows = members.get(request.value("sw_if_index"), [])
        return [stub.say("sw_member_interface_details", request, row) for row in rows]

    stub.answers["sw_member_interface_dump"] = answer


@pytest.mark.parametrize(
    ("mode", "number", "expected_mode", "load_balance"),
    [
        (1, 3, BondMode.ROUND_ROBIN, None),
        (2, 5, BondMode.ACTIVE_BACKUP, None),
        (3, 0, BondMode.XOR, LoadBalance.L2),
        (4, 4, BondMode.BROADCAST, None),
        (5, 1, BondMode.LACP, LoadBalance.L34),
        (5, 2, BondMode.LACP, LoadBalance.L23),
    ],
)
def test_mode_and_load_balance_are_read(
    mode: int, number: int, expected_mode: BondMode, load_balance: LoadBalance | None
) -> None:
    state = observed(stub_with({"sw_if_index": BOND, "mode": mode, "lb": number}))
    assert state.virtual == {"BondEthernet0": Bond(mode=expected_mode, load_balance=load_balance)}
    assert state.interfaces["BondEthernet0"].kind is InterfaceKind.BOND


def test_members_belong_to_the_bond_that_was_asked_for_in_the_order_of_joining() -> None:
    stub = stub_with({"sw_if_index": BOND, "mode": 5}, {"sw_if_index": OTHER_BOND, "mode": 2, "lb": 5})
    give_members(
        stub,
        {
            BOND: [{"sw_if_index": 3, "is_passive": 1}, {"sw_if_index": 1, "is_long_timeout": 1}],
            OTHER_BOND: [{"sw_if_index": 2, "weight": 100}],
        },
    )
    bonds = observed(stub).virtual_as(Bond)
    assert list(bonds["BondEthernet0"].members.items()) == [
        ("port3", Membership(is_passive=True)),
        ("port1", Membership(is_long_timeout=True)),
    ]
    assert bonds["BondEthernet5"].members == {"port2": Membership(weight=100)}


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


def test_details_are_shown_only_when_there_are_bonds() -> None:
    stub = stub_with()
    shown: list[str] = []
    show = stub.answers["cli_inband"]

    def answer(request: Request) -> list[bytes]:
        shown.append(request.text)
        return show(request)

    stub.answers["cli_inband"] = answer
    assert observed(stub).virtual == {}
    assert "show bond details" not in shown


def test_a_mode_that_no_vpp_has_is_an_error() -> None:
    with pytest.raises(DataplaneError, match="sw_bond_interface_details"):
        observed(stub_with({"sw_if_index": BOND, "mode": 6}))
