"""What `vppcfg startup` shows besides files: the reason of every value, and what a running VPP has."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vppcfg.cli.output import Colour, paint_for, printable, say
from vppcfg.errors import ExitCode

if TYPE_CHECKING:
    from vppcfg.model.host import Host
    from vppcfg.model.running import RunningVpp
    from vppcfg.startup.settings import Settings

_WIDTH = 80


def explained(settings: Settings, texts: Mapping[str, str]) -> str:
    """Return every value with where it comes from, then the two files for the kernel."""
    from vppcfg.startup.render import KERNEL_LINE, SYSCTL_CONF

    blocks = []
    for entry in settings.explanations:
        reason = textwrap.fill(
            entry.reason, _WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
        )
        blocks.append(f"{entry.key} = {entry.value}  ({entry.origin.value})\n{reason}\n")
    files = [f"\n/{path}:\n{textwrap.indent(texts[path], '    ')}" for path in (KERNEL_LINE, SYSCTL_CONF)]
    return "".join([*blocks, *files])


def show_verification(settings: Settings, host: Host, running: RunningVpp, args: argparse.Namespace) -> ExitCode:
    """Compare with the running VPP; exit 8 when something is not as asked."""
    from vppcfg.startup.verify import verify

    findings = verify(settings, running, host)
    paint = paint_for(sys.stdout, args.color)
    for finding in findings:
        mark = paint("ok", Colour.GOOD) if finding.is_met else paint("DIFFERENT", Colour.BAD)
        if finding.is_met:
            say(f"{mark} {printable(finding.what)}: {printable(finding.found)}")
        else:
            say(f"{mark} {printable(finding.what)}: asked {finding.asked}, found {printable(finding.found)}")
            say(f"    {printable(finding.advice)}")
    unmet = sum(not finding.is_met for finding in findings)
    say(f"{len(findings) - unmet} of {len(findings)} as asked")
    return ExitCode.DIFFERENT if unmet else ExitCode.DONE
