"""The difference in the words of the file: every key of it, lists item by item, and what no key says as a comment."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vppcfg import assets
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.schema.quick import Acceptance
from vppcfg.config.schema.text import SCHEMA
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.state import Facts, State
from vppcfg.plan.plan import make_plan
from vppcfg.record import evolve
from vppcfg.render.diff_view import diff_lines, difference_lines
from vppcfg.render.entry_view import EntryLine, entry_difference

EVERY_KEY = Path(__file__).with_name("every_key.yaml").read_text(encoding="utf-8")
BARE = """\
dhcp-relay: {}
qos_maps: {}
policers: {}
path-mtu: {}
punt-redirect: {}
neighbor-table: {}
nat44: {}
interfaces: { eth0: { vrrp: {} }, eth1: {}, eth2: {}, eth3: { qos: {}, l3xc: {}, punt-redirect: {} },
  eth4: {}, eth5: {}, eth6: {} }
det44: {}
"""
HEADINGS = {
    part: heading
    for heading, parts in {
        r"interfaces\.[^.]+": "interface lcp urpf mss-clamp mss-limit mirror port-lldp ra ra-prefix interface-acls "
        "police-hosts police-each flow-records dhcp-client qos qos-mark l3xc l3xc-hop policy-route virtual-router",
        r"interfaces\.[^.]+\.sub-interfaces\.\d+": "sub-interface encapsulation",
        r"interfaces\..+": "tag-rewrite pushed-tags translated-tags",
        r"lldp": "lldp",
        r"loopbacks\..+": "loopback",
        r"bondethernets\..+": "bond",
        r"bridgedomains\..+": "bridge bridge-settings",
        r"vxlan_tunnels\..+": "vxlan",
        r"gre_tunnels\..+": "gre tunnel-next-hop",
        r"ipip_tunnels\..+": "ipip",
        r"wireguards\..+": "wireguard wireguard-peer",
        r"taps\..+": "tap tap-host",
        r"host_interfaces\..+": "host-interface",
        r"memifs\..+": "memif",
        r"vhost_users\..+": "vhost-user",
        r"vrfs\..+": "vrf vpn-label",
        r"acls\..+": "acl acl-term",
        r"macip_acls\..+": "macip-acl macip-term",
        r"ipfix": "ipfix",
        r"sflow": "sflow",
        r"proxy_arp": "proxy-arps",
        r"nat44": "nat44 nat44-pool",
        r"nat44\.static\..+": "nat44-static",
        r"nat44\.exempt\..+": "nat44-exempt",
        r"(nat44|det44)": "nat44-timeouts",
        r"routes\..+": "route next-hop",
        r"det44": "det44",
        r"dhcp-relay": "dhcp-relay dhcp-relay-family dhcp-server",
        r"policers": "policer policer-excess",
        r"qos_maps": "qos-map",
        r"neighbor-table": "neighbor-table neighbor-limits",
        r"punt-redirect": "punt-redirect punt-hop",
    }.items()
    for part in parts.split()
}
"""The entries in which the keys of a part of the schema are shown."""
OF_NO_VPP = {"", "prefix-list", "hooks", "check", "routing", "frr", "bird"}
"""The list of sections, prefix lists, which are rules once a file is read, hooks, checks and files of routing daemons.

