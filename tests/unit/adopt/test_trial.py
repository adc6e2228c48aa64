"""An adoption is tried on a simulated VPP: what the file and the rest miss is left or named."""

from dataclasses import replace

import pytest

from tests.unit.adopt.test_replay import adopted, outcomes
from vppcfg.adopt import script_adoption
from vppcfg.adopt.trial import EndState

PLAIN = "set interface state xe0 up\nset interface ip address xe0 192.0.2.1/24\n"


def test_what_the_rest_creates_keeps_its_number_though_it_runs_after_the_file() -> None:
    adoption = adopted(
        "create loopback interface\ncreate loopback interface\n"
        "create geneve tunnel local 192.0.2.1 remote 192.0.2.2 vni 5\n"
        "set interface l2 xconnect loop0 geneve_tunnel0\n"
        "set interface state loop1 up\n"
    )
    created = [line for line in adoption.rest.commands if line.startswith("create loopback")]
    assert created == ["create loopback interface instance 0"]
    assert "loop1" in adoption.text


def test_the_linux_side_of_a_tap_without_an_mtu_has_that_of_linux() -> None:
    adoption = adopted("create tap id 3 host-if-name vnet3\nset interface state tap3 up\n")
    assert outcomes(adoption) == ["file", "file"]
    assert adoption.report.notices == ()


def test_what_cannot_be_met_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    goal_of = script_adoption._goal_of

    def more(*given: object) -> object:
        goal = goal_of(*given)  # type: ignore[arg-type]
        return replace(goal, end=EndState(values={**goal.end.values, ("widget", "w7"): 1}))

    monkeypatch.setattr(script_adoption, "_goal_of", more)
    found = adopted(PLAIN)
    assert outcomes(found) == ["file", "file"]
    assert [notice for notice in found.report.notices if notice.endswith(": widget w7")]


@pytest.mark.parametrize("last", ["nat44 plugin disable", "set interface nat44 out xe0 output-feature del"])
def test_what_a_refused_line_has_set_is_left_and_ends_the_script_all_the_same(last: str) -> None:
    """VPP adds the output feature of `in`, and refuses the same of `out` (nat44_ed_cli.c)."""
    script = f"nat44 plugin enable inside-vrf 7\nset interface nat44 in xe0 out xe0 output-feature\n{last}\n"
    adoption = adopted(script)
    assert outcomes(adoption) == ["unmanaged", "fault", "never_ran"]
    assert len(adoption.rest.commands) == 2
    assert adoption.report.notices == ()


def test_a_file_and_a_rest_that_need_each_other_get_a_rest_before_and_a_rest_after() -> None:
    port, route = "create packet-generator interface pg0", "mpls local-label 100 non-eos via ip4-lookup-in-table 100"
    adoption = adopted(f"{port}\nset interface ip address pg0 10.0.0.1/24\nip table add 100\nmpls table add 0\n"
                       f"set interface mpls pg0 enable\n{route}\n")  # fmt: skip
    assert "pg0:" in adoption.text and "id: 100" in adoption.text
    assert (adoption.rest.first, adoption.rest.last) == ((port,), (route,))
    assert adoption.report.notices == ()


def test_a_renamed_tap_with_a_route_of_the_file_comes_before_it() -> None:
    tap = ("create tap id 0 host-if-name vpp0 host-ip4-addr 10.1.0.2/24", "set interface name tap0 lan")
    file = "set interface state lan up\nset interface ip address lan 10.1.0.1/24\nip route add 10.9.0.0/16 via lan"
    bfd = "bfd udp session add interface lan local-addr 10.1.0.1 peer-addr 10.1.0.2 desired-min-tx 100000 " \
          "required-min-rx 100000 detect-mult 3"  # fmt: skip
    adoption = adopted("\n".join((*tap, file, bfd)))
    assert (adoption.rest.first, adoption.rest.last) == (tap, (bfd,))
    assert "10.9.0.0/16: { via: { interface: lan } }" in adoption.text


