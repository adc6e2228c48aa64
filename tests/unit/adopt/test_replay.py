"""What becomes of each line of a script."""

from collections.abc import Mapping

import pytest
import yaml

from tests.laws.examples import TIMES
from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.report import LineOutcome, SourceLine, document_of, text_of
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.common.release import NEWEST, Release, release_of


def adopted(text: str, files: Mapping[str, str] | None = None, **setup: object) -> Adoption:
    known = files or {}

    def read_file(name: str, _: str) -> tuple[str, str] | None:
        return (name, known[name]) if name in known else None

    return adopt_scripts([Script(name="a.vpp", text=text)], ReplaySetup(release=NEWEST, **setup), read_file)  # type: ignore[arg-type]


def outcomes(adoption: Adoption) -> list[str]:
    return [line.outcome.value for line in adoption.report.lines]


def fault_in(adoption: Adoption) -> SourceLine:
    return next(line for line in adoption.report.lines if line.outcome is LineOutcome.FAULT)


def test_a_port_that_only_the_script_names_is_assumed() -> None:
    adoption = adopted("set interface state xe0 up\nset interface ip address xe0 192.0.2.1/24\n")
    assert adoption.text == "interfaces:\n  xe0:\n    mtu: 9000\n    addresses: [ 192.0.2.1/24 ]\n"
    assert [(port.name, port.line) for port in adoption.report.ports] == [("xe0", 1)]
    assert not adoption.report.is_whole


NAT = "nat44 plugin enable sessions 1000\ncreate loopback interface instance 0\nset interface state loop0 up\n"
NAT += "set interface ip address loop0 203.0.113.2/24\n"


@pytest.mark.parametrize("outer", ["203.0.113.9", "loop0"])
def test_mappings_of_nat44_are_in_the_file_and_come_about_so(outer: str) -> None:
    """Whatever the file calls them: VPP has the name as a tag, and a script can give none."""
    add, port = "nat44 add static mapping", outer.replace("9", "8")
    lines = f"{add} local 192.168.1.20 external {outer}\n{add} udp local 192.168.1.21 53 external {port} 53\n"
    adoption = adopted(f"{NAT}{lines}")
    assert set(outcomes(adoption)) == {"file"}
    assert adoption.report.notices == ()


def test_a_mapping_with_a_protocol_and_no_ports_is_of_the_whole_address() -> None:
    adoption = adopted(f"{NAT}nat44 add static mapping icmp local 192.168.1.20 external 203.0.113.9\n")
    assert (fault_in(adoption).number, fault_in(adoption).rule) == (5, "adopt-whole-address")
    assert "{ local: 192.168.1.20, external: 203.0.113.9 }" in adoption.text


@pytest.mark.parametrize("made", ["create packet-generator interface pg0", "ipsec itf create"])
def test_vpp_refuses_the_mtu_of_what_has_no_frames_of_its_own(made: str) -> None:
    name = {"create": "pg0", "ipsec": "ipsec0"}[made.split()[0]]
    adoption = adopted(f"{made}\nset interface mtu 1500 {name}\n", past_errors=True)
    assert outcomes(adoption) == ["unmanaged", "fault"]


def test_nothing_is_assumed_where_the_ports_are_known() -> None:
    adoption = adopted("set interface state xe0 up\n", may_assume=False)
    assert outcomes(adoption) == ["fault"]
    assert fault_in(adoption).why == "VPP refuses it: unknown interface `xe0 up'"


@pytest.mark.parametrize(
    "made", ["create tap id 1", "create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 1 instance 1", ""]
)
def test_an_mtu_of_packets_is_that_of_the_link_too(made: str) -> None:
    name = {"create tap": "tap1", "create vxlan": "vxlan_tunnel1"}.get(" ".join(made.split()[:2]), "xe0")
    adoption = adopted(f"{made}\nset interface mtu packet 1400 {name}\n")
    assert f"  {name}:\n    mtu: 1400\n" in adoption.text
    assert adoption.report.lines[-1].rule == "adopt-link-mtu"


@pytest.mark.parametrize(
    "name",
    [
        *("loop0", "BondEthernet0", "tap3", "vxlan_tunnel1", "xe0.100", "memif1/0", "host-eth1", "wg0", "tun3"),
        *("VirtualEthernet0/0/0", "vxlan_gpe_tunnel0", "ipsec0", "avf-0/1/0/0", "bvi1", "pg0"),
    ],
)
def test_an_interface_that_only_a_command_makes_is_no_port(name: str) -> None:
    adoption = adopted(f"set interface state {name} up\n")
    assert outcomes(adoption) == ["fault"]
    assert fault_in(adoption).rule == "adopt-refused"


def test_vpp_stops_at_the_first_command_that_it_refuses() -> None:
    text = "set interface state xe0 up\nset interface bogus\nset interface mtu packet 1500 xe0\n"
    assert outcomes(adopted(text)) == ["file", "fault", "never_ran"]
    assert "mtu: 9000" in adopted(text).text
    assert outcomes(adopted(text, past_errors=True)) == ["file", "fault", "file"]
    assert "mtu: 1500" in adopted(text, past_errors=True).text


def test_what_stands_before_a_word_that_vpp_refuses_is_carried_out() -> None:
    adoption = adopted("create loopback interface\nset interface mtu packet 1400 loop0 please\n")
    assert fault_in(adoption).why == "VPP refuses it: unknown input `please'"
    assert "mtu: 1400" in adoption.text


def test_an_ambiguous_word_is_a_fault() -> None:
    fault = fault_in(adopted("set i state xe0 up"))
    assert fault.rule == "adopt-ambiguous"
    assert "could be ikev2, interface" in fault.why


def test_a_later_line_takes_the_effect_of_an_earlier_one() -> None:
    adoption = adopted("set interface mtu packet 1400 xe0\nset interface mtu packet 1500 xe0\n")
    assert outcomes(adoption) == ["no_effect", "file"]
    assert adoption.report.lines[0].why == "line 2 sets it again: set interface mtu packet 1500 xe0"
    assert adoption.report.lines[1].path == ("interfaces", "xe0", "mtu")


