"""The options that several commands share: the VPP, its journal, how far a change may go."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vppcfg.app import default_paths
from vppcfg.errors import UsageError

if TYPE_CHECKING:
    from vppcfg.app.approval import Terms
    from vppcfg.app.plan_rehearsal import RehearsalTerms
    from vppcfg.app.target import Target
    from vppcfg.common.release import Release
    from vppcfg.entries.yaml.files import SourceFiles
    from vppcfg.model.checks import Check
    from vppcfg.transaction.guard import Limits

DEFAULT_CONFIG = (default_paths.CONFIG,)
"""The default files of a command."""
IMPACTS = ("none", "degrade", "policy", "flap", "recreate", "remove")
"""The words of `plan.impact.Impact`, which is imported only where it is needed."""
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 86400.0
_LONGEST_PAUSE_MS = 60000.0
_MOST_ROUTES = 2_000_000
_LONGEST_WINDOW_MIN = 24 * 60.0
_LONGEST_COMMENT = 500


def add_config_option(parser: argparse.ArgumentParser) -> None:
    """Add -c, the configuration file, or several."""
    parser.add_argument(
        "-c",
        "--config",
        metavar="FILE",
        action=ConfigFiles,
        default=DEFAULT_CONFIG,
        help=f"configuration file, - for standard input (default: {default_paths.CONFIG}); given several times, each "
        f"file overrides those before it; a folder means its files *.yaml",
    )


def add_force_option(parser: argparse.ArgumentParser) -> None:
    """Add --force, for commands whose output file may have been edited since."""
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def refuse_to_overwrite(file_name: str | None, *, force: bool, option: str = "-o") -> None:
    """Raise UsageError where a file is there already that is not to be overwritten; a pipe or a device is none."""
    if file_name is not None and not force and os.path.isfile(file_name):
        raise UsageError(
            f"{file_name} exists, and is not overwritten",
            f"name another file with {option}, or overwrite this one with --force",
        )


def output_file(text: str) -> str:
    """Return the name of a file that can be written. Raise ArgumentTypeError, before work that would be lost."""
    from vppcfg.cli.output import is_stream

    folder = os.path.dirname(os.path.realpath(text))
    if os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"cannot write {text}: it is a folder")
    if text == "-" or is_stream(text):
        return text
    if not os.path.isdir(folder):
        raise argparse.ArgumentTypeError(f"cannot write {text}: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise argparse.ArgumentTypeError(f"cannot write {text}: {folder} may not be written to")
    return text


def files_of(args: argparse.Namespace) -> SourceFiles:
    """Return the files that -c names."""
    from vppcfg.entries.yaml.files import SourceFiles

    return SourceFiles(names=args.config)


def known_release(text: str) -> Release:
    """Return the release that is named. Raise UsageError for one that vppcfg does not know."""
    from vppcfg.common.release import NEWEST, OLDEST, release_of

    known = f"vppcfg knows those from {OLDEST} to {NEWEST}"
    try:
        release = release_of(text)
    except ValueError as error:
        raise UsageError(str(error), known) from error
    if not OLDEST <= release <= NEWEST:
        raise UsageError(f"nothing is known of VPP {release}", known)
    return release


def add_assume_option(parser: argparse.ArgumentParser) -> None:
    """Add --assume, for a release that is newer than vppcfg."""
    parser.add_argument(
        "--assume",
        metavar="RELEASE",
        help="treat a release that vppcfg does not know yet like this one, and warn",
    )


def add_allow_option(parser: argparse.ArgumentParser) -> None:
    """Add --allow, for words of startup.conf that only a patched VPP knows."""
    parser.add_argument(
        "--allow",
        metavar="WORD",
        action="append",
        default=[],
        help="accept a word in startup.conf that a patched VPP knows; may be given several times",
    )


def judged_release(text: str, assumed: str | None = None) -> tuple[Release, tuple[str, ...]]:
    """Return the release that one which was named is judged as, and notes about that.

    A release between two known ones is judged as the older one, that of a vendor as upstream's; a newer one as the one
    that is `assumed`. Raise UsageError for one that nothing is known of.
    """
    from vppcfg.common.release import NEWEST, OLDEST, RELEASES, is_upstream, nearest, release_of

    known = f"vppcfg knows those from {OLDEST} to {NEWEST}: {', '.join(map(str, RELEASES))}"
    try:
        release = release_of(text)
    except ValueError as error:
        raise UsageError(str(error), known) from error
    if release < OLDEST:
        raise UsageError(f"nothing is known of VPP {release}", known)
    if release > NEWEST:
        if assumed is None:
            raise UsageError(
                f"VPP {release} is newer than what vppcfg knows", f"{known}; --assume {NEWEST} judges it as that"
            )
        return known_release(assumed), (
            f"this is an assumption: VPP {release} is newer than what vppcfg knows, and is judged as {assumed}",
        )
    if assumed is not None:
        raise UsageError(f"--assume is for a release that is newer than {NEWEST}", f"VPP {release} is known by itself")
    remarks = []
    if not is_upstream(text):
        remarks.append(f"{text} is no release of VPP, and is treated as VPP {release}")
    if (judged := nearest(release)) != release:
        remarks.append(f"there is no VPP {release}; it is judged as {judged}, the one before")
    return judged, tuple(remarks)


class ConfigFiles(argparse.Action):
    """Collects configuration files, in order."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Keep the file's name. Raise UsageError for one that is named already."""
        former = getattr(namespace, self.dest)
        before = () if former is self.default else former
        if values in before:
            raise UsageError(f"-c is given twice for {values}", "name each file once, the one that is to win last")
        setattr(namespace, self.dest, (*before, values))


