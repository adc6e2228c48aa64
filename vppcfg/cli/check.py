"""`vppcfg check`: a configuration file in, its problems out. Needs no VPP and looks for none."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import DEFAULT_CONFIG, add_assume_option, add_config_option, files_of, judged_release
from vppcfg.cli.output import ColourChoice, is_terminal, paint_for, print_line
from vppcfg.common.printable import json_text, printable
from vppcfg.errors import ExitCode, UsageError

log = logging.getLogger("root.main")

PIPELINE_FORMATS = ("github", "sarif", "junit")
_NAMED = 5
"""Files that are named in one line."""

if TYPE_CHECKING:
    from vppcfg.common.release import Release
    from vppcfg.config.load import Loaded
    from vppcfg.model.problem import Problem


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "check",
        help="validate a configuration file; needs no VPP",
        description="Validate a configuration file and list every problem. Exits 3 when one of them is an error.",
    )
    add_config_option(parser)
    parser.add_argument("files", metavar="FILE", nargs="*", help="files of one router each, in place of -c")
    parser.add_argument(
        "--fleet",
        metavar="DIR",
        help="check the files *.yaml of a folder, one for each router, and compare them with each other; fleet.yml "
        "there lists what is shared, external or accepted",
    )
    parser.add_argument(
        "--for",
        dest="release",
        metavar="RELEASE",
        help="also report what VPP of this release, such as 24.10, cannot do",
    )
    add_assume_option(parser)
    parser.add_argument(
        "--show-merged",
        action="store_true",
        help="show the merged files as one YAML file, each value with its file and line",
    )
    parser.add_argument(
        "--format",
        choices=["text", "json", *PIPELINE_FORMATS],
        default="text",
        help="for people (default), for programs, or for pipelines: commands of GitHub's workflows, SARIF, JUnit",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Show the problems of the files, on standard output unless that has what they set together."""
    from vppcfg.app.loading import read
    from vppcfg.cli.problems import counts, document, report

    release, remarks = _release(args)
    if args.fleet is not None:
        return _check_fleet(args, release, remarks)
    if args.files:
        return _check_each(args, release, remarks)
    loaded = read(files_of(args), release)
    problems_to = sys.stdout
    if args.format == "json":
        merged = {"merged": _merged(loaded)} if args.show_merged else {}
        print_line(
            json_text({**document(loaded.problems, loaded.name), **_judged_for(release, remarks), **merged}, indent=2)
        )
    elif args.format in PIPELINE_FORMATS:
        _write_for_pipeline(loaded.problems, loaded.name, args)
    else:
        if args.show_merged:
            problems_to = sys.stderr
            _show_merged(loaded)
        _show_remarks(remarks, problems_to, args.color)
        report(loaded.problems, loaded.name, problems_to, paint_for(problems_to, args.color))
        if not loaded.problems and problems_to is sys.stdout and is_terminal(sys.stdout):
            print_line(f"{printable(loaded.name)}: {counts(loaded.problems)}")
    return ExitCode.DONE if loaded.configuration is not None else ExitCode.INVALID


def _release(args: argparse.Namespace) -> tuple[Release | None, tuple[str, ...]]:
    """Return the release that the file is also judged for, None for none, and notes about it."""
    if args.release is not None:
        return judged_release(args.release, args.assume)
    if args.assume is not None:
        raise UsageError("--assume goes with --for", "name the release that is newer than what vppcfg knows with --for")
    return None, ()


def _judged_for(release: Release | None, remarks: Sequence[str]) -> dict[str, object]:
    return {} if release is None else {"release": str(release), "remarks": list(remarks)}


def _show_remarks(remarks: Sequence[str], stream: TextIO, color: ColourChoice) -> None:
    from vppcfg.cli.output import Colour, write

    paint = paint_for(stream, color)
    write("".join(f"{paint('notice:', Colour.STRONG)} {printable(text)}\n" for text in remarks), stream)