def test_a_line_that_says_the_same_again_has_no_effect() -> None:
    adoption = adopted("set interface state xe0 up\nset int st xe0 up\n")
    assert [(line.outcome, line.why) for line in adoption.report.lines] == [
        (LineOutcome.FILE, ""),
        (LineOutcome.NO_EFFECT, "line 1 does the same"),
    ]


def test_what_is_made_and_deleted_has_no_effect() -> None:
    adoption = adopted(
        "create loopback interface\nset interface state loop0 up\ndelete loopback interface intfc loop0\n"
    )
    assert outcomes(adoption) == ["no_effect", "no_effect", "no_effect"]
    assert adoption.report.lines[0].why == "line 3 deletes loop0"
    assert adoption.text == "interfaces: {}\n"


def test_a_line_keeps_its_effect_when_a_vpp_without_it_ends_otherwise() -> None:
    """VPP lets no sub-interface be up whose parent is down, but leaves one up whose parent goes down."""
    up = "set interface state xe0 up\ncreate sub-interfaces xe0 5\nset interface state xe0.5 up\n"
    adoption = adopted(f"{up}set interface state xe0 down\n")
    assert "no_effect" not in outcomes(adoption)


def test_what_the_language_lacks_is_left_in_its_order() -> None:
    adoption = adopted("nat64 plugin enable\nset interface state xe0 up\nip route add 10.0.0.0/8 via local\n")
    assert outcomes(adoption) == ["unmanaged", "file", "unmanaged"]
    assert adoption.rest.commands == ("nat64 plugin enable", "ip route add 10.0.0.0/8 via local")
    assert adoption.rest.last == ()
    assert adoption.report.lines[0].why == "vppcfg has NAT44 (endpoint-dependent), and no other NAT"


@pytest.mark.parametrize(
    "command", ["nat64 add interface address xe0.5", "ip route add 198.51.100.0/24 via 192.0.2.2 xe0.5 out-labels 33"]
)
def test_what_needs_the_file_comes_after_it(command: str) -> None:
    adoption = adopted(f"create sub-interfaces xe0 5\n{command}\n")
    assert adoption.rest.first == ()
    assert "run them after `vppcfg apply`" in adoption.rest.last_text


def test_lines_for_linux_cp_go_into_the_dataplane_section() -> None:
    adoption = adopted("lcp default netns dataplane\nlcp lcp-auto-subint on\nlcp create xe0 host-if e0\n")
    assert outcomes(adoption) == ["dataplane", "dataplane", "file"]
    assert adoption.text.endswith(
        "dataplane:\n  linux-cp:\n    netns: dataplane\n    auto-subint: true\n    sync: false\n"
    )


def test_a_tag_that_a_person_wrote_is_kept_as_the_description() -> None:
    adoption = adopted("set interface tag xe0 uplink\n")
    assert "description: uplink" in adoption.text
    assert adoption.report.lines[0].rule == "adopt-tag"


def test_a_pair_before_the_members_of_its_bond_is_a_fault() -> None:
    text = "create bond mode lacp id 0\nlcp create BondEthernet0 host-if be0\nbond add BondEthernet0 xe0\n"
    fault = fault_in(adopted(text))
    assert (fault.number, fault.rule) == (2, "adopt-lcp-before-member")
    assert fault.path == ("interfaces", "BondEthernet0", "lcp")
    after = "create bond mode lacp id 0\nbond add BondEthernet0 xe0\nlcp create BondEthernet0 host-if be0\n"
    assert "fault" not in outcomes(adopted(after))


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
def test_a_pair_on_a_member_of_a_bond_is_a_fault_and_left_out(order: tuple[int, ...]) -> None:
    lines = ["create bond mode lacp id 0", "lcp create xe0 host-if e0", "bond add BondEthernet0 xe0"]
    more = ["lcp create BondEthernet0 host-if be0", "set interface ip address BondEthernet0 192.0.2.1/24"]
    adoption = adopted("\n".join([lines[place] for place in order] + more))
    fault = fault_in(adoption)
    assert (fault.text, fault.rule) == (lines[1], "adopt-lcp-before-member")
    assert sorted(outcomes(adoption)) == ["fault", "file", "file", "file", "file"]
    assert "lcp: e0" not in adoption.text and "lcp: be0" in adoption.text and adoption.rest.commands == ()


def test_a_pair_on_what_leaves_its_bond_again_is_in_the_file() -> None:
    text = "create bond mode lacp id 0\nbond add BondEthernet0 xe0\nlcp create xe0 host-if e0\nbond del xe0\n"
    adoption = adopted(text)
    assert "lcp: e0" in adoption.text and "fault" not in outcomes(adoption)


def test_an_mtu_that_that_of_the_parent_overwrites_is_a_fault() -> None:
    text = "create sub-interfaces xe0 5\nset interface mtu packet 1500 xe0.5\nset interface mtu 2000 xe0\n"
    fault = fault_in(adopted(text))
    assert (fault.number, fault.rule) == (2, "adopt-mtu-overwritten")
    again = adopted(f"{text}set interface mtu packet 1400 xe0.5\n")
    assert "mtu: 1400" in again.text


def test_an_address_on_a_sub_interface_that_is_not_exact_is_a_fault() -> None:
    text = "create sub-interfaces xe0 5 dot1q 5\nset interface ip address xe0.5 192.0.2.1/24\n"
    assert fault_in(adopted(text)).rule == "adopt-not-exact"


def test_a_vrf_without_a_name_gets_one() -> None:
    text = "ip table add 10\nset interface ip table xe0 10\nset interface ip address xe0 192.0.2.1/24\n"
    adoption = adopted(text)
    assert outcomes(adoption) == ["file"] * 3
    assert (adoption.report.lines[0].rule, adoption.report.lines[0].path) == ("adopt-vrf-name", ("vrfs", "vrf10"))
    assert adoption.rest.commands == ()


