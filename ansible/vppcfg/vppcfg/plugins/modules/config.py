#!/usr/bin/python
# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: config
short_description: Bring a VPP to a configuration
version_added: "1.0.0"
description:
  - Applies a vppcfg configuration as a transaction. When a step is refused or VPP shows something else in the
    end, the old state is brought back.
  - The configuration takes the place of O(dest) on the router when the change is accepted, and not before.
    With O(confirm) that is when M(vppcfg.vppcfg.confirm) confirms it.
  - A vppcfg configuration is the whole configuration of a router, so there is one state that changes something,
    V(overridden).
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
  content:
    description:
      - The configuration, as text or as a mapping. A mapping is written as JSON, which is YAML too.
      - Exactly one of O(content) and O(src) must be given.
    type: raw
  src:
    description: A file on the router with the configuration.
    type: path
  dest:
    description:
      - Where the configuration lies on the router once it is accepted. An empty text leaves every file alone.
    type: str
    default: /etc/vpp/vppcfg.yaml
  state:
    description:
      - V(overridden) makes the VPP match the configuration.
      - V(rendered) returns the commands for a VPP that has just the ports of the configuration; no VPP is touched.
      - V(gathered) returns what VPP has as a configuration.
      - V(parsed) checks the configuration, and returns what is wrong with it.
      - V(merged), V(replaced) and V(deleted) are refused, because a configuration is the whole configuration of a router;
        merge variables in the inventory.
    type: str
    choices: [overridden, rendered, gathered, parsed, merged, replaced, deleted]
    default: overridden
  confirm:
    description:
      - Minutes within which the change must be confirmed. Without a confirmation the old state comes back, whatever
        becomes of the controller.
    type: float
  check:
    description:
      - Run the checks of the configuration before and after the change. With O(confirm), the old state comes back at
        once when one is not good any more; the confirmation is left to M(vppcfg.vppcfg.confirm).
      - Without O(confirm), the change stays, and the module fails.
      - The configuration must have checks, and vppcfg on the router must know them.
    type: bool
    default: false
    version_added: "1.1.0"
  adopt:
    description: Take over interfaces that carry the tag of another program.
    type: bool
    default: false
  again:
    description: Apply a configuration that was rolled back.
    type: bool
    default: false
  comment:
    description: A remark about the change, for the history of the router.
    type: str
    default: ""
"""

EXAMPLES = r"""
- name: Apply a configuration, and let the old state come back in five minutes
  vppcfg.vppcfg.config:
    content: "{{ lookup('ansible.builtin.template', 'router.yaml.j2') }}"
    confirm: 5
    max_impact: flap
  register: changed

- name: Confirm it
  vppcfg.vppcfg.confirm:
    number: "{{ changed.change }}"
  when: changed.change > 0
"""

RETURN = r"""
exit_code:
  description: The exit code of vppcfg.
  returned: always
  type: int
  sample: 0
commands:
  description: What was carried out, or would be in check mode, as CLI commands of VPP.
  returned: for V(overridden) and V(rendered)
  type: list
  elements: str
impact:
  description: What the plan does to traffic.
  returned: for V(overridden)
  type: str
  sample: flap
summary:
  description: How many objects are created, updated, replaced and deleted.
  returned: for V(overridden)
  type: dict
change:
  description: The number of the change in the history of the router, 0 when nothing was carried out.
  returned: for V(overridden)
  type: int
confirm_until:
  description: Until when the change waits to be confirmed, empty when it does not.
  returned: for V(overridden)
  type: str
problems:
  description: What is wrong with the configuration, each with C(rule), C(severity), C(line), C(column), C(path), C(text).
  returned: always
  type: list
  elements: dict
config:
  description: What VPP has, as the text of a configuration.
  returned: for V(gathered)
  type: str
rolled_back:
  description: Whether the change failed and the old state is back.
  returned: when it failed on the way
  type: bool
stranded:
  description: Whether the change failed and the old state is not back.
  returned: when it failed on the way
  type: bool
way_back:
  description: The commands that bring the old state back, of a router that is stranded.
  returned: when it failed on the way
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.vppcfg.vppcfg.plugins.module_utils import run as runs
from ansible_collections.vppcfg.vppcfg.plugins.module_utils.content import (
    ConfigFile,
    content_arguments,
    digest_of,
)


