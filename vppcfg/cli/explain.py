"""`vppcfg explain`: the name of a rule in, what it means out; without a name, the list of all rules."""

from __future__ import annotations

import argparse

from vppcfg.cli.arguments import Subparsers
from vppcfg.errors import ExitCode


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "explain",
        help="explain a rule",
        description="Explain what a rule means and why VPP needs it, with an example that breaks it and one that "
        "follows it.",
    )
    parser.add_argument("rule", metavar="RULE", nargs="?", help="name of the rule (default: list all of them)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Write the explanation of `args.rule`, or one line per rule, to standard output."""
    import sys

    from vppcfg.cli.output import write
    from vppcfg.config.explain import as_text, explain, explanations

    if args.rule is not None:
        write(as_text(explain(args.rule)), sys.stdout)
        return ExitCode.DONE
    known = explanations()
    width = max(len(rule) for rule in known)
    lines = [f"{rule:{width}}  {explanation.title}\n" for rule, explanation in known.items()]
    write("".join(lines), sys.stdout)
    return ExitCode.DONE