No plan looks at `dataplane`."""
NEVER_SHOWN = {
    ("interface", "device-type"): "a port is of the type that it is",
    ("interface", "sub-interfaces"): "its entries are shown by themselves",
    **{(part, "unmanaged-addresses"): "VPP does not know of it" for part in ("interface", "sub-interface", "loopback")},
    **{(part, "description"): "it is shown of the interface" for part in ("bond", "wireguard", "memif")},
    **{(part, "description"): "VPP keeps none" for part in ("vrf", "acl", "acl-term", "macip-acl", "macip-term")},
    **{("nat44", key): "its entries are shown by themselves" for key in ("static", "exempt")},
    ("vrf", "routes"): "its entries are shown by themselves",
    **{("police-each", key): "each part is shown by itself" for key in ("policer", "each")},
    **{("vrf", key): "as in the section, which is shown" for key in ("dhcp-relay", "path-mtu")},
    ("interface", "rx-placement"): "moves are, of queues that are known before and after: tests/golden/queue_placement",
    ("interface", "tx-placement"): "the same",
}
LEFT = {
    *(("interface", "mac"), ("tap-host", "bridge-create"), ("tap-host", "namespace-create")),
    *((part, key) for part in ("sub-interface", "loopback") for key in ("qos", "l3xc", "punt-redirect", "vrrp")),
    *(("bridge", "arp-entries"), ("vrf", "label")),
    *(("gre", "neighbors"), ("ipip", "neighbors"), ("tunnel-next-hop", "address"), ("tunnel-next-hop", "vrf")),
    *(("lldp", "system-name"), ("lldp", "hold"), ("lldp", "interval")),
}
"""What stays when a file does not say it any more, or goes with what it is on."""
FACTS = Facts(
    plugins=frozenset(
        [
            *("abf", "acl", "af_packet", "det44", "dhcp", "flowprobe", "gre", "gre_key", "gso", "ipip", "l3xc"),
            *("lacp", "linux_cp", "lldp", "lldp_settings", "memif", "mss_clamp", "nat", "sflow", "sflow_direction"),
            *(
                "osi",
                "policer",
                "tap",
                "urpf",
                "urpf_dump",
                "vhost",
                "vrrp",
                "vxlan",
                "wireguard",
                "wireguard_preshared_key",
            ),
        ]
    )
)


def state_of(text: str) -> State:
    """Return the state of a VPP to which a file was applied."""
    loaded = parse_text(text, "file")
    assert loaded.configuration is not None, loaded.problems
    before = replace(assumed_state(loaded.configuration), facts=FACTS)
    resolution = resolve(loaded.configuration, before)
    assert resolution.problems == ()
    return make_plan(before, resolution.desired).reached


def shown(before: State, after: State) -> list[str]:
    return [line.text for line in difference_lines(before, after)]


def keys_shown(lines: list[str], heading: str) -> set[str]:
    """Return the keys that are told below headings."""
    found: set[str] = set()
    is_meant = False
    for line in lines:
        if not line.startswith(" "):
            is_meant = re.fullmatch(heading, line[2:].partition("  ")[0]) is not None
        elif is_meant and not line.lstrip().startswith("#"):
            found |= set(re.findall(r"([a-z0-9][a-z0-9-]*)(?=:|\.[a-z])", line))
    return found


@pytest.mark.parametrize(("before", "after"), [(BARE, EVERY_KEY), (EVERY_KEY, BARE)], ids=["it comes", "it goes"])
def test_every_key_of_the_schema_can_appear(before: str, after: str) -> None:
    lines = shown(state_of(before), state_of(after))
    parts = Acceptance(assets.find(SCHEMA).read_text(encoding="utf-8")).keys()
    assert {part for part in parts if not part.startswith("dataplane")} - OF_NO_VPP == HEADINGS.keys()
    wanted = {(part, key) for part in HEADINGS for key in parts[part]} - NEVER_SHOWN.keys()
    lacking = {(part, key) for part, key in wanted if key not in keys_shown(lines, HEADINGS[part])}
    assert lacking == (set() if after == EVERY_KEY else LEFT)


def test_what_is_shown_of_a_new_entry_can_be_typed() -> None:
    created = [line for line in shown(state_of(BARE), state_of(EVERY_KEY)) if not line.startswith("    #")]
    start = created.index("+ taps.tap0")
    body = "\n".join(created[start + 1 : start + 5])
    assert parse_text(f"{BARE}\ntaps:\n  tap0:\n{body}\n", "file").configuration is not None


BRIDGED = f"""{BARE}
bridgedomains:
  bd7: {{ mtu: 1500, interfaces: [ eth1 ], static-macs: {{ "02:00:00:00:00:07": eth1 }} }}
