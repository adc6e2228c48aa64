# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""The options of the modules that change a VPP."""

from __future__ import annotations


class ModuleDocFragment:
    """Options that limit a change."""

    DOCUMENTATION = r"""
options:
  max_impact:
    description: Refuse a plan that does more than this to traffic.
    type: str
    choices: [none, degrade, policy, flap, recreate, remove]
    default: remove
  override_protected:
    description: Allow impact on the interfaces that the configuration protects.
    type: bool
    default: false
  allow_mass_deletion:
    description: Delete more than half of what exists.
    type: bool
    default: false
  no_way_back:
    description: Make a change for which there is no way back.
    type: bool
    default: false
"""
