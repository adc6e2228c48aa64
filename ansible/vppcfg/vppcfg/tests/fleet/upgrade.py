# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""The role `install` and the playbook `upgrade` on Debians with a sshd each, from Debian packages of vppcfg."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from lost_address import SSHD_CONFIG
from lost_address import run as done
from routers import Fleet, configuration
from scenarios import Skipped, expect, states

DEBIAN = Path.home() / ".cache" / "vppcfg-test-deb" / "bookworm.tar"
FIRST_PORT = 22801
PLAYBOOK = """\
- name: Install vppcfg
  hosts: all
  gather_facts: false
  serial: [1, "100%"]
  roles:
    - vppcfg.vppcfg.install
"""


def upgrade(fleet: Fleet) -> None:
    """vppcfg is installed, changes two routers, and is upgraded, which changes nothing of them; then nothing is left."""
    package = os.environ.get("VPPCFG_DEB", "")
    if os.geteuid() != 0 or not DEBIAN.exists() or not package:
        raise Skipped(f"it takes root, a package that VPPCFG_DEB names, and {DEBIAN}, which `make test-deb` makes")
    later = repacked(Path(package), fleet.folder)
    with debians(fleet) as pair:
        files = {name: configuration(number) for number, name in enumerate(pair.names, start=1)}
        playbook = pair.folder / "install.yml"
        playbook.write_text(PLAYBOOK)
        code, said = pair.play(str(playbook), inventory(pair, files, package))
        expect(code == 0 and changed(said) == 2, "vppcfg is installed on both")
        expect(pair.play("change", inventory(pair, files, package))[0] == 0, "and changes them")
        expect(set(states(pair).values()) == {"confirmed"}, "both are confirmed")
        before = versions(pair)
        code, said = pair.play("upgrade", inventory(pair, files, str(later)))
        expect(code == 0 and changed(said) == 2, "vppcfg is upgraded on both")
        expect(all(version == f"{before[name]}+later" for name, version in versions(pair).items()), str(versions(pair)))
        code, said = pair.play("upgrade", inventory(pair, files, str(later)))
        expect(code == 0 and changed(said) == 0, "a second time it changes nothing")


def changed(said: str) -> int:
    """Return on how many routers a playbook has changed something."""
    recap = said[said.rindex("PLAY RECAP") :]
    return recap.count("changed=") - recap.count("changed=0")


def inventory(pair: Fleet, files: dict[str, str], package: str) -> Path:
    """Write the inventory: both are reached by ssh, and have VPP and vppcfg where Debian has them."""
    key = pair.folder / "login_key"
    hosts = {
        name: {"vppcfg_file": files[name], "ansible_port": FIRST_PORT + number} for number, name in enumerate(pair.names)
    }
    known = {
        "ansible_host": "127.0.0.1",
        "ansible_user": "root",
        "ansible_become_method": "ansible.builtin.su",
        "ansible_python_interpreter": "/usr/bin/python3",
        "ansible_ssh_private_key_file": str(key),
        "ansible_ssh_common_args": f"-o StrictHostKeyChecking=no -o UserKnownHostsFile={pair.folder}/known_hosts",
        "vppcfg_package": package,
        "vppcfg_gate_lcp": False,
        "vppcfg_gate_seconds": 0,
        "vppcfg_gate_interval": 0.5,
        "vppcfg_report": str(pair.folder / "report.json"),
    }
    path = pair.folder / "inventory.json"
    path.write_text(json.dumps({"all": {"hosts": hosts, "vars": known}}))
    return path


def versions(pair: Fleet) -> dict[str, str]:
    """Return the version of the package on each router."""
    words = ["dpkg-query", "--show", "--showformat", "${Version}", "vppcfg"]
    return {
        name: subprocess.run(["chroot", str(root(pair, name)), *words], capture_output=True, text=True, check=True).stdout
        for name in pair.names
    }


def repacked(package: Path, folder: Path) -> Path:
    """Return a copy of a package with a later version."""
    tree = folder / "later"
    done("dpkg-deb", "--raw-extract", str(package), str(tree))
    control = tree / "DEBIAN" / "control"
    lines = [f"{line}+later" if line.startswith("Version: ") else line for line in control.read_text().splitlines()]
    control.write_text("\n".join(lines) + "\n")
    done("dpkg-deb", "--root-owner-group", "--build", str(tree), str(folder / "vppcfg_later_all.deb"))
    return folder / "vppcfg_later_all.deb"


def root(pair: Fleet, name: str) -> Path:
    """Return the folder with the Debian of a router."""
    return pair.folder / name / "root"


@contextlib.contextmanager
def debians(fleet: Fleet) -> Iterator[Fleet]:
    """Yield two routers, each a Debian with a sshd and a simulated VPP at its usual socket."""
    pair = Fleet(fleet.folder / "debians", 2, str(Path(fleet.vppcfg).parent), fleet.ansible)
    processes = []
    try:
        for key in ("login_key", "host_key"):
            done("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(pair.folder / key))
        for number, name in enumerate(pair.names):
            place = root(pair, name)
            if number == 0:
                base(place)
            else:
                done("cp", "--archive", str(root(pair, pair.names[0])), str(place))
        for number, name in enumerate(pair.names):
            place = root(pair, name)
            for key in ("host_key", "login_key.pub"):
                shutil.copy(pair.folder / key, place / "root" / key)
            (place / "root" / "sshd_config").write_text(SSHD_CONFIG.format(folder="/root").replace("0.0.0.0", "127.0.0.1"))
            for folder in ("run/sshd", "run/vpp", "etc/vpp"):  # the last ones come with VPP
                (place / folder).mkdir(parents=True, exist_ok=True)
            apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={place}/proc", "chroot", str(place)]
            sshd = ["/usr/sbin/sshd", "-D", "-p", str(FIRST_PORT + number), "-f", "/root/sshd_config"]
            processes.append(subprocess.Popen([*apart, *sshd], stdin=subprocess.DEVNULL))
            (pair.folder / name / "api.sock").symlink_to(place / "run" / "vpp" / "api.sock")
            words = [pair.vppcfg, "sim", "--socket", str(place / "run" / "vpp" / "api.sock"), "--phy", "GigabitEthernet1/0/0"]
            pair.launch(name, words)
            pair.await_answer(name)
        yield pair
    finally:
        (fleet.folder / "last.log").write_text(pair.last_words())
        for process in processes:
            process.kill()
            process.wait()
        pair.stop_all()
        time.sleep(1)
        shutil.rmtree(pair.folder, ignore_errors=True)


def base(place: Path) -> None:
    """Make a Debian with what Ansible needs on a machine."""
    place.mkdir(parents=True)
    done("tar", "--extract", "--file", str(DEBIAN), "--directory", str(place), "--numeric-owner")
    shutil.copy("/etc/resolv.conf", place / "etc" / "resolv.conf")
    environment = "env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin"
    for command in ("apt-get update", "apt-get install -y --no-install-recommends openssh-server python3 python3-apt"):
        done("chroot", str(place), *environment.split(), *command.split())
