"""`vppcfg adopt`: writes a configuration for a running VPP or a script, whose plan is empty. It only reads."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from typing import TYPE_CHECKING, TextIO

from vppcfg.app import default_paths
from vppcfg.app.default_paths import REST_FILE, STARTUP_CONF
from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    add_dataplane_options,
    add_force_option,
    add_reading_option,
    add_state_dir_option,
    output_file,
    refuse_to_overwrite,
    target_of,
)
from vppcfg.errors import ConfigError, DataplaneError, ExitCode, LinuxError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vppcfg.adopt.adoption import Adoption
    from vppcfg.adopt.others import OthersOfKind
    from vppcfg.adopt.report import AdoptionReport
    from vppcfg.adopt.routes import Takeover
    from vppcfg.adopt.script_adoption import ReplaySetup
    from vppcfg.adopt.second_opinion import AskVpp
    from vppcfg.adopt.sources import Folder, Source
    from vppcfg.app.target import Target
    from vppcfg.common.release import Release
    from vppcfg.entries.configuration import Configuration
    from vppcfg.model.state import State
    from vppcfg.model.vpp_object import Ownership

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "adopt",
        help="write a configuration for a VPP that was configured by other means",
        description=(
            "Write a configuration for a VPP that was configured by hand or by a script, prove that its plan is "
            "empty, and report the outcome of every line. A script is replayed on a simulated VPP; the running one is "
            "only read."
        ),
    )
    parser.add_argument(
        "--from",
        dest="sources",
        metavar="FILE",
        action="append",
        default=[],
        help="a startup.conf or a script of VPP commands, which may be given again, in the order in which VPP runs "
        "them, and one file of the public vppcfg; or a folder, a tar or an archive of `vppcfg report`, alone "
        "(default: the running VPP)",
    )
    parser.add_argument(
        "--as",
        dest="kind",
        choices=["vpp", "startup", "yaml"],
        help="the format of the files (default: detected)",
    )
    add_dataplane_options(parser)
    add_reading_option(parser)
    parser.add_argument(
        "--root",
        metavar="DIR",
        default="/",
        help="where the paths of scripts and of the running VPP's startup.conf begin (default: %(default)s)",
    )
    parser.add_argument(
        "--vpp-version",
        metavar="VERSION",
        help="the release that runs the script (default: the running VPP's, or the newest)",
    )
    parser.add_argument(
        "--vpp-prefix",
        metavar="DIR",
        default="/usr",
        help="where bin/vpp is: where it is of that release, root's scripts are tried on one of their own, which sees "
        "nothing of the machine (default: %(default)s)",
    )
    parser.add_argument("--past-errors", action="store_true", help="go on after a command that VPP refuses")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "-o", "--output", metavar="FILE", type=output_file, help="write to a new file (default: standard output)"
    )
    where.add_argument("--into", metavar="FILE", help="update a configuration file; its comments and order stay")
    add_force_option(parser)
    parser.add_argument(
        "--rest",
        metavar="FILE",
        help=f"write the remaining commands to this file (default: {REST_FILE} beside the output)",
    )
    parser.add_argument(
        "--report", choices=["text", "json"], default="text", help="for people (default) or for programs"
    )
    parser.add_argument(
        "--strict", action="store_true", help="write nothing and exit 3 if anything is unmanaged, assumed or a fault"
    )
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Adopt what the options name, report, and write the files."""
    refuse_to_overwrite(args.output, force=args.force)
    for name in _rest_names(args):
        refuse_to_overwrite(name, force=args.force, option="--rest")
    adoption = _of_sources(args) if args.sources else _of_running_vpp(args)
    stream = sys.stdout if args.output is not None or args.into is not None else sys.stderr
    _show(adoption.report, args, stream)
    if args.strict and not adoption.report.is_whole:
        raise ConfigError("not everything can be adopted as it is, and nothing is written", "leave out --strict")
    _write(adoption, args)
    return ExitCode.DONE


