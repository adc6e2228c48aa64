"""What hangs on what."""

from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch
from vppcfg.model.lcp import SubInterfaceDependencies

PORT = Interface(name="p", kind=InterfaceKind.PHYSICAL)


def sub(name: str, encapsulation: Encapsulation | OtherMatch, parent: str = "p") -> Interface:
    return Interface(name=name, kind=InterfaceKind.SUB_INTERFACE, parent=parent, encapsulation=encapsulation)


OUTER = sub("p.1", Encapsulation(outer=5, is_exact=True))
OUTER_AD = sub("p.2", Encapsulation(outer=5, is_dot1ad=True))
INNER = sub("p.3", Encapsulation(outer=5, inner=7))
INNER_AD = sub("p.4", Encapsulation(outer=5, inner=7, is_dot1ad=True))
ELSEWHERE = sub("q.3", Encapsulation(outer=5, inner=7), parent="q")
OTHER = sub("p.6", OtherMatch(flags=1, outer=5, inner=7))


def test_all_sub_interfaces_hang_on_their_port_and_two_tags_on_the_outer_one() -> None:
    stacking = SubInterfaceDependencies([PORT, OUTER, OUTER_AD, INNER, INNER_AD, ELSEWHERE, OTHER])
    assert set(stacking.dependents_of(PORT)) == {"p.1", "p.2", "p.3", "p.4", "p.6"}
    assert set(stacking.dependents_of(OUTER)) == {"p.3"}
    assert set(stacking.dependents_of(OUTER_AD)) == {"p.4"}
    assert [list(stacking.dependents_of(leaf)) for leaf in (INNER, OTHER, ELSEWHERE)] == [[], [], []]


def test_two_tags_are_carried_by_the_outer_one() -> None:
    stacking = SubInterfaceDependencies([PORT, OUTER, OUTER_AD, INNER, INNER_AD, ELSEWHERE, OTHER])
    carried = {leaf.name: stacking.carrier_of(leaf) for leaf in (INNER, INNER_AD, ELSEWHERE, OTHER, OUTER, PORT)}
    assert carried == {"p.3": "p.1", "p.4": "p.2", "q.3": None, "p.6": None, "p.1": None, "p": None}


def test_what_is_taken_out_hangs_on_nothing() -> None:
    stacking = SubInterfaceDependencies([OUTER, INNER])
    stacking.remove(INNER)
    assert set(stacking.dependents_of(OUTER)) == set()
    assert set(stacking.on_port("p")) == {"p.1"}
