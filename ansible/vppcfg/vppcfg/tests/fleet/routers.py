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
from pathlib import Path

COLLECTION = Path(__file__).parents[2]
PORT = "GigabitEthernet1/0/0"
PATIENCE_S = 180.0


def configuration(number: int, mtu: int = 1500) -> str:
    """Return the configuration of a router."""
    return (
        f"interfaces:\n  {PORT}:\n    mtu: {mtu}\n    addresses: [ 192.0.2.{number}/24 ]\n"
        f"  vxlan_tunnel0: {{ mtu: 1400 }}\nvxlan_tunnels:\n"
        f"  vxlan_tunnel0: {{ local: 192.0.2.{number}, remote: 198.51.100.{number}, vni: 10 }}\n"
    )


class Fleet:
    """Simulated routers r1 to rN."""

    def __init__(self, folder: Path, size: int, vppcfg: str, ansible: str) -> None:
        """Use a folder; `vppcfg` and `ansible` are the folders of the programs."""
        self.folder = folder
        self.names = [f"r{number}" for number in range(1, size + 1)]
        self.vppcfg = str(Path(vppcfg) / "vppcfg")
        self._ansible = Path(ansible)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        namespace = folder / "collections" / "ansible_collections" / "vppcfg"
        namespace.mkdir(parents=True)
        (namespace / "vppcfg").symlink_to(COLLECTION)
        for name in self.names:
            (folder / name).mkdir()

    def start(self, name: str, *options: str) -> None:
        """Start the VPP of a router anew, with the faults that are named."""
        self.stop(name)
        words = [self.vppcfg, "sim", "--socket", str(self.folder / name / "api.sock"), "--phy", PORT, *options]
        log = (self.folder / name / "sim.log").open("ab")
        self._processes[name] = subprocess.Popen(words, stdout=log, stderr=log)

    def start_all(self) -> None:
        """Start all, and wait until they answer."""
        for name in self.names:
            self.start(name)
        for name in self.names:
            self.await_answer(name)

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
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if "--unless-confirmed" in words and str(self.folder) in words:
                os.kill(int(process.name), signal.SIGKILL)

    def inventory(self, files: dict[str, str], unreachable: str = "", **common: object) -> Path:
        """Write the inventory with the configuration of each router, one of which cannot be reached; return it."""
        hosts = {}
        for name in self.names:
            place = self.folder / name
            hosts[name] = {
                "vppcfg_file": files[name],
                "vppcfg_api_socket": str(place / "api.sock"),
                "vppcfg_state_dir": str(place / "state"),
                "vppcfg_run_dir": str(place / "run"),
                "vppcfg_dest": str(place / "vppcfg.yaml"),
            }
        if unreachable:
            hosts[unreachable].update(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=1)
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

    def begin(self, playbook: str, inventory: Path, *options: str) -> subprocess.Popen[str]:
        """Begin a playbook of the collection."""
        environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder / "collections"),
            "ANSIBLE_HOME": str(self.folder / "ansible"),
            "ANSIBLE_LOCALHOST_WARNING": "False",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_FORKS": "4",
        }
        words = [str(self._ansible / "ansible-playbook"), f"vppcfg.vppcfg.{playbook}", "-i", str(inventory), *options]
        return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

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
