"""`vppcfg tune --write`: puts proposed changes into a configuration, after showing them and checking the result."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from vppcfg.cli.output import STDOUT_NAME, Colour, Paint, paint_for, printable, write, write_document
from vppcfg.cli.problems import report
from vppcfg.config.load import parse_text
from vppcfg.config.source import STDIN, read_source
from vppcfg.errors import ConfigError, UsageError
from vppcfg.tune.diagnosis import Diagnosis
from vppcfg.tune.edit import difference, with_settings
from vppcfg.tune.patch import merged

log = logging.getLogger("root.main")


def write_changes(diagnosis: Diagnosis, args: argparse.Namespace) -> None:
    """Write the changes of all findings into `args.config`. Raise ConfigError when the result is not valid.

    The difference goes to standard error, since the findings are what standard output is for.
    """
    if args.config == STDIN:
        raise UsageError("--write cannot write to standard input", "name a file with -c FILE")
    settings = merged(setting for found in diagnosis.findings if found.proposal for setting in found.proposal.settings)
    if not settings:
        log.info("There is nothing to write: no finding has a change for %s", args.config)
        return
    before = read_source(args.config).decode(errors="strict")
    after = with_settings(before, settings)
    _show(difference(before, after, printable(args.config)), paint_for(sys.stderr, args.color))
    _check(after, args)
    if after == before:
        log.info("%s has these values already", args.config)
        return
    _keep(before, args.config)
    write_document(after, args.config)


def _show(lines: list[str], paint: Paint) -> None:
    for line in lines:
        is_change = not line.startswith(("+++", "---"))
        colour = Colour.GOOD if line.startswith("+") else Colour.BAD if line.startswith("-") else None
        text = printable(line)
        write((paint(text, colour) if colour and is_change else text) + "\n", sys.stderr)


def _check(text: str, args: argparse.Namespace) -> None:
    """Show the problems of the text to write. Raise ConfigError when one of them is an error."""
    loaded = parse_text(text, args.config)
    report(loaded.problems, args.config, sys.stderr, paint_for(sys.stderr, args.color))
    if loaded.configuration is None:
        raise ConfigError(
            f"{args.config} would not be valid with these changes, and is left as it is",
            "`vppcfg check` tells whether it was valid before",
        )
    log.info("Configuration is valid with these changes; `vppcfg startup` makes startup.conf from it")


def _keep(text: str, file_name: str) -> None:
    """Keep the former text beside the file."""
    kept = f"{file_name}.before-tune"
    if os.path.realpath(kept) != os.path.realpath(file_name):
        write_document(text, kept)
    log.info("The former file is kept as %s", Path(kept).name if kept else STDOUT_NAME)
