"""What the tests of the documents share: the vppcfg command in PATH, the examples, a simulated router, its commands."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a person who has just run `make`, with this Python's vppcfg in PATH."""
    directory = tmp_path_factory.mktemp("bin")
    program = directory / "vppcfg"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m vppcfg "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy of the examples, to run commands in."""
    return shutil.copytree(ROOT / "docs" / "examples", tmp_path / "examples")


@contextmanager
def simulated_router(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Run a simulator that makes the socket vpp.sock in a folder."""
    simulator = subprocess.Popen(words, cwd=folder, env=environment)
    deadline_s = time.monotonic() + 60
    while not (folder / "vpp.sock").exists() and time.monotonic() < deadline_s:
        time.sleep(0.01)
    try:
        yield
    finally:
        simulator.terminate()
        simulator.wait(timeout=60)


def output_of(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> str:
    """Return what a command prints, standard output first; it must succeed."""
    finished = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert finished.returncode == 0, (words, finished.stderr)
    return finished.stdout + finished.stderr


def shown_demo() -> str:
    """Return what docs/demo.md shows that the demo prints, without times."""
    shown = re.search(r"<!-- demo -->(.*?)<!-- end of demo -->", (ROOT / "docs" / "demo.md").read_text(), re.DOTALL)
    assert shown is not None
    return timeless("\n".join(re.findall(r"^```console\n(.*?)^```$", shown[1], re.MULTILINE | re.DOTALL)) + "\n")


def timeless(text: str) -> str:
    """Return what is printed without the time that the simulated VPP took."""
    return re.sub(r"(slowest step after) [\d.]+ m?s", r"\1 a while", text)
