"""The entry point of the vppcfg command: parses arguments, sets up logging, turns every end into an exit code."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from vppcfg.app.signals import Terminated, terminating
from vppcfg.cli.arguments import IDENTITY, build_parser
from vppcfg.cli.commands import commands_for
from vppcfg.cli.output import Colour, ColourChoice, is_terminal, paint_for, prepare_streams, print_error
from vppcfg.common.log_detail import is_detail
from vppcfg.common.printable import printable, printable_lines
from vppcfg.errors import ExitCode, VppcfgError

log = logging.getLogger(__name__)

_COLLECTOR_THRESHOLDS = (50_000, 10, 100)
"""New containers per look at the youngest, and looks before the middle-aged and before all are looked at.

With Python's own (700, 10, 10) a plan for 10,000 sub-interfaces spends a sixth of its time looking at objects of which
none is garbage. A run with a small file makes about 33,000 containers, so nothing is collected.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line, by default that of the process, and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    prepare_streams()
    try:
        _leave_deleted_folder()
        with terminating(), rare_collections(is_last=argv is None):
            return _run(arguments)
    except VppcfgError as error:
        return _end(error)
    except KeyboardInterrupt:
        print_error("vppcfg: interrupted")
        return ExitCode.INTERRUPTED
    except Terminated:
        print_error("vppcfg: terminated")
        return ExitCode.TERMINATED
    except Exception as error:  # noqa: BLE001 (the one place where a bug ends)
        return _confess(error, is_debug=not {"-d", "--debug"}.isdisjoint(arguments))


def _leave_deleted_folder() -> None:
    """Go to / where the present folder was deleted: nothing that asks for its name must fail, last of all half-way."""
    try:
        os.getcwd()
    except FileNotFoundError:
        os.chdir("/")
        print_error(
            "vppcfg: warning: the current folder was deleted; names of files are looked for in /", logging.WARNING
        )


def _run(arguments: Sequence[str]) -> ExitCode:
    parser = build_parser(commands_for(arguments))
    args = parser.parse_args(arguments)
    args.color = ColourChoice(args.color)
    if args.command is None:
        parser.print_help()
        return ExitCode.DONE
    with _logging(args):
        log.log(logging.INFO if _is_service(args) else logging.DEBUG, IDENTITY)
        code: ExitCode = args.run(args)
    return code


def _is_service(args: argparse.Namespace) -> bool:
    """Return whether this is what a service runs, whose log is read long afterwards."""
    return getattr(args, "boot", False) or (args.command in {"watch", "metrics"} and not args.once)


@contextmanager
def rare_collections(*, is_last: bool = False) -> Iterator[None]:
    """Look for cyclic garbage rarely within this context; what is not in a cycle is freed at once anyway.

    Where the process ends with the context, nothing that it had is looked at again.
    """
    former = gc.get_threshold()
    gc.set_threshold(*_COLLECTOR_THRESHOLDS)
    try:
        yield
    finally:
        if is_last:
            gc.freeze()
        else:
            gc.set_threshold(*former)


@contextmanager
def _logging(args: argparse.Namespace) -> Iterator[None]:
    """Show what is logged within this context, as much as the options ask for."""
    root, handler = logging.getLogger(), _StderrHandler(args)
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
    """Writes to whatever standard error is at that time: `[INFO    ] LOGGER: MESSAGE`, but plain lines for people.

    A terminal gets warnings and errors in plain lines; with --debug, the log.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter())
        self._color: ColourChoice = args.color
        self._is_debug: bool = args.debug

    def emit(self, record: logging.LogRecord) -> None:
        if is_terminal(sys.stderr) and not self._is_debug:
            if not is_detail(record):
                print_error(self._plain(record), record.levelno)
            return
        text = f"[{record.levelname:<8}] {record.name}: {record.getMessage()}"
        print_error(printable(text), record.levelno)
        if record.exc_info and self.formatter is not None:
            for line in self.formatter.formatException(record.exc_info).splitlines():
                print_error(printable(line), record.levelno)

    def _plain(self, record: logging.LogRecord) -> str:
        text = printable(record.getMessage())
        if record.levelno < logging.WARNING:
            return text
        is_error = record.levelno >= logging.ERROR
        paint = paint_for(sys.stderr, self._color)
        return f"{paint('error:', Colour.BAD) if is_error else paint('warning:', Colour.CHANGED)} {text}"


def _end(error: VppcfgError) -> ExitCode:
    """Show an error whose cause is known."""
    print_error(f"vppcfg: error: {printable(error.message)}")
    for line in error.hint.splitlines():
        print_error(f"vppcfg: hint: {printable(line)}")
    return error.exit_code


def _confess(error: Exception, *, is_debug: bool) -> ExitCode:
    """Show an unexpected error."""
    if is_debug:
        print_error(printable_lines("".join(traceback.format_exception(error)).rstrip()))
    print_error(f"vppcfg: internal error: {type(error).__name__}: {printable(str(error))}")
    hint = "the lines above" if is_debug else "what the same command shows with -d"
    print_error(f"vppcfg: this is a bug in vppcfg; please report it together with {hint}")
    return ExitCode.BUG