"""
MEMBERLESS = f"{BARE}\nbridgedomains: {{ bd7: {{}} }}\n"
LEAVING = ["~ bridgedomains.bd7", "    - interfaces: eth1", "    - static-macs: { '02:00:00:00:00:07': eth1 }"]


def test_a_static_mac_that_outlives_its_membership_is_told() -> None:
    before, gone = state_of(BRIDGED), state_of(MEMBERLESS)
    assert shown(before, gone) == LEAVING
    macs = before.interfaces["eth1"].static_macs
    kept = replace(gone, interfaces={**gone.interfaces, "eth1": evolve(gone.interfaces["eth1"], static_macs=macs)})
    remark = "static macs where it is no member: {} -> {}"
    entry = "(bd id 7, mac 02:00:00:00:00:07)"
    assert shown(before, kept) == ["~ interfaces.eth1", f"    # {remark.format('none', entry)}", *LEAVING]
    told = ["~ interfaces.eth1", f"    # {remark.format(entry, 'none')}"]
    assert shown(kept, gone) == told
    coming = [each.replace("- ", "+ ") for each in LEAVING]
    assert shown(kept, before) == [*told, *coming]


def test_a_mac_address_of_a_bridge_domain_for_what_is_gone_is_told() -> None:
    state = state_of(MEMBERLESS)
    stray = replace(state.bridges["bd7"], stray_macs=("02:00:00:00:00:07",))
    assert shown(replace(state, bridges={"bd7": stray}), state) == [
        "~ bridgedomains.bd7",
        "    # static macs of interfaces that are gone: (02:00:00:00:00:07) -> none",
    ]


def test_equal_states_differ_in_nothing() -> None:
    state = state_of(EVERY_KEY)
    assert shown(state, state) == []
    assert list(diff_lines(make_plan(state, state))) == []


def key(name: str, value: Any, **settings: bool) -> KeyValue:
    return KeyValue(name, value, **settings)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], [key("mtu", 1)], [EntryLine("mtu: 1", "+")]),
        ([key("mtu", 1)], [key("mtu", 2)], [EntryLine("mtu: 1 -> 2")]),
        ([key("mpls", False, is_default=True)], [key("mpls", True)], [EntryLine("mpls: false -> true")]),
        ([], [key("mpls", False, is_default=True)], []),
        ([key("a", ["x", "y"])], [key("a", ["y", "z"])], [EntryLine("a: x", "-"), EntryLine("a: z", "+")]),
        ([key("a", ["x", "y"])], [key("a", ["y", "x"])], [EntryLine("a: y", "+"), EntryLine("a: y", "-")]),
        ([key("a", ["x", "x"])], [key("a", ["x"])], [EntryLine("a: x", "-")]),
        (
            [key("terms", [(key("action", "deny"),)], is_block=True)],
            [key("terms", [(key("action", "permit"),), (key("action", "deny"),)], is_block=True)],
            [EntryLine("terms: { action: permit }  # term 1", "+")],
        ),
        (
            [key("h", (key("a", 1), key("b", 2)))],
            [key("h", (key("b", 3),))],
            [EntryLine("h.a: 1", "-"), EntryLine("h.b: 2 -> 3")],
        ),
        (
            [key("a", 1), key("d", 1)],
            [key("a", 1), key("b", 1), key("d", 2)],
            [EntryLine("b: 1", "+"), EntryLine("d: 1 -> 2")],
        ),
        ([key("lcp", "e0")], [key("lcp", (key("name", "e0"),))], [EntryLine("lcp: e0 -> { name: e0 }")]),
    ],
)
def test_an_entry_differs_key_by_key(before: list[KeyValue], after: list[KeyValue], expected: list[EntryLine]) -> None:
    assert entry_difference(before, after) == expected


def test_a_long_list_that_moves_is_compared_in_no_time() -> None:
    terms = [(key("action", "permit"), key("source-port", port)) for port in range(20_000)]
    fewer = terms[1::2]
    assert len(entry_difference([key("terms", terms)], [key("terms", fewer)])) == 10_000


def test_of_too_many_entries_those_that_traffic_feels_are_shown_and_the_rest_is_counted() -> None:
    before = state_of("interfaces: { eth1: { addresses: [ 192.0.2.1/24 ] }, eth2: {}, eth10: {} }")
    after = state_of("interfaces: { eth1: {}, eth2: { mtu: 9000 }, eth10: { mtu: 9000 } }")
    lines = [line.text for line in diff_lines(make_plan(before, after), most=1)]
    assert [line for line in lines if line[:1] in "~!+-…"] == [
        "~ interfaces.eth1                       remove",
        "… and 2 more entries; `vppcfg diff` shows all",
    ]
    assert lines[-2] == "0 to create, 3 to change, 0 to replace, 0 to remove"
