"""`vppcfg tune --write`: puts proposed changes into a configuration, after showing them and checking the result."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vppcfg.cli.output import paint_for, write_difference, write_document
from vppcfg.cli.problems import report
from vppcfg.common.edited_yaml import difference
from vppcfg.common.printable import printable
from vppcfg.config.load import parse_text
from vppcfg.entries.yaml.files import can_be_read_again, read_source
from vppcfg.errors import ConfigError, UsageError
from vppcfg.model.problem import Severity
from vppcfg.tune.diagnosis import Diagnosis
from vppcfg.tune.edit import with_settings
from vppcfg.tune.finding import Setting
from vppcfg.tune.settings import merged

if TYPE_CHECKING:
    from vppcfg.common.release import Release
    from vppcfg.config.load import Loaded
    from vppcfg.model.host import Host
    from vppcfg.startup.settings import Settings

log = logging.getLogger("root.main")


def write_changes(diagnosis: Diagnosis, args: argparse.Namespace) -> None:
    """Write the changes of all findings into `args.config`. Raise ConfigError when the result is not valid.

    The differences go to standard error, since the findings are what standard output is for.
    """
    if not can_be_read_again(args.config):
        raise UsageError("--write cannot write to standard input or a pipe", "name a file with -c FILE")
    settings = merged(_settings(diagnosis, args.only))
    if not settings:
        log.info("There is nothing to write: no finding has a change for %s", args.config)
        return
    before = _text(args.config)
    after = with_settings(before, settings)
    if after == before:
        log.info("%s has these values already", args.config)
        return
    write_difference(difference(before, after, printable(args.config)), args.color)
    _check(before, after, diagnosis, args)
    write_document(before, f"{args.config}.before-tune", args.config)
    write_document(after, args.config)


def _settings(diagnosis: Diagnosis, only: list[str]) -> Iterator[Setting]:
    """Yield the settings of all findings, or of those by the rules named."""
    for found in diagnosis.findings:
        if found.proposal and (not only or found.rule in only):
            yield from found.proposal.settings


def _text(file_name: str) -> str:
    try:
        return read_source(file_name).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file_name} is not UTF-8, and cannot be edited", "save the file as UTF-8") from error


def _check(before: str, after: str, diagnosis: Diagnosis, args: argparse.Namespace) -> None:
    """Show the problems of the text to write, and what it does to startup.conf. Raise ConfigError for an error."""
    loaded = parse_text(after, args.config)
    report(loaded.problems, args.config, sys.stderr, paint_for(sys.stderr, args.color))
    if loaded.configuration is None:
        raise ConfigError(
            f"{args.config} would not be valid with these changes, and is left as it is",
            "`vppcfg check` shows whether it was valid before",
        )
    log.info("Configuration is valid with these changes")
    host = _machine_for(args)
    if host is None:
        log.info("`vppcfg startup` on the machine checks it against its hardware; --host FILE does so here")
        return
    release = _release_for(diagnosis.situation.load.reading.version)
    now, then = _startup_conf(parse_text(before, args.config), host, release), _startup_conf(loaded, host, release)
    if now and then:
        write_difference(difference(now[0], then[0], "startup.conf"), args.color)
    if then:
        _check_machine(loaded, host, then[1], args)


def _machine_for(args: argparse.Namespace) -> Host | None:
    """Return the machine that VPP runs on: the one named, else this one when VPP was read here, else None."""
    from vppcfg.cli.host import machine_at, read_machine

    if args.host is not None:
        return read_machine(args.host)
    return None if args.sources or args.trial else machine_at(args.root)


def _release_for(version: str | None) -> Release:
    """Return the release to write for: that of the VPP that was read, the newest when it is unknown."""
    from vppcfg.common.release import NEWEST, release_of

    try:
        return release_of(version) if version else NEWEST
    except ValueError:
        return NEWEST


def _startup_conf(loaded: Loaded, host: Host, release: Release) -> tuple[str, Settings] | None:
    """Return the startup.conf of a valid configuration and what it is made from, None of another."""
    from vppcfg.startup.derive import derive
    from vppcfg.startup.files import STARTUP_CONF, render

    if loaded.configuration is None:
        return None
    settings = derive(loaded.configuration, host, release, {})
    return render(settings)[STARTUP_CONF], settings


def _check_machine(loaded: Loaded, host: Host, settings: Settings, args: argparse.Namespace) -> None:
    """Show contradictions between file and machine. Raise ConfigError when one is an error."""
    from vppcfg.startup.checks import check
    from vppcfg.startup.checks.case import Case

    if loaded.configuration is None:
        return
    case = Case(configuration=loaded.configuration, host=host, settings=settings)
    found = loaded.placed(check(case))
    report(found, args.config, sys.stderr, paint_for(sys.stderr, args.color))
    if any(problem.severity is Severity.ERROR for problem in found):
        raise ConfigError(
            f"{args.config} with these changes and the machine do not go together, and it is left as it is",
            "--only RULE writes the changes of one finding",
        )
