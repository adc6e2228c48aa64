"""MPLS, as a VPP tells of it."""

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.model.state import State


def stub_with(*tables: int) -> StubVpp:
    stub = StubVpp()
    stub.add_interface(1, "port")
    stub.add_interface(2, "other")
    stub.tell("mpls_table_dump", "mpls_table_details", *({"mt_table.mt_table_id": table} for table in tables))
    return stub


def with_mpls(state: State) -> set[str]:
    return {name for name, interface in state.interfaces.items() if interface.has_mpls}


def test_a_vpp_that_does_not_tell_shows_them() -> None:
    stub = stub_with(0)
    stub.drop("mpls_interface_dump")
    stub.show({"show mpls interface": "other\n  MPLS enabled\nport\n  MPLS disabled\n"})
    assert with_mpls(observed(stub)) == {"other"}
