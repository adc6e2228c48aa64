"""Output of a watch: lines for people, JSON objects for programs, or a file of metrics."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable

from vppcfg.app.signals import Terminated
from vppcfg.app.target import now
from vppcfg.app.watching.notices import MetricsSource, Notice, Output
from vppcfg.cli.output import append, drop_output, write_file, written_place
from vppcfg.common.printable import json_text, printable
from vppcfg.errors import ExitCode, UsageError

log = logging.getLogger("root.main")

FORMAT_VERSION = 2
"""Of the JSON lines; grows when a reader of the former ones would misread them."""


class ReaderLeftError(Exception):
    """Whoever read standard output is gone."""


def output_for(args: argparse.Namespace) -> Output:
    """Return the output that the options ask for."""
    if args.format == "prometheus":
        return Metrics(args.output)
    return Lines(args.output, is_json=args.format == "json")


class Lines:
    """The lines of each notice, on standard output or at the end of a file."""

    def __init__(self, file_name: str | None, *, is_json: bool) -> None:
        self._file_name = file_name
        self._is_json = is_json

    def notify(self, notice: Notice) -> None:
        """Write its lines; a file is opened for each, so that it can be rotated."""
        lines = [_json_line(notice)] if self._is_json else _lines(notice)
        text = "".join(f"{line}\n" for line in lines)
        try:
            if self._file_name is None:
                sys.stdout.write(text)
                sys.stdout.flush()
            else:
                append(text, written_place(self._file_name))
        except BrokenPipeError as error:
            drop_output(sys.stdout)
            raise ReaderLeftError from error
        except OSError as error:
            log.error("cannot write to %s: %s", self._file_name or "standard output", error.strerror)

    def show(self, status: MetricsSource) -> None:
        """Print nothing."""


def _lines(notice: Notice) -> list[str]:
    time = now()
    return [f"{time} {printable(line)}" for line in (notice.text, *notice.below)]


def _json_line(notice: Notice) -> str:
    document = {"format_version": FORMAT_VERSION, "time": now(), "event": notice.event, **notice.data}
    return json_text({**document, "text": notice.text})


class Metrics:
    """A text file of metrics that is replaced in one step, or standard output; notices go to the log."""

    def __init__(self, file_name: str | None) -> None:
        self._file_name = file_name

    def notify(self, notice: Notice) -> None:
        """Log a notice."""
        for line in (notice.text, *notice.below):
            log.log(logging.WARNING if notice.is_bad else logging.INFO, "%s", line)

    def show(self, status: MetricsSource) -> None:
        """Write all metrics."""
        text = status.text()
        try:
            if self._file_name is None:
                sys.stdout.write(text)
                sys.stdout.flush()
            else:
                write_file(text, self._file_name)
        except BrokenPipeError as error:
            drop_output(sys.stdout)
            raise ReaderLeftError from error
        except (UsageError, OSError) as error:
            log.error("%s", error)


def look(once: Callable[[], ExitCode], forever: Callable[[], None], args: argparse.Namespace) -> ExitCode:
    """Look once with `--once`, else until it is stopped or its reader leaves; neither is an error."""
    try:
        if args.once:
            return once()
        forever()
    except ReaderLeftError:
        return ExitCode.DONE
    except (KeyboardInterrupt, Terminated):
        if args.once:
            raise
        log.info("Stopped")
    return ExitCode.DONE


def check_output(args: argparse.Namespace) -> None:
    """Raise UsageError when the output cannot be what the options ask for."""
    if args.format == "prometheus" and args.output is None and not args.once:
        raise UsageError("--format prometheus writes a file that is replaced at each look", "name it with -o FILE")
    folder = os.path.dirname(os.path.abspath(args.output)) if args.output else "."
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write {args.output}: there is no folder {folder}")
