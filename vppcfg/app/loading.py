"""Loads configurations and saved states: logs how it goes and shows every problem."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from vppcfg.app.console import Console
from vppcfg.common.log_detail import DETAIL
from vppcfg.common.release import Release
from vppcfg.config.load import Loaded, load
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.yaml.files import SourceFiles, read_source
from vppcfg.entries.yaml.reader import read_document
from vppcfg.errors import ConfigError, UsageError
from vppcfg.model.state import State

main_log = logging.getLogger("root.main")
valid_log = logging.getLogger("vppcfg.config.valid_config")


def read(files: str | SourceFiles, release: Release | None = None) -> Loaded:
    """Load a file, or several over each other, and log how that goes.

    Where a `release` is named, also look for what VPP of it cannot do.
    Raise ConfigError when there is nothing to read.
    """
    main_log.info("Loading configfile %s", files, extra=DETAIL)
    loaded = load(files)
    if release is not None and loaded.configuration is not None:
        loaded = _judged_for(release, loaded, loaded.configuration)
    if loaded.configuration is not None:
        valid_log.info("Configuration validated successfully", extra=DETAIL)
        main_log.info("Configuration is valid", extra=DETAIL)
    return loaded


def _judged_for(release: Release, loaded: Loaded, configuration: Configuration) -> Loaded:
    from vppcfg.config.for_release import too_new_for

    found = tuple(too_new_for(configuration, release))
    problems = loaded.placed([*loaded.problems, *found])
    return replace(loaded, problems=problems, configuration=None if found else configuration)


def load_configuration(files: str | SourceFiles, console: Console) -> tuple[Configuration, Loaded]:
    """Return the configuration in a file and what it was loaded from, after showing its problems.

    Raise ConfigError when one of them is an error or when there is nothing to read.
    """
    loaded = read(files)
    return configuration_in(loaded, console), loaded


def configuration_in(loaded: Loaded, console: Console) -> Configuration:
    """Return the configuration in a file that was read. Raise ConfigError for an error.

    Its problems are shown, but no notices: those are for who checks the file.
    """
    console.show_problems(loaded.to_act_on, loaded.name)
    if loaded.configuration is None:
        raise ConfigError(f"{loaded.name} is not valid", "`vppcfg explain RULE` explains a rule")
    return loaded.configuration


def read_state(file_name: str) -> State:
    """Return the state in a JSON or YAML file, `-` for standard input; a plan's is the one that it was made for.

    Raise ConfigError when it cannot be read, UsageError when it holds something else.
    """
    source = state_in_report(file_name)
    if source is None:
        source = read_source(file_name)
    document = read_document(source)
    for problem in document.problems:
        raise UsageError(f"{file_name}:{problem.line}:{problem.column}: {problem.text}")
    if not isinstance(document.data, Mapping) or "format_version" not in document.data:
        return _configured_state(source, file_name)
    from vppcfg.plan.state_document import state_of  # most files are configurations

    try:
        return state_of(document.data.get("observed", document.data))
    except ValueError as error:
        raise UsageError(f"{file_name}: {error}") from error


def state_in_report(file_name: str) -> bytes | None:
    """Return the state in an archive of `vppcfg report`, None when a file is none. Raise UsageError without a state."""
    from vppcfg.common.report_archive import CONTENTS, STATE, report_in

    members = report_in(file_name)
    if members is not None and STATE not in members:
        raise UsageError(f"{file_name} has no state of VPP", f"its {CONTENTS} has the reason")
    return members[STATE] if members is not None else None


def _configured_state(source: bytes, file_name: str) -> State:
    """Return the state of an unconfigured VPP after the configuration in `source` has been applied to it."""
    from vppcfg.config.assumed_state import assumed_state
    from vppcfg.config.load import parse_text
    from vppcfg.config.resolve import resolve

    configuration = parse_text(source, file_name).configuration
    if configuration is None:
        raise UsageError(
            f"{file_name} holds neither a state document nor a valid configuration",
            f"`vppcfg check -c {file_name}` shows what is wrong with it as a configuration",
        )
    return resolve(configuration, assumed_state(configuration)).desired