def _check_fleet(args: argparse.Namespace, release: Release | None, remarks: Sequence[str]) -> ExitCode:
    from vppcfg.config.fleet import check_fleet

    if args.config != DEFAULT_CONFIG or args.show_merged:
        raise UsageError("--fleet goes without -c and --show-merged", "it checks every file *.yaml of its folder")
    if args.files:
        raise UsageError("--fleet goes without files", "it checks every file *.yaml of its folder")
    fleet = check_fleet(args.fleet, release)
    code = _report_files(fleet.problems, args.fleet, fleet.files, fleet.unread, args, (release, remarks))
    if fleet.unread and args.format == "text":
        names = ", ".join(map(os.path.basename, fleet.unread[:_NAMED])) + (", …" if fleet.unread[_NAMED:] else "")
        log.warning("Missing ends of links and tunnels were not looked for, because of the errors in %s", names)
    return code


def _check_each(args: argparse.Namespace, release: Release | None, remarks: Sequence[str]) -> ExitCode:
    """Check files that have nothing to do with each other. Raise ConfigError when one cannot be read."""
    from dataclasses import replace

    from vppcfg.app.loading import read
    from vppcfg.entries.yaml.files import SourceFiles

    if args.config != DEFAULT_CONFIG or args.show_merged:
        raise UsageError(
            "files go without -c and --show-merged", "each is checked by itself; -c lays files over each other"
        )
    problems: list[Problem] = []
    files = tuple(dict.fromkeys(args.files))
    for name in files:
        found = read(SourceFiles(names=(name,)), release).problems
        problems += [each if each.file else replace(each, file=name) for each in found]
    return _report_files(problems, " ".join(files), len(files), (), args, (release, remarks))


def _report_files(
    problems: Sequence[Problem],
    name: str,
    count: int,
    unread: Sequence[str],
    args: argparse.Namespace,
    judged: tuple[Release | None, Sequence[str]],
) -> ExitCode:
    """Show the problems of several files in the format that was asked for."""
    from vppcfg.cli.problems import document, report
    from vppcfg.model.problem import Severity

    release, remarks = judged
    if args.format in PIPELINE_FORMATS:
        _write_for_pipeline(problems, name, args)
    elif args.format == "json":
        known = {"files": count, "not_judged": list(unread)}
        print_line(json_text({**document(problems, name), **_judged_for(release, remarks), **known}, indent=2))
    else:
        _show_remarks(remarks, sys.stdout, args.color)
        scope = f"{count} file" if count == 1 else f"{count} files"
        paint = paint_for(sys.stdout, args.color)
        report(problems, *((name, sys.stdout, paint, scope) if args.fleet else (scope, sys.stdout, paint)))
    return ExitCode.INVALID if any(each.severity is Severity.ERROR for each in problems) else ExitCode.DONE


def _write_for_pipeline(problems: Sequence[Problem], name: str, args: argparse.Namespace) -> None:
    """Write problems in the format of a pipeline. Raise UsageError for what has no place in it."""
    from vppcfg.cli.output import write
    from vppcfg.cli.problem_formats import FORMATS

    if args.show_merged:
        raise UsageError(f"--show-merged has no place in --format {args.format}", "use text or json")
    write(FORMATS[args.format](problems, name), sys.stdout)


def _show_merged(loaded: Loaded) -> None:
    from vppcfg.cli.output import write
    from vppcfg.entries.yaml.overlay import annotated_text

    if loaded.document is not None:
        write(annotated_text(loaded.document, loaded.name), sys.stdout)


def _merged(loaded: Loaded) -> list[dict[str, object]]:
    """Return every value as data for JSON, empty when a file could not be read to its end."""
    from vppcfg.entries.yaml.overlay import keys_with_origin

    if loaded.document is None:
        return []
    keys = keys_with_origin(loaded.document, loaded.name)
    return [{"path": list(path), "value": value, "file": file, "line": line} for path, value, file, line in keys]
