"""The shape of files: yamale's verdict, in our words and with exact paths."""

from __future__ import annotations

from typing import Any

import pytest
import yamale
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.examples import examples
from vppcfg.config.load import parse_text
from vppcfg.config.schema.check import check_shape, shape
from vppcfg.entries.words import is_group_name, is_isolate
from vppcfg.model.interface import DEVICE_TYPES
from vppcfg.model.problem import KeyPath, Severity

EVERYTHING: dict[str, Any] = {
    "interfaces": {
        "TenGigabitEthernet1/0/0": {
            "description": "uplink to the north",
            "device-type": "dpdk",
            "lcp": {"name": "e0", "netns": "dataplane"},
            "mtu": 9000,
            "addresses": ["192.0.2.1/24", "2001:db8::1/64"],
            "state": "up",
            "sub-interfaces": {
                100: {
                    "description": "customer",
                    "lcp": "e0.100",
                    "mtu": 1500,
                    "addresses": [],
                    "state": "down",
                    "encapsulation": {"dot1q": 1, "inner-dot1q": 4095, "exact-match": True},
                },
                101: {"encapsulation": {"dot1ad": 1}, "l2xc": "eth0"},
            },
        },
        "eth0": {"l2xc": "TenGigabitEthernet1/0/0.101"},
        "eth1": None,
        "eth2": {
            "mac": "02:00:5e:00:53:01",
            "unnumbered": "loop0",
            "mpls": True,
            "sflow": True,
            "acls": {"input": "in", "output": ["a", "b"]},
        },
    },
    "loopbacks": {"loop0": {"addresses": ["192.0.2.9"], "lcp": "loop0"}, "loop1": None},
    "bondethernets": {"BondEthernet0": {"interfaces": ["eth1"], "mode": "xor", "load-balance": "l2"}},
    "bridgedomains": {"bd10": {"bvi": "loop1", "interfaces": ["eth0"], "settings": {"learn": False}}, "bd11": None},
    "vxlan_tunnels": {"vxlan_tunnel0": {"local": "2001:db8::1", "remote": "2001:db8::2", "vni": 1}},
    "taps": {"tap0": {"host": {"name": "vpp0", "bridge": "br0", "bridge-create": True}, "rx-ring-size": 512}},
    "prefixlists": {"trusted": {"members": ["192.0.2.1", "10.0.0.1/8", "2001:db8::/32"]}, "none": None},
    "acls": {"in": {"terms": [{"action": "permit+reflect", "source": "trusted", "destination-port": -1024}]}},
    "sflow": {"sampling-rate": 1000},
    "protected": ["eth0"],
    "unmanaged": ["loop*", "bd10", "acl:other"],
}


def term(**keys: object) -> dict[str, object]:
    return {"acls": {"a": {"terms": [{"action": "deny", **keys}]}}}


def found(data: Any) -> list[tuple[str, KeyPath, str]]:
    return sorted(((problem.rule, problem.path, problem.text) for problem in check_shape(data)), key=str)


def only(entry: Any) -> tuple[str, KeyPath, str]:
    ((rule, path, text),) = found({"interfaces": {"eth0": entry}})
    return rule, path[2:], text


@pytest.mark.parametrize("data", [EVERYTHING, {}, {"interfaces": {}}, {"interfaces": None, "unmanaged": None}])
def test_a_good_shape_has_no_problem(data: Any) -> None:
    assert found(data) == []


@pytest.mark.parametrize("value", ["2", "0", "1.0", "one"])
def test_a_file_of_a_later_version_is_refused_with_a_line_that_says_so(value: str) -> None:
    (problem,) = parse_text(f"version: {value}\ninterfaces: {{ eth0: {{ mtu: 1500 }} }}\n", "r.yaml").problems
    assert problem.rule == "schema-value" and (problem.line, problem.column) == (1, 10)
    assert problem.text == (f"`{value}` is not version 1 of the language; a later one takes a later vppcfg than this")


def test_the_version_of_this_language_changes_nothing() -> None:
    text = "interfaces: { eth0: { mtu: 1500 } }\n"
    with_version = parse_text(f"version: 1\n{text}", "r.yaml")
    assert (with_version.problems, with_version.configuration) == ((), parse_text(text, "r.yaml").configuration)