def _of_sources(args: argparse.Namespace) -> Adoption:
    from vppcfg.adopt.sources import Source, SourceKind, kind_of
    from vppcfg.entries.yaml.files import read_source

    if len(args.sources) == 1 and args.kind is None and (adoption := _of_report(args.sources[0])) is not None:
        return adoption
    if len(args.sources) == 1 and (folder := _folder(args.sources[0])) is not None:
        return _of_folder(folder, args)
    sources, file = [], None
    for name in args.sources:
        data = read_source(name)
        text = data.decode(errors="replace")
        kind = SourceKind(args.kind) if args.kind else kind_of(text)
        if kind is not SourceKind.YAML:
            sources.append(Source(name=name, text=text, kind=kind))
        elif file is None:
            file = name, data
        else:
            raise UsageError(
                f"{file[0]} and {name} are both a configuration in YAML, of which a VPP has one",
                "adopt one; --as vpp reads a text as a script",
            )
    if not sources and file is not None:
        from vppcfg.adopt.migrated import adopt_migrated

        return adopt_migrated(*file)
    adoption = _joined(sources, _replay_setup(args), args)
    if file is not None:
        from vppcfg.adopt.merge_yaml import merged_with_yaml

        return merged_with_yaml(adoption, *file)
    return adoption


def _of_report(name: str) -> Adoption | None:
    """Return what the VPP has that an archive of `vppcfg report` is about, None when a file is none."""

    from vppcfg.adopt.adoption import adopt_state
    from vppcfg.adopt.startup_conf import adopt_conf
    from vppcfg.app.loading import read_state
    from vppcfg.common.report_archive import STARTUP_CONF as CONF
    from vppcfg.common.report_archive import report_in

    members = report_in(name)
    if members is None:
        return None
    state = read_state(name)
    if CONF not in members:
        return adopt_state(state, name)
    text = members[CONF].decode(errors="replace")
    conf = adopt_conf(f"{name}: {CONF}", text, _release(state.facts.version))
    return adopt_state(state, name, conf.settings, conf.lines)


def _folder(name: str) -> Folder | None:
    """Return the folder of this name, or what an archive holds; None when it is another file."""
    from pathlib import Path

    from vppcfg.adopt.sources import Folder
    from vppcfg.common.unpacking import content_of, files_in_archive, files_in_folder, is_archive
    from vppcfg.entries.yaml.files import can_be_read_again

    if os.path.isdir(name):
        return Folder(files=files_in_folder(Path(name)), name=name.rstrip("/"))
    if not can_be_read_again(name) or not os.path.isfile(name):
        return None
    content = content_of(Path(name))
    return Folder(files=files_in_archive(content, name), name=name) if is_archive(content) else None


def _of_folder(folder: Folder, args: argparse.Namespace) -> Adoption:
    from vppcfg.adopt.grammar import grammar_of
    from vppcfg.adopt.migrated import adopt_migrated
    from vppcfg.adopt.sources import SourceKind, sources_below

    setup = _replay_setup(args)
    sources = sources_below(folder, grammar_of(setup.release))
    if sources[0].kind is SourceKind.YAML:
        return adopt_migrated(sources[0].name, sources[0].text.encode())
    return _joined(sources, setup, args, folder)


def _joined(
    sources: Sequence[Source], setup: ReplaySetup, args: argparse.Namespace, folder: Folder | None = None
) -> Adoption:
    from vppcfg.adopt.merge_sources import adopt_sources
    from vppcfg.adopt.sources import reader_below, reader_in
    from vppcfg.entries.yaml.files import read_source

    rest_name = _rest_name(args)
    rest_file = os.path.abspath(rest_name) if rest_name is not None else None
    read = reader_below(args.root, read_source) if folder is None else reader_in(folder)
    return adopt_sources(sources, setup, read, rest_file, _ask(args.vpp_prefix, setup.release))