@pytest.mark.parametrize(
    ("tag", "name"), [("", "cli"), (" tag web-in", "web-in"), (" tag {vppcfg web-in}", "web-in"), (" tag {web in}", "")]
)
def test_an_access_list_is_in_the_file_by_the_name_in_its_tag(tag: str, name: str) -> None:
    text = f"set acl-plugin acl permit src 10.0.0.0/8, deny{tag}\nset acl-plugin interface xe0 input acl 0\n"
    adoption = adopted(text)
    assert outcomes(adoption) == ["file" if name else "unmanaged"] * 2
    assert adoption.rest.commands == (() if name else tuple(text.splitlines()))
    assert ("xe0" in adoption.text and f"      input: [ {name} ]" in adoption.text) is bool(name)


def test_a_policy_is_in_the_file_where_it_is_attached_whatever_it_leads_to() -> None:
    adoption = adopted(
        "set interface ip address xe1 198.51.100.2/24\nset acl-plugin acl permit src 10.0.0.0/8 tag guests\n"
        "abf policy add id 7 acl 0 via 198.51.100.1 xe1\nabf attach ip4 policy 7 priority 10 xe0\n"
    )
    assert outcomes(adoption) == ["file"] * 4
    assert adoption.report.lines[2].path == ("interfaces", "xe0", "policy-routes")


def test_autoconfiguration_turns_on_the_ipv6_that_later_lines_need() -> None:
    adoption = adopted("ip6 nd address autoconfig xe0\nip6 nd xe0 ra-interval 5 3\nset interface state xe1 up\n")
    assert outcomes(adoption) == ["unmanaged", "unmanaged", "file"]


def test_settings_of_a_memif_that_are_those_of_vpp_need_no_key() -> None:
    usual = "create interface memif id 0 master ring-size 1024 buffer-size 2048 rx-queues 1 tx-queues 1\n"
    assert outcomes(adopted(usual)) == ["file"]
    assert outcomes(adopted(usual.replace("1024", "2048"))) == ["unmanaged"]


def test_access_lists_that_share_a_tag_are_left_to_the_rest() -> None:
    adoption = adopted("set acl-plugin acl permit src 10.0.0.0/8\nset acl-plugin acl deny src 10.0.0.0/8\n")
    assert outcomes(adoption) == ["unmanaged", "unmanaged"]


@pytest.mark.parametrize(
    "text",
    [
        "set ip neighbor static xe0 192.0.2.9 02:00:00:00:00:09",
        "set ip neighbor xe0 192.0.2.9 02:00:00:00:00:09 static",
        "set urpf strict ip4 rx xe0",
    ],
)
def test_a_keyword_is_no_port(text: str) -> None:
    adoption = adopted(f"set interface ip address xe0 192.0.2.1/24\n{text}\n")
    assert [port.name for port in adoption.report.ports] == ["xe0"]


def test_an_lcp_may_have_an_underscore_in_its_name() -> None:
    assert outcomes(adopted("lcp create xe0 host-if wan_0\n")) == ["file"]


def test_scripts_are_followed() -> None:
    files = {"b.vpp": "set interface state xe0 up\nexec c.vpp\n", "c.vpp": "set interface mtu packet 1500 xe0\n"}
    adoption = adopted("exec b.vpp\nset interface state xe1 up\n", files)
    assert outcomes(adoption) == ["no_effect", "file", "no_effect", "file", "file"]
    assert adoption.report.sources == ("a.vpp", "b.vpp", "c.vpp")


def test_a_refusal_in_a_followed_script_stops_the_outer_one() -> None:
    adoption = adopted("exec b.vpp\nset interface state xe1 up\n", {"b.vpp": "bogus\nset interface state xe0 up\n"})
    assert outcomes(adoption) == ["fault", "fault", "never_ran", "never_ran"]


@pytest.mark.parametrize("name", ["nowhere.vpp", "a.vpp", "deep0"])
def test_a_script_that_cannot_be_followed_is_a_fault(name: str) -> None:
    files = {"a.vpp": "exec a.vpp", **{f"deep{number}": f"exec deep{number + 1}" for number in range(12)}}
    adoption = adopted(f"exec {name}\n", files)
    assert adoption.report.lines[-1].rule == "adopt-exec"


@pytest.mark.parametrize(
    "line",
    [
        *(
            "comment { a b }",
            "comment word",
            "comment {",
            "comment { a",
            "comment{a b}",
            "comment a}",
            "comment {{a} b}",
        ),
        *("commentary", "vpplog { x }", "vpplog{", "show interface", "clear errors", "wait 1", "define A b"),
    ],
)
def test_what_sets_nothing_has_no_effect_and_is_not_told(line: str) -> None:
    adoption = adopted(f"{line}\n")
    assert outcomes(adoption) == ["no_effect"]
    assert [text for outcome, text in text_of(adoption.report) if outcome is not None] == []


@pytest.mark.parametrize(
    "line",
    [
        *("comment {a} b", "comment {a}b", "comment a {", "comment two words", "comment", "comment } a", "}"),
        *("define A", "exec", "set interface state $(X) up"),
    ],
)
def test_what_vpp_refuses_is_a_fault(line: str) -> None:
    assert outcomes(adopted(f"{line}\n")) == ["fault"]


def test_lines_that_were_meant_as_a_comment_run() -> None:
    """`exec` reads line by line, and a comment of VPP ends with its line."""
    adoption = adopted("comment {\nset interface state xe0 up\n}\nset interface state xe1 up\n")
    assert outcomes(adoption) == ["no_effect", "file", "fault", "never_ran"]
    assert "the comment of line 1 ends with that line, and VPP has run those behind it" in fault_in(adoption).why


def test_a_line_that_makes_many_is_left_and_one_beyond_the_last_goes_on_at_the_first() -> None:
    route, subs = "ip route add count {} 255.255.255.255/32 via 192.0.2.2 xe0", "create sub-interfaces xe0 {}"
    lines = [route.format("9" * 20), subs.format("1-4000000"), subs.format("65535-65537"), route.format(2)]
    found = outcomes(adopted("\n".join(("set interface state xe0 up", *lines))))
    assert found == ["file", "unmanaged", "unmanaged", "unmanaged", "file"]