def test_absent_keys_may_be_written_with_nothing() -> None:
    keys = ("description", "device-type", "lcp", "mtu", "addresses", "l2xc", "state", "sub-interfaces")
    assert found({"interfaces": {"eth0": dict.fromkeys(keys)}}) == []


@pytest.mark.parametrize("data", [[], "text", 5, True, 1.5])
def test_a_file_is_a_map(data: Any) -> None:
    ((rule, path, _),) = found(data)
    assert (rule, path) == ("schema-type", ())


@pytest.mark.parametrize(
    ("entry", "rule", "path", "words"),
    [
        ({"mtu": "9000"}, "schema-type", ("mtu",), "`9000` is text, because it is in quotes; remove them"),
        ({"mtu": True}, "schema-type", ("mtu",), "the truth value true is not a whole number"),
        (
            {"sub-interfaces": {1: {"encapsulation": {"dot1q": 1, "inner-dot1q": "any"}}}},
            "schema-type",
            ("sub-interfaces", 1, "encapsulation", "inner-dot1q"),
            "listed in `unmanaged`",
        ),
        ({"vrf": 10}, "schema-value", ("vrf",), "the number 10, which is no name of a VRF"),
        ({"mtu": 1500.0}, "schema-type", ("mtu",), "is not a whole number"),
        ({"mtu": "x" * 9000}, "schema-type", ("mtu",), "...` is not a whole number"),
        ({"mtu": 127}, "schema-value", ("mtu",), "127 is less than 128"),
        ({"mtu": 9217}, "schema-value", ("mtu",), "9217 is greater than 9216"),
        ({"state": "UP"}, "schema-value", ("state",), "`UP` is none of 'up', 'down'"),
        ({"state": True}, "schema-value", ("state",), "the truth value true is none of"),
        ({"device-type": "dpkd"}, "schema-value", ("device-type",), "`dpkd` is none of 'dpdk', "),
        ({"description": 5}, "schema-type", ("description",), "`5` is not text; put it in quotes"),
        ({"description": 'a "b"'}, "schema-value", ("description",), "no quotes are allowed here"),
        ({"description": "it's"}, "schema-value", ("description",), "no quotes are allowed here"),
        ({"addresses": "192.0.2.1/24"}, "schema-type", ("addresses",), "is not a list"),
        ({"addresses": {}}, "schema-type", ("addresses",), "is not a list"),
        ({"addresses": ["192.0.2.1/24", 5]}, "schema-value", ("addresses", 1), "`5` is no address"),
        ({"addresses": [None]}, "schema-value", ("addresses", 0), "an empty value is no address"),
        ({"l2xc": "a b"}, "schema-value", ("l2xc",), "`a b` cannot be the name of an interface"),
        ({"lcp": "0E"}, "schema-value", ("lcp",), "`0E` is no LCP name"),
        ({"lcp": ["e0"]}, "schema-value", ("lcp",), "is no LCP name"),
        ({"lcp": {}}, "schema-missing-key", ("lcp", "name"), "`name` is missing"),
        ({"lcp": {"name": "0E"}}, "schema-value", ("lcp", "name"), "`0E` is no LCP name"),
        ({"lcp": {"name": "e0", "netns": "a/b"}}, "schema-value", ("lcp", "netns"), "`a/b` is no namespace"),
        ({"lcp": {"name": "e0", "nets": "a"}}, "schema-unknown-key", ("lcp", "nets"), "did you mean `netns`?"),
        ({"sub-interfaces": []}, "schema-type", ("sub-interfaces",), "an empty list is not a map"),
        ({"sub-interfaces": {1: 5}}, "schema-type", ("sub-interfaces", 1), "`5` is not a map"),
        ({"sub-interfaces": {1: {"mtu": 1}}}, "schema-value", ("sub-interfaces", 1, "mtu"), "1 is less than 128"),
        ({"sub-interfaces": {1: {"device-type": "dpdk"}}}, "schema-unknown-key", (..., "device-type"), "unknown key"),
        ({"sub-interfaces": {1: {"encapsulation": 5}}}, "schema-type", (..., "encapsulation"), "is not a map"),
        ({"sub-interfaces": {1: {"encapsulation": {"dot1q": 0}}}}, "schema-value", (..., "dot1q"), "0 is less than 1"),
        (
            {"sub-interfaces": {1: {"encapsulation": {"exact-match": 1}}}},
            "schema-type",
            (..., "exact-match"),
            "neither",
        ),
        ({"adresses": []}, "schema-unknown-key", ("adresses",), "did you mean `addresses`?"),
        ({"table": 10}, "schema-unknown-key", ("table",), "unknown key `table`: it is written `vrf`, made in `vrfs`"),
        ({"rp_filter": 1}, "schema-unknown-key", ("rp_filter",), "it is written `urpf`"),
        ({"nat64": {}}, "schema-unknown-key", ("nat64",), "a line in a file for `vppcfg rest` sets it"),
        ({"acls": {"ip": "a"}}, "schema-unknown-key", ("acls", "ip"), "unknown key `ip`; the keys here are input"),
        ({"Mtu": 1}, "schema-unknown-key", ("Mtu",), "did you mean `mtu`?"),
        ({"zzz": 1}, "schema-unknown-key", ("zzz",), "the keys here are acls, addresses, description, "),
        ({5: 1}, "schema-unknown-key", (5,), "unknown key `5`"),
        ({"mpls": "on"}, "schema-type", ("mpls",), "`on` is text, because it is in quotes"),
        ({"mpls": "maybe"}, "schema-type", ("mpls",), "`maybe` is neither true nor false"),
        ({"state": True}, "schema-value", ("state",), "YAML reads on, yes and true as that; write `up`"),
        ({"state": "Up"}, "schema-value", ("state",), "; did you mean `up`?"),
        (
            {"addresses": ["192.0.2.1/0.0.0.255"]},
            "schema-value",
            ("addresses", 0),
            "wildcard mask: write `192.0.2.1/24`",
        ),
        ({"mac": 9783981296}, "schema-value", ("mac",), "YAML reads this as the number 9783981296"),
        ({"mac": "02:00:5e"}, "schema-value", ("mac",), "`02:00:5e` is no MAC address"),
        ({"mac": 37315000}, "schema-value", ("mac",), "; put it in quotes"),
        ({"mac": True}, "schema-value", ("mac",), "the truth value true is no MAC address such as 02:00:5e:00:53:01"),
        ({"unnumbered": "a b"}, "schema-value", ("unnumbered",), "cannot be the name of an interface"),
        ({"acls": "a"}, "schema-type", ("acls",), "is not a map"),
        ({"l3xc": {"ipv4": "a"}}, "schema-type", ("l3xc", "ipv4"), "`a` is not a map"),
        ({"l3xc": {"ipv4": {"interface": 5}}}, "schema-value", ("l3xc", "ipv4", "interface"), "cannot be the name"),
        ({"acls": {"inptu": "a"}}, "schema-unknown-key", ("acls", "inptu"), "did you mean `input`?"),
        ({"acls": {"input": "A"}}, "schema-value", ("acls", "input"), "`A` is no name of a list or policer"),
        ({"acls": {"input": 5}}, "schema-value", ("acls", "input"), "`5` is no name of a list or policer"),
        ({"acls": {"input": ["a", "B"]}}, "schema-value", ("acls", "input", 1), "`B` is no name of a list or policer"),
        ({"a.b: c : d": 1}, "schema-unknown-key", ("a.b: c : d",), "unknown key `a.b: c : d`"),
        ({"x" * 5000: 1}, "schema-unknown-key", ("x" * 5000,), "unknown key `xxx"),
        (5, "schema-type", (), "`5` is not a map"),
    ],
)
def test_a_wrong_shape_is_told_in_words(entry: Any, rule: str, path: tuple[Any, ...], words: str) -> None:
    actual_rule, actual_path, text = only(entry)
    assert actual_rule == rule
    if path[:1] == (...,):
        assert actual_path[-1] == path[-1]
    else:
        assert actual_path == path
    assert words in text
    assert len(text) < 500


