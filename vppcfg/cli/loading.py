"""Loads the configuration that a command names: logs how it goes and shows every problem."""

from __future__ import annotations

import argparse
import logging
import sys

from vppcfg.cli.output import paint_for
from vppcfg.cli.problems import report
from vppcfg.config import Loaded, load
from vppcfg.config.configuration import Configuration
from vppcfg.errors import ConfigError

main_log = logging.getLogger("root.main")
valid_log = logging.getLogger("vppcfg.config.valid_config")


def read(file_name: str) -> Loaded:
    """Load a file and log how that goes. Raise ConfigError when there is nothing to read."""
    main_log.info("Loading configfile %s", file_name)
    loaded = load(file_name)
    if loaded.configuration is not None:
        valid_log.info("Configuration validated successfully")
        main_log.info("Configuration is valid")
    return loaded


def load_configuration(args: argparse.Namespace) -> tuple[Configuration, Loaded]:
    """Return the configuration in file `args.config` and what it was loaded from, after showing its problems.

    Raise ConfigError when one of them is an error or when there is nothing to read.
    """
    loaded = read(args.config)
    return configuration_in(loaded, args), loaded


def configuration_in(loaded: Loaded, args: argparse.Namespace) -> Configuration:
    """Return the configuration in a file that was read, after showing its problems. Raise ConfigError for an error."""
    report(loaded.problems, args.config, sys.stderr, paint_for(sys.stderr, args.color))
    if loaded.configuration is None:
        raise ConfigError(f"{args.config} is not valid", "`vppcfg explain RULE` tells more about a rule")
    return loaded.configuration
