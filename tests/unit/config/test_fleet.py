"""Files of many routers compared; what each rule finds at all is in its examples, which test_explain.py tries."""

import os
from pathlib import Path

import pytest

from tests.unit.test_work import calls_in
from tests.wireguard_keys import PUBLIC
from vppcfg.common.release import Release
from vppcfg.config import fleet
from vppcfg.config.fleet import Fleet, check_fleet
from vppcfg.config.fleet.member import read_member
from vppcfg.config.fleet.multipoint import found_on_neighbors
from vppcfg.config.fleet.settings import FleetSettings
from vppcfg.errors import ConfigError
from vppcfg.model.problem import Severity


def compared(folder: Path, **files: str) -> Fleet:
    """Write files, the one called `settings` as fleet.yml, and compare them."""
    for name, text in files.items():
        (folder / ("fleet.yml" if name == "settings" else f"{name}.yaml")).write_text(text)
    return check_fleet(str(folder))


def told(found: Fleet) -> list[tuple[str, str, int]]:
    return [(problem.rule, Path(problem.file).name, problem.line) for problem in found.problems]


def eth(address: str, *keys: str) -> str:
    """Return a file with one interface."""
    lines = "".join(f"    {key}\n" for key in keys)
    return f"interfaces:\n  eth0:\n    addresses: [ {address} ]\n{lines}"


def test_a_problem_stands_at_the_value_and_names_the_other_place(tmp_path: Path) -> None:
    found = compared(tmp_path, ams1=eth("192.0.2.0/31", "mtu: 9000"), fra1=eth("192.0.2.1/31", "mtu: 1500"))
    (problem,) = found.problems
    assert (problem.file, problem.line, problem.column) == (str(tmp_path / "fra1.yaml"), 4, 10)
    assert problem.text == "mtu is 1500, that of ams1 (ams1.yaml:4) on 192.0.2.0/31 is 9000"
    assert problem.path == ("interfaces", "eth0", "mtu")


def test_in_a_larger_subnet_the_one_that_differs_from_most_is_warned_of(tmp_path: Path) -> None:
    files = {
        f"r{number}": eth(f"192.0.2.{number}/24", f"mtu: {mtu}") for number, mtu in ((1, 1500), (2, 9000), (3, 9000))
    }
    found = compared(tmp_path, **files)
    assert told(found) == [("fleet-link-mtu", "r1.yaml", 4)]
    assert found.problems[0].severity is Severity.WARNING


@pytest.mark.parametrize("length", [126, 127])
def test_links_of_ipv6_are_links_too(tmp_path: Path, length: int) -> None:
    found = compared(
        tmp_path, a=eth(f"'2001:db8::2/{length}'", "mtu: 9000"), b=eth(f"'2001:db8::3/{length}'", "mtu: 1500")
    )
    assert [(problem.rule, problem.severity) for problem in found.problems] == [("fleet-link-mtu", Severity.ERROR)]


def test_what_tags_an_end_has_is_told_in_words(tmp_path: Path) -> None:
    def tagged(address: str, encapsulation: str) -> str:
        return f"interfaces:\n  eth0:\n    sub-interfaces:\n      7: {{ {encapsulation}addresses: [ {address} ] }}\n"

    inner = "encapsulation: { dot1ad: 7, inner-dot1q: 8, exact-match: true }, "
    found = compared(tmp_path, a=eth("192.0.2.0/31"), b=tagged("192.0.2.1/31", ""), c=eth("192.0.2.2/31"))
    assert [problem.text for problem in found.problems if problem.rule == "fleet-vlan"] == [
        "192.0.2.0/31 is in VLAN 7 here and untagged on a eth0 (a.yaml:3); "
        "that needs a switch in between which translates"
    ]
    found = compared(tmp_path, b=eth("198.51.100.0/31"), d=tagged("192.0.2.3/31", inner))
    assert "192.0.2.2/31 is in 802.1ad 7 with VLAN 8 inside here and untagged on c eth0" in "".join(
        problem.text for problem in found.problems if problem.rule == "fleet-vlan"
    )


