"""`vppcfg tune`: shows what limits a VPP and what to change. Changes nothing but with --write."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, cast

from vppcfg.cli.arguments import CommandModule, CommandsBelow, Subparsers, add_repeated_options
from vppcfg.cli.options import OneConfig, output_file
from vppcfg.cli.output import ColourChoice, paint_for, write_document
from vppcfg.cli.tune import capacity, capture, linerate
from vppcfg.cli.tune.options import (
    add_from_option,
    add_live_options,
    captures_of,
    frame_size,
    load_from,
    named_rates,
    reading_plan,
)
from vppcfg.common.printable import json_text
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.tune.diagnosis import Diagnosis
    from vppcfg.tune.load import Load
    from vppcfg.tune.rule_context import FrameTrial, Situation

SUBCOMMANDS: tuple[CommandModule, ...] = (capture, capacity, linerate)


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command and those below it."""
    parser = subparsers.add_parser(
        "tune",
        help="find VPP's bottleneck, and what to change",
        description="Read a running VPP several times, or saved captures, and show what limits it: each finding with "
        "its evidence, the change and its expected effect, the one that loses most packets first.",
    )
    add_live_options(parser)
    add_from_option(
        parser,
        "read in place of a running VPP: a capture, a file with pasted output of `show` commands, or a folder or "
        "an archive (tar, gzip) with such files; given again: a later reading",
    )
    _add_traffic_options(parser)
    _add_output_options(parser)
    parser.set_defaults(run=run)
    added = parser.add_subparsers(title="other commands", metavar="COMMAND", dest="tune_command", action=CommandsBelow)
    below = cast(Subparsers, added)
    for command in SUBCOMMANDS:
        command.add_parser(below)
    for child in below.choices.values():
        add_repeated_options(child)


def _add_traffic_options(parser: argparse.ArgumentParser) -> None:
    """Add what no counter shows."""
    parser.add_argument(
        "--offered",
        metavar="RATE",
        action="append",
        default=[],
        help="packets per second sent to each receiving port (1.48M), or to one (PORT=1.48M)",
    )
    parser.add_argument("--frame", metavar="BYTES", type=frame_size, help="frame size, where no counter has it")
    parser.add_argument(
        "--trial",
        metavar="FRAME=SENT:BACK",
        action="append",
        default=[],
        help="packets sent and received by a generator for one frame size (64=1.48M:1.18M)",
    )
    parser.add_argument(
        "--fit",
        metavar="DIR",
        action="append",
        default=[],
        help="a capture of the same path at another load, to fit the CPU load; give two or more",
    )


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add what happens to the findings."""
    parser.add_argument(
        "-c", "--config", metavar="FILE", action=OneConfig, help="the configuration file that changes are proposed for"
    )
    parser.add_argument("--write", action="store_true", help="put the changes into the configuration, and show them")
    parser.add_argument(
        "--only",
        metavar="RULE",
        action="append",
        default=[],
        help="with --write: only the changes of this rule; may be given again",
    )
    parser.add_argument(
        "--host",
        metavar="FILE",
        help="with --from: the machine, as `vppcfg host -o` writes it; --write checks the changes against it",
    )
    parser.add_argument(
        "--fail-on",
        choices=["undecided", "risk", "limit", "loss"],
        help="exit 11 when the verdict is this or worse; undecided is better than risk (default: exit 0)",
    )
    parser.add_argument(
        "--format",
        choices=["table", "json", "html"],
        default="table",
        help="for people (default), programs, or a browser",
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=output_file, help="write to a file (default: standard output)"
    )


def run(args: argparse.Namespace) -> ExitCode:
    """Show what limits the VPP, and write the changes when asked to."""
    from vppcfg.tune.diagnosis import diagnose

    if args.write and not args.config:
        raise UsageError("--write needs the configuration to write to", "name it with -c FILE")
    _refuse_unknown_rules(args.only)
    diagnosis = diagnose(situation_of(args))
    write_document(_text(diagnosis, args), args.output)
    if args.write:
        from vppcfg.cli.tune.write import write_changes

        write_changes(diagnosis, args)
    return ExitCode.VERDICT if _is_failure(diagnosis, args.fail_on) else ExitCode.DONE


def _is_failure(diagnosis: Diagnosis, least: str | None) -> bool:
    from vppcfg.tune.verdict import VerdictWord

    return least is not None and diagnosis.verdict.word.is_as_bad_as(VerdictWord(least))


def _refuse_unknown_rules(names: list[str]) -> None:
    from vppcfg.tune.diagnosis import NAMES

    for name in names:
        if name not in NAMES:
            raise UsageError(f"there is no rule {name}", "the rules are: " + ", ".join(NAMES))


def situation_of(args: argparse.Namespace) -> Situation:
    """Return what there is to judge: the options' traffic, and the load of the VPP or captures that they name."""
    from vppcfg.tune.rule_context import Situation

    trials = tuple(_trial(text) for text in args.trial)
    load = _load(args, has_trials=bool(trials))
    share, note = _cpu_load(load, args.fit)
    return Situation(
        load=load,
        offered=named_rates(args.offered),
        frame=args.frame,
        trials=trials,
        configured_rx_queues=_configured_queues(args.config),
        largest_load_share=share,
        load_note=note,
    )


