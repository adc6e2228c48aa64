"""A file with a state document in, a State out: for what takes --state."""

from __future__ import annotations

from vppcfg.config.reader import read_document
from vppcfg.config.source import read_source
from vppcfg.errors import UsageError
from vppcfg.model.state import State
from vppcfg.model.state_document import state_of


def read_state(file_name: str) -> State:
    """Return the state in a JSON or YAML file, `-` for standard input.

    Raise ConfigError when it cannot be read, UsageError when it holds something else.
    """
    document = read_document(read_source(file_name))
    for problem in document.problems:
        raise UsageError(f"{file_name}:{problem.line}:{problem.column}: {problem.text}")
    return state_of(document.data)