def test_vrfs_of_other_names_have_nothing_to_do_with_each_other(tmp_path: Path) -> None:
    vrf = "vrfs:\n  {0}: {{ id: 10 }}\n"
    red, blue = (vrf.format(name) + eth("192.0.2.1/24", f"vrf: {name}") for name in ("red", "blue"))
    assert compared(tmp_path, a=red, b=blue).problems == ()
    assert told(compared(tmp_path, b=red)) == [("fleet-duplicate-address", "b.yaml", 5)]


def test_what_is_wrong_with_one_file_hides_nothing_of_the_others_but_what_may_be_in_it(tmp_path: Path) -> None:
    lonely = eth("192.0.2.0/31")
    files = {"a": eth("192.0.2.9/24"), "b": eth("192.0.2.9/24"), "c": "interfaces: [", "d": eth("198.51.100.0/31")}
    found = compared(tmp_path, **files)
    assert told(found) == [("fleet-duplicate-address", "b.yaml", 3), ("yaml-syntax", "c.yaml", 2)]
    assert [Path(name).name for name in found.unread] == ["c.yaml"]
    found = compared(tmp_path, c=lonely)
    assert ("fleet-lonely-end", "d.yaml", 3) in told(found)
    (tmp_path / "c.yaml").unlink()
    (tmp_path / "c.yaml").symlink_to("nowhere")
    assert ("fleet-file", "c.yaml", 0) in told(check_fleet(str(tmp_path)))


def test_of_a_file_with_an_error_the_rest_is_compared(tmp_path: Path) -> None:
    wrong = eth("192.0.2.9/24") + "  eth1:\n    l2xc: eth7\n"
    assert told(compared(tmp_path, a=wrong, b=eth("192.0.2.9/24"))) == [
        ("l2xc-target-missing", "a.yaml", 5),
        ("fleet-duplicate-address", "b.yaml", 3),
    ]


def test_what_is_shared_elsewhere_or_accepted_is_not_told(tmp_path: Path) -> None:
    mac = "mac: '02:00:5e:00:00:01'"
    files = {"a": eth("192.0.2.53/32", mac), "b": eth("192.0.2.53/32", mac), "c": eth("198.51.100.0/31")}
    assert len(compared(tmp_path, **files).problems) == 3
    meant = "anycast: [ 192.0.2.48/29, 02005E000001 ]\nexternal: [ '198.51.100.1' ]\n"
    assert compared(tmp_path, settings=meant).problems == ()
    accepted = "accept:\n- { rule: fleet-duplicate-address }\n- { rule: fleet-lonely-end, for: 198.51.100.0/31 }\n"
    assert told(compared(tmp_path, settings=accepted)) == [("fleet-duplicate-mac", "b.yaml", 4)]


@pytest.mark.parametrize(
    ("settings", "text", "line"),
    [
        ("- a\n", "is no map", 1),
        ("anycast: 1\n", "anycast is a list", 1),
        ("external: []\nanycasts: [ ]\n", "`anycasts` is not known here", 2),
        ("external:\n- 02:00:00:00:00:01\n", "is not an address or a prefix", 2),
        ("anycast:\n- 192.0.2.999\n", "is not an address, a prefix or a MAC address", 2),
        ("accept:\n- fleet-vlan\n", "names no rule", 2),
        ("accept:\n- { rule: fleet-vlan, in: a }\n", "`in` is not known here", 2),
        ("accept:\n- { rule: fleet-vlan, for: 1 }\n", "is no text", 2),
        ("accept:\n- { rule: l2xc-self }\n", "is no rule between files", 2),
        ("accept: [\n", "", 2),
    ],
)
def test_mistakes_in_the_settings_are_problems_like_others(tmp_path: Path, settings: str, text: str, line: int) -> None:
    found = compared(tmp_path, settings=settings, a=eth("192.0.2.1/24")).problems
    assert all(problem.file.endswith("fleet.yml") for problem in found)
    assert any(text in problem.text and problem.line == line for problem in found), found


