"""A file of the public vppcfg, migrated: every row of docs/migration.md, and the first plan afterwards."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vppcfg.cli.main import main
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.explain import explanations
from vppcfg.config.load import parse_text
from vppcfg.config.migration import Migration, MigrationKind, migrate
from vppcfg.config.resolve import resolve
from vppcfg.errors import ExitCode
from vppcfg.kinds.interface import SetTag
from vppcfg.model.problem import Severity
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import make_plan

LONG = "a customer whose name is longer than what fits into sixty-four characters"


def migrated(text: str) -> Migration:
    return migrate(yaml.safe_load(text))


def notes_of(migration: Migration) -> list[tuple[str, str]]:
    return [(".".join(map(str, note.path)), note.kind.value) for note in migration.notes]


def test_a_long_description_stays_and_vpp_gets_what_fits() -> None:
    found = migrated(f"interfaces: {{ eth0: {{ description: {LONG} }} }}")
    assert found.document["interfaces"]["eth0"]["description"] == LONG
    assert notes_of(found) == [("interfaces.eth0.description", "kept")]
    assert "VPP gets it as `a customer whose name is longer" in found.notes[0].text
    problems = parse_text(yaml.safe_dump(found.document), "new").problems
    assert {problem.severity for problem in problems} <= {Severity.NOTICE}


@pytest.mark.parametrize("empty", ["''", "null"])
def test_an_empty_description_is_dropped_wherever_it_stands(empty: str) -> None:
    found = migrated(
        f"interfaces: {{ eth0: {{ description: {empty}, sub-interfaces: {{ 1: {{ description: {empty} }} }} }} }}\n"
        f"loopbacks: {{ loop0: {{ description: {empty} }} }}\ntaps: {{ tap0: {{ description: {empty} }} }}\n"
    )
    assert "description" not in json.dumps(found.document)
    assert [kind for _, kind in notes_of(found)] == ["dropped"] * 4 + ["made"]


def test_link_local_addresses_are_taken_out_and_reported() -> None:
    found = migrated(
        "interfaces: { eth0: { addresses: [ 192.0.2.1/24, 'fe80::1/64' ], "
        "sub-interfaces: { 1: { addresses: [ 'FE80:0::2/64' ] } } } }\n"
        "loopbacks: { loop0: { addresses: [ 'fe80::3/10' ] } }"
    )
    assert found.document["interfaces"]["eth0"] == {
        "addresses": ["192.0.2.1/24"],
        "sub-interfaces": {1: {"state": "up"}},
    }
    assert found.document["loopbacks"] == {"loop0": {}}
    assert notes_of(found) == [
        ("interfaces.eth0.addresses", "dropped"),
        ("interfaces.eth0.sub-interfaces.1.addresses", "dropped"),
        ("loopbacks.loop0.addresses", "dropped"),
        ("interfaces.eth0.sub-interfaces.1", "made"),
    ]


def test_the_link_local_address_that_vpp_has_is_kept() -> None:
    found = migrated("interfaces: { eth0: { addresses: [ 'fe80::1/128', 'fe80::2/128', 'fe80::3/64' ] } }")
    assert found.document["interfaces"]["eth0"] == {"link-local": "fe80::2"}
    assert [(note.kind, note.text) for note in found.notes] == [
        (MigrationKind.DROPPED, "fe80::1/128 is link-local, and VPP has only the last one of an interface"),
        (MigrationKind.MOVED, "fe80::2/128 is written `link-local: fe80::2`"),
        (
            MigrationKind.DROPPED,
            "VPP has refused fe80::3/64, for a link-local address has no length; `link-local: fe80::3` sets it",
        ),
    ]


def test_loopbacks_below_interfaces_move_with_what_they_have() -> None:
    found = migrated(
        "interfaces: { loop0: { lcp: loop0, mtu: 9000, addresses: [ 192.0.2.1/32 ], state: up }, eth0: {} }\n"
        "loopbacks: { loop0: { mtu: 1500 }, loop1: {} }"
    )
    assert found.document == {
        "interfaces": {"eth0": {}},
        "loopbacks": {
            "loop0": {"mtu": 1500, "lcp": "loop0", "addresses": ["192.0.2.1/32"], "state": "up"},
            "loop1": {},
        },
    }
    assert sorted(notes_of(found)) == [
        ("interfaces.loop0", "moved"),
        ("interfaces.loop0.mtu", "dropped"),
    ]


def test_loopbacks_are_a_section_when_there_was_none() -> None:
    found = migrated("interfaces: { loop0: {}, loop12: { lcp: x } }")
    assert found.document == {"loopbacks": {"loop0": {}, "loop12": {"lcp": "x"}}}


STRICTER = [
    ("mac-multicast", "interfaces: { eth0: { mac: '01:00:5e:00:00:01' } }"),
    ("address-invalid-host", "interfaces: { eth0: { addresses: [ 192.0.2.0/24 ] } }"),
    ("encap-inner-alone", "interfaces: { eth0: { sub-interfaces: { 1: { encapsulation: { inner-dot1q: 5 } } } } }"),
    ("encap-no-tag", "interfaces: { eth0: { sub-interfaces: { 1: { encapsulation: { exact-match: true } } } } }"),
    ("vxlan-self", "vxlan_tunnels: { vxlan_tunnel0: { local: 192.0.2.1, remote: 192.0.2.1, vni: 1 } }"),
    (
        "bond-member-shared",
        "interfaces: { eth0: {}, BondEthernet0: {}, BondEthernet1: {} }\n"
        "bondethernets: { BondEthernet0: { interfaces: [ eth0 ] }, BondEthernet1: { interfaces: [ eth0 ] } }",
    ),
    (
        "l2xc-source-in-bridge",
        "interfaces: { eth0: { l2xc: eth1 }, eth1: {} }\nbridgedomains: { bd1: { interfaces: [ eth0 ] } }",
    ),
    ("l2-mpls", "interfaces: { eth0: { mpls: true, l2xc: eth1 }, eth1: { l2xc: eth0 } }"),
    ("sflow-not-phy", "interfaces: { BondEthernet0: { sflow: true } }\nbondethernets: { BondEthernet0: {} }"),
    *(
        (rule, str(explanations()[rule].breaks))
        for rule in (
            *("interface-name", "interface-duplicate", "vxlan-undefined", "mac-zero", "address-duplicate", "encap-id"),
            *("encap-duplicate", "qinx-lcp-parent", "linux-name-taken", "l2-unnumbered", "bvi-unnumbered"),
            *("unnumbered-not-exact-match", "vxlan-remote-own"),
        )
    ),
]
"""What the public vppcfg 1.2.4 takes by `vppcfg check`."""


@pytest.mark.parametrize(("rule", "text"), STRICTER, ids=[rule for rule, _ in STRICTER])
def test_what_vpp_refuses_is_refused_here_and_stays_for_a_person_to_mend(rule: str, text: str) -> None:
    found = migrated(text)
    problems = parse_text(yaml.safe_dump(found.document), "new").problems
    assert rule in {problem.rule for problem in problems if problem.severity is Severity.ERROR}


def test_the_stricter_rules_are_those_of_the_document() -> None:
    from tests.documents.test_blocks import ROOT

    text = (ROOT / "docs" / "migration.md").read_text()
    assert all(f"`{rule}`" in text for rule, _ in STRICTER)


OLD = f"""
interfaces:
  GigabitEthernet1/0/0:
    description: "{LONG}"
    mtu: 9000
    lcp: e0
    addresses: [ 192.0.2.1/24, "2001:db8::1/64", "fe80::1/64" ]
    sub-interfaces:
      100: {{ description: customer, mtu: 1500, lcp: e0.100, addresses: [ 198.51.100.1/24 ] }}
      200: {{ description: "" }}
  GigabitEthernet1/0/1: {{ mtu: 9000, l2xc: GigabitEthernet1/0/2 }}
  GigabitEthernet1/0/2: {{ mtu: 9000, l2xc: GigabitEthernet1/0/1 }}
  BondEthernet0: {{ description: core, mtu: 9000, lcp: be0, addresses: [ 203.0.113.1/30 ] }}
  loop0: {{ lcp: loop0, addresses: [ 203.0.113.9/32 ] }}
  vxlan_tunnel0: {{ description: far }}
