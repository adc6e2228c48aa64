"""Each line is where the report has it: in the file, in the rest, or without effect on a VPP."""

from typing import Any

import pytest

from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.command_targets import INEXPRESSIBLE, is_reading
from vppcfg.adopt.replay import SETTINGS
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.adopt.report_proof import FileContent, assert_in_file, assert_in_rest, has_place
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.adopt.simulation import ALL_COMMANDS
from vppcfg.common.release import NEWEST
from vppcfg.errors import AdoptionError

PORT = "set interface ip address eth0 192.0.2.1/24\nset interface state eth0 up\n"


def adopted(text: str) -> Adoption:
    return adopt_scripts([Script(name="a.vpp", text=text)], ReplaySetup(release=NEWEST), lambda *_: None)


IN_NO_KEY = {
    *("ipsec spd", "set interface ipsec spd", "set interface l2 flood", "set interface l2 forward"),
    *("set interface l2 learn", "set interface name"),
}
"""Commands that are simulated because VPP does more by itself then; a script that has them leaves them to the rest."""


def test_each_simulated_command_has_a_place_in_the_file() -> None:
    without = {each for each in ALL_COMMANDS if not is_reading(each) and not has_place(each)}
    others = INEXPRESSIBLE.keys() - {"mpls local-label"}  # but for one form of it
    assert without == IN_NO_KEY | SETTINGS.keys() | others & ALL_COMMANDS


def outcomes(adoption: Adoption) -> list[str]:
    return [line.outcome.value for line in adoption.report.lines]


def test_a_virtual_router_that_no_file_can_have_is_left_with_all_its_lines() -> None:
    router = (
        "vrrp vr add eth0 vr_id 1 priority 100 192.0.2.9",
        "vrrp vr track-if add eth0 vr_id 1 track-index 0 priority 5",
    )
    adoption = adopted(PORT + "\n".join(router))
    assert "vrrp" not in adoption.text
    assert outcomes(adoption) == ["file", "file", "unmanaged", "unmanaged"]
    assert adoption.rest.commands == router


def test_a_neighbor_that_vpp_forgets_is_left() -> None:
    neighbor = "set ip neighbor eth0 192.0.2.7 02:00:00:00:00:07"
    adoption = adopted(f"{PORT}{neighbor}\nset ip neighbor static eth0 192.0.2.8 2:0:0:0:0:8\n")
    assert outcomes(adoption) == ["file", "file", "unmanaged", "file"]
    assert adoption.rest.commands == (neighbor,)
    assert "192.0.2.8: '02:00:00:00:00:08'" in adoption.text


@pytest.mark.parametrize("line", ["set acl-plugin acl index 4 permit", "set acl-plugin interface eth0 output acl 0"])
def test_an_access_list_that_is_not_there_is_a_fault_and_in_no_file(line: str) -> None:
    adoption = adopted(PORT + line)
    fault = adoption.report.lines[-1]
    assert (fault.outcome, fault.rule) == (LineOutcome.FAULT, "adopt-does-nothing")
    assert "acl" not in adoption.text


def test_a_word_that_no_file_has_leaves_its_line_alone() -> None:
    adoption = adopted(f"create tap id 5 host-ip4-addr 10.1.5.11/24\nset interface state tap5 up\n{PORT}")
    assert outcomes(adoption) == ["unmanaged", "unmanaged", "file", "file"]


def test_a_bond_gives_members_the_mtu_that_the_script_gives_it() -> None:
    adoption = adopted(
        "create bond mode lacp\nbond add BondEthernet0 eth0\nset interface mtu packet 1504 BondEthernet0\n"
    )
    assert outcomes(adoption) == ["file", "file", "file"]
    assert adoption.text.count("mtu: 1504") == 2
    assert adoption.report.lines[2].rule == "adopt-link-mtu"


def test_members_with_mtus_of_their_own_stay_as_they_are() -> None:
    lines = "create bond mode lacp\nbond add BondEthernet0 eth0\nset interface mtu packet 1504 BondEthernet0\n"
    adoption = adopted(f"{lines}set interface mtu packet 1600 eth0\n")
    assert "make them equal" in adoption.text


def test_the_other_end_of_a_connection_is_a_port_too() -> None:
    adoption = adopted("set interface l2 xconnect eth0 eth1\nset interface l2 xconnect eth1 eth0\n")
    assert outcomes(adoption) == ["file", "file"]
    assert [port.name for port in adoption.report.ports] == ["eth0", "eth1"]


