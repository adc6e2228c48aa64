"""States as documents: nothing is lost on the way there and back, and nonsense is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.laws.examples import examples
from tests.laws.networks import states
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.state import Facts, State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Vxlan
from vppcfg.plan.state_document import document_of, state_of


@examples(40)
@given(state=states())
def test_a_state_survives_being_written_as_json(state: State) -> None:
    again = state_of(json.loads(json.dumps(document_of(state))))
    assert again == state
    assert again.facts == state.facts


def test_a_state_that_was_written_before_is_read_and_written_the_same_again() -> None:
    """The file was written when a State had a table for each of bonds, VXLAN tunnels and TAPs, and no other kinds."""
    text = (Path(__file__).parent / "state_before.json").read_text()
    state = state_of(json.loads(text))
    document = document_of(state)
    later = {table: document.pop(table) for table in document.keys() - json.loads(text).keys()}
    assert later == {
        "gres": {},
        "host_interfaces": {},
        "ipips": {},
        "memifs": {},
        "vhost_users": {},
        "vrfs": {},
        "wireguards": {},
    }
    assert json.dumps(document, indent=2) + "\n" == text
    assert {name: type(made) for name, made in state.virtual.items()} == {
        "BondEthernet0": Bond,
        "vxlan_tunnel3": Vxlan,
        "vxlan_tunnel4": Vxlan,
        "tap0": Tap,
        "tap1": Tap,
    }
    assert state.virtual["BondEthernet0"] == Bond(
        mode=BondMode.XOR,
        load_balance=LoadBalance.L34,
        members={"eth1": Membership(is_passive=True, weight=7), "eth2": Membership()},
    )
    assert state.virtual["tap1"] == Tap(host_name="vt1", flags=3)
    tunnel = state.virtual_of("vxlan_tunnel4", Vxlan)
    assert tunnel is not None
    assert not tunnel.is_plain


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "not a map"),
        ({}, "format_version None"),
        ({"format_version": 2}, "format_version 2"),
        ({"format_version": 1, "tunnels": {}}, "unknown keys: tunnels"),
        ({"format_version": 1, "interfaces": []}, "interfaces in the state document is not a map"),
        (
            {"format_version": 1, "interfaces": {"a": {"colour": 1}}},
            "interfaces.a in the state document has unknown keys",
        ),
        ({"format_version": 1, "interfaces": {"a": {"kind": "odd"}}}, "interfaces.a in the state document: 'odd'"),
        ({"format_version": 1, "interfaces": {"a": {"mac": [1]}}}, "mac cannot be [1]"),
        ({"format_version": 1, "interfaces": {"a": {"l2xc": "b"}}}, "needs b, which is missing"),
        ({"format_version": 1, "interfaces": {"a": {"addresses": ["10.0.0.1"]}}}, "10.0.0.1"),
        ({"format_version": 1, "interfaces": {"a": {"addresses": 5}}}, "interfaces.a"),
        ({"format_version": 1, "interfaces": {"a": {"tables": [1]}}}, "[1] is not a list of 2 numbers"),
        ({"format_version": 1, "lcps": {"a": {"host_name": "e0"}}}, "no such interface"),
        ({"format_version": 1, "lcps": {"a": {}}}, "host_name"),
        ({"format_version": 1, "made": {}}, "unknown keys: made"),
        ({"format_version": 1, "virtual": {}}, "unknown keys: virtual"),
        (
            {"format_version": 1, "bonds": {"a": {"kind": "bond"}}},
            "bonds.a in the state document has unknown keys: kind",
        ),
        ({"format_version": 1, "bonds": {"a": {"mode": "odd"}}}, "bonds.a in the state document: 'odd'"),
        ({"format_version": 1, "bonds": {"a": {"mode": None}}}, "bonds.a in the state document: None"),
        ({"format_version": 1, "bonds": {"a": {"members": {"b": {"weight": "x"}}}}}, "members.b in the state document"),
        ({"format_version": 1, "taps": {"a": {"host_name": "x"}}}, "taps.a in the state document: there is no such"),
        (
            {"format_version": 1, "bonds": {"a": {}}, "taps": {"a": {"host_name": "x"}}},
            "taps.a in the state document: it",
        ),
        (
            {"format_version": 1, "bridges": {"bd1": {"bd_id": 1, "filtered_macs": [5]}}},
            "filtered_macs in the state document is not a list",
        ),
        (
            {"format_version": 1, "bridges": {"bd1": {"bd_id": 1, "stray_macs": "02:00:00:00:00:05"}}},
            "stray_macs in the state document is not a list",
        ),
        ({"format_version": 1, "interfaces": {"a": {"is_up": "no"}}}, "is_up cannot be 'no'"),
        ({"format_version": 1, "linux_bridges": 5}, "linux_bridges in the state document is not a list"),
        ({"format_version": 1, "linux_bridges": [5]}, "linux_bridges in the state document is not a list"),
        ({"format_version": 1, "linux_bridges": [["blue"]]}, "linux_bridges in the state document is not a list"),
        ({"format_version": 1, "linux_bridges": [["blue", {}]]}, "linux_bridges in the state document is not a list"),
        ({"format_version": 1, "namespaces": 5}, "namespaces in the state document is not a list of names"),
        ({"format_version": 1, "namespaces": "blue"}, "namespaces in the state document is not a list of names"),
        ({"format_version": 1, "namespaces": [{}]}, "namespaces in the state document is not a list of names"),
        ({"format_version": 1, "has_mpls_table": "no"}, "has_mpls_table in the state document is neither true nor"),
        (
            {"format_version": 1, "routes": [{"prefix": "10.0.0.0/8", "hops": [{"gateway": ".."}]}]},
            "'../0' is not an address",
        ),
        ({"format_version": 1, "interfaces": {"a": {"kind": "sub-interface"}}}, "needs a parent and an enc"),
        ({"format_version": 1, "interfaces": {"a": {"packet_mtu": "many"}}}, "packet_mtu cannot be 'many'"),
    ],
)
def test_nonsense_is_refused(document: Any, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        state_of(document)
    assert words in str(caught.value)


def test_what_else_linux_has_is_in_no_document() -> None:
    state = State(facts=Facts(has_linux=True, linux_others=frozenset({("", "lo"), ("blue", "e0")})))
    assert "linux_others" not in document_of(state)["facts"]
    assert state_of(document_of(state)).facts == Facts(has_linux=True)