@pytest.mark.parametrize("line", ["set term pag off", "set terminal ansi off", "history", "quit", "show terminal"])
def test_what_is_for_the_prompt_ends_a_script(line: str) -> None:
    adoption = adopted(f"{line}\nset interface state xe0 up\n")
    assert outcomes(adoption) == ["fault", "never_ran"]
    assert "prompt" in fault_in(adoption).why


def test_all_is_no_port() -> None:
    assert outcomes(adopted("set interface state all up\n")) == ["fault"]


def test_a_feature_without_its_arc_is_refused_and_one_with_it_is_left() -> None:
    feature = "set interface feature xe0 ip4-dhcp-client-detect"
    assert outcomes(adopted(f"{feature}\n{feature} arc ip4-unicast\n", past_errors=True)) == ["fault", "unmanaged"]


def test_a_wireguard_without_an_mtu_has_what_vpp_takes_in_its_place() -> None:
    key = "dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0="
    adoption = adopted(f"wireguard create listen-port 51820 private-key {key} src 192.0.2.1\n")
    assert outcomes(adoption) == ["file"]
    assert "  wg0:\n    mtu: 9000\n" in adoption.text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("set interface span xe0 destination xe1 both", "set interface span xe0 destination xe1 rx"),
        ("set urpf ip4 rx xe0 strict", "set urpf ip4 rx xe0 loose"),
        ("set interface rx-mode xe0 polling", "set interface rx-mode xe0 interrupt"),
        ("set nat timeout udp 100", "set nat timeout udp 200"),
        ("ip6 nd xe0 ra-interval 30 15", "ip6 nd xe0 ra-interval 30 10"),
        ("ip punt redirect add rx xe0 via 192.0.2.2 xe1", "ip punt redirect add rx xe0 via 192.0.2.3 xe1"),
        ("set interface mtu packet 1400 xe0", "set interface mtu 1500 xe0"),
        ("set interface mac address xe0 02:00:00:00:00:01", "set interface mac address xe0 02:00:00:00:00:02"),
    ],
)
def test_of_two_lines_that_set_the_same_the_first_has_no_effect(first: str, second: str) -> None:
    """Whatever is left beside: a line without a key must not make the first count again."""
    before = "nat44 plugin enable\ncreate packet-generator interface pg0\nset interface ip address xe0 2001:db8::1/64\n"
    assert outcomes(adopted(f"{before}{first}\n{second}\n"))[-2:] == ["no_effect", "file"]


@pytest.mark.parametrize(
    ("first", "second"),
    [("lcp lcp-auto-subint on", "lcp lcp-auto-subint off"), ("lcp default netns one", "lcp default netns two")],
)
def test_a_setting_has_an_effect_when_something_is_made_before_it_is_set_again(first: str, second: str) -> None:
    made = "lcp create xe0 host-if e0\ncreate sub-interfaces xe0 100\n"
    assert outcomes(adopted(f"{first}\n{made}{second}\n"))[0] == "dataplane"
    assert outcomes(adopted(f"{first}\n{second}\n{made}"))[0] == "no_effect"


def test_two_prefixes_of_an_interface_count_both() -> None:
    text = "set interface ip address xe0 2001:db8::1/64\nip6 nd xe0 no ra-suppress\n"
    more = "ip6 nd xe0 prefix 2001:db8::/64 infinite\nip6 nd xe0 prefix 2001:db8:1::/64 infinite\n"
    assert outcomes(adopted(text + more)) == ["file"] * 4


def test_macros_and_braces_are_understood() -> None:
    adoption = adopted("define P xe0\nset interface state $(P) up\nuncomment { set interface mtu packet 1500 xe0 }\n")
    assert outcomes(adoption) == ["no_effect", "file", "file"]
    assert "mtu: 1500" in adoption.text


def test_an_old_release_has_commands_that_a_new_one_lacks() -> None:
    script = Script(name="a.vpp", text="create interface avf 0000:01:00.0 name avf0\nset interface state avf0 up\n")
    old = adopt_scripts([script], ReplaySetup(release=Release(24, 10)), lambda *_: None)
    assert outcomes(old) == ["unmanaged", "file"]
    new = adopt_scripts([script], ReplaySetup(release=NEWEST), lambda *_: None)
    assert outcomes(new) == ["fault", "never_ran"]


def test_the_report_counts_every_line() -> None:
    adoption = adopted("nat64 plugin enable\nset interface state xe0 up\nbogus\nset interface state xe1 up\n")
    document = document_of(adoption.report)
    assert document["counts"] == {"file": 1, "dataplane": 0, "unmanaged": 1, "no_effect": 0, "fault": 1, "never_ran": 1}
    assert next(text for _, text in text_of(adoption.report)) == (
        "a.vpp: 4 lines: 1 in the file, 1 unmanaged, 1 a fault, 1 never ran"
    )


WHOLE = """\
set interface state xe0 up
create bond mode lacp load-balance l34 id 0
bond add BondEthernet0 xe1
comment { a b }
lcp create BondEthernet0 host-if be0
set interface ip address BondEthernet0 192.0.2.1/24
create sub-interfaces xe0 5 dot1q 5 exact-match
nat64 add interface address $X
"""