LISTS = "set acl-plugin acl permit src 10.0.0.0/8 tag zeta\nset acl-plugin acl deny src 10.0.0.0/8 tag alpha\n"


def test_one_script_makes_all_that_the_rest_names_by_number() -> None:
    """The file would make `alpha` first, and the rest bind that."""
    bound = "set acl-plugin interface ipsec5 input acl 0\nset acl-plugin interface eth0 input acl 1\n"
    adoption = adopted(f"{LISTS}set interface state eth0 up\nipsec itf create instance 5\n{bound}")
    lists = [line for line in adoption.rest.commands if "acl" in line]
    assert lists == f"{LISTS}{bound}".splitlines()
    assert "eth0:" in adoption.text and "'acl:zeta' # the rest makes it" in adoption.text


def test_tables_of_classifiers_are_not_numbered_by_macip_lists_of_the_file() -> None:
    adoption = adopted(
        "set acl-plugin macip acl permit ip 10.0.0.1/32 mac 02:00:00:00:00:01 mask ff:ff:ff:ff:ff:ff tag guests\n"
        "set interface state eth0 up\nset acl-plugin macip interface eth0 add acl 0\n"
        "classify table mask l3 ip4 src buckets 16\nset interface input acl intfc eth1 ip4-table 4\n"
    )
    assert "guests" not in adoption.text
    assert "set acl-plugin macip interface eth0 add acl 0" in adoption.rest.commands


def test_a_route_by_a_port_that_needs_the_file_is_left_and_what_the_port_needs_is_not() -> None:
    """`apply` would end with 5: the tunnel needs the loopback, and the route the tunnel."""
    loopback = "create loopback interface instance 0\nset interface state loop0 up\n"
    loopback += "set interface ip address loop0 10.0.0.1/24\n"
    tunnel = "mpls tunnel add via 10.0.0.2 loop0 out-labels 33\nset interface state mpls-tunnel0 up\n"
    adoption = adopted(f"{loopback}{tunnel}ip route add 192.0.2.0/24 via mpls-tunnel0\n")
    assert outcomes(adoption) == [*("file",) * 3, *("unmanaged",) * 3]
    assert adoption.rest.first == ()


def test_a_rewrite_at_the_far_end_of_a_cross_connect_counts() -> None:
    ports = "set interface state xe0 up\nset interface state xe1 up\n"
    rewrite = "set interface l2 tag-rewrite xe1 push dot1q 5\nset interface l2 xconnect xe0 xe1\n"
    adoption = adopted(f"{ports}{rewrite}")
    assert "adopt-does-nothing" not in {line.rule for line in adoption.report.lines}


@pytest.mark.parametrize(
    ("line", "glob"),
    [
        ("create vxlan-gpe tunnel local 192.0.2.1 remote 192.0.2.2 vni 5", "vxlan_gpe_tunnel0"),
        ("pipe create instance 4", "pipe4.*"),
        ("pvti interface create peer 192.0.2.2 5000 5001", "pvti0"),
        ("p2p_ethernet xe0 02:00:00:00:00:05 sub-id 7", "xe0.7"),
        ("lisp enable", "lisp_gpe*"),
        ("create 6rd tunnel ip6-pfx 2001:db8::/32 ip4-pfx 10.0.0.0/8 ip4-src 192.0.2.1", "ip6ip-6rd*"),
        ("packet-generator new { name x limit 1 node ip4-input data { incrementing 40 } }", "pg-*"),
    ],
)
def test_what_the_rest_makes_and_no_line_names_is_left_to_it(line: str, glob: str) -> None:
    """`apply` refuses a file that does not name an interface of VPP."""
    assert f"{glob}' # the rest makes it" in adopted(f"{PLAIN}{line}\n").text.replace(f"- {glob} #", f"- '{glob}' #")


