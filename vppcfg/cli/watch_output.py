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
from vppcfg.cli.output import ReaderLeftError, append, drop_output, write, write_file, written_place
from vppcfg.common.printable import json_text, printable
from vppcfg.errors import ExitCode, UsageError

log = logging.getLogger("root.main")

FORMAT_VERSION = 2
"""Of the JSON lines; grows when a reader of the former ones would misread them."""


def output_for(args: argparse.Namespace) -> Output:
    """Return the output that the options ask for."""
    destination = _Destination(_file_of(args), is_last=args.once)
    return Metrics(destination) if args.format == "prometheus" else Lines(destination, is_json=args.format == "json")


def _file_of(args: argparse.Namespace) -> str | None:
    """Return the file that the options name, None for standard output."""
    return None if args.output in (None, "-") else str(args.output)


class _Destination:
    """A file, or standard output.

    Who looks once is told by an error what could not be written, and by the exit code what was found, whoever reads.
    What goes on logs errors, as a disk may have room again, and ends with its reader.
    """

    def __init__(self, file_name: str | None, *, is_last: bool) -> None:
        self._file_name = file_name
        self._is_last = is_last

    def put(self, text: str, store: Callable[[str, str], None]) -> None:
        """Write to standard output, or have `store` write to the file. Raise ReaderLeftError or UsageError."""
        try:
            if self._file_name is not None:
                store(text, self._file_name)
            elif self._is_last:
                write(text, sys.stdout)
            elif sys.stdout is not None:
                sys.stdout.write(text)
                sys.stdout.flush()
        except BrokenPipeError as error:
            drop_output(sys.stdout)
            raise ReaderLeftError from error
        except OSError as error:
            log.error("cannot write to standard output: %s", error.strerror)
        except UsageError as error:
            if self._is_last:
                raise
            log.error("%s", error)


def _add_to(text: str, file_name: str) -> None:
    """Add to a file, which is opened each time, so that it can be rotated. Raise UsageError."""
    try:
        append(text, written_place(file_name))
    except OSError as error:
        raise UsageError(f"cannot write to {file_name}: {error.strerror}") from error


class Lines:
    """The lines of each notice."""

    def __init__(self, destination: _Destination, *, is_json: bool) -> None:
        self._destination = destination
        self._is_json = is_json

    def notify(self, notice: Notice) -> None:
        """Write its lines."""
        lines = [_json_line(notice)] if self._is_json else _lines(notice)
        self._destination.put("".join(f"{line}\n" for line in lines), _add_to)

    def show(self, status: MetricsSource) -> None:
        """Print nothing."""


def _lines(notice: Notice) -> list[str]:
    time = now()
    return [f"{time} {printable(line)}" for line in (notice.text, *notice.below)]


def _json_line(notice: Notice) -> str:
    document = {"format_version": FORMAT_VERSION, "time": now(), "event": notice.event, **notice.data}
    return json_text({**document, "text": notice.text})


class Metrics:
    """All metrics, which replace those before; notices go to the log."""

    def __init__(self, destination: _Destination) -> None:
        self._destination = destination

    def notify(self, notice: Notice) -> None:
        """Log a notice."""
        for line in (notice.text, *notice.below):
            log.log(logging.WARNING if notice.is_bad else logging.INFO, "%s", line)

    def show(self, status: MetricsSource) -> None:
        """Write all metrics."""
        self._destination.put(status.text(), write_file)


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
    file_name = _file_of(args)
    if args.format == "prometheus" and file_name is None and not args.once:
        raise UsageError("--format prometheus writes a file that is replaced at each look", "name it with -o FILE")
    folder = os.path.dirname(os.path.abspath(file_name)) if file_name else "."
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write {file_name}: there is no folder {folder}")
