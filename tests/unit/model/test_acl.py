"""Rules of ACLs as vppcfg writes them."""

from dataclasses import replace
from typing import Any

import pytest

from vppcfg.model.acl import AclAction, AclBinding, AclRule, canonical_rule

RULE = AclRule(action=AclAction.PERMIT, source="10.0.0.0/8", destination="0.0.0.0/0")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"source_ports": (0, 0), "destination_ports": (80, 80)}, {}),
        ({"source": "10.1.2.3/8"}, {}),
        ({"tcp_flags": (2, 2)}, {}),
        ({"protocol": 6, "tcp_flags": (2, 2)}, {"protocol": 6, "tcp_flags": (2, 2)}),
        ({"protocol": 47, "source_ports": (5, 5)}, {"protocol": 47, "source_ports": (5, 5)}),
        ({"protocol": 1}, {"protocol": 1, "source_ports": (0, 255), "destination_ports": (0, 255)}),
        (
            {"protocol": 58, "source_ports": (128, 300), "destination_ports": (300, 400)},
            {"protocol": 58, "source_ports": (128, 255), "destination_ports": (300, 400)},
        ),
    ],
)
def test_rules_with_the_same_effect_are_one(given: dict[str, Any], expected: dict[str, Any]) -> None:
    canonical = canonical_rule(replace(RULE, **given))
    assert canonical == replace(RULE, **expected)
    assert canonical_rule(canonical) == canonical


def test_a_binding_without_lists_is_none() -> None:
    assert not AclBinding()
    assert AclBinding(output=("a",))
