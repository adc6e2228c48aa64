"""Where things are on a router unless somebody says otherwise. Importing this costs nothing, so options may do it."""

from __future__ import annotations

import os

SOCKET = "/run/vpp/api.sock"
"""VPP's API socket."""
CONFIG = "/etc/vpp/vppcfg.yaml"
STATE_DIR = "/var/lib/vppcfg"
STATE_DIR_VARIABLE = "VPPCFG_STATE_DIR"
RUN_DIR = "/run/vppcfg"
RUN_DIR_VARIABLE = "VPPCFG_RUN_DIR"


def state_dir() -> str:
    """Return where journals lie: what the environment says, else the usual place."""
    return os.environ.get(STATE_DIR_VARIABLE, STATE_DIR)


def run_dir() -> str:
    """Return where locks lie: what the environment says, else the usual place."""
    return os.environ.get(RUN_DIR_VARIABLE, RUN_DIR)