def test_a_script_that_is_cut_anywhere_gives_a_report() -> None:
    for end in range(0, len(WHOLE) + 1, max(1, 12 // TIMES)):
        report, lines = adopted(WHOLE[:end]).report, WHOLE[:end].split("\n")
        assert sum(report.counts().values()) == len(report.lines) == len(lines) - (not lines[-1].strip()), end


def test_mac_addresses_of_bridge_domains_are_keys_of_them() -> None:
    adoption = adopted(
        "create bridge-domain 10\nset interface l2 bridge xe0 10\n"
        "l2fib add 02:00:5e:00:53:01 10 xe0\nl2fib add 02:00:5e:00:53:01 10 xe0 static\n"
        "l2fib add 02:00:5e:00:53:02 10 filter\n"
    )
    assert outcomes(adoption) == ["file", "file", "no_effect", "file", "file"]
    assert "static-macs:\n      02:00:5e:00:53:01: xe0\n" in adoption.text
    assert "filtered-macs: [ '02:00:5e:00:53:02' ]\n" in adoption.text


def test_a_member_that_is_left_leaves_nothing_else_of_its_bridge_domain() -> None:
    filtered = "l2fib add 02:00:5e:00:53:01 20 filter"
    adoption = adopted(
        "create geneve tunnel local 192.0.2.1 remote 192.0.2.2 vni 5\ncreate bridge-domain 20\n"
        f"create bridge-domain 10\nset interface l2 bridge geneve_tunnel0 20\n{filtered}\n"
        "l2fib add 02:00:5e:00:53:02 20 filter\nl2fib del 02:00:5e:00:53:02 20\n"
        "l2fib add 02:00:5e:00:53:03 10 filter\n"
    )
    assert outcomes(adoption) == ["unmanaged", "file", "file", "unmanaged", "file", "no_effect", "no_effect", "file"]
    assert adoption.report.lines[4].path == ("bridgedomains", "bd20")
    assert adoption.report.lines[7].path == ("bridgedomains", "bd10")


def test_ipv6_alone_is_in_no_key_of_the_file() -> None:
    adoption = adopted("set interface state xe0 up\nenable ip6 interface xe0\n")
    assert outcomes(adoption) == ["file", "unmanaged"]
    assert adoption.rest.commands == ("enable ip6 interface xe0",)


def test_a_tag_rewrite_is_a_key_of_what_hands_frames_on() -> None:
    adoption = adopted(
        "set interface state xe1 up\nset interface l2 xconnect xe0 xe1\nset interface l2 xconnect xe1 xe0\n"
        "set interface l2 tag-rewrite xe0 push dot1ad 5 6\nset interface l2 tag-rewrite xe1 push dot1q 7\n"
        "set interface l2 tag-rewrite xe1 disable\n"
    )
    assert outcomes(adoption) == ["file", "file", "file", "file", "no_effect", "no_effect"]
    assert adoption.text.count("tag-rewrite") == 1
    assert "    tag-rewrite: { push: { dot1ad: 5, inner-dot1q: 6 } }\n" in adoption.text


def test_lldp_is_a_key_of_ports_and_a_section() -> None:
    adoption = adopted(
        "set lldp system-name r1 tx-hold 4 tx-interval 30\nset interface lldp xe0 port-desc uplink mgmt-ip4 192.0.2.1\n"
    )
    assert outcomes(adoption) == ["file", "file"]
    assert [line.path for line in adoption.report.lines] == [("lldp",), ("interfaces", "xe0", "lldp")]
    assert "    lldp: { description: uplink, management-ipv4: 192.0.2.1 }\n" in adoption.text
    assert "lldp:\n  system-name: r1\n  hold: 4\n  interval: 30\n" in adoption.text


def test_settings_of_lldp_are_left_where_no_port_of_the_file_speaks_it() -> None:
    """The file says them of the ports that speak LLDP, and one that is unmanaged is none of them."""
    adoption = adopted("set lldp tx-hold 7\n")
    assert outcomes(adoption) == ["unmanaged"]
    assert adoption.rest.commands == ("set lldp tx-hold 7",)
    adoption = adopted("set lldp tx-hold 7\nset interface lldp xe0\n")
    assert outcomes(adoption) == ["file", "file"]
    assert adoption.rest.commands == ()


def test_the_mode_of_a_port_is_a_key_of_it() -> None:
    adoption = adopted("set interface rx-mode xe0 adaptive\nset interface rx-mode xe1 polling\n")
    assert outcomes(adoption) == ["file", "no_effect"]
    assert adoption.text.count("rx-mode: adaptive") == 1
    assert "rx-mode: polling" not in adoption.text


def test_queues_that_a_script_places_are_keys_of_their_port() -> None:
    adoption = adopted(
        "set interface rx-placement xe0 queue 2 worker 1\nset interface rx-placement xe0 main\n"
        "set interface tx-queue queue 1 threads 0,2-3 xe0\nset interface rx-placement worker 7 queue 2 xe0\n"
    )
    assert outcomes(adoption) == ["no_effect", "file", "file", "file"]
    assert "    rx-placement: { 0: main, 2: worker7 }\n" in adoption.text
    assert "    tx-placement: { 1: [ main, worker1, worker2 ] }\n" in adoption.text
    assert adoption.report.lines[2].path == ("interfaces", "xe0", "tx-placement")


def test_proxy_arp_is_a_key_of_interfaces_and_a_section() -> None:
    adoption = adopted(
        "ip table add 7 name red\nset interface ip address xe0 192.0.2.1/24\nset interface proxy-arp xe0 enable\n"
        "set interface ip table xe1 7\nset interface ip address xe1 192.0.2.1/24\n"
        "set arp proxy start 192.0.2.10 end 192.0.2.20\nset arp proxy table-id 7 start 192.0.2.9 end 192.0.2.9\n"
        "set arp proxy start 192.0.2.99 end 192.0.2.90\n"
    )
    assert outcomes(adoption) == [*["file"] * 7, "unmanaged"]
    assert [line.path for line in adoption.report.lines][2] == ("interfaces", "xe0", "proxy-arp")
    assert [line.path for line in adoption.report.lines][5:7] == [("proxy_arp",)] * 2
    assert "    proxy-arp: true\n" in adoption.text
    expected = "proxy_arp:\n  ranges: [ 192.0.2.10-192.0.2.20 ]\n  vrfs:\n    red: [ 192.0.2.9 ]\n"
    assert expected in adoption.text


def test_tcp_flags_of_an_access_list_are_a_key_of_its_term() -> None:
    adoption = adopted(
        "set acl-plugin acl deny proto 6 tcpflags 2 mask 18 , permit tag {vppcfg inside}\n"
        "set acl-plugin interface xe0 input acl 0\n"
    )
    assert outcomes(adoption) == ["file", "file"]
    assert "      - { action: deny, family: ipv4, protocol: tcp, tcp-flags: [ syn, not-ack ] }\n" in adoption.text


def test_flow_records_are_a_section_and_a_key_of_interfaces() -> None:
    adoption = adopted(
        "set ipfix exporter collector 192.0.2.9 src 192.0.2.1\nflowprobe params record l3 l4 active 5 passive 60\n"
        "flowprobe feature add-del xe0 ip4 both\nflowprobe feature add-del xe1 ip4 rx\n"
    )
    assert outcomes(adoption) == ["file"] * 4
    keys = [("ipfix",), ("ipfix",), ("interfaces", "xe0", "ipfix"), ("interfaces", "xe1", "ipfix")]
    assert [line.path for line in adoption.report.lines] == keys
    assert "    ipfix: ip4\n" in adoption.text
    assert "    ipfix: { variant: ip4, direction: input }\n" in adoption.text
    section = "ipfix:\n  collector: 192.0.2.9\n  source: 192.0.2.1\n  records: [ l3, l4 ]\n  active-timeout: 5\n"
    assert section + "  passive-timeout: 60\n" in adoption.text


def test_a_list_of_hosts_is_a_section_and_a_key_of_who_applies_it() -> None:
    adoption = adopted(
        "set acl-plugin macip acl permit ip 192.0.2.5/32 mac 02:00:00:00:00:05 tag {vppcfg hosts}\n"
        "set acl-plugin macip interface xe0 acl 0\n"
        "set acl-plugin macip acl deny\n"
    )
    assert outcomes(adoption) == ["file", "file", "file"]
    assert [line.path for line in adoption.report.lines][:2] == [
        ("macip_acls", "hosts"),
        ("interfaces", "xe0", "macip"),
    ]
    assert "    macip: hosts\n" in adoption.text
    term = "      - { action: permit, mac: '02:00:00:00:00:05', source: 192.0.2.5/32 }\n"
    assert "macip_acls:\n  cli:\n    terms:\n" in adoption.text
    assert f"  hosts:\n    terms:\n{term}" in adoption.text


def test_ports_that_are_left_find_their_socket_and_keep_their_number_before_those_of_the_file_are_made() -> None:
    socket = "create memif socket id 1 filename /run/a.sock"
    left = "create interface memif id 1 socket-id 1 master ring-size 2048"
    adoption = adopted(
        "create vhost-user socket /run/vm7.sock server\ncreate vhost-user socket /run/vm8.sock gso\n"
        f"{socket}\ncreate interface memif id 0 socket-id 1 master\n{left}\n"
    )
    assert adoption.rest.commands == ("create vhost-user socket /run/vm8.sock gso renumber 1", socket, left)
    assert adoption.rest.last == ()


def test_a_dhcp_client_is_a_key_of_its_interface() -> None:
    adoption = adopted(
        "set dhcp client intfc xe0 hostname r1\nset dhcp client intfc xe1\nset dhcp client del intfc xe1\n"
    )
    assert outcomes(adoption)[0] == "file"
    assert adoption.report.lines[0].path == ("interfaces", "xe0", "dhcp-client")
    assert "    dhcp-client: { hostname: r1 }\n" in adoption.text
    assert adoption.text.count("dhcp-client") == 1


def test_what_a_script_of_somebody_else_names_and_is_no_script_is_not_shown() -> None:
    adoption = adopted("exec shadow\nset interface state xe1 up\n", {"shadow": "root:$6$salt$secret:19000:::\n"})
    assert adoption.report.lines[0].rule == "adopt-exec"
    assert "shadow is no script of VPP" in adoption.report.lines[0].why
    assert not any("secret" in f"{line.text}{line.why}" for line in adoption.report.lines)


def test_a_port_is_written_under_the_name_that_a_script_gives_it() -> None:
    adoption = adopted(
        "set interface name GigabitEthernet3/0/0 wan\n"
        "set interface ip address wan 192.0.2.1/24\n"
        "create sub-interfaces wan 100\n"
    )
    assert outcomes(adoption) == ["unmanaged", "file", "file"]
    assert adoption.text.startswith("interfaces:\n  wan:\n    mtu: 9000\n    state: down\n    addresses:")
    assert "GigabitEthernet3/0/0" not in adoption.text


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 10", "vxlan_tunnel0"),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.2", "gre0"),
        ("create bond mode lacp", "BondEthernet0"),
        ("create loopback interface", "loop0"),
    ],
)
def test_what_a_script_makes_and_renames_is_left_with_all_lines_about_it(line: str, name: str) -> None:
    text = f"set interface state xe0 up\n{line}\nset interface name {name} other\nset interface state other up\n"
    adoption = adopted(text)
    assert outcomes(adoption) == ["file", "unmanaged", "unmanaged", "unmanaged"]
    assert "  xe0:\n    mtu: 9000\n\nunmanaged:\n  - other # it is not created by a " in adoption.text


