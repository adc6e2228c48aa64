# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""Starts the vppcfg of the router, and translates its exit codes for Ansible. It imports nothing of vppcfg."""

from __future__ import annotations

import json
import re

OLDEST = (1, 0, 0)
"""The version of vppcfg that has every option used here."""

DONE, CHANGES_PENDING, INVALID, DATAPLANE, REFUSED = 0, 2, 3, 4, 5
ROLLED_BACK, STRANDED, DIFFERENT, NOT_CONFIRMED, DRIFT, VERDICT, NOT_NOW = 6, 7, 8, 9, 10, 11, 12
HOOK_FAILED = 13
CHECK_FAILED = 14

_MEANINGS = {
    1: "vppcfg met an error of its own",
    INVALID: "the configuration is not valid",
    DATAPLANE: "VPP does not answer, or lacks what the configuration needs; the machine itself does answer",
    REFUSED: "refused, and nothing was changed",
    ROLLED_BACK: "the change failed, and the old state is back",
    STRANDED: "the change failed half-way, and the old state is not back",
    DIFFERENT: "VPP shows something else than was asked for, and the old state is back",
    NOT_CONFIRMED: "the change was not confirmed in time, and the old state is back",
    DRIFT: "VPP differs from the configuration",
    VERDICT: "the tuner found what was not to be found",
    NOT_NOW: "not now: another vppcfg is at work, or something else that passes stands in the way",
    HOOK_FAILED: "VPP is where it belongs, but the hook that runs then has failed",
    CHECK_FAILED: "the change is made, and a check that was good before is not any more",
    -9: "vppcfg was killed, as its own timer does with one that does not end",
    130: "vppcfg was interrupted, and the old state is back",
    143: "vppcfg was ended, and the old state is back",
}
_ERROR = re.compile(r"^vppcfg: error: (.*)$|^\[ERROR *\] [\w.]+: (.*)$|^\S+: error: (.*)$", re.MULTILINE)
_VERSION = re.compile(r"vppcfg (\d+)\.(\d+)(?:\.(\d+))?")


def common_arguments():
    """Return the arguments that every module has."""
    return {
        "executable": {"type": "path", "default": "vppcfg"},
        "api_socket": {"type": "path"},
        "state_dir": {"type": "path"},
        "run_dir": {"type": "path"},
    }


def limit_arguments():
    """Return the arguments that limit a change."""
    return {
        "max_impact": {
            "type": "str",
            "choices": ["none", "degrade", "policy", "flap", "recreate", "remove"],
            "default": "remove",
        },
        "override_protected": {"type": "bool", "default": False},
        "allow_mass_deletion": {"type": "bool", "default": False},
        "no_way_back": {"type": "bool", "default": False},
    }


def limit_words(params):
    """Return the words of the command line for `limit_arguments`."""
    words = ["--max-impact", params["max_impact"]]
    for name in ("override_protected", "allow_mass_deletion", "no_way_back"):
        if params[name]:
            words.append("--" + name.replace("_", "-"))
    return words


def change_words(params):
    """Return the options of a change for its confirmation and its remark in the history."""
    words = []
    if params["confirm"]:
        words += ["--confirm", "%g" % params["confirm"]]
    if params["comment"]:
        words += ["-m", params["comment"]]
    return words


