# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""Records what vppcfg answers with each exit code, on simulated routers, for the unit tests of the modules.

`python tests/unit/record.py DIR` writes tests/unit/answers.json anew; DIR has the program vppcfg.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "fleet"))

from routers import PORT, Fleet, configuration  # noqa: E402

EMPTY = f"interfaces:\n  {PORT}: {{}}\n"
WRONG = f"interfaces:\n  {PORT}:\n    mtu: 1\n"


class Recorder:
    """Runs commands on one simulated router and keeps what they answered."""

    def __init__(self, folder: Path, vppcfg: str) -> None:
        """Use a folder."""
        self.fleet = Fleet(folder, 1, vppcfg, "")
        self.folder = folder
        self.answers: dict[str, dict[str, object]] = {}
        for name, text in {"new": configuration(1), "empty": EMPTY, "wrong": WRONG, "none": "interfaces: {}\n"}.items():
            (folder / f"{name}.yaml").write_text(text)

    def start(self, *options: str) -> None:
        """Start the VPP anew, without a journal."""
        self.fleet.stop("r1")
        os.system(f"rm -rf {self.folder}/r1/state")
        self.fleet.start("r1", *options)
        self.fleet.await_answer("r1")

    def record(self, name: str, *words: str, has_socket: bool = True) -> None:
        """Keep the answer to a command."""
        result = self.fleet.run("r1", *words, has_socket=has_socket)
        out, err = (text.replace(str(self.folder), "/tmp/fleet") for text in (result.stdout, result.stderr))
        self.answers[name] = {"words": [word.replace(str(self.folder), "/tmp/fleet") for word in words]}
        self.answers[name].update(code=result.returncode, out=out, err=err)
        print(name, result.returncode, file=sys.stderr)

    def all(self) -> None:
        """Record everything."""
        new, empty, wrong, none = (str(self.folder / f"{name}.yaml") for name in ("new", "empty", "wrong", "none"))
        apply = ("apply", "--yes", "--format", "json", "-c")
        plan = ("plan", "--format", "json", "-c")
        self.record("vpp-gone", *plan, new)
        self.start()
        self.record("plan", *plan, new)
        self.record("plan-diff", "plan", "--format", "diff", "-c", new)
        self.record("plan-refused", *plan, none)
        self.record("plan-invalid", *plan, wrong)
        self.record("check-invalid", "check", "--format", "json", "-c", wrong, has_socket=False)
        self.record("watch-drift", "watch", "--once", "-v", "--format", "json", "-c", new)
        self.record("apply", *apply, new)
        self.record("plan-impact", *plan, empty, "--max-impact", "none")
        self.record("apply-again", *apply, new)
        self.record("plan-nothing", *plan, new)
        self.record("watch", "watch", "--once", "-v", "--format", "json", "-c", new)
        self.record("history", "history", "--format", "json")
        self.record("dump", "dump", "-q")
        self.record("dump-json", "dump", "-q", "--format", "json")
        self.record("tune", "tune", "--format", "json", "--interval", "0.5", "--readings", "2")
        self.record("verdict", "tune", "--format", "json", "--interval", "0.5", "--readings", "2", "--fail-on", "undecided")
        self.record("diff-change", "diff", "1")
        self.record("apply-confirm", *apply, empty, "--confirm", "5")
        self.record("history-waiting", "history", "--format", "json")
        self.record("plan-waiting", *plan, new)
        self.record("rollback", "rollback", "--yes", "--format", "json")
        self.record("confirm-nothing", "confirm", "2")
        self.record("not-confirmed", *apply, empty, "--again", "--confirm", "0.2", "--wait")
        for name, fault in (
            ("rolled-back", ("--fail-at", "3")),
            ("stranded", ("--fail-at", "3-")),
            ("different", ("--skip-at", "3")),
        ):
            self.start(*fault)
            self.record(name, *apply, new)
        self.start("--pace", "3")
        busy = threading.Thread(target=self.fleet.run, args=("r1", *apply, new))
        busy.start()
        while busy.is_alive() and not list(self.folder.glob("r1/state/*/000001")):
            time.sleep(0.1)
        self.record("not-now", *plan, empty)
        busy.join()
        self.fleet.stop_all()


def main() -> None:
    """Record, and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder), sys.argv[1])
        try:
            recorder.all()
        finally:
            recorder.fleet.stop_all()
    (HERE / "answers.json").write_text(json.dumps(recorder.answers, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
