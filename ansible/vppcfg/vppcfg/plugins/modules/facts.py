#!/usr/bin/python
# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: facts
short_description: Return what vppcfg knows of a router
version_added: "1.0.0"
description:
  - Returns what VPP has, what the machine has, and the history of changes. Nothing is changed.
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
  gather:
    description: What to return.
    type: list
    elements: str
    choices: [state, host, changes]
    default: [state, host, changes]
"""

EXAMPLES = r"""
- name: Read the history alone
  vppcfg.vppcfg.facts:
    gather: [changes]
"""

RETURN = r"""
ansible_facts:
  description: The facts.
  returned: always
  type: dict
  contains:
    vppcfg:
      description: What was asked for, and the version of vppcfg.
      returned: always
      type: dict
      contains:
        version:
          description: The version of vppcfg.
          returned: always
          type: str
        state:
          description: What VPP has, as a state document.
          returned: when asked for
          type: dict
        host:
          description: What the machine has.
          returned: when asked for
          type: dict
        changes:
          description: The history, the oldest change first.
          returned: when asked for
          type: list
          elements: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.vppcfg.vppcfg.plugins.module_utils import run as runs


def main():
    """Gather."""
    parts = ["state", "host", "changes"]
    arguments = dict(
        runs.common_arguments(),
        gather={"type": "list", "elements": "str", "choices": parts, "default": parts},
    )
    module = AnsibleModule(argument_spec=arguments, supports_check_mode=True)
    vppcfg = runs.Vppcfg(module)
    found = {"version": vppcfg.version()}
    for part, words, has_socket in (
        ("state", ["dump", "-q", "--format", "json"], True),
        ("host", ["host", "--format", "json"], False),
    ):
        if part in module.params["gather"]:
            answer = vppcfg.run(words, has_socket=has_socket)
            found[part] = answer.document()
            if answer.code != runs.DONE or found[part] is None:
                vppcfg.fail(answer)
    if "changes" in module.params["gather"]:
        found["changes"] = vppcfg.changes()
    module.exit_json(changed=False, ansible_facts={"vppcfg": found})


if __name__ == "__main__":
    main()
