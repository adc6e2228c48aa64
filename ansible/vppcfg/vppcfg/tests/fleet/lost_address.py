# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""A change takes the address away that Ansible came by, over a real sshd between two network namespaces."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from routers import PORT, Fleet
from scenarios import OLD, Skipped, expect, files, in_batches, is_waiting, states

HERE = Path(__file__).parent
ADDRESS, ELSEWHERE, CONTROLLER = "192.0.2.1", "192.0.2.201", "192.0.2.100"
SSHD_CONFIG = """\
ListenAddress 0.0.0.0
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/login_key.pub
PidFile {folder}/pid
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
Subsystem sftp internal-sftp
"""


def address_removed(fleet: Fleet) -> None:
    """The address that Ansible talks to is removed: the router goes back by itself, and the table says so.

    Once the play waits longer for the router than its window lasts, and once it gives up before.
    """
    if os.geteuid() != 0:
        raise Skipped("only root makes network namespaces")
    for program in ("ip", "sshd", "ssh", "ssh-keygen"):
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") is None:
            raise Skipped(f"there is no program {program}")
    with reached_by_ssh(fleet) as special:
        for gives_up in (False, True):
            fleet.settle(files(fleet, OLD))
            removed(fleet, special, gives_up=gives_up)


def removed(fleet: Fleet, special: dict[str, dict[str, object]], *, gives_up: bool) -> None:
    """Run the playbook with a configuration that moves the address."""
    old = files(fleet, OLD)
    wanted = {**old, "r1": old["r1"].replace(f"{ADDRESS}/", f"{ELSEWHERE}/").replace(f"local: {ADDRESS},", f"local: {ELSEWHERE},")}
    patience = {"vppcfg_reconnect_seconds": 10, "vppcfg_confirm": 10 if gives_up else 0.75}
    if gives_up:
        patience["vppcfg_return_seconds"] = 10
    inventory = fleet.inventory(wanted, special, **patience)
    code = fleet.play("change", inventory, *in_batches())[0]
    found = states(fleet)
    why = fleet.report()["r1"]["why"]
    expect(code != 0, "the play fails")
    expect(found.pop("r1") == ("unknown" if gives_up else "gone back"), f"the table: {fleet.report()['r1']}")
    expect(set(found.values()) <= {"not begun"}, f"nobody else began: {found}")
    if gives_up:
        expect(is_waiting(fleet, "r1"), "the router waits for a confirmation that nobody can bring")
        expect(fleet.is_at("r1", wanted["r1"]), "and is at the new configuration")
        fleet.run("r1", "confirm", "--extend", "0.05")
    else:
        expect("could not be reached" in why, f"the table says why: {why}")
    deadline = time.monotonic() + 120
    while is_waiting(fleet, "r1"):
        expect(time.monotonic() < deadline, "the router does not wait for ever")
        time.sleep(1)
    expect(fleet.is_at("r1", old["r1"]), "the router is back")
    fleet.play("collect", fleet.inventory(wanted, special))
    expect(states(fleet)["r1"] == "gone back", f"it is reached again, and says so: {fleet.report()['r1']}")


@contextlib.contextmanager
def reached_by_ssh(fleet: Fleet) -> Iterator[dict[str, dict[str, object]]]:
    """Put the controller and r1 into namespaces with a cable between them; yield how Ansible reaches r1.

    The cable's end at the router has the addresses that the VPP of r1 has.
    """
    folder = fleet.folder / "ssh"
    folder.mkdir()
    controller, router = f"vppcfg-controller-{os.getpid()}", f"vppcfg-router-{os.getpid()}"
    processes = []
    try:
        for name in (controller, router):
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        run("ip", "-n", controller, "link", "add", "cable", "type", "veth", "peer", "name", "port", "netns", router)
        run("ip", "-n", controller, "address", "add", f"{CONTROLLER}/24", "dev", "cable")
        for name, device in ((controller, "cable"), (router, "port")):
            run("ip", "-n", name, "link", "set", device, "up")
        for key in ("host_key", "login_key"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key))
        (folder / "sshd_config").write_text(SSHD_CONFIG.format(folder=folder))
        Path("/run/sshd").mkdir(exist_ok=True)
        sshd = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin") or "sshd"
        python = str(Path(fleet.vppcfg).with_name("python"))
        mirror = [python, str(HERE / "mirror.py"), str(fleet.folder / "r1" / "api.sock"), PORT, "port"]
        log = (folder / "log").open("ab")
        for words in ([sshd, "-D", "-e", "-f", str(folder / "sshd_config")], mirror):
            processes.append(subprocess.Popen(["ip", "netns", "exec", router, *words], stdout=log, stderr=log))
        fleet.controller = controller
        await_ssh(controller)
        yield {
            "r1": {
                "ansible_connection": "ssh",
                "ansible_host": ADDRESS,
                "ansible_user": "root",
                "ansible_ssh_private_key_file": str(folder / "login_key"),
                "ansible_ssh_common_args": f"-o StrictHostKeyChecking=no -o UserKnownHostsFile={folder}/known_hosts",
                "ansible_python_interpreter": sys.executable,
            }
        }
    finally:
        fleet.controller = ""
        for process in processes:
            process.kill()
            process.wait()
        for name in (controller, router):
            subprocess.run(["ip", "netns", "delete", name], check=False)
        shutil.rmtree(folder)


def await_ssh(controller: str) -> None:
    """Wait until the sshd answers at the address of the router."""
    probe = f"import socket; print(socket.create_connection(('{ADDRESS}', 22), 2).recv(4))"
    deadline = time.monotonic() + 60
    while b"SSH" not in subprocess.run(
        ["ip", "netns", "exec", controller, sys.executable, "-c", probe], capture_output=True, check=False
    ).stdout:
        expect(time.monotonic() < deadline, "the sshd of the router answers")
        time.sleep(0.5)


def run(*words: str) -> None:
    """Run a program. Raise AssertionError when it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{' '.join(words)}: {done.stderr}")
