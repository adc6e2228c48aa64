"""The options of the commands that change a VPP, or ask what changed it."""

from __future__ import annotations

import argparse
import os

DEFAULT_STATE_DIR = "/var/lib/vppcfg"
STATE_DIR_VARIABLE = "VPPCFG_STATE_DIR"
RUN_DIR_VARIABLE = "VPPCFG_RUN_DIR"
DEFAULT_RUN_DIR = "/run/vppcfg"
_LONGEST_WINDOW_MIN = 24 * 60.0


def add_state_dir_option(parser: argparse._ActionsContainer) -> None:
    """Add --state-dir."""
    parser.add_argument(
        "--state-dir",
        metavar="DIR",
        default=os.environ.get(STATE_DIR_VARIABLE, DEFAULT_STATE_DIR),
        help=f"where the journal is kept (default: ${STATE_DIR_VARIABLE}, else {DEFAULT_STATE_DIR})",
    )


def add_change_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how far a change may go, and how it is shown."""
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask, even if objects are removed or recreated")
    parser.add_argument(
        "--max-impact",
        choices=["none", "flap", "recreate"],
        default="recreate",
        help="refuse a plan that does more than this to traffic (default: recreate, which is everything)",
    )
    parser.add_argument(
        "--format",
        choices=["text", "json"],
        default="text",
        help="for people (default), or one JSON object per step as it is done",
    )


def minutes(text: str) -> float:
    """Return the number of minutes in an argument, fractions allowed. Raise ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= _LONGEST_WINDOW_MIN:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of minutes up to {_LONGEST_WINDOW_MIN:.0f}")
    return value


def change_number(text: str) -> int:
    """Return the number of a change in an argument. Raise ArgumentTypeError."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of a change")
    return int(text)


def run_dir() -> str:
    """Return where locks lie."""
    return os.environ.get(RUN_DIR_VARIABLE, DEFAULT_RUN_DIR)