class OneConfig(argparse.Action):
    """Takes one configuration file, and refuses a second one, which would replace the first without a word."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Keep the file's name. Raise UsageError for a second one."""
        former = getattr(namespace, self.dest)
        if former is not self.default:
            raise UsageError(
                f"-c is given twice, for {former} and {values}: one command takes one file",
                "put both into one file, or give the command for each of them",
            )
        setattr(namespace, self.dest, values)


def add_adopt_option(parser: argparse.ArgumentParser) -> None:
    """Add --adopt."""
    parser.add_argument(
        "--adopt", action="store_true", help="take over interfaces of the file whose tag belongs to another program"
    )


def add_dataplane_options(parser: argparse.ArgumentParser) -> None:
    """Add -a and -j."""
    add_socket_option(parser)
    parser.add_argument(
        "-j",
        "--vpp-json-dir",
        metavar="DIR",
        help="API definitions (*.api.json) of a VPP that does not serve them itself (default: the usual places)",
    )


def add_reading_option(parser: argparse.ArgumentParser) -> None:
    """Add --read-all, for commands that read the state of a VPP."""
    parser.add_argument(
        "--read-all",
        action="store_true",
        help=(
            "also read what is large, such as all routes of other programs. VPP forwards nothing meanwhile: 0.1 s "
            "several times for 700,000 routes of Linux, 12 s for a million of the API or the prompt"
        ),
    )


def add_socket_option(parser: argparse.ArgumentParser) -> None:
    """Add -a, which names a VPP, also to commands that do not speak to it."""
    parser.add_argument(
        "-a",
        "--api-socket",
        metavar="SOCKET",
        default=default_paths.SOCKET,
        help="VPP's API socket (default: %(default)s)",
    )


def add_state_dir_option(parser: argparse._ActionsContainer) -> None:
    """Add --state-dir."""
    parser.add_argument(
        "--state-dir",
        metavar="DIR",
        default=default_paths.state_dir(),
        help="where the journal is kept "
        f"(default: ${default_paths.STATE_DIR_VARIABLE}, else {default_paths.STATE_DIR})",
    )


def add_change_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for how far a change may go, and how it is shown."""
    parser.add_argument(
        "-m",
        "--message",
        metavar="TEXT",
        type=comment,
        default="",
        help="a comment on the change, which `vppcfg history` shows",
    )
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask, whatever the impact on traffic")
    add_limit_options(parser)
    parser.add_argument(
        "--format",
        choices=["text", "json"],
        default="text",
        help="for people (default), or one JSON object per step",
    )


def add_limit_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for how far a plan may go: a limit, and a word for each guard, which lifts it."""
    parser.add_argument(
        "--max-impact",
        choices=IMPACTS,
        default="remove",
        help="refuse a plan that does more than this to traffic (default: %(default)s, which is everything)",
    )
    parser.add_argument(
        "--max-pause",
        metavar="MS",
        type=milliseconds,
        help="refuse a plan with a step that stops forwarding for more than so many milliseconds, by estimate, or for "
        "a time that is not known",
    )
    parser.add_argument(
        "--override-protected",
        action="store_true",
        help="allow a plan that affects interfaces under `protected` in the file",
    )
    parser.add_argument(
        "--allow-mass-deletion", action="store_true", help="allow a plan that deletes more than half of what exists"
    )
    parser.add_argument(
        "--lose-unmanaged",
        action="store_true",
        help="allow a plan that removes what others have configured on interfaces, such as NAT or routes",
    )
    parser.add_argument("--no-way-back", action="store_true", help="allow a change that cannot be rolled back")


