# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""Writes down what the module `config` came to on each router, so that a check run can be compared with a real one."""

from __future__ import annotations

import json
import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = r"""
name: outcomes
short_description: Write down what the module config came to
description: [Writes one line of JSON for each router into the file that the variable VPPCFG_OUTCOMES names.]
type: notification
"""
SHOWN = ("changed", "failed", "commands", "diff", "impact", "summary", "problems", "exit_code", "msg", "way_back")


class CallbackModule(CallbackBase):
    """Listens to results; one of `config`, be it of its job, is known by its commands and its impact."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "outcomes"
    CALLBACK_NEEDS_ENABLED = True

    def v2_runner_on_ok(self, result):
        """Note a success."""
        self._note(result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        """Note a failure."""
        self._note(result)

    def _note(self, result):
        found = result._result
        if "commands" in found and "impact" in found:
            kept = dict((key, found[key]) for key in SHOWN if key in found)
            with open(os.environ["VPPCFG_OUTCOMES"], "a") as stream:
                stream.write(json.dumps({"router": result._host.get_name(), "result": kept}, default=str) + "\n")
