"""Proposals as text, and in a configuration: comments and order stay, and the rest of the file too."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vppcfg.common.edited_yaml import difference
from vppcfg.errors import UsageError
from vppcfg.tune.edit import with_settings
from vppcfg.tune.settings import (
    as_data,
    as_yaml,
    buffers,
    isolate,
    merged,
    multi_seg,
    rx_queues,
    startup_difference,
    stat_segment,
    tx_descriptors,
    workers,
)

COMMENTED = """\
# the router in the cellar
interfaces:
  eth0: { mtu: 1500 }   # uplink

dataplane:
  # tuned by hand
  dpdk:
    default: { rx-descriptors: 512, tx-descriptors: 512 }  # as VPP has it
  cpu:
    workers: 1
"""


def test_a_patch_is_yaml_for_the_section() -> None:
    settings = (tx_descriptors(1024, 512), multi_seg(is_on=False), rx_queues(2, 1, "0000:01:00.0"))
    assert yaml.safe_load("\n".join(as_yaml(settings))) == as_data(settings)


def test_what_changes_in_startup_conf_stands_in_its_stanzas_once() -> None:
    settings = (buffers(32768, 16384), stat_segment(64, 32 << 20), isolate(), workers(2, 1))
    assert startup_difference(settings) == [
        "  buffers {", "-   buffers-per-numa 16384", "+   buffers-per-numa 32768", "  }",
        "  statseg {", "-   size 32M", "+   size 64M", "  }",
        "  cpu {", "-   workers 1", "+   workers 2", "  }",
    ]  # fmt: skip


def test_of_two_proposals_for_one_key_the_larger_wins() -> None:
    chosen = merged([tx_descriptors(1024, 512), multi_seg(is_on=False), tx_descriptors(2048, 1024)])
    assert [(setting.path[-1], setting.value) for setting in chosen] == [("tx-descriptors", 2048), ("multi-seg", False)]


def test_only_the_lines_that_must_change_do() -> None:
    after = with_settings(COMMENTED, [tx_descriptors(1024, 512), workers(2, 1), multi_seg(is_on=False)])
    changed = [line for line in difference(COMMENTED, after, "x") if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == [
        "-    default: { rx-descriptors: 512, tx-descriptors: 512 }  # as VPP has it",
        "+    default: { rx-descriptors: 512, tx-descriptors: 1024 }  # as VPP has it",
        "+    multi-seg: false",
        "-    workers: 1",
        "+    workers: 2",
    ]
    assert yaml.safe_load(after)["interfaces"] == {"eth0": {"mtu": 1500}}
    assert after.count("#") == COMMENTED.count("#")


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "interfaces: {}\n", "dataplane:\n", "dataplane: {}\n"])
def test_a_section_that_is_missing_is_made(text: str) -> None:
    after = with_settings(text, [workers(2, 1)])
    assert yaml.safe_load(after)["dataplane"] == {"cpu": {"workers": 2}}
    assert text.count("#") == after.count("#")


@pytest.mark.parametrize("text", ["- a\n", "dataplane: 3\n", "dataplane: { cpu: [1] }\n", "a: [\n"])
def test_what_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"cannot be edited"):
        with_settings(text, [workers(2, 1)])


@pytest.mark.parametrize(
    "style", ["a:\n- b\n- c\n", "a:\n  - b\n", "a:\n    b:\n        c: 1\n", 'a: "b"\n', "a: 'b'\n"]
)
def test_the_style_of_a_file_stays(style: str) -> None:
    after = with_settings(style, [workers(2, 1)])
    assert after.startswith(style)


@given(st.dictionaries(st.text("abc", min_size=1), st.integers() | st.booleans() | st.text("xyz"), max_size=4))
def test_the_rest_of_a_file_means_the_same(rest: dict[str, object]) -> None:
    text = yaml.safe_dump(rest) if rest else ""
    after = yaml.safe_load(with_settings(text, [workers(2, 1), tx_descriptors(1024, 512)]))
    assert {key: value for key, value in after.items() if key != "dataplane"} == rest


def test_a_device_with_fewer_of_its_own_gets_them_too() -> None:
    text = """\
dataplane:
  dpdk:
    devices:
      "0000:01:00.0": { tx-descriptors: 512 }
      "0000:03:00.0": { tx-descriptors: 2048 }
      "0000:04:00.0": {}
"""
    devices = yaml.safe_load(with_settings(text, [tx_descriptors(1024, 512)]))["dataplane"]["dpdk"]["devices"]
    assert devices == {
        "0000:01:00.0": {"tx-descriptors": 1024}, "0000:03:00.0": {"tx-descriptors": 2048}, "0000:04:00.0": {},
    }  # fmt: skip
