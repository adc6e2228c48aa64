"""Contract: the CLI lines of plans, what they do and what they say when they fail."""

import pytest

from tests.contract.subject import PORTS, Flags, Subject

PORT, PEER, ETH = PORTS
EXPECTED_REWRITE = (
    "set interface l2 tag-rewrite: expecting [disable | pop 1 | pop 2 | push {dot1q|dot1ah} <tag> [<tag>]\n"
    " | translate {1|2}-{1|2} {dot1q|dot1ah} <tag> [<tag>]] but got `%s'\n"
)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("bogus", "unknown input `bogus'\n"),
        ("", "unknown input `'\n"),
        ("   ", "unknown input `'\n"),
        ("set interface bogus", "set interface: unknown input `bogus'\n"),
        ("set interface l2 bogus", "set interface l2: unknown input `bogus'\n"),
        ("lcp bogus", "lcp: unknown input `bogus'\n"),
        ("set interface state nope up", "set interface state: unknown interface `nope up'\n"),
        (f"set interface state {PORT} sideways", "set interface state: unknown flags `sideways'\n"),
        (f"set interface state {PORT}", "set interface state: unknown flags `'\n"),
        (f"set interface state {PORT}.100 up", f"set interface state: unknown interface `{PORT}.100 up'\n"),
        ("set interface mtu 1500 nope", "set interface mtu: unknown input `1500 nope'\n"),
        (f"set interface mtu packet {PORT}", f"set interface mtu: unknown input `packet {PORT}'\n"),
        ("set interface mtu 1500 local0", "set interface mtu: not supported\n"),
        ("set interface ip address nope 10::1/64", "set interface ip address: unknown interface `nope 10::1/64'\n"),
        (
            f"set interface ip address {ETH} 10.0.0.1",
            "set interface ip address: expected IP4/IP6 address/length `10.0.0.1'\n",
        ),
        (
            f"set interface ip address del {ETH} 10.0.0.1/24",
            f"set interface ip address: 10.0.0.1/24 not found for interface {ETH}\n",
        ),
        (
            "set interface ip address local0 10.0.0.1/24",
            "set interface ip address: local0 interface doesn't support IP addressing\n",
        ),
        (
            f"set interface ip address {ETH} fe80::1/64",
            "set interface ip address: prefix length of link-local address must be 128\n",
        ),
        ("set interface l2 xconnect nope eth2", "set interface l2 xconnect: unknown interface `nope eth2'\n"),
        ("set interface l2 xconnect eth2 nope", "set interface l2 xconnect: unknown peer interface `nope'\n"),
        ("set interface l3 nope", "set interface l3: unknown interface `nope'\n"),
        ("set interface l2 tag-rewrite eth2 pop 3", EXPECTED_REWRITE % "pop 3"),
        (
            "set interface l2 tag-rewrite eth2 pop 1",
            "set interface l2 tag-rewrite: vlan tag rewrite is not compatible with interface\n",
        ),
        ("set interface tag nope x", "set interface tag: unknown input `nope x'\n"),
        (f"set interface tag {ETH}", f"set interface tag: unknown input `{ETH}'\n"),
        ("clear interface tag nope", "clear interface tag: unknown input `nope'\n"),
        (
            "create sub-interfaces nope 100 dot1q 100 exact-match",
            "create sub-interfaces: unknown interface `nope 100 dot1q 100 exact-match'\n",
        ),
        (f"create sub-interfaces {ETH} 9-5", "create sub-interfaces: expected ID or ID MIN-MAX, got `'\n"),
        (f"create sub-interfaces {ETH} 100 dot1q x", "create sub-interfaces: expected dot1q config, got `x'\n"),
        ("delete sub-interface nope", "delete sub-interface: interface doesn't exist\n"),
        (f"delete sub-interface {ETH}", "delete sub-interface: delete_subinterface_interface failed\n"),
        ("lcp create", "lcp create: interface name or sw_if_index required\n"),
        ("lcp create eth2", "lcp create: host interface name required\n"),
        ("lcp create eth2 host-if a/b", "lcp create: linux-cp pair creation failed (-73)\n"),
        ("lcp create nope host-if x", "lcp create: unknown input `nope host-if x'\n"),
        ("lcp create eth2 host-if x netns nowhere", "lcp create: linux-cp pair creation failed (-12)\n"),
        ("lcp delete eth2", "lcp delete: linux-cp pair deletion failed (-2)\n"),
        ("lcp delete", "lcp delete: interface name or sw_if_index required\n"),
        ("lcp lcp-sync maybe", "lcp lcp-sync: unknown input `maybe'\n"),
        ("show lcp nothing", "show lcp: unknown input 'nothing'\n"),
        ("show mode nope", "show mode: unknown input `nope'\n"),
    ],
)
def test_a_line_that_fails_says_so(vpp: Subject, line: str, text: str) -> None:
    assert vpp.cli(line) == (-1, text)


