"""The default paths and times on a router: socket, configuration, journal, locks. Importing this costs nothing."""

from __future__ import annotations

import os

SOCKET = "/run/vpp/api.sock"
"""VPP's API socket."""
CONFIG = "/etc/vpp/vppcfg.yaml"
"""The configuration file."""
REST_FILE = "vppcfg-rest.vpp"
"""Beside the file that `vppcfg adopt` writes: the commands that it could not put into that."""
STARTUP_CONF = "etc/vpp/startup.conf"
"""That of VPP, below the root directory."""
STATE_DIR = "/var/lib/vppcfg"
"""Where the journals of all VPPs of a machine lie, a folder each."""
STATE_DIR_VARIABLE = "VPPCFG_STATE_DIR"
"""The variable of the environment that names another place for them."""
RUN_DIR = "/run/vppcfg"
"""Where their locks lie; it is empty after the machine was started."""
RUN_DIR_VARIABLE = "VPPCFG_RUN_DIR"
"""Likewise."""
CONFIRM_MINUTES = 5.0
"""How long an unconfirmed change waits by default."""
CONFIRM_MINUTES_VARIABLE = "VPPCFG_CONFIRM_MINUTES"
"""The variable of the environment that names another time."""
TIMEOUT_S = 10.0
"""How long a VPP may be silent before it counts as hung."""


def state_dir() -> str:
    """Return where journals lie: what the environment sets, else the usual place."""
    return os.environ.get(STATE_DIR_VARIABLE, STATE_DIR)


def confirm_minutes() -> str:
    """Return how long a change may wait to be confirmed, in minutes: what the environment sets, else the usual time."""
    return os.environ.get(CONFIRM_MINUTES_VARIABLE) or f"{CONFIRM_MINUTES:g}"


def run_dir() -> str:
    """Return where locks lie: what the environment sets, else the usual place."""
    return os.environ.get(RUN_DIR_VARIABLE, RUN_DIR)
