"""containers/containerlab/: the entry point of a node, run here with stand-ins for the programs of VPP."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "containers" / "containerlab"
CONFIG = "interfaces:\n  eth1:\n    device-type: af-packet\n    mtu: 1500\n    addresses: [ 192.0.2.0/31 ]\n"
PATIENCE_S = 120.0


class Node:
    """A container's file system, as far as the entry point looks at it."""

    def __init__(self, root: Path) -> None:
        """Make the links eth0 to eth2, and programs that stand in for VPP's and write down how they are called."""
        self.root = root
        for name in ("bin", "run", "config/vpp", "log"):
            (root / name).mkdir(parents=True)
        for number, name in enumerate(("eth0", "eth1", "eth2", "lo")):
            (root / "net" / name).mkdir(parents=True)
            (root / "net" / name / "address").write_text(f"02:00:00:00:00:0{number}\n")
        vppcfg = f"{shlex.quote(sys.executable)} -m vppcfg"
        ports = " ".join(f"--phy {name},class=af-packet" for name in ("eth1", "eth2"))
        self.program("vppcfg", f'exec {vppcfg} "$@"')
        self.program("vpp", f'echo "$@" >>{root}/vpp.called; exec {vppcfg} sim --socket {root}/run/api.sock {ports}')
        self.program("vppctl", f'echo "$@" >>{root}/vppctl.called; test -S {root}/run/api.sock')
        self.environment = {
            **os.environ,
            "PATH": f"{root}/bin:{os.environ['PATH']}",
            "CONFIG_DIR": f"{root}/config",
            "VPP_RUN_DIR": f"{root}/run",
            "NETWORK_DIR": f"{root}/net",
            "LOG_DIR": f"{root}/log",
            "VPPCFG_STATE_DIR": f"{root}/state",
            "VPPCFG_RUN_DIR": f"{root}/locks",
        }

    def program(self, name: str, line: str) -> None:
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[str]]:
        """Run the entry point, and tell it to end when the context does."""
        words = [FOLDER / "init-container.sh"]
        with subprocess.Popen(
            words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE_S)

    def save(self) -> subprocess.CompletedProcess[str]:
        """Run what `save` is to call."""
        return subprocess.run(
            [FOLDER / "save-config.sh"],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def called(self, program: str) -> list[str]:
        """Return how a program was called, without its socket."""
        path = self.root / f"{program}.called"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.removeprefix(f"-s {self.root}/run/cli.sock ") for line in lines]


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def said_up_to(process: subprocess.Popen[str], text: str) -> str:
    assert process.stdout is not None
    said = ""
    deadline = time.monotonic() + PATIENCE_S
    while text not in said:
        assert time.monotonic() < deadline, said
        line = process.stdout.readline()
        assert line, f"it ended: {said}"
        said += line
    return said


def test_a_node_gets_its_links_as_ports_and_its_configuration_and_saves_it(node: Node) -> None:
    file = node.root / "config" / "vpp" / "vppcfg.yaml"
    file.write_text(f"# of ams1\n{CONFIG}  eth2: {{ device-type: af-packet, mtu: 1500 }}\n")
    with node.started() as process:
        said_up_to(process, "vppcfg.yaml is applied")
        assert node.called("vpp") == ["-c /etc/vpp/startup.conf"]
        made = [line for line in node.called("vppctl") if line != "show version"]
        assert made == [
            "create host-interface name eth1 hw-addr 02:00:00:00:00:01",
            "set interface name host-eth1 eth1",
            "create host-interface name eth2 hw-addr 02:00:00:00:00:02",
            "set interface name host-eth2 eth2",
        ]
        saved = node.save()
        assert (saved.returncode, saved.stdout, saved.stderr) == (0, f"{file}\n", "")
        assert file.read_text().startswith("# of ams1\n"), "comments stay"
        file.write_text(file.read_text().replace("192.0.2.0/31", "192.0.2.6/31"))
        saved = node.save()
        assert (saved.returncode, saved.stdout, saved.stderr) == (0, f"{file}\n", ""), "no difference is shown"
        assert "192.0.2.0/31" in file.read_text()
        file.unlink()
        saved = node.save()
        assert (saved.returncode, saved.stdout, saved.stderr) == (0, f"{file}\n", "")
        assert "192.0.2.0/31" in file.read_text()
    assert process.returncode == 0, "the simulated VPP ends well when it is told to"


def test_a_node_with_a_wrong_configuration_runs_all_the_same_and_says_so(node: Node) -> None:
    (node.root / "config" / "vpp" / "vppcfg.yaml").write_text("interfaces: 1\n")
    (node.root / "config" / "vpp" / "startup.conf").write_text("unix { }\n")
    with node.started() as process:
        said_up_to(process, "vppcfg.yaml is not applied")
        assert node.called("vpp") == [f"-c {node.root}/config/vpp/startup.conf"], "the node's own one is used"
        assert process.poll() is None


def test_containerlabs_own_save_saves(node: Node) -> None:
    """The command is that of nodes/fdio_vpp/fdio_vpp.go, which counts standard error as a failure."""
    file = node.root / "config" / "vpp" / "vppcfg.yaml"
    file.write_text(f"{CONFIG}  eth2: {{ device-type: af-packet, mtu: 1500 }}\n")
    command = "echo TODO(pim): Not implemented yet - needs vppcfg in the Docker container"
    environment = {
        **node.environment,
        "BASH_ENV": str(FOLDER / "save-hook.sh"),
        "SAVE_CONFIG": str(FOLDER / "save-config.sh"),
    }

    def run_in_bash(command: str) -> tuple[int, str, str]:
        done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    with node.started() as process:
        said_up_to(process, "vppcfg.yaml is applied")
        assert run_in_bash(command) == (0, f"{file}\n", "")
        assert run_in_bash("echo of an operator") == (0, "of an operator\n", "")


def test_a_file_that_was_refused_at_boot_is_not_overwritten(node: Node) -> None:
    file = node.root / "config" / "vpp" / "vppcfg.yaml"
    file.write_text(f"{CONFIG}  # the link eth2 is not here\n")
    with node.started() as process:
        said_up_to(process, "vppcfg.yaml is not applied")
        saved = node.save()
        assert (saved.returncode, saved.stdout) == (1, "")
        assert "was not applied when the node started" in saved.stderr
        assert file.read_text() == f"{CONFIG}  # the link eth2 is not here\n"
        file.write_text(f"{CONFIG}  eth2: {{ device-type: af-packet, mtu: 1500 }}\n")
        assert node.save().returncode == 0, "another file is not the refused one"


def test_a_vpp_that_ends_ends_the_node(node: Node) -> None:
    node.program("vpp", "exit 3")
    with node.started() as process:
        said_up_to(process, "VPP has ended before it answered")
        assert process.wait(PATIENCE_S) == 1


def test_a_save_that_fails_says_why(node: Node) -> None:
    saved = node.save()
    assert saved.returncode != 0
    assert "vppcfg: error: " in saved.stderr