@pytest.mark.parametrize(
    "name", ["a.b", "a: b", "a : b", "interfaces", "1", ".", "a.mtu", "eth0.100.200", "a:", "a :", "a::"]
)
def test_paths_are_exact_whatever_the_names(name: str) -> None:
    data = {"interfaces": {name: {"mtu": 1, "sub-interfaces": {100: {"mtu": 2}}}, "a": {}, 1: {}}}
    assert [path for _, path, _ in found(data)] == [
        ("interfaces", name, "mtu"),
        ("interfaces", name, "sub-interfaces", 100, "mtu"),
    ]
    assert [path for _, path, _ in found({"interfaces": {name: "text"}})] == [("interfaces", name)]


@pytest.mark.parametrize(
    ("data", "rule", "path", "words"),
    [
        ({"loopbacks": {"loop0": {"l2xc": "a"}}}, "schema-unknown-key", ("loop0", "l2xc"), "unknown key `l2xc`"),
        ({"loopbacks": {"loop0": {"mtu": 9217}}}, "schema-value", ("loop0", "mtu"), "greater than 9216"),
        ({"bondethernets": {"b": {"mode": "802.3ad"}}}, "schema-value", ("b", "mode"), "is none of 'round-robin'"),
        ({"bondethernets": {"b": {"interfaces": "a"}}}, "schema-type", ("b", "interfaces"), "is not a list"),
        ({"bridgedomains": {"b": {"bvi": 5}}}, "schema-value", ("b", "bvi"), "cannot be the name"),
        ({"bridgedomains": {"b": {"settings": {"mac-age-minutes": 256}}}}, "schema-value", ..., "greater than 255"),
        ({"bridgedomains": {"b": {"settings": {"lern": True}}}}, "schema-unknown-key", ..., "did you mean `learn`?"),
        ({"vxlan_tunnels": {"v": {"local": "::1", "remote": "::2"}}}, "schema-missing-key", ("v", "vni"), "missing"),
        ({"vxlan_tunnels": {"v": None}}, "schema-type", ("v",), "an empty value is not a map"),
        ({"taps": {"t": {"rx-ring-size": 8}}}, "schema-missing-key", ("t", "host"), "missing"),
        ({"taps": {"t": {"host": {"name": "Tap 0"}}}}, "schema-value", ("t", "host", "name"), "no LCP name"),
        ({"prefixlists": {"p": {"members": ["10.0.0.0/33"]}}}, "schema-value", ("p", "members", 0), "no address or"),
        ({"acls": {"a": {}}}, "schema-missing-key", ("a", "terms"), "missing"),
        ({"acls": {"a": {"terms": []}}}, "schema-value", ("a", "terms"), "the list is empty"),
        ({"acls": {"a": {"terms": [{}]}}}, "schema-missing-key", ("a", "terms", 0, "action"), "missing"),
        ({"acls": {"a": {"terms": [{"action": "drop"}]}}}, "schema-value", ..., "`drop` is none of 'permit'"),
        ({"acls": {"a": {"terms": [{"action": "deny", "source": 5}]}}}, "schema-value", ..., "`5` is neither an add"),
        ({"acls": {"a": {"terms": [{"action": "deny", "protocol": 1.5}]}}}, "schema-value", ..., "neither the number"),
        (term(action="allow"), "schema-value", ..., "; did you mean `permit`?"),
        ({"interfaces": {"eth0": {"nat44": "out"}}}, "schema-value", ..., "; did you mean `outside`?"),
        (
            {"acls": {"a": {"terms": [{"action": "deny", "x": 1}]}}},
            "schema-unknown-key",
            ...,
            "the keys here are action,",
        ),
        (
            {"acls": {"a": {"terms": [{"action": "deny", "source": "192.0.2.1/0.0.0.255"}]}}},
            "schema-value",
            ...,
            "192.0.2.0/24",
        ),
        (
            {"acls": {"a": {"terms": [{"action": "deny", "icmp-type": []}]}}},
            "schema-value",
            ...,
            "an empty list is neither a",
        ),
        ({"sflow": {"sampling-rate": -1}}, "schema-value", ("sampling-rate",), "-1 is less than 0"),
        ({"protected": ["a b"]}, "schema-value", (0,), "cannot be the name of an interface"),
    ],
)
def test_sections_have_a_shape(data: dict[str, Any], rule: str, path: Any, words: str) -> None:
    ((actual_rule, actual_path, text),) = found(data)
    assert actual_rule == rule
    assert path is ... or actual_path == (*data, *path)
    assert words in text


