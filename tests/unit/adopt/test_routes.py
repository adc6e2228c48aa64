"""Routes of the prompt in scripts: which of them the file takes over, and which stay in a script."""

import pytest

from tests.unit.adopt.test_replay import adopted, outcomes
from vppcfg.adopt.routes import OWNER

BASE = """\
set interface ip address xe0 192.0.2.1/24
set interface ip address xe0 2001:db8::1/64
ip table add 10 name red
set interface ip table xe1 10
set interface ip address xe1 198.51.100.1/24
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ip route add 0.0.0.0/0 via 192.0.2.2", "  0.0.0.0/0: 192.0.2.2\n"),
        ("ip route 10.0.0.0/8 via 192.0.2.2 xe0", "  10.0.0.0/8: { via: { gateway: 192.0.2.2, interface: xe0 } }\n"),
        ("ip route add 10.1.2.3/8 via 192.0.2.2", "  10.0.0.0/8: 192.0.2.2\n"),
        ("ip route add 10.0.0.0/8 via drop", "  10.0.0.0/8: blackhole\n"),
        (
            "ip route add 10.0.0.0/8 via 192.0.2.2 weight 3 via 192.0.2.3 xe0 preference 2",
            "[ { gateway: 192.0.2.2, weight: 3 }, { gateway: 192.0.2.3, interface: xe0, preference: 2 } ]",
        ),
        # VPP looks gateways up in the default table where nothing else is typed
        (
            "ip route add table 10 10.0.0.0/8 via 192.0.2.2",
            "      10.0.0.0/8: { via: { gateway: 192.0.2.2, vrf: default } }\n",
        ),
        ("ip route add table 10 10.0.0.0/8 via 198.51.100.2 next-hop-table 10", "      10.0.0.0/8: 198.51.100.2\n"),
        ("ip route add 10.0.0.0/8 table 10 via ip4-lookup-in-table 0", "      10.0.0.0/8: { via: { vrf: default } }\n"),
        ("ip route add 10.0.0.0/8 via ip4-lookup-in-table 10", "  10.0.0.0/8: { via: { vrf: red } }\n"),
        # VPP takes the number for the index of a table, whatever its id
        ("ip route add 10.0.0.0/8 via lookup in table 1", "  10.0.0.0/8: { via: { vrf: red } }\n"),
        ("ip route add 10.0.0.0/8 table 10 via lookup in table 0", "      10.0.0.0/8: { via: { vrf: default } }\n"),
        ("ip route add 10.0.0.0/8 via ip4 xe0", "  10.0.0.0/8: { via: { interface: xe0 } }\n"),
        (
            "ip route add 10.0.0.0/8 via 198.51.100.2 next-hop-table 10",
            "  10.0.0.0/8: { via: { gateway: 198.51.100.2, vrf: red } }\n",
        ),
        ("ip route add 10.0.0.0/8 via xe0", "  10.0.0.0/8: { via: { interface: xe0 } }\n"),
        ("ip route add 10.0.0.1/32 via xe0", "  10.0.0.1/32: { via: { interface: xe0 } }\n"),
        (
            "ip route add 10.0.0.0/8 via 2001:db8::2 xe0",
            '  10.0.0.0/8: { via: { gateway: "2001:db8::2", interface: xe0 } }\n',
        ),
        ("ip route add 2001:db8:1::/48 via 2001:db8::2", '"2001:db8:1::/48": "2001:db8::2"\n'),
        ("ip route add 10.0.0.0/8 11.0.0.0/8 via 192.0.2.2", "10.0.0.0/8: 192.0.2.2\n  11.0.0.0/8: 192.0.2.2\n"),
        ("ip route add count 2 10.0.0.0/24 via 192.0.2.2", "  10.0.0.0/24: 192.0.2.2\n  10.0.1.0/24: 192.0.2.2\n"),
    ],
)
def test_a_route_is_the_file_s_from_then_on(line: str, said: str) -> None:
    adoption = adopted(f"{BASE}{line}\n")
    assert outcomes(adoption)[-1] == "file", adoption.report.lines[-1].why
    assert adoption.report.lines[-1].why == OWNER
    assert "routes" in adoption.report.lines[-1].path
    assert said.replace('"', "") in adoption.text.replace('"', "").replace("'", "")
    assert adoption.rest.commands == ()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ip route add 10.0.0.0/8 via 192.0.2.2 out-labels 33", "`out-labels` has no key in `routes`"),
        ("ip route add 10.0.0.0/8 via local", "`local` has no key in `routes`"),
        ("ip route add 10.0.0.0/8 via 192.0.2.2 resolve-via-host", "`resolve-via-host` has no key in `routes`"),
        ("ip route add 10.0.0.0/8 via null-send-unreach", "`null-send-unreach` has no key in `routes`"),
        ("ip route add 10.0.0.0/8 via punt", "`punt` has no key in `routes`"),
        ("ip route add 10.0.0.0/8 via rx-ip4 xe0", "`rx-ip4` has no key in `routes`"),
        ("ip route add 10.0.0.0/8 via udp-encap 3", "`udp-encap` has no key in `routes`"),
        ("ip route add 10.0.0.0/8 via classify 3", "`classify` has no key in `routes`"),
        (
            "ip route add 10.0.0.0/8 via 192.0.2.1",
            "192.0.2.1 is an address of xe0 of this router; name that of the neighbour",
        ),
    ],
)
def test_what_cannot_be_said_stays_in_the_rest(line: str, why: str) -> None:
    adoption = adopted(f"{BASE}{line}\n")
    assert (outcomes(adoption)[-1], adoption.report.lines[-1].why) == ("unmanaged", why)
    assert adoption.rest.commands == (line,)
    assert "routes" not in adoption.text


def test_the_index_of_no_table_is_a_fault_because_vpp_crashes_at_it() -> None:
    adoption = adopted(f"{BASE}ip route add 10.0.0.0/8 via lookup in table 10\n")
    assert outcomes(adoption)[-1] == "fault"
    assert "no FIB table has the index 10" in adoption.report.lines[-1].why


def test_a_table_that_gets_a_name_has_its_routes_with_it() -> None:
    adoption = adopted("ip table add 7\nip route add 10.0.0.0/8 table 7 via drop\n")
    assert adoption.rest.commands == ()
    assert adoption.text.endswith("    routes:\n      10.0.0.0/8: blackhole\n")


def test_a_route_that_is_taken_out_again_is_in_no_file() -> None:
    lines = ("ip route add 10.0.0.0/8 via 192.0.2.2", "ip route del 10.0.0.0/8 via 192.0.2.2")
    adoption = adopted(BASE + "\n".join(lines) + "\n")
    assert "routes" not in adoption.text
    assert adoption.rest.commands == ()


def test_lines_of_one_route_are_one_entry() -> None:
    lines = "ip route add 10.0.0.0/8 via 192.0.2.2\nip route add 10.0.0.0/8 via 192.0.2.3\n"
    adoption = adopted(f"{BASE}{lines}")
    assert "  10.0.0.0/8: { via: [ 192.0.2.2, 192.0.2.3 ] }\n" in adoption.text
    assert outcomes(adoption)[-2:] == ["file", "file"]


def test_tables_of_both_families_with_names_of_their_own_have_their_routes() -> None:
    adoption = adopted(
        "ip table add 10 name red4\nip6 table add 10 name red6\n"
        "ip route add 172.16.0.0/12 table 10 via 10.0.0.254 xe0\n"
        "ip route add 2001:db8:5::/48 table 10 via fe80::1 xe0\n"
    )
    assert outcomes(adoption) == ["file"] * 4
    assert [line.path[:2] for line in adoption.report.lines[2:]] == [("vrfs", "red4"), ("vrfs", "red6")]