def add_rehearsal_options(parser: argparse.ArgumentParser, option: str, words: str) -> None:
    """Add the option to rehearse a plan, which is called `option`, and the one for the size of the tables."""
    parser.add_argument(
        option,
        dest="rehearsal_prefix",
        metavar="PREFIX",
        nargs="?",
        const="/usr",
        help=f"{words} on the VPP that is installed below this folder (default: /usr), which is started in namespaces "
        "of its own, as root; frames are sent between the steps, and the way back is tried from each",
    )
    parser.add_argument(
        "--routes",
        metavar="N",
        type=_routes,
        help="in the rehearsal, also measure for how long each step stops a worker, with so many routes in the default "
        "table beside the static ones",
    )


def _routes(text: str) -> int:
    """Return a number of routes in an argument. Raise ArgumentTypeError."""
    return int(number_within(text, 0, _MOST_ROUTES, f"is not a number of routes from 0 to {_MOST_ROUTES}"))


def add_again_option(parser: argparse.ArgumentParser) -> None:
    """Add --again, and --force, which was one word for several guards."""
    parser.add_argument("--again", action="store_true", help="apply a file that was rolled back")
    parser.add_argument("--force", action=_Gone, nargs=0, help=argparse.SUPPRESS)


class _Gone(argparse.Action):
    """An option of former versions, which is an error that names what came in its place."""

    def __call__(self, *_: object) -> None:
        raise UsageError(
            "--force was removed: each guard has its own option, which the refusal names",
            "one or more of --override-protected, --allow-mass-deletion, --again, --no-way-back",
        )


def add_confirm_options(parser: argparse.ArgumentParser) -> None:
    """Add --confirm and --wait."""
    parser.add_argument(
        "--confirm",
        metavar="MINUTES",
        nargs="?",
        type=minutes,
        const=0.0,
        help="roll back unless `vppcfg confirm` is run within this time (without a number: "
        f"${default_paths.CONFIRM_MINUTES_VARIABLE}, else {default_paths.CONFIRM_MINUTES:g})",
    )
    parser.add_argument(
        "--wait", action="store_true", help="with --confirm: wait for the confirmation, and exit 9 without it"
    )


def add_check_options(parser: argparse.ArgumentParser) -> None:
    """Add --check and --add-check."""
    parser.add_argument(
        "--check",
        action="store_true",
        help="run the checks of the file before and after the change; with --confirm, their result confirms the "
        "change or rolls it back, else exit 14 when a check that passed before fails after",
    )
    parser.add_argument(
        "--hold",
        action="store_true",
        help="with --check and --confirm: roll back when a check fails, but do not confirm when they pass",
    )
    parser.add_argument(
        "--add-check",
        metavar="CHECK",
        action="append",
        default=[],
        help="like --check, with one more check, written as in the file: `ping: 192.0.2.1, within: 5s`; may be "
        "repeated",
    )


def refuse_idle_hold(args: argparse.Namespace) -> None:
    """Raise UsageError for --hold where nothing would be confirmed by itself."""
    if args.hold and (args.confirm is None or not (args.check or args.add_check)):
        raise UsageError("--hold is for --confirm with --check", "without them nothing is confirmed by checks")


def checks_of(args: argparse.Namespace) -> tuple[Check, ...]:
    """Return the checks of --add-check. Raise UsageError for one that is none."""
    from vppcfg.config.check_text import check_in

    return tuple(check_in(text) for text in getattr(args, "add_check", ()))


def check_confirm_options(args: argparse.Namespace) -> None:
    """Put the usual time in place of one that is not named. Raise UsageError when the options make no sense."""
    from vppcfg.errors import UsageError

    if args.wait and args.confirm is None:
        raise UsageError("--wait is for --confirm", "name the time: --confirm MINUTES")
    if args.confirm == 0.0:
        try:
            args.confirm = minutes(default_paths.confirm_minutes())
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"${default_paths.CONFIRM_MINUTES_VARIABLE}: {error}") from error