def test_several_tunnels_between_two_routers_are_paired_by_what_marks_them(tmp_path: Path) -> None:
    def router(own: str, other: str, *vnis: int) -> str:
        ends = f"local: {own}, remote: {other}"
        tunnels = "".join(f"  vxlan_tunnel{vni}: {{ {ends}, vni: {vni} }}\n" for vni in vnis)
        names = "".join(f"  vxlan_tunnel{vni}: {{}}\n" for vni in vnis)
        return eth(f"{own}/24", "mtu: 9000") + names + f"vxlan_tunnels:\n{tunnels}"

    found = compared(tmp_path, a=router("192.0.2.1", "192.0.2.2", 1, 2, 3), b=router("192.0.2.2", "192.0.2.1", 2, 4))
    assert [(problem.rule, problem.path[-1]) for problem in found.problems] == [
        ("fleet-vxlan-one-sided", "vxlan_tunnel3"),
        ("fleet-vxlan-vni", "vxlan_tunnel4"),
    ]


def test_a_tunnel_from_a_loopback_leaves_by_the_best_of_the_other_interfaces(tmp_path: Path) -> None:
    def router(own: str, other: str, mtu: int) -> str:
        return (
            f"loopbacks:\n  loop0: {{ mtu: 9000, addresses: [ {own}/32 ] }}\n"
            "interfaces:\n  vxlan_tunnel0: { mtu: 1500 }\n"
            f"  eth0: {{ mtu: {mtu}, addresses: [ 198.51.100.{own[-1]}/24 ] }}\n"
            f"vxlan_tunnels:\n  vxlan_tunnel0: {{ local: {own}, remote: {other}, vni: 1 }}\n"
        )

    ends = ("192.0.2.1", "192.0.2.2"), ("192.0.2.2", "192.0.2.1")
    assert compared(tmp_path, a=router(*ends[0], 1550), b=router(*ends[1], 1550)).problems == ()
    assert {problem.rule for problem in compared(tmp_path, a=router(*ends[0], 1549)).problems} >= {"fleet-vxlan-mtu"}


@pytest.mark.parametrize(
    ("section", "keys", "added"),
    [
        ("vxlan_tunnel", "vni: 1", 50),
        ("gre", "mode: l3", 24),
        ("gre", "key: 7", 28),
        ("gre", "mode: teb", 38),
        ("gre", "mode: teb, key: 7", 42),
        ("gre", "mode: erspan, session: 1", 50),
        ("ipip", "dscp: af41", 20),
    ],
)
@pytest.mark.parametrize(("own", "other", "more"), [("192.0.2.1", "192.0.2.2", 0), ("2001:db8::1", "2001:db8::2", 20)])
def test_what_a_tunnel_adds_to_a_packet_must_fit_into_the_mtu_outside(
    tmp_path: Path, section: str, keys: str, added: int, own: str, other: str, more: int
) -> None:
    key, name = f"{section.removesuffix('_tunnel')}_tunnels", f"{section}0"
    length = 64 if ":" in own else 24

    def rules(mtu: int) -> set[str]:
        tunnel = f"  {name}: {{ mtu: 1400 }}\n{key}:\n  {name}: {{ local: {own}, remote: {other}, {keys} }}\n"
        return {
            problem.rule for problem in compared(tmp_path, a=eth(f"{own}/{length}", f"mtu: {mtu}") + tunnel).problems
        }

    rule = f"fleet-{section.removesuffix('_tunnel')}-mtu"
    assert rule not in rules(1400 + added + more)
    assert rule in rules(1399 + added + more)


def test_a_release_is_looked_at_in_every_file(tmp_path: Path) -> None:
    tunnel = "  gre0: {}\ngre_tunnels:\n  gre0: { local: 192.0.2.1, remote: 192.0.2.2, key: 7 }\n"
    keyed = eth("192.0.2.1/24", "mtu: 1528") + tunnel
    back = keyed.replace("local: 192.0.2.1, remote: 192.0.2.2", "local: 192.0.2.2, remote: 192.0.2.1")
    files = {"a": keyed, "b": back.replace("2.1/24", "2.2/24")}
    assert compared(tmp_path, **files).problems == ()
    assert [rule for rule, *_ in told(check_fleet(str(tmp_path), Release(24, 10)))] == ["vpp-too-old", "vpp-too-old"]


