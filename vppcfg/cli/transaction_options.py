"""The options of the commands that change a VPP, or ask what changed it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vppcfg.app import places

if TYPE_CHECKING:
    from vppcfg.app.consent import Terms

_LONGEST_WINDOW_MIN = 24 * 60.0


def add_state_dir_option(parser: argparse._ActionsContainer) -> None:
    """Add --state-dir."""
    parser.add_argument(
        "--state-dir",
        metavar="DIR",
        default=places.state_dir(),
        help=f"where the journal is kept (default: ${places.STATE_DIR_VARIABLE}, else {places.STATE_DIR})",
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


def terms_of(args: argparse.Namespace) -> Terms:
    """Return how far a change may go by the options of a command, those that it does not have as by default."""
    from vppcfg.app.consent import Terms
    from vppcfg.plan.impact import Impact

    confirm_min = getattr(args, "confirm", None)
    return Terms(
        max_impact=Impact[args.max_impact.upper()],
        force=getattr(args, "force", False),
        keep=getattr(args, "keep", False),
        adopt=getattr(args, "adopt", False),
        confirm_s=None if confirm_min is None else 60 * confirm_min,
        wait=getattr(args, "wait", False),
    )
