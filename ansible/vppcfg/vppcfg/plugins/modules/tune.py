#!/usr/bin/python
# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: tune
short_description: Say what limits a VPP
version_added: "1.0.0"
description:
  - Reads a running VPP several times and returns what the tuner finds. Nothing is changed.
author:
  - the vppcfg project (@vppcfg)
extends_documentation_fragment:
  - vppcfg.vppcfg.common
attributes:
  check_mode:
    description: Whether check mode reports what a run would do, and changes nothing.
    support: full
  diff_mode:
    description: Whether diff mode shows what differs, in the words of the configuration.
    support: none
options:
  interval:
    description: Seconds between two readings.
    type: float
    default: 5
  readings:
    description: How many readings, at least 2.
    type: int
    default: 3
  fail_on:
    description:
      - From which verdict on it is a failure. V(undecided) is less bad than V(risk), V(risk) than V(limit), and V(limit)
        than V(loss).
    type: str
    choices: [never, undecided, risk, limit, loss]
    default: loss
"""

EXAMPLES = r"""
- name: Look whether packets are lost
  vppcfg.vppcfg.tune:
    readings: 2
"""

RETURN = r"""
exit_code:
  description: The exit code of vppcfg.
  returned: always
  type: int
  sample: 0
findings:
  description: What was found, each with C(rule), C(severity), C(subject) and C(verdict).
  returned: success
  type: list
  elements: dict
text:
  description: The verdict in words.
  returned: success
  type: str
worst:
  description: What the findings come to.
  returned: success
  type: str
  sample: healthy
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.vppcfg.vppcfg.plugins.module_utils import run as runs


ORDER = ["undecided", "risk", "limit", "loss"]


def main():
    """Read and judge."""
    arguments = dict(
        runs.common_arguments(),
        interval={"type": "float", "default": 5.0},
        readings={"type": "int", "default": 3},
        fail_on={"type": "str", "choices": ["never"] + ORDER, "default": "loss"},
    )
    module = AnsibleModule(argument_spec=arguments, supports_check_mode=True)
    vppcfg = runs.Vppcfg(module)
    vppcfg.version()
    params = module.params
    words = ["tune", "--format", "json", "--interval", "%g" % params["interval"], "--readings", str(params["readings"])]
    answer = vppcfg.run(words)
    document = answer.document()
    if answer.code != runs.DONE or document is None:
        vppcfg.fail(answer)
    result = {
        "changed": False,
        "exit_code": 0,
        "findings": document["findings"],
        "worst": document["verdict"],
        "text": document["verdict_text"],
    }
    if is_at_least(document["verdict"], params["fail_on"]):
        module.fail_json(msg="the verdict of the tuner is %s: %s" % (document["verdict"], document["verdict_text"]), **result)
    module.exit_json(**result)


def is_at_least(verdict, limit):
    """Return whether a verdict is as bad as a limit, or worse."""
    return verdict in ORDER and limit in ORDER and ORDER.index(verdict) >= ORDER.index(limit)


if __name__ == "__main__":
    main()
