"""Hosts in network namespaces around a real VPP, and the trial of a change with their packets: there, and back."""

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from tests.live.whole_state import Whole, unlike, whole_state
from tests.real_vpp import RealVpp
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

CONSENT = ("--allow-mass-deletion", "--override-protected")
T = TypeVar("T")
_CONNECT = """
import socket, sys
address, port, source = sys.argv[1:]
print(socket.create_connection((address, int(port)), 2, (source, 0)).recv(99).decode())
"""
_SERVE = """
import contextlib, socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
s = socket.create_server((sys.argv[1], int(sys.argv[2])), family=family, backlog=99)
while 1:
    client, (address, *_) = s.accept()
    with contextlib.suppress(OSError), client:
        client.send(address.encode())
"""


class Hosts:
    """A VPP as the router of a page, and behind each of its ports a host in a network namespace."""

    all_works: frozenset[str]
    settle_s = 10.0

    def __init__(self, vpp: RealVpp, folder: Path, names: tuple[str, ...]) -> None:
        """The first name is that of the host behind the first port."""
        self.vpp = vpp
        self.folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        for number, name in enumerate(names):
            device = f"veth{number}-peer"
            vpp.add_netns(name)
            vpp.ip("link", "set", device, "netns", name)
            for each in ("lo", device):
                vpp.ip("-n", name, "link", "set", each, "up")
            self.run("ethtool", "-K", device, "tx", "off", at=name)
        for name in ("all", "default"):
            self.run("sysctl", "-qw", f"net.ipv4.conf.{name}.arp_ignore=1", f"net.ipv4.conf.{name}.arp_announce=2")

    def run(self, *words: str, at: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(self._command(words, at), capture_output=True, text=True, timeout=30, check=False)

    def start(self, *words: str, at: str = "") -> None:
        with (self.folder / f"log{len(self._started)}").open("wb") as log:
            self._started.append(subprocess.Popen(self._command(words, at), stdout=log, stderr=log))

    def _command(self, words: tuple[str, ...], at: str) -> list[str]:
        inside = ["setpriv", "--pdeathsig", "KILL", "nsenter", "--target", str(self.vpp.pid), "--net", "--mount"]
        return [*inside, *(("ip", "netns", "exec", at) if at else ()), *words]

    def close(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()

    def serve(self, address: str, port: int, at: str) -> None:
        """Start what tells who connects by what address it came."""
        self.start(sys.executable, "-Ic", _SERVE, address, str(port), at=at)

    def seen_as(self, address: str, port: int, at: str = "", source: str = "") -> str:
        """Connect; return the address by which the server sees the client, '' without a connection."""
        return self.run(sys.executable, "-Ic", _CONNECT, address, str(port), source, at=at).stdout.strip()

    def apply(self, text: str, *words: str) -> int:
        (file := self.folder / "router.yaml").write_text(text)
        return self.vppcfg("apply", "-y", "-c", str(file), *CONSENT, "--lose-unmanaged", "--again", *words)

    def vppcfg(self, command: str, *words: str) -> int:
        return main([command, "-a", str(self.vpp.socket_path), *words])

    def trials(self) -> dict[str, Callable[[], bool]]:
        """Return how each of `all_works` is tried."""
        raise NotImplementedError

    def works(self) -> frozenset[str]:
        with ThreadPoolExecutor() as pool:
            found = {name: pool.submit(works) for name, works in self.trials().items()}
        return frozenset(name for name, each in found.items() if each.result())

    def state(self) -> Whole:
        return whole_state(self.vpp)

    def after_return(self) -> None:
        """Do what others than vppcfg do once the old state is back."""

    def try_and_take_back(self, text: str, left: frozenset[str]) -> None:
        """Apply another file, by which `left` works, and go back: all works, and all is as it was."""
        before = self.state()
        assert self.apply(text) == ExitCode.DONE
        works = self.settled(self.works, left)
        assert self.vppcfg("rollback", "-y", *CONSENT) == ExitCode.DONE
        self.after_return()
        assert sorted(works) == sorted(left)
        assert self.settled(self.works, self.all_works) == self.all_works
        assert self.settled(lambda: "\n".join(unlike(self.state(), before)), "") == ""

    def settled(self, found: Callable[[], T], wanted: T) -> T:
        """Return what is found in the end."""
        deadline = time.monotonic() + self.settle_s
        while (last := found()) != wanted and time.monotonic() < deadline:
            time.sleep(0.3)
        return last


def edited(text: str, *pairs: tuple[str, str]) -> str:
    """Return a text with the first of each old part replaced by the new one."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text