def test_nat44_is_of_one_script_where_a_mapping_is_that_no_file_can_express() -> None:
    """`apply` refuses a file with NAT44 beside a load-balanced mapping, and removes one with `exact`."""
    nat = "nat44 plugin enable sessions 1000\nnat44 add address 203.0.113.9\n"
    balanced = (
        "protocol udp external 203.0.113.9:53 local 10.0.0.10:53 probability 50 local 10.0.0.11:53 probability 50"
    )
    exact = "tcp local 10.0.0.9 80 external 203.0.113.9 80 twice-nat exact 10.0.0.1"
    for extra in (f"add load-balancing static mapping {balanced}", f"add static mapping {exact}"):
        adoption = adopted(f"{PLAIN}{nat}nat44 {extra}\n")
        assert "nat44" not in adoption.text
        assert len(adoption.rest.commands) == 3


def test_queues_of_a_host_interface_do_not_count_as_other_than_the_script_has_them() -> None:
    adoption = adopted(
        "create tap id 0 num-rx-queues 2\nset interface rx-placement tap0 queue 1 main\ncreate tap id 1\n"
        "set interface rx-mode tap1 adaptive\ncreate host-interface name v1\nset interface state host-v1 up\n"
    )
    assert adoption.rest.first == ("create tap id 0 num-rx-queues 2", "set interface rx-placement tap0 queue 1 main")
    assert adoption.rest.last == ("set interface rx-mode tap1 adaptive",)
    assert adoption.report.notices == ()


def test_what_works_together_waits_together() -> None:
    """The association names an address of the file, and the protection the association."""
    association = "ipsec sa add 10 spi 1001 esp crypto-key 4a506a794f574265564551694d653768 crypto-alg aes-gcm-128 "
    association += "tunnel src 192.0.2.1 dst 192.0.2.2"
    protection = "ipsec tunnel protect sa-out 10 ipsec0"
    adoption = adopted(f"{PLAIN}ipsec itf create\n{association}\n{protection}\nip route add 10.0.0.0/8 via ipsec0\n")
    assert adoption.rest.first[:1] == ("ipsec itf create",)
    assert adoption.rest.last == (association, protection)


def test_labels_wait_for_the_table_of_the_file() -> None:
    label = "mpls local-label add eos 33 via l2-input-on xe1"
    adoption = adopted(f"mpls table add 0\nset interface mpls xe0 enable\n{label}\n")
    assert (adoption.rest.first, adoption.rest.last) == ((), (label,))


def test_a_route_through_what_the_rest_makes_behind_the_file_is_of_the_rest() -> None:
    adoption = adopted(
        "pipe create\nset interface state xe0 up\nip table add 1\nset interface ip table pipe0.1 1\n"
        "set interface ip address pipe0.1 10.0.0.2/24\n"
        "create ipip tunnel src 10.0.0.2 dst 192.0.2.1 outer-table-id 1\nset interface ip table ipip0 1\n"
        "set interface unnumbered ipip0 use pipe0.1\n"
        "ip route add 198.51.100.0/24 table 1 via ipip0\nip route add 203.0.113.0/24 table 1 via 10.0.0.1 pipe0.1\n"
    )
    assert "routes" not in adoption.text and "id: 1" in adoption.text
    assert adoption.report.notices == ()
    assert adoption.rest.last[-2:] == (
        "ip route add 198.51.100.0/24 table 1 via ipip0",
        "ip route add 203.0.113.0/24 table 1 via 10.0.0.1 pipe0.1",
    )


def test_a_pipe_is_left_to_others_with_its_ends_though_no_line_names_it() -> None:
    adoption = adopted("pipe create\nset interface ip address pipe0.0 2001:db8::1/64\n")
    left = adoption.text.partition("unmanaged:")[2]
    assert all(f"- {name} " in left or f"- {name}\n" in left for name in ("pipe0", "pipe0.0"))


def test_a_port_of_which_the_rest_sets_all_is_left_to_it() -> None:
    """A file that had the port down would undo what the rest sets, at the next `apply`."""
    adoption = adopted(
        "set interface state xe0 up\nset interface ip address xe0 192.0.2.1/24\nset interface state xe1 up\n"
        "lcp create xe0 host-if xe0 netns frr tun\n"
        "set interface ip address del xe0 192.0.2.1/24\nset interface ip address xe0 192.0.2.1/24\n"
    )
    assert "xe0" not in adoption.text.partition("unmanaged:")[0] and "- xe0 #" in adoption.text
    assert "xe1:" in adoption.text


