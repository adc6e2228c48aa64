"""What the kinds say of themselves is complete, and fits together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from vppcfg.simulator import kinds
from vppcfg.simulator.api import api_files
from vppcfg.simulator.kinds import KINDS, PLUGINS
from vppcfg.simulator.releases import RELEASES, Release

ANSWERED = [name for kind in KINDS for name in (*kind.changes, *kind.queries)]


def test_every_module_is_in_the_list() -> None:
    assert kinds.__file__ is not None
    modules = {path.stem for path in Path(kinds.__file__).parent.glob("*.py")} - {"__init__"}
    assert {name for name in modules if getattr(kinds, name).KIND in KINDS} == modules
    assert len(KINDS) == len(modules)


def test_every_message_that_can_be_sent_is_answered_by_one_kind() -> None:
    requests = {
        message.name
        for release in RELEASES
        for file in api_files(release, PLUGINS)
        for message in file.messages
        if message.service is not None
    }
    assert sorted(ANSWERED) == sorted(requests)


def test_every_command_belongs_to_one_kind() -> None:
    counts = Counter(words for kind in KINDS for words in kind.commands)
    assert [words for words, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_a_release_has_one_layout_of_each_message(release: Release) -> None:
    counts = Counter(message.name for file in api_files(release, PLUGINS) for message in file.messages)
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_every_file_of_the_api_has_a_version(release: Release) -> None:
    assert all(file.version_in(release.name).crc for file in api_files(release, PLUGINS))
