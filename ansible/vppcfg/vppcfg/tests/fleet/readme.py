# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""The example of the README, as somebody follows it who has nothing but the archive of the collection and an empty home."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from routers import COLLECTION, Fleet
from scenarios import Skipped, expect

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def readme(fleet: Fleet) -> None:
    """Write the files that the README shows and run its commands, on two routers that are simulated."""
    archive = os.environ.get("VPPCFG_COLLECTION_ARCHIVE", "")
    if not archive:
        raise Skipped("VPPCFG_COLLECTION_ARCHIVE does not name the archive of the collection")
    pair = Fleet(fleet.folder / "pair", 0, str(Path(fleet.vppcfg).parent), fleet.ansible, names=("ams1", "fra1"))
    place = fleet.folder / "newcomer"
    (place / "home").mkdir(parents=True)
    shutil.copy(archive, place)
    commands = [command for kind, text in BLOCK.findall((COLLECTION / "README.md").read_text())
                for command in shown(kind, text, place)]  # fmt: skip
    (place / "host_vars").mkdir()
    try:
        for name in pair.names:
            (place / "host_vars" / f"{name}.json").write_text(json.dumps(reached(pair, name)))
            pair.start(name)
        pair.each(pair.await_answer)
        for command in commands:
            said = follow(command, place, fleet)
        report = json.loads((place / "report.json").read_text())["routers"]
        expect([(row["router"], row["state"]) for row in report] == [("ams1", "confirmed"), ("fra1", "confirmed")], str(report))
        for name in pair.names:
            expect(pair.is_at(name, (place / "routers" / f"{name}.yaml").read_text()), f"{name} matches its file")
        said = follow(commands[-1], place, fleet)
        expect(said[said.rindex("PLAY RECAP") :].count("changed=0") == 2, "once more, it changes nothing")
    finally:
        pair.stop_all()


def shown(kind: str, text: str, place: Path) -> list[str]:
    """Write the file that a block shows, or return its commands."""
    if kind == "console":
        return [line.removeprefix("$ ") for line in text.splitlines()]
    name = text.partition("\n")[0].removeprefix("# ")
    (place / name).parent.mkdir(exist_ok=True)
    (place / name).write_text(text)
    return []


def reached(pair: Fleet, name: str) -> dict[str, object]:
    """Return what makes a router a simulated one of this machine."""
    return {
        **pair.variables(name),
        "ansible_connection": "local",
        "ansible_python_interpreter": sys.executable,
        "ansible_async_dir": str(pair.folder / "jobs"),  # the empty home is not that of the user root
        "vppcfg_executable": pair.vppcfg,
        "vppcfg_gate_seconds": 0,
    }


def follow(command: str, place: Path, fleet: Fleet) -> str:
    """Run a command as it is printed, and return what it says."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE")}
    path = f"{fleet.ansible}:{Path(fleet.vppcfg).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], env={**known, "HOME": str(place / "home"), "PATH": path}, cwd=place,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, check=False,
    )  # fmt: skip
    (fleet.folder / "last.log").write_text(done.stdout)
    expect(done.returncode == 0, f"`{command}` succeeds: {done.returncode}")
    return done.stdout
