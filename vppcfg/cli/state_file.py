"""A file in, a State out, for what takes --state: a state document, a JSON plan, or a configuration from a dump."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.config.yaml.document import read_source
from vppcfg.config.yaml.reader import read_document
from vppcfg.errors import UsageError
from vppcfg.model.state import State
from vppcfg.model.state_document import state_of


def read_state(file_name: str) -> State:
    """Return the state in a JSON or YAML file, `-` for standard input; a plan's is the one that it was made for.

    Raise ConfigError when it cannot be read, UsageError when it holds something else.
    """
    source = read_source(file_name)
    document = read_document(source)
    for problem in document.problems:
        raise UsageError(f"{file_name}:{problem.line}:{problem.column}: {problem.text}")
    if not isinstance(document.data, Mapping) or "format_version" not in document.data:
        return _configured_state(source, file_name)
    try:
        return state_of(document.data.get("observed", document.data))
    except ValueError as error:
        raise UsageError(f"{file_name}: {error}") from error


def _configured_state(source: bytes, file_name: str) -> State:
    """Return the state of an unconfigured VPP after the configuration in `source` has been applied to it."""
    from vppcfg.config import parse_text
    from vppcfg.config.assumed import assumed_state
    from vppcfg.config.resolve import resolve

    configuration = parse_text(source, file_name).configuration
    if configuration is None:
        raise UsageError(
            f"{file_name} holds neither a state document nor a valid configuration",
            f"`vppcfg check -c {file_name}` shows what is wrong with it as a configuration",
        )
    return resolve(configuration, assumed_state(configuration)).desired
