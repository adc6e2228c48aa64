"""The command that each feature of interfaces names is the one that its operations type, with the interface in it."""

from typing import Any

import pytest

from vppcfg.adopt.command_targets import interfaces_in
from vppcfg.engine.feature_kind import AnyFeature
from vppcfg.kinds.feature_list import FEATURE_KINDS

VALUES: dict[str, Any] = {
    "mpls": True,
    "sflow": True,
    "gso": True,
    "proxy-arp": True,
    "urpf": {"ipv4": "loose", "ipv6-output": "strict"},
    "mss-clamp": {"ipv4": 1452, "ipv6": {"mss": 1432, "direction": "output"}},
    "mirror": {"eth1": "both"},
    "lldp": True,
    "ipfix": "ip4",
}
KINDS = {kind.key: kind for kind in FEATURE_KINDS if kind.command}


def test_every_command_has_a_sample() -> None:
    assert KINDS.keys() == VALUES.keys()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_operations_type_the_command_and_name_the_interface_where_it_is_looked_for(kind: AnyFeature) -> None:
    operations = list(kind.setters("eth0", kind.parse(VALUES[kind.key])))
    assert operations
    for operation in [*operations, *(each.inverse for each in operations)]:
        line = operation.cli()
        assert line is not None
        assert line.startswith(f"{kind.command} ")
        assert interfaces_in(kind.command, line.removeprefix(kind.command).split())[0] == "eth0"
