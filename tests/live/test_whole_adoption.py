"""The file and the rest of each foreign script, brought onto a fresh VPP, give what the script gives by itself.

And nothing is left to do there. A script is passed over where this VPP, or the machine, has not what it needs.
"""

from pathlib import Path

import pytest
from vpp_papi.vpp_papi import VPPIOError

from tests.live.whole_adoption import adopted, judge
from tests.real_vpp import since
from vppcfg.errors import DataplaneError

pytestmark = [pytest.mark.long, since("26.10")]

FOLDER = Path(__file__).parents[1] / "foreign"
SCRIPTS = sorted(FOLDER.glob("**/scripts/*.vpp"))
OPEN = {
    "untried/10_tunnel_through_itself": "VPP loses a route that is typed to the end of a tunnel through that tunnel",
    "unseen/15_lines_of_the_help": "the address of a virtual router is there or not, by the time",
}
"""Scripts that do not come out whole yet."""


def name_of(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_a_file_and_its_rest_do_what_the_script_does(path: Path) -> None:
    lines = path.read_text().split("\n")
    try:
        verdict = judge("\n".join(line for line in lines if not line.startswith("#= ")))
    except (VPPIOError, DataplaneError) as error:
        pytest.skip(f"VPP crashes: {error}")
    if verdict.taken_wrong:
        pytest.skip(f"it is otherwise here: {verdict.taken_wrong[0]}")
    if name_of(path) in OPEN:
        pytest.xfail(OPEN[name_of(path)])
    assert (verdict.failed, verdict.differences) == ((), ())


PORTS = "set interface state eth0 up\nset interface ip address eth0 192.0.2.1/24\nset interface state eth1 up\n"
GOLD, LEAD = (f"policer add name {name} cir 8000 cb 90000 conform-action transmit\n" for name in ("gold", "lead"))
HOST = (
    "classify table mask l3 ip4 dst\nclassify session policer-hit-next gold table-index 0 match l3 ip4 dst 10.1.2.3\n"
)
ON = "set policer classify interface {} ip4-table 0\n"


@pytest.mark.parametrize(
    ("commands", "is_whole"),
    [
        (GOLD + HOST + ON.format("eth0"), True),
        (f"create sub-interfaces eth0 100\n{GOLD}{HOST}{ON.format('eth0.100')}", True),
        (f"{LEAD}policer del name lead\n{GOLD}{HOST}{ON.format('eth0')}", True),
        (f"{GOLD}{LEAD}{HOST}{ON.format('eth0')}policer input name lead eth1\n", False),
        (GOLD + HOST + ON.format("eth0") + ON.format("eth1"), False),
    ],
)
def test_rate_limits_of_a_script_come_whole_from_the_file_or_from_the_rest(commands: str, is_whole: bool) -> None:
    assert ("police-hosts" in adopted(PORTS + commands).text) == is_whole
    verdict = judge(PORTS + commands)
    assert (verdict.taken_wrong, verdict.failed, verdict.differences) == ((), (), ())