def test_labels_of_vrfs_are_in_the_file_and_other_routes_of_labels_are_left() -> None:
    made = "mpls table add 0\nset interface mpls xe0 enable\nip table add 7\nip6 table add 7\nip table add 8\n"
    red, green = (
        "mpls local-label add eos 100 via ip4-lookup-in-table 7",
        "mpls local-label 101 eos via ip4-lookup-in-table 8",
    )
    adoption = adopted(f"{made}{red}\n{green}\nmpls local-label add eos 102 via ip6-lookup-in-table 7\n")
    assert outcomes(adoption) == ["file"] * 8
    assert "label: { ipv4: 100, ipv6: 102 }" in adoption.text
    assert "label: { ipv4: 101 }" in adoption.text
    others = (red.replace("eos", "non-eos"), red.replace("100", "15"), red.replace("100", "103"))
    for other in others:
        adoption = adopted(f"{made}{red}\n{other}\n")
        assert outcomes(adoption)[-1] == "unmanaged"
        assert other in adoption.rest.commands
    undone = adopted(f"{made}{red}\n{red.replace('add', 'del')}\n")
    assert outcomes(undone)[-2:] == ["no_effect"] * 2
    assert outcomes(adopted(f"mpls table add 0\nip table add 7\n{red}\n")) == ["file"] * 3