def _ask(prefix: str, release: Release) -> AskVpp | None:
    """Return what asks a VPP of its own, None where none can be started."""
    from functools import partial
    from pathlib import Path

    from vppcfg.app.asking import ask_vpp
    from vppcfg.linux.private_vpp import require_startable

    try:
        require_startable(Path(prefix))
    except (UsageError, LinuxError):
        return None
    return partial(ask_vpp, release=release, prefix=Path(prefix))


def _replay_setup(args: argparse.Namespace) -> ReplaySetup:
    from vppcfg.adopt.script_adoption import ReplaySetup
    from vppcfg.adopt.simulation import ports_of

    state = _running(args)
    version = args.vpp_version or (state.facts.version if state is not None else None)
    return ReplaySetup(
        release=_release(version),
        ports=ports_of(state) if state is not None else (),
        may_assume=state is None,
        is_running=state is not None,
        workers=state.facts.workers if state is not None else None,
        past_errors=args.past_errors,
    )


def _running(args: argparse.Namespace) -> State | None:
    """Return the state of the VPP at hand, None when there is none; one that is named must be there."""
    try:
        dataplane = target_of(args).connect()
    except DataplaneError as error:
        is_stopped = isinstance(error.__cause__, FileNotFoundError | ConnectionRefusedError)
        if args.api_socket == default_paths.SOCKET and is_stopped:
            return None
        raise
    with dataplane:
        return dataplane.observe()


def _release(version: str | None) -> Release:
    from vppcfg.common.release import NEWEST, release_of

    try:
        return release_of(version) if version else NEWEST
    except ValueError as error:
        raise UsageError(str(error), "write --vpp-version 24.10") from error


def _of_running_vpp(args: argparse.Namespace) -> Adoption:
    from dataclasses import replace

    from vppcfg.adopt.adoption import adopt_state
    from vppcfg.adopt.startup_conf import adopt_conf
    from vppcfg.cli.dump import with_whole_descriptions
    from vppcfg.entries.yaml.files import read_source

    target = target_of(args)
    with target.connect() as dataplane:
        state = with_whole_descriptions(dataplane.observe(), target.journal())
    state, known, owned, taken = _taken(target, state)
    others = _others(target, replace(state, owned=owned), known, taken)
    name, path = f"VPP at {args.api_socket}", os.path.join(args.root, STARTUP_CONF)
    if not os.path.isfile(path):
        return adopt_state(state, name, others=others, taken=taken)
    conf = adopt_conf(path, read_source(path).decode(errors="replace"), _release(state.facts.version))
    return adopt_state(state, name, conf.settings, conf.lines, others, taken)


def _taken(target: Target, observed: State) -> tuple[State, Configuration, Ownership, Takeover]:
    """Return the state with what VPP lists nowhere, its file, what that owns, and the routes of the prompt for it."""
    from contextlib import closing

    from vppcfg.adopt.routes import takeover
    from vppcfg.config.resolve import resolve
    from vppcfg.config.valid_dump import valid_dump

    vpp, _ = target.connect_apart()
    with closing(vpp):
        listed = vpp.with_unlisted(observed)
        known = valid_dump(listed).configuration
        desired = resolve(known, listed).desired
        state = _without_those_of_others(listed, observed, desired)
        return state, known, desired.owned, takeover(state, known, vpp.routes_of_prompt(state))


def _without_those_of_others(listed: State, observed: State, desired: State) -> State:
    """Return a state without what VPP lists nowhere and the file lacks, such as ND proxies of other interfaces."""
    from dataclasses import replace

    from vppcfg.model.vpp_object import without_empty

    kept = {
        kind: {name: each for name, each in found.items() if name in observed.of(kind) or name in desired.of(kind)}
        for kind, found in listed.objects.items()
    }
    return replace(listed, objects=without_empty(kept))


