"""What is said of steps for which VPP forwards nothing: who, how long, and by how many routes that grows."""

from dataclasses import replace

from tests.unit.plan.test_impact import STATE, UP, port
from tests.unit.plan.test_pauses import FULL, sized
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.table_sizes import TableSizes
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.render.diff_view import diff_lines
from vppcfg.render.pause_text import pause_document, pause_lines, unknown_line


def shut(sizes: TableSizes | None) -> Plan:
    before = sized(STATE, sizes)
    return make_plan(before, replace(before, interfaces={**before.interfaces, "up": replace(UP, is_up=False)}))


def test_a_long_step_is_named_with_an_estimate_and_why() -> None:
    lines = [line.text for line in diff_lines(shut(FULL))]
    (line,) = pause_lines(shut(FULL))
    assert f"  {line}" in lines
    assert line.startswith("VPP forwards nothing for up to 0.")
    assert line.endswith(" s while it takes up down (700,000 routes that may lead there)")


def test_short_steps_are_not_spoken_of() -> None:
    assert list(pause_lines(shut(TableSizes()))) == []
    assert pause_document(shut(TableSizes()))["longest_ms"] == 0


def test_several_sorts_are_summed_up() -> None:
    before = sized(replace(STATE, interfaces={"up": replace(UP, neighbors=(NEIGHBOR,)), "other": port("other")}), FULL)
    after = replace(before, interfaces={"up": port("up", is_up=False), "other": port("other")})
    lines = list(pause_lines(make_plan(before, after)))
    assert len(lines) == 3
    assert lines[-1].endswith(" s in all, at most")


def test_it_is_said_what_is_not_known() -> None:
    plan = shut(None)
    assert list(pause_lines(plan)) == []
    assert unknown_line(plan).startswith("How long VPP forwards nothing for 1 step is not known")
    assert unknown_line(shut(FULL)) == ""
    document = pause_document(plan)
    assert (document["longest_ms"], document["sizes"]) == (None, None)


NEIGHBOR = Neighbor(address="192.0.2.9", mac="02:00:00:00:00:09")
