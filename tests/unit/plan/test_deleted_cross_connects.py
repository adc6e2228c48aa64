"""Cross-connects of and to interfaces that somebody has deleted, and addresses borrowed from them, which VPP keeps."""

from tests.laws.test_simulator_laws import apply_to
from tests.unit.plan import test_others_in_bridges as bridges
from tests.unit.plan.test_others_in_bridges import planned
from vppcfg.config.dump import expressible
from vppcfg.plan.rollback import reverse_plan
from vppcfg.plan.state_document import document_of, state_of
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

vpp = bridges.vpp
Vpp = tuple[SimulatedVpp, LiveDataplane]
SUBS = ("create sub-interfaces eth0 1", "create sub-interfaces eth0 2", "set interface l2 xconnect eth0.1 eth0.2")


def file_of(*subs: str) -> str:
    listed = ", ".join(f"{sub}: {{ state: up }}" for sub in subs)
    return f"interfaces: {{ eth0: {{ sub-interfaces: {{ {listed} }} }}, eth1: {{}} }}\n"


def run(simulated: SimulatedVpp, *lines: str) -> None:
    for line in lines:
        assert simulated.run_line(line)[0] == 0, line


def lines_of(text: str, plane: LiveDataplane) -> list[str]:
    """Carry a plan out that can be undone, look that nothing is left to do, and return its lines that are about L2."""
    plan = planned(text, plane)
    reverse_plan(plan)
    apply_to(plan, plane)
    assert planned(text, plane).steps == ()
    return [line for line in map(str, (each.cli() for each in plan.operations)) if " l3 " in line]


def test_an_interface_that_is_cross_connected_to_a_deleted_one_routes_again(vpp: Vpp) -> None:
    """It drops what comes in, or sends it to the next interface that is created."""
    run(vpp[0], *SUBS, "delete sub-interface eth0.2")
    assert lines_of(file_of("1", "7"), vpp[1]) == ["set interface l3 eth0.1"]
    assert "xconnect" not in vpp[0].run_line("show mode")[1]


def test_a_new_interface_has_nothing_of_the_cross_connect_of_a_deleted_one(vpp: Vpp) -> None:
    """VPP may forget it only where it has looked at the target in L2 mode before (l2_input_interface_add_del)."""
    run(vpp[0], *SUBS)
    source, target = (vpp[0].tables.named(name) for name in ("eth0.1", "eth0.2"))
    assert source is not None and target is not None
    run(vpp[0], "delete sub-interface eth0.1")
    vpp[0].tables.l2_of(source.index).xconnect_to = target.index
    assert lines_of(file_of("2", "7"), vpp[1]) == ["set interface l3 eth0.7"]
    assert "xconnect" not in vpp[0].run_line("show mode")[1]


def test_what_borrows_from_a_deleted_interface_borrows_no_more(vpp: Vpp) -> None:
    run(vpp[0], *SUBS[:2], "set interface unnumbered eth0.1 use eth0.2", "delete sub-interface eth0.2")
    assert lines_of(file_of("1"), vpp[1]) == []
    assert vpp[1].observe().interfaces["eth0.1"].unnumbered is None


def test_a_state_with_what_leads_to_a_deleted_interface_is_read_again(vpp: Vpp) -> None:
    run(vpp[0], *SUBS, "set interface unnumbered eth1 use eth0.2", "delete sub-interface eth0.2")
    observed = vpp[1].observe()
    assert state_of(document_of(observed)).interfaces == observed.interfaces


def test_what_leads_to_a_deleted_interface_is_left_out_of_a_dump(vpp: Vpp) -> None:
    run(vpp[0], *SUBS, "delete sub-interface eth0.2")
    configuration, left = expressible(vpp[1].observe())
    assert (set(configuration.interfaces), set(left.interfaces)) == ({"eth0", "eth1"}, {"eth0.1"})
