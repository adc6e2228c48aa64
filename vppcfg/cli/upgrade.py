"""`vppcfg upgrade`: reports what another release of VPP changes for this router, and rehearses its boot."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from vppcfg.app.default_paths import REST_FILE, STARTUP_CONF
from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    add_allow_option,
    add_assume_option,
    add_config_option,
    add_dataplane_options,
    add_state_dir_option,
    files_of,
    judged_release,
    output_file,
    target_of,
)
from vppcfg.errors import ConfigError, ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.common.release import Release
    from vppcfg.entries.yaml.files import SourceFiles
    from vppcfg.model.state import State
    from vppcfg.upgrade.report import UpgradeReport
    from vppcfg.upgrade.subject import NamedText


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "upgrade",
        help="report what changes for this router with another release of VPP",
        description=(
            "Report what changes for this router with another release of VPP, before its packages are installed: in "
            "the file, startup.conf, the API, plugins and packages, names, behaviour and CLI scripts. It only reads. "
            "Exits 0 when nothing changes, 2 when something works differently, 3 when something stops, and 8 when "
            "only the rehearsal failed."
        ),
    )
    parser.add_argument(
        "--to",
        dest="target_release",
        metavar="RELEASE",
        required=True,
        help="the release to go to, such as 26.06, or an older one to go back to",
    )
    parser.add_argument(
        "--from",
        dest="source_release",
        metavar="RELEASE",
        help="the present release, instead of asking VPP (default: that of the running VPP)",
    )
    add_assume_option(parser)
    add_config_option(parser)
    parser.add_argument(
        "--startup",
        metavar="FILE",
        help=f"VPP's startup.conf (default: /{STARTUP_CONF}, below the directory of --root)",
    )
    add_allow_option(parser)
    parser.add_argument(
        "--root",
        metavar="DIR",
        default="/",
        help="where the paths of startup.conf and of scripts begin (default: %(default)s)",
    )
    parser.add_argument(
        "--script",
        dest="scripts",
        metavar="FILE",
        action="append",
        default=[],
        help="also check a script for VPP's CLI, in addition to those in startup.conf; may be given again",
    )
    parser.add_argument("--packages", metavar="DIR", help="a folder with the packages (*.deb) of the target release")
    parser.add_argument(
        "--rehearse",
        metavar="PREFIX",
        nargs="?",
        const="",
        help=(
            "also boot a VPP of the target release as this router: a simulated one, or the real one that is installed "
            "below this folder, in namespaces of its own"
        ),
    )
    add_dataplane_options(parser)
    add_state_dir_option(parser)
    parser.add_argument(
        "--report", choices=["text", "json"], default="text", help="for people (default) or for programs"
    )
    parser.add_argument("-o", "--output", metavar="REPORT", type=output_file, help="write the report to a file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Judge the upgrade and show what was found."""
    report = _report(args)
    _show(report, args)
    return report.code


def _report(args: argparse.Namespace) -> UpgradeReport:
    from vppcfg.app.loading import configuration_in, read
    from vppcfg.cli.console import terminal_for
    from vppcfg.upgrade.finding import ReleaseChange
    from vppcfg.upgrade.judging import in_order, judge_upgrade, not_looked_at
    from vppcfg.upgrade.packages import packages_in
    from vppcfg.upgrade.report import UpgradeReport
    from vppcfg.upgrade.subject import subject_of

    new, remarks = judged_release(args.target_release, args.assume)
    files = files_of(args)
    loaded = read(files)
    configuration = configuration_in(loaded, terminal_for(args))
    packages = packages_in(args.packages, new) if args.packages is not None else None
    observed = _observed(args)
    old, more = _source_release(args, observed)
    startup = _startup(args)
    scripts = _scripts(args, startup, old, files)
    subject = subject_of(loaded, configuration, observed, startup, scripts, packages, allowed=args.allow)
    change = ReleaseChange(old=old, new=new)
    findings = judge_upgrade(subject, change)
    rehearsal = None
    if args.rehearse is not None:
        from pathlib import Path

        from vppcfg.upgrade.rehearsal import rehearse

        prefix = Path(args.rehearse) if args.rehearse else None
        rehearsal = rehearse(subject, change, files, observed, prefix)
        findings = in_order((*findings, *rehearsal.findings))
        simulated = rehearsal.release
        if simulated != str(new):
            remarks = (*remarks, f"the rehearsal is on {simulated}, the nearest release that can be simulated")
    return UpgradeReport(
        change=change,
        names=(loaded.name, *([startup.name] if startup is not None else []), *(script.name for script in scripts)),
        objects=subject.objects,
        findings=findings,
        not_looked_at=(*_unread(startup, old, args.root), *not_looked_at(subject)),
        remarks=(*more, *remarks),
        rehearsal=rehearsal,
    )


