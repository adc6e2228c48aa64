"""Keys with plain values: a row says all that there is to know about one."""

from dataclasses import fields
from enum import Enum

import pytest

from vppcfg.config.schema.check import shape
from vppcfg.entries.interface_key import PlainKey
from vppcfg.entries.yaml.text import inline, key_lines
from vppcfg.kinds.interface_values import DEFAULTS, VALUES, keys, parsed, values_of
from vppcfg.model.interface import Interface, InterfaceKind, InterfaceValues


def test_every_plain_value_has_a_row_an_attribute_of_the_interface_and_a_key_in_the_schema() -> None:
    assert {value.attribute for value in VALUES} == {field.name for field in fields(InterfaceValues)}
    assert list(DEFAULTS) == [value.attribute for value in VALUES]
    assert {value.attribute for value in VALUES} <= {field.name for field in fields(Interface)}
    assert {value.key for value in VALUES} <= set(shape().includes["interface"].dict)


def test_an_interface_as_created_has_the_defaults_of_the_file() -> None:
    assert values_of(Interface(name="eth0", kind=InterfaceKind.PHYSICAL)) == DEFAULTS == values_of(InterfaceValues())


def test_what_is_absent_or_written_with_nothing_is_as_by_default() -> None:
    assert parsed({"mpls": None, "mtu": 1500}) == {}
    assert parsed({"mpls": True, "l2xc": "eth1"}) == {"has_mpls": True, "l2xc": "eth1"}


def test_only_what_is_not_as_by_default_is_written() -> None:
    assert key_lines(keys(InterfaceValues())) == []
    assert key_lines(keys(InterfaceValues(has_mpls=True, l2xc="1:2"))) == ["l2xc: '1:2'", "mpls: true"]


class Colour(Enum):
    RED = "Red"


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [(str, "eth0", "eth0"), (bool, False, "false"), (int, 5, "5"), (Colour, Colour.RED, "Red")],
)
def test_a_value_is_written_as_it_is_read(kind: type, value: object, text: str) -> None:
    said = PlainKey("k", "a", kind).as_yaml(value)
    assert said is not None
    assert inline(said) == text
