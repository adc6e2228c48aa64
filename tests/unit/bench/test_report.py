"""What is made of the results: bounds that can be broken, tables, and the place that they are written to."""

import re

import pytest

from bench.measure import Cost
from bench.report import Results, bounds, grown_too_fast, report, written_into
from bench.scenario import APPLY, CHECK, LOADER, PLAN_EMPTY, VPPCTL, Result


def result(command: str, cpu_s: float, *, size: int = 10_000, dataplane: str = "", wall_s: float = 1.0) -> Result:
    cost = Cost(cpu_s=cpu_s, wall_s=wall_s, peak_bytes=100_000_000)
    return Result(kind="sub-interfaces", size=size, dataplane=dataplane, command=command, cost=cost)


def broken(*results: Result) -> list[str]:
    return [bound.what for bound in bounds(Results(results), 0.05) if not bound.is_met]


def test_a_bound_is_a_multiple_of_what_the_plain_loader_takes() -> None:
    plan = result(PLAN_EMPTY, 2.9, dataplane="simulated")
    assert broken(result(LOADER, 1.0), result(CHECK, 0.8), plan) == []
    assert broken(result(LOADER, 1.0), result(CHECK, 1.0), plan) == ["check, CPU"]


def test_apply_is_held_against_vppctl_by_wall_time() -> None:
    floor = result(VPPCTL, 0.0, dataplane="real", wall_s=2.0)
    assert broken(result(APPLY, 1.0, dataplane="real", wall_s=2.9), floor) == []
    (what,) = broken(result(APPLY, 1.0, dataplane="real", wall_s=3.1), floor)
    assert what == "apply, wall time, sub-interfaces 10,000"


def test_a_slow_start_breaks_a_bound() -> None:
    assert [bound.what for bound in bounds(Results([]), 0.06) if not bound.is_met] == ["vppcfg --version, CPU"]
    assert broken(result(CHECK, 0.18, size=1)) == ["check of a small file, CPU"]


def test_what_grows_too_fast_is_told_unless_it_is_not_ours() -> None:
    results = Results(
        result(command, 0.1 + (size / 10_000) ** 2, size=size, dataplane="simulated")
        for command in (LOADER, CHECK)
        for size in (1, 2500, 5000, 10_000)
    )
    assert list(grown_too_fast(results)) == ["sub-interfaces, check: grows with n^2.00"]
    text = report(results, machine="A machine.", version_cpu_s=0.05)
    assert "| exponent | PyYAML's C loader | check |" in text
    assert re.search(r"\| sub interfaces \| 2.00±0.\d\d \| \*\*2.00±0.\d\d\*\* \|", text)


def test_what_vpp_takes_for_vppctl_stands_beside_what_it_takes_for_apply() -> None:
    results = Results([result(APPLY, 1, dataplane="real", wall_s=2), result(VPPCTL, 0, dataplane="real", wall_s=3)])
    text = report(results, machine="A machine.", version_cpu_s=0.05)
    assert "| apply | vppctl exec | VPP's CPU in apply | VPP's CPU in vppctl exec | peak memory |" in text
    assert "| 10,000 | 2.00 | 3.00 | 0.00 | 0.00 | 100 MB |" in text


def test_only_what_stands_between_the_marks_is_replaced() -> None:
    document = "before\n<!-- measured -->\nold\n<!-- end of measured -->\nafter\n"
    written = written_into(document, "new\n")
    assert written == "before\n<!-- measured -->\n\nnew\n\n<!-- end of measured -->\nafter\n"
    assert written_into(written, "new\n") == written
    with pytest.raises(ValueError, match="no <!-- measured -->"):
        written_into("nothing", "new\n")