def _others(target: Target, state: State, known: Configuration, taken: Takeover) -> tuple[OthersOfKind, ...]:
    """Return what others have on a running VPP; each interface takes about 0.1 ms.

    The state has what the file `known` owns.
    """
    from contextlib import closing
    from dataclasses import replace

    from vppcfg.adopt.others import others_in
    from vppcfg.model.vrf import FibTable
    from vppcfg.plan.unmanaged import is_of_file
    from vppcfg.record import evolve
    from vppcfg.render.notes import left_out_lines

    tables = {FibTable(table_id=0).key, FibTable(table_id=0, is_ipv6=True).key, *state.vrfs}
    with_policies = {name for name, entry in known.interfaces.items() if entry.policy_routes}
    interfaces = {  # policy routes that the file lacks are those of others
        name: each if name in with_policies else evolve(each, policy_routes=())
        for name, each in state.interfaces.items()
    }
    state = replace(state, interfaces=interfaces)
    vpp, _ = target.connect_apart()
    with closing(vpp):
        found = vpp.unmanaged({*state.interfaces, *tables, *state.bridges}, state)
        left = [each for each in found if not is_of_file(each, state.owned)]
        standalone = [each for each in vpp.standalone(state) if not is_of_file(each, state.owned)]
        for line in left_out_lines((*state.facts.left_out, *vpp.left_out)):
            log.warning("%s", line[0].upper() + line[1:])
        return others_in(standalone, taken.without(left))


def _rest_name(args: argparse.Namespace) -> str | None:
    """Return the file for the commands that are left, None when they are only shown."""
    file_name = args.output or args.into
    if args.rest is not None or file_name is None:
        name: str | None = args.rest
        return name
    return os.path.join(os.path.dirname(file_name), REST_FILE)


def _rest_names(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the file for the commands that are left, and the one for those behind the file where others come first."""
    name = _rest_name(args)
    if name is None:
        return ()
    stem, suffix = os.path.splitext(name)
    return name, f"{stem}-after{suffix}"


def _show(report: AdoptionReport, args: argparse.Namespace, stream: TextIO) -> None:
    from vppcfg.adopt.report import LineOutcome, document_of, text_of
    from vppcfg.cli.output import Colour, paint_for, write
    from vppcfg.common.printable import json_text, printable

    if args.report == "json":
        write(json_text(document_of(report), indent=2) + "\n", stream)
        return
    paint = paint_for(stream, args.color)
    colours = {LineOutcome.FAULT: Colour.BAD, LineOutcome.NEVER_RAN: Colour.BAD, LineOutcome.UNMANAGED: Colour.CHANGED}
    for outcome, text in text_of(report):
        colour = colours.get(outcome) if outcome is not None else None
        shown = printable(text)
        write((paint(shown, colour) if colour is not None else shown) + "\n", stream)


def _write(adoption: Adoption, args: argparse.Namespace) -> None:
    from vppcfg.cli.output import write_document

    rest, rest_name = adoption.rest, _rest_name(args)
    if args.into is not None:
        from vppcfg.cli.dump import write_into

        write_into(args.into, adoption.state, args, adoption.text)
    else:
        write_document(adoption.text, args.output)
    if not rest.commands:
        return
    if rest_name is None:
        log.warning("%s left out: %s, or -o, writes them to a file", _commands(rest.commands), "--rest FILE")
        return
    rest_name, after_name = _rest_names(args)
    last_name = after_name if rest.first else rest_name
    if rest.first:
        _write_rest(rest.first_text, rest_name)
        log.info("%s in %s; VPP is to run them at its start, by unix { exec }", _commands(rest.first), rest_name)
    if rest.last:
        _write_rest(rest.last_text, last_name)
        when = f"run them after each change with `vppcfg rest {last_name}`, by hand or as hooks of the configuration"
        log.info("%s in %s; %s", _commands(rest.last), last_name, when)
    if rest.unwritten:
        log.warning("%d of them only as a comment: they have characters that do not show", rest.unwritten)


def _write_rest(text: str, name: str | None) -> None:
    """Write commands to a file, which others cannot read when secrets are in them."""
    from vppcfg.cli.output import write_document
    from vppcfg.common.redaction import without_secrets

    write_document(text, name, mode=0o600 if without_secrets(text) != text else None)


def _commands(commands: Sequence[str]) -> str:
    return "1 command is" if len(commands) == 1 else f"{len(commands)} commands are"
