"""What a configuration means for startup.conf on a machine, before and after the tuner's changes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from vppcfg.cli.output import paint_for
from vppcfg.cli.problems import report
from vppcfg.errors import ConfigError
from vppcfg.model.problem import Severity

if TYPE_CHECKING:
    from vppcfg.common.release import Release
    from vppcfg.config.load import Loaded
    from vppcfg.model.host import Host
    from vppcfg.startup.settings import Settings


def machine_for(args: argparse.Namespace) -> Host | None:
    """Return the machine that VPP runs on: the one named, else this one when VPP was read here, else None."""
    from vppcfg.cli.host_file import machine_at, read_machine

    if args.host is not None:
        return read_machine(args.host)
    return None if args.sources or args.trial else machine_at(args.root)


def release_for(version: str | None) -> Release:
    """Return the release to write for: that of the VPP that was read, the newest when it is unknown."""
    from vppcfg.common.release import NEWEST, release_of

    try:
        return release_of(version) if version else NEWEST
    except ValueError:
        return NEWEST


def startup_conf(loaded: Loaded, host: Host, release: Release) -> tuple[str, Settings] | None:
    """Return the startup.conf of a valid configuration and what it is made from, None of another."""
    from vppcfg.startup.derive import derive
    from vppcfg.startup.render import STARTUP_CONF, render

    if loaded.configuration is None:
        return None
    settings = derive(loaded.configuration, host, release, {})
    return render(settings)[STARTUP_CONF], settings


def check_machine(loaded: Loaded, host: Host, settings: Settings, args: argparse.Namespace) -> None:
    """Show what does not go together. Raise ConfigError when something forbids writing the configuration."""
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
