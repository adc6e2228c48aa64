#!/usr/bin/python
# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: startup
short_description: Install startup.conf and the settings of the kernel
version_added: "1.0.0"
description:
  - Writes startup.conf, the kernel command line and the sysctl settings that follow from the C(dataplane)
    section of a configuration and from the machine.
  - Nothing is restarted; RV(needs) lists what must be.
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
    support: full
options:
  config:
    description: The configuration on the router.
    type: path
    default: /etc/vpp/vppcfg.yaml
  root:
    description: The folder that has C(proc), C(sys) and C(etc) of the machine.
    type: path
    default: /
  vpp_version:
    description: The release of VPP to write for. Without it, that of the running VPP.
    type: str
"""

EXAMPLES = r"""
- name: Install startup.conf
  vppcfg.vppcfg.startup:
  register: startup

- name: Say what is due
  ansible.builtin.debug:
    msg: "{{ inventory_hostname }} needs a {{ startup.needs }}"
  when: startup.needs != 'nothing'
"""

RETURN = r"""
exit_code:
  description: The exit code of vppcfg.
  returned: always
  type: int
  sample: 0
files:
  description: What becomes of each file, by its path.
  returned: success
  type: dict
needs:
  description: What puts the files in force.
  returned: success
  type: str
  choices: [nothing, reload, restart, reboot]
"""

import re

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.vppcfg.vppcfg.plugins.module_utils import run as runs


_FILE = re.compile(r"^(/\S+): (new|\d+ difference\(s\)|same meaning, other text|as it should be)$")
_NEEDS = (
    ("a reboot", "reboot"),
    ("a restart of VPP", "restart"),
    ("sysctl", "reload"),
)


def main():
    """Compare, and install where something differs."""
    arguments = dict(
        runs.common_arguments(),
        config={"type": "path", "default": "/etc/vpp/vppcfg.yaml"},
        root={"type": "path", "default": "/"},
        vpp_version={"type": "str"},
    )
    module = AnsibleModule(argument_spec=arguments, supports_check_mode=True)
    vppcfg = runs.Vppcfg(module)
    vppcfg.version()
    words = ["startup", "-c", module.params["config"], "--root", module.params["root"]]
    if module.params["vpp_version"]:
        words += ["--vpp-version", module.params["vpp_version"]]
    shown = vppcfg.run(words + ["--diff", "--detailed-exitcode"])
    if shown.code not in (runs.DONE, runs.CHANGES_PENDING):
        vppcfg.fail(shown)
    is_different = shown.code == runs.CHANGES_PENDING
    result = {
        "changed": is_different,
        "exit_code": 0,
        "files": files_in(shown.out),
        "needs": needs_in(shown.out),
        "diff": {"prepared": shown.out if is_different else ""},
    }
    if is_different and not module.check_mode:
        answer = vppcfg.run(words + ["--install"])
        if answer.code != runs.DONE:
            result.update(changed=False, exit_code=answer.code)
            vppcfg.fail(answer, **result)
    module.exit_json(**result)


def files_in(text):
    """Return the difference of each file."""
    found = (_FILE.match(line) for line in text.splitlines())
    return {match.group(1): match.group(2) for match in found if match}


def needs_in(text):
    """Return what puts the files in force."""
    lines = [line for line in text.splitlines() if line.startswith("to put in force: ")]
    return next((need for words, need in _NEEDS if lines and words in lines[-1]), "nothing")


if __name__ == "__main__":
    main()
