"""What the tests of the command line as data share: the commands that there are."""

import pytest

from vppcfg.cli.arguments import build_parser
from vppcfg.cli.commands import all_commands
from vppcfg.commandline.command import Command, describe


@pytest.fixture(scope="session")
def vppcfg() -> Command:
    """The whole command line."""
    return describe(build_parser(all_commands()))
