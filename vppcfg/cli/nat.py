"""`vppcfg nat`: who has a port of an outside address, and how full NAT's tables are. Changes nothing."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from ipaddress import AddressValueError, IPv4Address
from typing import Any, cast

from vppcfg.cli.arguments import Subparsers, add_repeated_options
from vppcfg.cli.options import ConfigFiles, add_dataplane_options, files_of, target_of
from vppcfg.errors import ExitCode

_LAST_PORT = 65535


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command and its two."""
    parser = subparsers.add_parser(
        "nat",
        help="find the host behind an outside port, and show how full NAT's tables are",
        description="Ask NAT44 and DET44 of a running VPP. Changes nothing.",
    )
    parser.set_defaults(run=run)
    added = parser.add_subparsers(title="commands", metavar="COMMAND", dest="nat_command", required=True)
    commands = cast(Subparsers, added)
    who = commands.add_parser(
        "who",
        help="find the inside host behind a port of an outside address",
        description=(
            "Find the inside host behind a port of an outside address, and report how long that is certain: by the "
            "maps of "
            "DET44 and the mappings of NAT44 as long as they are configured, by the sessions of NAT44 only now."
        ),
    )
    who.add_argument("end", metavar="ADDRESS:PORT", type=_end, help="the outside address and port")
    who.add_argument(
        "-c",
        "--config",
        metavar="FILE",
        action=ConfigFiles,
        help="answer by a configuration, such as that of the time in question, instead of by a running VPP",
    )
    who.add_argument(
        "--walk",
        action="store_true",
        help="look through the sessions of NAT44 also where there are more than 1,000: VPP stops its workers "
        "meanwhile, about 10 ms for 100,000",
    )
    _add_common(who)
    sessions = commands.add_parser(
        "sessions",
        help="show how full the tables are, and the busiest hosts",
        description=(
            "Show the number of sessions and their limits, by thread and map, and the busiest hosts if they are few."
        ),
    )
    sessions.add_argument("--top", metavar="N", type=_count, default=10, help="hosts to show (default: %(default)s)")
    sessions.add_argument(
        "--all-hosts",
        action="store_true",
        help="show hosts also where NAT44 has more than 1,000 sessions, and ask about each host of DET44: VPP stops "
        "its workers meanwhile, about 10 ms for 100,000 sessions, 10 us for each host",
    )
    _add_common(sessions)
    for child in commands.choices.values():
        add_repeated_options(child)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="write JSON: docs/nat.schema.json")
    add_dataplane_options(parser)


def _end(text: str) -> tuple[str, int]:
    address, _, port = text.rpartition(":")
    try:
        host = str(IPv4Address(address))
    except AddressValueError:
        host = ""
    if not host or not port.isascii() or not port.isdecimal() or not 0 < int(port) <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no IPv4 address with a port, such as 203.0.113.5:4711")
    return host, int(port)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(_LAST_PORT)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of hosts")
    return int(text)


def run(args: argparse.Namespace) -> ExitCode:
    """Answer."""
    return _who(args) if args.nat_command == "who" else _sessions(args)


def _who(args: argparse.Namespace) -> ExitCode:
    """Print who has a port."""
    from vppcfg.app.loading import load_configuration
    from vppcfg.app.nat import port_holders_by_file, port_holders_now
    from vppcfg.cli.console import terminal_for
    from vppcfg.render.nat_text import answer_document, answer_lines

    address, port = args.end
    if args.config is not None:
        configuration, _ = load_configuration(files_of(args), terminal_for(args))
        answer = port_holders_by_file(configuration, address, port)
    else:
        answer = port_holders_now(target_of(args), address, port, walks=args.walk)
    _print(answer_document(answer) if args.json else None, answer_lines(answer))
    return ExitCode.DONE


def _sessions(args: argparse.Namespace) -> ExitCode:
    """Show how full the tables are."""
    from vppcfg.app.nat import use_now
    from vppcfg.render.nat_text import use_document, use_lines

    use = use_now(target_of(args), of_all_hosts=args.all_hosts)
    _print(use_document(use, args.top) if args.json else None, use_lines(use, args.top))
    return ExitCode.DONE


def _print(document: dict[str, Any] | None, lines: Iterable[str]) -> None:
    from vppcfg.cli.output import print_line
    from vppcfg.common.printable import json_text, printable

    if document is not None:
        print_line(json_text(document, indent=2))
    else:
        for line in lines:
            print_line(printable(line))
