"""What a watch says is said once; after a restart of VPP one line stands for all that differs."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.app.watching.notices import Said
from vppcfg.plan.diff import Action
from vppcfg.plan.drift import Drift, Drifts


def drifts(*names: str, action: Action = Action.CREATE) -> Drifts:
    return {("loopback", name): Drift(action=action, kind="loopback", name=name) for name in names}


def events(said: Said, found: Drifts, *, is_brief: bool = False) -> Sequence[str]:
    return [notice.event for notice in said.after_look(found, (), is_brief=is_brief)]


def test_a_difference_is_said_once_and_when_it_is_gone() -> None:
    said = Said("a.yaml")
    assert events(said, drifts("loop0")) == ["difference", "drift"]
    assert events(said, drifts("loop0")) == []
    assert events(said, {}) == ["gone", "in_sync"]


def test_after_a_restart_one_line_stands_for_all() -> None:
    said = Said("a.yaml")
    assert events(said, {}) == ["in_sync"]
    assert events(said, drifts("loop0", "loop1"), is_brief=True) == ["drift"]
    assert events(said, drifts("loop0", "loop1")) == []
    assert events(said, drifts("loop1")) == ["drift"]
    assert events(said, {}) == ["in_sync"]


def test_what_appears_after_that_line_is_said_and_so_is_what_changes() -> None:
    said = Said("a.yaml")
    events(said, drifts("loop0", "loop1"), is_brief=True)
    assert events(said, drifts("loop0", "loop1", "loop2")) == ["difference", "drift"]
    changed = {**drifts("loop0", "loop2"), **drifts("loop1", action=Action.DELETE)}
    assert events(said, changed) == ["difference", "drift"]
    assert events(said, drifts("loop0")) == ["gone", "gone", "drift"]


def test_what_was_said_before_the_restart_is_gone_when_it_is_gone() -> None:
    said = Said("a.yaml")
    events(said, drifts("loop0", "loop1"))
    assert events(said, drifts("loop1", "loop2"), is_brief=True) == ["gone", "drift"]
    assert events(said, {}) == ["gone", "in_sync"]
