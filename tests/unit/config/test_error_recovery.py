"""A file full of mistakes: all are told at once, each where it stands, and nothing that would depend on another."""

import pytest

from vppcfg.config.load import parse_text

"""Beside it stands what is found in it, each where it stands."""
"""What is of a wrong shape, and what its writer meant."""


def test_a_misspelt_key_hides_what_hangs_on_the_key_that_was_meant() -> None:
    text = "interfaces: {a: {l2xc: b, mtu: 9000}, b: {l2xc: a, mut: 9000}}"
    assert [problem.rule for problem in parse_text(text, "file").problems] == ["schema-unknown-key"]


def test_the_items_of_a_list_with_a_wrong_one_keep_their_places() -> None:
    text = "interfaces: {a: {addresses: [ nonsense, 192.0.2.1/24, 192.0.2.1/24 ]}}"
    problems = parse_text(text, "file").problems
    assert [(problem.path[-1], problem.rule) for problem in problems] == [(0, "schema-value"), (2, "address-duplicate")]


def test_an_empty_rest_of_a_list_is_not_taken_for_an_empty_list() -> None:
    text = "interfaces: {a: {unnumbered: loop0}}\nloopbacks: {loop0: {addresses: [ nonsense ]}}"
    assert [problem.rule for problem in parse_text(text, "file").problems] == ["schema-value"]


@pytest.mark.parametrize(
    ("key", "rule", "path"),
    [
        ("policy-routes: [ { acl: a } ]", "schema-missing-key", ("policy-routes", 0, "via")),
        ("policy-routes: [ { acl: 5, via: 192.0.2.9 } ]", "schema-value", ("policy-routes", 0, "acl")),
        ("l3xc: { ipv4: {} }", "schema-missing-key", ("l3xc", "ipv4", "interface")),
        ("l3xc: { ipv4: 5 }", "schema-type", ("l3xc", "ipv4")),
        ("punt-redirect: { ipv4: {} }", "schema-missing-key", ("punt-redirect", "ipv4", "interface")),
        ("vrrp: { 5: {} }", "schema-missing-key", ("vrrp", 5, "addresses")),
    ],
)
@pytest.mark.parametrize(
    ("before", "entry"),
    [
        ("interfaces: { eth0: { %s } }", ("interfaces", "eth0")),
        ("interfaces: { eth0: { sub-interfaces: { 5: { %s } } } }", ("interfaces", "eth0", "sub-interfaces", 5)),
        ("loopbacks: { loop0: { %s } }", ("loopbacks", "loop0")),
    ],
)
def test_a_key_that_lacks_a_part_hides_itself_alone(
    before: str, entry: tuple[str | int, ...], key: str, rule: str, path: tuple[str | int, ...]
) -> None:
    problems = parse_text(before % f"{key}, addresses: [ 192.0.2.1/24, 192.0.2.1/24 ]", "file").problems
    assert {(problem.rule, problem.path) for problem in problems} == {
        (rule, (*entry, *path)),
        ("address-duplicate", (*entry, "addresses", 1)),
    }


def rules_of(text: str) -> list[str]:
    return [problem.rule for problem in parse_text(text, "file").problems]


@pytest.mark.parametrize(
    "text",
    [
        "interfaces: 5\nlldp: { system-name: a }",
        "interfaces: { a: { lldpp: true } }\nlldp: { system-name: a }",
        "interfaces: { a: { addresses: [ 192.0.2.1/24 ], proxy-arp: true } }\nproxy_arp: { ranges: 5 }",
        "interfaces: 5\nroutes: { 10.0.0.0/8: 192.0.2.2 }",
        "interfaces: { a: { addresses: [ nonsense ] } }\nroutes: { 10.0.0.0/8: 10.0.0.1 }",
        "nat44: 5\nprotected: [ 'nat44:web' ]",
        "interfaces: 5\ndataplane: { dpdk: { devices: { '0000:02:00.0': {} } } }",
    ],
)
def test_nothing_is_missed_that_a_mistake_may_hide(text: str) -> None:
    (found,) = rules_of(text)
    assert found.startswith("schema")


