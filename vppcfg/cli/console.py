"""The console of the command: shows on standard output and standard error, and asks at a terminal."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from vppcfg.cli.output import ColourChoice, is_terminal, paint_for, write
from vppcfg.cli.problems import report
from vppcfg.cli.progress import Progress
from vppcfg.common.printable import printable
from vppcfg.errors import PlanRefusedError

if TYPE_CHECKING:
    from vppcfg.app.report import Report
    from vppcfg.app.routing_plan import DaemonChange
    from vppcfg.model.problem import Problem
    from vppcfg.model.programs import Program
    from vppcfg.model.state import State
    from vppcfg.plan.plan import Plan

log = logging.getLogger("root.main")
_MOST_ENTRIES = 100
"""Of a plan that is about to be applied; `vppcfg diff` and `vppcfg plan` show all of a larger one."""


class Terminal:
    """Shows for people, in colours where they are wanted, or, of a change, a JSON object per step."""

    def __init__(self, colour: ColourChoice, *, is_json: bool = False, asks: bool = False) -> None:
        self._colour = colour
        self._is_json = is_json
        self._asks = asks

    def show_problems(self, problems: Sequence[Problem], file_name: str) -> None:
        """Write them to standard error, where they stand in the file."""
        report(problems, file_name, sys.stderr, paint_for(sys.stderr, self._colour))

    def show_plan(self, plan: Plan) -> None:
        """Write the difference that a plan makes to standard output, unless that is for programs."""
        from vppcfg.cli.difference import painted_difference

        if not self._is_json:
            write(painted_difference(plan, paint_for(sys.stdout, self._colour), _MOST_ENTRIES), sys.stdout)
        log_unknown_pauses(plan)

    def show_routing(self, steps: Sequence[DaemonChange]) -> None:
        """Write what routing daemons load to standard output, unless that is for programs."""
        if steps and not self._is_json:
            write("".join(f"{line}\n" for line in routing_text(steps)), sys.stdout)

    def show_programs(self, programs: Sequence[Program]) -> None:
        """Write which programs are going to be run to standard output, unless that is for programs."""
        if programs and not self._is_json:
            write("".join(f"{line}\n" for line in programs_text(programs)), sys.stdout)

    def agrees_to_reload(self, steps: Sequence[DaemonChange]) -> bool:
        """Ask for approval where it is needed. Raise PlanRefusedError without a terminal to ask at."""
        if not self._asks:
            return True
        text = "; ".join(impact.text for step in steps for impact in step.difference.effects)
        if not is_terminal(sys.stdin):
            text = f"routing daemons would reload ({printable(text)}), and there is no terminal to ask at"
            raise PlanRefusedError(f"{text}; nothing was changed", "--yes does it without a question")
        write(f"Impact: {printable(text)}. Go on? [y/N] ", sys.stderr)
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    def show_difference(self, before: State, after: State, what: str) -> None:
        """Write what differs to standard error, below a line that names it."""
        from vppcfg.cli.difference import painted_states

        paint = paint_for(sys.stderr, self._colour)
        write(f"{what}:\n{painted_states(before, after, paint)}", sys.stderr)

    def agrees(self, plan: Plan) -> bool:
        """Ask for approval where it is needed. Raise PlanRefusedError without a terminal to ask at."""
        if not self._asks:
            return True
        from vppcfg.render.impact_text import impact_summary

        # Whoever sees the plan has its impact before their eyes already, in the line above.
        is_seen = not self._is_json and is_terminal(sys.stdout)
        impact = "" if is_seen else printable(impact_summary(plan))
        if not is_terminal(sys.stdin):
            text = f"the plan has impact{impact and f' ({impact})'}, and there is no terminal to ask at"
            raise PlanRefusedError(f"{text}; nothing was changed", "--yes does it without a question")
        write(f"{impact and f'Impact: {impact}. '}Go on? [y/N] ", sys.stderr)
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    def agrees_to_send(self, text: str) -> bool:
        """Ask with `text` whether frames may be sent. Raise PlanRefusedError without a terminal to ask at."""
        if not self._asks:
            return True
        if not is_terminal(sys.stdin):
            text = "frames are to be sent into a VPP at work, and there is no terminal to ask at; nothing was sent"
            raise PlanRefusedError(text, "--yes does it without a question")
        write(f"{printable(text)}\nGo on? [y/N] ", sys.stderr)
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    def report(self, plan: Plan) -> Report:
        """Return what shows how a change goes."""
        from vppcfg.cli.change_report import report_for

        return report_for(plan, is_json=self._is_json)

    def listens(self) -> bool:
        """Return whether a person sits at a terminal, and this is what stands in front there."""
        if self._is_json or not is_terminal(sys.stdin):
            return False
        try:
            return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        except OSError:
            return False

    def typed(self) -> str:
        """Return a line that was typed, '' for none, or at the end of input."""
        import select

        if not self.listens() or not select.select([sys.stdin], [], [], 0)[0]:
            return ""
        try:
            return sys.stdin.readline().strip().lower()
        except OSError:  # the terminal is gone
            return ""

    @contextmanager
    def waiting(self, window_s: float) -> Iterator[Callable[[float], None]]:
        """Show how much of the time to confirm is over; what was typed before does not count."""
        if self.listens():
            import termios

            termios.tcflush(sys.stdin, termios.TCIFLUSH)
        total = round(window_s)
        with Progress("Waiting for `vppcfg confirm`", total, unit="seconds") as progress:
            yield lambda seconds: progress.report(min(round(seconds), total))


def log_unknown_pauses(plan: Plan) -> None:
    """Print that it is not known how long VPP forwards nothing, where that is so."""
    from vppcfg.render.pause_text import unknown_line

    if text := unknown_line(plan):
        log.info("%s", text)


def routing_text(steps: Sequence[DaemonChange]) -> Iterator[str]:
    """Yield the lines for people about what routing daemons load."""
    from vppcfg.app.routing_plan import routing_impact
    from vppcfg.render.routing_text import routing_lines

    for step in steps:
        file, found = step.texts.file, step.difference
        for line in routing_lines(file.kind.title, file.path, found.text_lines, found.effects):
            yield printable(line)
    if steps:
        yield f"impact of the routing daemons: {routing_impact(steps).label}"


def programs_text(programs: Sequence[Program]) -> Iterator[str]:
    """Yield the lines for people about the programs that a change runs."""
    from vppcfg.render.programs_text import program_lines

    return map(printable, program_lines(programs))


def terminal_for(args: argparse.Namespace) -> Terminal:
    """Return the console that the options of a command ask for."""
    is_json = getattr(args, "format", "text") == "json"
    return Terminal(args.color, is_json=is_json, asks=not getattr(args, "yes", True))
