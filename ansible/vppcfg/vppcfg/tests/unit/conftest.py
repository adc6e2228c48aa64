# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""A vppcfg that answers what was recorded, for modules that run in this process."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from ansible.module_utils import basic

ANSWERS = json.loads((Path(__file__).parent / "answers.json").read_text())
VERSION = {"code": 0, "out": "vppcfg 1.0.0\n", "err": ""}


class Ended(Exception):
    """How a module ended; `result` is what it returned."""

    def __init__(self, result, has_failed):
        super().__init__(result.get("msg", ""))
        self.result = result
        self.has_failed = has_failed


class Module:
    """Stands in for AnsibleModule: the arguments as they are checked, and commands that were recorded."""

    def __init__(self, player, argument_spec, supports_check_mode=False, **kwargs):
        self.params = dict(player.arguments)
        for name, spec in argument_spec.items():
            self.params.setdefault(name, spec.get("default"))
        unknown = set(self.params) - set(argument_spec)
        assert not unknown, unknown
        self.check_mode, self._diff = player.check_mode, player.diff_mode
        self.tmpdir = str(player.folder)
        self._player = player

    def run_command(self, words, environ_update=None, handle_exceptions=True):
        """Return the recorded answer to a command."""
        self._player.ran.append(words[1:])
        answer = self._player.answer(words[1:])
        return answer["code"], answer["out"], answer["err"]

    def exit_json(self, **result):
        """End well."""
        raise Ended(result, has_failed=False)

    def fail_json(self, **result):
        """End badly."""
        raise Ended(dict(result, failed=True), has_failed=True)


class Player:
    """Runs modules on recorded answers."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self._monkeypatch = monkeypatch
        self.ran = []
        self.arguments = {}
        self.answers = {}
        self.check_mode = self.diff_mode = False

    def answer(self, words):
        """Return the answer to a command by its first words, the longest that are known."""
        if words == ["--version"]:
            return self.answers.get("--version", VERSION)
        text = " ".join(words)
        known = [start for start in self.answers if text.startswith(start)]
        assert known, "no answer is recorded to: " + text
        found = self.answers[max(known, key=len)]
        return ANSWERS[found] if isinstance(found, str) else found

    def play(self, name, answers, check_mode=False, diff_mode=False, **arguments):
        """Run a module, and return what it returned, with `failed` when it did."""
        self.answers, self.arguments, self.ran = answers, arguments, []
        self.check_mode, self.diff_mode = check_mode, diff_mode
        module = importlib.import_module("ansible_collections.vppcfg.vppcfg.plugins.modules." + name)
        self._monkeypatch.setattr(module, "AnsibleModule", lambda **spec: Module(self, **spec))
        with pytest.raises(Ended) as ended:
            module.main()
        return ended.value.result


@pytest.fixture
def player(tmp_path, monkeypatch):
    """Return what runs modules."""
    assert basic.AnsibleModule
    return Player(tmp_path, monkeypatch)
