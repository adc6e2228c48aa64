"""What stands in the way of a file on a dataplane with objects of others."""

from dataclasses import replace

import pytest

from vppcfg.config.ownership_conflicts import unmanaged_conflicts
from vppcfg.entries.configuration import Configuration
from vppcfg.model.bond import Bond, Membership
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.model.tunnel import Gre, GreMode, Vxlan
from vppcfg.model.virtual_interface import VirtualInterface


@pytest.mark.parametrize(
    ("observed_names", "expected"),
    [(("port", "loop0"), ["port is not managed and refers to loop0, which the file lacks"]), (("port",), [])],
    ids=["there", "gone"],
)
def test_only_what_is_there_can_be_lost(observed_names: tuple[str, ...], expected: list[str]) -> None:
    """VPP lets an interface borrow from one that was deleted: no plan takes that away from it."""
    port = Interface(name="port", kind=InterfaceKind.PHYSICAL, unnumbered="loop0")
    loopback = Interface(name="loop0", kind=InterfaceKind.LOOPBACK)
    observed = State(interfaces={name: {"port": port, "loop0": loopback}[name] for name in observed_names})
    untouched = desired = State(interfaces={"port": port})
    assert [problem.text for problem in unmanaged_conflicts(Configuration(), untouched, observed, desired)] == expected


@pytest.mark.parametrize(("tables", "is_refused"), [((0, 0), False), ((100, 100), True)])
def test_who_lends_addresses_to_others_stays_in_its_vrf(tables: tuple[int, int], is_refused: bool) -> None:
    ours = Interface(name="eth0", kind=InterfaceKind.PHYSICAL, addresses=frozenset({"192.0.2.1/24"}))
    borrower = Interface(name="ipsec0", kind=InterfaceKind.PHYSICAL, unnumbered="eth0")
    observed, untouched = (
        State(interfaces={each.name: each for each in found}) for found in ([ours, borrower], [borrower])
    )
    desired = State(interfaces={"eth0": replace(ours, tables=tables), "ipsec0": borrower})
    problems = [problem.text for problem in unmanaged_conflicts(Configuration(), untouched, observed, desired)]
    assert len(problems) == is_refused
    assert all(text.startswith("ipsec0 is not managed and borrows the addresses of eth0") for text in problems)


def test_no_port_of_others_joins_a_bond_of_ours() -> None:
    port = Interface(name="port", kind=InterfaceKind.PHYSICAL)
    observed = State(interfaces={"port": port})
    bond = Interface(name="BondEthernet0", kind=InterfaceKind.BOND)
    desired = State(
        interfaces={"port": port, bond.name: bond}, virtual={bond.name: Bond(members={"port": Membership()})}
    )
    expected = ["port is not managed, so it cannot become a member of BondEthernet0"]
    assert [problem.text for problem in unmanaged_conflicts(Configuration(), observed, observed, desired)] == expected
    assert list(unmanaged_conflicts(Configuration(), desired, observed, desired)) == [], "the bond is not ours either"


END = "2001:db8::2"
TUNNELS = [
    Gre(local="2001:db8::1", remote=END),
    Gre(local="2001:db8::1", remote=END, mode=GreMode.TEB),
    Vxlan(local="2001:db8::1", remote=END, vni=1),
]


def router(tunnel: VirtualInterface | None, *addresses: str, table: int = 0) -> State:
    """Return a state with a port of these addresses, and maybe a tunnel."""
    name = "gre0" if isinstance(tunnel, Gre) else "vxlan_tunnel0"
    port = Interface(name="port", kind=InterfaceKind.PHYSICAL, addresses=frozenset(addresses), tables=(table, table))
    if tunnel is None:
        return State(interfaces={"port": port})
    return State(interfaces={"port": port, name: Interface(name=name, kind=tunnel.kind)}, virtual={name: tunnel})


def found(untouched: State, observed: State, desired: State) -> list[str]:
    return [problem.rule for problem in unmanaged_conflicts(Configuration(), untouched, observed, desired)]


@pytest.mark.parametrize("tunnel", TUNNELS, ids=["l3", "teb", "vxlan"])
def test_no_tunnel_of_others_gets_its_end_as_an_address_of_ours(tunnel: VirtualInterface) -> None:
    desired = router(tunnel, f"{END}/64")
    theirs = State(interfaces={n: i for n, i in desired.interfaces.items() if n != "port"}, virtual=desired.virtual)
    rule = [f"{tunnel.kind.value}-remote-own"]
    assert found(theirs, router(tunnel), desired) == rule
    assert found(theirs, router(tunnel, "2001:db8::3/64"), desired) == rule
    assert found(theirs, router(tunnel), router(tunnel, "2001:db8::3/64")) == []
    assert found(theirs, router(tunnel, f"{END}/64"), desired) == [], "VPP has both"


@pytest.mark.parametrize("tunnel", TUNNELS, ids=["l3", "teb", "vxlan"])
def test_no_tunnel_of_ours_ends_at_an_address_of_others(tunnel: VirtualInterface) -> None:
    theirs = router(None, f"{END}/64")
    desired = router(tunnel, f"{END}/64")
    assert found(theirs, theirs, desired) == [f"{tunnel.kind.value}-remote-own"]
    assert found(theirs, desired, desired) == [], "VPP has both"
    elsewhere = router(None, f"{END}/64", table=5)
    assert found(elsewhere, elsewhere, router(tunnel, f"{END}/64", table=5)) == []