def _load(args: argparse.Namespace, *, has_trials: bool) -> Load:
    from vppcfg.tune.load import Load
    from vppcfg.tune.reading import Reading

    if args.sources:
        return load_from([*args.sources, *filter(None, [args.host])])
    if has_trials:
        return Load(reading=Reading(), duration_s=None)
    from vppcfg.tune.assemble import load_of_captures

    return load_of_captures(captures_of(reading_plan(args)))


def _trial(text: str) -> FrameTrial:
    from vppcfg.common.rates import parse_figure
    from vppcfg.tune.rule_context import FrameTrial

    frame, _, rates = text.partition("=")
    sent, colon, back = rates.partition(":")
    if not frame or not colon:
        raise UsageError(f"--trial {text}: write FRAME=SENT:BACK", "for example --trial 64=1.48M:1.18M")
    offered, received = parse_figure(sent), parse_figure(back)
    if not offered > 0:
        raise UsageError(f"--trial {text}: a rate must be more than 0")
    return FrameTrial(frame=frame, offered_pps=offered, received_pps=received)


def _cpu_load(load: Load, sources: list[str]) -> tuple[float | None, str]:
    """Return the busiest worker's load by a model that is fitted on other captures, and a sentence about it."""
    if not sources or not load.forwarding:
        return None, ""
    from vppcfg.tune.capacity import cpu_load
    from vppcfg.tune.costs import sample_of

    if len(sources) < 2:
        raise UsageError("--fit needs two captures at different loads", "give it twice")
    return cpu_load(load, [sample_of(load_from([source]), source) for source in sources])


def _configured_queues(file_name: str | None) -> dict[str, int]:
    """Return the receive queues that a configuration asks for, by name of the interface and by PCI address."""
    if file_name is None:
        return {}
    from vppcfg.app.loading import read
    from vppcfg.model.dataplane import every_device

    configuration = read(file_name).configuration
    section = configuration.dataplane if configuration else None
    if section is None:
        return {}
    default = section.dpdk.default.rx_queues
    asked = {
        key: device.queues.rx_queues or (default if device.driver is None else None)
        for device in every_device(section)
        for key in (device.name, device.address)
    }
    return {key: count for key, count in asked.items() if key and count}


def _text(diagnosis: Diagnosis, args: argparse.Namespace) -> str:
    if args.format == "json":
        from vppcfg.tune.document import document_of

        return json_text(document_of(diagnosis), indent=2) + "\n"
    if args.format == "html":
        from vppcfg.tune.report import report_of

        names = ", ".join(os.path.basename(source) for source in args.sources)
        return report_of(diagnosis, f"Load of VPP{f', {names}' if names else ''}")
    from vppcfg.cli.tune.view import view, width_of_terminal

    paint = paint_for(sys.stdout, ColourChoice.NEVER if args.output else args.color)
    return view(diagnosis, paint, width_of_terminal())