@pytest.mark.parametrize("address", ["224.0.0.1", "0.0.0.0", "255.255.255.255", "::", "ff02::1", "10.0.0.1/32", "x", 5])
def test_a_tunnel_ends_at_a_host(address: Any) -> None:
    ((rule, path, _),) = found({"vxlan_tunnels": {"v": {"local": "10.0.0.9", "remote": address, "vni": 1}}})
    assert (rule, path[-1]) == ("schema-value", "remote")


@pytest.mark.parametrize("entry", [5, None, "", "a b", [], {}])
def test_an_unmanaged_entry_is_a_pattern(entry: Any) -> None:
    ((rule, path, _),) = found({"unmanaged": ["eth0", entry]})
    assert (rule, path) == ("schema-value", ("unmanaged", 1))


def test_the_device_types_are_those_that_planning_knows() -> None:
    for name in DEVICE_TYPES:
        assert found({"interfaces": {"eth0": {"device-type": name}}}) == []
    ((_, _, text),) = found({"interfaces": {"eth0": {"device-type": "none"}}})
    assert text == f"`none` is none of {', '.join(repr(name) for name in DEVICE_TYPES)}"


WORDS = [
    "interfaces", "unmanaged", "description", "device-type", "lcp", "mtu", "addresses", "l2xc", "state", "dot1q",
    "name", "sub-interfaces", "encapsulation", "dot1ad", "inner-dot1q", "exact-match", "netns", "eth0", "a.b", "a: b",
]  # fmt: skip
LEAVES = st.one_of(
    st.sampled_from(
        [1, 100, 1500, 99999, "up", "down", "eth0", "192.0.2.1/24", "x y", "", None, True, 1.5, 2**63, 'a"']
    ),
    st.text(max_size=5),
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(WORDS), st.integers(-1, 5000)), inner, max_size=4),
    ),
    max_leaves=20,
)
NEARLY = st.fixed_dictionaries(
    {"interfaces": st.dictionaries(st.sampled_from(["eth0", "a.b"]), ANYTHING, max_size=2)},
    optional={"unmanaged": ANYTHING, "other": ANYTHING},
)