@pytest.mark.parametrize("way", ["drop", "192.0.2.2 resolve-via-attached", "ip4-lookup-in-table 0", "local"])
def test_a_word_of_a_route_is_no_port(way: str) -> None:
    adoption = adopted(f"{PORT}ip route add 10.0.0.0/8 via {way}\n")
    assert [port.name for port in adoption.report.ports] == ["eth0"]


def test_a_table_that_nat_makes_is_a_vrf_of_the_file() -> None:
    adoption = adopted(f"{PORT}nat44 plugin enable\nset interface nat44 out eth0\nnat44 vrf table add 5\n")
    assert outcomes(adoption) == ["file"] * 5
    assert "vrfs:\n  vrf5:\n    id: 5\n" in adoption.text


def test_what_vpp_has_by_itself_has_no_effect() -> None:
    adoption = adopted(f"set interface ip table eth0 0\n{PORT}")
    assert outcomes(adoption) == ["no_effect", "file", "file"]


def line_of(outcome: LineOutcome) -> SourceLine:
    return SourceLine(source="a.vpp", number=3, text="ip table add 7", outcome=outcome, path=("vrfs", "red"))


def test_a_place_that_the_file_does_not_have_is_an_error() -> None:
    assert_in_file([line_of(LineOutcome.FILE)], {"vrfs": {"red": {"id": 7}}})
    with pytest.raises(
        AdoptionError, match=r"a\.vpp, line 3: `ip table add 7` is counted as in the file, at vrfs\.red"
    ):
        assert_in_file([line_of(LineOutcome.FILE)], {"vrfs": {"blue": {"id": 7}}})


def test_a_line_that_the_rest_does_not_have_is_an_error() -> None:
    assert_in_rest([line_of(LineOutcome.UNMANAGED)], ["ip table  add 7"])
    with pytest.raises(AdoptionError, match="is left, and is not in the rest"):
        assert_in_rest([line_of(LineOutcome.UNMANAGED)] * 2, ["ip table add 7"])


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        ("set interface mac address eth0 01:00:5e:00:00:01", "mac-multicast"),
        ("ip punt redirect add rx eth0 via 2001:db8::1 eth1", "punt-redirect-family"),
        ("vrrp vr add eth1 vr_id 7 priority 100 192.0.2.9", "vrrp-family"),
    ],
)
def test_what_no_valid_file_can_say_is_left_and_nothing_else(lines: str, rule: str) -> None:
    adoption = adopted(f"{PORT}set interface state eth1 up\n{lines}\nset interface mtu packet 1500 eth1\n")
    assert adoption.rest.commands == tuple(lines.splitlines())
    assert outcomes(adoption)[:3] == ["file", "file", "file"]
    assert outcomes(adoption)[-1] != "unmanaged"
    assert rule in adoption.report.lines[3].why


def test_what_needs_a_line_that_is_left_is_left_too_and_the_script_goes_on() -> None:
    router = ("vrrp vr add eth1 vr_id 7 priority 100 unicast 192.0.2.9", "vrrp peers eth1 vr_id 7 192.0.2.8")
    adoption = adopted(PORT + "\n".join((*router, "set interface state eth1 up")))
    assert adoption.rest.commands == router
    assert outcomes(adoption) == ["file", "file", "unmanaged", "unmanaged", "file"]


def test_an_address_of_nat44_that_is_not_enabled_does_nothing() -> None:
    adoption = adopted(f"{PORT}nat44 add address 192.0.2.9\n")
    assert outcomes(adoption) == ["file", "file", "fault"]
    assert adoption.report.lines[2].rule == "adopt-does-nothing"


class Shown(dict[str, Any]):
    """A section that knows how often it was written out."""

    times = 0

    def __str__(self) -> str:
        self.times += 1
        return super().__str__()


def test_a_large_section_is_written_out_once_for_all_lines() -> None:
    section = Shown({str(number): {"local": f"10.0.0.{number}", "external": "192.0.2.9"} for number in range(1, 100)})
    content = FileContent({"nat44": {"static": section}})
    for number in range(1, 100):
        text = f"nat44 add static mapping local 10.0.0.{number} external 192.0.2.9"
        line = SourceLine(source="a.vpp", number=number, text=text, command="nat44 add static mapping")
        assert content.place_of(line, []) == ("nat44", "static")
    assert section.times == 1
