"""What is accepted at first sight is what yamale accepts too, and a file that is right needs no second look."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from yamale.validators import DefaultValidators

from tests.laws.examples import examples
from tests.unit.config.schema.test_check import EVERYTHING
from vppcfg import assets
from vppcfg.config.schema.check import check_shape
from vppcfg.config.schema.quick import Acceptance, doubtful_part
from vppcfg.config.schema.text import SCHEMA
from vppcfg.entries.words import WORDS

DATAPLANE: dict[str, Any] = {
    "cpu": {"main-core": 1, "workers": [2, 3], "smt": "avoid", "isolate": True},
    "memory": {"main-heap": "2G", "routes": 1000, "hugepage-size": "2M"},
    "buffers": {"per-numa": "auto", "data-size": 2048},
    "statseg": "64M",
    "dpdk": {
        "multi-seg": "auto",
        "tx-checksum-offload": False,
        "default": {"rx-queues": 2},
        "devices": {"0000:01:00.0": {"name": "eth0", "rx-queues": "auto", "workers": [0]}, "0000:02:00.0": None},
    },
    "linux-cp": {"netns": "dataplane", "sync": True, "netlink-buffer": "auto"},
    "plugins": ["dpdk", "linux_cp"],
    "unix": {"exec": "/etc/vpp/more.vpp", "poll-sleep-usec": 10, "gid": "vpp"},
    "kernel": {"hugepages": 1024, "level": "safe"},
}
WHOLE = {**EVERYTHING, "dataplane": DATAPLANE}
SCALARS = [
    *(None, True, False, 0, -1, 128, 2**70, 1.5, "", "e0", "x" * 70, 'a"b', "192.0.2.1/24", "auto", "64M", b"bytes")
]
CONTAINERS: list[Any] = [[], [1], ["e0"], [None], {}, {"name": "e0"}, {1: 2}, {"mtuu": 1500}]
ODD = st.sampled_from([*SCALARS, *CONTAINERS])


def places(data: Any) -> list[tuple[Any, Any]]:
    """Return every map or list in some data, with each of its keys."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, value in items for place in ((data, key), *places(value))]


def test_a_file_that_is_right_leaves_no_doubt() -> None:
    assert doubtful_part(WHOLE) is None
    assert doubtful_part({}) is None
    assert doubtful_part({"interfaces": None, "acls": None}) is None
    assert check_shape(WHOLE) == []


@pytest.mark.parametrize(
    "data", [[], "text", 7, {"interface": {}}, {7: {}}, {"vxlan_tunnels": {"vxlan_tunnel0": None}}]
)
def test_what_is_no_configuration_is_left_to_yamale(data: Any) -> None:
    assert doubtful_part(data) == data
    assert check_shape(data) != []


def test_only_the_section_with_an_error_is_looked_at_again() -> None:
    wrong = {"interfaces": {"eth0": {"mtuu": 1500}}}
    assert doubtful_part({**EVERYTHING, **wrong}) == wrong


@given(data=st.data())
@examples(100)
def test_yamale_has_nothing_to_say_about_what_is_accepted(data: st.DataObject) -> None:
    changed = copy.deepcopy(WHOLE)
    for _ in range(data.draw(st.integers(1, 2))):
        container, key = data.draw(st.sampled_from(places(changed)))
        value = copy.deepcopy(data.draw(ODD))
        if data.draw(st.booleans()) and isinstance(container, dict):
            container[data.draw(st.sampled_from(["mtu", "lcp", "name", "odd", 5, key]))] = value
        else:
            container[key] = value
    doubtful = doubtful_part(changed)
    accepted = {key: value for key, value in changed.items() if doubtful is None or key not in doubtful}
    assert check_shape(accepted) == []


def test_every_key_of_the_schema_can_be_judged() -> None:
    text = assets.find(SCHEMA).read_text()
    top, parts = yaml.safe_load_all(text)
    acceptance = Acceptance(text)
    assert acceptance.keys() == {"": list(top), **{name: list(part) for name, part in parts.items()}}
    assert acceptance.unknown_words() == []


def test_every_word_of_the_schema_is_yamales_or_has_a_row_and_every_row_is_used() -> None:
    text = "\n".join(line.partition("#")[0] for line in assets.find(SCHEMA).read_text().splitlines())
    ours = set(re.findall(r"(\w+)\(", text)) - (set(DefaultValidators) - {"mac"})
    assert ours == set(WORDS)


def test_a_file_that_is_right_is_checked_without_yamale() -> None:
    code = (
        "import sys; from vppcfg.config.load import parse_text; "
        "assert parse_text('interfaces: { eth0: { mtu: 1500 } }', 'file').configuration; "
        "sys.exit('yamale' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_is_always_left_to_yamale_is_told() -> None:
    assert Acceptance("a: bool()\nb: nonsense()\n").unknown_words() == ["nonsense"]