def test_a_neighbour_of_a_tunnel_without_its_next_hop_hides_itself_alone() -> None:
    tunnel = "local: 192.0.2.1, multipoint: true, neighbors: { 10.0.0.2: {} }"
    text = f"gre_tunnels: {{ gre0: {{ {tunnel} }} }}\ninterfaces: {{ gre0: {{ addresses: [ 10.0.0.1/24 ] }} }}\n"
    (problem,) = parse_text(text, "file").problems
    assert (problem.rule, problem.path[-2:]) == ("schema-missing-key", ("10.0.0.2", "address"))


def test_a_prefix_list_with_a_wrong_member_is_judged_and_so_are_the_terms_that_name_it() -> None:
    text = """
prefixlists:
  any: { members: [ nonsense, 192.0.2.0/24 ] }
  known: { members: [ 192.0.2.0/24, nonsense ], descripton: x }
acls:
  a:
    terms:
      - { action: permit, source: known, destination: nolist }
      - { action: permit, source: known, family: ipv6 }
      - { action: permit, source: known, destination: 2001:db8::/32, family: ipv4 }
"""
    assert sorted(rules_of(text)) == [
        "acl-destination-empty",
        "acl-destination-empty",
        "prefixlist-any",
        "schema-unknown-key",
        "schema-value",
        "schema-value",
    ]
    assert "acl-source-empty" in rules_of(text.replace(", nonsense", "").replace("nonsense, ", ""))


def test_a_prefix_list_without_its_members_hides_what_depends_on_them_alone() -> None:
    for members in ("members: 5", "membrs: [ 192.0.2.0/24 ]"):
        text = f"prefixlists: {{known: {{{members}}}, any: {{{members}}}}}\n"
        text += "acls: {a: {terms: [{action: permit, source: known, family: ipv6}]}}"
        assert "prefixlist-any" in rules_of(text)
        assert "acl-source-empty" not in rules_of(text)


PORTS = "interfaces: {TenGigabitEthernet1/0/0: {device-type: dpdk, mtu: 9000}}\n"


def test_a_wrong_key_of_the_dataplane_hides_only_what_depends_on_it() -> None:
    text = (
        PORTS
        + """
dataplane:
  cpu: { main-core: 2, workers: [ 2, 3 ], isolate: perhaps }
  memory: { main-heap: 1Q }
  buffers: { data-size: many }
  dpdk:
    multi-seg: false
    default: { rx-queues: 4 }
    devices:
      "0000:01:00": {}
      "0000:01:00.0": { rx-queues: x, workers: [ 0, 1 ] }
      "0000:02:00.0": { workers: [ 0, 0 ] }
"""
    )
    found = [(problem.rule, problem.path[1:]) for problem in parse_text(text, "file").problems]
    assert found == [
        ("cpu-main-is-worker", ("cpu", "workers")),
        ("schema-value", ("cpu", "isolate")),
        ("schema-value", ("memory", "main-heap")),
        ("schema-type", ("buffers", "data-size")),
        ("dataplane-pci-address", ("dpdk", "devices", "0000:01:00")),
        ("schema-value", ("dpdk", "devices", "0000:01:00.0", "rx-queues")),
        ("device-interface", ("dpdk", "devices", "0000:02:00.0")),
        ("queue-workers", ("dpdk", "devices", "0000:02:00.0", "workers")),
        ("queue-workers", ("dpdk", "devices", "0000:02:00.0", "workers")),
    ]
    assert "interface-device" in rules_of(PORTS + 'dataplane: {dpdk: {devices: {"0000:02:00.0": {}}}}')
    assert "interface-device" not in rules_of(PORTS + 'dataplane: {dpdk: {devices: {"0000:01:00": {}}}}')


def test_a_plugin_that_cannot_be_read_may_be_the_one_that_is_missing() -> None:
    text = PORTS.replace("mtu: 9000", "mtu: 9000, lcp: e0")
    assert "plugin-missing" in rules_of(text + "dataplane: {plugins: [ ping ]}")
    assert "plugin-missing" not in rules_of(text + "dataplane: {plugins: [ ping, 5 ]}")
