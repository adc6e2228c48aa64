"""The command line as data: what is read off a parser."""

import argparse

import pytest

from vppcfg.commandline.command import Command, describe


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    """A parser with everything that a command of ours can have."""
    parser = argparse.ArgumentParser(prog="tool", description="Does things.")
    below = parser.add_subparsers(dest="command")
    load = below.add_parser("load", help="put load on", description="Put load on a router.")
    load.add_argument("target", metavar="TARGET", help="whom to load")
    load.add_argument("port", nargs="*", choices=["a", "b"])
    one = load.add_mutually_exclusive_group()
    one.add_argument("--fast", action="store_true", help="100%% of the speed")
    one.add_argument("-r", "--rate", metavar="N", type=int, default=5, help="packets (default: %(default)s)")
    load.add_argument("--from", dest="sources", metavar="DIR", action="append", required=True)
    load.add_argument("--secret", help=argparse.SUPPRESS)
    deeper = load.add_subparsers(dest="load_command")
    deeper.add_parser("ramp", help="ever more")
    return parser


def only(command: Command, name: str) -> Command:
    (found,) = [child for child in command.commands if child.words[-1] == name]
    return found


def test_arguments_tell_whether_they_may_be_left_out_or_repeated(parser: argparse.ArgumentParser) -> None:
    target, port = only(describe(parser), "load").arguments
    assert (target.value, target.is_required, target.is_repeatable) == ("TARGET", True, False)
    assert (port.value, port.choices, port.is_repeatable) == ("a|b", ("a", "b"), True)


def test_every_command_says_what_it_is_for(vppcfg: Command) -> None:
    for command in vppcfg.walk():
        assert command.description
        assert command.summary or command is vppcfg