@pytest.mark.parametrize(
    "line",
    [
        "comment { vppcfg sync: 10 CLI statement(s) follow }",
        "comment word",
        f"set interface state {ETH} up",
        f"  set  interface   state {ETH}   up  \n",
        f"set interface mtu 1500 {ETH}",
        f"set interface mtu packet 1500 {ETH}",
        f"set interface mtu ip4 1500 {ETH}",
        f"set interface ip address {ETH} 10.0.0.1/24",
        f"set interface ip address {ETH} 2001:db8::1/64",
        f"set interface ip address del {ETH} all",
        f"set interface l2 xconnect {ETH} {PORT}",
        f"set interface l2 tag-rewrite {ETH} disable",
        f"set interface l2 tag-rewrite {ETH} push dot1q 100",
        f"set interface l2 tag-rewrite {ETH} push dot1ad 100 200",
        f"set interface l3 {ETH}",
        f"set interface tag {ETH} {{vppcfg my uplink}}",
        f"clear interface tag {ETH}",
        f"lcp create {ETH} host-if e3",
        f"lcp create host-if e3 netns dataplane {ETH}",
        f"lcp create {ETH} host-if e3 tun",
        "lcp lcp-sync off",
    ],
)
def test_a_line_that_works_says_nothing(vpp: Subject, line: str) -> None:
    assert vpp.cli(line) == (0, "")


def test_several_commands_run_until_one_fails(vpp: Subject, first: int) -> None:
    text = f"set interface state {PORT} up\nset interface mtu packet 1400 {PORT} junk set interface state {PORT} down"
    retval, printed = vpp.cli(text)
    assert (retval, printed[:20]) == (-1, "unknown input `junk ")
    assert (vpp.is_up(first), vpp.mtus(first)) == (True, [1400, 0, 0, 0])


def test_only_30_characters_of_what_is_not_understood_are_repeated(vpp: Subject) -> None:
    assert vpp.cli("0123456789" * 4) == (-1, "unknown input `012345678901234567890123456789...'\n")


def test_packet_mtus_that_are_not_named_become_0(vpp: Subject, first: int) -> None:
    vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[1, 2, 3, 4])
    seen = []
    for kind in ("packet", "ip4", "ip6", "mpls"):
        vpp.cli(f"set interface mtu {kind} 1400 {PORT}")
        seen.append(vpp.mtus(first))
    assert seen == [[1400, 0, 0, 0], [0, 1400, 0, 0], [0, 0, 1400, 0], [0, 0, 0, 1400]]