def test_many_files_are_read_by_several_processes_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"r{number}": eth(f"192.0.2.{number // 2 + 1}/24") for number in range(6)}
    alone = compared(tmp_path, **files)
    monkeypatch.setattr(fleet, "_FEW", 2)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0, 1})
    assert check_fleet(str(tmp_path)) == alone
    assert len(alone.problems) == 3


def test_a_folder_that_has_no_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="without a file"):
        check_fleet(str(tmp_path))
    with pytest.raises(ConfigError, match="cannot read the folder"):
        check_fleet(str(tmp_path / "none"))


def test_what_is_no_file_of_the_folder_is_neither_waited_for_nor_quoted(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "fleet", tmp_path / "secret"
    folder.mkdir()
    elsewhere.write_text("root:$6$salt$secret:19000:::\n")
    os.mkfifo(folder / "r1.yaml")
    (folder / "r2.yaml").symlink_to(elsewhere)
    (folder / "r4.yaml").symlink_to("r3.yaml")
    (folder / "fleet.yml").symlink_to(elsewhere)
    found = compared(folder, r3=eth("192.0.2.1/24"))
    texts = [problem.text for problem in found.problems if problem.rule in {"fleet-file", "fleet-settings"}]
    assert [text.partition(" is ")[2] for text in texts] == [
        "a link out of the folder, and is not read",
        "no regular file",
        "a link out of the folder, and is not read",
    ]
    assert not any("secret:" in problem.text for problem in found.problems)
    assert any(problem.rule == "fleet-duplicate-address" for problem in found.problems), "r4 is a file of the folder"


WIREGUARD = (
    "interfaces: {{ eth0: {{ addresses: [ {own}/30 ] }}, wg0: {{}} }}\n"
    "wireguards: {{ wg0: {{ local: {own}, port: 51820, public-key: {key}, private-key-file: /k, peers: {{ other: "
    "{{ public-key: {other}, endpoint: {end}, port: 51820, allowed-ips: [ 10.7.0.0/24 ] }} }} }} }}\n"
)


@pytest.mark.parametrize(
    ("end", "settings", "rules"),
    [
        ("192.0.2.2", "", []),
        ("198.51.100.9", "", ["fleet-wireguard-endpoint"]),
        ("198.51.100.9", "external: [ 198.51.100.0/24 ]", []),
    ],
)
def test_a_peer_of_the_fleet_is_where_its_endpoint_says(
    tmp_path: Path, end: str, settings: str, rules: list[str]
) -> None:
    one, other = PUBLIC[:2]
    found = compared(
        tmp_path,
        r1=WIREGUARD.format(own="192.0.2.1", key=one, other=other, end=end),
        r2=WIREGUARD.format(own="192.0.2.2", key=other, other=one, end="192.0.2.1"),
        settings=settings,
    )
    assert [problem.rule for problem in found.problems] == rules


def test_an_endpoint_that_another_router_has_too_is_that_of_the_peer(tmp_path: Path) -> None:
    """Addresses of a VRF, or of an anycast service, say nothing about the address outside."""
    one, other = PUBLIC[:2]
    found = compared(
        tmp_path,
        r1=WIREGUARD.format(own="192.0.2.1", key=one, other=other, end="192.0.2.2"),
        r2=WIREGUARD.format(own="192.0.2.2", key=other, other=one, end="192.0.2.1"),
        r3="vrfs: { red: { id: 1 } }\ninterfaces: { eth0: { vrf: red, addresses: [ 192.0.2.2/30 ] } }\n",
    )
    assert found.problems == ()


def many(own: str, inside: str, ends: str) -> str:
    """Return a file with a GRE tunnel from an own address."""
    addresses = f"eth0: {{ addresses: [ {own}/24 ] }}, gre0: {{ mtu: 1400, addresses: [ {inside}/24 ] }}"
    return f"interfaces: {{ {addresses} }}\ngre_tunnels: {{ gre0: {{ local: {own}, {ends} }} }}\n"


HUB = "multipoint: true, neighbors: { 10.0.0.2: 192.0.2.2, 10.0.0.3: 192.0.2.3 }"
BACK = "multipoint: true, neighbors: { 10.0.0.1: 192.0.2.1 }"


@pytest.mark.parametrize(
    ("third", "rules"),
    [
        ("remote: 192.0.2.1", []),
        ("multipoint: true", []),
        (BACK, []),
        ("multipoint: true, neighbors: {}", ["fleet-neighbors-one-sided"]),
        ("remote: 192.0.2.2", ["fleet-neighbors-one-sided", "fleet-gre-one-sided"]),
        ("remote: 192.0.2.1, key: 5", ["fleet-neighbors-unlike"]),
    ],
)
def test_a_hub_has_spokes_of_one_and_of_many_ends(tmp_path: Path, third: str, rules: list[str]) -> None:
    files = {
        "hub": many("192.0.2.1", "10.0.0.1", HUB),
        "spoke2": many("192.0.2.2", "10.0.0.2", BACK),
        "spoke3": many("192.0.2.3", "10.0.0.3", third),
    }
    assert [rule for rule, *_ in told(compared(tmp_path, **files))] == rules


def test_a_spoke_that_the_hub_does_not_name_is_one_sided(tmp_path: Path) -> None:
    hub = HUB.replace(", 10.0.0.3: 192.0.2.3", "")
    files = {
        "hub": many("192.0.2.1", "10.0.0.1", hub),
        "spoke2": many("192.0.2.2", "10.0.0.2", BACK),
        "spoke3": many("192.0.2.3", "10.0.0.3", BACK),
    }
    (problem,) = compared(tmp_path, **files).problems
    assert (problem.rule, problem.line) == ("fleet-neighbors-one-sided", 2)
    assert problem.text == "the router with 192.0.2.1 has no tunnel of this kind back from there to 192.0.2.3"
    (tmp_path / "spoke3.yaml").write_text(many("192.0.2.3", "10.0.0.3", "remote: 192.0.2.1"))
    assert [rule for rule, *_ in told(check_fleet(str(tmp_path)))] == ["fleet-gre-one-sided"]


def test_a_router_that_is_external_needs_no_tunnel_back(tmp_path: Path) -> None:
    hub = "multipoint: true, neighbors: { 10.0.0.9: 198.51.100.9 }"
    assert told(compared(tmp_path, hub=many("192.0.2.1", "10.0.0.1", hub))) == [
        ("fleet-neighbors-nobody", "hub.yaml", 2)
    ]
    assert told(compared(tmp_path, settings="external: [ 198.51.100.0/24 ]\n")) == []


def unicast(own: str, priority: int, peers: str) -> str:
    keys = f"addresses: [ 192.0.2.254 ], priority: {priority}{peers}"
    return f"interfaces: {{ eth0: {{ addresses: [ {own}/24 ], vrrp: {{ 5: {{ {keys} }} }} }} }}\n"


@pytest.mark.parametrize(
    ("first", "second", "texts"),
    [
        (", unicast-peers: [ 192.0.2.2 ]", ", unicast-peers: [ 192.0.2.1 ]", []),
        (", unicast-peers: [ 192.0.2.2, 192.0.2.3 ]", ", unicast-peers: [ 192.0.2.3, 192.0.2.1 ]", []),
        (
            ", unicast-peers: [ 192.0.2.2 ]",
            ", unicast-peers: [ 192.0.2.9 ]",
            ["b sends to 192.0.2.9, and a eth0 (a.yaml:1) has 192.0.2.1; name it in unicast-peers"],
        ),
        (
            ", unicast-peers: [ 192.0.2.2 ]",
            "",
            ["b sends to the group, and a eth0 (a.yaml:1) to 192.0.2.2; take unicast-peers on both"],
        ),
    ],
)
def test_virtual_routers_hear_each_other(tmp_path: Path, first: str, second: str, texts: list[str]) -> None:
    found = compared(tmp_path, a=unicast("192.0.2.1", 100, first), b=unicast("192.0.2.2", 200, second))
    assert [problem.text for problem in found.problems if problem.rule == "fleet-vrrp-peers"] == texts
    assert {problem.rule for problem in found.problems} == ({"fleet-vrrp-peers"} if texts else set())


@pytest.mark.parametrize(
    ("key", "below", "text"),
    [
        (
            "policy-routes: [ { acl: guests, family: ipv4, via: 192.0.2.3 } ]",
            "acls: { guests: { terms: [ { action: permit, protocol: tcp } ] } }\n",
            "a policy route",
        ),
        ("l3xc: { ipv4: { interface: eth0, gateway: 192.0.2.3 } }", "", "`l3xc`"),
        ("punt-redirect: { ipv4: { interface: eth0, gateway: 192.0.2.3 } }", "", "`punt-redirect`"),
    ],
)
def test_whatever_leads_to_a_gateway_on_a_link_leads_to_a_router(
    tmp_path: Path, key: str, below: str, text: str
) -> None:
    found = compared(tmp_path, ams1=eth("192.0.2.1/30", key) + below, fra1=eth("192.0.2.2/30"))
    (problem,) = (each for each in found.problems if each.rule == "fleet-gateway")
    assert problem.text == f"{text} of eth0 leads to 192.0.2.3, which no router has; fra1 is on that link"
    assert Path(problem.file).name == "ams1.yaml"
    right = eth("192.0.2.1/30", key.replace("192.0.2.3", "192.0.2.2")) + below
    assert told(compared(tmp_path, ams1=right, fra1=eth("192.0.2.2/30"))) == []


@pytest.mark.parametrize(
    ("second", "count"),
    [
        ('[ "2001:db8:1::2/64" ] }, eth1: { addresses: [ "2001:db8:3::1/64" ], nd-proxy: [ "2001:db8:1::9" ] }', 1),
        ('[ "2001:db8:1::2/64" ] }, eth1: { addresses: [ "2001:db8:3::1/64" ], nd-proxy: [ "2001:db8:1::8" ] }', 0),
        ('[ "2001:db8:4::2/64" ] }, eth1: { addresses: [ "2001:db8:3::1/64" ], nd-proxy: [ "2001:db8:1::9" ] }', 0),
        ('[ "2001:db8:1::9/64" ] }', 0),
    ],
)
def test_one_router_answers_for_a_host_on_a_prefix(tmp_path: Path, second: str, count: int) -> None:
    first = 'eth1: { addresses: [ "2001:db8:2::1/64" ], nd-proxy: [ "2001:db8:1::9" ] }'
    found = compared(
        tmp_path,
        ams1=f'interfaces: {{ eth0: {{ addresses: [ "2001:db8:1::1/64" ] }}, {first} }}',
        fra1=f"interfaces: {{ eth0: {{ addresses: {second} }}",
    )
    proxies = [each for each in found.problems if each.rule == "fleet-nd-proxy"]
    assert len(proxies) == count
    assert all(each.text.startswith("ams1 eth1 (ams1.yaml") and each.file.endswith("fra1.yaml") for each in proxies)


def test_a_host_behind_an_interface_that_is_wrong_itself_is_passed_over(tmp_path: Path) -> None:
    text = 'interfaces: { eth0: { sub-interfaces: { 5000: { nd-proxy: [ "2001:db8:1::9" ] } } } }'
    assert [problem.rule for problem in compared(tmp_path, ams1=text).problems] == ["encap-id"]


def test_each_neighbor_of_a_full_mesh_takes_the_same_work(tmp_path: Path) -> None:
    def calls_of(size: int) -> int:
        members = []
        for own in range(1, size + 1):
            ends = "".join(f"      10.7.0.{peer}: 192.0.2.{peer}\n" for peer in range(1, size + 1) if peer != own)
            file = tmp_path / f"r{own}.yaml"
            file.write_text(
                f"interfaces:\n  eth0: {{ mtu: 9000, addresses: [ 192.0.2.{own}/24 ] }}\n"
                f"  gre0: {{ addresses: [ 10.7.0.{own}/24 ] }}\n"
                f"gre_tunnels:\n  gre0:\n    local: 192.0.2.{own}\n    multipoint: true\n    neighbors:\n{ends}"
            )
            members.append(read_member(str(file)))
        assert not [problem for member in members for problem in member.problems]
        return calls_in(lambda: list(found_on_neighbors(members, FleetSettings())))

    assert calls_of(24) <= 5 * calls_of(12)