REFUSED_STATES = ("merged", "replaced", "deleted")


def main():
    """Act on the requested state."""
    arguments = dict(
        runs.common_arguments(),
        **runs.limit_arguments(),
        **content_arguments(),
        dest={"type": "str", "default": "/etc/vpp/vppcfg.yaml"},
        state={
            "type": "str",
            "choices": ["overridden", "rendered", "gathered", "parsed", "merged", "replaced", "deleted"],
            "default": "overridden",
        },
        confirm={"type": "float"},
        check={"type": "bool", "default": False},
        adopt={"type": "bool", "default": False},
        again={"type": "bool", "default": False},
        comment={"type": "str", "default": ""},
    )
    module = AnsibleModule(argument_spec=arguments, mutually_exclusive=[("content", "src")], supports_check_mode=True)
    state = module.params["state"]
    if state in REFUSED_STATES:
        module.fail_json(
            msg="state %s is refused: a vppcfg file is the whole configuration of a router; "
            "merge variables in the inventory" % state
        )
    vppcfg = runs.Vppcfg(module)
    vppcfg.version()
    if state == "gathered":
        gathered(module, vppcfg)
    if not module.params["content"] and not module.params["src"]:
        module.fail_json(msg="state %s needs content or src" % state)
    with ConfigFile(module) as path:
        {"overridden": overridden, "rendered": rendered, "parsed": parsed}[state](module, vppcfg, path)


def gathered(module, vppcfg):
    """Return what VPP has."""
    answer = vppcfg.run(["dump", "-q"])
    if answer.code != runs.DONE:
        vppcfg.fail(answer)
    module.exit_json(changed=False, exit_code=0, problems=[], config=answer.out)


def rendered(module, vppcfg, path):
    """Return the commands for a VPP without a configuration."""
    answer = vppcfg.run(["plan", "--novpp", "--format", "cli", "-c", path])
    if answer.code != runs.DONE:
        vppcfg.fail(answer, problems=checked(vppcfg, path)[1])
    module.exit_json(changed=False, exit_code=0, problems=[], commands=answer.out.splitlines())


def parsed(module, vppcfg, path):
    """Return what is wrong with a configuration."""
    answer, problems = checked(vppcfg, path)
    if answer.code != runs.DONE:
        vppcfg.fail(answer, problems=problems)
    module.exit_json(changed=False, exit_code=0, problems=problems)


def checked(vppcfg, path):
    """Return the answer of a check, and what is wrong with a configuration, before any VPP is looked at."""
    answer = vppcfg.run(["check", "--format", "json", "-c", path], has_socket=False)
    return answer, (answer.document() or {}).get("problems", [])


def overridden(module, vppcfg, path):
    """Apply a configuration, or in check mode report what that would change."""
    params = module.params
    words = ["-c", path] + runs.limit_words(params)
    words += ["--" + word for word in ("adopt", "again") if params[word]]
    result = planned(vppcfg, path, words)
    result["exit_code"] = 0
    result["change"], result["confirm_until"] = 0, ""
    is_new = bool(params["dest"]) and digest_of(params["dest"]) != digest_of(path)
    result["changed"] = bool(result["commands"]) or is_new
    if module._diff and result["commands"]:
        shown = vppcfg.run(["plan", "--format", "diff"] + words)
        result["diff"] = {"prepared": shown.out}
    if module.check_mode:
        module.exit_json(**result)
    apply = ["apply", "--yes", "--format", "json"] + words
    if params["dest"]:
        apply += ["--install-as", params["dest"]]
    if params["check"]:
        apply += ["--check"] + (["--hold"] if params["confirm"] else [])
    runs.finish(module, vppcfg, vppcfg.run(apply + runs.change_words(params)), result)


def planned(vppcfg, path, words):
    """Return what would be done. Fail as the run that follows would."""
    answer = vppcfg.run(["plan", "--format", "json"] + words)
    document = answer.document() or {}
    result = {
        "commands": [step["cli"] or step["type"] for step in document.get("operations", [])],
        "impact": document.get("impact", ""),
        "summary": document.get("summary", {}),
        "problems": document.get("problems", []),
    }
    if answer.code != runs.DONE:
        if answer.code == runs.INVALID:
            result["problems"] = checked(vppcfg, path)[1]
        vppcfg.fail(answer, **result)
    return result


if __name__ == "__main__":
    main()