@examples(100)
@given(data=st.one_of(ANYTHING, NEARLY))
def test_the_verdict_is_yamale_s(data: Any) -> None:
    schema = shape()
    (result,) = yamale.validate(schema, [(data, None)], strict=True, _raise_error=False)
    problems = check_shape(data)
    assert bool(problems) == bool(result.errors)
    for problem in problems:
        node = data
        for key in problem.path[:-1]:
            node = node[key]


@examples(100)
@given(data=st.one_of(ANYTHING, NEARLY))
def test_any_data_is_a_configuration_or_has_problems(data: Any) -> None:
    loaded = parse_text(yaml.safe_dump(data), "test")
    assert (loaded.configuration is None) == any(problem.severity is Severity.ERROR for problem in loaded.problems)


@pytest.mark.parametrize(
    ("value", "is_right"),
    [([0], True), ([0, 3], True), ("0-3,8", True), ([], False), ([1, 1], False), ([-1], False), ([True], False)],
)
def test_a_list_of_cpus_has_one_at_least_and_none_twice(value: object, is_right: bool) -> None:
    assert is_isolate(value) is is_right


@pytest.mark.parametrize(
    ("value", "is_right"),
    [("vpp", True), ("_vpp-1.x", True), (32 * "g", True), (33 * "g", False), ("1vpp", False), ("", False), (5, False)],
)
def test_a_group_has_a_name_that_linux_takes(value: object, is_right: bool) -> None:
    assert is_group_name(value) is is_right
