"""`vppcfg watch` beside a file that changes between good and every kind of bad: it lives, and does not grow."""

import os
import random
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.unit.cli.conftest import GI1, GI3, L3
from tests.unit.cli.watching import event_of, wait_until
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

SOME, MANY = 26, 2000
QUICK = "import vppcfg.app.watching.loop as loop; loop.TICK_S = 0.01; from vppcfg.cli.main import main; main()"
"""A watch that looks at its file a hundred times a second, in place of once."""
MOST_GROWTH_BYTES = 8 << 20
"""Between the time when every kind of file has been there and the end."""
HUGE_BYTES = (16 << 20) + 1
BOMB = "a: &a [ x, x, x, x, x, x, x, x, x ]\n" + "".join(
    f"{name}: &{name} [ {', '.join([f'*{former}'] * 9)} ]\n"
    for former, name in zip("abcdefghi", "bcdefghij", strict=True)
)


def text(content: str | bytes) -> Callable[[Path], None]:
    """Return what puts a file with some content in a place."""
    return lambda path: replaced(
        path, lambda new: new.write_bytes(content if isinstance(content, bytes) else content.encode())
    )


def replaced(path: Path, make: Callable[[Path], object]) -> None:
    """Make something new in a place where there is another one."""
    new = path.with_name("new")
    make(new)
    remove(path)
    new.rename(path)


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def huge(path: Path) -> None:
    path.touch()
    os.truncate(path, HUGE_BYTES)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def no_longer_readable(path: Path) -> None:
    """Make a file that opens, and cannot be read by anybody: memory of a process that is not there."""
    path.symlink_to("/proc/self/mem")


def for_nobody(path: Path) -> None:
    path.write_text("interfaces: [")
    path.chmod(0)


def in_place(path: Path, make: Callable[[Path], object]) -> None:
    remove(path)
    make(path)


GOOD = {
    "good": text(L3),
    "another good one": text(L3.replace("1500", "1600")),
    "a port that VPP lacks": text(L3.replace(GI3, "GigabitEthernet9/0/0")),
    "empty": text(""),
}
BAD: dict[str, Callable[[Path], None]] = {
    "missing": remove,
    "cut off": text(L3[: len(L3) // 2] + "["),
    "no YAML": text("interfaces: [\n"),
    "no UTF-8": text(b"interfaces: { \xff\xfe: {} }\n"),
    "binary": text(b"\x7fELF\0\0\0\0" * 100),
    "not of the schema": text("interfaces: { gi0: { colour: red } }\n"),
    "a list": text("- interfaces\n"),
    "against a rule": text(
        f"interfaces: {{ {GI1}: {{ mtu: 1500, addresses: [ 192.0.2.1/24, 192.0.2.2/24 ], l2xc: {GI3} }} }}\n"
    ),
    "a thousand errors": text("interfaces:\n" + "".join(f"  x{number}: {{ mtu: 1 }}\n" for number in range(1200))),
    "a tag": text("interfaces: !!python/object:os.system { x: y }\n"),
    "aliases that multiply": text(BOMB),
    "nested deeply": text("[" * 5000),
    "huge": lambda path: replaced(path, huge),
    "a pipe": lambda path: replaced(path, os.mkfifo),
    "a folder": lambda path: in_place(path, os.mkdir),
    "a socket": lambda path: in_place(path, listening),
    "a device": lambda path: in_place(path, lambda new: new.symlink_to("/dev/zero")),
    "a loop of links": lambda path: in_place(path, lambda new: new.symlink_to(path.name)),
    "a link to nothing": lambda path: in_place(path, lambda new: new.symlink_to("nowhere")),
    "not readable": lambda path: in_place(path, no_longer_readable),
    "somebody else's": lambda path: in_place(path, for_nobody),
}


class Size(NamedTuple):
    """What a process has."""

    resident_bytes: int
    descriptors: int


class Watched:
    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-c", QUICK, "watch", *words, "--format", "json", "--interval", "3600", "-q"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.counts: dict[str, int] = {}
        self.last = ""
        self.errors = ""
        self._threads = [threading.Thread(target=self._hear), threading.Thread(target=self._hear_errors)]
        for thread in self._threads:
            thread.start()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.last = line
            kind = event_of(line)["event"]
            self.counts[kind] = self.counts.get(kind, 0) + 1

    def _hear_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors = (self.errors + line)[-3000:]

    def hears(self, event: str, count: int, what: str) -> None:
        """Wait for an event the so-manieth time."""
        wait_until(
            lambda: self.counts.get(event, 0) >= count or self.process.poll() is not None,
            lambda: f"{what}: {self.last} {self.errors}",
        )
        assert self.process.poll() is None, f"{what} ended it: {self.last} {self.errors}"

    def size(self) -> Size:
        folder = Path(f"/proc/{self.process.pid}")
        pages = int((folder / "statm").read_text().split()[1])
        return Size(pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(folder / "fd")))

    def end(self) -> int:
        """Tell it to stop and return its exit code."""
        self.process.terminate()
        code = self.process.wait(30)
        for thread in self._threads:
            thread.join(30)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        return code


@pytest.fixture
def watched(vpp: str, files: Path) -> Iterator[Watched]:
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DONE
    shutil.copy("l3.yaml", "watched.yaml")
    watched = Watched("-c", "watched.yaml", "-a", vpp)
    yield watched
    watched.process.kill()
    watched.end()


@pytest.mark.parametrize("cycles", [SOME, pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(0)])])
def test_it_lives_and_does_not_grow_whatever_becomes_of_its_file(cycles: int, watched: Watched) -> None:
    watched.hears("in_sync", 1, "the beginning")
    dice, path, begin = random.Random(cycles), Path("watched.yaml"), watched.size()
    bad, good = [*BAD.items()], [*GOOD.items()]
    for cycle in range(cycles):
        if cycle == len(bad):
            begin = watched.size()
        for event, (name, make) in (
            ("file_invalid", bad[cycle] if cycle < len(bad) else dice.choice(bad)),
            ("file_loaded", dice.choice(good)),
        ):
            make(path)
            watched.hears(event, cycle + 1, name)
    GOOD["good"](path)
    watched.hears("file_loaded", cycles + 1, "the end")
    wait_until(lambda: watched.size().descriptors <= begin.descriptors, lambda: "it ends with more descriptors")
    end = watched.size()
    assert end.resident_bytes - begin.resident_bytes < MOST_GROWTH_BYTES
    assert watched.end() == ExitCode.DONE
    assert "internal error" not in watched.errors
