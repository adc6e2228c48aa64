"""What is read for `nat` alone is what the whole state has of it."""

from dataclasses import replace

from tests.simulated_vpp import connected
from tests.unit.app.test_nat import router
from vppcfg.kinds import det44_objects
from vppcfg.kinds.nat44 import kind as nat44
from vppcfg.simulator.vpp import SimulatedVpp


def test_it_is_as_in_the_whole_state() -> None:
    state = router()
    borrower = replace(state.interfaces["eth3"], addresses=frozenset(), unnumbered="eth0")
    state = replace(state, interfaces={**state.interfaces, "eth3": borrower})
    with connected(SimulatedVpp(state=state)) as vpp:
        whole, found = vpp.observe(), vpp.observe_nat()
    classes = {kind.object_class for kind in (*nat44.KINDS, *det44_objects.KINDS)}
    assert found.objects == {item: each for item, each in whole.objects.items() if item in classes}
    assert len(found.objects) >= 4
    assert {name: (each.in_order, each.unnumbered) for name, each in found.interfaces.items()} == {
        name: (each.in_order, each.unnumbered) for name, each in whole.interfaces.items()
    }
    assert found.facts.followed_addresses == whole.facts.followed_addresses
