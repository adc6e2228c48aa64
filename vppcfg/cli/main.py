"""The frame of the vppcfg command: parses arguments, sets up logging, turns every end into an exit code."""

from __future__ import annotations

import argparse
import logging
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from vppcfg.cli.arguments import build_parser
from vppcfg.cli.collector import rare_collections
from vppcfg.cli.commands import commands_for
from vppcfg.cli.output import ColourChoice, complain, prepare_streams, printable
from vppcfg.cli.signals import Terminated, terminating
from vppcfg.errors import ExitCode, VppcfgError

log = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line, by default that of the process, and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    prepare_streams()
    try:
        with terminating(), rare_collections():
            return _run(arguments)
    except VppcfgError as error:
        return _end(error)
    except KeyboardInterrupt:
        complain("vppcfg: interrupted")
        return ExitCode.INTERRUPTED
    except Terminated:
        complain("vppcfg: terminated")
        return ExitCode.TERMINATED
    except Exception as error:  # noqa: BLE001 (the one place where a bug ends)
        return _confess(error, is_debug=not {"-d", "--debug"}.isdisjoint(arguments))


def _run(arguments: Sequence[str]) -> ExitCode:
    parser = build_parser(commands_for(arguments))
    args = parser.parse_args(arguments)
    args.color = ColourChoice(args.color)
    if args.command is None:
        parser.print_help()
        return ExitCode.DONE
    with _logging(args):
        code: ExitCode = args.run(args)
    return code


@contextmanager
def _logging(args: argparse.Namespace) -> Iterator[None]:
    """Show what is logged within this context, as much as the options ask for."""
    root, handler = logging.getLogger(), _StderrHandler()
    former_level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG if args.debug else logging.WARNING if args.quiet else logging.INFO)
    try:
        yield
    except VppcfgError as error:
        log.debug("Here the error arose:", exc_info=error)
        raise
    finally:
        root.removeHandler(handler)
        root.setLevel(former_level)


class _StderrHandler(logging.Handler):
    """Writes `[INFO    ] LOGGER: MESSAGE` to whatever standard error is at that time."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("[%(levelname)-8s] %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        for line in self.format(record).splitlines():
            complain(printable(line), record.levelno)


def _end(error: VppcfgError) -> ExitCode:
    """Show an error whose cause is known."""
    for line in error.message.splitlines():
        complain(f"vppcfg: error: {printable(line)}")
    for line in error.hint.splitlines():
        complain(f"vppcfg: hint: {printable(line)}")
    return error.exit_code


def _confess(error: Exception, *, is_debug: bool) -> ExitCode:
    """Show an error that nobody foresaw."""
    if is_debug:
        complain("".join(traceback.format_exception(error)).rstrip())
    complain(f"vppcfg: internal error: {type(error).__name__}: {printable(str(error))}")
    hint = "the lines above" if is_debug else "what the same command shows with -d"
    complain(f"vppcfg: this is a bug in vppcfg; please report it together with {hint}")
    return ExitCode.BUG