def test_what_vpp_does_not_report_is_left_and_not_taken_for_idle() -> None:
    labels = "mpls local-label add 21 eos via ip4-lookup-in-table 0"
    adoption = adopted(f"mpls table add 0\nset interface mpls xe0 enable\n{labels}\n")
    assert outcomes(adoption) == ["file", "file", "unmanaged"]
    assert adoption.rest.commands == (labels,)
    older = adopt_scripts(
        [Script(name="a.vpp", text="set interface state xe0 up\nset interface lldp xe0 port-desc up1\n")],
        ReplaySetup(release=release_of("24.10")),
        lambda *_: None,
    )
    assert outcomes(older) == ["file", "unmanaged"]


@pytest.mark.parametrize(
    ("undone", "undoing"),
    [
        ("vrrp vr add xe0 vr_id 5 priority 200 192.0.2.9", "vrrp vr del xe0 vr_id 5 priority 200 192.0.2.9"),
        (
            "vrrp vr add xe0 vr_id 5 192.0.2.9\nvrrp proto start xe0 vr_id 5",
            "vrrp proto stop xe0 vr_id 5\nvrrp vr del xe0 vr_id 5",
        ),
        ("create gre tunnel src 192.0.2.1 dst 192.0.2.2", "create gre tunnel src 192.0.2.1 dst 192.0.2.2 del"),
        ("set interface tag xe0 uplink", "clear interface tag xe0"),
    ],
)
def test_what_is_undone_has_no_effect_even_when_it_is_made_again(undone: str, undoing: str) -> None:
    pair, made = f"{undone}\n{undoing}\n", ["file"] * (undone.count("\n") + 1)
    idle = ["no_effect"] * (pair.count("\n"))
    before = "set interface ip address xe0 192.0.2.1/24\n"
    assert outcomes(adopted(before + pair)) == ["file", *idle]
    assert outcomes(adopted(f"{before}{pair}{undone}\n")) == ["file", *idle, *made]


@pytest.mark.parametrize(
    "idle",
    [
        "set interface tcp-mss-clamp xe0 ip4 disable ip6 disable",
        "set interface ip address del xe0 all",
        "ip route del 10.0.0.0/8",
    ],
)
def test_taking_away_what_is_not_there_has_no_effect_and_is_told_from_what_has(idle: str) -> None:
    adoption = adopted(
        f"set interface state xe0 up\n{idle}\nset interface ip address xe0 192.0.2.1/24\n"
        "set interface tcp-mss-clamp xe0 ip4 enable ip4-mss 1300 ip6 disable\nip route add 10.0.0.0/8 via 192.0.2.2\n"
    )
    assert outcomes(adoption) == ["file", "no_effect", "file", "file", "file"]


def test_what_nat44_maps_by_an_interface_needs_no_table_to_be_in_the_file() -> None:
    """Typed without `vrf`, VPP keeps no table for it but that of the inside (nat44_ed_cli.c)."""
    adoption = adopted(
        "set interface state xe0 up\nset interface ip address xe0 192.0.2.1/24\nnat44 plugin enable\n"
        "set interface nat44 out xe0\nnat44 add interface address xe0\n"
        "nat44 add static mapping tcp local 192.168.2.10 80 external xe0 8080\n"
        "nat44 add identity mapping external xe0 udp 500\n"
    )
    assert outcomes(adoption) == ["file"] * 7


def test_a_multicast_tunnel_counts_among_the_tunnels_and_is_unmanaged() -> None:
    group = "create vxlan tunnel src 192.0.2.1 group 239.1.1.1 xe0 vni 6"
    adoption = adopted(f"{group}\ncreate vxlan tunnel src 192.0.2.1 dst 192.0.2.4 vni 7\n")
    assert outcomes(adoption) == ["unmanaged", "file"]
    assert "  vxlan_tunnel1:\n" in adoption.text
    assert [port.name for port in adoption.report.ports] == ["xe0"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("group 192.0.2.9 xe0 vni 6", "tunnel group address not multicast"),
        ("group 239.1.1.1 vni 6", "parse error: 'group 239.1.1.1 vni 6'"),
        ("dst 239.1.1.1 vni 6", "dst address must be unicast"),
    ],
)
def test_a_group_of_a_tunnel_is_an_address_and_an_interface(words: str, why: str) -> None:
    adoption = adopted(f"set interface state xe0 up\ncreate vxlan tunnel src 192.0.2.1 {words}\n")
    assert fault_in(adoption).why == f"VPP refuses it: {why}"


def test_enable_takes_an_interface_down() -> None:
    adoption = adopted("set interface state xe0 up\nset interface state xe0 enable\n")
    assert outcomes(adoption) == ["no_effect", "file"]
    assert "state: down" in adoption.text


def test_what_a_later_line_undoes_is_in_no_file() -> None:
    tunnel = "set interface ip address xe0 10.0.0.1/24\ncreate ipip tunnel src 10.0.0.1 dst 0.0.0.0 p2mp\n"
    neighbors = "".join(f"create teib ipip0 peer 10.9.0.{n} nh 10.0.0.9\n" for n in (1, 2))
    adoption = adopted(f"{tunnel}{neighbors}delete teib ipip0 peer 10.9.0.1\n")
    assert outcomes(adoption) == ["file", "file", "no_effect", "file", "no_effect"]
    assert adoption.report.lines[3].path == ("ipip_tunnels", "ipip0", "neighbors")
    bridged = adopted("create bridge-domain 4\nset interface l2 bridge xe0 4\nset interface l3 xe0\n")
    assert outcomes(bridged)[1:] == ["no_effect", "no_effect"]


def test_a_length_that_no_address_has_ends_nothing() -> None:
    lines = ("set interface state xe0 up", "ip route add 10.0.0.0/40 count 2 via 192.0.2.2 xe0")
    assert outcomes(adopted("\n".join(lines)))[0] == "file"