def test_a_loopback_of_which_the_next_plan_would_undo_what_the_rest_sets_is_of_the_rest() -> None:
    settings = "set ipfix exporter collector 192.0.2.5 src 192.0.2.1\nflowprobe params record l3\n"
    flows = "flowprobe feature add-del bvi0 ip4 both\nflowprobe feature add-del xe0 ip4 both\n"
    adoption = adopted(f"bvi create instance 0\n{settings}{flows}")
    assert outcomes(adoption) == ["unmanaged", "file", "file", "unmanaged", "file"]
    assert "unmanaged:\n  - bvi0 # the rest makes it\n" in adoption.text


def test_a_loopback_is_there_though_vpp_refuses_the_words_behind_it() -> None:
    adoption = adopted("loop create 0000.0B51.0001\nset interface state loop0 up\n")
    assert outcomes(adoption) == ["fault", "never_ran"]
    assert "loop0:" in adoption.text and "state: down" in adoption.text


def test_queues_that_vpp_places_take_no_port_out_of_the_file() -> None:
    """Workers are assumed from the first line on that places a queue: queues that are there are spread anew then."""
    lines = (
        "create tap id 0 host-if-name x\nset interface state xe3 up\nset interface rx-placement tap0 queue 0 worker 1\n"
        "set interface state xe4 up\nset interface rx-placement xe4 queue 0 worker 1\n"
    )
    adoption = adopted(lines)
    assert adoption.rest.commands == ("set interface rx-placement tap0 queue 0 worker 1",)
    assert "  xe4:\n    rx-placement: { 0: worker1 }\n" in adoption.text
    assert adoption.report.notices == ()


def test_what_the_rest_makes_is_no_port_and_stays_with_what_configures_it() -> None:
    makes = "p2p_ethernet loop0 02:00:00:00:00:05 sub-id 7\nset interface state loop0.7 up\n"
    adoption = adopted(f"create loopback interface\n{makes}set interface state loop0.8 up\n")
    assert outcomes(adoption) == ["file", "unmanaged", "unmanaged", "fault"]
    assert "\n".join(adoption.rest.last) + "\n" == makes
    made = "pvti interface create peer 192.0.2.2 5000 5001\nset interface ip address pvti0 192.0.2.9/30\n"
    adoption = adopted(made)
    assert outcomes(adoption) == ["unmanaged", "unmanaged"]
    assert adoption.report.ports == ()


def test_what_is_set_of_a_bridge_domain_waits_for_it() -> None:
    limit = "set bridge-domain learn-limit 9 100"
    adoption = adopted(f"create loopback interface\nset interface l2 bridge loop0 9 bvi\n{limit}\n")
    assert (adoption.rest.first, adoption.rest.last) == ((), (limit,))


def test_sources_of_tcp_wait_for_the_interface_that_leads_to_them() -> None:
    source = "tcp src-address 192.0.2.50 - 192.0.2.52"
    adoption = adopted(f"session enable\nset interface ip address xe0 192.0.2.1/24\n{source}\n")
    assert adoption.rest.last == ("session enable", source)


@pytest.mark.parametrize("neighbor", ["", "set ip neighbor xe0 10.96.1.9 02:00:5e:00:53:19\n"])
def test_a_port_of_the_rest_is_left_alone_though_vpp_forgets_a_neighbor_of_it(neighbor: str) -> None:
    address = "set interface ip address {}xe0 10.96.1.1/24\n"
    adoption = adopted(
        "set interface state xe0 up\n" + address.format("") + "lcp create xe0 host-if xe0 netns frr tun\n"
        f"{address.format('del ')}{address.format('')}{neighbor}ip mroute add 10.96.1.9 224.0.0.5 via xe0 Accept\n"
    )
    assert adoption.text == "interfaces: {}\n\nunmanaged:\n  - xe0 # the rest makes it\n"
