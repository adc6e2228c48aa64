"""docs/configuration.md against the schema: every key is there, with its limits, and every example is flawless."""

import re
from pathlib import Path

import pytest

import vppcfg
from vppcfg.config.load import parse_text
from vppcfg.config.schema.check import shape
from vppcfg.model.interface import DEVICE_TYPES

PAGE = (Path(vppcfg.__file__).parents[1] / "docs" / "configuration.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| ((?:`[a-z0-9-]+`(?:, )?)+) \| (.*) \|.*\|$", re.MULTILINE)
ROWS = [(key, values) for keys, values in ROW.findall(PAGE) for key in re.findall(r"`([a-z0-9-]+)`", keys)]
PARTS = (
    *("wireguard", "wireguard-peer"),
    *("interface", "sub-interface", "encapsulation", "lcp", "interface-acls", "loopback", "bond", "bridge"),
    *(
        *("bridge-settings", "vxlan", "gre", "ipip", "wireguard", "wireguard-peer", "tap", "tap-host"),
        *("host-interface", "memif", "vhost-user", "prefix-list", "acl", "acl-term", "sflow"),
    ),
)
UNTABLED = {"netns", "encapsulation", "input", "output", "terms"}
"""Keys that stand in the text below a table, or above it."""
SECTIONS = re.findall(r"^\| `([a-z0-9_-]+)` \| [^|]* \|$", PAGE.partition("## ")[0], re.MULTILINE)


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_has_no_problem(text: str) -> None:
    assert parse_text(text, "example").problems == ()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8


def test_every_key_of_the_schema_is_documented() -> None:
    schema = shape()
    documented = {key for key, _ in ROWS} | UNTABLED
    assert {part: missing for part in PARTS if (missing := set(schema.includes[part].dict) - documented)} == {}
    assert all(f"`{key}" in PAGE or f" {key} }}`" in PAGE for key in UNTABLED)


def test_every_section_of_the_schema_is_documented() -> None:
    schema = shape()
    assert set(schema.dict) <= {*SECTIONS, "dataplane"}
    assert set(SECTIONS) <= set(schema.dict)


def test_no_key_is_documented_that_the_schema_does_not_have() -> None:
    schema = shape()
    known = {key for part in schema.includes.values() for key in part.dict}
    assert {key for key, _ in ROWS} <= known | set(schema.dict)


def test_the_values_of_device_type_are_documented() -> None:
    values = dict(reversed(ROWS))["device-type"]
    assert re.findall(r"`([a-z0-9-]+)`", values) == list(DEVICE_TYPES)


@pytest.mark.parametrize(
    ("key", "limits"),
    [
        ("mtu", "128 to 9216"),
        ("dot1q", "1 to 4095"),
        ("description", "any length"),
        ("rx-ring-size", "8 to 32768"),
        ("vni", "1 to 16777215"),
        ("mac-age-minutes", "0 to 255"),
        ("protocol", "0 to 255"),
        ("header-bytes", "256"),
    ],
)
def test_the_limits_are_documented(key: str, limits: str) -> None:
    assert limits in dict(reversed(ROWS))[key]
