#!/usr/bin/python
# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: rollback
short_description: Bring back the state before a change
version_added: "1.0.0"
description:
  - Plans from what VPP has now to what it had before a change, and carries that out as a transaction.
author:
  - the vppcfg project (@vppcfg)
extends_documentation_fragment:
  - vppcfg.vppcfg.common
  - vppcfg.vppcfg.limits
attributes:
  check_mode:
    description: Whether check mode reports what a run would do, and changes nothing.
    support: full
  diff_mode:
    description: Whether diff mode shows what differs, in the words of the configuration.
    support: full
options:
  number:
    description: The number of the change. Without it, the last one that is in force.
    type: int
  confirm:
    description: Minutes within which the rollback must be confirmed.
    type: float
  comment:
    description: A remark about it, for the history of the router.
    type: str
    default: ""
"""

EXAMPLES = r"""
- name: Bring back the state before the last change
  vppcfg.vppcfg.rollback:
"""

RETURN = r"""
exit_code:
  description: The exit code of vppcfg.
  returned: always
  type: int
  sample: 0
commands:
  description: What was carried out, as CLI commands of VPP.
  returned: success
  type: list
  elements: str
change:
  description: The number of the rollback in the history of the router, 0 when nothing was to be done.
  returned: success
  type: int
confirm_until:
  description: Until when the rollback waits to be confirmed, empty when it does not.
  returned: success
  type: str
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.vppcfg.vppcfg.plugins.module_utils import run as runs


IN_FORCE = ("applied", "confirmed", "waiting to be confirmed", "started", "cut off", "failed half-way")


def main():
    """Roll back, or in check mode report before which change that would be."""
    arguments = dict(
        runs.common_arguments(),
        **runs.limit_arguments(),
        number={"type": "int"},
        confirm={"type": "float"},
        comment={"type": "str", "default": ""},
    )
    module = AnsibleModule(argument_spec=arguments, supports_check_mode=True)
    vppcfg = runs.Vppcfg(module)
    vppcfg.version()
    number = [str(module.params["number"])] if module.params["number"] else []
    result = {"exit_code": 0, "commands": [], "change": 0, "confirm_until": ""}
    if module._diff or module.check_mode:
        shown_before(module, vppcfg, result)
    if module.check_mode:
        module.exit_json(**result)
    words = ["rollback"] + number + ["--yes", "--format", "json"] + runs.limit_words(module.params)
    answer = vppcfg.run(words + runs.change_words(module.params))
    result["changed"] = runs.end_of(answer.lines()) is not None
    runs.finish(module, vppcfg, answer, result)


def shown_before(module, vppcfg, result):
    """Put what the change did into the result, which is what going back before it undoes."""
    changes = vppcfg.changes()
    wanted = module.params["number"]
    known = [
        change
        for change in changes
        if (change["number"] == wanted if wanted else change["status"] in IN_FORCE and change["origin"] == "apply")
    ]
    if not known:
        module.fail_json(msg="no change is in force that could be rolled back", exit_code=runs.REFUSED)
    answer = vppcfg.run(["diff", str(known[-1]["number"])])
    if answer.code not in (runs.DONE, runs.CHANGES_PENDING):
        vppcfg.fail(answer)
    result["changed"] = bool(answer.out.strip())
    result["diff"] = {"prepared": "What change %d did:\n%s" % (known[-1]["number"], answer.out)}


if __name__ == "__main__":
    main()
