"""A difference in words and as data."""

from __future__ import annotations

import json

import pytest

from vppcfg.plan.diff import Action, AttributeChange
from vppcfg.plan.drift import Drift
from vppcfg.render.drift_text import difference_data, difference_line, gone_line


def updated(name: str, old: object, new: object) -> Drift:
    attribute = AttributeChange(name=name, old=old, new=new)
    return Drift(action=Action.UPDATE, kind="physical", name="eth0", attributes=(attribute,))


@pytest.mark.parametrize(
    ("difference", "line"),
    [
        (Drift(action=Action.CREATE, kind="loopback", name="loop0"), "+ loopback loop0 is missing"),
        (Drift(action=Action.DELETE, kind="bridge", name="bd7"), "- bridge bd7 is not in the file"),
        (updated("packet_mtu", 9000, 1500), "~ physical eth0: packet mtu is 9000, not 1500"),
        (updated("is_up", False, True), "~ physical eth0: is not up"),
        (updated("is_up", True, False), "~ physical eth0: is up"),
        (updated("has_gso", False, True), "~ physical eth0: has no gso"),
        (updated("learn", False, True), "~ physical eth0: learn is off"),
        (updated("lcp", None, "e0"), "~ physical eth0: lcp is none, not e0"),
        (
            updated("addresses", frozenset({"192.0.2.1/24"}), frozenset({"192.0.2.2/24"})),
            "~ physical eth0: addresses lack 192.0.2.2/24; addresses have 192.0.2.1/24 too",
        ),
        (
            Drift(action=Action.REPLACE, kind="lcp", name="eth0", forced_by="the MAC of eth0 changes"),
            "! lcp eth0: to be made anew, because the MAC of eth0 changes",
        ),
    ],
)
def test_a_difference_is_one_line(difference: Drift, line: str) -> None:
    assert difference_line(difference) == line


def test_a_difference_that_is_gone_is_one_line() -> None:
    assert gone_line(updated("is_up", False, True)) == "= physical eth0 is as the file says again"


def test_a_difference_is_data_for_json() -> None:
    data = difference_data(updated("addresses", frozenset({"b", "a"}), frozenset()))
    assert json.loads(json.dumps(data)) == {
        "action": "update",
        "kind": "physical",
        "name": "eth0",
        "forced_by": None,
        "attributes": [{"name": "addresses", "observed": ["a", "b"], "desired": []}],
    }
