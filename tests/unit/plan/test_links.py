"""Which interfaces have link, and who is looked at again when one of them loses it."""

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.model.tunnel import Gre
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.impact import Links

MEMBER = Interface(name="gi1", kind=InterfaceKind.PHYSICAL, is_up=True, bridge=10)
BVI = Interface(name="loop0", kind=InterfaceKind.LOOPBACK, is_up=True, bridge=10, is_bvi=True)


def draft_of(*interfaces: Interface, **made: Gre) -> WorkingState:
    return WorkingState(State(interfaces={each.name: each for each in interfaces}, virtual=made))


def tunnel(name: str, *addresses: str) -> Interface:
    return Interface(name=name, kind=InterfaceKind.GRE, is_up=True, addresses=frozenset(addresses))


def test_nobody_holds_himself_up_in_a_circle() -> None:
    gre0, gre1 = tunnel("gre0", "10.0.0.1/30"), tunnel("gre1", "10.0.1.1/30")
    made = {"gre0": Gre(local="10.0.1.1", remote="10.9.9.1"), "gre1": Gre(local="10.0.0.1", remote="10.9.9.2")}
    assert Links(draft_of(gre0, gre1, **made)).linked == set()
    assert Links(draft_of(tunnel("gre0", "10.0.0.1/30"), gre0=Gre(local="10.0.0.1", remote="10.9.9.1"))).linked == set()


def test_a_bvi_has_link_while_another_member_has() -> None:
    working = draft_of(BVI, MEMBER)
    links = Links(working)
    assert links.linked == {"loop0", "gi1"}
    working.change("gi1", is_up=False)
    assert {"loop0", "gi1"} <= links.update(["gi1"])
    assert links.linked == set()
    working.change("gi1", is_up=True)
    assert {"loop0", "gi1"} <= links.update(["gi1"])
    assert links.linked == {"loop0", "gi1"}
    working.switch("gi1")
    assert "loop0" in links.update(["gi1"])
    assert links.linked == {"gi1"}