bondethernets:
  BondEthernet0: {{ description: uplink, interfaces: [ GigabitEthernet2/0/0, GigabitEthernet2/0/1 ] }}
bridgedomains:
  bd10: {{ description: customers, mtu: 1500, bvi: loop10, interfaces: [ vxlan_tunnel0 ] }}
loopbacks:
  loop10: {{ description: gateway, lcp: bvi10, mtu: 1500, addresses: [ 198.51.101.1/25 ] }}
vxlan_tunnels:
  vxlan_tunnel0: {{ local: 192.0.2.1, remote: 192.0.2.2, vni: 10 }}
taps:
  tap100: {{ description: tap, host: {{ name: vpp-tap100 }} }}
"""


def test_the_first_plan_after_migration_writes_tags_only_and_costs_nothing() -> None:
    """VPP is as the public tool has made it: everything in place, and no tag anywhere."""
    loaded = parse_text(yaml.safe_dump(migrated(OLD).document), "new")
    assert loaded.configuration is not None, loaded.problems
    desired = resolve(loaded.configuration, assumed_state(loaded.configuration)).desired
    bare = replace(
        desired, interfaces={name: replace(interface, tag="") for name, interface in desired.interfaces.items()}
    )
    resolution = resolve(loaded.configuration, bare)
    assert resolution.is_possible
    plan = make_plan(resolution.observed, resolution.desired)
    operations = [step.operation for step in plan.steps]
    assert operations
    assert {type(operation) for operation in operations} == {SetTag}
    assert plan.impact is Impact.NONE


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(max_size=5)
        | st.sampled_from(["fe80::1/64", "loop0", "eth0"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["interfaces", "loopbacks", "loop0", "eth0", "addresses", "description", "bondethernets", "mtu"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_any_document_is_migrated_and_the_result_comes_out_as_it_is(value: Any) -> None:
    document = value if isinstance(value, dict) else {"interfaces": value}
    before = json.dumps(document, default=str)
    once = migrate(document)
    assert json.dumps(document, default=str) == before, "what is given is left alone"
    again = migrate(once.document)
    assert again.document == once.document
    assert {note.kind for note in again.notes} <= {MigrationKind.KEPT}


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (["check", "-s", "schema.yaml"], "the schema is built in"),
        (["plan", "--schema", "schema.yaml"], "the schema is built in"),
        (["-f", "check"], "docs/migration.md"),
        (["check", "--force"], "a guard that refuses names the one"),
    ],
)
def test_the_options_of_the_public_tool_are_refused_with_a_hint(
    line: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line) == ExitCode.INVALID
    shown = capsys.readouterr().err
    assert hint in shown
