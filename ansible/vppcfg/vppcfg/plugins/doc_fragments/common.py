# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""The options that every module has."""

from __future__ import annotations


class ModuleDocFragment:
    """Options for the VPP and the path of vppcfg."""

    DOCUMENTATION = r"""
options:
  executable:
    description: The program C(vppcfg) on the router.
    type: path
    default: vppcfg
  api_socket:
    description: VPP's API socket. Without it, that of the installed vppcfg.
    type: path
  state_dir:
    description: The folder of vppcfg's journal. Without it, that of the installed vppcfg.
    type: path
  run_dir:
    description: The folder of vppcfg's locks. Without it, that of the installed vppcfg.
    type: path
requirements:
  - vppcfg 1.0.0 or newer on the router
"""
