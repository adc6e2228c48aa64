"""A long script takes work in proportion to its lines, counted in function calls."""

import pytest

from tests.unit.test_work import calls_in
from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.report import LineOutcome
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.common.release import NEWEST


def adopted(size: int) -> Adoption:
    """Adopt a script that makes so many sub-interfaces with everything on them, and one line that has no effect."""
    lines = ["set interface state xe0 up", "set interface state xe0 up", "lcp create xe0 host-if xe0"]
    for number in range(1, size + 1):
        name = f"xe0.{number}"
        lines += [f"create sub-interfaces xe0 {number}", f"set interface state {name} up"]
        lines += [f"set interface mtu packet 1500 {name}", f"lcp create {name} host-if {name}"]
        lines.append(f"set interface ip address {name} 10.{number >> 8}.{number & 255}.1/24")
        lines.append(f"set interface tcp-mss-clamp {name} ip4 enable ip4-mss 1360 ip6 disable")
    script = Script(name="a.vpp", text="\n".join(lines))
    return adopt_scripts([script], ReplaySetup(release=NEWEST), lambda *_: None)


@pytest.mark.timeout(120)
def test_four_times_the_lines_take_four_times_the_work() -> None:
    counts = adopted(10).report.counts()
    assert counts[LineOutcome.FILE] == 62
    assert counts[LineOutcome.NO_EFFECT] == 1
    small, large = calls_in(lambda: adopted(50)), calls_in(lambda: adopted(200))
    assert large <= 3.6 * small
