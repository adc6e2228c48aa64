"""The machine whose cores are watched: this one, or one that ssh reaches."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Protocol

from vppcfg.errors import EngineError
from vppcfg.linux.inside import command_inside
from vppcfg.record import record

_TIMEOUT_S = 15.0


class Router(Protocol):
    """A machine that answers commands."""

    def run(self, command: Sequence[str]) -> str:
        """Return what a command prints. Raise EngineError when it fails."""


@record
class LocalRouter:
    """This machine, in the namespace that has the router's ports."""

    netns: str = ""

    def run(self, command: Sequence[str]) -> str:
        """Return what a command prints. Raise EngineError when it fails."""
        return _output(command_inside(self.netns, command), "this machine")


@record
class SshRouter:
    """A machine that ssh reaches without asking for a password."""

    host: str

    def run(self, command: Sequence[str]) -> str:
        """Return what a command prints. Raise EngineError when it fails."""
        options = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
        return _output(["ssh", *options, "--", self.host, *command], self.host)


def _output(command: Sequence[str], where: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, timeout=_TIMEOUT_S
        )
    except FileNotFoundError as error:
        raise EngineError(f"there is no program {error.filename}") from None
    except subprocess.TimeoutExpired:
        raise EngineError(f"{where} takes longer than {_TIMEOUT_S:g} seconds to answer `{command[-1]}`") from None
    if done.returncode:
        raise EngineError(f"{where} cannot do `{' '.join(command)}`: {done.stderr.strip()}")
    return done.stdout