def _unread(startup: NamedText | None, old: Release, root: str) -> list[str]:
    """Return the scripts that VPP runs and that cannot be read here."""
    return [f"{path} (it cannot be read here)" for path in _executed(startup, old, root) if not os.path.isfile(path)]


def _observed(args: argparse.Namespace) -> State | None:
    """Return what the running VPP has, None when its release is named and it is not asked."""
    if args.source_release is not None:
        return None
    with target_of(args).connect() as dataplane:
        return dataplane.observe()


def _source_release(args: argparse.Namespace, observed: State | None) -> tuple[Release, tuple[str, ...]]:
    if observed is None:
        return judged_release(args.source_release)
    return judged_release(observed.facts.version)


def _startup(args: argparse.Namespace) -> NamedText | None:
    """Return startup.conf, None when there is none at its usual place. Raise UsageError when a named one is missing."""
    from vppcfg.entries.yaml.files import read_source
    from vppcfg.upgrade.subject import NamedText

    path = args.startup or os.path.join(args.root, STARTUP_CONF)
    if args.startup is None and not os.path.isfile(path):
        return None
    try:
        return NamedText(name=path, text=read_source(path).decode(errors="surrogateescape"))
    except ConfigError as error:
        raise UsageError(error.message, "name VPP's startup.conf with --startup") from error


def _scripts(
    args: argparse.Namespace, startup: NamedText | None, old: Release, files: SourceFiles
) -> tuple[NamedText, ...]:
    """Return the scripts that startup.conf names, REST_FILE beside each file, and those that are named as options."""
    from vppcfg.entries.yaml.files import read_source
    from vppcfg.upgrade.subject import NamedText

    found = [path for path in _executed(startup, old, args.root) if os.path.isfile(path)]
    for name in files.names:
        rest = os.path.join(os.path.dirname(name), REST_FILE)
        if os.path.isfile(rest):
            found.append(rest)
    for path in args.scripts:
        if not os.path.isfile(path):
            raise UsageError(f"there is no script {path}", "name a file with commands for VPP's CLI")
        found.append(path)
    return tuple(NamedText(name=path, text=read_source(path).decode(errors="replace")) for path in dict.fromkeys(found))


def _executed(startup: NamedText | None, old: Release, root: str) -> list[str]:
    """Return the scripts that startup.conf has VPP run."""
    from vppcfg.startup.conf.reader import read_conf

    stanza = read_conf(startup.text, old)[0].stanza("unix") if startup is not None else None
    entries = (stanza.children if stanza is not None else None) or ()
    named = (each.arguments[0] for each in entries if each.name in ("exec", "startup-config") and each.arguments)
    return [os.path.join(root, name.lstrip("/")) for name in named]


def _show(report: UpgradeReport, args: argparse.Namespace) -> None:
    import sys

    from vppcfg.cli.output import Colour, paint_for
    from vppcfg.common.printable import json_text, printable
    from vppcfg.upgrade.finding import Weight
    from vppcfg.upgrade.report import document_of, lines_of

    if args.report == "json":
        _write(json_text(document_of(report), indent=2) + "\n", args)
        return
    paint = paint_for(sys.stdout, args.color) if args.output is None else None
    colours = {Weight.STOPS: Colour.BAD, Weight.CHANGES: Colour.CHANGED, Weight.NOTICE: Colour.STRONG}
    lines = []
    for weight, text in lines_of(report):
        word = f"{weight.value:<8} " if weight is not None else ""
        shown = paint(word, colours[weight]) if paint is not None and weight is not None else word
        lines.append(f"{shown}{printable(text)}\n")
    _write("".join(lines), args)


def _write(text: str, args: argparse.Namespace) -> None:
    import sys

    from vppcfg.cli.output import write, write_document

    if args.output is None:
        write(text, sys.stdout)
    else:
        write_document(text, args.output)
