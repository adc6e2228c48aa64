"""No name or text, wherever it comes from, becomes more than one word of the CLI, ends a line or a comment."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from tests.laws.examples import examples
from tests.operations import every_operation
from vppcfg.kinds import rate_limit
from vppcfg.kinds.interface import SetTag
from vppcfg.kinds.loopback import DeleteLoopback
from vppcfg.kinds.sub_interface import DeleteSubInterface
from vppcfg.model.interface import TagRewrite
from vppcfg.model.ownership import tag_for
from vppcfg.model.state import State
from vppcfg.operations.stages import Stage, Step
from vppcfg.plan.plan import Plan
from vppcfg.render.plan_text import cli_line, describe, plan_text

CLASSES: tuple[type[Any], ...] = tuple(every_operation())
MARKUP = "{}$#\\\"'"
PIECES = st.sampled_from(
    [
        *("eth0", "loop0.100", "e0", "x", "192.0.2.1", "vppcfg", "up", "netns", "tag"),
        *(" ", "\n", "\t", "\r", "\0", "\x0b", "\x85", "\x9b", "\u2028", "\u00a0"),
        *MARKUP,
        *("} set interface state eth0 up comment {", "\nset interface state eth0 up\n", "$(shell)", "-1", "//"),
    ]
)
EVIL = st.one_of(st.lists(PIECES, max_size=5).map("".join), st.text(max_size=12))
HARMLESS = "harmless"
REWRITES = st.builds(TagRewrite, operation=st.integers(1, 8))
st.register_type_strategy(TagRewrite, REWRITES)


def with_texts(value: Any, new: Callable[[str, str], str], name: str = "") -> Any:
    """Return a value of the model with every text in it replaced; `new` gets the name of the field and the text."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return new(name, value)
    if isinstance(value, tuple):
        return tuple(with_texts(item, new, name) for item in value)
    if isinstance(value, frozenset):
        return frozenset(with_texts(item, new, name) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        changes = {field.name: with_texts(getattr(value, field.name), new, field.name) for field in fields(value)}
        return replace(value, **changes)
    return value


def harmless(name: str, text: str) -> str:
    """Return a text that cannot do harm, empty where `text` is, and with the words of a tag."""
    return re.sub(r"[^ ]+", HARMLESS, text) if name == "tag" else HARMLESS if text else ""


def assert_same_shape(line: str, pattern: str) -> None:
    """Check that a line has the words of another one, but for those that are values."""
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", line)
    words, expected = line.split(" "), pattern.split(" ")
    assert len(words) == len(expected)
    for word, model in zip(words, expected, strict=True):
        if HARMLESS not in model:
            assert word == model
        for sign in MARKUP:
            assert word.count(sign) == model.count(sign)


@examples(200)
@given(data=st.data())
def test_a_line_has_the_words_of_its_command_whatever_the_names_are(data: st.DataObject) -> None:
    drawn = data.draw(st.from_type(data.draw(st.sampled_from(CLASSES))))
    operation = with_texts(drawn, lambda name, text: data.draw(EVIL))
    line = cli_line(operation)
    if line is not None:
        pattern = cli_line(with_texts(operation, harmless))
        assert pattern is not None
        assert_same_shape(line, pattern)
    assert_same_shape(describe(operation), describe(operation))


def test_harmless_names_are_said() -> None:
    """The test above is about something: most operations do have a line."""
    unsaid = {"BindAcls", "DeleteIpip", "DeleteVrf", "MarkVrfRoutes", "RemoveWireguardPeer", "ReplaceMacip"}
    unsaid |= {"RemovePathMtu", "SetPathMtu", "SetQosMap", "RemoveRoute", "RenewIpv6", "RenewPathMtu", "SetRoute"}
    unsaid |= {"SweepVrfRoutes", "RemoveVpnLabel", "SetVpnLabel"}
    unsaid |= {each.__name__ for kind in rate_limit.KINDS for each in kind.operations}
    unsaid |= {
        "AnchorHost",
        "SetHostMtu",
        "SetNdProxy",
        "TrackInterface",
    }  # the prompt wants VPP's number of the interface
    assert [kind.__name__ for kind in CLASSES if kind.__name__ not in unsaid and not is_said(kind)] == []


def is_said(kind: type[Any]) -> bool:
    """Return whether some of the operations of a class have a line."""

    def has_line(operation: Any) -> bool:
        return cli_line(with_texts(operation, lambda name, text: "e0")) is not None

    calm = settings(
        max_examples=500,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    try:
        find(st.from_type(kind), has_line, settings=calm)
    except NoSuchExample:
        return False
    return True


@examples(80)
@given(names=st.lists(EVIL, min_size=1, max_size=4))
def test_a_plan_has_a_line_per_step_and_its_comments_end_where_they_should(names: list[str]) -> None:
    steps = tuple(Step(stage=Stage.DELETE_INTERFACE, operation=DeleteLoopback(interface=name)) for name in names)
    text = plan_text(Plan(observed=State(), desired=State(), reached=State(), changes=(), steps=steps))
    written = "".join(f"{line}\n" for line in text.lines)
    lines = written.split("\n")[:-1]
    assert len(lines) == 1 + len(steps) + bool(text.without_form)
    for line in lines:
        assert line.startswith("delete loopback interface intfc ") or re.fullmatch(r"comment \{ [^{}]* \}", line)


@pytest.mark.parametrize(
    "operation",
    [
        DeleteLoopback(interface="loop0\nset interface state eth0 up"),
        DeleteSubInterface(interface="eth0.1 up"),
        SetTag(interface="eth0", tag="somebody } set interface state eth0 up comment {"),
        SetTag(interface="eth0", tag="two\nlines"),
        SetTag(interface="eth0", tag='"quoted" words'),
    ],
)
def test_what_another_client_named_is_not_put_into_a_line(operation: Any) -> None:
    assert cli_line(operation) is None
    assert "\n" not in describe(operation)


@examples(80)
@given(description=EVIL)
def test_a_description_becomes_a_tag_that_can_be_said(description: str) -> None:
    tag = tag_for(description.replace('"', "").replace("'", ""))
    line = cli_line(SetTag(interface="eth0", tag=tag))
    assert line in {f"set interface tag eth0 {{{tag}}}", "set interface tag eth0 vppcfg"}
