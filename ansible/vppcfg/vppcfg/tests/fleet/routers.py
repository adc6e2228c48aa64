# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""Simulated routers of one machine, each with a socket, a journal and a file of its own, and the collection on them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

COLLECTION = Path(__file__).parents[2]
PORT = "GigabitEthernet1/0/0"
PATIENCE_S = 300.0
AT_ONCE = 2
"""How many routers are looked at together."""


def configuration(number: int, mtu: int = 1500, vni: int = 10) -> str:
    """Return the configuration of a router."""
    return (
        f"interfaces:\n  {PORT}:\n    mtu: {mtu}\n    addresses: [ 192.0.2.{number}/24 ]\n"
        f"  vxlan_tunnel0: {{ mtu: 1400 }}\nvxlan_tunnels:\n"
        f"  vxlan_tunnel0: {{ local: 192.0.2.{number}, remote: 198.51.100.{number}, vni: {vni} }}\n"
    )


T = TypeVar("T")


class Fleet:
    """Simulated routers r1 to rN."""

    def __init__(self, folder: Path, size: int, vppcfg: str, ansible: str, names: tuple[str, ...] = ()) -> None:
        """Use a folder; `vppcfg` and `ansible` are the folders of the programs. With names, the routers have these."""
        self.folder = folder
        self.names = list(names) or [f"r{number}" for number in range(1, size + 1)]
        self.vppcfg = str(Path(vppcfg) / "vppcfg")
        self.ansible = ansible
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._faulty: set[str] = set()
        self.controller = ""
        namespace = folder / "collections" / "ansible_collections" / "vppcfg"
        namespace.mkdir(parents=True, exist_ok=True)
        (namespace / "vppcfg").symlink_to(COLLECTION)
        for name in self.names:
            (folder / name).mkdir()

    def start(self, name: str, *options: str) -> None:
        """Start the VPP of a router anew, with the faults that are named."""
        self.stop(name)
        words = [self.vppcfg, "sim", "--socket", str(self.folder / name / "api.sock"), "--phy", PORT, *options]
        self.launch(name, words)
        (self._faulty.add if options else self._faulty.discard)(name)

    def launch(self, name: str, words: list[str]) -> None:
        """Start the process of a router."""
        with (self.folder / name / "vpp.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def each(self, function: Callable[[str], T], names: Iterable[str] = ()) -> dict[str, T]:
        """Return what a function returns for each router, of all or of those that are named."""
        chosen = list(names) or self.names
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return dict(zip(chosen, pool.map(function, chosen)))

    def settle(self, files: dict[str, str]) -> None:
        """Bring every router to its configuration, without faults, and with that as its only change."""
        moved = [name for name in self.names if name in self._faulty or self.changes(name) != 1]
        if moved:
            self.each(lambda name: self._settle(name, files[name]), moved)

    def _settle(self, name: str, text: str) -> None:
        self.start(name)
        self.forget(name)
        self.await_answer(name)
        path = self.folder / name / "vppcfg.yaml"
        path.write_text(text)
        result = self.run(name, "apply", "-q", "--yes", "-c", str(path))
        if result.returncode:
            raise AssertionError(f"{name} is not at its first configuration: {result.stderr}")

    def changes(self, name: str) -> int:
        """Return how many changes the history of a router has."""
        return len(list(self.folder.glob(f"{name}/state/*/[0-9]*[0-9]/entry.json")))

    def await_answer(self, name: str) -> None:
        """Wait until a VPP answers."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
                if sock.connect_ex(str(self.folder / name / "api.sock")) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError(f"{name} does not answer")

    def forget(self, name: str) -> None:
        """Remove the history of a router."""
        self._end_timers(name)
        shutil.rmtree(self.folder / name / "state", ignore_errors=True)

    def last_words(self) -> str:
        """Return the end of what the last playbook said."""
        log = self.folder / "last.log"
        return log.read_text()[-6000:] if log.exists() else ""

    def stop(self, name: str) -> None:
        """Stop the VPP of a router."""
        process = self._processes.pop(name, None)
        if process is not None:
            process.send_signal(signal.SIGTERM)
            process.wait(30)

    def stop_all(self) -> None:
        """Stop everything, timers of changes included."""
        for name in self.names:
            self.stop(name)
            self._end_timers(name)

    def _end_timers(self, name: str) -> None:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if "--unless-confirmed" in words and f"{self.folder}/{name}/" in words:
                os.kill(int(process.name), signal.SIGKILL)

    def inventory(self, files: dict[str, str], special: Mapping[str, dict[str, object]] = MappingProxyType({}), **common: object) -> Path:
        """Write the inventory with the configuration of each router and its `special` variables; return it."""
        hosts = {}
        for name in self.names:
            hosts[name] = {"vppcfg_file": files[name], **self.variables(name), **special.get(name, {})}
        known = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "vppcfg_executable": self.vppcfg,
            "vppcfg_gate_lcp": False,
            "vppcfg_gate_seconds": 0,
            "vppcfg_gate_interval": 0.5,
            "vppcfg_report": str(self.folder / "report.json"),
            **common,
        }
        path = self.folder / "inventory.json"
        path.write_text(json.dumps({"all": {"hosts": hosts, "vars": known}}))
        return path

    def variables(self, name: str) -> dict[str, object]:
        """Return what says where VPP, the journal and the file of a router are."""
        place = self.folder / name
        return {
            "vppcfg_api_socket": str(place / "api.sock"),
            "vppcfg_state_dir": str(place / "state"),
            "vppcfg_run_dir": str(place / "run"),
            "vppcfg_dest": str(place / "vppcfg.yaml"),
        }

    def begin(self, playbook: str, inventory: Path, *options: str) -> subprocess.Popen[str]:
        """Begin a playbook, of the collection or in a file, in the network namespace of the controller where there is one."""
        (self.folder / "outcomes").unlink(missing_ok=True)
        environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder / "collections"),
            "ANSIBLE_HOME": str(self.folder / "ansible"),
            "ANSIBLE_LOCALHOST_WARNING": "False",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "True",
            "ANSIBLE_FORKS": "4",
            "ANSIBLE_SSH_CONTROL_PATH_DIR": str(self.folder / "cp"),
            "ANSIBLE_CALLBACK_PLUGINS": str(COLLECTION / "tests" / "fleet" / "callback"),
            "ANSIBLE_CALLBACKS_ENABLED": "outcomes",
            "VPPCFG_OUTCOMES": str(self.folder / "outcomes"),
        }
        inside = ["ip", "netns", "exec", self.controller] if self.controller else []
        name = playbook if "/" in playbook else f"vppcfg.vppcfg.{playbook}"
        words = [*inside, str(Path(self.ansible) / "ansible-playbook"), name, "-i", str(inventory), *options]
        return subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Kill a playbook with its forks, as when the machine of the controller goes down."""
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def play(self, playbook: str, inventory: Path, *options: str) -> tuple[int, str]:
        """Run a playbook to its end, and return its exit code and what it said."""
        process = self.begin(playbook, inventory, *options)
        said = process.communicate(timeout=1800)[0]
        (self.folder / "last.log").write_text(said)
        return process.returncode, said

    def report(self) -> dict[str, dict[str, str]]:
        """Return the rows of the report by router."""
        rows = json.loads((self.folder / "report.json").read_text())["routers"]
        return {row["router"]: row for row in rows}

    def outcomes(self) -> dict[str, dict[str, object]]:
        """Return what the module `config` came to on each router in the last playbook."""
        path = self.folder / "outcomes"
        lines = map(json.loads, path.read_text().splitlines() if path.exists() else ())
        return {line["router"]: line["result"] for line in lines}

    def run(self, name: str, *words: str, has_socket: bool = True) -> subprocess.CompletedProcess[str]:
        """Run vppcfg on a router."""
        place = self.folder / name
        environment = {**os.environ, "VPPCFG_STATE_DIR": str(place / "state"), "VPPCFG_RUN_DIR": str(place / "run")}
        command = [self.vppcfg, *words, *(["-a", str(place / "api.sock")] if has_socket else [])]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    def is_at(self, name: str, text: str) -> bool:
        """Return whether the VPP of a router is as a configuration says."""
        path = self.folder / name / "wanted.yaml"
        path.write_text(text)
        return self.run(name, "watch", "--once", "-q", "-c", str(path)).returncode == 0
