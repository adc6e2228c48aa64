"""The names of interfaces in a configuration file, for metrics; a process of its own reads the file when it changes.

Reading a large file takes seconds and hundreds of megabytes, which whoever answers within a second for months must not
spend; of 10,000 interfaces the names alone are a megabyte.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from vppcfg.app.monitoring.child_process import ChildProcess
from vppcfg.config.load import load
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import VppcfgError
from vppcfg.model.monitored import FileNames

_log = logging.getLogger(__name__)
_Signature = tuple[tuple[str, int, int, int], ...]


def names_in(files: SourceFiles) -> FileNames:
    """Return what configuration files call interfaces. Raise VppcfgError when they are not valid."""
    loaded = load(files)
    configuration = loaded.configuration
    if configuration is None:
        raise VppcfgError(f"{files} is not valid", "see `vppcfg check`")
    entries = configuration.interfaces.values()
    descriptions = {entry.name: entry.description for entry in configuration.virtual.values() if entry.description}
    return FileNames(
        descriptions=descriptions | {entry.name: entry.description for entry in entries if entry.description},
        lcps={entry.name: entry.lcp.host_name for entry in entries if entry.lcp is not None},
        vrfs={entry.name: entry.vrf for entry in entries if entry.vrf},
    )


class NamesOfFile:
    """The names in files that may change, or come, at any time; those that are not valid leave the former ones."""

    def __init__(self, files: SourceFiles) -> None:
        self._files = files
        self._names = FileNames()
        self._seen: _Signature | None = None
        self._child: ChildProcess | None = None
        self.problem = ""
        """Why the files give no names, or no new ones."""

    def __call__(self) -> FileNames:
        """Return the names, those of a changed file as soon as they have been read; never wait for that."""
        self._collect(0.0)
        if self._child is None and (signature := self._signature()) != self._seen:
            self._seen = signature
            self._start()
        return self._names

    def wait(self, seconds: float) -> FileNames:
        """Return the names once they have been read, or after some time what is known."""
        self()
        self._collect(seconds)
        return self._names

    def close(self) -> None:
        """End what is reading; safe to call twice."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _start(self) -> None:
        if not self._seen:
            self._names, self.problem = FileNames(), f"there is no file {self._files}"
            return
        self._child = ChildProcess([sys.executable, "-P", "-m", "vppcfg.app.monitoring.file_names", *self._files.names])

    def _collect(self, patience_s: float) -> None:
        """Take what was read, where that has come to its end."""
        output = self._child.answer(patience_s) if self._child is not None else None
        if output is None:
            return
        self._child = None
        try:
            answer: dict[str, Any] = json.loads(output)
        except ValueError:
            answer = {"problem": f"{self._files} cannot be read"}
        self.problem = str(answer.get("problem", ""))
        if self.problem:
            _log.warning("%s; interfaces are called as before", self.problem)
        else:
            self._names = FileNames(**answer)

    def _signature(self) -> _Signature:
        """Return what changes when a file does; empty without one."""
        found = []
        try:
            for name in self._files.each():
                status = os.stat(name)
                found.append((name, status.st_ino, status.st_size, status.st_mtime_ns))
        except (OSError, VppcfgError):
            return ()
        return tuple(found)


def main(names: Sequence[str]) -> None:
    """Print what files call interfaces as JSON."""
    try:
        found = names_in(SourceFiles(names=tuple(names)))
        answer: dict[str, Any] = {"descriptions": found.descriptions, "lcps": found.lcps, "vrfs": found.vrfs}
    except VppcfgError as error:
        answer = {"problem": error.message}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1:])
