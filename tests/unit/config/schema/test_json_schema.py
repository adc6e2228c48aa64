"""The JSON Schema for editors: it accepts and refuses the same files as the schema that it is made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tests.laws.examples import examples
from tests.unit.config.schema.test_check import EVERYTHING
from vppcfg import assets
from vppcfg.config.explain import explanations
from vppcfg.config.load import parse, parse_text
from vppcfg.config.schema.check import check_shape
from vppcfg.config.schema.json_schema import FILE, as_document, describe, json_schema, tables_in
from vppcfg.entries.yaml.reader import read_document

SCHEMA: dict[str, Any] = json.loads(assets.find(FILE).read_text())
VALIDATOR = Draft7Validator(SCHEMA)
DOCS = Path(__file__).parents[4] / "docs"
DOCUMENTS = [(DOCS / name).read_text() for name in ("configuration.md", "tuning.md")]
NAME_RULES = {
    *("interface-name", "loopback-id", "bond-id", "bd-id", "bd-zero", "vxlan-id", "tap-id", "acl-name", "macip-name"),
    *("prefixlist-name", "sub-id", "gre-id", "ipip-id", "wireguard-id", "wireguard-peer-name", "vrf-name"),
    "host-interface-name",
    "memif-name",
    "vhost-user-name",
}


def as_json(data: Any) -> Any:
    """Return data as an editor sees it: keys are text."""
    if isinstance(data, dict):
        return {str(key): as_json(value) for key, value in data.items()}
    return [as_json(item) for item in data] if isinstance(data, list) else data


def editor_accepts(data: Any) -> bool:
    return VALIDATOR.is_valid(as_json(data))


def check_accepts(data: Any) -> bool:
    """Return whether the shape is right, names included."""
    shape = check_shape({} if data is None else data)
    named = parse(data, [problem.path for problem in shape]).problems
    return not shape and not any(problem.rule in NAME_RULES for problem in named)


def test_the_schema_is_up_to_date() -> None:
    assert assets.find(FILE).read_text() == as_document(DOCUMENTS), "run `make docs`"


def test_editors_show_what_the_documents_say_of_a_key() -> None:
    interface = SCHEMA["definitions"]["interface"]["properties"]
    assert interface["mtu"]["description"] == "bytes, 128 to 9216; absent: 1500"
    assert interface["ra"]["description"] == "what to advertise as a router; {} for the default; absent: none"
    assert SCHEMA["properties"]["taps"]["description"] == "TAPs: wires into Linux"
    loopback = SCHEMA["definitions"]["loopback"]["properties"]
    assert loopback["mac"]["description"] == "a MAC address; absent: left as it is; VPP derives it from the number"
    assert loopback["lcp"] == interface["lcp"]


def test_every_map_with_a_table_of_its_own_is_described() -> None:
    silent = {
        name
        for name, part in SCHEMA["definitions"].items()
        if not any("description" in key for key in part["properties"].values())
    }
    assert silent == {
        *(
            *("acl", "macip-acl", "dataplane", "dhcp-client", "dhcp-relay", "flow-records", "interface-acls", "l3xc"),
            *("lcp", "neighbor-table", "punt-redirect", "mirror"),
        ),
        *(
            "mss-clamp",
            "mss-limit",
            "nat44-exempt",
            "police-each",
            "police-hosts",
            "policer-excess",
            "port-lldp",
            "ra-prefix",
            "urpf",
            "vpn-label",
        ),
    }


def test_a_table_of_other_keys_describes_nothing() -> None:
    of_tables = "| key | value | absent means |\n|---|---|---|\n| `id`, `ipv4`, `ipv6`, `mtu` | a number | none |\n"
    schema = json_schema()
    describe(schema, [of_tables])
    assert "description" not in json.dumps(schema["definitions"]["mss-clamp"])
    assert list(tables_in("| key | here |\n|---|---|\n| `ip` | written `addresses` |\n")) == []


def test_the_schema_is_a_schema() -> None:
    Draft7Validator.check_schema(json_schema())


@pytest.mark.parametrize("data", [EVERYTHING, {}, None, {"interfaces": None, "acls": None, "protected": None}])
def test_what_is_right_is_accepted(data: Any) -> None:
    assert list(VALIDATOR.iter_errors(as_json(data))) == []


def test_a_number_is_the_name_of_a_sub_interface_for_an_editor_that_takes_keys_as_yaml_does() -> None:
    assert list(VALIDATOR.iter_errors({"interfaces": {"eth0": {"sub-interfaces": {100: {"mtu": 1500}}}}})) == []


def test_the_examples_of_the_rules_are_accepted() -> None:
    for rule, entry in explanations().items():
        if entry.mends is not None and not entry.needs_fleet:  # those are several files, and fleet.yml among them
            assert list(VALIDATOR.iter_errors(as_json(read_document(entry.mends.encode()).data))) == [], rule


@pytest.mark.parametrize(
    "rule", ["schema-unknown-key", "schema-missing-key", "schema-type", "schema-value", *sorted(NAME_RULES)]
)
def test_the_broken_shapes_of_the_rules_are_refused(rule: str) -> None:
    broken = explanations()[rule].breaks
    assert broken is not None
    assert not editor_accepts(read_document(broken.encode()).data)


ADDRESSES = st.sampled_from(
    [
        "192.0.2.1/24", "192.0.2.1", "0.0.0.0/0", "255.255.255.255/32", "192.0.2.1/255.255.255.0", "2001:DB8::1/64",
        "::/0", "::1", "1:2:3:4:5:6:7:8/128", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8", "::ffff:192.0.2.1/96",
        "1:2:3:4:5:6:192.0.2.1", "fe80::1/064", "192.0.2.1/33", "192.0.2.256", "192.0.2", "1.2.3.4.5", "01.2.3.4",
        "::1/129", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::1", "g::1", "::1%eth0", ":::", ":", "/24",
        "192.0.2.1/", "192.0.2.1/x", " 192.0.2.1", "1::2:3:4:5:6:7:8", "::192.0.2.256",
    ]
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(address=ADDRESSES)
def test_addresses_are_known_by_their_pattern(address: str) -> None:
    for data in ({"interfaces": {"eth0": {"addresses": [address]}}}, {"prefixlists": {"a": {"members": [address]}}}):
        assert editor_accepts(data) == check_accepts(data)


LEAVES = st.sampled_from(
    [
        0, 1, -1, 100, 1500, 99999, 2**33, 1.5, True, False, None, "", "x y", "a", "A", "up", "any", "eth0", "loop0",
        "192.0.2.1/24", "192.0.2.1", "2001:db8::1", "02:00:5e:00:53:01", "0200.5E00.5301", "tcp", "xor", "permit",
        'a"b', "x" * 65, "a" * 57, "bd10", "acl:x",
    ]
)  # fmt: skip
NAMES = st.sampled_from(
    [
        "eth0", "a b", "loop0", "loop01", "BondEthernet0", "bd1", "bd0", "bd1x", "vxlan_tunnel0", "tap0", "tapx",
        "a", "A",
    ]
)  # fmt: skip
"""Numbers are left out: an editor takes them for text, where vppcfg asks for quotes."""


def values_for(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that are mostly what a part of the schema asks for."""
    if "$ref" in schema:
        return values_for(SCHEMA["definitions"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return st.one_of(LEAVES, *(values_for(choice) for choice in schema["anyOf"]))
    if "enum" in schema:
        return st.one_of(st.sampled_from(schema["enum"]), LEAVES)
    if "properties" in schema:
        return st.one_of(_maps_for(schema), _maps_for(schema), LEAVES)
    if "object" in schema.get("type", ()):
        names = st.integers(-1, 5000) if "[1-9][0-9]*" in str(schema.get("propertyNames")) else NAMES
        entries = values_for(schema["additionalProperties"])
        return st.one_of(st.dictionaries(names, entries, max_size=2), st.dictionaries(NAMES, entries, max_size=2))
    if "items" in schema:
        return st.one_of(st.lists(values_for(schema["items"]), max_size=2), LEAVES)
    if "minimum" in schema:
        return st.one_of(st.integers(schema["minimum"] - 1, schema.get("maximum", 10**9) + 1), LEAVES)
    return LEAVES


def _maps_for(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    keys = {key: values_for(value) for key, value in schema["properties"].items()}
    required = {key: keys[key] for key in schema.get("required", ())}
    rest = {key: value for key, value in keys.items() if key not in required}
    return st.fixed_dictionaries(required, optional={**rest, "mtuu": LEAVES})


SECTIONS = {key: value for key, value in SCHEMA["properties"].items() if key != "dataplane"}
"""The values of `dataplane` follow rules of their own that no pattern can say."""


@pytest.mark.parametrize("section", SECTIONS)
@examples(8)
@given(data=st.data())
def test_both_schemas_judge_alike(section: str, data: st.DataObject) -> None:
    document = {section: data.draw(values_for(SECTIONS[section]))}
    assert editor_accepts(document) == check_accepts(document), document


def test_the_dataplane_section_is_known() -> None:
    text = """
dataplane:
  cpu: { main-core: 1, workers: [ 2, 3 ], isolate: true }
  memory: { main-heap: 2G, hugepage-size: auto }
  buffers: { per-numa: 128000 }
  plugins: [ dpdk, linux_cp ]
  unix: { exec: /etc/vpp/bootstrap.vpp }
"""
    assert parse_text(text, "test").problems == ()
    document = read_document(text.encode()).data
    assert editor_accepts(document)
    assert not editor_accepts({"dataplane": {"cpu": {"main-core": "one"}}})
    assert not editor_accepts({"dataplane": {"cpus": {}}})