class Answer:
    """What a run of vppcfg came to."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err

    def document(self):
        """Return the JSON document on standard output, None when there is none."""
        try:
            return json.loads(self.out)
        except ValueError:
            return None

    def lines(self):
        """Return the JSON objects on standard output, one for each line."""
        found = []
        for line in self.out.splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found

    def errors(self):
        """Return the errors on standard error, the most specific line first."""
        found = [next(text for text in match if text) for match in _ERROR.findall(self.err) if any(match)]
        last = [text for text in found if "would refuse this: " in text]
        return [text.partition("would refuse this: ")[2] for text in last] + [
            text for text in found if text not in last
        ]

    def meaning(self):
        """Return what the exit code means, in words."""
        return _MEANINGS.get(self.code, "vppcfg ended with exit code %d" % self.code)


class Vppcfg:
    """The vppcfg of the router."""

    def __init__(self, module, runner=None):
        """Use the arguments of a module; `runner` runs words with an environment, as `module.run_command` does."""
        self._module = module
        self._run = runner or module.run_command
        params = module.params
        self._program = params["executable"]
        self._environment = {"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        for name, variable in (("state_dir", "VPPCFG_STATE_DIR"), ("run_dir", "VPPCFG_RUN_DIR")):
            if params.get(name):
                self._environment[variable] = params[name]
        self._socket = ["-a", params["api_socket"]] if params.get("api_socket") else []

    def version(self):
        """Return the version of vppcfg as a text. Fail when there is none, or one that is too old."""
        answer = self.run(["--version"], has_socket=False)
        found = _VERSION.search(answer.out)
        if answer.code != DONE or found is None:
            self._module.fail_json(msg="%s does not print its version" % self._program, stderr=answer.err)
        number = tuple(int(part or 0) for part in found.groups())
        if number < OLDEST:
            self._module.fail_json(
                msg="vppcfg on the router is %s, and this collection needs %s or newer"
                % (".".join(map(str, number)), ".".join(map(str, OLDEST)))
            )
        return ".".join(map(str, number))

    def run(self, words, has_socket=True):
        """Run a command to its end and return its answer. Fail when there is no such program."""
        command = [self._program] + list(words) + (self._socket if has_socket else [])
        try:
            code, out, err = self._run(command, environ_update=self._environment, handle_exceptions=False)
        except (OSError, IOError) as error:
            self._module.fail_json(
                msg="cannot start %s: %s; the role vppcfg.vppcfg.install installs it" % (self._program, error.strerror)
            )
        return Answer(code, out, err)

    def changes(self):
        """Return the changes of the journal, the oldest first. Fail when it cannot be read."""
        answer = self.run(["history", "--format", "json"])
        document = answer.document()
        if answer.code != DONE or document is None:
            self.fail(answer)
        return document["changes"]

    def fail(self, answer, **result):
        """End the module as the exit code of an answer demands."""
        self._module.fail_json(**failure(answer, **result))


def failure(answer, **known):
    """Return the result of a module whose vppcfg did not end with 0."""
    result = {"changed": False, "exit_code": answer.code, "problems": []}
    result.update(known)
    texts = [problem["text"] for problem in result["problems"] if problem.get("severity", "error") == "error"]
    texts += answer.errors()
    result["msg"] = "%s: %s" % (answer.meaning(), texts[0]) if texts else answer.meaning()
    if answer.code in (ROLLED_BACK, DIFFERENT, NOT_CONFIRMED, 130, 143):
        result["rolled_back"] = True
    if answer.code == STRANDED:
        result["stranded"] = True
    result["stderr"] = answer.err
    return result


def end_of(events):
    """Return the last word of `apply --format json`, None when nothing was done."""
    ends = [event for event in events if event.get("event") == "end"]
    return ends[-1] if ends else None


def commands_of(events):
    """Return the commands that were carried out on the way forward."""
    return [
        event["command"]
        for event in events
        if event.get("event") == "step" and event["direction"] == "forward" and event["result"] == "done"
    ]


def waiting_change(changes):
    """Return the change that waits to be confirmed, None without one."""
    waiting = [change for change in changes if change["status"] == "waiting to be confirmed"]
    return waiting[-1] if waiting else None


def deadline_of(changes, number):
    """Return until when a change waits, '' when it does not."""
    for change in changes:
        if change["number"] == number and change["timer"] and change["status"] == "waiting to be confirmed":
            return change["timer"]["deadline"]
    return ""


def finish(module, vppcfg, answer, result):
    """End a module as its change ended."""
    events = answer.lines()
    end = end_of(events)
    if end is not None:
        result.update(change=end["change"], commands=commands_of(events))
    if answer.code != DONE:
        result.update(exit_code=answer.code, way_back=end["way_back"] if end else [])
        result["changed"] = bool(end) and end["state"] != "old"
        vppcfg.fail(answer, **result)
    if end is not None and module.params["confirm"]:
        result["confirm_until"] = deadline_of(vppcfg.changes(), end["change"])
    module.exit_json(**result)