def test_the_link_mtu_is_set_without_a_word(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    assert vpp.cli(f"set interface mtu 1500 {PORT}") == (0, "")
    assert (vpp.details(first).link_mtu, vpp.mtus(first)[0], vpp.mtus(sub)[0]) == (1500, 1500, 1500)
    assert vpp.cli(f"set interface mtu 1400 {PORT}.100") == (
        -1,
        f"set interface mtu: unknown input `1400 {PORT}.100'\n",
    )


@pytest.mark.parametrize(
    ("words", "flags", "outer", "inner"),
    [
        ("", 0x12, 77, 0),
        ("dot1q 100", 0x02, 100, 0),
        ("dot1q 100 exact-match", 0x12, 100, 0),
        ("dot1ad 100 exact-match", 0x1A, 100, 0),
        ("dot1q 100 inner-dot1q 200", 0x04, 100, 200),
        ("dot1q 100 inner-dot1q 200 exact-match", 0x14, 100, 200),
        ("dot1ad 100 inner-dot1q 200 exact-match", 0x1C, 100, 200),
        ("dot1q 100 inner-dot1q any", 0x84, 100, 0),
        ("default", 0x20, 0, 0),
    ],
)
def test_a_sub_interface_is_made_and_named(
    vpp: Subject, first: int, words: str, flags: int, outer: int, inner: int
) -> None:
    assert vpp.cli(f"create sub-interfaces {PORT} 77 {words}") == (0, f"{PORT}.77\n")
    row = vpp.details(vpp.index(f"{PORT}.77"))
    assert (int(row.sub_if_flags), row.sub_outer_vlan_id, row.sub_inner_vlan_id) == (flags, outer, inner)


def test_a_sub_interface_that_exists_is_passed_over_in_silence(vpp: Subject) -> None:
    line = f"create sub-interfaces {PORT} 100 dot1q 100 exact-match"
    assert [vpp.cli(line), vpp.cli(line)] == [(0, f"{PORT}.100\n"), (0, "")]


def test_a_range_of_sub_interfaces_is_made_at_once(vpp: Subject) -> None:
    assert vpp.cli(f"create sub-interfaces {PORT} 10-12") == (0, "".join(f"{PORT}.{n}\n" for n in (10, 11, 12)))
    row = vpp.interfaces()[f"{PORT}.11"]
    assert (row.sub_outer_vlan_id, int(row.sub_if_flags)) == (11, 0x12)


def test_an_encapsulation_in_use_is_refused(vpp: Subject) -> None:
    vpp.cli(f"create sub-interfaces {PORT} 100 dot1q 100 exact-match")
    assert vpp.cli(f"create sub-interfaces {PORT} 101 dot1q 100") == (
        -1,
        "create sub-interfaces: vlan is already in use\n",
    )


def test_a_sub_interface_is_deleted(vpp: Subject, first: int) -> None:
    vpp.sub(first, 100)
    assert vpp.cli(f"delete sub-interface {PORT}.100") == (0, "")
    assert f"{PORT}.100" not in vpp.interfaces()


def test_the_parent_must_be_up(vpp: Subject, first: int) -> None:
    vpp.sub(first, 100)
    text = f"set interface state: super-interface {PORT} must be up\n"
    assert vpp.cli(f"set interface state {PORT}.100 up") == (-1, text)


def test_an_id_beyond_31_bits_has_no_name_in_the_cli_or_one_with_a_sign(vpp: Subject, first: int) -> None:
    vpp.sub(first, 2147483647, outer_vlan_id=1)
    vpp.sub(first, 2147483648, outer_vlan_id=2)
    assert vpp.cli(f"set interface state {PORT}.2147483647 down") == (0, "")
    retval, text = vpp.cli(f"set interface state {PORT}.2147483648 down")
    answer = (-1, f"set interface state: unknown interface `{PORT}.214748364...'\n")
    assert (retval, text) == (answer if vpp.since("26.10") else (0, ""))
    made = (-1, "create sub-interfaces: expected ID or ID MIN-MAX, got ` 2147483648'\n")
    sign = "" if vpp.since("26.06") else "-"
    assert vpp.cli(f"create sub-interfaces {ETH} 2147483648") == (
        made if vpp.since("26.10") else (0, f"{ETH}.{sign}2147483648\n")
    )


@pytest.mark.parametrize(
    ("held", "wanted", "text"),
    [
        ("10.0.0.1/24", "10.0.0.2/24", "failed to add 10.0.0.2/24 on {1} which conflicts with 10.0.0.1/24"),
        ("2001:db8::1/64", "2001:db8::2/64", "failed to add 2001:db8::2/64 which conflicts with 2001:db8::1/64"),
    ],
)
def test_an_overlap_is_explained(vpp: Subject, held: str, wanted: str, text: str) -> None:
    assert vpp.cli(f"set interface ip address {PORT} {held}") == (0, "")
    shown = f"set interface ip address: {text.format(PORT, PEER)} for interface {PORT}\n"
    assert vpp.cli(f"set interface ip address {PEER} {wanted}") == (-1, shown)


def test_a_tag_in_braces_keeps_its_spaces(vpp: Subject, first: int) -> None:
    vpp.cli(f"set interface tag {PORT} {{vppcfg my uplink}}")
    assert vpp.details(first).tag == "vppcfg my uplink"
    vpp.cli(f"clear interface tag {PORT}")
    assert vpp.details(first).tag == ""


@pytest.mark.parametrize(
    ("words", "rewrite"),
    [
        ("disable", (0, 0, 0, 0)),
        ("push dot1q 5", (1, 1, 5, 0)),
        ("push dot1ad 5 6", (2, 0, 5, 6)),
        ("pop 1", (3, 0, 0, 0)),
        ("pop 2", (4, 0, 0, 0)),
        ("translate 1-1 dot1q 5", (5, 1, 5, 0)),
        ("translate 1-2 dot1ad 5 6", (6, 0, 5, 6)),
        ("translate 2-1 dot1ad 5", (7, 0, 5, 0)),
        ("translate 2-2 dot1q 5 6", (8, 1, 5, 6)),
    ],
)
def test_tag_rewrites(vpp: Subject, first: int, words: str, rewrite: tuple[int, int, int, int]) -> None:
    sub = vpp.sub(first, 100, Flags.TWO_TAGS, inner_vlan_id=7)
    assert vpp.cli(f"set interface l2 tag-rewrite {PORT}.100 {words}") == (0, "")
    assert vpp.rewrite(sub) == rewrite


def test_cross_connects(vpp: Subject, first: int, second: int) -> None:
    assert vpp.cli(f"set interface l2 xconnect {PORT} {PEER}") == (0, "")
    assert vpp.xconnects() == {first: second}
    assert vpp.cli(f"show mode {PORT} {PEER}") == (0, f"l2 xconnect {PORT} {PEER}\nl3 {PEER}  \n")
    assert vpp.cli(f"set interface l3 {PORT}") == (0, "")
    assert vpp.xconnects() == {}


def test_pairs_are_made_shown_and_deleted(vpp: Subject, first: int, second: int) -> None:
    assert vpp.cli(f"lcp create {PORT} host-if e1") == (0, "")
    assert vpp.cli(f"lcp create {second} host-if e3 netns dataplane") == (0, "")
    pairs = vpp.pairs()
    lines = vpp.cli("show lcp")[1].splitlines()
    assert lines[:3] == ["lcp default netns '<unset>'", "lcp lcp-auto-subint off", "lcp lcp-sync off"]
    shown = {line.replace("\0", "").partition("] ")[2] for line in lines if line.startswith("itf-pair: [")}
    assert shown == {
        f"{PORT} {vpp.host_name(first)} e1 {pairs[first].vif_index} type tap",
        f"{PEER} {vpp.host_name(second, 4097)} e3 {pairs[second].vif_index} type tap netns dataplane",
    }
    assert [vpp.cli(f"lcp delete {PORT}"), vpp.cli(f"lcp delete {PEER}")] == [(0, ""), (0, "")]
    assert vpp.pairs() == {}


def test_the_switches_of_linux_cp(vpp: Subject) -> None:
    assert vpp.cli("lcp default netns dataplane") == (0, "lcp set default netns 'dataplane'\n")
    assert vpp.cli("lcp lcp-sync on") == (0, "")
    assert vpp.cli("lcp lcp-auto-subint enable") == (0, "")
    lines = vpp.cli("show lcp")[1].splitlines()
    assert lines[:3] == ["lcp default netns 'dataplane'", "lcp lcp-auto-subint on", "lcp lcp-sync on"]


def test_interfaces_and_addresses_are_shown(vpp: Subject, first: int) -> None:
    vpp.up(first)
    vpp.add_address(first, "10.0.0.1/24")
    vpp.add_address(first, "2001:db8::1/64")
    assert vpp.cli(f"show interface address {PORT}")[0] == 0
    addresses = vpp.cli("show interface address")[1]
    assert f"{PORT} (up):\n  L3 10.0.0.1/24\n  L3 2001:db8::1/64\n{PEER} (dn):\n" in addresses
    header, row, *_ = vpp.cli("show interface")[1].splitlines()
    assert header.split()[:4] == ["Name", "Idx", "State", "MTU"]
    assert row.split()[:4] == [PORT, str(first), "up", "9000/0/0/0"]


def test_the_version_is_shown(vpp: Subject) -> None:
    retval, text = vpp.cli("show version")
    assert (retval, text.split()[:2]) == (0, ["vpp", f"v{vpp.api.show_version().version}"])
