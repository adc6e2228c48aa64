#!/usr/bin/python
# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: confirm
short_description: Confirm a change that waits
version_added: "1.0.0"
description:
  - Keeps the change with a number that M(vppcfg.vppcfg.config) made with a time to confirm, and no other one.
  - A change that is confirmed already is no failure, and a confirmation alone changes nothing on the router,
    so this module never reports that it did.
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
  number:
    description: The number of the change.
    type: int
    required: true
"""

EXAMPLES = r"""
- name: Keep change 12
  vppcfg.vppcfg.confirm:
    number: 12
"""

RETURN = r"""
exit_code:
  description: The exit code of vppcfg.
  returned: always
  type: int
  sample: 0
change:
  description: The change as the history of the router has it.
  returned: success
  type: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.vppcfg.vppcfg.plugins.module_utils import run as runs


def main():
    """Confirm."""
    arguments = dict(runs.common_arguments(), number={"type": "int", "required": True})
    module = AnsibleModule(argument_spec=arguments, supports_check_mode=True)
    vppcfg = runs.Vppcfg(module)
    number = module.params["number"]
    if not module.check_mode:
        answer = vppcfg.run(["confirm", str(number)])
        if answer.code == runs.REFUSED:
            refuse_decided(module, vppcfg.changes(), number)
        if answer.code != runs.DONE:
            vppcfg.fail(answer)
    changes = vppcfg.changes()
    known = [change for change in changes if change["number"] == number]
    if not known:
        module.fail_json(msg="the history of the router has no change %d" % number)
    if module.check_mode:
        refuse_decided(module, changes, number)
    module.exit_json(changed=False, exit_code=0, change=known[0])


def refuse_decided(module, changes, number):
    """Fail when a change neither waits nor is confirmed, and report its result."""
    status = [change["status"] for change in changes if change["number"] == number]
    if not status or status[0] in ("confirmed", "waiting to be confirmed"):
        return
    text = "change %d does not wait to be confirmed: it is %s" % (number, status[0])
    by_timer = [change for change in changes if change["origin"] == "timer" and change["target"] == number]
    if status[0] == "rolled back" and by_timer:
        text = "change %d was not confirmed in time, and the old state is back" % number
    module.fail_json(msg=text, changed=False, exit_code=runs.REFUSED)


if __name__ == "__main__":
    main()
