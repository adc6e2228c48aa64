#!/usr/bin/python
# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: watch
short_description: Compare a VPP with a configuration
version_added: "1.0.0"
description:
  - Compares VPP with a configuration once. Nothing is changed.
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
  content:
    description:
      - The configuration, as text or as a mapping. A mapping is written as JSON, which is YAML too.
      - Exactly one of O(content) and O(src) must be given.
    type: raw
  src:
    description: A file on the router with the configuration.
    type: path
  fail_on:
    description: Whether a difference is a failure.
    type: str
    choices: [difference, never]
    default: difference
  adopt:
    description: Manage interfaces of the file that carry the tag of another program.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Check whether VPP matches its file
  vppcfg.vppcfg.watch:
    src: /etc/vpp/vppcfg.yaml
"""

RETURN = r"""
exit_code:
  description: The exit code of vppcfg.
  returned: always
  type: int
  sample: 0
differences:
  description: Each entry that differs, with its C(path) and the C(lines) that differ.
  returned: always
  type: list
  elements: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.vppcfg.vppcfg.plugins.module_utils import run as runs
from ansible_collections.vppcfg.vppcfg.plugins.module_utils.content import ConfigFile, content_arguments


def main():
    """Look."""
    arguments = dict(
        runs.common_arguments(),
        **content_arguments(),
        fail_on={"type": "str", "choices": ["difference", "never"], "default": "difference"},
        adopt={"type": "bool", "default": False},
    )
    module = AnsibleModule(
        argument_spec=arguments,
        mutually_exclusive=[("content", "src")],
        required_one_of=[("content", "src")],
        supports_check_mode=True,
    )
    vppcfg = runs.Vppcfg(module)
    vppcfg.version()
    with ConfigFile(module) as path:
        words = ["watch", "--once", "-v", "--format", "json", "-c", path]
        answer = vppcfg.run(words + (["--adopt"] if module.params["adopt"] else []))
    found = [event for event in answer.lines() if event["event"] == "difference"]
    differences = [{"path": event["path"], "action": event["action"], "lines": event["lines"]} for event in found]
    if answer.code == runs.DONE or (answer.code == runs.DRIFT and module.params["fail_on"] == "never"):
        module.exit_json(changed=False, exit_code=answer.code, differences=differences)
    if answer.code == runs.DRIFT:
        names = ", ".join(".".join(str(key) for key in entry["path"]) for entry in differences)
        module.fail_json(
            msg="VPP differs from the configuration: %s" % names,
            changed=False,
            exit_code=answer.code,
            differences=differences,
        )
    vppcfg.fail(answer, differences=differences)


if __name__ == "__main__":
    main()