def add_look_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that follows a VPP: whether it looks once, and its output."""
    parser.add_argument("--once", action="store_true", help="look once; exit 10 when something differs, 0 when not")
    parser.add_argument(
        "--format",
        choices=["text", "json", "prometheus"],
        default="text",
        help="lines for people (default), a JSON object per line, or metrics for node_exporter's textfile collector",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="add the lines to a file, or replace it with the metrics at each look"
    )


def seconds_between_looks(text: str) -> float:
    """Return the seconds between two looks at a VPP. Raise ArgumentTypeError."""
    bounds = f"from {_SHORTEST_PAUSE_S:g} to {_LONGEST_PAUSE_S:g}"
    return number_within(text, _SHORTEST_PAUSE_S, _LONGEST_PAUSE_S, f"is not a number of seconds {bounds}")


def number_within(text: str, lowest: float, highest: float, complaint: str) -> float:
    """Return a number above 0 in an argument. Raise ArgumentTypeError with the complaint when it is out of bounds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not lowest <= value <= highest:
        raise argparse.ArgumentTypeError(f"{text!r} {complaint}")
    return value


def target_of(args: argparse.Namespace) -> Target:
    """Return the VPP that the options name, and where its journal is."""
    from vppcfg.app.target import Target

    state_dir = getattr(args, "state_dir", None) or default_paths.state_dir()
    return Target(
        api_socket=args.api_socket,
        json_dir=getattr(args, "vpp_json_dir", None),
        state_dir=state_dir,
        reads_all=getattr(args, "read_all", False),
    )


def terms_of(args: argparse.Namespace) -> Terms:
    """Return the options of a change from those of a command, with defaults for those that it lacks."""
    from vppcfg.app.approval import Terms

    confirm_min = getattr(args, "confirm", None)
    return Terms(
        limits=limits_of(args),
        again=getattr(args, "again", False),
        keep=getattr(args, "keep", False),
        adopt=getattr(args, "adopt", False),
        confirm_s=None if confirm_min is None else 60 * confirm_min,
        wait=getattr(args, "wait", False),
        has_checks=getattr(args, "check", False) or bool(getattr(args, "add_check", ())),
        more_checks=checks_of(args),
        holds=getattr(args, "hold", False),
        comment=getattr(args, "message", ""),
        install_as=getattr(args, "install_as", None) or "",
        rehearsal=rehearsal_of(args),
    )


def rehearsal_of(args: argparse.Namespace) -> RehearsalTerms | None:
    """Return how the plan is to be rehearsed, None for not at all. Raise UsageError for routes without a rehearsal."""
    if getattr(args, "rehearsal_prefix", None) is None:
        if getattr(args, "routes", None) is not None:
            raise UsageError("--routes is about the rehearsal", "ask for one, too")
        return None
    from pathlib import Path

    from vppcfg.app.plan_rehearsal import RehearsalTerms

    return RehearsalTerms(prefix=Path(args.rehearsal_prefix), routes=args.routes)


def limits_of(args: argparse.Namespace) -> Limits:
    """Return the limits of a plan from the options of a command, with defaults for those that it lacks."""
    from vppcfg.plan.impact import Impact
    from vppcfg.transaction.guard import Limits

    return Limits(
        max_impact=Impact[args.max_impact.upper()],
        max_pause_ms=getattr(args, "max_pause", None),
        override_protected=getattr(args, "override_protected", False),
        allow_mass_deletion=getattr(args, "allow_mass_deletion", False),
        lose_unmanaged=getattr(args, "lose_unmanaged", False),
        no_way_back=getattr(args, "no_way_back", False),
    )


def milliseconds(text: str) -> float:
    """Return a number of milliseconds in an argument. Raise ArgumentTypeError."""
    return number_within(text, 1.0, _LONGEST_PAUSE_MS, "is not a number of milliseconds from 1 to 60000")


def minutes(text: str) -> float:
    """Return the number of minutes in an argument, fractions allowed. Raise ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= _LONGEST_WINDOW_MIN:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes up to {_LONGEST_WINDOW_MIN:.0f}")
    return value


def comment(text: str) -> str:
    """Return a comment in an argument, on one line. Raise ArgumentTypeError when it is too long."""
    line = " ".join(text.split())
    if len(line) > _LONGEST_COMMENT:
        raise argparse.ArgumentTypeError(f"{len(line)} characters are too many: {_LONGEST_COMMENT} at most")
    return line


def change_number(text: str) -> int:
    """Return the number of a change in an argument. Raise ArgumentTypeError."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a change")
    return int(text)