def test_a_route_to_the_network_of_an_interface_is_said_to_be_that() -> None:
    lines = "set interface state eth0 up\nset interface ip address eth0 192.0.2.1/24\n"
    adoption = adopted(f"{lines}ip route add 192.0.2.0/24 via 192.0.2.9\n")
    assert adoption.report.lines[-1].why == "it is the network of eth0, to which the connected route leads"


@pytest.mark.parametrize(
    ("whole", "short"),
    [
        (
            ("set interface state xe0 up", "set interface rx-placement xe0 queue 3 worker 1"),
            ("set int st xe0 up", "set int rx-pl xe0 queue 3 worker 1"),
        ),
        (
            ("set interface state xe0 up", "set interface rx-placement xe0 queue 3 worker 1"),
            ("set interface { state xe0 up }", "set interface { rx-placement xe0 queue 3 worker 1 }"),
        ),
        (
            ("create bond mode lacp", "bond add BondEthernet0 xe0", "bond add BondEthernet0 xe1", "bond del xe1"),
            ("cr bond mode lacp", "bo a BondEthernet0 xe0", "bo a BondEthernet0 xe1", "bo d xe1"),
        ),
        (
            ("set interface ip address xe0 2001:db8::1/64", "enable ip6 interface xe1", "disable ip6 interface xe1"),
            ("set in ip a xe0 2001:db8::1/64", "en ip6 i xe1", "di ip6 i xe1"),
        ),
    ],
)
def test_words_that_are_cut_short_or_in_braces_mean_the_same(whole: tuple[str, ...], short: tuple[str, ...]) -> None:
    one, other = (adopted("\n".join(lines)) for lines in (whole, short))
    assert (other.text, other.rest, outcomes(other)) == (one.text, one.rest, outcomes(one))
    assert other.rest.commands == ()


@pytest.mark.parametrize(
    "line",
    [
        "set interface ip address xe0 192.0.2.1/24\nset ip neighbor static xe0 192.0.2.9 02:00:00:00:00:01",
        "set interface mac address xe1 02:00:00:00:00:01",
    ],
)
def test_a_port_gets_no_mac_that_is_named_for_another(line: str) -> None:
    adoption = adopted(f"set interface state xe0 up\n{line}\n")
    assert "xe0:\n    mtu: 9000\n" in adoption.text


def test_a_test_that_sets_something_is_left() -> None:
    patch = "test l2patch rx xe0 tx xe1"
    adoption = adopted(patch)
    assert adoption.rest.commands == (patch,)
    assert [port.name for port in adoption.report.ports] == ["xe0", "xe1"]


def test_a_cleared_table_of_macs_has_those_that_come_later_alone() -> None:
    mac = "l2fib add 02:00:5e:00:53:0{} 1 xe0 static\n"
    lines = f"create bridge-domain 1\nset interface l2 bridge xe0 1\n{mac.format(1)}clear l2fib\n{mac.format(2)}"
    adoption = adopted(lines)
    assert "static-macs:\n      02:00:5e:00:53:02: xe0\n" in adoption.text
    assert outcomes(adoption) == ["file", "file", "no_effect", "no_effect", "file"]


PER_PORT = "define IF xe0\ndefine MAC {}\nexec port.vpp\ndefine IF xe1\ndefine MAC {}\nexec port.vpp\n"


def test_each_run_of_a_script_is_judged_by_itself() -> None:
    macs = PER_PORT.format("01:00:5e:00:53:01", "02:00:5e:00:53:02")
    adoption = adopted(macs, {"port.vpp": "set interface mac address $(IF) $(MAC)\n"})
    assert adoption.rest.commands == ("set interface mac address xe0 01:00:5e:00:53:01",)
    assert "    mac: 02:00:5e:00:53:02\n" in adoption.text.replace("'", "")


def test_a_pair_of_a_member_says_nothing_of_that_which_the_same_line_makes_later() -> None:
    bond = "create bond mode lacp\nbond add BondEthernet0 xe0\n"
    adoption = adopted(bond + PER_PORT.format("e0", "e1"), {"port.vpp": "lcp create $(IF) host-if $(MAC)\n"})
    faults = [line.text for line in adoption.report.lines if line.outcome is LineOutcome.FAULT]
    assert (faults, [*adoption.state.lcps]) == (["lcp create xe0 host-if e0"], ["xe1"])


def test_ports_of_the_rest_stand_in_natural_order() -> None:
    ports = [f"xe{number}" for number in range(12)]
    lines = [f"set interface l2 bridge {port} 10\nset interface l2 learn {port} disable\n" for port in reversed(ports)]
    adoption = adopted("create bridge-domain 10\n" + "".join(lines))
    assert adoption.text.endswith("".join(f"  - {port} # the rest makes it\n" for port in ports))


def test_neighbours_by_either_name_and_several_at_once_are_those_of_the_file() -> None:
    adoption = adopted(
        "create loopback interface\nset interface ip address loop0 198.18.0.1/16\n"
        "ip neighbor loop0 198.18.0.254 02:00:00:00:00:ff static count 3\n"
        "set ip neighbor static count 2 loop0 198.18.9.9 02:00:00:00:09:09\n"
        "ip neighbor del loop0 198.18.0.255 02:00:00:00:01:00\n"
    )
    assert outcomes(adoption) == ["file"] * 5
    assert yaml.safe_load(adoption.text)["loopbacks"]["loop0"]["neighbors"] == {
        "198.18.0.254": "02:00:00:00:00:ff",
        "198.18.1.0": "02:00:00:00:01:01",
        "198.18.9.9": "02:00:00:00:09:09",
        "198.18.9.10": "02:00:00:00:09:0a",
    }


def test_more_neighbours_at_once_than_are_simulated_are_left() -> None:
    adoption = adopted("set interface state xe0 up\nip neighbor xe0 10.0.0.1 02:00:00:00:00:01 static count 10001\n")
    assert outcomes(adoption)[-1] == "unmanaged"
